//! What growing patterns may cost: graphs can hold more embeddings of a small pattern than there is
//! memory or time for (a star of a million leaves has 5·10¹¹ pairs of them).
//!
//! **Invariant.** A growth that runs out of its ration is given up as a whole; nobody takes a part of
//! the embeddings for all of them. Who asked for it learns that the patterns below are unknown.
//!
//! **Cost.** A subtraction and a comparison for each embedding.

use std::time::Instant;

/// Limits of a single growth, and the moment when all growing ends.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddingBudget {
    /// The most embeddings that are kept.
    pub kept: u64,
    /// The most that are counted and not kept.
    pub counted: u64,
    /// The most steps of the test whether a code is the smallest (0: no limit). It takes factorially
    /// many for a tree with many like branches.
    pub steps: u64,
    /// When to stop.
    pub until: Option<Instant>,
}

impl Default for EmbeddingBudget {
    /// Some 4 GB while a family grows, or a few seconds.
    fn default() -> Self {
        EmbeddingBudget { kept: 1 << 28, counted: 1 << 31, steps: 1 << 18, until: None }
    }
}

impl EmbeddingBudget {
    /// A ration for growths of at most about so many bytes.
    #[must_use]
    pub fn within(bytes: Option<usize>, until: Option<Instant>) -> EmbeddingBudget {
        let whole = EmbeddingBudget { until, ..EmbeddingBudget::default() };
        // Eight bytes in a list that doubles, and a row of a word or two.
        let kept = bytes.map_or(whole.kept, |bytes| (bytes as u64 / 32).clamp(1 << 12, whole.kept));
        EmbeddingBudget { kept, ..whole }
    }

    /// Whether time is over.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// Embeddings between two looks at the clock.
const STRETCH: u64 = 1 << 18;

/// What is left of a ration.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Left {
    ration: EmbeddingBudget,
    /// To be taken before the next look.
    now: u64,
    /// To be taken afterwards.
    later: u64,
}

impl Left {
    /// All of a ration, for embeddings that are kept or only counted.
    pub(crate) fn all(ration: EmbeddingBudget, kept: bool) -> Left {
        let all = if kept { ration.kept } else { ration.counted };
        let now = all.min(STRETCH);
        Left { ration, now, later: all - now }
    }

    /// Takes some; says whether they were there.
    #[inline(always)]
    pub(crate) fn take(&mut self, embeddings: u64) -> bool {
        if embeddings <= self.now {
            self.now -= embeddings;
            return true;
        }
        self.take_later(embeddings)
    }

    #[cold]
    fn take_later(&mut self, embeddings: u64) -> bool {
        let all = self.now + self.later;
        if embeddings > all || self.ration.is_late() {
            (self.now, self.later) = (0, 0);
            return false;
        }
        let left = all - embeddings;
        self.now = left.min(STRETCH);
        self.later = left - self.now;
        true
    }

    /// Whether it ran out.
    pub(crate) fn is_out(&self) -> bool {
        self.now == 0 && self.later == 0
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::{EmbeddingBudget, Left, STRETCH};

    #[test]
    fn a_ration_lasts_as_long_as_it_says() {
        let ration = EmbeddingBudget { kept: 3 * STRETCH + 5, counted: 2, steps: 0, until: None };
        let mut left = Left::all(ration, true);
        assert_eq!((0..).take_while(|_| left.take(1)).count() as u64, 3 * STRETCH + 5);
        assert!(left.is_out() && !left.take(1));
        let mut left = Left::all(ration, false);
        assert!(left.take(1) && !left.is_out() && !left.take(2) && left.is_out());
        let late = EmbeddingBudget { until: Some(Instant::now()), ..ration };
        let mut left = Left::all(late, true);
        assert_eq!((0..).take_while(|_| left.take(1)).count() as u64, STRETCH);
    }
}
