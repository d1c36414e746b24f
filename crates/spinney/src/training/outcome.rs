//! What comes of a training.

use serde::Serialize;

use crate::boosting::record::{BoostingRecord, StopReason};
use crate::mining::Engine;
use crate::model::Model;
use crate::params::ValidParams;
use crate::tuning::TuningRecord;

/// A model and how it came about.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The model.
    pub model: Model,
    /// What training did.
    pub record: TrainingRecord,
    /// The parameters as they were finally used.
    pub params: ValidParams,
    /// What tuning found, if there was any.
    pub tuning: Option<TuningRecord>,
    /// The scores of the training graphs by trainings that left them out, where asked for and where
    /// there are enough graphs.
    pub out_of_fold: Option<Vec<f64>>,
}

/// What training did, by method.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum TrainingRecord {
    /// Gradient-boosted trees.
    Trees(BoostingRecord),
    /// gBoost.
    Gboost(GboostRecord),
}

impl TrainingRecord {
    /// That of trees.
    #[must_use]
    pub fn trees(&self) -> Option<&BoostingRecord> {
        match self {
            TrainingRecord::Trees(record) => Some(record),
            TrainingRecord::Gboost(_) => None,
        }
    }

    /// Whether the caller stopped the training.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.trees().is_some_and(|record| record.stopped == StopReason::Interrupted)
    }

    /// Whether the training was cut short, by the caller or by a limit.
    #[must_use]
    pub fn is_cut_short(&self) -> bool {
        self.is_interrupted() || self.trees().is_some_and(|record| record.stopped.is_limit())
    }
}

/// What a training of gBoost did.
#[derive(Clone, Debug, Serialize)]
pub struct GboostRecord {
    /// Stumps in the model.
    pub stumps: usize,
    /// The soft margin.
    pub objective: f64,
    /// No model of any stumps has a soft margin larger by more than this.
    pub gap: f64,
    /// Rounds of column generation.
    pub rounds: usize,
    /// Patterns explored.
    pub patterns: usize,
    /// The engine that explored.
    #[serde(skip)]
    pub engine: Engine,
    /// Seconds, exploration included.
    pub seconds: f64,
}
