//! Nested cross-validation: what choosing the best setting of a grid gives.
//!
//! For each outer fold the setting is chosen by an inner cross-validation on the other folds, whose
//! folds are these other folds themselves, so that groups which folds keep together stay together.
//! The chosen setting is then trained on all other folds and measured on the outer one: the choice
//! never sees the graphs that it is measured on.
//!
//! **Cost.** Leaving out folds i and j serves the inner validation of both, so each setting takes
//! k(k − 1)/2 inner trainings. The outer ones are those of its own cross-validation.

use rayon::prelude::{IntoParallelIterator, ParallelIterator};

use crate::boosting::loss::Loss;
use crate::error::{Error, Result};
use crate::evaluation::Split;
use crate::evaluation::folds::GraphFolds;
use crate::evaluation::metrics::{Metric, mean_sd};
use crate::evaluation::predictions::measure;
use crate::model::Predictions;

use super::cross_validation::{FoldTraining, FoldWork, FoldedMetric, headline, train_fold};
use super::{Explored, Request};

/// What choosing among settings gives.
#[derive(Clone, Debug)]
pub struct NestedResult {
    /// By outer fold, the number of the setting that was chosen.
    pub chosen: Vec<usize>,
    /// By outer fold, the training with the chosen setting.
    pub folds: Vec<FoldTraining>,
    /// All metrics that apply, over outer folds.
    pub headline: Vec<FoldedMetric>,
    /// The metric that settings are chosen by.
    pub metric: Metric,
}

/// The training of a setting without an outer fold: every setting has one of each from its own
/// cross-validation.
pub type OuterTraining<'t> = dyn Fn(usize, usize) -> FoldTraining + 't;

/// Two folds that are left out together.
#[derive(Clone, Copy)]
struct Pair {
    first: usize,
    second: usize,
}

/// A metric on each of two folds that were left out together.
struct PairMetric {
    pair: Pair,
    on_first: f64,
    on_second: f64,
}

/// Cross-validates the choice among `requests`; `None` if the observer stopped the work.
///
/// # Errors
/// Fewer than three folds; otherwise as cross-validation.
pub fn nested_cross_validate(
    explored: &Explored<'_>,
    requests: &[Request],
    folds: &GraphFolds,
    metric: Option<Metric>,
    done: &OuterTraining<'_>,
    work: FoldWork<'_>,
) -> Result<Option<NestedResult>> {
    let count = folds.count();
    if count < 3 {
        return Err(Error::parameter("nested", "needs at least three folds"));
    }
    let Some(first) = requests.first() else {
        return Err(Error::parameter("grid", "has no setting"));
    };
    let loss = Loss::new(&first.params.fixed(), explored.data())?;
    let metric = metric.unwrap_or(loss.truth(&[]).metrics()[0]);
    let pairs: Vec<Pair> = (0..count)
        .flat_map(|first| (first + 1..count).map(move |second| Pair { first, second }))
        .collect();
    let mut inner = Vec::with_capacity(requests.len());
    for request in requests {
        let on_pair = |&pair: &Pair| on_pair(explored, request, folds, pair, metric, work);
        let all: Vec<Option<PairMetric>> =
            pairs.clone().into_par_iter().map(|pair| on_pair(&pair)).collect::<Result<_>>()?;
        let all: Option<Vec<PairMetric>> = all.into_iter().collect();
        let Some(all) = all else { return Ok(None) };
        inner.push(all);
    }
    let chosen: Vec<usize> = (0..count).map(|outer| best_setting(&inner, outer, metric)).collect();
    let trained: Vec<FoldTraining> = (0..count).map(|outer| done(chosen[outer], outer)).collect();
    let metrics = loss.truth(&[]).metrics();
    let headline = metrics.iter().map(|&metric| headline(&trained, metric)).collect();
    Ok(Some(NestedResult { chosen, folds: trained, headline, metric }))
}

/// A setting trained without two folds, measured on each.
fn on_pair(
    explored: &Explored<'_>,
    request: &Request,
    folds: &GraphFolds,
    pair: Pair,
    metric: Metric,
    work: FoldWork<'_>,
) -> Result<Option<PairMetric>> {
    let first = folds.split(pair.first).held_out;
    let second = folds.split(pair.second).held_out;
    let mut held_out = [&first[..], &second[..]].concat();
    held_out.sort_unstable();
    let is_left_out = |g: &u32| held_out.binary_search(g).is_ok();
    let train = folds.graphs().iter().copied().filter(|g| !is_left_out(g)).collect();
    let split = Split { train, held_out };
    let work = FoldWork { keep_models: false, ..work };
    let trained =
        train_fold(explored, request, &split, work).map_err(|e| Error::in_fold(pair.first, &e))?;
    let Some(trained) = trained else { return Ok(None) };
    let loss = Loss::new(&request.params_for(explored.data())?.fixed(), explored.data())?;
    let outputs = loss.outputs();
    let on_fold = |graphs: &[u32]| {
        let at = |graph: &u32| split.held_out.binary_search(graph).unwrap_or(0) * outputs;
        let scores = graphs.iter().flat_map(|g| trained.scores[at(g)..at(g) + outputs].to_vec());
        let predicted = Predictions::new(loss.link(), outputs, scores.collect());
        measure(metric, &predicted, &loss.truth(graphs))
    };
    Ok(Some(PairMetric { pair, on_first: on_fold(&first), on_second: on_fold(&second) }))
}

/// The setting with the best mean over the inner folds of an outer one; the first of equals.
fn best_setting(inner: &[Vec<PairMetric>], outer: usize, metric: Metric) -> usize {
    let value = |pairs: &Vec<PairMetric>| {
        // Left out together with the outer fold, the other fold is the one to be measured on.
        let on_other = |one: &PairMetric| match outer {
            o if o == one.pair.first => Some(one.on_second),
            o if o == one.pair.second => Some(one.on_first),
            _ => None,
        };
        mean_sd(&pairs.iter().filter_map(on_other).collect::<Vec<f64>>()).mean
    };
    let values: Vec<f64> = inner.iter().map(value).collect();
    let mut best = 0;
    for (setting, &value) in values.iter().enumerate() {
        if metric.is_better(value, values[best]) {
            best = setting;
        }
    }
    best
}
