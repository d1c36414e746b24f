//! One graph's row: its distinct names, and how often each came up.
//!
//! For each name one occurrence is remembered, as the last edge and a place on the *trail*: a
//! forest of entered sets, each the edge that it added to its parent. Sets get on the trail only
//! when a name is first met at them or above, so the trail is no longer than the row.
//!
//! **Cost.** One probe of an open-addressing table a set; the table of a graph fits in cache.

use crate::graph::Graph;
use crate::labels::{Label, UNSEEN};
use crate::mining::census::hash::{Name, vertex_name};
use crate::mining::census::namer::Namer;
use crate::mining::census::table::NameTable;
use crate::mining::census::walk::{ArcKinds, SetStep, SetVisitor, Walker};

/// One graph's row while it is on its way into the census.
#[derive(Debug, Default)]
pub(super) struct GraphRow {
    pub(super) names: Vec<Name>,
    pub(super) found: Vec<CountedName>,
    pub(super) edge_sets: u64,
    trail: Vec<TrailStep>,
}

/// What is known of a name in a graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct CountedName {
    pub(super) count: u32,
    last: TrailStep,
}

/// The set `parent` of the trail with one edge more (without a parent: a vertex).
#[derive(Clone, Copy, Debug)]
struct TrailStep {
    parent: u32,
    edge: u32,
}

/// Not on the trail (yet).
const OFF: u32 = u32::MAX;
/// The empty set.
const START: u32 = u32::MAX - 1;

impl GraphRow {
    /// The edges of one occurrence of a name found, last edge first. A single vertex has no edges
    /// but a number.
    pub(super) fn occurrence(
        &self,
        found: &CountedName,
    ) -> (impl Iterator<Item = u32> + '_, Option<u32>) {
        let vertex = (found.last.parent == OFF).then_some(found.last.edge);
        let mut at = vertex.is_none().then_some(found.last);
        let edges = std::iter::from_fn(move || {
            let step = at?;
            at = self.trail.get(step.parent as usize).copied();
            Some(step.edge)
        });
        (edges, vertex)
    }
}

/// Counts one graph's row; keeps its buffers from graph to graph.
#[derive(Default)]
pub(super) struct RowCounter {
    walker: Walker,
    counts: NameCounts,
}

/// Work between two calls of `go_on`: a set counts by the square of its size, about what its name
/// may take.
const WORK_PER_CHECK: u64 = 1 << 21;

impl RowCounter {
    /// The row of a graph. `go_on` gets the edge sets met since it was last called, and the names
    /// of this graph so far; if it says no, the row is not whole.
    pub(super) fn row(
        &mut self,
        graph: &Graph,
        max_edges: usize,
        go_on: &dyn Fn(u64, usize) -> bool,
    ) -> GraphRow {
        for (v, &label) in graph.labels().iter().enumerate() {
            if label != UNSEEN {
                let vertex = TrailStep { parent: OFF, edge: v as u32 };
                self.counts.count(vertex_name(label), 1, |_| vertex);
            }
        }
        let mut reported = 0;
        self.counts.next_check = self.counts.work + WORK_PER_CHECK;
        let mut watched =
            WatchedCounts { counts: &mut self.counts, go_on, reported: &mut reported };
        self.walker.walk(graph, max_edges, &mut watched);
        go_on(self.counts.row.edge_sets - reported, self.counts.row.found.len());
        self.counts.finish()
    }
}

/// Counts that ask now and then whether to go on.
struct WatchedCounts<'a> {
    counts: &'a mut NameCounts,
    go_on: &'a dyn Fn(u64, usize) -> bool,
    /// The edge sets of the graph that were reported.
    reported: &'a mut u64,
}

impl WatchedCounts<'_> {
    #[cold]
    fn check(&mut self) -> bool {
        let sets = self.counts.row.edge_sets;
        let new = sets - *self.reported;
        *self.reported = sets;
        self.counts.next_check = self.counts.work + WORK_PER_CHECK;
        (self.go_on)(new, self.counts.row.found.len())
    }
}

#[derive(Default)]
struct NameCounts {
    namer: Namer,
    table: NameTable,
    row: GraphRow,
    /// For the set of each size on the way to the current one, its place on the trail.
    trail_places: Vec<u32>,
    /// The work so far.
    work: u64,
    /// The work of one more set.
    work_per_set: u64,
    /// The work after which `go_on` is called.
    next_check: u64,
}

impl NameCounts {
    /// The row, in no more memory than it needs; the buffers stay for the next graph.
    fn finish(&mut self) -> GraphRow {
        let row = GraphRow {
            names: self.table.names().to_vec(),
            found: self.row.found.to_vec(),
            edge_sets: self.row.edge_sets,
            trail: self.row.trail.to_vec(),
        };
        self.table.clear();
        self.row.found.clear();
        self.row.trail.clear();
        self.row.edge_sets = 0;
        row
    }

    /// Counts a name; `occurrence` is called if it is new.
    #[inline(always)]
    fn count(&mut self, name: Name, times: u32, occurrence: impl Fn(&mut Self) -> TrailStep) {
        let (at, new) = self.table.enter(name);
        if new {
            let last = occurrence(self);
            self.row.found.push(CountedName { count: times, last });
        } else {
            let count = &mut self.row.found[at as usize].count;
            *count = count.saturating_add(times);
        }
    }

    /// The current set of `size` edges with `edge`; the current set gets on the trail.
    fn occurrence(&mut self, size: usize, edge: u32) -> TrailStep {
        let mut on = size;
        while self.trail_places[on] == OFF {
            on -= 1;
        }
        for next in on..size {
            let step = TrailStep { parent: self.trail_places[next], edge: self.namer.edge(next) };
            self.trail_places[next + 1] = self.row.trail.len() as u32;
            self.row.trail.push(step);
        }
        TrailStep { parent: self.trail_places[size], edge }
    }
}

impl SetVisitor for WatchedCounts<'_> {
    fn load(&mut self, graph: &Graph, kinds: &ArcKinds) {
        self.counts.namer.load(graph, kinds);
    }

    fn start(&mut self, label: Label) {
        let counts = &mut *self.counts;
        counts.namer.start(label);
        counts.trail_places.clear();
        counts.trail_places.push(START);
    }

    #[inline]
    fn enter(&mut self, step: SetStep) -> bool {
        let counts = &mut *self.counts;
        counts.row.edge_sets += 1;
        let name = counts.namer.enter(step);
        counts.trail_places.push(OFF);
        let before = counts.trail_places.len() - 2;
        counts.count(name, 1, |counts| counts.occurrence(before, step.edge));
        counts.work_per_set = (before * before) as u64;
        counts.work += counts.work_per_set;
        counts.work < counts.next_check || self.check()
    }

    #[inline]
    fn tip(&mut self, step: SetStep, times: u32) -> bool {
        let counts = &mut *self.counts;
        counts.row.edge_sets += u64::from(times);
        let name = counts.namer.tip(step);
        let size = counts.trail_places.len() - 1;
        counts.count(name, times, |counts| counts.occurrence(size, step.edge));
        counts.work += counts.work_per_set;
        counts.work < counts.next_check || self.check()
    }

    #[inline]
    fn leave(&mut self) {
        self.counts.trail_places.pop();
        self.counts.namer.leave();
    }
}
