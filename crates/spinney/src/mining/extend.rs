//! One step down the enumeration tree: all children of a pattern, with their embeddings.
//!
//! gSpan's rightmost extension (Yan and Han 2002). A child adds one edge to its parent's DFS code:
//! backward from the vertex found last to a vertex of the rightmost path, or forward from a vertex
//! of the rightmost path to a new one. A pattern is reached only from the parent of its smallest
//! code, so each is found once.
//!
//! A [`Family`] is a pattern `P` with its rows (embeddings) and its extensions; an extension lists
//! its *hits*: which row it continues, to which new vertex. A child's family is grown from its
//! parent's: a row is a hit with the row that it continues. Only what the new vertex sees is read
//! from the graphs. All other extensions of `P + a` are extensions `b ≥ a` of `P`: their hits are
//! those of `a` and `b` on the same row of `P` (as Gaston joins its siblings; Nijssen and Kok 2004).
//!
//! **Invariant.** An extension is dropped, for the whole subtree, if it occurs in too few graphs or
//! if its code is beaten within `P` (see [`minimal`](super::minimal)). One that is beaten by its
//! last edge only is no child, but is kept to be joined.
//!
//! **Invariant: twin leaves in order.** Leaves that hang on one vertex and look alike are listed in
//! ascending order only, so a star of `n` leaves has one row, not `n!`. Both leaves of a pair
//! found one after the other stay leaves in every smallest code below: a code in which the second
//! has an edge more is beaten by the one that finds it first. The same holds for the root, if
//! it is a leaf, and its first twin, once an edge was added to the vertex that they hang on.
//!
//! **Cost.** A child's row is written once and its new vertex looked at once; a join reads both lists
//! of hits. Rows are packed (see [`rows`](super::rows)).

use super::collect::{Collector, Found, NewRow};
use super::dfs_code::{DfsCode, DfsEdge};
use super::flat::{Flat, StepId};
use super::join::{Embeddings, Gathered, Hit, join};
use super::minimal::{MinimalityTest, Verdict};
use super::visit::Limits;
use crate::graph::Graph;
use crate::labels::Label;

/// What must be known of patterns that are not extended further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    /// The graphs that contain them.
    Graphs,
    /// How often, too.
    Counts,
    /// Their embeddings, too.
    Rows,
}

/// What a pattern adds to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The first vertex.
    Root(Label),
    /// An edge.
    Edge(DfsEdge),
}

impl Step {
    /// Whether it adds a vertex.
    fn is_forward(self) -> bool {
        match self {
            Step::Root(_) => true,
            Step::Edge(edge) => edge.is_forward(),
        }
    }
}

/// A continuation of a code, and where it occurs.
#[derive(Debug)]
pub(crate) struct Extension {
    pub(crate) step: Step,
    /// Whether the extended code is the smallest of its pattern.
    pub(crate) is_child: bool,
    /// How many hits stand for one occurrence.
    pub(crate) symmetry: u64,
    pub(crate) found: Embeddings,
    labelled: StepId,
    /// Whether the hits list the new vertex only after the twin leaf found last.
    in_order: bool,
}

impl Extension {
    /// How often the extended pattern occurs in each of its graphs.
    pub(crate) fn occurrences(&self) -> impl Iterator<Item = u64> + '_ {
        self.found.counts().map(|c| u64::from(c) / self.symmetry)
    }

    fn forward_from(&self) -> Option<u16> {
        match self.step {
            Step::Edge(e) if e.is_forward() => Some(e.from),
            _ => None,
        }
    }
}

/// A vertex of the rightmost path, and the step that the path takes from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub(crate) position: u16,
    pub(crate) down: StepId,
}

/// What decides which edges may be added to a code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) width: u16,
    /// The rightmost path, from the root to the vertex found last.
    pub(crate) path: Vec<Turn>,
    /// The first edge's labels, and those the other way.
    pub(crate) first: Option<StepId>,
    first_reversed: Option<StepId>,
    /// The last edge, if it is forward: where from, and its labels.
    last: Option<(u16, StepId)>,
    root_has_returns: bool,
    /// Whether the root is listed before its twin leaves only.
    pub(crate) root_ordered: bool,
}

impl Shape {
    fn extended(&self, flat: &Flat, by: &Extension) -> Shape {
        let mut shape = self.clone();
        match by.step {
            Step::Root(_) => {
                shape.width = 1;
                shape.path.push(Turn { position: 0, down: 0 });
            }
            Step::Edge(e) if e.is_forward() => {
                shape.root_ordered |= self.orders_root(by);
                shape.path.retain(|turn| turn.position <= e.from);
                if let Some(turn) = shape.path.last_mut() {
                    turn.down = by.labelled;
                }
                shape.path.push(Turn { position: e.to, down: 0 });
                shape.width += 1;
                if shape.first.is_none() {
                    shape.first = Some(by.labelled);
                    shape.first_reversed = Some(flat.reverse(by.labelled));
                }
                shape.last = Some((e.from, by.labelled));
            }
            Step::Edge(e) => {
                shape.root_has_returns |= e.to == 0;
                shape.last = None;
            }
        }
        shape
    }

    /// Whether the extension adds a second leaf like the one found last.
    fn is_twin(&self, by: &Extension) -> bool {
        by.forward_from().is_some_and(|from| self.last == Some((from, by.labelled)))
    }

    /// The positions of the root and of the new vertex, where they are not listed in the order of
    /// their twin leaves.
    fn unordered(&self, edge: DfsEdge, candidate: &Candidate) -> [Option<u16>; 2] {
        let twin = self.last == Some((edge.from, candidate.labelled)) && edge.is_forward();
        let new = (twin && !candidate.in_order).then_some(edge.to);
        [(!self.root_ordered).then_some(0), new]
    }

    /// Whether the root and the vertex found last are twin leaves, and stay so with `by`.
    fn orders_root(&self, by: &Extension) -> bool {
        let twins = |(from, step)| from == 1 && self.first_reversed == Some(step);
        !self.root_ordered
            && !self.root_has_returns
            && by.forward_from() == Some(1)
            && self.last.is_some_and(twins)
    }
}

/// A pattern with its embeddings and its extensions.
#[derive(Debug, Default)]
pub(crate) struct Family {
    shape: Shape,
    rows: Vec<u64>,
    pub(crate) extensions: Vec<Extension>,
}

impl Family {
    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let of = |e: &Extension| size_of::<Extension>() + e.found.bytes();
        8 * self.rows.capacity() + self.extensions.iter().map(of).sum::<usize>()
    }

    /// The rows of the pattern that extension `at` makes, each with its graph, until `go_on` says
    /// no.
    pub(crate) fn rows_of(
        &self,
        flat: &Flat,
        at: usize,
        mut go_on: impl FnMut(u32, &[u64]) -> bool,
    ) {
        let by = &self.extensions[at];
        let mut row = Vec::new();
        for (graph, range) in by.found.parts() {
            for &hit in &by.found.hits()[range] {
                row.clear();
                self.push_row(flat, hit, by.step, &mut row);
                if !go_on(graph, &row) {
                    return;
                }
            }
        }
    }

    /// The hits of `by` that list twin leaves in order, where that is not all.
    fn in_order(&self, flat: &Flat, by: &Extension) -> Option<Embeddings> {
        let orders_root = self.shape.orders_root(by);
        let orders_new = self.shape.is_twin(by) && !by.in_order;
        if !orders_root && !orders_new {
            return None;
        }
        let last = usize::from(self.shape.width) - 1;
        Some(by.found.filtered(|hit| {
            let row = self.row(flat, hit.row);
            let before = flat.packing.get(row, last);
            (!orders_root || flat.packing.get(row, 0) < before)
                && (!orders_new || before < hit.vertex)
        }))
    }

    fn row(&self, flat: &Flat, number: u32) -> &[u64] {
        let words = flat.packing.words(self.shape.width.into());
        &self.rows[number as usize * words..][..words]
    }

    /// Appends the row that continues one of this family's to `rows`.
    #[inline]
    fn push_row(&self, flat: &Flat, hit: Hit, step: Step, rows: &mut Vec<u64>) {
        let start = rows.len();
        for &word in self.row(flat, hit.row) {
            rows.push(word);
        }
        if step.is_forward() {
            let width = usize::from(self.shape.width);
            if flat.packing.words(width + 1) > flat.packing.words(width) {
                rows.push(u64::MAX);
            }
            flat.packing.set(&mut rows[start..], width, hit.vertex);
        }
    }
}

/// Grows families of patterns within limits.
#[derive(Debug)]
pub(crate) struct Grower {
    pub(crate) flat: Flat,
    least: usize,
    most_edges: usize,
    detail: Detail,
    test: MinimalityTest,
    collector: Collector,
}

impl Grower {
    /// For the patterns of `graphs` within `limits`; `counting` says for each graph whether it
    /// counts towards the minimum support.
    pub(crate) fn new(
        graphs: &[Graph],
        counting: Vec<bool>,
        limits: Limits,
        detail: Detail,
    ) -> Self {
        let least = limits.min_support.max(1);
        Grower {
            flat: Flat::new(graphs, counting, least),
            least,
            most_edges: limits.most_edges(),
            detail,
            test: MinimalityTest::default(),
            collector: Collector::default(),
        }
    }

    /// The family of the empty pattern: its extensions are the single vertices, by label.
    pub(crate) fn origin(&mut self) -> Family {
        let mut origin = Family::default();
        let vertices = std::mem::take(&mut self.flat.vertices);
        for alike in vertices.chunk_by(|a, b| a.0 == b.0) {
            let mut gathered = Gathered::default();
            for &(_, graph, vertex) in alike {
                gathered.add(graph, Hit { row: 0, vertex });
            }
            if self.support(gathered.graphs()) >= self.least {
                origin.extensions.push(Extension {
                    step: Step::Root(alike[0].0),
                    is_child: true,
                    symmetry: 1,
                    found: gathered.to_embeddings(),
                    labelled: 0,
                    in_order: false,
                });
            }
        }
        self.flat.vertices = vertices;
        origin
    }

    fn support(&self, graphs: &[u32]) -> usize {
        graphs.iter().filter(|g| self.flat.counts(**g)).count()
    }

    /// The family of the pattern that extension `at` of `parent` makes, whose code is `code`.
    pub(crate) fn grow(&mut self, parent: &Family, at: usize, code: &mut DfsCode) -> Family {
        let by = &parent.extensions[at];
        let shape = parent.shape.extended(&self.flat, by);
        let ordered = parent.in_order(&self.flat, by);
        let found = ordered.as_ref().unwrap_or(&by.found);
        // Whether the extensions found now are never extended.
        let is_last = code.edge_count() + 1 >= self.most_edges;
        let keep = if is_last { self.detail } else { Detail::Rows };
        let mut child = Family { shape, ..Family::default() };
        self.collector.clear(&self.flat);
        self.read_rows(parent, by, found, &mut child, keep);
        let mut candidates = self.from_new_vertex(&child.shape);
        self.join_siblings(parent, at, found, &child.shape, (keep, is_last), &mut candidates);
        self.keep_promising(candidates, code, &mut child, is_last);
        child
    }

    /// Writes the rows and reads what their new vertices see.
    fn read_rows(
        &mut self,
        parent: &Family,
        by: &Extension,
        found: &Embeddings,
        child: &mut Family,
        keep: Detail,
    ) {
        // A second twin leaf gets no edge of its own.
        let reads = by.step.is_forward() && !parent.shape.is_twin(by);
        let words = self.flat.packing.words(child.shape.width.into());
        if keep == Detail::Rows {
            child.rows.reserve_exact(words * found.hits().len());
            if !reads {
                for &hit in found.hits() {
                    parent.push_row(&self.flat, hit, by.step, &mut child.rows);
                }
            }
        }
        if reads {
            let keep = keep == Detail::Rows;
            match words {
                1 => self.read_words::<1>(parent, by, found, child, keep),
                2 => self.read_words::<2>(parent, by, found, child, keep),
                3 => self.read_words::<3>(parent, by, found, child, keep),
                4 => self.read_words::<4>(parent, by, found, child, keep),
                _ => self.read_words::<0>(parent, by, found, child, keep),
            }
        }
    }

    /// The same for rows of `W` words; of any number of words, if `W` is 0.
    fn read_words<const W: usize>(
        &mut self,
        parent: &Family,
        by: &Extension,
        found: &Embeddings,
        child: &mut Family,
        keep: bool,
    ) {
        let (flat, collector) = (&self.flat, &mut self.collector);
        let (packing, width) = (flat.packing, usize::from(parent.shape.width));
        let (before, words) = (packing.words(width), packing.words(width + 1));
        let mut fixed = [u64::MAX; W];
        let mut any = vec![u64::MAX; if W == 0 { words } else { 0 }];
        let row: &mut [u64] = if W == 0 { &mut any } else { &mut fixed };
        let from = by.forward_from().map(usize::from);
        for (graph, range) in found.parts() {
            let base = flat.base(graph);
            for (number, &hit) in range.clone().zip(&found.hits()[range]) {
                row[words - 1] = u64::MAX;
                let old = &parent.rows[hit.row as usize * before..][..before];
                row.iter_mut().zip(old).for_each(|(to, from)| *to = *from);
                packing.set(row, width, hit.vertex);
                if keep {
                    child.rows.extend_from_slice(row);
                }
                let new = NewRow {
                    graph,
                    number: number as u32,
                    row,
                    around: flat.around(base, hit.vertex),
                    from: from.map_or(u32::MAX, |p| packing.get(row, p)),
                };
                collector.read(flat, &child.shape, new, keep);
            }
        }
    }

    fn from_new_vertex(&self, shape: &Shape) -> Vec<Candidate> {
        let last = shape.width - 1;
        let candidate = |Found { to, step, slot }: Found| {
            let (from, to) = (last, to.unwrap_or(last + 1));
            Candidate { from, to, labelled: step, slot, in_order: false }
        };
        self.collector.found().into_iter().map(candidate).collect()
    }

    /// Joins the extensions of the parent that may come after `at`.
    fn join_siblings(
        &mut self,
        parent: &Family,
        at: usize,
        found: &Embeddings,
        shape: &Shape,
        keep: (Detail, bool),
        candidates: &mut Vec<Candidate>,
    ) {
        let by = &parent.extensions[at];
        let Step::Edge(edge) = by.step else { return };
        let twin = parent.shape.is_twin(by);
        let forward = edge.is_forward();
        let (keep, is_last) = keep;
        for (i, other) in parent.extensions.iter().enumerate().skip(at + usize::from(!forward)) {
            let Step::Edge(next) = other.step else { continue };
            if next.from == 0 && shape.root_ordered {
                continue;
            }
            // A second twin leaf comes next or never, and where nothing comes after it.
            let in_order = i == at && forward && (twin || is_last);
            let slot = self.collector.slot();
            let out = self.collector.gathered(slot);
            let counts = |g| self.flat.counts(g);
            let gather = |graph, hit| match keep {
                Detail::Rows => {
                    out.add(graph, hit);
                    true
                }
                _ => {
                    out.count_one(graph);
                    keep == Detail::Counts
                }
            };
            let lists = (found, &other.found);
            if !forward {
                join(lists, self.least, counts, |_, _| true, gather);
            } else if in_order {
                join(lists, self.least, counts, |v, w| v < w, gather);
            } else {
                join(lists, self.least, counts, |v, w| v != w, gather);
            }
            if out.graphs().is_empty() {
                self.collector.discard();
                continue;
            }
            let to = if next.is_forward() { shape.width } else { next.to };
            candidates.push(Candidate { from: next.from, to, labelled: other.labelled, slot, in_order });
        }
    }

    /// Keeps the candidates that are frequent and may lead to smallest codes.
    fn keep_promising(
        &mut self,
        candidates: Vec<Candidate>,
        code: &mut DfsCode,
        child: &mut Family,
        is_last: bool,
    ) {
        for candidate in candidates {
            let gathered = &*self.collector.gathered(candidate.slot);
            let counting = gathered.graphs().iter().filter(|g| self.flat.counts(**g)).count();
            if counting < self.least {
                continue;
            }
            let edge = candidate.edge(&self.flat);
            code.push(edge);
            let verdict = self.test.judge(code);
            code.pop();
            let is_child = verdict == Verdict::Smallest;
            if is_child || (verdict == Verdict::BeatenAtTheEnd && !is_last) {
                let unordered = child.shape.unordered(edge, &candidate);
                child.extensions.push(Extension {
                    step: Step::Edge(edge),
                    is_child,
                    symmetry: self.test.rows_per_occurrence(unordered),
                    found: gathered.to_embeddings(),
                    labelled: candidate.labelled,
                    in_order: candidate.in_order,
                });
            }
        }
    }
}

/// An extension that was met at least once.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    from: u16,
    to: u16,
    labelled: StepId,
    slot: usize,
    in_order: bool,
}

impl Candidate {
    fn edge(&self, flat: &Flat) -> DfsEdge {
        let labels = flat.labels(self.labelled);
        DfsEdge {
            from: self.from,
            to: self.to,
            from_label: labels.from,
            edge_label: labels.edge,
            to_label: labels.to,
        }
    }
}
