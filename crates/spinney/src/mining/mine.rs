//! All patterns within limits, by either exploration, in one order.
//!
//! The enumeration tree yields patterns in the order of their codes; a census is decoded and sorted
//! to the same order. So what [`mine`] reports does not depend on the engine.
//!
//! **Limits.** [`mine_within`] and [`count_within`] end when time or memory is over. What they give
//! then is right but not all: every pattern listed has all of its graphs, and [`Incomplete`] says
//! from where on nothing is missing.

use rustc_hash::FxHashSet;

use crate::graph::Graph;
use crate::mining::bounded_walk::{Miner, WalkStop, walk};
use crate::mining::canonical::Canonizer;
use crate::mining::census::Census;
use crate::mining::classes::{ClassTable, Columns};
use crate::mining::dfs_code::{DfsCode, DfsEdge};
use crate::mining::grow::Detail;
use crate::mining::limits::TrainingLimits;
use crate::mining::top::{best_of, top_patterns};
use crate::mining::visit::{Next, PatternLimits, Visit, visit_with};

pub use crate::mining::bounded_walk::ReachedLimit;
pub use crate::mining::top::{RankBy, Top};

/// What to report.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Support and size.
    pub limits: PatternLimits,
    /// Whether single vertices are patterns.
    pub vertices: bool,
    /// Only patterns to which no edge can be added without losing a graph.
    pub closed: bool,
}

impl Wanted {
    /// What must be known of patterns.
    pub(super) fn detail(&self) -> Detail {
        if self.closed { Detail::Rows } else { Detail::Counts }
    }

    /// The same of a census's pattern.
    fn includes_counted(&self, census: &Census, pattern: usize, support: u32) -> bool {
        let edges = census.edges(pattern as u32);
        support as usize >= self.limits.min_support.max(1)
            && edges <= self.limits.max_edges()
            && (edges > 0 || self.vertices)
    }

    pub(super) fn includes(&self, found: &Visit<'_>) -> bool {
        let is_pattern = found.code.edge_count() > 0 || self.vertices;
        is_pattern && (!self.closed || found.is_closed())
    }
}

/// A pattern found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mined {
    /// Its smallest DFS code.
    pub code: DfsCode,
    /// The graphs that contain it, ascending.
    pub graphs: Vec<u32>,
    /// How often it occurs in each of them (distinct edge sets).
    pub occurrences: Vec<u64>,
}

/// Walks the enumeration tree and reports every pattern wanted, in the order of the codes.
/// `report` says whether to go on. Returns whether it went to the end.
pub fn mine(graphs: &[Graph], wanted: Wanted, mut report: impl FnMut(Mined) -> bool) -> bool {
    visit_with(graphs, wanted.limits, wanted.detail(), |found| {
        if !wanted.includes(found) {
            return Next::Descend;
        }
        if report(Mined::of(found)) { Next::Descend } else { Next::Stop }
    })
}

/// What is mined, and what that may take.
#[derive(Clone, Copy, Debug, Default)]
pub struct MineRequest {
    /// What to report.
    pub wanted: Wanted,
    /// The best patterns only, the best first; all in the order of their codes without it.
    pub top: Option<Top>,
    /// What it may take; of `patterns` nothing is looked at.
    pub limits: TrainingLimits,
}

/// Why a list of patterns is not all of them, and what is not missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incomplete {
    /// The limit that was reached.
    pub limit: ReachedLimit,
    /// Patterns in more graphs than this are not missing.
    pub open_support: usize,
    /// Of the best patterns, those of up to so many edges are not missing.
    pub whole_edges: Option<usize>,
}

/// Patterns, and whether these are all.
#[derive(Clone, Debug, Default)]
pub struct MinedPatterns {
    /// Each with all graphs that contain it.
    pub all: Vec<Mined>,
    /// Why some are missing, if some may be.
    pub incomplete: Option<Incomplete>,
}

/// Numbers of patterns, and whether all are counted.
#[derive(Clone, Debug, Default)]
pub struct CountedPatterns {
    /// The numbers.
    pub counts: PatternCounts,
    /// Why some are not counted, if some may not be.
    pub incomplete: Option<Incomplete>,
}

impl Incomplete {
    fn of(stop: WalkStop, whole_edges: Option<usize>) -> Incomplete {
        Incomplete { limit: stop.limit, open_support: stop.open, whole_edges }
    }
}

/// Keeps every pattern wanted.
struct Lister {
    wanted: Wanted,
    all: Vec<Mined>,
    bytes: usize,
}

impl Miner for Lister {
    fn visit(&mut self, found: &Visit<'_>) -> Next {
        if self.wanted.includes(found) {
            let mined = Mined::of(found);
            self.bytes += mined.bytes();
            self.all.push(mined);
        }
        Next::Descend
    }

    fn min_support(&self) -> usize {
        self.wanted.limits.min_support
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Walks the enumeration tree within limits.
#[must_use]
pub fn mine_within(graphs: &[Graph], request: &MineRequest) -> MinedPatterns {
    let MineRequest { wanted, top, limits } = request;
    if let Some(top) = *top {
        let found = top_patterns(graphs, *wanted, top, limits);
        let whole_edges = (top.by == RankBy::Support).then_some(found.whole_edges);
        let incomplete = found.stop.map(|stop| Incomplete::of(stop, whole_edges));
        return MinedPatterns { all: found.all, incomplete };
    }
    let mut lister = Lister { wanted: *wanted, all: Vec::new(), bytes: 0 };
    let stop = walk(graphs, wanted.limits, wanted.detail(), limits, &mut lister);
    let incomplete = stop.map(|stop| Incomplete::of(stop, None));
    MinedPatterns { all: lister.all, incomplete }
}

impl Mined {
    pub(super) fn of(found: &Visit<'_>) -> Mined {
        Mined {
            code: found.code.clone(),
            graphs: found.embeddings.graphs().to_vec(),
            occurrences: found.occurrences(),
        }
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> usize {
        let of_code = size_of::<DfsEdge>() * self.code.edge_count();
        size_of::<Mined>() + of_code + bytes_in(self.graphs.len())
    }
}

/// What the graphs and the occurrences of a pattern in so many graphs take.
fn bytes_in(graphs: usize) -> usize {
    (size_of::<u32>() + size_of::<u64>()) * graphs
}

/// About what [`from_census`] will take.
#[must_use]
pub fn bytes_of_list(census: &Census, wanted: Wanted) -> usize {
    let is_wanted = |&(p, support): &(usize, u32)| wanted.includes_counted(census, p, support);
    let bytes = |(p, support): (usize, u32)| {
        let of_code = size_of::<DfsEdge>() * census.edges(p as u32);
        size_of::<Mined>() + of_code + bytes_in(support as usize)
    };
    census.supports().into_iter().enumerate().filter(is_wanted).map(bytes).sum()
}

/// The same from a census taken of `graphs` (`closed` is not available here).
#[must_use]
pub fn from_census(graphs: &[Graph], census: &Census, wanted: Wanted) -> Vec<Mined> {
    let supports = census.supports();
    let keep = |p: usize| wanted.includes_counted(census, p, supports[p]);
    let mut slot = vec![usize::MAX; census.len()];
    let mut mined: Vec<Mined> = Vec::new();
    let mut canonizer = Canonizer::new();
    for (p, slot) in slot.iter_mut().enumerate().filter(|(p, _)| keep(*p)) {
        *slot = mined.len();
        let code = census.decode(graphs, p as u32, &mut canonizer).code;
        let support = supports[p] as usize;
        mined.push(Mined {
            code,
            graphs: Vec::with_capacity(support),
            occurrences: Vec::with_capacity(support),
        });
    }
    for g in 0..census.graph_count() {
        for (p, count) in census.row(g) {
            if let Some(m) = mined.get_mut(slot[p as usize]) {
                m.graphs.push(g as u32);
                m.occurrences.push(count.into());
            }
        }
    }
    mined.sort_by(|a, b| a.code.cmp(&b.code));
    mined
}

/// The best of some patterns, the best first.
#[must_use]
pub fn best(top: Top, patterns: Vec<Mined>) -> Vec<Mined> {
    best_of(top, patterns)
}

/// How many patterns there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternCounts {
    /// In all.
    pub patterns: usize,
    /// Distinct sets of graphs among them.
    pub classes: usize,
    /// By number of edges, from 0.
    pub by_edges: Vec<usize>,
}

/// Counts patterns and the distinct sets of graphs that they occur in.
#[derive(Clone, Debug, Default)]
pub struct PatternCounter {
    counts: PatternCounts,
    sets: FxHashSet<Box<[u32]>>,
    /// Bytes held, about.
    bytes: usize,
}

impl PatternCounter {
    /// Counts one pattern of `edges` edges that occurs in `graphs` (ascending).
    pub fn add(&mut self, edges: usize, graphs: &[u32]) {
        self.counts.add(edges);
        if !self.sets.contains(graphs) {
            self.bytes += 2 * size_of::<Box<[u32]>>() + size_of_val(graphs);
            self.sets.insert(graphs.into());
        }
    }

    /// What was counted.
    #[must_use]
    pub fn finish(mut self) -> PatternCounts {
        self.counts.classes = self.sets.len();
        self.counts
    }
}

/// Walks the enumeration tree and counts every pattern wanted, without listing any.
#[must_use]
pub fn count(graphs: &[Graph], wanted: Wanted) -> PatternCounts {
    count_within(graphs, wanted, &TrainingLimits::default()).counts
}

/// The same within limits.
#[must_use]
pub fn count_within(graphs: &[Graph], wanted: Wanted, limits: &TrainingLimits) -> CountedPatterns {
    let detail = if wanted.closed { Detail::Rows } else { Detail::Graphs };
    let mut miner = CountingMiner { wanted, counter: PatternCounter::default() };
    let stop = walk(graphs, wanted.limits, detail, limits, &mut miner);
    let incomplete = stop.map(|stop| Incomplete::of(stop, None));
    CountedPatterns { counts: miner.counter.finish(), incomplete }
}

/// Counts every pattern wanted.
struct CountingMiner {
    wanted: Wanted,
    counter: PatternCounter,
}

impl Miner for CountingMiner {
    fn visit(&mut self, found: &Visit<'_>) -> Next {
        if self.wanted.includes(found) {
            self.counter.add(found.code.edge_count(), found.embeddings.graphs());
        }
        Next::Descend
    }

    fn min_support(&self) -> usize {
        self.wanted.limits.min_support
    }

    fn bytes(&self) -> usize {
        self.counter.bytes
    }
}

impl PatternCounts {
    /// Counts one pattern of `edges` edges.
    pub fn add(&mut self, edges: usize) {
        self.patterns += 1;
        if self.by_edges.len() <= edges {
            self.by_edges.resize(edges + 1, 0);
        }
        self.by_edges[edges] += 1;
    }

    /// Counts the patterns of a census without decoding them.
    #[must_use]
    pub fn of_census(census: &Census, wanted: Wanted) -> PatternCounts {
        let mut counts = PatternCounts::default();
        let min_support = wanted.limits.min_support.max(1);
        for (p, &support) in census.supports().iter().enumerate() {
            let edges = census.edges(p as u32);
            let is_pattern = edges > 0 || wanted.vertices;
            if support as usize >= min_support && is_pattern && edges <= wanted.limits.max_edges() {
                counts.add(edges);
            }
        }
        let which = Columns {
            max_edges: wanted.limits.max_edges(),
            min_support: min_support as u32,
            count_levels: 1,
            vertices: wanted.vertices,
            min_class_graphs: 1,
            max_class_graphs: u32::MAX,
        };
        counts.classes = ClassTable::count(census, &which);
        counts
    }
}
