//! A caller's wish that work under way should end, seen from any thread.
//!
//! **Invariant.** A wish is never taken back while the work goes on, and only grows stronger: from
//! keeping what is whole to keeping nothing.
//!
//! **Cost.** A load of a byte; work looks at it where it looks at the clock.

use std::sync::atomic::{AtomicU8, Ordering};

/// Set by whoever wants work to end. It is static, so that limits, which hold it, can be copied.
#[derive(Debug, Default)]
pub struct InterruptFlag(AtomicU8);

const STOP: u8 = 1;
const ABANDON: u8 = 2;

impl InterruptFlag {
    /// A flag that is not set.
    #[must_use]
    pub const fn new() -> InterruptFlag {
        InterruptFlag(AtomicU8::new(0))
    }

    /// Work is to end, and to give what of it is whole: a model of its rounds so far.
    pub fn stop(&self) {
        self.0.fetch_max(STOP, Ordering::Relaxed);
    }

    /// Work is to end, and nobody wants what comes of it.
    pub fn abandon(&self) {
        self.0.fetch_max(ABANDON, Ordering::Relaxed);
    }

    /// Whether work is to end.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= STOP
    }

    /// Whether nobody wants what comes of it.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= ABANDON
    }

    /// Takes the wish back, for other work.
    pub fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}
