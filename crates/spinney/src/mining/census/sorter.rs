//! Sorting a row by pattern number: a radix sort, because rows are many and numbers small.

/// Sorts pairs by their first number; keeps its buffers.
#[derive(Debug, Default)]
pub(super) struct Sorter {
    pub(super) pairs: Vec<(u32, u32)>,
    other: Vec<(u32, u32)>,
}

/// The most bits of a digit.
const DIGIT_BITS: u32 = 11;
/// Shorter rows are sorted by comparison.
const MIN_RADIX_LENGTH: usize = 64;

impl Sorter {
    /// Sorts the pairs by their first numbers, all of which are below `end`.
    pub(super) fn sort(&mut self, end: usize) {
        if self.pairs.len() < MIN_RADIX_LENGTH {
            self.pairs.sort_unstable();
            return;
        }
        let bits = usize::BITS - end.saturating_sub(1).leading_zeros();
        let passes = bits.div_ceil(DIGIT_BITS).max(1);
        let digit_bits = bits.div_ceil(passes);
        (0..passes).for_each(|pass| self.pass(pass * digit_bits, digit_bits));
    }

    /// Sorts by one digit, keeping the order of equal ones.
    fn pass(&mut self, shift: u32, bits: u32) {
        let digit = |pair: &(u32, u32)| (pair.0 >> shift) as usize & ((1 << bits) - 1);
        let next = &mut [0u32; 1 << DIGIT_BITS][..1 << bits];
        self.pairs.iter().for_each(|pair| next[digit(pair)] += 1);
        let mut sum = 0;
        for n in &mut *next {
            sum += std::mem::replace(n, sum);
        }
        if self.other.len() < self.pairs.len() {
            self.other.resize(self.pairs.len(), (0, 0));
        }
        for pair in &self.pairs {
            let at = &mut next[digit(pair)];
            self.other[*at as usize] = *pair;
            *at += 1;
        }
        self.other.truncate(self.pairs.len());
        std::mem::swap(&mut self.pairs, &mut self.other);
    }
}

#[cfg(test)]
mod tests {
    use super::Sorter;
    use crate::random::mix;

    #[test]
    fn rows_of_any_length_are_sorted() {
        for n in [0, 1, 63, 64, 300, 5_000] {
            for end in [1, 200, 256, 257, 70_000, 20_000_000] {
                let pairs: Vec<(u32, u32)> =
                    (0..n).map(|i| ((mix(i) % end) as u32, i as u32)).collect();
                let mut sorter = Sorter { pairs: pairs.clone(), ..Sorter::default() };
                sorter.sort(end as usize);
                let mut expected = pairs;
                expected.sort_unstable();
                assert_eq!(sorter.pairs, expected, "{n} pairs below {end}");
            }
        }
    }
}
