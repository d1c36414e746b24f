//! What the default preset makes of the data: parameters that depend on what is cheaply known.
//!
//! Chosen by the study in `bench/quality/study.py`; its table is in `results/quality/study.md`. Numbers
//! want shallower trees with larger leaves than classes do, and so do few graphs; an ensemble costs as
//! many trainings, so many graphs have a smaller one unless a class is rare, and very many, or many classes
//! (a tree each, every round), go without. Where one of two classes is rare its leaves are small, and shrunk more. Splits of
//! classes must gain something, but for few graphs: one that is known already is not worth a leaf.
//!
//! **Cost.** An estimate of connected edge sets, milliseconds.

use crate::boosting::loss::Loss;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::mining::estimate_edge_sets;
use crate::model::Task;
use crate::params::{Params, ValidParams};
use crate::tuning::hold_out;

/// A parameter that depends on the data, where the user does not give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// `max_edges`.
    MaxEdges,
    /// `depth`.
    Depth,
    /// `min_samples_leaf`.
    MinSamplesLeaf,
    /// `min_gain`.
    MinGain,
    /// `ensemble`.
    Ensemble,
    /// `l2`.
    L2,
    /// `trees`.
    Trees,
    /// `temperature`.
    Temperature,
    /// `linear`.
    Linear,
}

impl Open {
    /// All of them.
    pub const ALL: [Open; 9] = [
        Open::MaxEdges,
        Open::Depth,
        Open::MinSamplesLeaf,
        Open::MinGain,
        Open::Ensemble,
        Open::L2,
        Open::Trees,
        Open::Temperature,
        Open::Linear,
    ];

    /// By the parameter's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Open::MaxEdges => "max_edges",
            Open::Depth => "depth",
            Open::MinSamplesLeaf => "min_samples_leaf",
            Open::MinGain => "min_gain",
            Open::Ensemble => "ensemble",
            Open::L2 => "l2",
            Open::Trees => "trees",
            Open::Temperature => "temperature",
            Open::Linear => "linear",
        }
    }
}

/// What a trial finds, if all of it is open.
const TRIED: [Open; 3] = [Open::MinGain, Open::Trees, Open::Temperature];

/// The parameters with those that are `open` chosen for `data`; least gain, rounds and temperature, if all
/// three are open and rounds are not found by early stopping, are left to a [`trial`], and with them the weight of a
/// linear model, if that is open, too.
///
/// # Errors
/// If the targets do not fit the loss.
pub fn advised(params: &ValidParams, open: &[Open], data: &Dataset) -> Result<ValidParams> {
    if open.is_empty() {
        return Ok(params.clone());
    }
    let loss = Loss::new(params, data)?;
    let numbers = matches!(loss.task(), Task::Regression);
    let many_classes = loss.outputs() > 1;
    let few = data.len() < FEW;
    let mut advised = (**params).clone();
    for open in open {
        match open {
            Open::MaxEdges => advised.max_edges = Some(affordable_edges(data)),
            Open::Depth => advised.depth = if numbers { 8 } else { Params::default().depth },
            Open::MinSamplesLeaf => advised.min_samples_leaf = if numbers || few { 3 } else { 1 },
            Open::MinGain if numbers || data.len() < hold_out::LEAST => {}
            Open::MinGain => advised.min_gain = if many_classes { 0.01 } else { 1.0 },
            Open::Ensemble if many_classes || data.len() > MANY => advised.ensemble = 1,
            Open::Ensemble if few || has_rare_class(&loss) => {
                advised.ensemble = Params::default().ensemble;
            }
            Open::Ensemble => advised.ensemble = 2,
            Open::L2 => advised.l2 = if has_rare_class(&loss) { 3.0 } else { Params::default().l2 },
            Open::Trees if many_classes => advised.trees = MANY_CLASSES_ROUNDS,
            Open::Trees | Open::Temperature | Open::Linear => {}
        }
    }
    let tries = TRIED.iter().all(|tried| open.contains(tried)) && params.early_stopping.is_none();
    let advised = advised.check()?;
    let linear = open.contains(&Open::Linear);
    Ok(if tries { advised.opened(linear) } else { advised })
}

/// Fewer graphs than this are few, more than the other many.
const FEW: usize = 1_500;
const MANY: usize = 50_000;

/// More than two classes go without an ensemble, and profit from more rounds.
const MANY_CLASSES_ROUNDS: usize = 200;

/// Whether one of two classes has less than a fifth of the graphs.
fn has_rare_class(loss: &Loss) -> bool {
    let (targets, classes) = (loss.targets(), loss.task().classes().len());
    let positive = targets.iter().filter(|&&target| target > 0.0).count();
    classes == 2 && 5 * positive.min(targets.len() - positive) < targets.len()
}

/// The most edges, up to 6, with which a census of the graphs stays a matter of seconds.
fn affordable_edges(data: &Dataset) -> usize {
    const MOST: usize = 6;
    const LEAST: usize = 2;
    let affordable = AFFORDABLE + AFFORDABLE_A_GRAPH * data.len() as f64;
    let fits = |edges: &usize| estimate_edge_sets(data.graphs(), *edges) <= affordable;
    (LEAST + 1..=MOST).rev().find(fits).unwrap_or(LEAST)
}

/// So many connected edge sets, each an occurrence of a pattern.
const AFFORDABLE: f64 = 1.2e7;
const AFFORDABLE_A_GRAPH: f64 = 1500.0;
