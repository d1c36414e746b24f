//! Nodes of at most 64 graphs: a class is a word of bits.
//!
//! In a small node a class is written as the node's graphs that have it: one bit a graph. The words
//! of all classes are found once, like a histogram, where a small node hangs below a large one; the
//! whole subtree below is then searched with words alone. Many classes have the same word; they
//! tie, exactly, and the simplest is chosen among all of them.
//!
//! **Invariant.** Sums are those over the bits of a word, exact; what a search finds is what it
//! would have found with a histogram. A part of a node keeps the bits of the whole.
//!
//! **Cost.** A word for each class, once; then, for each node, a few additions for each class that
//! divides it.

use std::sync::Arc;

use crate::mining::classes::ClassId;
use crate::search::class_sample::View;
use crate::search::gain::{Rule, Sums};
use crate::search::histogram::{Adds, Histogram, Hurdle};
use crate::search::samples::Samples;

/// The most graphs of a small node.
pub(crate) const MAX_GRAPHS: usize = 64;

/// Words that are checked together for one that is not empty.
const STRIDE: usize = 8;

/// Which graphs of a node: a sum of distinct powers of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Word(u64);

impl Adds for Word {
    fn add(&mut self, other: &Self) {
        // Words of differences are no sets until a cell is whole.
        self.0 = self.0.wrapping_add(other.0);
    }

    fn sub(&mut self, other: &Self) {
        self.0 = self.0.wrapping_sub(other.0);
    }
}

/// A small node: its graphs, and the classes that divide it.
#[derive(Clone, Debug)]
pub(crate) struct SmallNode {
    tables: Arc<Tables<Sums>>,
    here: u64,
    dividing: Vec<ClassWord>,
}

/// The graphs of a small node that have a class.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClassWord {
    pub(super) word: u64,
    pub(super) class: ClassId,
}

/// The best gain of a small node.
#[derive(Debug, Default)]
pub(super) struct SmallNodeBest {
    pub(super) gain: f64,
    /// The classes that reach it.
    pub(super) leaders: Vec<ClassWord>,
}

/// The node that a small node is a part of.
pub(super) struct WholeNode<'w, C> {
    pub(super) histogram: &'w mut Histogram<C>,
    /// What each graph adds to a cell.
    pub(super) samples: &'w [C],
}

/// Buffers for finding words, used again and again.
#[derive(Debug, Default)]
pub(crate) struct SmallNodeScratch {
    words: Histogram<Word>,
    bits: Vec<Word>,
}

impl SmallNode {
    /// The node with the graphs at `positions` (at most 64) of `samples`. If it is a part of a
    /// `whole` node that has a histogram, it is taken away there.
    pub(super) fn new<C: Adds>(
        view: &View<'_>,
        positions: &[u32],
        samples: &Samples,
        scratch: &mut SmallNodeScratch,
        whole: Option<WholeNode<'_, C>>,
    ) -> SmallNode {
        debug_assert!(positions.len() <= MAX_GRAPHS);
        scratch.bits.resize(samples.len(), Word(0));
        for (i, &p) in positions.iter().enumerate() {
            scratch.bits[p as usize] = Word(1 << i);
        }
        scratch.words.clear();
        let here = u64::MAX >> (MAX_GRAPHS - positions.len().clamp(1, MAX_GRAPHS));
        let class_at = |cell: usize| view.class_at(cell);
        let dividing = if let Some(whole) = whole {
            let tables = Tables::new(positions, |p| whole.samples[p as usize]);
            let cells = whole.histogram.cells_mut();
            scratch.words.cover_and(view, positions, &scratch.bits, cells, |first, words, whole| {
                take_away(&tables, words, whole);
                dividing(first, words, here, class_at)
            })
        } else {
            let cells: &mut [C] = &mut [];
            scratch.words.cover_and(view, positions, &scratch.bits, cells, |first, words, _| {
                dividing(first, words, here, class_at)
            })
        };
        let tables = Arc::new(Tables::new(positions, |p| samples.one(p)));
        SmallNode { tables, here, dividing: dividing.concat() }
    }

    /// The part of this node with (some of) the graphs of `word`.
    #[must_use]
    pub(crate) fn part(&self, word: u64) -> SmallNode {
        let here = self.here & word;
        let parts = self.dividing.iter().map(|c| ClassWord { word: c.word & here, ..*c });
        let mut dividing = Vec::with_capacity(self.dividing.len());
        dividing.extend(parts.filter(|c| c.word != 0 && c.word != here));
        SmallNode { tables: Arc::clone(&self.tables), here, dividing }
    }

    /// The best gain and all classes that reach it, if any split is valid and gains enough.
    pub(super) fn best(&self, rule: &Rule) -> Option<SmallNodeBest> {
        let all = self.tables.sums(self.here);
        let hurdle = Hurdle::new(all, rule);
        let mut best = SmallNodeBest::default();
        let mut best_sums = Sums::default();
        let mut bar = hurdle.bar(f64::MIN_POSITIVE);
        for &divider in &self.dividing {
            let sums = self.tables.sums(divider.word);
            if sums == best_sums {
                best.leaders.push(divider);
                continue;
            }
            if !hurdle.may_reach(sums, bar) {
                continue;
            }
            let Some(gain) = rule.gain(sums, all) else { continue };
            if gain < best.gain || !rule.accepts(gain) {
                continue;
            }
            if gain > best.gain {
                best = SmallNodeBest { gain, leaders: Vec::new() };
                // What ties with it may be below it by one part in 2³¹.
                bar = hurdle.bar(gain * (1.0 - 1e-9));
                best_sums = sums;
            }
            best.leaders.push(divider);
        }
        (!best.leaders.is_empty()).then_some(best)
    }
}

/// Words side by side, those without any graph of the node left out: most of them.
fn strides(words: &[Word]) -> impl Iterator<Item = (usize, &[Word])> {
    let strides = words.chunks(STRIDE).enumerate().map(|(i, words)| (i * STRIDE, words));
    strides.filter(|(_, words)| words.iter().fold(0, |any, word| any | word.0) != 0)
}

/// The classes that divide a node, of the words from the cell `first` on.
fn dividing(
    first: usize,
    words: &[Word],
    here: u64,
    class_at: impl Fn(usize) -> Option<ClassId>,
) -> Vec<ClassWord> {
    let mut dividing = Vec::new();
    for (at, words) in strides(words) {
        for (cell, word) in (first + at..).zip(words) {
            if word.0 != 0 && word.0 != here {
                dividing.extend(class_at(cell).map(|class| ClassWord { word: word.0, class }));
            }
        }
    }
    dividing
}

/// Takes the graphs of words away from the cells at their places.
fn take_away<C: Adds>(tables: &Tables<C>, words: &[Word], cells: &mut [C]) {
    for (at, words) in strides(words) {
        for (cell, word) in cells[at..].iter_mut().zip(words).filter(|(_, word)| word.0 != 0) {
            cell.sub(&tables.sums(word.0));
        }
    }
}

/// Sums over the bits of a word, byte by byte.
#[derive(Debug)]
struct Tables<C> {
    bytes: Vec<[C; 256]>,
}

impl<C: Adds> Tables<C> {
    fn new(positions: &[u32], sample: impl Fn(u32) -> C) -> Tables<C> {
        let table = |positions: &[u32]| {
            let mut sums = [C::default(); 256];
            for byte in 1..1usize << positions.len() {
                let lowest = byte.trailing_zeros() as usize;
                sums[byte] = sums[byte & (byte - 1)];
                sums[byte].add(&sample(positions[lowest]));
            }
            sums
        };
        Tables { bytes: positions.chunks(8).map(table).collect() }
    }

    fn sums(&self, word: u64) -> C {
        let mut sums = C::default();
        for (table, byte) in self.bytes.iter().zip(word.to_le_bytes()) {
            sums.add(&table[byte as usize]);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::Tables;
    use crate::search::samples::Samples;

    #[test]
    fn sums_over_bits_are_sums_over_graphs() {
        let values: Vec<f64> = (0..40).map(|i| f64::from(i * i % 17) - 5.0).collect();
        let weights: Vec<f64> = (0..40).map(|i| f64::from(i % 3) + 0.5).collect();
        let samples = Samples::new(&values, Some(&weights)).unwrap();
        let positions: Vec<u32> = (0..20).map(|i| 2 * i).collect();
        let tables = Tables::new(&positions, |p| samples.one(p));
        for word in [0u64, 1, 0b1010_0000_0001, 0xf_ffff, 0xe_dcba] {
            let chosen = positions.iter().enumerate().filter(|(i, _)| word >> i & 1 == 1);
            let chosen: Vec<u32> = chosen.map(|(_, &p)| p).collect();
            assert_eq!(tables.sums(word), samples.sums(&chosen));
        }
    }
}
