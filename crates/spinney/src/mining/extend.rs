//! One step down the enumeration tree: all children of a pattern, with their embeddings.
//!
//! gSpan's rightmost extension (Yan and Han 2002). A child adds one edge to its parent's DFS code:
//! backward from the vertex found last to a vertex of the rightmost path, or forward from a vertex
//! of the rightmost path to a new one. A pattern is reached only from the parent of its smallest
//! code, so each is found once.
//!
//! A [`Family`] is a pattern `P` with its rows (embeddings) and its extensions; an extension lists
//! its *hits*: which row it continues, to which new vertex. A child's family is grown from its
//! parent's: a row is a hit with the row that it continues. Only the edges at the new vertex are
//! read from the graphs. All other extensions of `P + a` are extensions `b ≥ a` of `P`: their hits
//! are those of `a` and `b` on the same row of `P` (as Gaston joins its siblings; Nijssen and Kok
//! 2004).
//!
//! **Invariant.** An extension is dropped, for the whole subtree, if it occurs in too few graphs or
//! if its code is beaten within `P` (see [`minimal`](crate::mining::minimal)). One that is beaten
//! by its last edge only is no child, but is kept to be joined.
//!
//! **Invariant: twin leaves in order.** Leaves that hang on one vertex and look alike are listed in
//! ascending order only, so a star of `n` leaves has one row, not `n!`. Both leaves of a pair
//! found one after the other stay leaves in every smallest code below: a code in which the second
//! has an edge more is beaten by the one that finds it first. The same holds for the root, if
//! it is a leaf, and its first twin, once an edge was added to the vertex that they hang on.
//!
//! **Cost.** A child's row is written once and its new vertex looked at once; a join reads both
//! lists of hits. Rows are packed (see [`rows`](crate::mining::rows)).

use crate::labels::Label;
use crate::mining::dfs_code::{DfsCode, DfsEdge};
use crate::mining::flat::{Flat, StepId};
use crate::mining::grow::Candidate;
use crate::mining::join::{Embeddings, Hit};

/// What a pattern adds to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeStep {
    /// The first vertex.
    Root(Label),
    /// An edge.
    Edge(DfsEdge),
}

impl CodeStep {
    /// Goes on from the code of the parent.
    pub(crate) fn add_to(self, code: &mut DfsCode) {
        match self {
            CodeStep::Root(label) => *code = DfsCode::vertex(label),
            CodeStep::Edge(edge) => code.push(edge),
        }
    }

    /// Whether it adds a vertex.
    pub(crate) fn is_forward(self) -> bool {
        match self {
            CodeStep::Root(_) => true,
            CodeStep::Edge(edge) => edge.is_forward(),
        }
    }
}

/// A continuation of a code, and where it occurs.
#[derive(Debug)]
pub(crate) struct Extension {
    pub(crate) step: CodeStep,
    /// Whether the extended code is the smallest of its pattern.
    pub(crate) is_child: bool,
    /// How many hits stand for one occurrence.
    pub(crate) symmetry: u64,
    pub(crate) found: Embeddings,
    pub(crate) labelled: StepId,
    /// Whether the hits list the new vertex only after the twin leaf found last.
    pub(crate) in_order: bool,
}

impl Extension {
    /// How often the extended pattern occurs in each of its graphs.
    pub(crate) fn occurrences(&self) -> impl Iterator<Item = u64> + '_ {
        self.found.counts().map(|c| u64::from(c) / self.symmetry)
    }

    pub(crate) fn forward_from(&self) -> Option<u16> {
        match self.step {
            CodeStep::Edge(e) if e.is_forward() => Some(e.from),
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

/// A forward edge: the position that it leaves, and its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ForwardEdge {
    from: u16,
    labels: StepId,
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
    /// The last edge, if it is forward.
    last: Option<ForwardEdge>,
    root_has_returns: bool,
    /// Whether the root is listed before its twin leaves only.
    pub(crate) root_ordered: bool,
}

impl Shape {
    pub(crate) fn extended(&self, flat: &Flat, by: &Extension) -> Shape {
        let mut shape = self.clone();
        match by.step {
            CodeStep::Root(_) => {
                shape.width = 1;
                shape.path.push(Turn { position: 0, down: 0 });
            }
            CodeStep::Edge(e) if e.is_forward() => {
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
                shape.last = Some(ForwardEdge { from: e.from, labels: by.labelled });
            }
            CodeStep::Edge(e) => {
                shape.root_has_returns |= e.to == 0;
                shape.last = None;
            }
        }
        shape
    }

    /// Whether the extension adds a second leaf like the one found last.
    pub(crate) fn is_twin(&self, by: &Extension) -> bool {
        by.forward_from()
            .is_some_and(|from| self.last == Some(ForwardEdge { from, labels: by.labelled }))
    }

    /// The positions of the root and of the new vertex, where they are not listed in the order of
    /// their twin leaves.
    pub(crate) fn unordered(&self, edge: DfsEdge, candidate: &Candidate) -> [Option<u16>; 2] {
        let added = ForwardEdge { from: edge.from, labels: candidate.labelled };
        let twin = self.last == Some(added) && edge.is_forward();
        let new = (twin && !candidate.in_order).then_some(edge.to);
        [(!self.root_ordered).then_some(0), new]
    }

    /// Whether the root and the vertex found last are twin leaves, and stay so with `by`.
    fn orders_root(&self, by: &Extension) -> bool {
        let twins = |e: ForwardEdge| e.from == 1 && self.first_reversed == Some(e.labels);
        !self.root_ordered
            && !self.root_has_returns
            && by.forward_from() == Some(1)
            && self.last.is_some_and(twins)
    }
}

/// A pattern with its embeddings and its extensions.
#[derive(Debug, Default)]
pub(crate) struct Family {
    pub(crate) shape: Shape,
    pub(crate) rows: Vec<u64>,
    pub(crate) extensions: Vec<Extension>,
}

impl Family {
    /// Bytes held for rows and extensions.
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
    pub(crate) fn in_order(&self, flat: &Flat, by: &Extension) -> Option<Embeddings> {
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

    pub(crate) fn row(&self, flat: &Flat, number: u32) -> &[u64] {
        let words = flat.packing.words(self.shape.width.into());
        &self.rows[number as usize * words..][..words]
    }

    /// Appends the row that continues one of this family's to `rows`.
    #[inline]
    pub(crate) fn push_row(&self, flat: &Flat, hit: Hit, step: CodeStep, rows: &mut Vec<u64>) {
        let start = rows.len();
        for &word in self.row(flat, hit.row) {
            rows.push(word);
        }
        if step.is_forward() {
            let width = usize::from(self.shape.width);
            if flat.packing.words(width + 1) > flat.packing.words(width) {
                rows.push(u64::MAX);
            }
            flat.packing.lane(width).set(&mut rows[start..], hit.vertex);
        }
    }
}
