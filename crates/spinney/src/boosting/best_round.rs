//! Which round is the best on the validation graphs, and when to stop waiting for a better one.

use crate::boosting::loss::Loss;
use crate::boosting::record::Round;
use crate::error::{Error, Result};
use crate::evaluation::Metric;
use crate::model::Task;
use crate::params::FixedParams;

/// The best round so far on the validation graphs.
pub(super) struct BestRound {
    metric: Metric,
    patience: Option<usize>,
    /// The round, from 1, and the metric there; round 0 where there is none.
    best: (usize, f64),
}

impl BestRound {
    pub(super) fn new(metric: Metric, patience: Option<usize>) -> Self {
        BestRound { metric, patience, best: (0, f64::NAN) }
    }

    /// Takes a round in; says whether there has been no improvement for too long.
    pub(super) fn add(&mut self, round: &Round) -> Result<bool> {
        let watched = round.valid.iter().find(|v| v.0 == self.metric).map(|v| v.1);
        let (Some(patience), Some(value)) = (self.patience, watched) else { return Ok(false) };
        if value.is_nan() {
            let reason = format!("{} is not defined on the validation graphs", self.metric);
            return Err(Error::parameter("metric", reason));
        }
        if self.best.0 == 0 || self.metric.is_better(value, self.best.1) {
            self.best = (round.round, value);
        }
        Ok(round.round - self.best.0 >= patience)
    }

    /// The number of the best round; 0 if no metric was watched.
    pub(super) fn number(&self) -> usize {
        self.best.0
    }
}

/// The metric that early stopping watches.
pub(super) fn watched_metric(params: &FixedParams, loss: &Loss) -> Result<Metric> {
    let (fitting, default) = match loss.task() {
        Task::Regression => (Metric::NUMBERS, Metric::Rmse),
        _ => (Metric::CLASSES, Metric::LogLoss),
    };
    let metric = params.metric.unwrap_or(default);
    if fitting.contains(&metric) {
        Ok(metric)
    } else {
        Err(Error::parameter("metric", format!("{metric} does not fit the loss")))
    }
}
