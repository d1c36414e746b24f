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

    fn push(&mut self, graph: u32, row: &[u32], new: Option<u32>) {
        self.rows.extend_from_slice(row);
        self.rows.extend(new);
        if self.graphs.last() == Some(&graph) {
            if let Some(end) = self.ends.last_mut() {
                *end += 1;
            }
        } else {
            self.graphs.push(graph);
            self.ends.push(self.ends.last().copied().unwrap_or(0) + 1);
        }
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
                by_label.entry(label).or_insert_with(|| Embeddings::of_width(1)).push(
                    i as u32,
                    &[],
                    Some(v as u32),
                );
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
/// codes, with their embeddings. They may include codes that are not the smallest of their
/// pattern: the caller asks [`Canonizer::is_minimal`](super::canonical::Canonizer::is_minimal).
#[must_use]
pub fn extensions(
    graphs: &[Graph],
    code: &DfsCode,
    embeddings: &Embeddings,
    min_support: usize,
) -> Vec<(DfsEdge, Embeddings)> {
    let mut collect = Collector::new(code, embeddings.width);
    for (g, rows) in embeddings.iter() {
        let graph = &graphs[g as usize];
        for row in rows {
            collect.backward(graph, g, row);
            collect.forward(graph, g, row);
        }
    }
    let mut found = collect.found;
    found.retain(|(_, e)| e.support() >= min_support);
    found.sort_unstable_by_key(|f| f.0);
    found
}

struct Collector {
    frame: Frame,
    width: usize,
    slots: FxHashMap<DfsEdge, usize>,
    found: Vec<(DfsEdge, Embeddings)>,
}

impl Collector {
    fn new(code: &DfsCode, width: usize) -> Self {
        Collector { frame: Frame::new(code), width, slots: FxHashMap::default(), found: Vec::new() }
    }

    fn backward(&mut self, graph: &Graph, g: u32, row: &[u32]) {
        let from = self.frame.path[0];
        let around = graph.neighbors(row[usize::from(from)]);
        for i in 2..self.frame.path.len() {
            let to = self.frame.path[i];
            if self.frame.linked[usize::from(to)] {
                continue;
            }
            let target = row[usize::from(to)];
            let Some(n) = around.iter().find(|n| n.vertex == target) else { continue };
            if n.label == UNSEEN || !self.frame.allows_backward(i, n.label) {
                continue;
            }
            let edge = self.edge(from, to, n.label, self.frame.labels[usize::from(to)]);
            self.add(edge, g, row, None);
        }
    }

    fn forward(&mut self, graph: &Graph, g: u32, row: &[u32]) {
        let to = self.frame.path[0] + 1;
        for i in 0..self.frame.path.len() {
            let from = self.frame.path[i];
            for n in graph.neighbors(row[usize::from(from)]) {
                let label = graph.label(n.vertex);
                if row.contains(&n.vertex)
                    || n.label == UNSEEN
                    || label == UNSEEN
                    || !self.frame.allows_forward(i, n.label, label)
                {
                    continue;
                }
                let edge = self.edge(from, to, n.label, label);
                self.add(edge, g, row, Some(n.vertex));
            }
        }
    }

    fn edge(&self, from: u16, to: u16, edge_label: Label, to_label: Label) -> DfsEdge {
        let from_label = self.frame.labels[usize::from(from)];
        DfsEdge { from, to, from_label, edge_label, to_label }
    }

    fn add(&mut self, edge: DfsEdge, g: u32, row: &[u32], new: Option<u32>) {
        let width = self.width + usize::from(new.is_some());
        let found = &mut self.found;
        let slot = *self.slots.entry(edge).or_insert_with(|| {
            found.push((edge, Embeddings::of_width(width)));
            found.len() - 1
        });
        found[slot].1.push(g, row, new);
    }
}
