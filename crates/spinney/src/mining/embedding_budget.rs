//! What growing patterns may cost: graphs can hold more embeddings of a small pattern than there
//! is memory or time for (a star of a million leaves has 5·10¹¹ pairs of them).
//!
//! **Invariant.** A growth that runs out of its budget is given up as a whole; a part of the
//! embeddings is never taken for all of them. The caller learns that the patterns below are
//! unknown.
//!
//! **Cost.** A subtraction and a comparison for each embedding.

use std::time::Instant;

use crate::mining::interrupt::InterruptFlag;

/// Limits of a single growth, and the moment when all growing ends.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddingBudget {
    /// The most embeddings that are kept.
    pub kept: u64,
    /// The most that are counted and not kept.
    pub counted: u64,
    /// The most steps of the test whether a code is the smallest (0: no limit). It takes
    /// factorially many for a tree with many like branches.
    pub steps: u64,
    /// When to stop.
    pub until: Option<Instant>,
    /// Set when all growing is to end at once.
    pub interrupt: Option<&'static InterruptFlag>,
}

impl Default for EmbeddingBudget {
    /// Some 4 GB while a family grows, or a few seconds.
    fn default() -> Self {
        EmbeddingBudget {
            kept: 1 << 28,
            counted: 1 << 31,
            steps: 1 << 18,
            until: None,
            interrupt: None,
        }
    }
}

impl EmbeddingBudget {
    /// A budget for growths of at most about `bytes`.
    #[must_use]
    pub fn within(bytes: Option<usize>, until: Option<Instant>) -> EmbeddingBudget {
        let whole = EmbeddingBudget { until, ..EmbeddingBudget::default() };
        // Eight bytes in a list that doubles, and a row of a word or two.
        let kept = bytes.map_or(whole.kept, |bytes| (bytes as u64 / 32).clamp(1 << 12, whole.kept));
        EmbeddingBudget { kept, ..whole }
    }

    /// No limit at all.
    #[must_use]
    pub fn unlimited() -> EmbeddingBudget {
        let kept = u64::MAX;
        EmbeddingBudget { kept, counted: kept, steps: 0, ..EmbeddingBudget::default() }
    }

    /// The same, that an interrupt ends.
    #[must_use]
    pub fn with_interrupt(self, interrupt: Option<&'static InterruptFlag>) -> EmbeddingBudget {
        EmbeddingBudget { interrupt, ..self }
    }

    /// Whether time is over, or the work is interrupted.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
            || self.interrupt.is_some_and(InterruptFlag::is_set)
    }
}

/// Embeddings between two looks at the clock.
const EMBEDDINGS_PER_TIME_CHECK: u64 = 1 << 18;

/// What is left of a budget.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RemainingBudget {
    budget: EmbeddingBudget,
    /// To be taken before the next look at the clock.
    now: u64,
    /// To be taken afterwards.
    later: u64,
}

impl RemainingBudget {
    /// All of a budget, for embeddings that are kept or only counted.
    pub(crate) fn all(budget: EmbeddingBudget, kept: bool) -> RemainingBudget {
        let all = if kept { budget.kept } else { budget.counted };
        let now = all.min(EMBEDDINGS_PER_TIME_CHECK);
        RemainingBudget { budget, now, later: all - now }
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
        if embeddings > all || self.budget.is_late() {
            self.now = 0;
            self.later = 0;
            return false;
        }
        let left = all - embeddings;
        self.now = left.min(EMBEDDINGS_PER_TIME_CHECK);
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

    use super::{EMBEDDINGS_PER_TIME_CHECK, EmbeddingBudget, RemainingBudget};

    #[test]
    fn a_budget_lasts_as_long_as_it_says() {
        let budget = EmbeddingBudget {
            kept: 3 * EMBEDDINGS_PER_TIME_CHECK + 5,
            counted: 2,
            steps: 0,
            ..EmbeddingBudget::default()
        };
        let mut left = RemainingBudget::all(budget, true);
        assert_eq!(
            (0..).take_while(|_| left.take(1)).count() as u64,
            3 * EMBEDDINGS_PER_TIME_CHECK + 5
        );
        assert!(left.is_out() && !left.take(1));
        let mut left = RemainingBudget::all(budget, false);
        assert!(left.take(1) && !left.is_out() && !left.take(2) && left.is_out());
        let late = EmbeddingBudget { until: Some(Instant::now()), ..budget };
        let mut left = RemainingBudget::all(late, true);
        assert_eq!((0..).take_while(|_| left.take(1)).count() as u64, EMBEDDINGS_PER_TIME_CHECK);
    }
}
