//! The search of a growing space's frontier for what beats the explored classes.
//!
//! The groups of the frontier are taken in the order of their bounds, the cheap bound first; a
//! group is expanded if something below it could beat the best split so far, or tie with it and be
//! simpler. Where that takes too long, the node's graphs are searched alone ([`NodeSearch`]).
//!
//! **Invariant.** Afterwards no pattern outside of the table beats the table's best, or ties with
//! it and is simpler, unless [`FrontierSearch::run`] gives a bound of what was not looked at.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::mining::classes::ClassId;
use crate::search::best_split::{BestGain, Search};
use crate::search::bound::{Squares, by_order, by_sums};
use crate::search::gain::{Sums, tie_rounded};
use crate::search::histogram::{Cell, Histogram, NodeSums};
use crate::search::node_search::NodeSearch;
use crate::search::space::GrowingSpace;
use crate::search::stop::{Limit, StopCheck};

/// A group of the frontier by its bound.
#[derive(PartialEq)]
struct BoundedGroup {
    bound: f64,
    group: usize,
}

impl Eq for BoundedGroup {}

impl PartialOrd for BoundedGroup {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for BoundedGroup {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound).then(other.group.cmp(&self.group))
    }
}

/// A search of the frontier for one node.
pub(super) struct FrontierSearch<'f, C> {
    search: &'f Search<'f, C>,
    positions: &'f [u32],
    node: &'f NodeSums<C>,
    /// For each training position, whether it is one of the node's.
    inside: Vec<bool>,
    best: Option<BestGain>,
    queue: BinaryHeap<BoundedGroup>,
    /// The most that patterns below stuck groups could gain.
    unseen: Option<f64>,
}

impl<'f, C: Cell> FrontierSearch<'f, C> {
    pub(super) fn new(
        search: &'f Search<'f, C>,
        positions: &'f [u32],
        node: &'f NodeSums<C>,
    ) -> Self {
        let mut inside = vec![false; search.cells.len()];
        positions.iter().for_each(|&p| inside[p as usize] = true);
        let queue = BinaryHeap::new();
        FrontierSearch { search, positions, node, inside, best: None, queue, unseen: None }
    }

    /// Expands whatever could still hold the best split; the histogram covers the explored
    /// classes. Gives the bound of what could not be looked at.
    pub(super) fn run(
        mut self,
        space: &mut dyn GrowingSpace,
        histogram: &mut Histogram<C>,
    ) -> Option<f64> {
        self.best = self.search.best_gain(space, histogram, self.positions, self.node);
        for group in 0..space.frontier().len() {
            self.enqueue(space, histogram, group);
        }
        let work_limit = self.work_limit(space);
        let may_leave = work_limit < usize::MAX;
        while let Some(BoundedGroup { bound, group }) = self.queue.pop() {
            let open = &space.frontier()[group];
            if !open.is_open() || !self.may_win(bound, open.edges) {
                continue;
            }
            let check = self.check(space, may_leave);
            if check == StopCheck::Stop {
                return Some(bound);
            }
            if may_leave && (space.work() >= work_limit || check == StopCheck::SpaceFull) {
                return self.search_node(space, bound);
            }
            let expanded = space.expand(group);
            self.note_unseen(space, group, bound);
            self.search.cover(space, histogram, self.positions);
            for class in expanded.classes {
                self.improve(space, histogram, class);
            }
            for group in expanded.groups {
                self.enqueue(space, histogram, group);
            }
        }
        self.unseen
    }

    /// Whether a limit ends the search; one that cannot leave a space which takes too much memory
    /// ends, too.
    fn check(&self, space: &dyn GrowingSpace, may_leave: bool) -> StopCheck {
        let Some(stop_token) = self.search.stop_token else { return StopCheck::GoOn };
        let check = stop_token.check(space);
        if check == StopCheck::SpaceFull && !may_leave && stop_token.is_over_memory(space) {
            stop_token.stop(Limit::Memory);
            return StopCheck::Stop;
        }
        check
    }

    /// The work up to which the space is grown in this search, if the node can be searched alone
    /// instead.
    fn work_limit(&self, space: &dyn GrowingSpace) -> usize {
        let search = self.search;
        let plain =
            search.samples.unit_weights() && search.rule.l2 == 0.0 && search.sample.is_whole();
        let patience = if plain { space.patience() } else { usize::MAX };
        space.work().saturating_add(patience)
    }

    /// Searches the node's graphs alone, where nothing can gain more than `bound`, and explores
    /// the way to what is best. Gives the bound of what could not be looked at.
    fn search_node(&self, space: &mut dyn GrowingSpace, bound: f64) -> Option<f64> {
        let samples = self.search.samples;
        let mut order = self.positions.to_vec();
        order.sort_by_key(|&p| Reverse(samples.one(p).g));
        let gradients: Vec<i64> = order.iter().map(|&p| samples.one(p).g).collect();
        let subset = space.subset(&order)?;
        let found = NodeSearch::new(&subset, &gradients, self.search.rule, self.best).run();
        space.count_node_search(found.walk.visited);
        match found.code {
            Some(code) if !space.reveal(&code) => Some(bound),
            _ => found.walk.open,
        }
    }

    /// Sees whether a class that is new, or has a simpler member, is better than the best.
    fn improve(&mut self, space: &dyn GrowingSpace, histogram: &Histogram<C>, class: ClassId) {
        let rule = &self.search.rule;
        let sums = histogram.cells()[class as usize].sums();
        let Some(gain) = sums.and_then(|sums| rule.gain(sums, self.node.all)) else { return };
        if !rule.accepts(gain) || !self.search.may_use(space.classes(), class) {
            return;
        }
        let edges = space.classes().edges(class);
        let is_better = |b: BestGain| gain > b.gain || (gain == b.gain && edges < b.edges);
        if self.best.is_none_or(is_better) {
            self.best = Some(BestGain { gain, edges });
        }
    }

    /// Queues a group, if something below it could matter.
    fn enqueue(&mut self, space: &dyn GrowingSpace, histogram: &Histogram<C>, group: usize) {
        let Some(bound) = self.bound(space, histogram, group) else { return };
        self.note_unseen(space, group, bound);
        self.queue.push(BoundedGroup { bound, group });
    }

    /// The bound of a group, if something below it could matter.
    fn bound(
        &self,
        space: &dyn GrowingSpace,
        histogram: &Histogram<C>,
        group: usize,
    ) -> Option<f64> {
        let open = &space.frontier()[group];
        if !open.is_open() && !open.is_stuck() {
            return None;
        }
        let Search { samples, rule, .. } = self.search;
        let cell = &histogram.cells()[open.class as usize];
        if let (Some(unit), Some(part)) = (samples.q_unit(), cell.sums()) {
            let squares = Squares { part, q: cell.squares() as f64 * unit };
            if !self.may_win(by_sums(&squares, self.node.all, rule), open.edges) {
                return None;
            }
        }
        let positions = space.classes().graphs(open.class).iter();
        let here = positions.filter(|&p| self.inside[p as usize]);
        let mut members: Vec<Sums> = here.map(|p| samples.one(p)).collect();
        let bound = by_order(&mut members, self.node.all, rule);
        self.may_win(bound, open.edges).then_some(bound)
    }

    /// Whether a pattern of more than `edges` edges and at most `bound` gain could beat the best,
    /// or tie with it and be as simple.
    fn may_win(&self, bound: f64, edges: u32) -> bool {
        let bound = tie_rounded(bound);
        let beats = |b: BestGain| bound > b.gain || (bound == b.gain && edges < b.edges);
        bound > self.search.rule.min_gain.max(0.0) && self.best.is_none_or(beats)
    }

    /// Notes the bound of a group that could hold the best split, if it is stuck.
    fn note_unseen(&mut self, space: &dyn GrowingSpace, group: usize, bound: f64) {
        if space.frontier()[group].is_stuck() {
            self.unseen = Some(self.unseen.map_or(bound, |most| most.max(bound)));
        }
    }
}
