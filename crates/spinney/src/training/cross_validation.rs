//! Cross-validation: each fold is the whole recipe, trained on the other folds.
//!
//! **What is reported.** The headline is measured where each fold's recipe ends: with the
//! parameters and after the rounds that tuning found inside its training part. Test folds decide
//! nothing. The curves over rounds, and the round that is best on the test folds (the paper's
//! choice), are optimistic: that round was chosen by the graphs that it is measured on. Where folds
//! end at different rounds, one that has ended keeps its last value.
//!
//! **Invariant.** All settings see the same folds and share one census. Folds are trained in
//! parallel; the result does not depend on that. The model of a fold is the one that
//! [`train`] gives with that fold held out.

use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use serde::Serialize;
use serde_json::Value;

use crate::boosting::checkpoint::Identity;
use crate::boosting::loss::Loss;
use crate::boosting::record::{Round, StopReason};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::evaluation::folds::{Folds, GraphFolds};
use crate::evaluation::metrics::{MeanSd, Metric, mean_sd};
use crate::evaluation::predictions::evaluate;
use crate::evaluation::{Split, Truth};
use crate::model::{Model, Predictions};
use crate::params::Params;
use crate::tuning::{Tuned, TuningRecord};

use super::out_of_fold::StopOnly;
use super::recipe::{Settled, boost_in, settle};
use super::{Explored, Job, Method, Observer, Request, train};

/// A metric round by round, over folds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// The mean over folds, after each round.
    pub mean: Vec<f64>,
    /// The standard deviation over folds (of the sample, n − 1), after each round.
    pub sd: Vec<f64>,
}

/// A metric and its mean and standard deviation over folds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoldedMetric {
    /// The metric.
    pub metric: Metric,
    /// Over folds.
    pub value: MeanSd,
}

/// A metric and its curve.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricCurve {
    /// The metric.
    pub metric: Metric,
    /// Its values after each round.
    pub curve: Curve,
}

/// One training that left graphs out, measured on them.
#[derive(Clone, Debug)]
pub struct FoldTraining {
    /// The parameters as they were finally used.
    pub params: Value,
    /// What tuning found, if there was any.
    pub tuning: Option<TuningRecord>,
    /// The rounds, with all metrics on the graphs left out.
    pub rounds: Vec<Round>,
    /// The scores of the graphs left out, after the last round.
    pub scores: Vec<f64>,
    /// The model, if it was asked for.
    pub model: Option<Model>,
}

impl FoldTraining {
    /// A metric on the graphs left out, where the recipe ends.
    #[must_use]
    pub fn metric(&self, metric: Metric) -> f64 {
        let last = self.rounds.last();
        let found = last.and_then(|round| round.valid.iter().find(|v| v.0 == metric));
        found.map_or(f64::NAN, |v| v.1)
    }
}

/// What cross-validation says of one setting.
#[derive(Clone, Debug)]
pub struct SettingResult {
    /// The setting, as it was asked for.
    pub params: Params,
    /// Each fold.
    pub folds: Vec<FoldTraining>,
    /// All metrics that apply, where each fold's recipe ends.
    pub headline: Vec<FoldedMetric>,
    /// All metrics that apply, after every round: optimistic, see the module.
    pub curves: Vec<MetricCurve>,
    /// The round (from 1) with the best mean of the chosen metric: optimistic, see the module.
    pub best_round: usize,
    /// Seconds of training all folds.
    pub seconds: f64,
}

impl SettingResult {
    /// A metric where each fold's recipe ends.
    #[must_use]
    pub fn headline(&self, metric: Metric) -> Option<MeanSd> {
        self.headline.iter().find(|found| found.metric == metric).map(|found| found.value)
    }

    /// A metric after `round`, or after the last one if training stopped before: optimistic, see
    /// the module.
    #[must_use]
    pub fn at_round(&self, metric: Metric, round: usize) -> Option<MeanSd> {
        let curve = &self.curves.iter().find(|one| one.metric == metric)?.curve;
        let at = round.min(curve.mean.len()).checked_sub(1)?;
        Some(MeanSd { mean: curve.mean[at], sd: curve.sd[at] })
    }
}

/// Keeps finished folds, and may stop the work.
pub trait FoldKeeper: Sync {
    /// A fold that was finished earlier; `identity` says which.
    fn known(&self, _identity: &dyn Fn() -> Identity) -> Option<FoldTraining> {
        None
    }

    /// A fold is finished.
    fn done(&self, _identity: &dyn Fn() -> Identity, _fold: &FoldTraining) {}
}

/// Keeps nothing.
impl FoldKeeper for super::Silent {}

/// How a cross-validation works.
#[derive(Clone, Copy)]
pub struct FoldWork<'w> {
    /// Sees that the work is to stop.
    pub observer: &'w dyn Observer,
    /// Keeps finished folds.
    pub keeper: &'w dyn FoldKeeper,
    /// Whether the models of folds are wanted.
    pub keep_models: bool,
}

impl FoldWork<'_> {
    /// Without an observer or anything kept.
    #[must_use]
    pub fn silent() -> FoldWork<'static> {
        FoldWork { observer: &super::Silent, keeper: &super::Silent, keep_models: false }
    }
}

/// Random folds of `graphs`, which all have a target in `data`; classes are spread evenly over
/// folds.
///
/// # Errors
/// If the targets do not fit the loss, or there are fewer graphs than folds.
pub fn random_folds(
    data: &Dataset,
    graphs: Vec<u32>,
    params: &Params,
    count: usize,
) -> Result<GraphFolds> {
    let all = Loss::new(&params.fixed(), data)?.strata();
    let strata: Vec<u32> = graphs.iter().map(|&g| all[g as usize]).collect();
    GraphFolds::new(Folds::random(&strata, count, params.seed)?, graphs)
}

/// Cross-validates one setting; `None` if the observer stopped the work. `chosen` decides the best
/// round; `None` takes accuracy or RMSE.
///
/// # Errors
/// Bad targets, a fold that cannot be trained on, or a limit that was reached.
pub fn cross_validate(
    explored: &Explored<'_>,
    request: &Request,
    folds: &GraphFolds,
    chosen: Option<Metric>,
    work: FoldWork<'_>,
) -> Result<Option<SettingResult>> {
    let started = std::time::Instant::now();
    let one = |fold| {
        let trained = train_fold(explored, request, &folds.split(fold), work);
        trained.map_err(|e| Error::in_fold(fold, &e))
    };
    let all: Vec<Option<FoldTraining>> =
        (0..folds.count()).into_par_iter().map(one).collect::<Result<_>>()?;
    let all: Option<Vec<FoldTraining>> = all.into_iter().collect();
    let Some(trained) = all else { return Ok(None) };
    let curves = curves(&trained);
    let Some(first) = curves.first() else { return Err(Error::data("no fold has a round")) };
    let metric = chosen.unwrap_or(first.metric);
    let Some(watched) = curves.iter().find(|one| one.metric == metric) else {
        return Err(Error::parameter("metric", format!("{metric} does not fit the targets")));
    };
    let best_round = best_round(metric, &watched.curve);
    let headline = curves.iter().map(|one| headline(&trained, one.metric)).collect();
    let seconds = started.elapsed().as_secs_f64();
    let params = request.params_for(explored.data())?;
    Ok(Some(SettingResult { params, folds: trained, headline, curves, best_round, seconds }))
}

/// The predictions of all graphs of the folds, each by the training that left it out, and which
/// graphs these are, fold by fold.
///
/// # Errors
/// If the targets do not fit the loss.
pub fn predictions(
    explored: &Explored<'_>,
    result: &SettingResult,
    folds: &GraphFolds,
) -> Result<Predictions> {
    let loss = Loss::new(&result.params.fixed(), explored.data())?;
    let outputs = result.folds.first().map_or(1, |fold| {
        let graphs = folds.split(0).held_out.len().max(1);
        fold.scores.len() / graphs
    });
    let mut scores = vec![0.0; folds.graphs().len() * outputs];
    let mut position = vec![0; explored.data().len()];
    for (at, &graph) in folds.graphs().iter().enumerate() {
        position[graph as usize] = at;
    }
    for (fold, trained) in result.folds.iter().enumerate() {
        let held_out = folds.split(fold).held_out;
        for (&graph, of_graph) in held_out.iter().zip(trained.scores.chunks_exact(outputs)) {
            let at = position[graph as usize] * outputs;
            scores[at..at + outputs].copy_from_slice(of_graph);
        }
    }
    Ok(Predictions::new(loss.link(), outputs, scores))
}

/// One training without the held-out graphs of `split`; `None` if the observer stopped it.
///
/// # Errors
/// As [`train`].
pub fn train_fold(
    explored: &Explored<'_>,
    request: &Request,
    split: &Split,
    work: FoldWork<'_>,
) -> Result<Option<FoldTraining>> {
    let data = explored.data();
    let requested = || serde_json::to_value(&request.params).unwrap_or_default();
    let identity = || Identity::new(data, requested(), split);
    if !work.keep_models
        && let Some(known) = work.keeper.known(&identity)
    {
        return Ok(Some(known));
    }
    let observer = StopOnly(work.observer);
    if observer.should_stop() {
        return Ok(None);
    }
    data.require_targets(&split.train)?;
    data.require_targets(&split.held_out)?;
    let job = Job::new(split);
    let fold = if work.keep_models || request.method != Method::Trees {
        whole_training(explored, request, &job, &observer)
    } else {
        without_model(explored, request, &job, &observer)
    };
    let fold = match fold {
        Err(e) if e.is_interrupted() => None,
        fold => fold?,
    };
    if let Some(fold) = &fold {
        work.keeper.done(&identity, fold);
    }
    Ok(fold)
}

/// Trees alone: no model is assembled and certified.
fn without_model(
    explored: &Explored<'_>,
    request: &Request,
    job: &Job<'_>,
    observer: &dyn Observer,
) -> Result<Option<FoldTraining>> {
    let Settled { tuned: Tuned { params, record: tuning }, workspace } =
        settle(explored, request, job, observer)?;
    let trained = boost_in(workspace, &params, job, observer)?.trained;
    let scores = trained.valid_predictions().into_scores();
    let record = trained.into_record();
    let Some(rounds) = whole_rounds(record.stopped, record.rounds, params.trees)? else {
        return Ok(None);
    };
    let params = serde_json::to_value(&*params).unwrap_or_default();
    Ok(Some(FoldTraining { params, tuning, rounds, scores, model: None }))
}

/// The same with the model, by which the graphs left out are scored.
fn whole_training(
    explored: &Explored<'_>,
    request: &Request,
    job: &Job<'_>,
    observer: &dyn Observer,
) -> Result<Option<FoldTraining>> {
    let outcome = train(explored, request, job, observer)?;
    let loss = Loss::new(&outcome.params, explored.data())?;
    let held_out = &job.split.held_out;
    let graphs: Vec<usize> = held_out.iter().map(|&g| g as usize).collect();
    let predicted = outcome.model.predict(&explored.data().subset(&graphs));
    let rounds = match outcome.record.trees() {
        Some(record) => {
            let rounds = record.rounds.clone();
            let Some(rounds) = whole_rounds(record.stopped, rounds, outcome.params.trees)? else {
                return Ok(None);
            };
            rounds
        }
        None => vec![Round::of_model(evaluate(&predicted, &loss.truth(held_out)))],
    };
    Ok(Some(FoldTraining {
        params: serde_json::to_value(&*outcome.params).unwrap_or_default(),
        tuning: outcome.tuning,
        rounds,
        scores: predicted.into_scores(),
        model: Some(outcome.model),
    }))
}

/// The rounds of a training that was not cut short; nothing if the observer stopped it.
fn whole_rounds(
    stopped: StopReason,
    rounds: Vec<Round>,
    asked: usize,
) -> Result<Option<Vec<Round>>> {
    if stopped == StopReason::Interrupted {
        return Ok(None);
    }
    if stopped.is_limit() {
        let done = rounds.len();
        return Err(Error::limit(format!("{} in round {done} of {asked}", stopped.text())));
    }
    Ok(Some(rounds))
}

/// The mean and standard deviation of a metric where each fold ends.
pub(super) fn headline(folds: &[FoldTraining], metric: Metric) -> FoldedMetric {
    let values: Vec<f64> = folds.iter().map(|fold| fold.metric(metric)).collect();
    FoldedMetric { metric, value: mean_sd(&values) }
}

/// The first round with the best mean.
fn best_round(metric: Metric, curve: &Curve) -> usize {
    let mut best = 0;
    for (round, &value) in curve.mean.iter().enumerate() {
        if metric.is_better(value, curve.mean[best]) {
            best = round;
        }
    }
    best + 1
}

/// Means over folds at every round. A fold that ended early keeps its last value.
fn curves(folds: &[FoldTraining]) -> Vec<MetricCurve> {
    let rounds = folds.iter().map(|fold| fold.rounds.len()).max().unwrap_or(0);
    let first = folds.first().and_then(|fold| fold.rounds.first());
    let metrics: Vec<Metric> = first.into_iter().flat_map(|r| &r.valid).map(|v| v.0).collect();
    let at = |fold: &FoldTraining, round: usize, metric: usize| {
        let round = fold.rounds.get(round).or(fold.rounds.last());
        round.and_then(|round| round.valid.get(metric)).map_or(f64::NAN, |v| v.1)
    };
    let curve = |metric: usize| {
        let folded = |round: usize| {
            mean_sd(&folds.iter().map(|fold| at(fold, round, metric)).collect::<Vec<f64>>())
        };
        let all: Vec<MeanSd> = (0..rounds).map(folded).collect();
        Curve { mean: all.iter().map(|v| v.mean).collect(), sd: all.iter().map(|v| v.sd).collect() }
    };
    metrics.iter().enumerate().map(|(i, &metric)| MetricCurve { metric, curve: curve(i) }).collect()
}

/// What is true of all graphs of the folds, in their order.
///
/// # Errors
/// If the targets do not fit the loss.
pub fn truth(explored: &Explored<'_>, params: &Params, folds: &GraphFolds) -> Result<Truth> {
    Ok(Loss::new(&params.fixed(), explored.data())?.truth(folds.graphs()))
}
