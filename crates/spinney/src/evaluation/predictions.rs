//! Predictions against the truth.

use crate::dataset::Dataset;
use crate::error::Result;
use crate::evaluation::metrics::{self, Metric};
pub use crate::model::Truth;
use crate::model::{Model, Predictions};

impl Truth {
    /// The measures that apply.
    #[must_use]
    pub fn metrics(&self) -> [Metric; 3] {
        match self {
            Truth::Classes(_) => Metric::CLASSES,
            Truth::Numbers(_) => Metric::NUMBERS,
        }
    }
}

/// One measure; `NaN` where it is not defined.
#[must_use]
pub fn measure(metric: Metric, predictions: &Predictions, truth: &Truth) -> f64 {
    let all = 0..predictions.len();
    match truth {
        Truth::Classes(truth) => {
            let probabilities = || predictions.all_probabilities();
            let classes = predictions.class_count();
            match metric {
                Metric::Accuracy => {
                    let class = |i| predictions.class(i).map_or(u32::MAX, |c| c as u32);
                    metrics::accuracy(truth, &all.map(class).collect::<Vec<_>>())
                }
                // By score, not by probability: probabilities near 0 and 1 tie where scores do not.
                Metric::Auc if classes == 2 && predictions.scores(0).len() == 1 => {
                    let positive: Vec<bool> = truth.iter().map(|&t| t == 1).collect();
                    let scores: Vec<f64> = all.map(|i| predictions.scores(i)[0]).collect();
                    metrics::auc(&positive, &scores)
                }
                Metric::Auc => metrics::class_auc(truth, &probabilities(), classes),
                Metric::LogLoss => metrics::log_loss(truth, &probabilities(), classes),
                _ => f64::NAN,
            }
        }
        Truth::Numbers(truth) => {
            let values: Vec<f64> = all.map(|i| predictions.value(i)).collect();
            match metric {
                Metric::Rmse => metrics::rmse(truth, &values),
                Metric::Mae => metrics::mae(truth, &values),
                Metric::R2 => metrics::r2(truth, &values),
                _ => f64::NAN,
            }
        }
    }
}

/// All measures that apply.
#[must_use]
pub fn evaluate(predictions: &Predictions, truth: &Truth) -> Vec<(Metric, f64)> {
    truth.metrics().map(|m| (m, measure(m, predictions, truth))).to_vec()
}

impl Model {
    /// How good the model is on `data`.
    ///
    /// # Errors
    /// If the targets are missing or are none of the model's classes.
    pub fn evaluate(&self, data: &Dataset) -> Result<Vec<(Metric, f64)>> {
        let truth = Truth::of(data, &self.task)?;
        Ok(evaluate(&self.predict(data), &truth))
    }
}
