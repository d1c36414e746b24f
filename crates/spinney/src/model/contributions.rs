//! What each pattern adds to a graph's score: Shapley values, exactly.
//!
//! The players are the patterns, found or not found; what a set of them is worth is the tree's
//! answer when only they are known (`game.rs`). Not in the paper.
//!
//! **Invariant.** A graph's contributions and the bias sum to its score. The bias is what the model
//! says when it knows no pattern: the initial score and the trees' means by cover.
//!
//! **How.** With `o`, `z` as in `game.rs`, a leaf gives pattern j
//! `value · (o_j − z_j) · ∫ ∏_{i≠j} (t·o_i + (1 − t)·z_i) dt`.
//!
//! **Cost.** For a graph and a tree: leaves × depth × depth / 2.

use std::ops::Deref;

use super::game::{Player, Rule, for_each_leaf, mean};
use super::{Model, Predictor};
use crate::dataset::Dataset;

/// Contributions to the scores of some graphs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contributions {
    /// What the model says when it knows no pattern, one an output.
    pub bias: Vec<f64>,
    /// The number of patterns.
    pub patterns: usize,
    /// Graph after graph, output after output, pattern after pattern.
    pub values: Vec<f64>,
}

impl Contributions {
    /// What each pattern adds to output `output` of graph `graph`.
    #[must_use]
    pub fn of(&self, graph: usize, output: usize) -> &[f64] {
        let start = (graph * self.bias.len() + output) * self.patterns;
        &self.values[start..start + self.patterns]
    }
}

impl Model {
    /// What each pattern, found or not found, adds to the scores of the graphs of `data`.
    #[must_use]
    pub fn contributions(&self, data: &Dataset) -> Contributions {
        self.predictor().contributions(data)
    }
}

impl<M: Deref<Target = Model> + Sync> Predictor<M> {
    /// As [`Model::contributions`].
    #[must_use]
    pub fn contributions(&self, data: &Dataset) -> Contributions {
        let model: &Model = &self.model;
        let outputs = model.task.outputs();
        let mut bias = model.init.clone();
        for (i, tree) in model.trees.iter().enumerate() {
            bias[i % outputs] += mean(tree, 0);
        }
        let rule = Rule::of(model);
        let patterns = model.patterns.len();
        let rows = self.for_each_graph(data, |found, _| {
            let mut counts = vec![0; patterns];
            found.iter().for_each(|&(pattern, times)| counts[pattern as usize] = times);
            let mut values = vec![0.0; outputs * patterns];
            for (i, tree) in model.trees.iter().enumerate() {
                let output = i % outputs;
                let values = &mut values[output * patterns..(output + 1) * patterns];
                for_each_leaf(tree, &counts, |value, path| leaf(&rule, value, path, values));
            }
            values
        });
        Contributions { bias, patterns, values: rows.concat() }
    }
}

/// Adds what a leaf pays to the patterns on its path.
fn leaf(rule: &Rule, value: f64, path: &[Player], values: &mut [f64]) {
    for &(t, weight) in &rule.points {
        let zeros = path.iter().filter(|p| p.factor(t) == 0.0).count();
        let product: f64 = path.iter().map(|p| p.factor(t)).filter(|f| *f != 0.0).product();
        for player in path {
            let others = match (zeros, player.factor(t)) {
                (0, own) => product / own,
                (1, 0.0) => product,
                _ => continue,
            };
            values[player.pattern] += value * weight * player.slope() * others;
        }
    }
}
