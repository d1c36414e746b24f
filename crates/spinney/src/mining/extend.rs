//! One step down the enumeration tree: all children of a pattern, with their embeddings.
//!
//! gSpan's rightmost extension (Yan and Han 2002). A child adds one edge to its parent's DFS code:
//! backward from the vertex found last to a vertex of the rightmost path, or forward from a vertex
//! of the rightmost path to a new one. A pattern is reached only from the parent of its smallest
//! code, so each is found once.
//!
//! **Invariant.** [`Embeddings`] lists *every* embedding of its pattern, grouped by graph in
//! ascending order. Which edges of the graph an embedding uses follows from the code and the
//! vertices alone, so a row holds vertices only.
//!
//! **Cost.** Each embedding is looked at once: the degrees along its rightmost path.

use rustc_hash::FxHashMap;

use super::dfs_code::{DfsCode, DfsEdge};
use crate::graph::Graph;
use crate::labels::{Label, UNSEEN};

/// All embeddings of one pattern: rows of graph vertices in the order of the code's positions.
#[derive(Clone, Debug, Default)]
pub struct Embeddings {
    width: usize,
    graphs: Vec<u32>,
    /// Rows of `graphs[i]` end at `ends[i]` (counted in rows).
    ends: Vec<u32>,
    rows: Vec<u32>,
}

impl Embeddings {
    fn of_width(width: usize) -> Self {
        Embeddings { width, ..Embeddings::default() }
    }

    /// The graphs that contain the pattern, ascending.
    #[must_use]
    pub fn graphs(&self) -> &[u32] {
        &self.graphs
    }

    /// The number of graphs that contain the pattern.
    #[must_use]
    pub fn support(&self) -> usize {
        self.graphs.len()
    }

    /// For each graph of [`Embeddings::graphs`], its number of embeddings.
    pub fn counts(&self) -> impl Iterator<Item = u32> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        self.ends.iter().zip(starts).map(|(end, start)| end - start)
    }

    /// Each graph with its embeddings, one row of `width` vertices after another.
    pub fn iter(&self) -> impl Iterator<Item = (u32, std::slice::ChunksExact<'_, u32>)> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        self.graphs.iter().zip(&self.ends).zip(starts).map(|((&graph, &end), start)| {
            let rows = &self.rows[start as usize * self.width..end as usize * self.width];
            (graph, rows.chunks_exact(self.width))
        })
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        4 * (self.rows.capacity() + self.graphs.capacity() + self.ends.capacity())
    }

    fn push_row(&mut self, graph: u32) {
        if self.graphs.last() == Some(&graph) {
            if let Some(end) = self.ends.last_mut() {
                *end += 1;
            }
        } else {
            self.graphs.push(graph);
            self.ends.push(self.ends.last().copied().unwrap_or(0) + 1);
        }
    }

    /// The embeddings of a child: those rows that the extension continues, with the new vertex.
    #[must_use]
    pub fn extended(&self, extension: &Extension) -> Embeddings {
        let grows = extension.edge.is_forward();
        let width = self.width + usize::from(grows);
        let mut child = Embeddings::of_width(width);
        child.graphs.reserve_exact(extension.support());
        child.ends.reserve_exact(extension.support());
        child.rows.reserve_exact(extension.hits.len() * width);
        let mut at = 0;
        for &(row, new) in &extension.hits {
            while self.ends[at] <= row {
                at += 1;
            }
            let start = row as usize * self.width;
            child.rows.extend_from_slice(&self.rows[start..start + self.width]);
            child.rows.extend(grows.then_some(new));
            child.push_row(self.graphs[at]);
        }
        child
    }
}

/// A continuation of a code: the edge, and where it continues which embedding.
#[derive(Clone, Debug)]
pub struct Extension {
    /// The edge that is added to the code.
    pub edge: DfsEdge,
    /// Rows of the parent that it continues, and the new vertex (none for a backward edge).
    hits: Vec<(u32, u32)>,
    support: u32,
    last: u32,
}

impl Extension {
    /// The number of graphs that contain the extended pattern.
    #[must_use]
    pub fn support(&self) -> usize {
        self.support as usize
    }
}

/// The one-vertex patterns of `graphs` by label, ascending: the roots of the enumeration tree.
/// Unseen labels have none.
#[must_use]
pub fn roots(graphs: &[Graph]) -> Vec<(Label, Embeddings)> {
    let mut by_label: FxHashMap<Label, Embeddings> = FxHashMap::default();
    for (i, graph) in graphs.iter().enumerate() {
        for (v, &label) in graph.labels().iter().enumerate() {
            if label != UNSEEN {
                let found = by_label.entry(label).or_insert_with(|| Embeddings::of_width(1));
                found.rows.push(v as u32);
                found.push_row(i as u32);
            }
        }
    }
    let mut roots: Vec<_> = by_label.into_iter().collect();
    roots.sort_unstable_by_key(|r| r.0);
    roots
}

/// The part of a code that decides which edges may be added.
struct Frame {
    /// Positions from the vertex found last to the root.
    path: Vec<u16>,
    labels: Vec<Label>,
    first: Option<(Label, Label, Label)>,
    /// For `path[i]`, `i > 0`: edge label and vertex label of the step down to `path[i - 1]`.
    down: Vec<(Label, Label)>,
    /// For each position, whether the last vertex already has an edge to it.
    linked: Vec<bool>,
}

impl Frame {
    fn new(code: &DfsCode) -> Self {
        let path = code.rightmost_path();
        let labels = code.vertex_labels();
        let last = path[0];
        let mut linked = vec![false; labels.len()];
        let mut step_to = vec![0; labels.len()];
        for e in code.edges() {
            if e.is_forward() {
                step_to[usize::from(e.to)] = e.edge_label;
            }
            if e.from == last {
                linked[usize::from(e.to)] = true;
            } else if e.to == last {
                linked[usize::from(e.from)] = true;
            }
        }
        let label_of = |p: u16| labels[usize::from(p)];
        let steps = path.windows(2).map(|w| (step_to[usize::from(w[0])], label_of(w[0])));
        let down = std::iter::once((0, 0)).chain(steps).collect();
        let first = code.edges().first().map(|e| (e.from_label, e.edge_label, e.to_label));
        Frame { path, labels, first, down, linked }
    }

    /// The edge back to step `i` of the path, or forward from it.
    fn edge(&self, i: usize, forward: bool, (edge_label, to_label): (Label, Label)) -> DfsEdge {
        let (last, here) = (self.path[0], self.path[i]);
        let (from, to) = if forward { (here, last + 1) } else { (last, here) };
        let from_label = self.labels[usize::from(from)];
        DfsEdge { from, to, from_label, edge_label, to_label }
    }

    /// A smallest code starts with the smallest edge of the pattern.
    fn keeps_first(&self, a: Label, edge: Label, b: Label) -> bool {
        let smallest = (a.min(b), edge, a.max(b));
        self.first.is_none_or(|first| smallest >= first)
    }

    /// Whether a backward edge to `path[i]` may lead to a smallest code: walking it from
    /// `path[i]` first must not be smaller than the step that the code takes there.
    fn allows_backward(&self, i: usize, edge: Label) -> bool {
        let last = self.labels[usize::from(self.path[0])];
        let here = self.labels[usize::from(self.path[i])];
        (edge, last) >= self.down[i] && self.keeps_first(here, edge, last)
    }

    fn allows_forward(&self, i: usize, edge: Label, to: Label) -> bool {
        let here = self.labels[usize::from(self.path[i])];
        if self.first.is_none() {
            return here <= to;
        }
        (i == 0 || (edge, to) >= self.down[i]) && self.keeps_first(here, edge, to)
    }
}

/// The continuations of `code` that occur in at least `min_support` graphs, in the order of the
/// codes. They may include codes that are not the smallest of their pattern: the caller asks
/// [`Canonizer::is_minimal`](super::canonical::Canonizer::is_minimal), and only then for the
/// [`Embeddings::extended`], which is the costly part.
#[must_use]
pub fn extensions(
    graphs: &[Graph],
    code: &DfsCode,
    embeddings: &Embeddings,
    min_support: usize,
) -> Vec<Extension> {
    let mut collect = Collector::new(code);
    let mut row = 0;
    for (g, rows) in embeddings.iter() {
        let graph = &graphs[g as usize];
        for vertices in rows {
            collect.backward(graph, (g, row), vertices);
            collect.forward(graph, (g, row), vertices);
            row += 1;
        }
    }
    let mut found = collect.found;
    found.retain(|e| e.support() >= min_support);
    found.sort_unstable_by_key(|e| e.edge);
    found
}

struct Collector {
    frame: Frame,
    /// For each step of the rightmost path: backward edges to it, forward edges from it.
    slots: Vec<[Slots; 2]>,
    found: Vec<Extension>,
}

/// Where the extensions by (edge label, vertex label) are: a short list, searched from the start,
/// and a map for the rare case of many labels.
#[derive(Clone, Default)]
struct Slots {
    few: Vec<((Label, Label), usize)>,
    many: FxHashMap<(Label, Label), usize>,
}

impl Slots {
    const FEW: usize = 16;

    fn find(&self, labels: (Label, Label)) -> Option<usize> {
        let listed = self.few.iter().find(|s| s.0 == labels).map(|s| s.1);
        if listed.is_some() || self.many.is_empty() {
            return listed;
        }
        self.many.get(&labels).copied()
    }

    fn insert(&mut self, labels: (Label, Label), slot: usize) {
        if self.few.len() < Self::FEW {
            self.few.push((labels, slot));
        } else {
            self.many.insert(labels, slot);
        }
    }
}

impl Collector {
    fn new(code: &DfsCode) -> Self {
        let frame = Frame::new(code);
        let slots = vec![Default::default(); frame.path.len()];
        Collector { frame, slots, found: Vec::new() }
    }

    fn backward(&mut self, graph: &Graph, at: (u32, u32), row: &[u32]) {
        let around = graph.neighbors(row[usize::from(self.frame.path[0])]);
        for i in 2..self.frame.path.len() {
            let to = usize::from(self.frame.path[i]);
            if self.frame.linked[to] {
                continue;
            }
            let Some(n) = around.iter().find(|n| n.vertex == row[to]) else { continue };
            if n.label != UNSEEN && self.frame.allows_backward(i, n.label) {
                self.add(i, false, (n.label, self.frame.labels[to]), (at, 0));
            }
        }
    }

    fn forward(&mut self, graph: &Graph, at: (u32, u32), row: &[u32]) {
        for i in 0..self.frame.path.len() {
            for n in graph.neighbors(row[usize::from(self.frame.path[i])]) {
                let labels = (n.label, graph.label(n.vertex));
                if labels.0 != UNSEEN
                    && labels.1 != UNSEEN
                    && self.frame.allows_forward(i, labels.0, labels.1)
                    && !row.contains(&n.vertex)
                {
                    self.add(i, true, labels, (at, n.vertex));
                }
            }
        }
    }

    /// Notes that the embedding `row` of graph `g` continues at step `i` of the path to `new`.
    fn add(
        &mut self,
        i: usize,
        forward: bool,
        labels: (Label, Label),
        ((g, row), new): ((u32, u32), u32),
    ) {
        let slots = &mut self.slots[i][usize::from(forward)];
        let slot = slots.find(labels).unwrap_or_else(|| {
            slots.insert(labels, self.found.len());
            let edge = self.frame.edge(i, forward, labels);
            self.found.push(Extension { edge, hits: Vec::new(), support: 0, last: u32::MAX });
            self.found.len() - 1
        });
        let extension = &mut self.found[slot];
        extension.hits.push((row, new));
        extension.support += u32::from(extension.last != g);
        extension.last = g;
    }
}
