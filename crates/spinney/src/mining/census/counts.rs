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
use crate::mining::census::walk::{Follow, Kinds, Step, Walker};

/// One graph's row while it is on its way into the census.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) names: Vec<Name>,
    pub(super) found: Vec<Found>,
    pub(super) edge_sets: u64,
    trail: Vec<Trail>,
}

/// What is known of a name in a graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) count: u32,
    last: Trail,
}

/// The set `parent` of the trail with one edge more (without a parent: a vertex).
#[derive(Clone, Copy, Debug)]
struct Trail {
    parent: u32,
    edge: u32,
}

/// Not on the trail (yet).
const OFF: u32 = u32::MAX;
/// The empty set.
const START: u32 = u32::MAX - 1;

impl Row {
    /// The edges of one occurrence of a name found, last edge first. A single vertex has no edges
    /// but a number.
    pub(super) fn occurrence(
        &self,
        found: &Found,
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

/// Takes one graph's row; keeps its buffers from graph to graph.
#[derive(Default)]
pub(super) struct Taker {
    walker: Walker,
    tally: Tally,
}

/// Work between two questions whether to go on: a set counts by the square of its size, about what its
/// name may take.
const LOOK: u64 = 1 << 21;

impl Taker {
    /// The row of a graph. `go_on` gets the edge sets met since it was last asked, and the names of this
    /// graph so far; if it says no, the row is not whole.
    pub(super) fn row(
        &mut self,
        graph: &Graph,
        max_edges: usize,
        go_on: &dyn Fn(u64, usize) -> bool,
    ) -> Row {
        for (v, &label) in graph.labels().iter().enumerate() {
            if label != UNSEEN {
                let vertex = Trail { parent: OFF, edge: v as u32 };
                self.tally.count(vertex_name(label), 1, |_| vertex);
            }
        }
        let (walker, mut asked) = (&mut self.walker, 0);
        self.tally.next_look = self.tally.work + LOOK;
        let mut watched = Watched { tally: &mut self.tally, go_on, asked: &mut asked };
        walker.walk(graph, max_edges, &mut watched);
        go_on(self.tally.row.edge_sets - asked, self.tally.row.found.len());
        self.tally.finish()
    }
}

/// A tally that asks now and then whether to go on.
struct Watched<'a> {
    tally: &'a mut Tally,
    go_on: &'a dyn Fn(u64, usize) -> bool,
    /// The edge sets of the graph that were told.
    asked: &'a mut u64,
}

impl Watched<'_> {
    #[cold]
    fn look(&mut self) -> bool {
        let sets = self.tally.row.edge_sets;
        let new = sets - *self.asked;
        *self.asked = sets;
        self.tally.next_look = self.tally.work + LOOK;
        (self.go_on)(new, self.tally.row.found.len())
    }
}

#[derive(Default)]
struct Tally {
    namer: Namer,
    table: NameTable,
    row: Row,
    /// For the set of each size on the way to the current one, its place on the trail.
    places: Vec<u32>,
    /// The work so far, that of one more set, and when to ask whether to go on.
    work: u64,
    step: u64,
    next_look: u64,
}

impl Tally {
    /// The row, in no more memory than it needs; the buffers stay for the next graph.
    fn finish(&mut self) -> Row {
        let row = Row {
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

    /// Counts a name; `occurrence` is asked if it is new.
    #[inline(always)]
    fn count(&mut self, name: Name, times: u32, occurrence: impl Fn(&mut Self) -> Trail) {
        let (at, new) = self.table.enter(name);
        if new {
            let last = occurrence(self);
            self.row.found.push(Found { count: times, last });
        } else {
            let count = &mut self.row.found[at as usize].count;
            *count = count.saturating_add(times);
        }
    }

    /// The current set of `size` edges with `edge`; the current set gets on the trail.
    fn occurrence(&mut self, size: usize, edge: u32) -> Trail {
        let mut on = size;
        while self.places[on] == OFF {
            on -= 1;
        }
        for next in on..size {
            let step = Trail { parent: self.places[next], edge: self.namer.edge(next) };
            self.places[next + 1] = self.row.trail.len() as u32;
            self.row.trail.push(step);
        }
        Trail { parent: self.places[size], edge }
    }
}

impl Follow for Watched<'_> {
    fn load(&mut self, graph: &Graph, kinds: &Kinds) {
        self.tally.namer.load(graph, kinds);
    }

    fn start(&mut self, label: Label) {
        let tally = &mut *self.tally;
        tally.namer.start(label);
        tally.places.clear();
        tally.places.push(START);
    }

    #[inline]
    fn enter(&mut self, step: Step) -> bool {
        let tally = &mut *self.tally;
        tally.row.edge_sets += 1;
        let name = tally.namer.enter(step);
        tally.places.push(OFF);
        let before = tally.places.len() - 2;
        tally.count(name, 1, |tally| tally.occurrence(before, step.edge));
        tally.step = (before * before) as u64;
        tally.work += tally.step;
        tally.work < tally.next_look || self.look()
    }

    #[inline]
    fn tip(&mut self, step: Step, times: u32) -> bool {
        let tally = &mut *self.tally;
        tally.row.edge_sets += u64::from(times);
        let name = tally.namer.tip(step);
        let size = tally.places.len() - 1;
        tally.count(name, times, |tally| tally.occurrence(size, step.edge));
        tally.work += tally.step;
        tally.work < tally.next_look || self.look()
    }

    #[inline]
    fn leave(&mut self) {
        self.tally.places.pop();
        self.tally.namer.leave();
    }
}
