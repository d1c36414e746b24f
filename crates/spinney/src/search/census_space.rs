//! The space of a census: every class is known from the start.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use rustc_hash::FxHashMap;

use crate::graph::Graph;
use crate::mining::classes::{ClassId, ClassTable, Column};
use crate::mining::{Canonizer, Census, DfsCode};
use crate::search::blocks::Blocks;
use crate::search::class_sample::View;
use crate::search::simplest::{Simplest, SimplestColumns, simplest_of};
use crate::search::space::{NumberedPattern, PatternSpace};

/// All classes at once, from a census.
#[derive(Debug)]
pub(crate) struct CensusSpace<'a> {
    census: &'a Census,
    graphs: &'a [Graph],
    table: ClassTable,
    blocks: Option<Blocks>,
    simplest: SimplestColumns,
}

impl<'a> CensusSpace<'a> {
    /// The space of `census`, taken of `graphs`, whose training graphs have the classes of `table`.
    #[must_use]
    pub(crate) fn new(census: &'a Census, graphs: &'a [Graph], table: ClassTable) -> Self {
        CensusSpace { census, graphs, table, blocks: None, simplest: SimplestColumns::default() }
    }

    /// Prepares for searches over all classes.
    #[must_use]
    pub(crate) fn whole(mut self) -> Self {
        self.blocks = Some(Blocks::new(&self.table));
        self
    }
}

impl PatternSpace for CensusSpace<'_> {
    fn classes(&self) -> &ClassTable {
        &self.table
    }

    fn view(&self) -> Option<View<'_>> {
        self.blocks.as_ref().map(View::Blocks)
    }

    fn simplest(&self, class: ClassId) -> Arc<Simplest> {
        self.simplest.get(class, || {
            let mut canonizer = Canonizer::new();
            let code = |p| self.census.decode(self.graphs, p, &mut canonizer).code;
            simplest_of(self.table.simplest(class), code)
        })
    }

    fn has(&self, graph: u32, column: Column) -> bool {
        self.census.count(graph as usize, column.pattern) >= column.at_least
    }

    fn graphs_with(&self, patterns: &[u32]) -> Vec<Vec<u32>> {
        let wanted = WantedPatterns::new(self.census, patterns);
        let end = self.census.graph_count();
        let size = end.div_ceil(rayon::current_num_threads()).max(1);
        let starts: Vec<usize> = (0..end).step_by(size).collect();
        let parts: Vec<Vec<Vec<u32>>> = starts
            .into_par_iter()
            .map(|start| wanted.graphs(start..end.min(start + size)))
            .collect();
        let mut parts = parts.into_iter();
        let mut graphs = parts.next().unwrap_or_else(|| vec![Vec::new(); patterns.len()]);
        for part in parts {
            graphs.iter_mut().zip(part).for_each(|(graphs, part)| graphs.extend(part));
        }
        graphs
    }

    fn numbers(&mut self, patterns: &[NumberedPattern]) -> Option<Vec<u32>> {
        let mut canonizer = Canonizer::new();
        let mut code = |number| self.census.decode(self.graphs, number, &mut canonizer).code;
        let count = self.census.len() as u32;
        if patterns.iter().all(|p| p.number < count && code(p.number) == p.code) {
            return Some(patterns.iter().map(|p| p.number).collect());
        }
        // Numbers of the other engine: look at all patterns once.
        let mut found: FxHashMap<&DfsCode, u32> =
            patterns.iter().map(|p| (&p.code, u32::MAX)).collect();
        for number in 0..count {
            if let Some(slot) = found.get_mut(&code(number)) {
                *slot = number;
            }
        }
        let number = |p: &NumberedPattern| found.get(&p.code).copied().filter(|n| *n < count);
        patterns.iter().map(number).collect()
    }

    fn patterns(&self) -> usize {
        self.census.len()
    }

    fn edges(&self, pattern: u32) -> usize {
        self.census.edges(pattern)
    }
}

/// Patterns that are looked for in the rows of a census.
struct WantedPatterns<'a> {
    census: &'a Census,
    /// A bit for each pattern: they stay in cache, and few patterns are asked for.
    bits: Vec<u64>,
    slots: FxHashMap<u32, usize>,
    count: usize,
}

impl<'a> WantedPatterns<'a> {
    fn new(census: &'a Census, patterns: &[u32]) -> Self {
        let mut bits = vec![0u64; census.len() / 64 + 1];
        patterns.iter().for_each(|&p| bits[p as usize / 64] |= 1 << (p % 64));
        let slots = patterns.iter().enumerate().map(|(i, &p)| (p, i)).collect();
        WantedPatterns { census, bits, slots, count: patterns.len() }
    }

    /// For each pattern, those of a range of graphs that contain it.
    fn graphs(&self, range: Range<usize>) -> Vec<Vec<u32>> {
        let mut graphs = vec![Vec::new(); self.count];
        for graph in range {
            for stretch in self.census.stretches(graph) {
                let is_wanted = |p: &u32| self.bits[*p as usize / 64] >> (p % 64) & 1 == 1;
                for pattern in stretch.patterns().filter(is_wanted) {
                    graphs[self.slots[&pattern]].push(graph as u32);
                }
            }
        }
        graphs
    }
}
