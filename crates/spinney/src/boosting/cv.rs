//! Cross-validation over a grid of settings.
//!
//! **Invariant.** All settings see the same folds and share one exploration, that of the largest
//! `max_edges`. Folds are trained in parallel; the result does not depend on that.

use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use serde::Serialize;

use super::checkpoint::Identity;
use super::explore::Exploration;
use super::fit::{Booster, Trained};
use super::params::ValidParams;
use super::record::{Round, StopReason};
use super::sampling::shuffled;
use super::trial::settled;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::metrics::{Metric, mean_sd};
use crate::model::{Link, Predictions};

/// The test fold of each graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    fold_of: Vec<u32>,
    count: u32,
}

impl Folds {
    /// From the fold of each graph, as read from a file. Folds may have any numbers.
    ///
    /// # Errors
    /// If there are fewer than two folds or not one entry a graph.
    pub fn from_numbers(numbers: &[i64], graphs: usize) -> Result<Folds> {
        if numbers.len() != graphs {
            return Err(Error::data(format!(
                "the folds file has {} entries for {graphs} graphs: it must have one line a graph, \
                 in the order of the graphs",
                numbers.len()
            )));
        }
        let mut distinct = numbers.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() < 2 {
            return Err(Error::data("cross-validation needs at least two folds"));
        }
        let of = |n: &i64| distinct.partition_point(|d| d < n) as u32;
        Ok(Folds { fold_of: numbers.iter().map(of).collect(), count: distinct.len() as u32 })
    }

    /// Folds by the name that each graph's fold has.
    ///
    /// # Errors
    /// If there are fewer than two names.
    pub fn named<G: Ord>(names: &[G]) -> Result<Folds> {
        let distinct: std::collections::BTreeSet<&G> = names.iter().collect();
        let numbers: std::collections::BTreeMap<&G, i64> = distinct.into_iter().zip(0..).collect();
        let numbers: Vec<i64> = names.iter().map(|n| numbers[n]).collect();
        Folds::from_numbers(&numbers, names.len())
    }

    /// Random folds of even size; with classes, each class is dealt out evenly.
    ///
    /// # Errors
    /// If there are fewer than two folds or fewer graphs than folds.
    pub fn random(strata: &[u32], count: usize, seed: u64) -> Result<Folds> {
        if count < 2 || count > strata.len() {
            return Err(Error::parameter(
                "folds",
                format!(
                    "{count} folds of {} graphs: take 2 or more, at most one a graph",
                    strata.len()
                ),
            ));
        }
        let mut order = shuffled(strata.len(), seed, 0xf01d);
        order.sort_by_key(|&i| strata[i as usize]);
        let mut fold_of = vec![0; strata.len()];
        for (dealt, &i) in order.iter().enumerate() {
            fold_of[i as usize] = (dealt % count) as u32;
        }
        Ok(Folds { fold_of, count: count as u32 })
    }

    /// Folds that keep groups together (scaffolds, for example): the groups, largest first, go to
    /// the fold that is smallest so far.
    ///
    /// # Errors
    /// If there are fewer than two folds or fewer groups than folds.
    pub fn grouped<G: Ord>(groups: &[G], count: usize) -> Result<Folds> {
        let mut members: std::collections::BTreeMap<&G, Vec<usize>> = Default::default();
        for (i, group) in groups.iter().enumerate() {
            members.entry(group).or_default().push(i);
        }
        if count < 2 || count > members.len() {
            return Err(Error::parameter(
                "folds",
                format!(
                    "{count} folds of {} groups: take 2 or more, at most one a group",
                    members.len()
                ),
            ));
        }
        let mut members: Vec<Vec<usize>> = members.into_values().collect();
        members.sort_by_key(|m| (std::cmp::Reverse(m.len()), m[0]));
        let mut sizes = vec![0usize; count];
        let mut fold_of = vec![0; groups.len()];
        for group in members {
            let fold = (0..count).min_by_key(|&f| sizes[f]).unwrap_or(0);
            sizes[fold] += group.len();
            group.into_iter().for_each(|i| fold_of[i] = fold as u32);
        }
        Ok(Folds { fold_of, count: count as u32 })
    }

    /// The number of folds.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// The fold of each graph.
    #[must_use]
    pub fn numbers(&self) -> &[u32] {
        &self.fold_of
    }

    /// The graphs outside and inside a fold: to train on, to test on.
    #[must_use]
    pub fn split(&self, fold: usize) -> (Vec<u32>, Vec<u32>) {
        (0..self.fold_of.len() as u32).partition(|&i| self.fold_of[i as usize] != fold as u32)
    }
}

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

/// Strata for random folds: the classes of `data`, or one stratum for numbers.
///
/// # Errors
/// If targets are missing.
pub fn strata(data: &Dataset, params: &ValidParams) -> Result<Vec<u32>> {
    let loss = super::loss::Loss::new(params, data)?;
    let numbers = loss.task().classes().is_empty();
    Ok(loss.targets().iter().map(|&t| if numbers { 0 } else { t as u32 }).collect())
}

#[cfg(test)]
mod tests {
    use super::Folds;

    #[test]
    fn random_folds_are_stratified_and_whole() {
        let strata: Vec<u32> = (0..100).map(|i| u32::from(i % 5 == 0)).collect();
        let folds = Folds::random(&strata, 10, 1).unwrap();
        for fold in 0..10 {
            let (train, test) = folds.split(fold);
            assert_eq!((train.len(), test.len()), (90, 10));
            assert_eq!(test.iter().filter(|&&i| strata[i as usize] == 1).count(), 2);
        }
        assert_ne!(folds, Folds::random(&strata, 10, 2).unwrap());
        assert!(Folds::random(&strata, 1, 0).is_err());
        assert!(Folds::random(&strata, 101, 0).is_err());
    }

    #[test]
    fn groups_stay_together_and_folds_stay_even() {
        let groups = ["a", "b", "a", "c", "b", "a", "d", "e", "f"];
        let folds = Folds::grouped(&groups, 3).unwrap();
        for fold in 0..3 {
            let (train, test) = folds.split(fold);
            assert_eq!(test.len(), 3);
            let apart = |t: &u32| test.iter().all(|s| groups[*s as usize] != groups[*t as usize]);
            assert!(train.iter().all(apart));
        }
        assert!(Folds::grouped(&groups, 7).is_err());
        assert!(Folds::grouped(&groups, 1).is_err());
    }

    #[test]
    fn numbered_folds() {
        let folds = Folds::from_numbers(&[7, 3, 7, -1], 4).unwrap();
        assert_eq!(folds.count(), 3);
        assert_eq!(folds.split(2), (vec![1, 3], vec![0, 2]));
        assert!(
            Folds::from_numbers(&[1, 2], 3).unwrap_err().to_string().contains("2 entries for 3")
        );
        assert!(Folds::from_numbers(&[1, 1], 2).is_err());
    }
}
