//! The rows of a census: which graph contains which patterns, and how often.
//!
//! A row is cut into *stretches* of pattern numbers that share their upper half, so that an entry
//! takes two bytes; how often the pattern occurs takes one more, and the few larger numbers lie
//! aside. Rows come in batches, so that no large array is ever copied to grow.
//!
//! **Invariant.** Pattern numbers ascend in a row. No stretch is empty.
//!
//! **Cost.** About three bytes an entry; a row is read from its start on, an entry is found by its
//! stretch and a binary search.

use std::ops::Range;

use crate::mining::census::PatternId;

/// The rows of some graphs.
#[derive(Debug, Default)]
pub(super) struct Batch {
    ends: Vec<RowEnd>,
    stretches: Vec<Extent>,
    lows: Vec<u16>,
    counts: Vec<u8>,
    /// The counts that do not fit `counts`.
    large: Vec<LargeCount>,
}

/// The upper half of the pattern numbers of a stretch, and its length less one.
#[derive(Clone, Copy, Debug)]
struct Extent {
    high: u16,
    length: u16,
}

/// Where a row ends.
#[derive(Clone, Copy, Debug, Default)]
struct RowEnd {
    /// In `stretches`.
    stretch: u32,
    /// Among the entries.
    entry: u32,
}

/// A count that does not fit a byte.
#[derive(Clone, Copy, Debug)]
struct LargeCount {
    /// The number of its entry.
    entry: u32,
    count: u32,
}

/// In place of a number that is at least this.
const LARGE: u8 = u8::MAX;

/// A part of a row: patterns that share the upper half of their numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<'c> {
    /// The upper half of the numbers, with zeros below.
    first: PatternId,
    lows: &'c [u16],
    /// Where it starts among the entries of the batch.
    at: usize,
    batch: &'c Batch,
}

impl Batch {
    /// An empty batch with memory for `rows` of `entries` in all.
    pub(super) fn with_capacity(rows: usize, entries: usize) -> Batch {
        Batch {
            ends: Vec::with_capacity(rows),
            stretches: Vec::with_capacity(4 * rows),
            lows: Vec::with_capacity(entries),
            counts: Vec::with_capacity(entries),
            large: Vec::new(),
        }
    }

    /// Adds a row of patterns, ascending, and how often each occurs.
    pub(super) fn push(&mut self, entries: &[(PatternId, u32)]) {
        for &(_, count) in entries {
            if count >= u32::from(LARGE) {
                self.large.push(LargeCount { entry: self.counts.len() as u32, count });
            }
            self.counts.push(count.min(u32::from(LARGE)) as u8);
        }
        self.lows.extend(entries.iter().map(|entry| entry.0 as u16));
        let high = |entry: &(PatternId, u32)| entry.0 >> 16;
        for stretch in entries.chunk_by(|a, b| high(a) == high(b)) {
            let length = (stretch.len() - 1) as u16;
            self.stretches.push(Extent { high: high(&stretch[0]) as u16, length });
        }
        let stretch = self.stretches.len() as u32;
        self.ends.push(RowEnd { stretch, entry: self.lows.len() as u32 });
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.counts.capacity()
            + 2 * self.lows.capacity()
            + size_of::<Extent>() * self.stretches.capacity()
            + 8 * (self.ends.capacity() + self.large.capacity())
    }

    /// Gives back memory that is not needed.
    pub(super) fn shrink(&mut self) {
        self.stretches.shrink_to_fit();
    }

    /// The stretches of a row, ascending.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = Stretch<'_>> {
        let start = row.checked_sub(1).map_or(RowEnd::default(), |before| self.ends[before]);
        let mut at = start.entry;
        self.stretches[start.stretch as usize..self.ends[row].stretch as usize].iter().map(
            move |extent| {
                let start = at as usize;
                at += u32::from(extent.length) + 1;
                let first = PatternId::from(extent.high) << 16;
                Stretch { first, lows: &self.lows[start..at as usize], at: start, batch: self }
            },
        )
    }

    fn count(&self, at: usize) -> u32 {
        let count = self.counts[at];
        if count < LARGE {
            return count.into();
        }
        let found = self.large.binary_search_by_key(&(at as u32), |large| large.entry);
        found.map_or(count.into(), |found| self.large[found].count)
    }
}

impl<'c> Stretch<'c> {
    /// The patterns, ascending.
    #[inline]
    pub(crate) fn patterns(self) -> impl Iterator<Item = PatternId> + 'c {
        self.lows.iter().map(move |&low| self.first | PatternId::from(low))
    }

    /// The patterns, ascending, and how often each occurs.
    #[inline]
    pub(crate) fn entries(self) -> impl Iterator<Item = (PatternId, u32)> + 'c {
        self.patterns().zip(self.at..).map(move |(p, at)| (p, self.batch.count(at)))
    }

    /// How often a pattern occurs.
    pub(crate) fn count(self, pattern: PatternId) -> u32 {
        if pattern >> 16 != self.first >> 16 {
            return 0;
        }
        let found = self.lows.binary_search(&(pattern as u16));
        found.map_or(0, |at| self.batch.count(self.at + at))
    }

    /// The part with the patterns in `range`, perhaps empty.
    #[inline]
    pub(crate) fn within(self, range: &Range<PatternId>) -> Stretch<'c> {
        let before = |pattern: PatternId| match pattern.checked_sub(self.first) {
            None | Some(0) => 0,
            Some(low @ 1..=0xffff) => self.lows.partition_point(|&l| u32::from(l) < low),
            Some(_) => self.lows.len(),
        };
        let start = before(range.start);
        let end = before(range.end);
        Stretch { lows: &self.lows[start..end.max(start)], at: self.at + start, ..self }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert_eq, proptest};

    use super::{Batch, PatternId, Stretch};

    proptest! {
        #[test]
        fn rows_are_read_as_written(
            rows in prop::collection::vec(
                prop::collection::btree_map(0u32..300_000, 1u32..600, 0..50), 0..6,
            ),
            asked in prop::collection::vec(0u32..300_000, 2),
        ) {
            let mut batch = Batch::with_capacity(0, 0);
            for row in &rows {
                batch.push(&row.iter().map(|(&p, &n)| (p, n)).collect::<Vec<_>>());
            }
            batch.shrink();
            for (i, row) in rows.iter().enumerate() {
                let all: Vec<(PatternId, u32)> = batch.row(i).flat_map(Stretch::entries).collect();
                prop_assert_eq!(&all, &row.iter().map(|(&p, &n)| (p, n)).collect::<Vec<_>>());
                let range = asked[0]..asked[1].max(asked[0]);
                let part = batch.row(i).flat_map(|s| s.within(&range).entries());
                let expected = row.range(range.clone()).map(|(&p, &n)| (p, n));
                prop_assert_eq!(part.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
                for p in row.keys().copied().chain(asked.iter().copied()) {
                    let count: u32 = batch.row(i).map(|s| s.count(p)).sum();
                    prop_assert_eq!(count, row.get(&p).copied().unwrap_or(0));
                }
            }
        }
    }
}
