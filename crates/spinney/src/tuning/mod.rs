//! Parameters that the user leaves to the data.
//!
//! [`automatic`] derives parameters from what is cheaply known of the data; [`hold_out`] tunes
//! least gain, rounds, temperature and the weight of the linear model on held-out parts of the
//! training graphs; [`early_stopping`] finds the number of rounds on a held-out fifth.
//!
//! **Invariant.** What uses targets sees the training graphs alone, except for the meaning of the
//! target column (which classes there are, or that it holds numbers). Sizes (the number of graphs
//! and of edge sets) use no targets, and count all graphs of a training, held-out ones included.

pub mod automatic;
pub mod early_stopping;
pub mod hold_out;

use serde::{Deserialize, Serialize};

use crate::params::ValidParams;

/// Parameters of which some may still have to be tuned.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The parameters before tuning; those that tuning does not touch are final.
    pub params: ValidParams,
    /// What is to be tuned on held-out parts, if anything is.
    pub hold_out: Option<HoldOut>,
}

/// What hold-out tuning finds: least gain, rounds and temperature, and perhaps more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldOut {
    /// Whether the weight of the linear model is found, too.
    pub linear: bool,
}

/// Parameters after tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// The parameters to train with.
    pub params: ValidParams,
    /// What tuning found, if there was any.
    pub record: Option<TuningRecord>,
}

/// How parameters were tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TuningMethod {
    /// Candidates on held-out parts.
    HoldOut,
    /// The number of rounds on a held-out fifth.
    EarlyStopping,
}

/// What tuning found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuningRecord {
    /// How.
    pub method: TuningMethod,
    /// Parts that were held out in turn.
    pub parts: usize,
    /// Graphs that were held out, in all parts together.
    pub held_out: usize,
    /// Least gain of a split.
    pub min_gain: f64,
    /// Boosting rounds.
    pub trees: usize,
    /// The temperature.
    pub temperature: f64,
    /// The weight of the linear model.
    pub linear: f64,
}

impl TuningRecord {
    pub(crate) fn new(
        method: TuningMethod,
        parts: usize,
        held_out: usize,
        found: &ValidParams,
    ) -> TuningRecord {
        TuningRecord {
            method,
            parts,
            held_out,
            min_gain: found.min_gain,
            trees: found.trees,
            temperature: found.temperature,
            linear: found.linear,
        }
    }
}
