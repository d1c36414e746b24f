//! Automatic defaults: parameters that depend on what is cheaply known of the data.
//!
//! Chosen by the study in `bench/quality/study.py`; its table is in `results/quality/study.md`.
//! Numbers want shallower trees with larger leaves than classes do, and so do few graphs. An
//! ensemble costs as many trainings, so many graphs have a smaller one unless a class is rare, and
//! very many, or many classes (a tree each, every round), go without. Where one of two classes is
//! rare its leaves are small, and shrunk more. Splits of classes must gain something, except for
//! few graphs: a split that separates no more classes is not worth a leaf.
//!
//! **Invariant.** Which class is rare is asked of the training graphs alone. The number of graphs
//! and of edge sets is that of the whole data set, training and validation: they use no targets,
//! and all folds of a cross-validation share them.
//!
//! **Cost.** An estimate of connected edge sets, milliseconds.

use super::hold_out::MIN_GRAPHS_TO_TUNE;
use super::{HoldOut, Plan};
use crate::boosting::loss::Loss;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::evaluation::Split;
use crate::mining::estimate_edge_sets;
use crate::model::Task;
use crate::params::{FixedParams, Params};

/// The parameters of a training on a part of the graphs of `data`, of which patterns of `max_edges`
/// edges are explored where that is automatic. Least gain, rounds and temperature, if all three are
/// automatic and rounds are not found by early stopping, are left to hold-out tuning, and with them
/// the weight of the linear model, if that is automatic, too.
///
/// # Errors
/// If the targets do not fit the loss, or a parameter is out of range.
pub fn plan(
    params: &Params,
    data: &Dataset,
    split: &Split,
    max_edges: Option<usize>,
) -> Result<Plan> {
    let graphs = split.train.len() + split.held_out.len();
    let mut fixed = params.fixed();
    if !params.has_auto() {
        return Ok(Plan { params: fixed.check()?, hold_out: None });
    }
    let loss = Loss::new(&fixed, data)?;
    let numbers = matches!(loss.task(), Task::Regression);
    let many_classes = loss.outputs() > 1;
    let few = graphs < SMALL_DATA_GRAPHS;
    let rare_class = has_rare_class(&loss, &split.train);
    if params.max_edges.is_auto() {
        fixed.max_edges = max_edges;
    }
    if params.depth.is_auto() && numbers {
        fixed.depth = 8;
    }
    if params.min_samples_leaf.is_auto() {
        fixed.min_samples_leaf = if numbers || few { 3 } else { 1 };
    }
    if params.min_gain.is_auto() && !numbers && graphs >= MIN_GRAPHS_TO_TUNE {
        fixed.min_gain = if many_classes { 0.01 } else { 1.0 };
    }
    if params.ensemble.is_auto() {
        fixed.ensemble = match () {
            () if many_classes || graphs > MAX_GRAPHS_FOR_ENSEMBLE => 1,
            () if few || rare_class => FixedParams::default().ensemble,
            () => 2,
        };
    }
    if params.l2.is_auto() {
        fixed.l2 = if rare_class { 3.0 } else { FixedParams::default().l2 };
    }
    if params.trees.is_auto() && many_classes {
        fixed.trees = ROUNDS_FOR_SEVERAL_CLASSES;
    }
    let tunes = params.min_gain.is_auto()
        && params.trees.is_auto()
        && params.temperature.is_auto()
        && params.early_stopping.is_none();
    let hold_out = tunes.then_some(HoldOut { linear: params.linear.is_auto() });
    Ok(Plan { params: fixed.check()?, hold_out })
}

/// Data sets of fewer graphs count as small.
const SMALL_DATA_GRAPHS: usize = 1_500;

/// Data sets of more graphs go without an ensemble.
const MAX_GRAPHS_FOR_ENSEMBLE: usize = 50_000;

/// More than two classes go without an ensemble, and profit from more rounds.
const ROUNDS_FOR_SEVERAL_CLASSES: usize = 200;

/// Whether one of two classes has less than a fifth of the training graphs.
fn has_rare_class(loss: &Loss, train: &[u32]) -> bool {
    let classes = loss.task().classes().len();
    let positive = train.iter().filter(|&&g| loss.targets()[g as usize] > 0.0).count();
    classes == 2 && 5 * positive.min(train.len() - positive) < train.len()
}

/// The most edges, up to 5, with which a census of the graphs stays a matter of seconds.
pub(crate) fn affordable_edges(data: &Dataset) -> usize {
    const UPPER_EDGES: usize = 5;
    const LOWER_EDGES: usize = 2;
    let affordable = AFFORDABLE_EDGE_SETS + AFFORDABLE_EDGE_SETS_PER_GRAPH * data.len() as f64;
    let fits = |edges: &usize| estimate_edge_sets(data.graphs(), *edges) <= affordable;
    (LOWER_EDGES + 1..=UPPER_EDGES).rev().find(fits).unwrap_or(LOWER_EDGES)
}

/// The number of connected edge sets, each an occurrence of a pattern, that a default training may
/// meet: for any data set, and more for each graph.
const AFFORDABLE_EDGE_SETS: f64 = 1.2e7;
const AFFORDABLE_EDGE_SETS_PER_GRAPH: f64 = 1500.0;
