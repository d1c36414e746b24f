//! The best split of a node, over all patterns (paper, Alg. 3).
//!
//! First the explored classes are scanned in the node's histogram. Then, if the space has a
//! frontier, its groups are taken in the order of their bounds, the cheap bound first; a group is
//! expanded if something below it could beat the best split so far, or tie with it and be simpler.
//!
//! **Invariant.** The result is the optimum over the whole space: the largest gain (to
//! [`tie_rounded`] digits), then fewest edges, then smallest DFS code, then lowest threshold. What
//! was explored before, in which order, and by which engine, changes nothing.
//!
//! **Deviation from the paper.** The paper starts each search at the root of the enumeration tree;
//! here what earlier searches explored is scored by histogram, and only the rest is searched.

use std::collections::BinaryHeap;
use std::sync::Arc;

use super::bound::{Squares, by_order, by_sums};
use super::gain::{Rule, Sums, tie_rounded};
use super::histogram::{Cell, Histogram, NodeSums};
use super::samples::Samples;
use super::space::{Group, PatternSpace, Simplest};
use super::view::{ClassSample, Part, View};
use crate::mining::classes::ClassId;

/// A split and what it is worth.
#[derive(Clone, Debug)]
pub struct Split {
    /// The class of graphs that go to the "yes" side.
    pub class: ClassId,
    /// The column that stands for the class.
    pub simplest: Arc<Simplest>,
    /// The gain, rounded for comparison, in units of [`Samples::gain_unit`].
    pub gain: f64,
}

/// Finds best splits for the nodes of one tree.
#[derive(Debug)]
pub struct Search<'a, C> {
    samples: &'a Samples,
    cells: &'a [C],
    rule: Rule,
    sample: ClassSample,
    part: Option<Part>,
}

/// The best gain so far and the fewest edges among those who reach it.
#[derive(Clone, Copy, Debug)]
struct Record {
    gain: f64,
    edges: u32,
}

/// A group of the frontier by its bound.
#[derive(PartialEq)]
struct Promise {
    bound: f64,
    group: usize,
}

impl Eq for Promise {}

impl PartialOrd for Promise {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Promise {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.bound.total_cmp(&other.bound).then(other.group.cmp(&self.group))
    }
}

impl<'a, C: Cell> Search<'a, C> {
    /// A search over `cells` (one a training position, made of `samples`), for a tree that is
    /// fitted to the graphs at `positions` with the classes in `sample`.
    pub fn new(
        space: &dyn PatternSpace,
        samples: &'a Samples,
        cells: &'a [C],
        positions: &[u32],
        (rule, sample): (Rule, ClassSample),
    ) -> Self {
        // A space that can still grow is scanned whole, and sampled while scanning.
        let cut = !sample.is_all() && space.frontier().is_empty();
        let part = cut.then(|| Part::new(space.classes(), positions, cells.len(), &sample));
        Search { samples, cells, rule, sample, part }
    }

    /// Brings a node's histogram up to the classes known by now.
    pub fn cover(&self, space: &dyn PatternSpace, histogram: &mut Histogram<C>, positions: &[u32]) {
        histogram.cover(&self.view(space), positions, self.cells);
    }

    fn view<'s>(&'s self, space: &'s dyn PatternSpace) -> View<'s> {
        self.part.as_ref().map_or_else(|| View::Whole(space.classes()), View::Part)
    }

    /// The best split of the node with the graphs at `positions` and their histogram, or `None`
    /// if no split is valid and gains anything.
    pub fn best_split(
        &self,
        space: &mut dyn PatternSpace,
        histogram: &mut Histogram<C>,
        positions: &[u32],
    ) -> Option<Split> {
        let all = self.samples.sums(positions);
        if all.n < 2 * self.rule.min_leaf.max(1) {
            return None;
        }
        let node = NodeSums::new(all, self.rule);
        self.cover(space, histogram, positions);
        if space.frontier().iter().any(Group::is_open) {
            self.explore(space, histogram, positions, &node);
        }
        let (gain, leaders) = self.leaders(space, histogram, &node)?;
        let fewest = leaders.iter().map(|&c| space.classes().edges(c)).min()?;
        let mut best: Option<Split> = None;
        for class in leaders {
            if space.classes().edges(class) > fewest {
                continue;
            }
            let simplest = space.simplest(class);
            if best.as_ref().is_none_or(|b| simplest.is_simpler_than(&b.simplest)) {
                best = Some(Split { class, simplest, gain });
            }
        }
        best
    }

    /// The best gain over the explored classes, and all classes that reach it.
    fn leaders(
        &self,
        space: &dyn PatternSpace,
        histogram: &Histogram<C>,
        node: &NodeSums,
    ) -> Option<(f64, Vec<ClassId>)> {
        let view = self.view(space);
        let usable =
            |local: usize| matches!(view, View::Part(_)) || self.may_use(space, local as ClassId);
        // Quick gains are within 1e-12 of the true ones, ties within 2^-31 of each other: whatever
        // is not below the best quick gain by more than that may be a leader.
        const CLOSE: f64 = 1.0 - 1e-9;
        let mut least = f64::MIN_POSITIVE;
        let mut close: Vec<(usize, f64)> = Vec::new();
        for (local, cell) in histogram.cells().iter().enumerate() {
            let quick = cell.quick_gain(node);
            if quick >= least && usable(local) {
                least = least.max(quick * CLOSE);
                close.push((local, quick));
            }
        }
        let mut best = (0.0, Vec::new());
        for (local, _) in close.into_iter().filter(|c| c.1 >= least) {
            let Some(gain) = self.rule.gain(histogram.cells()[local].sums(), node.all) else {
                continue;
            };
            if gain < best.0 || !self.rule.accepts(gain) {
                continue;
            }
            if gain > best.0 {
                best = (gain, Vec::new());
            }
            best.1.push(view.class(local));
        }
        (!best.1.is_empty()).then_some(best)
    }

    fn may_use(&self, space: &dyn PatternSpace, class: ClassId) -> bool {
        let table = space.classes();
        table.has_member(class) && self.sample.has(table.signature(class))
    }

    fn record(
        &self,
        space: &dyn PatternSpace,
        histogram: &Histogram<C>,
        node: &NodeSums,
    ) -> Option<Record> {
        let (gain, leaders) = self.leaders(space, histogram, node)?;
        let edges = leaders.iter().map(|&c| space.classes().edges(c)).min()?;
        Some(Record { gain, edges })
    }

    /// Expands whatever could still hold the best split.
    fn explore(
        &self,
        space: &mut dyn PatternSpace,
        histogram: &mut Histogram<C>,
        positions: &[u32],
        node: &NodeSums,
    ) {
        let mut record = self.record(space, histogram, node);
        let mut inside = vec![false; self.cells.len()];
        positions.iter().for_each(|&p| inside[p as usize] = true);
        let mut heap = BinaryHeap::new();
        for group in 0..space.frontier().len() {
            heap.extend(self.promise(space, histogram, node, (group, &inside), record));
        }
        while let Some(Promise { bound, group }) = heap.pop() {
            let open = &space.frontier()[group];
            if !open.is_open() || !self.is_worth(bound, open.edges, record) {
                continue;
            }
            let expanded = space.expand(group);
            self.cover(space, histogram, positions);
            for class in expanded.classes {
                self.improve(space, histogram, node, class, &mut record);
            }
            for group in expanded.groups {
                heap.extend(self.promise(space, histogram, node, (group, &inside), record));
            }
        }
    }

    fn improve(
        &self,
        space: &dyn PatternSpace,
        histogram: &Histogram<C>,
        node: &NodeSums,
        class: ClassId,
        record: &mut Option<Record>,
    ) {
        let sums = histogram.cells()[class as usize].sums();
        let Some(gain) = self.rule.gain(sums, node.all) else { return };
        if !self.rule.accepts(gain) || !self.may_use(space, class) {
            return;
        }
        let edges = space.classes().edges(class);
        let better = record.is_none_or(|r| gain > r.gain || (gain == r.gain && edges < r.edges));
        if better {
            *record = Some(Record { gain, edges });
        }
    }

    /// The bound of a group, if something below it could matter.
    fn promise(
        &self,
        space: &dyn PatternSpace,
        histogram: &Histogram<C>,
        node: &NodeSums,
        (group, inside): (usize, &[bool]),
        record: Option<Record>,
    ) -> Option<Promise> {
        let open = &space.frontier()[group];
        if !open.is_open() {
            return None;
        }
        let cell = &histogram.cells()[open.class as usize];
        if let Some(unit) = self.samples.q_unit() {
            let squares = Squares { part: cell.sums(), q: cell.squares() as f64 * unit };
            if !self.is_worth(by_sums(&squares, node.all, &self.rule), open.edges, record) {
                return None;
            }
        }
        let positions = space.classes().graphs(open.class);
        let here = positions.iter().filter(|&&p| inside[p as usize]);
        let mut members: Vec<Sums> = here.map(|&p| self.samples.one(p)).collect();
        let bound = by_order(&mut members, node.all, &self.rule);
        self.is_worth(bound, open.edges, record).then_some(Promise { bound, group })
    }

    /// Whether a pattern of more than `edges` edges and at most `bound` gain could beat the record,
    /// or tie with it and be as simple.
    fn is_worth(&self, bound: f64, edges: u32, record: Option<Record>) -> bool {
        let bound = tie_rounded(bound);
        bound > self.rule.min_gain.max(0.0)
            && record.is_none_or(|r| bound > r.gain || (bound == r.gain && edges < r.edges))
    }
}
