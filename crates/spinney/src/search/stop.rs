//! Limits of a training, and what happens when one is reached.
//!
//! **Invariant.** Once pulled, a stop_token stays pulled, with the limit that was reached first. A search
//! that it cuts short says what the best pattern not looked at could gain at most ([`Best::open`]), so
//! that a split is either the optimum or comes with how far from it it may be.
//!
//! Time and patterns are limits as they are. Memory is told by the space's own count and, where the
//! caller can tell it ([`Limits::resident`]), by what the process really holds.
//!
//! [`Best::open`]: crate::search::best_split::Best

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::time::Instant;

use crate::search::space::PatternSpace;

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Of time.
    Time,
    /// Of memory.
    Memory,
    /// Of patterns explored.
    Patterns,
}

/// What a training may take.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// When to stop.
    pub until: Option<Instant>,
    /// The most bytes of the whole process, as far as can be told.
    pub memory: Option<usize>,
    /// The most patterns that are explored and kept.
    pub patterns: Option<usize>,
    /// Tells the bytes that the process holds.
    pub resident: Option<fn() -> Option<usize>>,
}

/// Shares of the memory: of the embeddings that are kept, of all that a space counts, and of what the
/// process holds when a space is full and when a search must end. Half is left for searches of nodes
/// alone, which copy the node's graphs.
const EMBEDDINGS: f64 = 0.15;
const COUNTED: f64 = 0.3;
const FULL: f64 = 0.5;
const OVER: f64 = 0.92;
/// Where nodes cannot be searched alone, a space may count this share.
const MOST_COUNTED: f64 = 0.6;

fn share(bytes: usize, of: f64) -> usize {
    (bytes as f64 * of) as usize
}

impl Limits {
    /// Bytes for the embeddings that are kept.
    #[must_use]
    pub fn embeddings(&self) -> Option<usize> {
        self.memory.map(|bytes| share(bytes, EMBEDDINGS))
    }

    /// Whether time is over.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Whether a space of so many counted bytes, or the process, takes all the memory but a reserve.
    #[must_use]
    pub fn is_full(&self, counted: usize) -> bool {
        self.memory.is_some_and(|most| counted > share(most, COUNTED)) || self.holds(FULL)
    }

    fn holds(&self, of: f64) -> bool {
        let resident = self.resident.and_then(|resident| resident());
        resident.zip(self.memory).is_some_and(|(held, most)| held > share(most, of))
    }
}

/// Looks between two questions to the system how much memory is held.
const LOOKS: u32 = 32;

/// Ends the searches of a training when a limit is reached.
#[derive(Debug, Default)]
pub struct StopToken {
    limits: Limits,
    pulled: AtomicU8,
    looks: AtomicU32,
}

impl StopToken {
    /// For one training.
    #[must_use]
    pub fn new(limits: Limits) -> StopToken {
        StopToken { limits, ..StopToken::default() }
    }

    /// The limit that was reached.
    #[must_use]
    pub fn reached(&self) -> Option<Limit> {
        match self.pulled.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Limit::Time),
            2 => Some(Limit::Memory),
            _ => Some(Limit::Patterns),
        }
    }

    /// Ends all searches.
    pub fn pull(&self, limit: Limit) {
        let number = match limit {
            Limit::Time => 1,
            Limit::Memory => 2,
            Limit::Patterns => 3,
        };
        let _ = self.pulled.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether searches are to end: a look at the clock.
    #[must_use]
    pub fn holds(&self) -> bool {
        if self.limits.is_late() {
            self.pull(Limit::Time);
        }
        self.reached().is_some()
    }

    /// Whether a space that is full, and the only way to search, must not grow any further.
    #[must_use]
    pub fn is_over(&self, space: &dyn PatternSpace) -> bool {
        self.limits.memory.is_some_and(|most| space.bytes() > share(most, MOST_COUNTED))
    }

    /// Whether searches are to end, or `Some(false)` if the space should not grow any further.
    #[must_use]
    pub fn look(&self, space: &dyn PatternSpace) -> Option<bool> {
        if self.limits.patterns.is_some_and(|most| space.patterns() >= most) {
            self.pull(Limit::Patterns);
        }
        if self.holds() {
            return Some(true);
        }
        self.limits.memory?;
        let asks = self.looks.fetch_add(1, Ordering::Relaxed).is_multiple_of(LOOKS);
        if asks && self.limits.holds(OVER) {
            self.pull(Limit::Memory);
            return Some(true);
        }
        let counted = Limits { resident: self.limits.resident.filter(|_| asks), ..self.limits };
        counted.is_full(space.bytes()).then_some(false)
    }
}
