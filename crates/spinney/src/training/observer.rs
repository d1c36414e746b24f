//! Who sees a training, and may stop it.

use crate::boosting::record::Round;
use crate::tuning::TuningRecord;

/// What a training is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Patterns are explored.
    Exploring,
    /// Patterns that occur in the same graphs are put together.
    Classifying,
    /// The number of rounds is found on a held-out fifth.
    FindingRounds,
    /// Least gain, rounds, temperature and the linear weight are tuned on held-out parts.
    Tuning,
    /// The weight of a linear model of fragments is tuned.
    TuningLinear,
    /// A linear model of fragments is fitted.
    Linear,
    /// Trees are grown.
    Boosting {
        /// The most rounds.
        rounds: usize,
        /// Those of an earlier part of the training, that a checkpoint kept.
        done: usize,
    },
    /// gBoost solves its linear program.
    SolvingLinearProgram,
    /// The patterns of the model are matched with all training graphs.
    Certifying,
    /// Parts are left out of further trainings, for out-of-fold scores.
    OutOfFold,
}

/// Sees a training; every method may be called from any thread.
pub trait Observer: Sync {
    /// A phase begins.
    fn phase(&self, _phase: Phase) {}

    /// Tuning is done.
    fn tuned(&self, _record: &TuningRecord) {}

    /// A round is done.
    fn round(&self, _round: &Round) {}

    /// Whether the training is to stop, asked after every round. What ends a round that is under
    /// way is the flag of its limits (`TrainingLimits::interrupt`).
    fn should_stop(&self) -> bool {
        false
    }
}

/// Sees nothing and stops nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
