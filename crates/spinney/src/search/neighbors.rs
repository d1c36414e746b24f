//! Which class is most like a class.
//!
//! Nested and overlapping patterns make classes that differ in a few graphs only; a class then
//! takes fewer numbers as the graphs that it adds to a like class and those that it lacks of it
//! ([`blocks`](crate::search::blocks)).
//!
//! **Method.** Eight min-hashes of each class (Broder 1997): two sets agree in one with the
//! probability of their Jaccard index. Classes are sorted by the hashes, several times from another
//! hash on, and neighbours in these orders are compared, graph by graph.
//!
//! **Invariant.** The base of a class comes before it. The choice is a function of
//! the classes alone; a poor one costs time, never exactness.
//!
//! **Cost.** For each (graph, class) pair one step of eight lanes, and some steps for each order.

use crate::mining::classes::{ClassId, ClassTable, Positions};
use crate::random::random;

/// What a class is stored as differences from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// The empty set.
    Nothing,
    /// All graphs.
    Everything,
    /// An earlier class of the same range, counted from the range's start.
    Class(u32),
}

const LANES: usize = 8;
/// The hashes from which on classes are sorted.
const ORDERS: [usize; 4] = [0, 2, 4, 6];

/// The min-hashes of sets, and the hashes of the graphs that they are made of.
pub(super) struct Hashes {
    of_graph: Vec<[i16; LANES]>,
}

impl Hashes {
    pub(super) fn new(graphs: usize) -> Hashes {
        let lane = |p: u64, lane: usize| (random(0x5e7, lane as u64, p) >> 49) as i16;
        let of_graph = (0..graphs as u64).map(|p| std::array::from_fn(|l| lane(p, l))).collect();
        Hashes { of_graph }
    }

    fn of(&self, graphs: Positions<'_>) -> [i16; LANES] {
        let mut min = [i16::MAX; LANES];
        graphs.for_each(|p| {
            let hashes = &self.of_graph[p as usize];
            for (min, &hash) in min.iter_mut().zip(hashes) {
                *min = (*min).min(hash);
            }
        });
        min
    }

    /// The bases of the classes in `range`.
    pub(super) fn bases(&self, table: &ClassTable, range: std::ops::Range<ClassId>) -> Vec<Base> {
        let hashes: Vec<[i16; LANES]> = range.clone().map(|c| self.of(table.graphs(c))).collect();
        let mut choice = Choice::new(table, range);
        let mut order: Vec<(u64, u32)> = Vec::with_capacity(hashes.len());
        for from in ORDERS {
            order.clear();
            order.extend((0..).zip(&hashes).map(|(c, h)| (rotated(h, from), c)));
            order.sort_unstable();
            for pair in order.windows(2) {
                let shared = hashes[pair[0].1 as usize].iter().zip(&hashes[pair[1].1 as usize]);
                if shared.filter(|(a, b)| a == b).count() > 1 {
                    choice.compare(pair[0].1.min(pair[1].1), pair[0].1.max(pair[1].1));
                }
            }
        }
        choice.bases
    }
}

/// Four hashes from the given one on, as one number.
fn rotated(hashes: &[i16; LANES], from: usize) -> u64 {
    (0..4).fold(0, |key, i| key << 16 | hashes[(from + i) % LANES] as u64)
}

/// The nearest bases so far.
struct Choice<'t> {
    table: &'t ClassTable,
    start: ClassId,
    bases: Vec<Base>,
    /// In how many graphs a class differs from its base.
    distances: Vec<u32>,
    marked: Vec<u8>,
    marked_class: Option<u32>,
}

impl<'t> Choice<'t> {
    fn new(table: &'t ClassTable, range: std::ops::Range<ClassId>) -> Self {
        let all = table.graph_count() as u32;
        let alone = |c: ClassId| {
            let support = table.support(c);
            if 2 * support > all {
                (Base::Everything, all - support)
            } else {
                (Base::Nothing, support)
            }
        };
        let start = range.start;
        let (bases, distances) = range.map(alone).unzip();
        let marked = vec![0; all as usize];
        Choice { table, start, bases, distances, marked, marked_class: None }
    }

    /// Makes the earlier class the base of the later one if it is the nearest so far.
    fn compare(&mut self, earlier: u32, later: u32) {
        let support = |c: u32| self.table.support(self.start + c);
        let of_earlier = support(earlier);
        let of_later = support(later);
        if of_earlier.abs_diff(of_later) >= self.distances[later as usize] {
            return;
        }
        self.mark(earlier);
        let mut shared = 0;
        self.table.graphs(self.start + later).for_each(|p| {
            shared += u32::from(self.marked[p as usize]);
        });
        let distance = of_earlier + of_later - 2 * shared;
        if distance < self.distances[later as usize] {
            self.distances[later as usize] = distance;
            self.bases[later as usize] = Base::Class(earlier);
        }
    }

    fn mark(&mut self, class: u32) {
        if self.marked_class == Some(class) {
            return;
        }
        let marked = &mut self.marked;
        if let Some(last) = self.marked_class {
            self.table.graphs(self.start + last).for_each(|p| marked[p as usize] = 0);
        }
        self.table.graphs(self.start + class).for_each(|p| marked[p as usize] = 1);
        self.marked_class = Some(class);
    }
}
