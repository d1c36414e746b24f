//! The columns of a census: added up, put in order, written down.
//!
//! **Invariant.** Nothing here depends on the ranges of patterns that threads work on: sums are of
//! integers, and every range writes to its own part of the result.
//!
//! **Cost.** A pass over the census for [`ColumnLayout::count`], one for [`ColumnLayout::collect`],
//! and one more beforehand where patterns have several thresholds.

use std::ops::{Range, RangeInclusive};

use rayon::prelude::{IntoParallelIterator, ParallelIterator};

use crate::mining::census::rows::Stretch;
use crate::mining::census::{Census, PatternId};
use crate::mining::levels::reached;

/// No class.
pub(super) const NONE: u32 = u32::MAX;

/// About how many rows are read to cut the patterns into ranges.
const SAMPLED_ROWS: usize = 256;

/// What is added up of a column: its signature, in halves, and the number of its graphs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ColumnCounts {
    high: u64,
    low: u64,
    pub(super) support: u32,
}

impl ColumnCounts {
    fn add(&mut self, key: u128) {
        let sum = self.signature().wrapping_add(key);
        *self =
            ColumnCounts { high: (sum >> 64) as u64, low: sum as u64, support: self.support + 1 };
    }

    pub(super) fn signature(&self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }
}

/// A column of a pattern, by number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PatternColumn {
    pub(super) pattern: PatternId,
    pub(super) column: u32,
}

/// A range of patterns, and the part of an array that belongs to it.
struct RangePart<'r, 'a, T> {
    range: &'r Range<PatternId>,
    part: &'a mut [T],
}

/// The columns of some graphs of a census, numbered pattern by pattern, threshold by threshold.
pub(super) struct ColumnLayout<'a> {
    census: &'a Census,
    train: &'a [u32],
    /// A pattern's first column, and the end; `None` if every pattern has one column.
    first: Option<Vec<u32>>,
}

impl<'a> ColumnLayout<'a> {
    pub(super) fn new(census: &'a Census, train: &'a [u32], count_levels: u32) -> Self {
        let mut layout = ColumnLayout { census, train, first: None };
        if count_levels > 1 {
            let mut max_counts = vec![0u32; census.len()];
            for &graph in train {
                for (p, count) in census.row(graph as usize) {
                    let max = &mut max_counts[p as usize];
                    *max = (*max).max(count);
                }
            }
            let mut next = 0;
            let ends = max_counts.iter().map(|&max| {
                next += reached(max).min(count_levels);
                next
            });
            let first = std::iter::once(0).chain(ends).collect();
            layout.first = Some(first);
        }
        layout
    }

    /// The training graphs, by number in the census.
    pub(super) fn train(&self) -> &'a [u32] {
        self.train
    }

    /// The first column of a pattern; of the number of patterns, the number of columns.
    pub(super) fn first(&self, pattern: PatternId) -> usize {
        self.first.as_ref().map_or(pattern as usize, |f| f[pattern as usize] as usize)
    }

    fn columns(&self, patterns: &Range<PatternId>) -> Range<usize> {
        self.first(patterns.start)..self.first(patterns.end)
    }

    pub(super) fn patterns(&self) -> Range<PatternId> {
        0..self.census.len() as PatternId
    }

    /// The useful columns with their patterns, the most frequent columns first, else in the order
    /// of their numbers: a counting sort.
    pub(super) fn by_falling_support(
        &self,
        counts: &[ColumnCounts],
        useful: RangeInclusive<u32>,
    ) -> Vec<PatternColumn> {
        let max = counts.iter().map(|t| t.support).max().unwrap_or(0) as usize;
        let mut next = vec![0usize; max + 1];
        let used = counts.iter().map(|t| t.support).filter(|s| useful.contains(s));
        used.for_each(|support| next[support as usize] += 1);
        let mut start = 0;
        for slot in next.iter_mut().rev() {
            start += std::mem::replace(slot, start);
        }
        let mut order = vec![PatternColumn::default(); start];
        for pattern in self.patterns() {
            for column in self.columns(&(pattern..pattern + 1)) {
                let support = counts[column].support;
                if useful.contains(&support) {
                    let slot = &mut next[support as usize];
                    order[*slot] = PatternColumn { pattern, column: column as u32 };
                    *slot += 1;
                }
            }
        }
        order
    }

    /// Ranges of patterns to be worked on in parallel, of about as many entries each: judged by
    /// some rows.
    fn ranges(&self) -> Vec<Range<PatternId>> {
        let threads = rayon::current_num_threads();
        if threads == 1 {
            return vec![self.patterns()];
        }
        let rows = self.train.iter().step_by(1 + self.train.len() / SAMPLED_ROWS);
        let mut seen: Vec<PatternId> =
            rows.flat_map(|&graph| self.census.row(graph as usize)).map(|entry| entry.0).collect();
        seen.sort_unstable();
        let parts = 2 * threads;
        let mut cuts: Vec<PatternId> = (1..parts)
            .filter_map(|i| seen.get(i * seen.len() / parts).copied())
            .chain([0, self.patterns().end])
            .collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts.windows(2).map(|cut| cut[0]..cut[1]).collect()
    }

    /// The columns of a training graph that belong to some patterns, ascending.
    #[inline]
    pub(super) fn each_column(&self, graph: u32, of: &Range<PatternId>, mut f: impl FnMut(usize)) {
        let parts = self.census.stretches(graph as usize).map(|stretch| stretch.within(of));
        let Some(first) = &self.first else {
            return parts.for_each(|part| part.patterns().for_each(|p| f(p as usize)));
        };
        for (p, count) in parts.flat_map(Stretch::entries) {
            let start = first[p as usize];
            let end = first[p as usize + 1];
            (start..end.min(start.saturating_add(reached(count)))).for_each(|c| f(c as usize));
        }
    }

    /// Adds up every column: `keys` has one for each training graph.
    pub(super) fn count(&self, keys: &[u128]) -> Vec<ColumnCounts> {
        let mut counts = vec![ColumnCounts::default(); self.first(self.patterns().end)];
        let ranges = self.ranges();
        let parts = split(&ranges, &mut counts, |r| self.columns(r).len());
        parts.into_par_iter().for_each(|RangePart { range, part: counts }| {
            let offset = self.first(range.start);
            for (&graph, &key) in self.train.iter().zip(keys) {
                self.each_column(graph, range, |column| counts[column - offset].add(key));
            }
        });
        counts
    }

    /// The graphs of the columns that `class_of` gives a class, column after column, each as
    /// `short` writes it.
    pub(super) fn collect<P: Copy + Default + Send>(
        &self,
        class_of: &[u32],
        support: impl Fn(u32) -> usize + Sync,
        short: impl Fn(u32) -> P + Sync,
    ) -> Vec<P> {
        let size = |class: u32| if class == NONE { 0 } else { support(class) };
        let ranges = self.ranges();
        let mut graphs = vec![P::default(); class_of.iter().map(|&c| size(c)).sum()];
        let all = |r: &Range<PatternId>| class_of[self.columns(r)].iter().map(|&c| size(c)).sum();
        let parts = split(&ranges, &mut graphs, all);
        parts.into_par_iter().for_each(|RangePart { range, part: graphs }| {
            let mut end = 0;
            let start = |&class: &u32| {
                let start = end;
                end += size(class);
                if class == NONE { usize::MAX } else { start }
            };
            let mut next: Vec<usize> = class_of[self.columns(range)].iter().map(start).collect();
            let offset = self.first(range.start);
            for (position, &graph) in (0..).zip(self.train) {
                self.each_column(graph, range, |column| {
                    let slot = &mut next[column - offset];
                    if *slot != usize::MAX {
                        graphs[*slot] = short(position);
                        *slot += 1;
                    }
                });
            }
        });
        graphs
    }
}

/// Cuts `all` into a part for each range.
fn split<'r, 'a, T>(
    ranges: &'r [Range<PatternId>],
    mut all: &'a mut [T],
    size: impl Fn(&Range<PatternId>) -> usize,
) -> Vec<RangePart<'r, 'a, T>> {
    let mut parts = Vec::with_capacity(ranges.len());
    for range in ranges {
        let (part, rest) = all.split_at_mut(size(range));
        parts.push(RangePart { range, part });
        all = rest;
    }
    parts
}
