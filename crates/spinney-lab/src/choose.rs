//! Choosing a setting and a round, in two ways.
//!
//! *On the test folds*: what has the best mean over them, as the paper did. The number is then a
//! maximum over hundreds of means on the same graphs: optimistic. *Nested*: for each fold, what is
//! best on the next fold after training without both; then that setting and round, trained on
//! everything but the fold, is measured on it. No test graph has a say in its own setting.

use serde::{Deserialize, Serialize};
use spinney::evaluation::metrics::{MeanSd, mean_sd};

/// One setting, fold by fold, round by round (gBoost: one round).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curves {
    /// Accuracy on each fold after training on the others.
    pub accuracy: Vec<Vec<f32>>,
    /// AUC on the same.
    pub auc: Vec<Vec<f32>>,
    /// Accuracy on the next fold after training without this one and the next.
    pub inner: Vec<Vec<f32>>,
}

/// Mean and sample standard deviation over folds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub sd: f64,
}

/// What a choice comes to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chosen {
    /// Accuracy.
    pub accuracy: Spread,
    /// AUC, of the same settings and rounds.
    pub auc: Spread,
    /// Setting and round (from 0); with nested choice, of each fold.
    pub at: Vec<(usize, usize)>,
}

/// A value at a round; what stopped early keeps its last.
fn at(curve: &[f32], round: usize) -> f64 {
    curve.get(round).or(curve.last()).map_or(f64::NAN, |&v| f64::from(v))
}

fn spread(values: &[f64]) -> Spread {
    let MeanSd { mean, sd } = mean_sd(values);
    Spread { mean, sd }
}

/// The first setting and round of the largest value.
fn best(settings: &[Curves], value: impl Fn(&Curves, usize) -> f64) -> (usize, usize) {
    let mut best = ((0, 0), f64::MIN);
    for (number, curves) in settings.iter().enumerate() {
        let rounds = curves.accuracy.iter().chain(&curves.inner).map(Vec::len).max().unwrap_or(0);
        for round in 0..rounds {
            let value = value(curves, round);
            if value > best.1 {
                best = ((number, round), value);
            }
        }
    }
    best.0
}

/// The best mean over the test folds.
#[must_use]
pub fn on_test_folds(settings: &[Curves]) -> Chosen {
    let mean = |c: &Curves, round: usize| {
        c.accuracy.iter().map(|fold| at(fold, round)).sum::<f64>() / c.accuracy.len() as f64
    };
    let (setting, round) = best(settings, mean);
    at_setting(&settings[setting], setting, round)
}

/// One setting at one round, whatever the others come to.
#[must_use]
pub fn at_setting(curves: &Curves, setting: usize, round: usize) -> Chosen {
    let over = |folds: &[Vec<f32>]| -> Vec<f64> { folds.iter().map(|f| at(f, round)).collect() };
    Chosen {
        accuracy: spread(&over(&curves.accuracy)),
        auc: spread(&over(&curves.auc)),
        at: vec![(setting, round)],
    }
}

/// Each fold with what was best without it.
#[must_use]
pub fn nested(settings: &[Curves]) -> Chosen {
    let folds = settings.first().map_or(0, |c| c.accuracy.len());
    let chosen: Vec<(usize, usize)> =
        (0..folds).map(|f| best(settings, |c, round| at(&c.inner[f], round))).collect();
    let over = |of: fn(&Curves) -> &Vec<Vec<f32>>| -> Vec<f64> {
        let fold = |(f, &(s, round)): (usize, &(usize, usize))| at(&of(&settings[s])[f], round);
        chosen.iter().enumerate().map(fold).collect()
    };
    let accuracy = spread(&over(|c| &c.accuracy));
    let auc = spread(&over(|c| &c.auc));
    Chosen { accuracy, auc, at: chosen }
}

#[cfg(test)]
mod tests {
    use super::{Chosen, Curves, nested, on_test_folds};

    fn curves(accuracy: [[f32; 2]; 2], inner: [[f32; 2]; 2]) -> Curves {
        let accuracy: Vec<Vec<f32>> = accuracy.map(Vec::from).into();
        Curves { auc: accuracy.clone(), accuracy, inner: inner.map(Vec::from).into() }
    }

    #[test]
    fn test_folds_choose_one_setting_and_nested_choice_one_a_fold() {
        let settings = [
            curves([[0.5, 0.7], [0.5, 0.6]], [[0.9, 0.1], [0.2, 0.3]]),
            curves([[0.6, 0.5], [0.8, 0.4]], [[0.8, 0.2], [0.4, 0.3]]),
        ];
        let Chosen { accuracy, at, .. } = on_test_folds(&settings);
        // 0.65 (first setting, second round) against 0.7 (second setting, first round).
        assert_eq!(at, [(1, 0)]);
        assert!((accuracy.mean - 0.7).abs() < 1e-6 && (accuracy.sd - 0.02f64.sqrt()).abs() < 1e-6);
        let Chosen { accuracy, at, .. } = nested(&settings);
        assert_eq!(at, [(0, 0), (1, 0)]);
        assert!((accuracy.mean - 0.65).abs() < 1e-6, "{accuracy:?}");
    }
}
