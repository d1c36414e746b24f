//! Targets that share graphs tell each other.
//!
//! Molecules are often measured in many ways, each way for some of them. What one target teaches holds for
//! others: who disturbs mitochondria often activates p53, too, and the graphs that lack the one answer may
//! have the other. So every target is trained alone; then its model is added to those of the others, each with
//! the weight that fits its own targets best (`weighing`). The sum of models is again a model of
//! trees: patterns, explanations and files are what they always are.
//!
//! **Invariant.** Weights are found with scores of graphs by models that did not see their targets: of graphs
//! with an answer by trainings that left it out ([`unseen_scores`]), of others by the model itself. A model that
//! is told is, score for score, `shift + own · itself + Σ weight · another`, and its supports count its own
//! training graphs.
//!
//! **Cost.** Three trainings on two thirds of the graphs for each target, and a matching of the patterns. Not in
//! the paper.

use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use rustc_hash::FxHashMap;

use crate::boosting::assemble::supports;
use crate::boosting::booster::{Booster, weights};
use crate::boosting::loss::Loss;
use crate::boosting::record::StopReason;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::evaluation::Folds;
use crate::math::sum;
use crate::mining::dfs_code::DfsCode;
use crate::mining::exploration::Exploration;
use crate::model::{Helper, Model, Node, Pattern, ToldBy, Tree, Unproven};
use crate::params::ValidParams;
use crate::stacking::weights::{Weights, weigh};

/// Trainings that leave a part out.
const PARTS: usize = 3;

/// The fewest graphs of a class, or graphs with numbers, for which parts can be left out.
const LEAST: usize = 2 * PARTS;

/// The scores of the graphs of `exploration` by trainings that did not see their targets. Nothing where they are
/// too few, have several outputs, or `go_on` says no.
///
/// # Errors
/// As training.
pub fn unseen_scores(
    exploration: &Exploration<'_>,
    params: &ValidParams,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Vec<f64>>> {
    let data = exploration.data();
    let loss = Loss::new(params, data)?;
    if loss.outputs() > 1 {
        return Ok(None);
    }
    let mut strata = loss.strata();
    let mut sizes: FxHashMap<u32, usize> = FxHashMap::default();
    for (stratum, count) in strata.iter_mut().zip(weights(data, params, &loss, &all(data))?) {
        let counts = count > 0.0;
        *sizes.entry(*stratum).or_default() += usize::from(counts);
        // Graphs that count for nothing are dealt apart: every part must have some that do.
        *stratum = 2 * *stratum + u32::from(!counts);
    }
    if sizes.values().any(|&size| size < LEAST) {
        return Ok(None);
    }
    let folds = Folds::random(&strata, PARTS, params.seed)?;
    let one = |part: usize| -> Result<Option<(Vec<u32>, Vec<f64>)>> {
        let (train, held) = folds.split(part);
        let booster = Booster::new(exploration, params, &train, &held)?;
        let trained = booster.run(|_| go_on())?;
        let stopped = trained.record().stopped;
        let whole = stopped != StopReason::Interrupted && !stopped.is_limit();
        let predictions = trained.valid_predictions();
        let scores = (0..held.len()).map(|i| predictions.scores(i)[0]).collect();
        Ok((whole && go_on()).then_some((held, scores)))
    };
    let parts: Vec<Option<(Vec<u32>, Vec<f64>)>> =
        (0..PARTS).into_par_iter().map(one).collect::<Result<_>>()?;
    let mut scores = vec![0.0; data.len()];
    for part in parts {
        let Some((held, of_held)) = part else { return Ok(None) };
        held.into_iter().zip(of_held).for_each(|(graph, score)| scores[graph as usize] = score);
    }
    Ok(Some(scores))
}

/// One of several targets of the same graphs.
#[derive(Clone, Debug)]
pub struct Sharer<'a> {
    /// What the target is called.
    pub name: &'a str,
    /// The model of it, trained alone.
    pub model: &'a Model,
    /// The score of every graph, with or without an answer, by a model that did not see it.
    pub scores: Vec<f64>,
}

/// The model of the target `own`, told by those of the others; nothing if they have nothing to tell. `data` are
/// its training graphs, which are the graphs `places` of all that the scores are of. Models of more than two classes
/// neither tell nor are told.
///
/// # Errors
/// If the targets do not fit the parameters, or model, graphs and scores each other.
pub fn told(
    sharers: &[Sharer<'_>],
    own: usize,
    (data, places): (&Dataset, &[usize]),
    params: &ValidParams,
) -> Result<Option<Model>> {
    let loss = Loss::new(params, data)?;
    let model = sharers.get(own).map(|sharer| sharer.model);
    let fits = |m: &&Model| m.task == *loss.task() && m.labels == *data.labels();
    let scored = |p: &usize| sharers.iter().all(|sharer| *p < sharer.scores.len());
    let model = model.filter(fits).filter(|_| places.len() == data.len());
    let Some(model) = model.filter(|_| places.iter().all(scored)) else {
        return Err(Error::data("model, graphs and scores to be shared do not fit each other"));
    };
    let tells = |m: &Model| m.labels == *data.labels() && m.task.outputs() == 1;
    let others: Vec<usize> =
        (0..sharers.len()).filter(|&i| i != own && tells(sharers[i].model)).collect();
    if loss.outputs() > 1 {
        return Ok(None);
    }
    let picked = |i: usize| places.iter().map(|&p| sharers[i].scores[p]).collect::<Vec<f64>>();
    let columns: Vec<Vec<f64>> = others.iter().map(|&i| picked(i)).collect();
    let columns: Vec<&[f64]> = columns.iter().map(|column| &column[..]).collect();
    let counts = weights(data, params, &loss, &all(data))?;
    let Some(found) = weigh(&loss, &counts, &picked(own), &columns) else {
        return Ok(None);
    };
    let helpers: Vec<(&Sharer<'_>, f64)> =
        found.others.iter().map(|&(i, weight)| (&sharers[others[i]], weight)).collect();
    Ok(Some(added(model, &helpers, &found, data, &loss)))
}

fn all(data: &Dataset) -> Vec<u32> {
    (0..data.len() as u32).collect()
}

/// The sum of weighted models: the helpers' trees first, then the model's own.
fn added(
    model: &Model,
    helpers: &[(&Sharer<'_>, f64)],
    weights: &Weights,
    data: &Dataset,
    loss: &Loss,
) -> Model {
    let parts = || helpers.iter().map(|&(h, w)| (h.model, w)).chain([(model, weights.own)]);
    let mut sum_of = Sum::default();
    parts().for_each(|(model, weight)| sum_of.add(model, weight));
    let init = sum(parts().map(|(m, w)| w * m.init[0]).chain([weights.shift]));
    let found = supports(sum_of.patterns.iter(), data, &all(data), loss);
    let patterns = sum_of.patterns.into_iter().zip(found);
    let helper = |&(h, weight): &(&Sharer<'_>, f64)| Helper {
        target: h.name.to_owned(),
        weight,
        trees: h.model.trees.len(),
    };
    let mut told = Model {
        init: vec![init],
        patterns: patterns.map(|(code, support)| Pattern { code, support }).collect(),
        trees: sum_of.trees,
        ..model.clone()
    };
    told.provenance.unproven = sum_of.unproven;
    told.provenance.told_by =
        Some(ToldBy { own: weights.own, helpers: helpers.iter().map(helper).collect() });
    told
}

/// Trees of several models over one list of patterns.
#[derive(Default)]
struct Sum {
    numbers: FxHashMap<DfsCode, usize>,
    patterns: Vec<DfsCode>,
    trees: Vec<Tree>,
    unproven: Vec<Unproven>,
}

impl Sum {
    /// Adds a model with a weight. Gains are of squares, so they count by the weight's square.
    fn add(&mut self, model: &Model, weight: f64) {
        let (before, squared) = (self.trees.len(), weight * weight);
        for tree in &model.trees {
            let nodes = tree.nodes.iter().map(|node| match *node {
                Node::Leaf { value, cover } => Node::Leaf { value: weight * value, cover },
                Node::Split { pattern, at_least, yes, no, gain, cover } => {
                    let pattern = self.number(&model.patterns[pattern].code);
                    Node::Split { pattern, at_least, yes, no, gain: squared * gain, cover }
                }
            });
            let nodes = nodes.collect();
            self.trees.push(Tree { nodes });
        }
        let cut = model.provenance.unproven.iter().map(|u| Unproven {
            tree: before + u.tree,
            node: u.node,
            gain: squared * u.gain,
            bound: squared * u.bound,
        });
        self.unproven.extend(cut);
    }

    fn number(&mut self, code: &DfsCode) -> usize {
        if let Some(&number) = self.numbers.get(code) {
            return number;
        }
        self.numbers.insert(code.clone(), self.patterns.len());
        self.patterns.push(code.clone());
        self.patterns.len() - 1
    }
}
