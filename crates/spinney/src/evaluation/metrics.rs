//! How good predictions are. Pure functions of slices.
//!
//! Classes are indices; `probabilities[i * classes + c]` is the probability of class `c` for graph
//! `i`. An undefined value (AUC of one class, R² of constant targets) is `NaN`.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::math::ln;

/// A measure of predictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Metric {
    /// Share of graphs whose likeliest class is the true one.
    Accuracy,
    /// Area under the ROC curve; for more than two classes, the mean over one-against-rest.
    Auc,
    /// Mean negative log-likelihood of the true class.
    LogLoss,
    /// Root of the mean squared error.
    Rmse,
    /// Mean absolute error.
    Mae,
    /// Share of the variance explained.
    R2,
}

impl Metric {
    /// The measures of a classification.
    pub const CLASSES: [Metric; 3] = [Metric::Accuracy, Metric::Auc, Metric::LogLoss];
    /// The measures of a regression.
    pub const NUMBERS: [Metric; 3] = [Metric::Rmse, Metric::Mae, Metric::R2];

    /// Whether larger is better.
    #[must_use]
    pub fn rises(self) -> bool {
        matches!(self, Metric::Accuracy | Metric::Auc | Metric::R2)
    }

    /// Whether `a` is a better value than `b`; a number is better than none.
    #[must_use]
    pub fn is_better(self, a: f64, b: f64) -> bool {
        (b.is_nan() && !a.is_nan()) || if self.rises() { a > b } else { a < b }
    }

    /// Its name in flags and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Metric::Accuracy => "accuracy",
            Metric::Auc => "auc",
            Metric::LogLoss => "log_loss",
            Metric::Rmse => "rmse",
            Metric::Mae => "mae",
            Metric::R2 => "r2",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Metric {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let wanted = s.replace('-', "_");
        let mut all = Metric::CLASSES.into_iter().chain(Metric::NUMBERS);
        all.find(|m| m.name() == wanted)
            .ok_or_else(|| format!("{s:?} is no metric: accuracy, auc, log_loss, rmse, mae or r2"))
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.name())
    }
}

/// The share of equal entries.
#[must_use]
pub fn accuracy(truth: &[u32], predicted: &[u32]) -> f64 {
    let right = truth.iter().zip(predicted).filter(|(t, p)| t == p).count();
    right as f64 / truth.len() as f64
}

/// The probability that a positive scores above a negative, ties counting half.
#[must_use]
pub fn auc(positive: &[bool], scores: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    let mut rank_sum = 0.0;
    let mut i = 0;
    while i < order.len() {
        let tied = order[i..].iter().take_while(|&&j| scores[j] == scores[order[i]]).count();
        // Ranks count from 1; tied scores share their mean rank.
        let rank = i as f64 + (tied as f64 + 1.0) / 2.0;
        let positives = order[i..i + tied].iter().filter(|&&j| positive[j]).count();
        rank_sum += rank * positives as f64;
        i += tied.max(1);
    }
    let p = positive.iter().filter(|&&y| y).count() as f64;
    let n = positive.len() as f64 - p;
    if p == 0.0 || n == 0.0 { f64::NAN } else { (rank_sum - p * (p + 1.0) / 2.0) / (p * n) }
}

/// [`auc`], or its mean over one class against the rest.
#[must_use]
pub fn class_auc(truth: &[u32], probabilities: &[f64], classes: usize) -> f64 {
    let of = |class: usize| {
        let positive: Vec<bool> = truth.iter().map(|&t| t as usize == class).collect();
        let scores: Vec<f64> = probabilities.iter().skip(class).step_by(classes).copied().collect();
        auc(&positive, &scores)
    };
    if classes == 2 {
        return of(1);
    }
    let each: Vec<f64> = (0..classes).map(of).filter(|a| !a.is_nan()).collect();
    each.iter().sum::<f64>() / each.len() as f64
}

/// Mean negative log-likelihood; probabilities are kept 10⁻¹⁵ away from 0.
#[must_use]
pub fn log_loss(truth: &[u32], probabilities: &[f64], classes: usize) -> f64 {
    let sum: f64 = truth
        .iter()
        .enumerate()
        .map(|(i, &t)| -ln(probabilities[i * classes + t as usize].max(1e-15)))
        .sum();
    sum / truth.len() as f64
}

/// Root of the mean squared error.
#[must_use]
pub fn rmse(truth: &[f64], predicted: &[f64]) -> f64 {
    (squares(truth, predicted) / truth.len() as f64).sqrt()
}

/// Mean absolute error.
#[must_use]
pub fn mae(truth: &[f64], predicted: &[f64]) -> f64 {
    truth.iter().zip(predicted).map(|(t, p)| (t - p).abs()).sum::<f64>() / truth.len() as f64
}

/// Share of the variance explained.
#[must_use]
pub fn r2(truth: &[f64], predicted: &[f64]) -> f64 {
    let mean = truth.iter().sum::<f64>() / truth.len() as f64;
    let total: f64 = truth.iter().map(|t| (t - mean).powi(2)).sum();
    if total == 0.0 { f64::NAN } else { 1.0 - squares(truth, predicted) / total }
}

fn squares(truth: &[f64], predicted: &[f64]) -> f64 {
    truth.iter().zip(predicted).map(|(t, p)| (t - p).powi(2)).sum()
}

/// A mean and a standard deviation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, serde::Deserialize)]
pub struct MeanSd {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of the sample (n − 1).
    pub sd: f64,
}

/// Mean and sample standard deviation of the defined values (an AUC is not, in a fold of one
/// class).
#[must_use]
pub fn mean_sd(values: &[f64]) -> MeanSd {
    let values: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    MeanSd { mean, sd: if n > 1.0 { (squares / (n - 1.0)).sqrt() } else { 0.0 } }
}

#[cfg(test)]
mod tests {
    use super::{MeanSd, auc, class_auc, log_loss, mean_sd, r2, rmse};

    #[test]
    fn spread() {
        let expected = MeanSd { mean: 2.0, sd: 2f64.sqrt() };
        assert_eq!(mean_sd(&[1.0, 3.0, f64::NAN]), expected);
    }

    #[test]
    fn auc_counts_pairs() {
        let y = [true, false, true, false, true];
        let s = [0.9, 0.8, 0.8, 0.1, 0.05];
        // 6 pairs: 0.9 wins 2, 0.8 ties 1 and wins 1, 0.05 loses 2.
        assert_eq!(auc(&y, &s), 3.5 / 6.0);
        assert!(auc(&[true], &[1.0]).is_nan());
        assert_eq!(class_auc(&[0, 1], &[0.9, 0.1, 0.2, 0.8], 2), 1.0);
    }

    #[test]
    fn known_values() {
        assert!(
            (log_loss(&[0, 1], &[0.5, 0.5, 0.75, 0.25], 2) - (2f64.ln() + 4f64.ln()) / 2.0).abs()
                < 1e-15
        );
        assert_eq!(rmse(&[1.0, 2.0], &[2.0, 1.0]), 1.0);
        assert_eq!(r2(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]), 1.0);
        assert!(r2(&[1.0, 1.0], &[1.0, 1.0]).is_nan());
    }
}
