//! Is a DFS code the smallest of its pattern, and if not, where does a smaller one part from it?
//!
//! All depth-first walks over the pattern that write the same edges as the code are followed, one
//! after the other. If one of them could write a smaller edge next, the code is not the smallest.
//! The walks that come to the end are the pattern's automorphisms.
//!
//! **Why it matters where.** Adding an edge to a graph never makes its smallest code larger: take
//! the walk of the smallest code of the smaller graph and walk the new edge as late as possible
//! (backward, if its ends lie on one path; else forward, before its first end is left for good). At
//! the first difference the new edge stands in the place of one that leaves a vertex nearer to
//! the root, or of nothing. So if a code `P + b` is beaten *within* `P`, so is every code that
//! starts with `P` and has `b` somewhere: `b` need never be looked at again below `P`. If it is
//! beaten by its last edge only, an automorphism of `P` takes `b` to a smaller extension, and `b`
//! may still be needed together with that one.
//!
//! **Twins** (vertices that an automorphism exchanges and that leaves all others alone) are
//! entered in one order only. Twin leaves are always found; other twins are looked for in patterns
//! of three or more independent cycles, where they could be many (cliques).
//!
//! **Cost.** Steps × walks × degree; walks ≤ automorphisms of the prefixes modulo twins.

use crate::labels::Label;
use crate::mining::dfs_code::{DfsCode, DfsEdge};
use crate::mining::loaded_code::{Arc, Link, LoadedCode, NONE};

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The code is the smallest of its pattern.
    Smallest,
    /// A smaller code has the same edges but for the last.
    BeatenAtTheEnd,
    /// A smaller code differs before the last edge.
    Beaten,
}

/// Tests codes; keeps its buffers between calls.
#[derive(Debug, Default)]
pub(crate) struct MinimalityTest {
    code: LoadedCode,
    /// The walk: the vertex at each position.
    order: Vec<u16>,
    /// The position of each vertex, or [`NONE`].
    place: Vec<u16>,
    walks: u64,
    beaten_at_the_end: bool,
    /// Steps of the walks of one judgement.
    steps: u64,
    /// The most there may be (0: no limit).
    step_limit: u64,
}

fn factorial(n: u64) -> u64 {
    (2..=n).fold(1, u64::saturating_mul)
}

impl MinimalityTest {
    /// Whether `code`, a DFS code of some pattern, is the smallest one of that pattern.
    pub(crate) fn judge(&mut self, code: &DfsCode) -> Verdict {
        match code.edges().split_last() {
            Some((last, before)) => {
                self.code.load(code.root(), before);
                self.judge_next(*last)
            }
            None => {
                self.code.load(code.root(), &[]);
                self.code.class.clear();
                self.walks = 1;
                Verdict::Smallest
            }
        }
    }

    /// The same for the code loaded last and one more edge.
    pub(crate) fn judge_next(&mut self, edge: DfsEdge) -> Verdict {
        self.code.replace_last(edge);
        let vertices = self.code.labels.len();
        self.place.clear();
        self.place.resize(vertices, NONE);
        self.order.resize(vertices, 0);
        self.walks = 0;
        self.steps = 0;
        self.beaten_at_the_end = false;
        if self.start() {
            Verdict::Beaten
        } else if self.beaten_at_the_end {
            Verdict::BeatenAtTheEnd
        } else {
            Verdict::Smallest
        }
    }

    /// Limits the steps of a judgement from now on.
    pub(crate) fn set_step_limit(&mut self, steps: u64) {
        self.step_limit = steps;
    }

    /// The steps of the last judgement.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether the last judgement was given up after too many steps: a tree with many like branches
    /// has factorially many walks. The verdict then means nothing.
    pub(crate) fn gave_up(&self) -> bool {
        self.step_limit > 0 && self.steps >= self.step_limit
    }

    /// The number of automorphisms of the smallest code judged last (saturating).
    pub(crate) fn automorphisms(&self) -> u64 {
        self.symmetries(|size, _| factorial(size))
    }

    /// How many rows stand for one occurrence of the smallest code judged last, where all twin
    /// leaves but those at the positions `unordered` are listed in ascending order only.
    pub(crate) fn rows_per_occurrence(&self, unordered: [Option<u16>; 2]) -> u64 {
        self.symmetries(|size, first| {
            if self.code.degree(first) > 1 {
                return factorial(size);
            }
            let in_class = |p: &&u16| self.code.class[usize::from(**p)] == first;
            let free = unordered.iter().flatten().filter(in_class).count() as u64;
            (size - free + 1..=size).product()
        })
    }

    /// Loads a code, to be judged with one more edge.
    pub(crate) fn load(&mut self, root: Label, edges: &[DfsEdge]) {
        self.code.load(root, edges);
    }

    /// Walks × what each class of twins (its size, its first vertex) contributes.
    fn symmetries(&self, of_class: impl Fn(u64, u16) -> u64) -> u64 {
        let mut total = self.walks;
        for (v, &class) in (0..).zip(&self.code.class) {
            if class == v {
                let size = self.code.class.iter().filter(|c| **c == v).count() as u64;
                total = total.saturating_mul(of_class(size, v));
            }
        }
        total
    }

    fn is_new(&self, v: u16) -> bool {
        self.place[usize::from(v)] == NONE
    }

    /// Whether a twin of arc `at` comes before it among the arcs from `first` on.
    fn has_twin_before(&self, first: usize, at: usize) -> bool {
        let class = self.code.class[usize::from(self.code.arcs[at].to)];
        let same = |a: &Arc| self.code.class[usize::from(a.to)] == class && self.is_new(a.to);
        class != NONE && self.code.arcs[first..at].iter().any(same)
    }

    /// Follows all walks. Returns whether one of them can do better before the last step.
    fn start(&mut self) -> bool {
        let root = self.code.labels[0];
        let first = self.code.links[0].key;
        for u in 0..self.code.labels.len() as u16 {
            let label = self.code.labels[usize::from(u)];
            let smallest = self.code.around(u).iter().map(|a| a.key).min();
            if (label, smallest) < (root, Some(first)) {
                if self.better(0) {
                    return true;
                }
                continue;
            }
            let class = self.code.class[usize::from(u)];
            if label > root || (class != NONE && class != u) {
                continue;
            }
            self.enter(0, u);
            if self.enter_all(1, u, 0) {
                return true;
            }
            self.leave(u);
        }
        false
    }

    fn enter(&mut self, position: u16, v: u16) {
        self.order[usize::from(position)] = v;
        self.place[usize::from(v)] = position;
    }

    fn leave(&mut self, v: u16) {
        self.place[usize::from(v)] = NONE;
    }

    /// A walk can write a smaller edge as edge `k`. Returns whether that settles it.
    fn better(&mut self, k: usize) -> bool {
        self.beaten_at_the_end = true;
        k + 1 < self.code.links.len()
    }

    /// Goes on after `k` edges.
    fn walk(&mut self, k: usize) -> bool {
        self.steps += 1;
        if self.steps == self.step_limit {
            return true;
        }
        let Some(&link) = self.code.links.get(k) else {
            self.walks += 1;
            return false;
        };
        if link.to < link.from {
            return self.walk_back(k, link);
        }
        let last = link.to - 1;
        if self.can_return(last, link.written) || self.leaves_some(last, link.from) {
            return self.better(k);
        }
        let here = self.order[usize::from(link.from)];
        let smaller = |a: &Arc| a.key < link.key && self.is_new(a.to);
        if self.code.around(here).iter().any(smaller) {
            return self.better(k);
        }
        self.enter_all(link.to, here, k)
    }

    /// Enters each neighbour of `here` that edge `k` may lead to as the vertex at `position`.
    fn enter_all(&mut self, position: u16, here: u16, k: usize) -> bool {
        let range = self.code.range(here);
        let wanted = self.code.links[k].key;
        for at in range.clone() {
            let arc = self.code.arcs[at];
            if arc.key != wanted || !self.is_new(arc.to) || self.has_twin_before(range.start, at) {
                continue;
            }
            self.enter(position, arc.to);
            if self.walk(k + 1) {
                return true;
            }
            self.leave(arc.to);
        }
        false
    }

    /// Whether the vertex at `last` has an edge back to a position from `written` on.
    fn can_return(&self, last: u16, written: u16) -> bool {
        let from = self.code.parent[usize::from(last)];
        self.code.around(self.order[usize::from(last)]).iter().any(|a| {
            let place = self.place[usize::from(a.to)];
            place != NONE && place != from && place >= written
        })
    }

    /// Whether a vertex on the path from `last` up to, but without, `stop` sees a new one.
    fn leaves_some(&self, last: u16, stop: u16) -> bool {
        let mut at = last;
        while at != stop {
            if self.code.around(self.order[usize::from(at)]).iter().any(|a| self.is_new(a.to)) {
                return true;
            }
            at = self.code.parent[usize::from(at)];
        }
        false
    }

    fn walk_back(&mut self, k: usize, link: Link) -> bool {
        let from = self.code.parent[usize::from(link.from)];
        let mut found = None;
        for a in self.code.around(self.order[usize::from(link.from)]) {
            let place = self.place[usize::from(a.to)];
            if place == NONE || place == from || place < link.written {
                continue;
            }
            if (place, a.key) < (link.to, link.key) {
                return self.better(k);
            }
            if (place, a.key) == (link.to, link.key) {
                found = Some(());
            }
        }
        found.is_some() && self.walk(k + 1)
    }
}
