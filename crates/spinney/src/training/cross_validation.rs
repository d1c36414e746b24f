//! Cross-validation over a grid of settings.
//!
//! **Invariant.** All settings see the same folds and share one exploration, that of the largest
//! `max_edges`. Folds are trained in parallel; the result does not depend on that.

use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use serde::Serialize;

use crate::boosting::booster::{Booster, Trained};
use crate::boosting::checkpoint::Identity;
use crate::boosting::record::{Round, StopReason};
use crate::error::{Error, Result};
use crate::evaluation::folds::Folds;
use crate::evaluation::metrics::{Metric, mean_sd};
use crate::mining::exploration::Exploration;
use crate::model::{Link, Predictions};
use crate::params::ValidParams;
use crate::tuning::hold_out::settled;

/// A metric round by round, over folds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// The mean over folds, after each round.
    pub mean: Vec<f64>,
    /// The standard deviation over folds (of the sample, n − 1), after each round.
    pub sd: Vec<f64>,
}

/// What cross-validation says of one setting.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The setting.
    pub params: ValidParams,
    /// All metrics that apply.
    pub curves: Vec<(Metric, Curve)>,
    /// The round (from 1) with the best mean of the chosen metric.
    pub best_round: usize,
    /// Seconds of training, summed over folds.
    pub seconds: f64,
}

impl Setting {
    /// Mean and standard deviation of a metric after `round`, or after the last one if training
    /// stopped before.
    #[must_use]
    pub fn at(&self, metric: Metric, round: usize) -> Option<(f64, f64)> {
        let curve = &self.curves.iter().find(|c| c.0 == metric)?.1;
        let at = round.min(curve.mean.len()).checked_sub(1)?;
        Some((curve.mean[at], curve.sd[at]))
    }
}

/// Keeps finished cells (a setting without one fold) of a cross-validation, and may stop it.
pub trait Keeper: Sync {
    /// The rounds of a cell that was finished earlier; `identity` says which.
    fn known(&self, _identity: &dyn Fn() -> Identity, _trees: usize) -> Option<Vec<Round>> {
        None
    }
    /// A cell is finished.
    fn done(&self, identity: &dyn Fn() -> Identity, trees: usize, rounds: &[Round]);
    /// Whether to go on, asked after each round.
    fn goes_on(&self) -> bool {
        true
    }
}

/// Only counts.
struct Counts<F>(F);

impl<F: Fn() + Sync> Keeper for Counts<F> {
    fn done(&self, _: &dyn Fn() -> Identity, _: usize, _: &[Round]) {
        (self.0)();
    }
}

/// Cross-validates one setting. `chosen` decides the best round; `None` takes accuracy or RMSE.
/// `done` is called after each fold.
///
/// # Errors
/// Bad targets, or a fold that cannot be trained on.
pub fn cross_validate(
    exploration: &Exploration<'_>,
    folds: &Folds,
    params: &ValidParams,
    chosen: Option<Metric>,
    done: impl Fn() + Sync,
) -> Result<Setting> {
    let all = cross_validate_kept(exploration, folds, params, chosen, &Counts(done))?;
    all.ok_or_else(|| Error::failed("interrupted"))
}

/// The same with a `keeper` of finished cells; `None` if it stopped the work.
///
/// # Errors
/// Bad targets, or a fold that cannot be trained on.
pub fn cross_validate_kept(
    exploration: &Exploration<'_>,
    folds: &Folds,
    params: &ValidParams,
    chosen: Option<Metric>,
    keeper: &dyn Keeper,
) -> Result<Option<Setting>> {
    let started = std::time::Instant::now();
    let one = |fold| {
        cell(exploration, &folds.split(fold), params, keeper).map_err(|e| Error::in_fold(fold, &e))
    };
    let rounds: Vec<Option<Vec<Round>>> =
        (0..folds.count()).into_par_iter().map(one).collect::<Result<_>>()?;
    let rounds: Option<Vec<Vec<Round>>> = rounds.into_iter().collect();
    let Some(rounds) = rounds else { return Ok(None) };
    setting(&rounds, params, chosen, started).map(Some)
}

/// The same, with the prediction of every graph by the model that was not trained on it, after the last
/// round.
///
/// # Errors
/// Bad targets, or a fold that cannot be trained on.
pub fn cross_predict(
    exploration: &Exploration<'_>,
    folds: &Folds,
    params: &ValidParams,
    chosen: Option<Metric>,
    done: impl Fn() + Sync,
) -> Result<(Setting, Predictions)> {
    let started = std::time::Instant::now();
    let parts = each_fold(exploration, folds, params, |fold, trained| {
        done();
        let predictions = trained.valid_predictions();
        (trained.into_record().rounds, predictions, folds.split(fold).1)
    })?;
    let (link, outputs) =
        parts.first().map_or((Link::Identity, 1), |p| (p.1.link(), p.1.outputs()));
    let mut scores = vec![0.0; exploration.data().len() * outputs];
    for (_, predictions, test) in &parts {
        for (i, &graph) in test.iter().enumerate() {
            let place = graph as usize * outputs;
            scores[place..place + outputs].copy_from_slice(predictions.scores(i));
        }
    }
    let rounds: Vec<Vec<Round>> = parts.into_iter().map(|p| p.0).collect();
    let predictions = Predictions::new(link, outputs, scores);
    Ok((setting(&rounds, params, chosen, started)?, predictions))
}

/// What `f` makes of the training outside each fold.
fn each_fold<T: Send>(
    exploration: &Exploration<'_>,
    folds: &Folds,
    params: &ValidParams,
    f: impl Fn(usize, Trained<'_>) -> T + Sync,
) -> Result<Vec<T>> {
    let one = |fold| {
        let (train, test) = folds.split(fold);
        let params = settled(exploration, params, &train, &|| true)?;
        let trained = Booster::new(exploration, &params, &train, &test)
            .and_then(|booster| booster.run(|_| true))
            .map_err(|e| Error::in_fold(fold, &e))?;
        Ok(f(fold, trained))
    };
    (0..folds.count()).into_par_iter().map(one).collect()
}

/// What the rounds of all folds say.
fn setting(
    rounds: &[Vec<Round>],
    params: &ValidParams,
    chosen: Option<Metric>,
    started: std::time::Instant,
) -> Result<Setting> {
    let curves = curves(rounds);
    let metric = chosen.or_else(|| curves.first().map(|c| c.0)).unwrap_or(Metric::Accuracy);
    let Some((_, curve)) = curves.iter().find(|c| c.0 == metric) else {
        return Err(Error::parameter("metric", format!("{metric} does not fit the targets")));
    };
    let mut best = 0;
    for (i, &value) in curve.mean.iter().enumerate() {
        if metric.is_better(value, curve.mean[best]) {
            best = i;
        }
    }
    let (seconds, best_round) = (started.elapsed().as_secs_f64(), best + 1);
    Ok(Setting { params: params.clone(), best_round, curves, seconds })
}

/// The rounds of one training; `None` if the keeper stopped it.
fn cell(
    exploration: &Exploration<'_>,
    (train, test): &(Vec<u32>, Vec<u32>),
    params: &ValidParams,
    keeper: &dyn Keeper,
) -> Result<Option<Vec<Round>>> {
    let params = &settled(exploration, params, train, &|| keeper.goes_on())?;
    let identity = || Identity::new(exploration.data(), params, train, test);
    if let Some(rounds) = keeper.known(&identity, params.trees) {
        return Ok(Some(rounds));
    }
    if !keeper.goes_on() {
        return Ok(None);
    }
    let booster = Booster::new(exploration, params, train, test)?;
    let record = booster.run(|_| keeper.goes_on())?.into_record();
    if record.stopped == StopReason::Interrupted {
        return Ok(None);
    }
    if record.stopped.is_limit() {
        let (why, done) = (record.stopped.text(), record.rounds.len());
        return Err(Error::failed(format!("{why} in round {done} of {}", params.trees)));
    }
    keeper.done(&identity, params.trees, &record.rounds);
    Ok(Some(record.rounds))
}

/// Means over folds at every round. A fold that stopped early keeps its last value.
fn curves(folds: &[Vec<Round>]) -> Vec<(Metric, Curve)> {
    let length = folds.iter().map(Vec::len).max().unwrap_or(0);
    let metrics = folds.first().and_then(|f| f.first()).map(|r| r.valid.clone());
    let metrics = metrics.unwrap_or_default().into_iter().map(|v| v.0);
    metrics
        .enumerate()
        .map(|(m, metric)| {
            let (mean, sd) = (0..length)
                .map(|r| {
                    let at = |fold: &Vec<Round>| {
                        let round = fold.get(r).or(fold.last());
                        round.and_then(|round| round.valid.get(m)).map_or(f64::NAN, |v| v.1)
                    };
                    mean_sd(&folds.iter().map(at).collect::<Vec<f64>>())
                })
                .unzip();
            (metric, Curve { mean, sd })
        })
        .collect()
}
