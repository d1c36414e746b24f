//! What training did, round by round. Unlike the model it may speak of clocks and engines.

use serde::{Deserialize, Serialize};

use crate::evaluation::metrics::Metric;
use crate::params::Engine;
use crate::search::stop::Limit;

/// Why training stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// All rounds were done.
    Finished,
    /// The validation metric did not improve for the rounds allowed.
    EarlyStopping,
    /// No pattern can split any further, and the leaves add nothing.
    NothingToSplit,
    /// The caller asked to stop.
    Interrupted,
    /// The limit of time was reached.
    TimeLimit,
    /// The limit of memory was reached.
    MemoryLimit,
    /// The limit of patterns was reached.
    PatternLimit,
}

impl From<Limit> for StopReason {
    fn from(limit: Limit) -> StopReason {
        match limit {
            Limit::Time => StopReason::TimeLimit,
            Limit::Memory => StopReason::MemoryLimit,
            Limit::Patterns => StopReason::PatternLimit,
            Limit::Interrupt => StopReason::Interrupted,
        }
    }
}

impl StopReason {
    /// Whether a limit was reached.
    #[must_use]
    pub fn is_limit(self) -> bool {
        use StopReason::{MemoryLimit, PatternLimit, TimeLimit};
        matches!(self, TimeLimit | MemoryLimit | PatternLimit)
    }

    /// In words.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            StopReason::Finished => "all rounds done",
            StopReason::EarlyStopping => "no improvement on the validation graphs",
            StopReason::NothingToSplit => "no pattern splits any further",
            StopReason::Interrupted => "interrupted",
            StopReason::TimeLimit => "the time limit was reached",
            StopReason::MemoryLimit => "the memory limit was reached",
            StopReason::PatternLimit => "the limit of patterns was reached",
        }
    }
}

/// One boosting round.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Round {
    /// Counted from 1.
    pub round: usize,
    /// Mean training loss after the round.
    pub train_loss: f64,
    /// The watched metric on the training graphs.
    pub train_metric: f64,
    /// Mean validation loss, if there are validation graphs.
    pub valid_loss: Option<f64>,
    /// All metrics on the validation graphs.
    pub valid: Vec<(Metric, f64)>,
    /// Patterns explored so far, and kept.
    pub patterns: usize,
    /// Classes known so far.
    pub classes: usize,
    /// Splits of this round's trees.
    pub splits: usize,
    /// Seconds since training began, exploration included.
    pub seconds: f64,
}

impl Round {
    /// A model that is not made in rounds, measured once.
    pub(crate) fn of_model(valid: Vec<(Metric, f64)>) -> Round {
        Round {
            round: 1,
            train_loss: f64::NAN,
            train_metric: f64::NAN,
            valid_loss: None,
            valid,
            patterns: 0,
            classes: 0,
            splits: 0,
            seconds: 0.0,
        }
    }
}

/// The whole training.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoostingRecord {
    /// The engine that explored.
    pub engine: Engine,
    /// Connected edge sets met by the census.
    pub edge_sets: Option<u64>,
    /// Connected edge sets of all graphs: counted, or estimated from below. Each is an occurrence
    /// of a pattern of the whole space.
    pub space_edge_sets: f64,
    /// Patterns explored and kept.
    pub patterns: usize,
    /// Patterns met in searches of single nodes, and not kept: one met in several is counted in
    /// each.
    #[serde(rename = "met_alone")]
    pub node_search_patterns: usize,
    /// Patterns explored by number of edges, from 0.
    pub explored_by_edges: Vec<usize>,
    /// Classes of patterns.
    pub classes: usize,
    /// The watched metric.
    pub metric: Metric,
    /// The round whose model was kept.
    pub best_round: usize,
    /// Why it stopped.
    pub stopped: StopReason,
    /// Why the census was given up for the bound engine, if it was.
    pub census_given_up: Option<String>,
    /// Seconds in all.
    pub seconds: f64,
    /// Round by round.
    pub rounds: Vec<Round>,
}
