//! Stacking the models of several targets of the same graphs.
//!
//! Molecules are often measured in several assays, each assay on some of them, and assays are
//! related: what disturbs mitochondria often activates p53, too, and graphs without the one value
//! may have the other. A model is trained for every target by itself; then the models of other
//! targets are added to it, each with the weight that fits this target best (`weights`). The sum of
//! models is again a model of trees, with patterns, explanations and a file like any other.
//!
//! **Invariant.** Weights are found with scores of graphs by models that did not see their targets:
//! of graphs with a value by trainings that left it out (out-of-fold scores), of others by the
//! model itself. A stacked model is, score for score, `shift + own · itself + Σ weight · another`,
//! and its supports count its own training graphs.
//!
//! **Cost.** A matching of the patterns; three trainings for each target before that
//! (`training::out_of_fold`). Not in the paper.

use rustc_hash::FxHashMap;

use crate::boosting::assemble::supports;
use crate::boosting::graph_weights::graph_weights;
use crate::boosting::loss::Loss;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::math::sum;
use crate::mining::dfs_code::DfsCode;
use crate::model::{Model, Node, Pattern, StackedFrom, StackedModel, Tree, Unproven};
use crate::params::ValidParams;
use crate::stacking::weights::{ModelWeight, Weights, weigh};

/// The model of one of several targets of the same graphs.
#[derive(Clone, Debug)]
pub struct TaskModel<'a> {
    /// What the target is called.
    pub name: &'a str,
    /// The model, trained on this target alone.
    pub model: &'a Model,
    /// The score of every graph, with or without a value, by a model that did not see it.
    pub scores: Vec<f64>,
}

/// The model of the target `own` with those of the others stacked onto it; nothing if none of them
/// adds enough. `data` has the targets of `own`, and `train` are its training graphs. Models of
/// more than two classes take no part.
///
/// # Errors
/// If the targets do not fit the parameters, or model, graphs and scores each other.
pub fn stacked(
    tasks: &[TaskModel<'_>],
    own: usize,
    data: &Dataset,
    train: &[u32],
    params: &ValidParams,
) -> Result<Option<Model>> {
    let loss = Loss::new(params, data)?;
    let model = tasks.get(own).map(|task| task.model);
    let fits = |m: &&Model| m.task == *loss.task() && m.labels == *data.labels();
    let is_scored = tasks.iter().all(|task| task.scores.len() == data.len());
    let is_there = train.iter().all(|&graph| (graph as usize) < data.len());
    let Some(model) = model.filter(fits).filter(|_| is_scored && is_there) else {
        return Err(Error::data("model, graphs and scores to be stacked do not fit each other"));
    };
    if loss.outputs() > 1 {
        return Ok(None);
    }
    let has_one_output = |m: &Model| m.labels == *data.labels() && m.task.outputs() == 1;
    let others: Vec<usize> =
        (0..tasks.len()).filter(|&i| i != own && has_one_output(tasks[i].model)).collect();
    let of_train = |task: usize| -> Vec<f64> {
        train.iter().map(|&graph| tasks[task].scores[graph as usize]).collect()
    };
    let columns: Vec<Vec<f64>> = others.iter().map(|&i| of_train(i)).collect();
    let columns: Vec<&[f64]> = columns.iter().map(|column| &column[..]).collect();
    let counts = graph_weights(data, params, &loss, train)?;
    let Some(found) = weigh(&loss.of(train), &counts, &of_train(own), &columns) else {
        return Ok(None);
    };
    let stack = Stack {
        own: model,
        others: found
            .others
            .iter()
            .map(|&ModelWeight { model, weight }| Weighted { task: &tasks[others[model]], weight })
            .collect(),
        weights: &found,
    };
    Ok(Some(stack.sum(data, train, &loss)))
}

/// A model, and the others with their weights.
struct Stack<'a> {
    own: &'a Model,
    others: Vec<Weighted<'a>>,
    weights: &'a Weights,
}

/// Another target's model and its weight.
#[derive(Clone, Copy)]
struct Weighted<'a> {
    task: &'a TaskModel<'a>,
    weight: f64,
}

impl Stack<'_> {
    /// The sum of weighted models: the others' trees first, then the model's own.
    fn sum(&self, data: &Dataset, train: &[u32], loss: &Loss) -> Model {
        let Stack { own, others, weights } = self;
        let parts = || others.iter().map(|o| (o.task.model, o.weight)).chain([(*own, weights.own)]);
        let mut sum_of = Sum::default();
        parts().for_each(|(model, weight)| sum_of.add(model, weight));
        let init = sum(parts().map(|(m, w)| w * m.init[0]).chain([weights.shift]));
        let found = supports(sum_of.patterns.iter(), data, train, loss);
        let patterns = sum_of.patterns.into_iter().zip(found);
        let stacked_model = |&Weighted { task, weight }: &Weighted<'_>| StackedModel {
            target: task.name.to_owned(),
            weight,
            trees: task.model.trees.len(),
        };
        let mut model = Model {
            init: vec![init],
            patterns: patterns.map(|(code, support)| Pattern { code, support }).collect(),
            trees: sum_of.trees,
            ..(*own).clone()
        };
        model.provenance.unproven = sum_of.unproven;
        let models = others.iter().map(stacked_model).collect();
        model.provenance.stacked_from = Some(StackedFrom { own: weights.own, models });
        model
    }
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
        let before = self.trees.len();
        let squared = weight * weight;
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
