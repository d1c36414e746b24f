//! Every connected edge set of a graph, exactly once.
//!
//! The ESU scheme (Wernicke 2006) on edges: a set is grown from its smallest edge; an edge joins
//! the queue of candidates when its first end enters the set, and a candidate passed over is never
//! taken later in that branch.
//!
//! **Invariant.** The queue holds, in order of discovery, the edges that touch the set, come after
//! the root edge, and were not passed over. A set corresponds to one increasing sequence of queue
//! positions, hence is met once.
//!
//! **Cost.** O(degree) for a set. A set that nothing grows from (a *tip*: it has the greatest size,
//! or no candidate is left) is shown to the visitor without being entered, and like leaves of one
//! vertex (hydrogens, say) are shown together. Most sets are tips. Memory O(edges). The stack is
//! explicit.

use rustc_hash::FxHashMap;

use crate::graph::Graph;
use crate::labels::{Label, UNSEEN};

/// An edge that enters the current set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetStep {
    /// The edge's index in the graph.
    pub(crate) edge: u32,
    /// Number of the pair of labels, edge and head, among [`ArcKinds`].
    pub(crate) kind: u32,
    /// Local number of the end that was in the set already (vertices are numbered as they enter).
    pub(crate) from: u32,
    /// Local number of the other end, the head.
    pub(crate) to: u32,
    /// Whether that other end is new to the set.
    pub(crate) new: bool,
}

/// Sees the sets of a walk. Returning `false` ends the whole walk.
pub(crate) trait SetVisitor {
    /// Whether only the number of sets matters: then tips of the greatest size are counted
    /// together.
    const COUNTS_ONLY: bool = false;
    /// A graph is about to be walked.
    fn load(&mut self, graph: &Graph, kinds: &ArcKinds);
    /// The set starts anew with one vertex, number 0.
    fn start(&mut self, label: Label);
    /// An edge enters.
    fn enter(&mut self, step: SetStep) -> bool;
    /// The set with one edge more, from which nothing grows, is seen but not entered; as are
    /// `times - 1` others of the same pattern.
    fn tip(&mut self, step: SetStep, times: u32) -> bool;
    /// The edge that entered last leaves.
    fn leave(&mut self);
}

/// An edge's label and its head's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ArcLabels {
    pub(crate) edge: Label,
    pub(crate) head: Label,
}

/// The pairs of an edge's label and its head's label, numbered as they are met.
#[derive(Debug, Default)]
pub(crate) struct ArcKinds {
    numbers: FxHashMap<ArcLabels, u32>,
    labels: Vec<ArcLabels>,
}

impl ArcKinds {
    /// The labels by number. Numbers stay the same from graph to graph.
    pub(crate) fn labels(&self) -> &[ArcLabels] {
        &self.labels
    }

    fn number(&mut self, labels: ArcLabels) -> u32 {
        *self.numbers.entry(labels).or_insert_with(|| {
            self.labels.push(labels);
            self.labels.len() as u32 - 1
        })
    }
}

/// A directed edge.
#[derive(Clone, Copy)]
struct Arc {
    edge: u32,
    kind: u32,
    to: u32,
}

/// An edge that may be taken.
#[derive(Clone, Copy)]
struct Candidate {
    arc: Arc,
    /// Local number of the end in the set.
    from: u32,
}

/// An edge of the set: where it stands in the queue, and what to undo.
#[derive(Clone, Copy)]
struct Taken {
    at: u32,
    queued: u32,
    /// The vertex that came with it, or `OUTSIDE`.
    vertex: u32,
}

const OUTSIDE: u32 = u32::MAX;

/// Enumerates the connected edge sets of one graph after another; keeps its buffers.
#[derive(Default)]
pub(crate) struct Walker {
    kinds: ArcKinds,
    arcs: Vec<Arc>,
    /// Arcs that leave vertex `v` end at `ends[v + 1]`.
    ends: Vec<u32>,
    local: Vec<u32>,
    queue: Vec<Candidate>,
    stack: Vec<Taken>,
    vertices: u32,
    /// The roots whose sets have all been met.
    roots: u32,
}

impl Walker {
    /// Walks all connected sets of 1 to `max_edges` edges of `graph`. Returns whether the
    /// visitor let it go to the end. Edges with unseen labels belong to no set.
    pub(crate) fn walk<F: SetVisitor>(
        &mut self,
        graph: &Graph,
        max_edges: usize,
        f: &mut F,
    ) -> bool {
        self.load(graph);
        f.load(graph, &self.kinds);
        if max_edges == 0 {
            return true;
        }
        self.roots = 0;
        (0..graph.edge_count() as u32).all(|root| {
            let complete = self.walk_from(graph, root, max_edges, f);
            self.roots += u32::from(complete);
            complete
        })
    }

    /// How many edges have been taken as roots, to the end, in the last walk.
    pub(crate) fn roots(&self) -> u32 {
        self.roots
    }

    fn load(&mut self, graph: &Graph) {
        self.local.clear();
        self.local.resize(graph.vertex_count(), OUTSIDE);
        self.arcs.clear();
        self.ends.clear();
        self.ends.push(0);
        for v in 0..graph.vertex_count() as u32 {
            let start = self.arcs.len();
            for n in graph.neighbors(v).iter().filter(|n| usable(graph, n.edge)) {
                let kind =
                    self.kinds.number(ArcLabels { edge: n.label, head: graph.label(n.vertex) });
                self.arcs.push(Arc { edge: n.edge, kind, to: n.vertex });
            }
            self.arcs[start..].sort_unstable_by_key(|arc| (arc.kind, arc.edge));
            self.ends.push(self.arcs.len() as u32);
        }
    }

    fn walk_from<F: SetVisitor>(
        &mut self,
        graph: &Graph,
        root: u32,
        max_edges: usize,
        f: &mut F,
    ) -> bool {
        if !usable(graph, root) {
            return true;
        }
        let e = graph.edges()[root as usize];
        f.start(graph.label(e.u));
        self.local[e.u as usize] = 0;
        self.vertices = 1;
        self.queue.clear();
        let kind = self.kinds.number(ArcLabels { edge: e.label, head: graph.label(e.v) });
        // The root alone stands in the queue first; the rest of its first end follows it.
        self.queue.push(Candidate { arc: Arc { edge: root, kind, to: e.v }, from: 0 });
        let complete = if max_edges == 1 {
            self.show(0, f)
        } else {
            self.discover(e.u, 0, root);
            self.enter(0, root, f) && self.grow(root, max_edges, f)
        };
        while self.take_back() {}
        self.local[e.u as usize] = OUTSIDE;
        complete
    }

    /// Walks all sets of at most `max_edges` edges that grow from the set on the stack, if there is
    /// one: a root from which nothing grows was a tip.
    fn grow<F: SetVisitor>(&mut self, root: u32, max_edges: usize, f: &mut F) -> bool {
        let mut at = 1;
        while let Some(taken) = self.stack.last() {
            let above = taken.at as usize + 1;
            if self.stack.len() + 1 == max_edges {
                if !self.show(at, f) {
                    return false;
                }
                at = self.queue.len();
            }
            if at < self.queue.len() {
                if !self.enter(at, root, f) {
                    return false;
                }
                at += 1;
            } else {
                at = above;
                self.take_back();
                f.leave();
            }
        }
        true
    }

    /// Shows the current set with each candidate from `at` on.
    #[inline(always)]
    fn show<F: SetVisitor>(&self, mut at: usize, f: &mut F) -> bool {
        if F::COUNTS_ONLY {
            let first = self.queue.get(at).map(|c| self.step(c));
            return first.is_none_or(|step| f.tip(step, (self.queue.len() - at) as u32));
        }
        while let Some(c) = self.queue.get(at) {
            let step = self.step(c);
            let alike = |other: &&Candidate| {
                step.new
                    && other.from == c.from
                    && other.arc.kind == c.arc.kind
                    && self.local[other.arc.to as usize] == OUTSIDE
            };
            let times = 1 + self.queue[at + 1..].iter().take_while(alike).count();
            if !f.tip(step, times as u32) {
                return false;
            }
            at += times;
        }
        true
    }

    #[inline(always)]
    fn step(&self, c: &Candidate) -> SetStep {
        let local = self.local[c.arc.to as usize];
        let new = local == OUTSIDE;
        let to = if new { self.vertices } else { local };
        SetStep { edge: c.arc.edge, kind: c.arc.kind, from: c.from, to, new }
    }

    /// Takes the candidate at `at`, or shows it if nothing grows from it.
    #[inline(always)]
    fn enter<F: SetVisitor>(&mut self, at: usize, root: u32, f: &mut F) -> bool {
        let c = self.queue[at];
        let queued = self.queue.len() as u32;
        let step = self.step(&c);
        if step.new {
            self.discover(c.arc.to, step.to, root);
        }
        if self.queue.len() == at + 1 {
            return f.tip(step, 1);
        }
        let mut vertex = OUTSIDE;
        if step.new {
            vertex = c.arc.to;
            self.local[vertex as usize] = step.to;
            self.vertices += 1;
        }
        self.stack.push(Taken { at: at as u32, queued, vertex });
        f.enter(step)
    }

    /// Undoes the last `enter`, if there is one.
    #[inline]
    fn take_back(&mut self) -> bool {
        let Some(taken) = self.stack.pop() else { return false };
        self.queue.truncate(taken.queued as usize);
        if taken.vertex != OUTSIDE {
            self.vertices -= 1;
            self.local[taken.vertex as usize] = OUTSIDE;
        }
        true
    }

    /// Queues the edges at `v`, a vertex that is entering as number `from`, that lead out of the
    /// set. (The edge that it came by leads into the set.)
    #[inline]
    fn discover(&mut self, v: u32, from: u32, root: u32) {
        let range = self.ends[v as usize] as usize..self.ends[v as usize + 1] as usize;
        for &arc in &self.arcs[range] {
            if arc.edge > root && self.local[arc.to as usize] == OUTSIDE {
                self.queue.push(Candidate { arc, from });
            }
        }
    }
}

fn usable(graph: &Graph, edge: u32) -> bool {
    let e = graph.edges()[edge as usize];
    e.label != UNSEEN && graph.label(e.u) != UNSEEN && graph.label(e.v) != UNSEEN
}
