//! Ends the searches of a training when a limit is reached, or its caller wants it to end.
//!
//! **Invariant.** A stop token that is stopped stays so, with the limit that was reached first. A
//! search that it cuts short says what the best pattern not looked at could gain at most
//! ([`BestSplit::open`]), so that a split is either the optimum or comes with how far from it it
//! may be.
//!
//! [`BestSplit::open`]: crate::search::best_split::BestSplit

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use crate::mining::limits::TrainingLimits;
use crate::search::space::GrowingSpace;

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Of time.
    Time,
    /// Of memory.
    Memory,
    /// Of patterns explored.
    Patterns,
    /// Of the caller's patience.
    Interrupt,
}

/// What a search does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StopCheck {
    /// It goes on.
    GoOn,
    /// It goes on, but the space should not grow further.
    SpaceFull,
    /// It ends.
    Stop,
}

/// Checks between two questions to the system how much memory is held.
const CHECKS_PER_MEMORY_QUERY: u32 = 32;

/// Ends the searches of a training when a limit is reached.
#[derive(Debug, Default)]
pub(crate) struct StopToken {
    limits: TrainingLimits,
    /// The number of the limit that was reached, from 1.
    reached: AtomicU8,
    checks: AtomicU32,
}

impl StopToken {
    /// For one training.
    #[must_use]
    pub(crate) fn new(limits: TrainingLimits) -> StopToken {
        StopToken { limits, ..StopToken::default() }
    }

    /// The limit that was reached.
    #[must_use]
    pub(crate) fn reached(&self) -> Option<Limit> {
        match self.reached.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Limit::Time),
            2 => Some(Limit::Memory),
            3 => Some(Limit::Patterns),
            _ => Some(Limit::Interrupt),
        }
    }

    /// Ends all searches.
    pub(crate) fn stop(&self, limit: Limit) {
        let number = match limit {
            Limit::Time => 1,
            Limit::Memory => 2,
            Limit::Patterns => 3,
            Limit::Interrupt => 4,
        };
        let _ = self.reached.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether searches are to end; looks at the clock.
    #[must_use]
    pub(crate) fn is_stopped(&self) -> bool {
        if self.limits.is_interrupted() {
            self.stop(Limit::Interrupt);
        } else if self.limits.is_late() {
            self.stop(Limit::Time);
        }
        self.reached().is_some()
    }

    /// Whether a space that is full, and the only way to search, must not grow any further.
    pub(super) fn is_over_memory(&self, space: &dyn GrowingSpace) -> bool {
        self.limits.is_over(space.bytes())
    }

    /// Whether searches are to end, or the space should not grow any further.
    pub(super) fn check(&self, space: &dyn GrowingSpace) -> StopCheck {
        if self.limits.patterns.is_some_and(|limit| space.patterns() >= limit) {
            self.stop(Limit::Patterns);
        }
        if self.is_stopped() {
            return StopCheck::Stop;
        }
        if self.limits.memory.is_none() {
            return StopCheck::GoOn;
        }
        let checks = self.checks.fetch_add(1, Ordering::Relaxed);
        let queries = checks.is_multiple_of(CHECKS_PER_MEMORY_QUERY);
        if queries && self.limits.must_stop() {
            self.stop(Limit::Memory);
            return StopCheck::Stop;
        }
        let known =
            TrainingLimits { resident: self.limits.resident.filter(|_| queries), ..self.limits };
        if known.is_full(space.bytes()) { StopCheck::SpaceFull } else { StopCheck::GoOn }
    }
}
