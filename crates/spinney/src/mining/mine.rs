//! All patterns within limits, by either exploration, in one order.
//!
//! The enumeration tree yields patterns in the order of their codes; a census is decoded and sorted
//! to the same order. So what [`mine`] reports does not depend on the engine.

use rustc_hash::FxHashSet;

use crate::graph::Graph;
use crate::mining::canonical::Canonizer;
use crate::mining::census::Census;
use crate::mining::classes::{ClassTable, Columns};
use crate::mining::dfs_code::DfsCode;
use crate::mining::grow::Detail;
use crate::mining::visit::{Next, PatternLimits, Visit, visit_with};

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
    fn includes(&self, found: &Visit<'_>) -> bool {
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
    let detail = if wanted.closed { Detail::Rows } else { Detail::Counts };
    visit_with(graphs, wanted.limits, detail, |found| {
        if !wanted.includes(found) {
            return Next::Descend;
        }
        let mined = Mined {
            code: found.code.clone(),
            graphs: found.embeddings.graphs().to_vec(),
            occurrences: found.occurrences(),
        };
        if report(mined) { Next::Descend } else { Next::Stop }
    })
}

/// The same from a census taken of `graphs` (`closed` is not available here).
#[must_use]
pub fn from_census(graphs: &[Graph], census: &Census, wanted: Wanted) -> Vec<Mined> {
    let supports = census.supports();
    let min_support = wanted.limits.min_support.max(1);
    let keep = |p: usize| {
        let edges = census.edges(p as u32);
        supports[p] as usize >= min_support
            && edges <= wanted.limits.max_edges()
            && (edges > 0 || wanted.vertices)
    };
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
}

impl PatternCounter {
    /// Counts one pattern of `edges` edges that occurs in `graphs` (ascending).
    pub fn add(&mut self, edges: usize, graphs: &[u32]) {
        self.counts.add(edges);
        if !self.sets.contains(graphs) {
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
    let detail = if wanted.closed { Detail::Rows } else { Detail::Graphs };
    let mut counter = PatternCounter::default();
    visit_with(graphs, wanted.limits, detail, |found| {
        if wanted.includes(found) {
            counter.add(found.code.edge_count(), found.embeddings.graphs());
        }
        Next::Descend
    });
    counter.finish()
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
