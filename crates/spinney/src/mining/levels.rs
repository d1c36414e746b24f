//! Occurrence thresholds: the counts *t* for which a split may ask "at least *t* times?".
//!
//! Level 1 asks for one occurrence, the paper's indicator; the next for 2 to 8, all of them; then
//! there are four levels to every doubling: 10, 12, 14, 16, 20, 24, 28, 32, 40, ... So few levels
//! reach the counts that show a graph's size, and neighbouring thresholds above 8 differ by a
//! quarter or less.
//!
//! **Invariant.** [`threshold`] rises strictly, and [`reached`] is its inverse rounded down: a
//! count has reached the levels `1..=reached(count)` and no other.
//!
//! **Cost.** A handful of instructions.

/// The highest level: its threshold is the last below 2³².
pub(crate) const HIGHEST: u32 = 123;

/// The smallest number of occurrences at a level (from 1 to [`HIGHEST`]).
#[must_use]
pub(crate) fn threshold(level: u32) -> u32 {
    if level < 4 { level.max(1) } else { (4 + level % 4) << (level / 4 - 1).min(29) }
}

/// The number of levels that a count of occurrences has reached.
#[must_use]
pub(crate) fn reached(count: u32) -> u32 {
    if count < 4 {
        return count;
    }
    let doublings = count.ilog2() - 2;
    4 * doublings + (count >> doublings)
}

#[cfg(test)]
mod tests {
    use super::{HIGHEST, reached, threshold};

    #[test]
    fn thresholds_are_dense_at_first_and_then_spread() {
        let first: Vec<u32> = (1..=17).map(threshold).collect();
        assert_eq!(first, [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40]);
        assert_eq!((threshold(24), threshold(HIGHEST)), (128, 7 << 29));
    }

    #[test]
    fn a_count_has_reached_a_level_where_it_is_the_threshold_or_more() {
        for level in 1..=HIGHEST {
            let count = threshold(level);
            assert_eq!(reached(count), level);
            assert_eq!(reached(count - 1), level - 1, "one less than level {level}");
        }
        assert_eq!(reached(u32::MAX), HIGHEST);
    }
}
