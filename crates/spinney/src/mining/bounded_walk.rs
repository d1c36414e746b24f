//! The walk of the enumeration tree within limits of time and memory.
//!
//! **Invariant.** A limit ends the walk as a whole: every pattern visited was visited with all of
//! its graphs, and what was not visited occurs in at most as many graphs as [`WalkStop::open`]
//! says. Whoever visits may raise the minimum support on the way; patterns in fewer graphs are then
//! dropped without a visit.
//!
//! **Cost.** As [`visit()`](crate::mining::visit()): memory is that of the families along one path,
//! which is counted; a family that would take more than is left is given up while it grows.

use crate::graph::Graph;
use crate::mining::dfs_code::DfsCode;
use crate::mining::embedding_budget::EmbeddingBudget;
use crate::mining::extend::Family;
use crate::mining::grow::{Detail, Grower};
use crate::mining::limits::TrainingLimits;
use crate::mining::visit::{Next, PatternLimits, Visit};

/// A limit that mining reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReachedLimit {
    /// Of time.
    Time,
    /// Of memory.
    Memory,
    /// The caller wanted it to end.
    Interrupt,
}

impl ReachedLimit {
    /// In words.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            ReachedLimit::Time => "the time limit was reached",
            ReachedLimit::Memory => "the memory limit was reached",
            ReachedLimit::Interrupt => "interrupted",
        }
    }
}

/// Where a walk ended before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WalkStop {
    pub(super) limit: ReachedLimit,
    /// The most graphs that a pattern not visited occurs in.
    pub(super) open: usize,
}

/// Sees the patterns of a walk.
pub(super) trait Miner {
    /// A pattern.
    fn visit(&mut self, found: &Visit<'_>) -> Next;
    /// The fewest graphs of a pattern that is of interest; never falls.
    fn min_support(&self) -> usize;
    /// Bytes held for what was found.
    fn bytes(&self) -> usize;
}

/// Visits between two questions to the system how much memory is held.
const VISITS_PER_MEMORY_QUERY: u32 = 32;

/// Steps of the test whether a code is the smallest, where time is limited: about a second.
const MAX_TEST_STEPS: u64 = 1 << 26;

/// A family on the way to the pattern visited, and which of its extensions comes next.
struct Level {
    family: Family,
    next: usize,
    bytes: usize,
}

/// A walk under way.
struct Walk<'g> {
    graphs: &'g [Graph],
    limits: &'g TrainingLimits,
    grower: Grower,
    code: DfsCode,
    levels: Vec<Level>,
    /// Bytes of the families on the levels.
    bytes: usize,
    visits: u32,
}

/// Visits the patterns of `graphs`, single vertices included, in the order of their codes, until
/// done or a limit is reached.
pub(super) fn walk(
    graphs: &[Graph],
    patterns: PatternLimits,
    detail: Detail,
    limits: &TrainingLimits,
    miner: &mut dyn Miner,
) -> Option<WalkStop> {
    let grower = Grower::new(graphs, vec![true; graphs.len()], patterns, detail);
    let origin = grower.origin();
    let code = DfsCode::default();
    let levels = Vec::new();
    let mut walk = Walk { graphs, limits, grower, code, levels, bytes: 0, visits: 0 };
    walk.push(origin);
    while let Some(level) = walk.levels.last_mut() {
        let at = level.next;
        level.next += 1;
        let Some(extension) = level.family.extensions.get(at) else {
            walk.pop();
            continue;
        };
        if !extension.is_child || extension.found.support() < miner.min_support() {
            continue;
        }
        if let Some(limit) = walk.visit(at, patterns.max_edges(), miner) {
            return Some(WalkStop { limit, open: walk.open(at) });
        }
    }
    None
}

impl Walk<'_> {
    fn push(&mut self, family: Family) {
        let bytes = family.bytes();
        self.bytes += bytes;
        self.levels.push(Level { family, next: 0, bytes });
    }

    fn pop(&mut self) {
        self.bytes -= self.levels.pop().map_or(0, |level| level.bytes);
        self.code.pop();
    }

    /// Visits extension `at` of the last level and goes to the level below it, if that is wanted
    /// and fits.
    fn visit(
        &mut self,
        at: usize,
        max_edges: usize,
        miner: &mut dyn Miner,
    ) -> Option<ReachedLimit> {
        if let Some(limit) = self.reached(miner) {
            return Some(limit);
        }
        let family = &self.levels.last()?.family;
        let extension = &family.extensions[at];
        extension.step.add_to(&mut self.code);
        let found = Visit::new(&self.code, self.graphs, &self.grower.flat, family, at);
        let next = miner.visit(&found);
        if next != Next::Descend || self.code.edge_count() >= max_edges {
            self.code.pop();
            return None;
        }
        let held = self.bytes + miner.bytes();
        self.grower.set_min_support(miner.min_support());
        self.grower.set_budget(budget(self.limits, held));
        match self.grower.grow(family, at, &self.code) {
            Some(below) => self.push(below),
            None => return Some(self.reached_while_growing()),
        }
        None
    }

    /// The limit that was reached, if one was.
    fn reached(&mut self, miner: &dyn Miner) -> Option<ReachedLimit> {
        self.visits = self.visits.wrapping_add(1);
        if self.limits.is_interrupted() {
            return Some(ReachedLimit::Interrupt);
        }
        if self.limits.is_late() {
            return Some(ReachedLimit::Time);
        }
        let queries = self.visits.is_multiple_of(VISITS_PER_MEMORY_QUERY);
        let is_over =
            self.limits.is_over(self.bytes + miner.bytes()) || (queries && self.limits.must_stop());
        is_over.then_some(ReachedLimit::Memory)
    }

    /// The limit that a growth did not fit into.
    fn reached_while_growing(&self) -> ReachedLimit {
        if self.limits.is_interrupted() {
            ReachedLimit::Interrupt
        } else if self.limits.is_late() || self.grower.gave_up_testing() {
            ReachedLimit::Time
        } else {
            ReachedLimit::Memory
        }
    }

    /// The most graphs of a pattern that was not visited: at or after extension `at` of the last
    /// level, after those taken on the others, or below one of these.
    fn open(&self, at: usize) -> usize {
        let last = self.levels.len() - 1;
        let of_level = |(depth, level): (usize, &Level)| {
            let from = if depth == last { at } else { level.next };
            let rest = level.family.extensions.iter().skip(from);
            rest.map(|extension| extension.found.support()).max().unwrap_or(0)
        };
        self.levels.iter().enumerate().map(of_level).max().unwrap_or(0)
    }
}

/// What a growth may take where `held` bytes are held already.
fn budget(limits: &TrainingLimits, held: usize) -> EmbeddingBudget {
    let whole = EmbeddingBudget {
        steps: if limits.until.is_some() { MAX_TEST_STEPS } else { 0 },
        until: limits.until,
        interrupt: limits.interrupt,
        ..EmbeddingBudget::unlimited()
    };
    let Some(left) = limits.left(held) else { return whole };
    EmbeddingBudget { kept: EmbeddingBudget::within(Some(left), None).kept, ..whole }
}
