//! Predictions of graphs whose truth is known, and how sure their quality is.
//!
//! **Spread.** With folds, the mean and the standard deviation of the folds' values (the sample's,
//! n − 1). Without, the standard deviation over resamples with replacement (Efron's bootstrap),
//! drawn from a fixed seed so that the same page is made again.

use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use spinney::evaluation::metrics::{MeanSd, Metric, mean_sd};
use spinney::evaluation::predictions::measure;
use spinney::model::{Predictions, Truth};

const RESAMPLES: u64 = 200;

/// Which graphs were predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluatedOn {
    /// Each graph by a model that was trained on the other folds.
    CrossValidation,
    /// Graphs held out of the training.
    HeldOut,
    /// Graphs that may or may not have been trained on.
    Given,
    /// The training graphs: too good to be true.
    Training,
}

/// Predictions and the truth.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Which graphs they are.
    pub on: EvaluatedOn,
    /// The graphs, as places in the sample.
    pub rows: Vec<usize>,
    /// Their predictions.
    pub predictions: Predictions,
    /// The truth, in the same order.
    pub truth: Truth,
    /// The fold of each; all 0 if there are none.
    pub folds: Vec<u32>,
}

/// A measure and its spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// What was measured.
    pub metric: Metric,
    /// Its value, or its mean over folds.
    pub value: f64,
    /// Its standard deviation.
    pub sd: f64,
}

impl Evaluation {
    /// The number of folds.
    #[must_use]
    pub fn fold_count(&self) -> u32 {
        self.folds.iter().max().map_or(0, |most| most + 1)
    }

    /// All measures that apply, with their spread.
    #[must_use]
    pub fn measures(&self) -> Vec<Measured> {
        let folds = self.fold_count();
        let of = |metric: Metric| {
            if folds > 1 {
                let members = |fold: u32| {
                    (0..self.rows.len()).filter(|&i| self.folds[i] == fold).collect::<Vec<_>>()
                };
                let values = (0..folds).map(|fold| self.measure(metric, &members(fold)));
                let MeanSd { mean, sd } = mean_sd(&values.collect::<Vec<f64>>());
                return Measured { metric, value: mean, sd };
            }
            let all: Vec<usize> = (0..self.rows.len()).collect();
            let drawn = (0..RESAMPLES)
                .into_par_iter()
                .map(|seed| self.measure(metric, &resample(self.rows.len(), seed)));
            let drawn: Vec<f64> =
                drawn.collect::<Vec<_>>().into_iter().filter(|v| !v.is_nan()).collect();
            Measured { metric, value: self.measure(metric, &all), sd: mean_sd(&drawn).sd }
        };
        self.truth.metrics().map(of).to_vec()
    }

    fn measure(&self, metric: Metric, members: &[usize]) -> f64 {
        let scores = members.iter().flat_map(|&i| self.predictions.scores(i).iter().copied());
        let outputs = self.predictions.outputs();
        let predictions = Predictions::new(self.predictions.link(), outputs, scores.collect());
        let truth = match &self.truth {
            Truth::Classes(all) => Truth::Classes(members.iter().map(|&i| all[i]).collect()),
            Truth::Numbers(all) => Truth::Numbers(members.iter().map(|&i| all[i]).collect()),
        };
        measure(metric, &predictions, &truth)
    }
}

/// `n` draws from `0..n`, by splitmix64.
fn resample(n: usize, seed: u64) -> Vec<usize> {
    let mut state = seed.wrapping_mul(0xd134_2543_de82_ef95);
    let mut draw = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * n as u128) >> 64) as usize
    };
    (0..n).map(|_| draw()).collect()
}

#[cfg(test)]
mod tests {
    use super::{EvaluatedOn, Evaluation};
    use spinney::Metric;
    use spinney::model::{Link, Predictions, Truth};

    fn evaluation(folds: Vec<u32>) -> Evaluation {
        let n = folds.len();
        let scores = (0..n).map(|i| if i % 4 == 0 { -1.0 } else { 1.0 }).collect();
        Evaluation {
            on: EvaluatedOn::Given,
            rows: (0..n).collect(),
            predictions: Predictions::new(Link::Logistic, 1, scores),
            truth: Truth::Classes((0..n as u32).map(|i| i % 2).collect()),
            folds,
        }
    }

    #[test]
    fn spread_over_folds_and_over_resamples() {
        // Three of four are right in each fold.
        let folded = evaluation((0..400).map(|i| i / 100).collect()).measures();
        assert_eq!(
            (folded[0].metric, folded[0].value, folded[0].sd),
            (Metric::Accuracy, 0.75, 0.0)
        );
        let whole = evaluation(vec![0; 400]).measures();
        assert_eq!(whole[0].value, 0.75);
        // Binomial: √(.75 · .25 / 400) = .0217.
        assert!((whole[0].sd - 0.0217).abs() < 0.004, "{}", whole[0].sd);
    }
}
