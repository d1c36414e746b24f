//! The census: which patterns each graph contains, found without mining.
//!
//! Every connected edge set of every graph is met exactly once (`walk`) and named by a 128-bit
//! number that depends only on its pattern (`namer`). The distinct names of a graph are its row
//! (`counts`); how often a name came up is the number of occurrences. There are no embeddings, no
//! canonical codes and no duplicates, and no graph depends on another, so graphs are taken in
//! parallel, while earlier rows are merged in order: pattern numbers do not depend on threads.
//!
//! **Deviation from the paper.** The paper walks the enumeration tree once for each node of each
//! regression tree; the census is taken once and gives the whole space up to `max_edges`.
//!
//! **Certainty.** One occurrence of each pattern is kept. A pattern that enters a model is decoded
//! from it to its smallest DFS code.
//!
//! **Cost.** Proportional to the number of connected edge sets: use it when `max_edges` is
//! moderate (see [`estimate_edge_sets`](crate::mining::estimate_edge_sets)).

mod counts;
pub(crate) mod estimate;
pub(crate) mod hash;
mod namer;
mod refine;
mod ring;
mod rooted_tree_hash;
pub(crate) mod rows;
mod sorter;
mod table;
pub(crate) mod walk;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use self::counts::{CountedName, GraphRow, RowCounter};
use self::hash::Name;
use self::namer::Namer;
use self::rows::{Batch, Stretch};
use self::sorter::Sorter;
use self::table::NameTable;
use self::walk::{ArcKinds, SetStep, SetVisitor, Walker};
use crate::graph::{Edge, Graph, GraphBuilder};
use crate::labels::Label;
use crate::mining::canonical::{Canonical, Canonizer};

/// A pattern's number in a [`Census`].
pub type PatternId = u32;

/// All patterns of some graphs up to a number of edges, and which graph contains which.
#[derive(Debug, Default)]
pub struct Census {
    patterns: Vec<KeptPattern>,
    occurrences: Vec<u8>,
    batches: Vec<Batch>,
    graphs: usize,
    edge_sets: u64,
}

#[derive(Clone, Copy, Debug)]
struct KeptPattern {
    edges: u16,
    graph: u32,
    /// Where its occurrence starts in `occurrences`: edges, or one vertex if it has no edge.
    at: u64,
}

/// Graphs taken between two merges.
const GRAPHS_PER_BATCH: usize = 64;

/// Graphs with their rows, to be merged into a census.
struct CountedGraphs<'g> {
    graphs: &'g [Graph],
    rows: Vec<GraphRow>,
}

/// How far a census has come.
#[derive(Clone, Copy, Debug)]
pub struct CensusProgress {
    /// Edge sets met.
    pub edge_sets: u64,
    /// Patterns: those of graphs that are done, or those of the graph that is being taken.
    pub patterns: usize,
    /// Bytes held, about.
    pub bytes: usize,
}

/// What a name in a row takes until it is merged, about.
const BYTES_PER_NAME: usize = 64;

/// Adds up the progress of all threads.
struct Meter<'a> {
    go_on: &'a (dyn Fn(&CensusProgress) -> bool + Sync),
    stopped: AtomicBool,
    edge_sets: AtomicU64,
    patterns: AtomicUsize,
    bytes: AtomicUsize,
}

impl<'a> Meter<'a> {
    fn new(go_on: &'a (dyn Fn(&CensusProgress) -> bool + Sync)) -> Self {
        Meter {
            go_on,
            stopped: AtomicBool::new(false),
            edge_sets: AtomicU64::new(0),
            patterns: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
        }
    }

    /// Whether to go on after `sets` more edge sets, in a graph with `names` so far.
    fn check(&self, sets: u64, names: usize) -> bool {
        let edge_sets = sets + self.edge_sets.fetch_add(sets, Ordering::Relaxed);
        let patterns = self.patterns.load(Ordering::Relaxed).max(names);
        let bytes = self.bytes.load(Ordering::Relaxed) + BYTES_PER_NAME * names;
        let stopped = self.stopped.load(Ordering::Relaxed)
            || !(self.go_on)(&CensusProgress { edge_sets, patterns, bytes });
        if stopped {
            self.stopped.store(true, Ordering::Relaxed);
        }
        !stopped
    }
}

impl Census {
    /// Takes the census of all patterns of at most `max_edges` edges, single vertices included.
    #[must_use]
    pub fn take(graphs: &[Graph], max_edges: usize) -> Census {
        Census::take_while(graphs, max_edges, &|_| true).unwrap_or_default()
    }

    /// The same as long as `go_on` says so, which is called again and again, from all threads;
    /// `None` if it said no.
    #[must_use]
    pub fn take_while(
        graphs: &[Graph],
        max_edges: usize,
        go_on: &(dyn Fn(&CensusProgress) -> bool + Sync),
    ) -> Option<Census> {
        let meter = Meter::new(go_on);
        // Buffers are warm and large: each thread keeps its own.
        let counters: Vec<Mutex<RowCounter>> =
            (0..rayon::current_num_threads()).map(|_| Mutex::default()).collect();
        let row = |graph: &Graph| {
            let thread = rayon::current_thread_index().unwrap_or(0);
            let mut counter = counters[thread].lock().unwrap_or_else(PoisonError::into_inner);
            counter.row(graph, max_edges, &|sets, names| meter.check(sets, names))
        };
        let rows = |graphs: &[Graph]| graphs.par_iter().with_max_len(1).map(row).collect();
        let mut census = Census::default();
        let mut names = NameTable::default();
        let mut sorter = Sorter::default();
        let mut waiting = CountedGraphs { graphs: &[], rows: Vec::new() };
        for batch in graphs.chunks(GRAPHS_PER_BATCH) {
            if meter.stopped.load(Ordering::Relaxed) {
                return None;
            }
            meter.patterns.store(names.len(), Ordering::Relaxed);
            meter.bytes.store(census.bytes() + names.bytes(), Ordering::Relaxed);
            let merge = || census.merge(&waiting, &mut names, &mut sorter);
            let ((), rows) = rayon::join(merge, || rows(batch));
            waiting = CountedGraphs { graphs: batch, rows };
        }
        if meter.stopped.load(Ordering::Relaxed) {
            return None;
        }
        census.merge(&waiting, &mut names, &mut sorter);
        census.occurrences.shrink_to_fit();
        Some(census)
    }

    /// Bytes held, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let rows = self.batches.iter().map(Batch::bytes).sum::<usize>();
        rows + self.occurrences.capacity() + self.patterns.capacity() * size_of::<KeptPattern>()
    }

    fn merge(&mut self, counted: &CountedGraphs<'_>, names: &mut NameTable, sorter: &mut Sorter) {
        let CountedGraphs { graphs, rows } = counted;
        let entries = rows.iter().map(|row| row.found.len()).sum();
        let mut batch = Batch::with_capacity(rows.len(), entries);
        for (graph, row) in graphs.iter().zip(rows) {
            self.edge_sets += row.edge_sets;
            sorter.pairs.clear();
            let mut found = row.found.iter();
            names.enter_all(&row.names, |id, new| {
                let Some(found) = found.next() else { return };
                if new {
                    self.keep(graph, row, found);
                }
                sorter.pairs.push((id, found.count));
            });
            sorter.sort(names.len());
            batch.push(&sorter.pairs);
            self.graphs += 1;
        }
        if !rows.is_empty() {
            batch.shrink();
            self.batches.push(batch);
        }
    }

    /// Keeps a new pattern's occurrence, in as few bytes an edge as the graph allows.
    fn keep(&mut self, graph: &Graph, row: &GraphRow, found: &CountedName) {
        let at = self.occurrences.len() as u64;
        let width = bytes_per_edge(graph);
        let (edges, vertex) = row.occurrence(found);
        let mut count = 0;
        for edge in edges {
            self.occurrences.extend_from_slice(&edge.to_le_bytes()[..width]);
            count += 1;
        }
        if let Some(vertex) = vertex {
            self.occurrences.extend_from_slice(&vertex.to_le_bytes()[..width]);
        }
        self.patterns.push(KeptPattern { edges: count, graph: self.graphs as u32, at });
    }

    /// The number of patterns, single vertices included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether there is no pattern at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The number of graphs.
    #[must_use]
    pub fn graph_count(&self) -> usize {
        self.graphs
    }

    /// How many connected edge sets were entered.
    #[must_use]
    pub fn edge_sets(&self) -> u64 {
        self.edge_sets
    }

    /// The number of edges of a pattern.
    #[must_use]
    pub fn edges(&self, pattern: PatternId) -> usize {
        self.patterns[pattern as usize].edges.into()
    }

    /// The patterns of `graph`, ascending, and how often each occurs there.
    pub fn row(&self, graph: usize) -> impl Iterator<Item = (PatternId, u32)> + '_ {
        self.stretches(graph).flat_map(Stretch::entries)
    }

    /// The row of `graph` in parts, ascending.
    pub(crate) fn stretches(&self, graph: usize) -> impl Iterator<Item = Stretch<'_>> {
        self.batches[graph / GRAPHS_PER_BATCH].row(graph % GRAPHS_PER_BATCH)
    }

    /// How often `pattern` occurs in `graph`.
    #[must_use]
    pub fn count(&self, graph: usize, pattern: PatternId) -> u32 {
        self.stretches(graph).map(|stretch| stretch.count(pattern)).sum()
    }

    /// The number of graphs that contain each pattern.
    #[must_use]
    pub fn supports(&self) -> Vec<u32> {
        let mut supports = vec![0; self.len()];
        for stretch in (0..self.graphs).flat_map(|graph| self.stretches(graph)) {
            stretch.patterns().for_each(|id| supports[id as usize] += 1);
        }
        supports
    }

    /// The smallest DFS code of a pattern, decoded from its kept occurrence. `graphs` are those
    /// that the census was taken of.
    pub fn decode(
        &self,
        graphs: &[Graph],
        pattern: PatternId,
        canonizer: &mut Canonizer,
    ) -> Canonical {
        let counted = self.patterns[pattern as usize];
        let graph = &graphs[counted.graph as usize];
        let width = bytes_per_edge(graph);
        let size = usize::from(counted.edges.max(1));
        let bytes = &self.occurrences[counted.at as usize..][..size * width];
        let mut numbers = bytes.chunks_exact(width).map(|bytes| {
            bytes.iter().rev().fold(0u32, |number, &byte| number << 8 | u32::from(byte))
        });
        if counted.edges == 0 {
            let mut builder = GraphBuilder::new();
            builder.add_vertex(graph.label(numbers.next().unwrap_or(0)));
            return canonizer.canonical(&builder.build());
        }
        canonizer.canonical(&part(graph, numbers.map(|edge| graph.edges()[edge as usize])))
    }
}

/// Some edges of a graph as a graph.
pub(super) fn part(graph: &Graph, edges: impl Iterator<Item = Edge>) -> Graph {
    let mut builder = GraphBuilder::new();
    let mut local: Vec<u32> = Vec::new();
    for e in edges {
        let [u, v] = [e.u, e.v].map(|v| {
            let known = local.iter().position(|&w| w == v);
            known.map_or_else(
                || {
                    local.push(v);
                    builder.add_vertex(graph.label(v))
                },
                |at| at as u32,
            )
        });
        // The edges of a simple graph are distinct and join distinct vertices.
        let added = builder.add_edge(u, v, e.label);
        debug_assert!(added.is_ok());
    }
    builder.build()
}

/// The bytes that hold the number of any edge or vertex of `graph`.
fn bytes_per_edge(graph: &Graph) -> usize {
    match graph.edge_count().max(graph.vertex_count()) {
        0..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 4,
    }
}

/// The 128-bit name of a whole connected graph of at least one edge: the census's notion of "the
/// same pattern". For tests of its completeness.
#[must_use]
pub fn pattern_name(graph: &Graph) -> Option<u128> {
    /// Keeps the name of the set of all edges.
    struct WholeSetNamer {
        namer: Namer,
        whole: usize,
        name: Option<Name>,
    }
    impl SetVisitor for WholeSetNamer {
        fn load(&mut self, graph: &Graph, kinds: &ArcKinds) {
            self.namer.load(graph, kinds);
        }
        fn start(&mut self, label: Label) {
            self.namer.start(label);
        }
        fn enter(&mut self, step: SetStep) -> bool {
            let name = self.namer.enter(step);
            self.name = (self.namer.size() == self.whole).then_some(name);
            self.name.is_none()
        }
        fn tip(&mut self, step: SetStep, _times: u32) -> bool {
            let name = self.namer.tip(step);
            self.name = (self.namer.size() + 1 == self.whole).then_some(name);
            self.name.is_none()
        }
        fn leave(&mut self) {
            self.namer.leave();
        }
    }
    let mut last = WholeSetNamer { namer: Namer::default(), whole: graph.edge_count(), name: None };
    Walker::default().walk(graph, graph.edge_count(), &mut last);
    last.name.map(|n| u128::from(n.0) << 64 | u128::from(n.1))
}
