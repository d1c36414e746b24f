//! Every connected edge set of a graph, exactly once.
//!
//! The ESU scheme (Wernicke 2006) on edges: a set is grown from its smallest edge; an edge joins
//! the queue of candidates when its first end enters the set, and a candidate passed over is never
//! taken later in that branch.
//!
//! **Invariant.** The queue holds, in order of discovery, the edges that touch the set, come after
//! the root edge, and were not passed over. A set corresponds to one increasing sequence of queue
//! positions, hence is entered once.
//!
//! **Cost.** O(degree) for a set; memory O(edges). The stack is explicit.

use crate::graph::Graph;
use crate::labels::UNSEEN;

/// An edge that enters or leaves the current set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The edge's index in the graph.
    pub(crate) edge: u32,
    /// Local number of the end that was in the set already (vertices are numbered as they enter).
    pub(crate) from: usize,
    /// Local number of the other end.
    pub(crate) to: usize,
    /// Whether that other end is new to the set.
    pub(crate) new: bool,
}

/// Follows the walk. After `enter` the set includes the step's edge; `leave` undoes it.
pub(crate) trait Follow {
    /// The set starts anew with one vertex, number 0.
    fn start(&mut self, vertex: u32);
    /// An edge enters. Returning `false` ends the whole walk.
    fn enter(&mut self, step: Step, vertex: u32) -> bool;
    /// The edge that entered last leaves.
    fn leave(&mut self, step: Step);
}

#[derive(Clone, Copy)]
struct Candidate {
    edge: u32,
    from: u32,
    to: u32,
}

const OUTSIDE: u32 = u32::MAX;

/// Enumerates the connected edge sets of one graph after another; keeps its buffers.
#[derive(Default)]
pub(crate) struct Walker {
    local: Vec<u32>,
    queue: Vec<Candidate>,
    size: usize,
    vertices: u32,
}

impl Walker {
    /// Walks all connected sets of 1 to `max_edges` edges of `graph`. Returns whether the
    /// follower let it go to the end. Edges with unseen labels belong to no set.
    pub(crate) fn walk<F: Follow>(&mut self, graph: &Graph, max_edges: usize, f: &mut F) -> bool {
        self.local.clear();
        self.local.resize(graph.vertex_count(), OUTSIDE);
        if max_edges == 0 {
            return true;
        }
        (0..graph.edge_count() as u32).all(|root| self.walk_from(graph, root, max_edges, f))
    }

    fn walk_from<F: Follow>(&mut self, graph: &Graph, root: u32, most: usize, f: &mut F) -> bool {
        let first = graph.edges()[root as usize];
        if !usable(graph, root) {
            return true;
        }
        f.start(first.u);
        self.local[first.u as usize] = 0;
        (self.size, self.vertices) = (0, 1);
        self.queue.clear();
        // The root alone stands in the queue first; the rest of its first end follows it.
        self.queue.push(Candidate { edge: root, from: first.u, to: first.v });
        self.discover(graph, first.u, root);
        let mut stack: Vec<(usize, usize, Step)> = Vec::new();
        let mut at = 0;
        let complete = loop {
            let whole = self.size == most || (self.size == 0 && at > 0);
            if at < self.queue.len() && !whole {
                let before = self.queue.len();
                let (step, go_on) = self.enter(graph, at, root, most, f);
                stack.push((at, before, step));
                at += 1;
                if !go_on {
                    break false;
                }
            } else if let Some((taken, before, step)) = stack.pop() {
                f.leave(step);
                self.leave(taken, before, step);
                at = taken + 1;
            } else {
                break true;
            }
        };
        while let Some((taken, before, step)) = stack.pop() {
            self.leave(taken, before, step);
        }
        self.local[first.u as usize] = OUTSIDE;
        complete
    }

    fn enter<F: Follow>(
        &mut self,
        graph: &Graph,
        at: usize,
        root: u32,
        most: usize,
        f: &mut F,
    ) -> (Step, bool) {
        let c = self.queue[at];
        let new = self.local[c.to as usize] == OUTSIDE;
        if new {
            self.local[c.to as usize] = self.vertices;
            self.vertices += 1;
        }
        self.size += 1;
        if new && self.size < most {
            self.discover(graph, c.to, root);
        }
        let from = self.local[c.from as usize] as usize;
        let to = self.local[c.to as usize] as usize;
        let step = Step { edge: c.edge, from, to, new };
        (step, f.enter(step, c.to))
    }

    fn leave(&mut self, taken: usize, before: usize, step: Step) {
        self.queue.truncate(before);
        self.size -= 1;
        if step.new {
            self.vertices -= 1;
            self.local[self.queue[taken].to as usize] = OUTSIDE;
        }
    }

    /// Queues the edges at `v`, a vertex that has just entered, that lead out of the set.
    fn discover(&mut self, graph: &Graph, v: u32, root: u32) {
        for n in graph.neighbors(v) {
            let leads_out = self.local[n.vertex as usize] == OUTSIDE;
            if leads_out && n.edge > root && usable(graph, n.edge) {
                self.queue.push(Candidate { edge: n.edge, from: v, to: n.vertex });
            }
        }
    }
}

fn usable(graph: &Graph, edge: u32) -> bool {
    let e = graph.edges()[edge as usize];
    e.label != UNSEEN && graph.label(e.u) != UNSEEN && graph.label(e.v) != UNSEEN
}
