//! The census: which patterns each graph contains, found without mining.
//!
//! Every connected edge set of every graph is entered exactly once (`walk`) and named by a
//! 128-bit number that depends only on its pattern (`hash`). The distinct names of a graph are
//! its row; how often a name came up is the number of occurrences. There are no embeddings, no
//! canonical codes and no duplicates, and no graph depends on another, so graphs are taken in
//! parallel and the rows are merged in order: pattern numbers do not depend on threads.
//!
//! **Deviation from the paper.** The paper walks the enumeration tree once for each node of each
//! regression tree; the census is taken once and gives the whole space up to `max_edges`.
//!
//! **Certainty.** One occurrence of each pattern is kept. A pattern that enters a model is decoded
//! from it to its smallest DFS code.
//!
//! **Cost.** Proportional to the number of connected edge sets: use it when `max_edges` is
//! moderate (see [`estimate_edge_sets`](super::estimate_edge_sets)).

pub(crate) mod estimate;
pub(crate) mod hash;
pub(crate) mod walk;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use rayon::prelude::{IntoParallelRefIterator, ParallelIterator};

use self::hash::{Name, Namer, vertex_name};
use self::walk::{Follow, Step, Walker};
use super::canonical::{Canonical, Canonizer};
use crate::graph::{Graph, GraphBuilder};
use crate::labels::UNSEEN;

/// A pattern's number in a [`Census`].
pub type PatternId = u32;

/// All patterns of some graphs up to a number of edges, and which graph contains which.
#[derive(Debug, Default)]
pub struct Census {
    patterns: Vec<Counted>,
    occurrences: Vec<u32>,
    row_ends: Vec<usize>,
    row_patterns: Vec<PatternId>,
    row_counts: Vec<u32>,
    edge_sets: u64,
}

#[derive(Clone, Copy, Debug)]
struct Counted {
    edges: u16,
    graph: u32,
    /// Where its occurrence starts in `occurrences`: edges, or one vertex if it has no edge.
    at: u64,
}

/// One graph's row while it is on its way into the census.
struct Row {
    found: Vec<Found>,
    occurrences: Vec<u32>,
    edge_sets: u64,
}

struct Found {
    name: Name,
    edges: u16,
    count: u32,
    at: u32,
}

/// Names are random already: their first lane is the hash.
#[derive(Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {}
    fn write_u64(&mut self, x: u64) {
        self.0 ^= x.rotate_left(7);
    }
}

/// Graphs taken between two merges.
const BATCH: usize = 256;

impl Census {
    /// Takes the census of all patterns of at most `max_edges` edges, single vertices included.
    #[must_use]
    pub fn take(graphs: &[Graph], max_edges: usize) -> Census {
        let mut census = Census::default();
        let mut ids: HashMap<Name, PatternId, BuildHasherDefault<Identity>> = HashMap::default();
        for (batch, graphs) in graphs.chunks(BATCH).enumerate() {
            let rows: Vec<Row> =
                graphs.par_iter().map_init(Taker::default, |t, g| t.row(g, max_edges)).collect();
            for (i, row) in rows.iter().enumerate() {
                census.merge((batch * BATCH + i) as u32, row, &mut ids);
            }
        }
        census.row_patterns.shrink_to_fit();
        census.row_counts.shrink_to_fit();
        census
    }

    fn merge(
        &mut self,
        graph: u32,
        row: &Row,
        ids: &mut HashMap<Name, PatternId, BuildHasherDefault<Identity>>,
    ) {
        self.edge_sets += row.edge_sets;
        let start = self.row_patterns.len();
        for f in &row.found {
            let next = self.patterns.len() as PatternId;
            let id = *ids.entry(f.name).or_insert(next);
            if id == next {
                let size = usize::from(f.edges).max(1);
                let at = f.at as usize;
                self.patterns.push(Counted {
                    edges: f.edges,
                    graph,
                    at: self.occurrences.len() as u64,
                });
                self.occurrences.extend_from_slice(&row.occurrences[at..at + size]);
            }
            self.row_patterns.push(id);
            self.row_counts.push(f.count);
        }
        let mut pairs: Vec<(PatternId, u32)> = self.row_patterns[start..]
            .iter()
            .copied()
            .zip(self.row_counts[start..].iter().copied())
            .collect();
        pairs.sort_unstable();
        for (i, (id, count)) in pairs.into_iter().enumerate() {
            self.row_patterns[start + i] = id;
            self.row_counts[start + i] = count;
        }
        self.row_ends.push(self.row_patterns.len());
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
        self.row_ends.len()
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
    #[must_use]
    pub fn row(&self, graph: usize) -> (&[PatternId], &[u32]) {
        let start = if graph == 0 { 0 } else { self.row_ends[graph - 1] };
        let range = start..self.row_ends[graph];
        (&self.row_patterns[range.clone()], &self.row_counts[range])
    }

    /// How often `pattern` occurs in `graph`.
    #[must_use]
    pub fn count(&self, graph: usize, pattern: PatternId) -> u32 {
        let (patterns, counts) = self.row(graph);
        patterns.binary_search(&pattern).map_or(0, |at| counts[at])
    }

    /// The number of graphs that contain each pattern.
    #[must_use]
    pub fn supports(&self) -> Vec<u32> {
        let mut supports = vec![0; self.len()];
        for &id in &self.row_patterns {
            supports[id as usize] += 1;
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
        let at = counted.at as usize;
        let mut builder = GraphBuilder::new();
        if counted.edges == 0 {
            builder.add_vertex(graph.label(self.occurrences[at]));
            return canonizer.canonical(&builder.build());
        }
        let mut local: Vec<u32> = Vec::new();
        for &edge in &self.occurrences[at..at + usize::from(counted.edges)] {
            let e = graph.edges()[edge as usize];
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
        canonizer.canonical(&builder.build())
    }
}

/// Takes one graph's row; keeps its buffers from graph to graph.
#[derive(Default)]
struct Taker {
    walker: Walker,
    tally: Tally,
}

impl Taker {
    fn row(&mut self, graph: &Graph, max_edges: usize) -> Row {
        self.tally.load(graph);
        self.walker.walk(graph, max_edges, &mut self.tally);
        self.tally.finish()
    }
}

/// Counts names in a small open-addressing table.
#[derive(Default)]
struct Tally {
    namer: Namer,
    edges: Vec<u32>,
    /// Index into `found` plus one; 0 is empty. A power of two long.
    slots: Vec<u32>,
    found: Vec<Found>,
    occurrences: Vec<u32>,
    edge_sets: u64,
}

impl Tally {
    fn load(&mut self, graph: &Graph) {
        self.namer.load(graph);
        self.edges.clear();
        self.found.clear();
        self.occurrences.clear();
        self.edge_sets = 0;
        if self.slots.is_empty() {
            self.slots.resize(1 << 10, 0);
        }
        self.slots.fill(0);
        for (v, &label) in graph.labels().iter().enumerate() {
            if label != UNSEEN {
                self.count(vertex_name(label), 0, &[v as u32]);
            }
        }
    }

    fn finish(&mut self) -> Row {
        Row {
            found: std::mem::take(&mut self.found),
            occurrences: std::mem::take(&mut self.occurrences),
            edge_sets: self.edge_sets,
        }
    }

    fn count(&mut self, name: Name, edges: u16, occurrence: &[u32]) {
        let mask = self.slots.len() - 1;
        let mut at = name.0 as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                break;
            }
            let found = &mut self.found[slot as usize - 1];
            if found.name == name {
                found.count = found.count.saturating_add(1);
                return;
            }
            at = (at + 1) & mask;
        }
        self.found.push(Found { name, edges, count: 1, at: self.occurrences.len() as u32 });
        self.occurrences.extend_from_slice(occurrence);
        self.slots[at] = self.found.len() as u32;
        if 2 * self.found.len() > self.slots.len() {
            self.enlarge();
        }
    }

    fn enlarge(&mut self) {
        let size = 4 * self.slots.len();
        self.slots.clear();
        self.slots.resize(size, 0);
        for (i, f) in self.found.iter().enumerate() {
            let mut at = f.name.0 as usize & (size - 1);
            while self.slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = i as u32 + 1;
        }
    }
}

impl Follow for Tally {
    fn start(&mut self, vertex: u32) {
        self.namer.start(vertex);
    }

    fn enter(&mut self, step: Step, vertex: u32) -> bool {
        self.namer.enter(step, vertex);
        self.edges.push(step.edge);
        self.edge_sets += 1;
        let name = self.namer.name();
        let edges = std::mem::take(&mut self.edges);
        self.count(name, edges.len() as u16, &edges);
        self.edges = edges;
        true
    }

    fn leave(&mut self, step: Step) {
        self.edges.pop();
        self.namer.leave(step);
    }
}

/// The 128-bit name of a whole connected graph of at least one edge: the census's notion of "the
/// same pattern". For tests of its completeness.
#[must_use]
pub fn pattern_name(graph: &Graph) -> Option<u128> {
    struct Last<'a> {
        namer: &'a mut Namer,
        size: usize,
        whole: usize,
        name: Option<Name>,
    }
    impl Follow for Last<'_> {
        fn start(&mut self, vertex: u32) {
            self.namer.start(vertex);
        }
        fn enter(&mut self, step: Step, vertex: u32) -> bool {
            self.size += 1;
            self.namer.enter(step, vertex);
            if self.size == self.whole {
                self.name = Some(self.namer.name());
            }
            self.name.is_none()
        }
        fn leave(&mut self, step: Step) {
            self.size -= 1;
            self.namer.leave(step);
        }
    }
    let mut namer = Namer::default();
    namer.load(graph);
    let mut last = Last { namer: &mut namer, size: 0, whole: graph.edge_count(), name: None };
    Walker::default().walk(graph, graph.edge_count(), &mut last);
    last.name.map(|n| u128::from(n.0) << 64 | u128::from(n.1))
}
