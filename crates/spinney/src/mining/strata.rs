//! Strata: the classes dealt into many parts of about the same size, and rows by stratum.
//!
//! With `pattern_sample` below 1 a tree uses a few strata, whole. So the rows of a sample are there
//! before the tree is: nothing is gathered for it, and what it reads lies together.
//!
//! **Invariant.** The stratum of a class depends on its signature, hence on its training graphs,
//! alone: every engine deals alike. In a table by strata the classes of a stratum have consecutive
//! numbers, the most frequent first; a row holds them as numbers within the stratum, in any order.
//!
//! **Cost.** Two bytes for each (graph, class) pair where a stratum has at most 65,536 classes. A
//! row is found in constant time; whether a graph has a class is asked of one row of one stratum,
//! and all graphs that have it are found by reading the stratum from end to end, or remembered.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::{ParallelIterator, ParallelSlice};
use rustc_hash::FxHashMap;

use crate::mining::classes::ClassId;
use crate::mining::columns::{ColumnLayout, NONE};
use crate::random::mix;

/// How many strata there are, and how many of them a tree uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strata {
    /// The number of strata.
    pub count: u32,
    /// How many a tree uses.
    pub used: u32,
}

/// The usual number of strata: shares are rounded to sixtieths.
const STRATA: u32 = 60;
/// The most strata, for small shares.
const MAX_STRATA: u32 = 600;
/// A small share is this many strata of a larger number of them.
const MIN_USED_STRATA: u32 = 3;

impl Strata {
    /// For trees that use about this share of the classes; `None` for all of them.
    #[must_use]
    pub fn for_share(share: f64) -> Option<Strata> {
        if share >= 1.0 {
            return None;
        }
        let of_usual = (share * f64::from(STRATA)).round() as u32;
        if of_usual >= MIN_USED_STRATA {
            return Some(Strata { count: STRATA, used: of_usual.min(STRATA - 1) });
        }
        let wanted = (f64::from(MIN_USED_STRATA) / share).round();
        let count = wanted.min(f64::from(MAX_STRATA)) as u32;
        let used = (share * f64::from(count)).round() as u32;
        Some(Strata { count, used: used.max(1) })
    }

    /// The stratum of the class with this signature.
    #[must_use]
    pub fn of(&self, signature: u128) -> u32 {
        let hash = mix(signature as u64 ^ mix((signature >> 64) as u64));
        ((u128::from(hash) * u128::from(self.count)) >> 64) as u32
    }
}

/// Which classes the training graphs have, stratum by stratum.
#[derive(Debug)]
pub struct StrataRows {
    /// The first class of each stratum, and the end.
    firsts: Vec<ClassId>,
    chunks: Vec<Chunk>,
    found: MemberCache,
}

/// The graphs of classes that were looked for, as far as memory is granted: many are looked for
/// again.
#[derive(Debug, Default)]
struct MemberCache {
    lists: Mutex<FxHashMap<ClassId, Arc<[u32]>>>,
    graphs: AtomicUsize,
}

/// The most graphs, of all classes together, that are remembered: 32 MB.
const MAX_CACHED_GRAPHS: usize = 8 << 20;

/// The rows of some graphs.
#[derive(Debug)]
struct Chunk {
    /// Where rows start in `classes`, all rows of the first stratum first, and the end.
    starts: Vec<u32>,
    graphs: usize,
    classes: StratumClasses,
}

/// Classes, by number within their stratum.
#[derive(Debug)]
enum StratumClasses {
    Short(Vec<u16>),
    Long(Vec<u32>),
}

/// Graphs in a chunk: one stratum of it is a few thousand entries.
const GRAPHS_PER_CHUNK: usize = 512;

/// Rows longer than this are tested in pieces.
const ENTRIES_PER_TEST: usize = 64;

impl StrataRows {
    /// The rows of the training graphs of `layout`. `class_of` gives one column of each class its
    /// class, and `NONE` to others; `firsts` are the first classes of the strata, and the end.
    pub(super) fn new(
        layout: &ColumnLayout<'_>,
        class_of: &[ClassId],
        firsts: Vec<ClassId>,
    ) -> StrataRows {
        let sizes = firsts.windows(2).map(|ends| ends[1] - ends[0]);
        let is_short = sizes.max().unwrap_or(0) <= 1 << 16;
        let mut stratum_of = Vec::with_capacity(firsts.last().map_or(0, |&end| end as usize));
        for (stratum, ends) in (0u16..).zip(firsts.windows(2)) {
            stratum_of.resize(ends[1] as usize, stratum);
        }
        let dealt = Dealt { layout, class_of, firsts: &firsts, stratum_of: &stratum_of, is_short };
        let chunks = layout.train().par_chunks(GRAPHS_PER_CHUNK).map(|graphs| dealt.chunk(graphs));
        let chunks = chunks.collect();
        StrataRows { chunks, firsts, found: MemberCache::default() }
    }

    /// The number of classes of a stratum.
    #[must_use]
    pub fn classes(&self, stratum: u32) -> usize {
        (self.firsts[stratum as usize + 1] - self.firsts[stratum as usize]) as usize
    }

    /// The first class of a stratum.
    #[must_use]
    pub fn first(&self, stratum: u32) -> ClassId {
        self.firsts[stratum as usize]
    }

    /// Calls `f` with every class of a stratum that a training graph has, by number in the stratum.
    #[inline(always)]
    pub fn for_each(&self, stratum: u32, position: u32, mut f: impl FnMut(usize)) {
        let (chunk, range) = self.find(stratum, position);
        match &chunk.classes {
            StratumClasses::Short(all) => all[range].iter().for_each(|&c| f(c.into())),
            StratumClasses::Long(all) => all[range].iter().for_each(|&c| f(c as usize)),
        }
    }

    /// The training graphs that have a class, ascending.
    #[must_use]
    pub fn graphs(&self, class: ClassId) -> Arc<[u32]> {
        if let Some(known) = self.found.get(class) {
            return known;
        }
        let mut graphs = Vec::new();
        self.for_each_member(class, |position| graphs.push(position));
        let graphs: Arc<[u32]> = graphs.into();
        self.found.keep(class, &graphs);
        graphs
    }

    /// Calls `f` with every training graph that has a class, ascending: reads the whole stratum.
    fn for_each_member(&self, class: ClassId, mut f: impl FnMut(u32)) {
        let ClassMembers { stratum, number, .. } = self.members(class);
        for (chunk, first) in self.chunks.iter().zip((0..).step_by(GRAPHS_PER_CHUNK)) {
            let begin = stratum as usize * chunk.graphs;
            let starts = &chunk.starts[begin..=begin + chunk.graphs];
            let range = starts[0] as usize..starts[chunk.graphs] as usize;
            let mut found = |at: usize| {
                let row = starts.partition_point(|&start| start as usize <= range.start + at) - 1;
                f(first + row as u32);
            };
            match &chunk.classes {
                StratumClasses::Short(all) => find(&all[range.clone()], number as u16, &mut found),
                StratumClasses::Long(all) => find(&all[range.clone()], number, &mut found),
            }
        }
    }

    /// Tells which training graphs have a class.
    #[must_use]
    pub fn members(&self, class: ClassId) -> ClassMembers<'_> {
        let stratum = self.firsts.partition_point(|&first| first <= class) as u32 - 1;
        ClassMembers { rows: self, stratum, number: class - self.first(stratum) }
    }

    #[inline(always)]
    fn find(&self, stratum: u32, position: u32) -> (&Chunk, std::ops::Range<usize>) {
        let chunk = &self.chunks[position as usize / GRAPHS_PER_CHUNK];
        let row = stratum as usize * chunk.graphs + position as usize % GRAPHS_PER_CHUNK;
        (chunk, chunk.starts[row] as usize..chunk.starts[row + 1] as usize)
    }

    /// Bytes held, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let chunk = |chunk: &Chunk| {
            4 * chunk.starts.len()
                + match &chunk.classes {
                    StratumClasses::Short(all) => 2 * all.len(),
                    StratumClasses::Long(all) => 4 * all.len(),
                }
        };
        self.chunks.iter().map(chunk).sum()
    }
}

impl MemberCache {
    fn get(&self, class: ClassId) -> Option<Arc<[u32]>> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner).get(&class).cloned()
    }

    fn keep(&self, class: ClassId, graphs: &Arc<[u32]>) {
        let before = self.graphs.fetch_add(graphs.len(), Ordering::Relaxed);
        if before + graphs.len() <= MAX_CACHED_GRAPHS {
            let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
            lists.insert(class, Arc::clone(graphs));
        } else {
            self.graphs.fetch_sub(graphs.len(), Ordering::Relaxed);
        }
    }
}

/// The training graphs of one class.
#[derive(Clone, Copy, Debug)]
pub struct ClassMembers<'r> {
    rows: &'r StrataRows,
    stratum: u32,
    number: u32,
}

impl ClassMembers<'_> {
    /// Whether the training graph at a position has the class.
    #[inline]
    #[must_use]
    pub fn has(&self, position: u32) -> bool {
        let (chunk, range) = self.rows.find(self.stratum, position);
        match &chunk.classes {
            StratumClasses::Short(all) => holds(&all[range], self.number as u16),
            StratumClasses::Long(all) => holds(&all[range], self.number),
        }
    }
}

/// Whether a short list holds a number: without branches inside a piece, so that words are tested
/// side by side.
#[inline(always)]
pub(crate) fn holds<T: Copy + PartialEq>(list: &[T], number: T) -> bool {
    list.chunks(ENTRIES_PER_TEST)
        .any(|piece| piece.iter().fold(false, |any, &x| any | (x == number)))
}

/// Calls `f` with every place of a number in a list.
fn find<T: Copy + PartialEq>(list: &[T], number: T, f: &mut impl FnMut(usize)) {
    for (piece, first) in list.chunks(ENTRIES_PER_TEST).zip((0..).step_by(ENTRIES_PER_TEST)) {
        if holds(piece, number) {
            let places = piece.iter().zip(first..).filter(|entry| *entry.0 == number);
            places.for_each(|(_, at)| f(at));
        }
    }
}

/// What rows are made of.
struct Dealt<'a> {
    layout: &'a ColumnLayout<'a>,
    class_of: &'a [ClassId],
    firsts: &'a [ClassId],
    stratum_of: &'a [u16],
    is_short: bool,
}

impl Dealt<'_> {
    fn chunk(&self, graphs: &[u32]) -> Chunk {
        let all = self.layout.patterns();
        let mut classes: Vec<ClassId> = Vec::new();
        let mut ends = Vec::with_capacity(graphs.len());
        for &graph in graphs {
            self.layout.each_column(graph, &all, |column| {
                let class = self.class_of[column];
                if class != NONE {
                    classes.push(class);
                }
            });
            ends.push(classes.len());
        }
        // Counting sort by stratum; `starts` first counts, then points, then ends.
        let strata = self.firsts.len() - 1;
        let mut starts = vec![0u32; strata * graphs.len() + 1];
        let mut begun = 0;
        for (row, &end) in ends.iter().enumerate() {
            for &class in &classes[begun..end] {
                starts[self.stratum(class) * graphs.len() + row] += 1;
            }
            begun = end;
        }
        let mut total = 0;
        for start in &mut starts {
            total += std::mem::replace(start, total);
        }
        let rows = || std::iter::once(0).chain(ends.iter().copied()).zip(ends.iter().copied());
        let dealt = |starts: &mut [u32], put: &mut dyn FnMut(usize, u32)| {
            for (row, (begun, end)) in rows().enumerate() {
                for &class in &classes[begun..end] {
                    let stratum = self.stratum(class);
                    let start = &mut starts[stratum * graphs.len() + row];
                    put(*start as usize, class - self.firsts[stratum]);
                    *start += 1;
                }
            }
        };
        let sorted = if self.is_short {
            let mut short = vec![0u16; classes.len()];
            dealt(&mut starts, &mut |at, number| short[at] = number as u16);
            StratumClasses::Short(short)
        } else {
            let mut long = vec![0u32; classes.len()];
            dealt(&mut starts, &mut |at, number| long[at] = number);
            StratumClasses::Long(long)
        };
        // Each start has moved to the next one.
        starts.rotate_right(1);
        starts[0] = 0;
        Chunk { starts, graphs: graphs.len(), classes: sorted }
    }

    fn stratum(&self, class: ClassId) -> usize {
        self.stratum_of[class as usize].into()
    }
}

#[cfg(test)]
mod tests {
    use super::{Strata, holds};

    #[test]
    fn shares_are_met_as_well_as_strata_can() {
        let share = |p: f64| {
            let strata = Strata::for_share(p).unwrap();
            f64::from(strata.used) / f64::from(strata.count)
        };
        assert_eq!(share(0.05), 0.05);
        assert_eq!(Strata::for_share(0.05).unwrap().used, 3);
        assert_eq!(Strata::for_share(1.0), None);
        for p in [0.9999, 0.7, 0.5, 0.3, 0.11, 0.04, 0.02, 0.01, 0.004] {
            let off = (share(p) - p).abs();
            assert!(off <= 1.0 / 60.0 && off <= 0.2 * p, "{p}: {}", share(p));
        }
        assert!(share(1e-9) <= 1.0 / 600.0);
    }

    #[test]
    fn strata_are_of_about_the_same_size() {
        let strata = Strata::for_share(0.05).unwrap();
        let mut sizes = [0; 60];
        (0..60_000u128).for_each(|i| sizes[strata.of(i << 64 | i) as usize] += 1);
        assert!(sizes.iter().all(|size| (850..1150).contains(size)), "{sizes:?}");
    }

    #[test]
    fn a_number_is_found_wherever_it_stands() {
        let list: Vec<u16> = (0..200).map(|i| 3 * i).collect();
        for number in 0..700 {
            assert_eq!(holds(&list, number), list.contains(&number));
        }
        assert!(!holds(&[], 1u32));
    }
}
