//! The best patterns: the first of the whole list, without the whole list.
//!
//! **Invariant.** Patterns are ranked by [`Rank`], a total order. By support no pattern ranks
//! before one that it contains, so what contains a pattern ranked behind the last of the best need
//! not be looked at, and the last one's support is a minimum support for all that follows.
//!
//! **How.** By support, patterns of up to 1, 2, 4, … edges are mined, each time with the minimum
//! support that the time before has shown, until nothing larger can be among the best: a first walk
//! into the depths would grow large patterns before it knew what to leave out. By size everything
//! is visited, and the best are kept.
//!
//! **Cost.** By support, that of the last walk and at most as much for those before it.

use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;

use crate::graph::Graph;
use crate::mining::bounded_walk::{Miner, WalkStop, walk};
use crate::mining::dfs_code::DfsCode;
use crate::mining::limits::TrainingLimits;
use crate::mining::mine::{Mined, Wanted};
use crate::mining::visit::{Next, PatternLimits, Visit};

/// What the best patterns have most of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankBy {
    /// Graphs that contain them; then those of fewer edges come first.
    #[default]
    Support,
    /// Edges; then those in more graphs come first.
    Edges,
}

impl std::str::FromStr for RankBy {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "support" => Ok(RankBy::Support),
            "edges" => Ok(RankBy::Edges),
            _ => Err(format!("{s:?} is neither support nor edges")),
        }
    }
}

/// How many patterns are wanted, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Top {
    /// The number of patterns.
    pub count: usize,
    /// What they have most of.
    pub by: RankBy,
}

/// A pattern's place among all: the smaller, the better. Equal ones are in the order of their
/// codes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    keys: [usize; 2],
    code: DfsCode,
}

impl Rank {
    fn new(by: RankBy, support: usize, code: &DfsCode) -> Rank {
        let edges = code.edge_count();
        let keys = match by {
            RankBy::Support => [usize::MAX - support, edges],
            RankBy::Edges => [usize::MAX - edges, usize::MAX - support],
        };
        Rank { keys, code: code.clone() }
    }

    /// Of a rank by support.
    fn support(&self) -> usize {
        usize::MAX - self.keys[0]
    }
}

/// A pattern by its rank.
#[derive(Debug)]
struct Ranked {
    rank: Rank,
    mined: Mined,
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

/// The best of the patterns seen, the worst of them on top.
#[derive(Debug)]
struct Best {
    top: Top,
    heap: BinaryHeap<Ranked>,
    bytes: usize,
}

impl Best {
    fn new(top: Top) -> Best {
        Best { top, heap: BinaryHeap::new(), bytes: 0 }
    }

    /// The rank of the last of the best, if there are as many as wanted.
    fn last(&self) -> Option<&Rank> {
        self.heap.peek().map(|worst| &worst.rank).filter(|_| self.heap.len() >= self.top.count)
    }

    fn has_place(&self, rank: &Rank) -> bool {
        self.last().is_none_or(|last| rank < last)
    }

    fn add(&mut self, rank: Rank, mined: Mined) {
        self.bytes += mined.bytes();
        self.heap.push(Ranked { rank, mined });
        if self.heap.len() > self.top.count {
            self.bytes -= self.heap.pop().map_or(0, |worst| worst.mined.bytes());
        }
    }

    /// The best first.
    fn into_sorted(self) -> Vec<Mined> {
        self.heap.into_sorted_vec().into_iter().map(|ranked| ranked.mined).collect()
    }
}

/// Collects the best patterns of a walk.
struct BestMiner {
    wanted: Wanted,
    best: Best,
    /// A rank that the last of the best is known to reach.
    known: Option<Rank>,
    /// The most edges of this walk.
    max_edges: usize,
    /// The most graphs of a pattern of so many edges that was not left out.
    deepest_support: usize,
}

impl BestMiner {
    /// Whether nothing that ranks behind `rank` matters, nor what contains it.
    fn is_behind(&self, rank: &Rank) -> bool {
        let by_support = self.best.top.by == RankBy::Support;
        by_support && self.last().is_some_and(|last| rank > last)
    }

    fn last(&self) -> Option<&Rank> {
        self.best.last().or(self.known.as_ref())
    }
}

impl Miner for BestMiner {
    fn visit(&mut self, found: &Visit<'_>) -> Next {
        let rank = Rank::new(self.best.top.by, found.embeddings.support(), found.code);
        if self.is_behind(&rank) {
            return Next::Prune;
        }
        if found.code.edge_count() == self.max_edges {
            self.deepest_support = self.deepest_support.max(found.embeddings.support());
        }
        if self.best.has_place(&rank) && self.wanted.includes(found) {
            self.best.add(rank, Mined::of(found));
        }
        Next::Descend
    }

    fn min_support(&self) -> usize {
        let own = self.wanted.limits.min_support.max(1);
        let shown = match self.best.top.by {
            RankBy::Support => self.last().map_or(1, Rank::support),
            RankBy::Edges => 1,
        };
        own.max(shown)
    }

    fn bytes(&self) -> usize {
        self.best.bytes
    }
}

/// The best patterns, the best first, and where the search for them ended before it was done.
pub(super) struct TopPatterns {
    pub(super) all: Vec<Mined>,
    pub(super) stop: Option<WalkStop>,
    /// The most edges of patterns that were all looked at.
    pub(super) whole_edges: usize,
}

/// Finds the best patterns.
pub(super) fn top_patterns(
    graphs: &[Graph],
    wanted: Wanted,
    top: Top,
    limits: &TrainingLimits,
) -> TopPatterns {
    let largest = graphs.iter().map(Graph::edge_count).max().unwrap_or(0);
    let most = wanted.limits.max_edges().min(largest);
    let mut max_edges = if top.by == RankBy::Support { most.min(1) } else { most };
    let mut found = TopPatterns { all: Vec::new(), stop: None, whole_edges: 0 };
    let mut known: Option<Rank> = None;
    loop {
        let min_support = wanted.limits.min_support.max(known.as_ref().map_or(1, Rank::support));
        let best = Best::new(top);
        let mut miner = BestMiner { wanted, best, known, max_edges, deepest_support: 0 };
        let patterns = PatternLimits { min_support, max_edges: Some(max_edges) };
        found.stop = walk(graphs, patterns, wanted.detail(), limits, &mut miner);
        if found.stop.is_some() {
            found.all = merged(top, found.all, miner.best.into_sorted());
            return found;
        }
        known = miner.best.last().cloned();
        let enough = known.as_ref().is_some_and(|last| miner.deepest_support <= last.support());
        let is_done = max_edges >= most || miner.deepest_support == 0 || enough;
        found.all = miner.best.into_sorted();
        found.whole_edges = max_edges;
        if is_done {
            return found;
        }
        max_edges = (2 * max_edges).min(most);
    }
}

/// The best of all of `patterns`, the best first.
pub(super) fn best_of(top: Top, patterns: Vec<Mined>) -> Vec<Mined> {
    let mut best = Best::new(top);
    for mined in patterns {
        let rank = Rank::new(top.by, mined.graphs.len(), &mined.code);
        if best.has_place(&rank) {
            best.add(rank, mined);
        }
    }
    best.into_sorted()
}

/// The best of two lists that may have patterns in common.
fn merged(top: Top, known: Vec<Mined>, more: Vec<Mined>) -> Vec<Mined> {
    let codes: FxHashSet<&DfsCode> = known.iter().map(|mined| &mined.code).collect();
    let new: Vec<Mined> = more.into_iter().filter(|m| !codes.contains(&m.code)).collect();
    drop(codes);
    best_of(top, known.into_iter().chain(new).collect())
}
