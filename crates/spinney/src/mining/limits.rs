//! What a training may take: time, memory and patterns, and whether it is still wanted.
//!
//! Time and patterns are limits as they are. Memory is known from a space's own count and, where
//! the caller can ask the system ([`TrainingLimits::resident`]), from what the process really
//! holds.

use std::time::Instant;

use crate::mining::interrupt::InterruptFlag;

/// What a training may take.
#[derive(Clone, Copy, Debug, Default)]
pub struct TrainingLimits {
    /// When to stop.
    pub until: Option<Instant>,
    /// The most bytes of the whole process, as far as they can be known.
    pub memory: Option<usize>,
    /// The most patterns that are explored and kept.
    pub patterns: Option<usize>,
    /// Gives the bytes that the process holds.
    pub resident: Option<fn() -> Option<usize>>,
    /// Set when the training is to end before it is done.
    pub interrupt: Option<&'static InterruptFlag>,
}

/// Of the memory, the share for the embeddings that are kept.
const EMBEDDINGS_SHARE: f64 = 0.15;
/// The share that all that a space counts may take before it is full. Half of the memory is left
/// for searches of single nodes, which copy the node's graphs.
const COUNTED_SHARE: f64 = 0.3;
/// The same where nodes cannot be searched alone.
const COUNTED_SHARE_WITHOUT_NODE_SEARCH: f64 = 0.6;
/// The share that the process may hold before a space is full.
const FULL_SHARE: f64 = 0.5;
/// The share that the process may hold before a search must end.
const STOP_SHARE: f64 = 0.92;

fn share(bytes: usize, of: f64) -> usize {
    (bytes as f64 * of) as usize
}

impl TrainingLimits {
    /// Bytes for the embeddings that are kept.
    #[must_use]
    pub fn embeddings(&self) -> Option<usize> {
        self.memory.map(|bytes| share(bytes, EMBEDDINGS_SHARE))
    }

    /// Whether time is over.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Whether the caller wants the work to end.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_some_and(InterruptFlag::is_set)
    }

    /// Whether nobody wants what comes of the work.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.interrupt.is_some_and(InterruptFlag::is_abandoned)
    }

    /// Whether a space of `counted` bytes, or the process, takes all the memory but a reserve.
    #[must_use]
    pub fn is_full(&self, counted: usize) -> bool {
        self.counted_exceed(counted, COUNTED_SHARE) || self.resident_exceed(FULL_SHARE)
    }

    /// Whether a space of `counted` bytes that is the only way to search must not grow further.
    #[must_use]
    pub fn is_over(&self, counted: usize) -> bool {
        self.counted_exceed(counted, COUNTED_SHARE_WITHOUT_NODE_SEARCH)
    }

    /// Bytes that may still be counted where `counted` are counted already and there is no other
    /// way to search; `None` if memory is not limited.
    #[must_use]
    pub fn left(&self, counted: usize) -> Option<usize> {
        let all = self.memory.map(|limit| share(limit, COUNTED_SHARE_WITHOUT_NODE_SEARCH));
        all.map(|all| all.saturating_sub(counted))
    }

    /// Whether the process holds so much that searches must end.
    #[must_use]
    pub fn must_stop(&self) -> bool {
        self.resident_exceed(STOP_SHARE)
    }

    fn counted_exceed(&self, counted: usize, of: f64) -> bool {
        self.memory.is_some_and(|limit| counted > share(limit, of))
    }

    fn resident_exceed(&self, of: f64) -> bool {
        let resident = self.resident.and_then(|resident| resident());
        resident.zip(self.memory).is_some_and(|(held, limit)| held > share(limit, of))
    }
}
