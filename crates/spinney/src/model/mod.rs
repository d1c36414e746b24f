//! A trained model: patterns, trees over them, and what a score means.
//!
//! A [`Model`] is immutable and needs nothing else: label dictionary, patterns as DFS codes, trees,
//! parameters and provenance. [`predict`] scores graphs, [`matcher`] finds which patterns occur,
//! [`mod@file`] reads and writes the JSON form, [`importance`] ranks the patterns,
//! [`contributions`] says what each adds to a graph's score, [`interactions`] what two add
//! together, [`occurrences`] where it lies, [`attribution`] what that means for vertices and edges.
//!
//! **Architecture Invariant:** the model never knows how it was trained; prediction works without
//! the training code.

mod alphabet;
pub mod attribution;
pub mod contributions;
pub(crate) mod envelope;
pub mod export;
pub mod file;
mod forest;
mod game;
mod ground;
pub mod importance;
pub mod interactions;
pub mod matcher;
mod needs;
pub mod occurrences;
pub mod predict;
mod prefix;
mod screen;
mod trails;
pub mod tree;
mod truth;

use serde::{Deserialize, Serialize};

use crate::labels::Labels;
use crate::mining::dfs_code::DfsCode;

pub use contributions::Contributions;
pub use importance::Importance;
pub use interactions::Interaction;
pub use matcher::Matcher;
pub use predict::{Predictions, Predictor};
pub use tree::{Node, Tree};
pub use truth::Truth;

/// What the targets were.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Task {
    /// Two classes; the second is the positive one.
    Binary {
        /// The classes' names.
        classes: [String; 2],
    },
    /// More than two classes, each with a score of its own.
    Multiclass {
        /// The classes' names.
        classes: Vec<String>,
    },
    /// A number.
    Regression,
}

impl Task {
    /// The classes' names; none for a number.
    #[must_use]
    pub fn classes(&self) -> &[String] {
        match self {
            Task::Binary { classes } => classes,
            Task::Multiclass { classes } => classes,
            Task::Regression => &[],
        }
    }

    /// How many scores a graph gets.
    #[must_use]
    pub fn outputs(&self) -> usize {
        match self {
            Task::Multiclass { classes } => classes.len(),
            _ => 1,
        }
    }
}

/// From score to prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    /// Probability of the positive class = 1/(1 + exp(−2 score)), as in the paper.
    Logistic,
    /// Probabilities proportional to exp(score).
    Softmax,
    /// The score is the prediction.
    Identity,
    /// exp(score) is the prediction.
    Exp,
}

/// A pattern that some tree asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The pattern.
    pub code: DfsCode,
    /// How many training graphs contained it: by class, or in all for regression.
    pub support: Vec<u32>,
}

impl Pattern {
    /// The number of training graphs that contained it.
    #[must_use]
    pub fn total_support(&self) -> u32 {
        self.support.iter().sum()
    }
}

/// Where a model comes from. No clock, no thread count, no engine: the same data, parameters and
/// seed give the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Program and version.
    pub program: String,
    /// The number of training graphs.
    pub graphs: usize,
    /// How many of them are of each class (empty for regression).
    pub class_counts: Vec<usize>,
    /// SHA-256 over the training graphs, labels, targets and weights.
    pub data_sha256: String,
    /// Why training stopped.
    pub stopped: String,
    /// Nodes whose search for the best split was cut short by a limit; all other splits are the
    /// optimum.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unproven: Vec<Unproven>,
    /// The models of other targets that were stacked onto this one, if any were (`told_by` in files
    /// of version 1).
    #[serde(default, alias = "told_by", skip_serializing_if = "Option::is_none")]
    pub stacked_from: Option<StackedFrom>,
    /// How many trees, before those of the rounds, are the stumps of a linear model.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stumps: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What a stacked model is the sum of. The values of its leaves include the weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StackedFrom {
    /// The weight of the model's own trees, which come last.
    pub own: f64,
    /// The models of other targets, in the order of their trees (`helpers` in files of version 1).
    #[serde(alias = "helpers")]
    pub models: Vec<StackedModel>,
}

impl std::fmt::Display for StackedFrom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "score = {:.2} x its own", self.own)?;
        self.models.iter().try_for_each(|StackedModel { target, weight, .. }| {
            let sign = if *weight < 0.0 { '-' } else { '+' };
            write!(f, " {sign} {:.2} x {target}", weight.abs())
        })
    }
}

/// A model of another target that is part of a stacked model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StackedModel {
    /// The other target.
    pub target: String,
    /// What its scores were multiplied by.
    pub weight: f64,
    /// How many trees it has.
    pub trees: usize,
}

/// A node that may not have the best split.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unproven {
    /// The tree, by number.
    pub tree: usize,
    /// The node in it.
    pub node: usize,
    /// What its split gained; 0 for a leaf.
    pub gain: f64,
    /// What no split of the node can exceed.
    pub bound: f64,
}

/// A trained model.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub(crate) labels: Labels,
    pub(crate) task: Task,
    pub(crate) link: Link,
    pub(crate) init: Vec<f64>,
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) trees: Vec<Tree>,
    pub(crate) params: serde_json::Map<String, serde_json::Value>,
    pub(crate) provenance: Provenance,
    pub(crate) representation: Option<serde_json::Value>,
}

impl Model {
    /// The label dictionary.
    #[must_use]
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// What the targets were.
    #[must_use]
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// From score to prediction.
    #[must_use]
    pub fn link(&self) -> Link {
        self.link
    }

    /// The patterns, in the order in which trees first ask for them.
    #[must_use]
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The trees; with several outputs, tree `i` belongs to output `i % outputs`.
    #[must_use]
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// The scores before the first tree, one an output.
    #[must_use]
    pub fn init(&self) -> &[f64] {
        &self.init
    }

    /// The number of boosting rounds, without those of models of other targets.
    #[must_use]
    pub fn rounds(&self) -> usize {
        (self.trees.len() - self.trees_beside()) / self.trees_a_round()
    }

    /// How many of the trees, the first ones, are not of the model's own rounds: those of models of
    /// other targets and the stumps of a linear model.
    #[must_use]
    pub fn trees_beside(&self) -> usize {
        self.stacked_trees() + self.provenance.stumps
    }

    /// How many of the trees, the first ones, are those of models of other targets.
    #[must_use]
    pub fn stacked_trees(&self) -> usize {
        let stacked_from = self.provenance.stacked_from.as_ref();
        stacked_from.map_or(0, |from| from.models.iter().map(|model| model.trees).sum())
    }

    /// The number of trainings that were averaged: a round has a tree of each.
    #[must_use]
    pub fn ensemble(&self) -> usize {
        let given = self.params.get("ensemble").and_then(serde_json::Value::as_u64);
        given.map_or(1, |n| n as usize).clamp(1, (self.trees.len() - self.trees_beside()).max(1))
    }

    pub(crate) fn trees_a_round(&self) -> usize {
        self.task.outputs() * self.ensemble()
    }

    /// The parameters it was trained with, by the names of the flags.
    #[must_use]
    pub fn params(&self) -> &serde_json::Map<String, serde_json::Value> {
        &self.params
    }

    /// How the graphs were made, if they were made from something else (molecules): kept for
    /// for the crate that made them, and not understood here.
    #[must_use]
    pub fn representation(&self) -> Option<&serde_json::Value> {
        self.representation.as_ref()
    }

    /// The same model with a note on how its graphs were made.
    #[must_use]
    pub fn with_representation(mut self, representation: serde_json::Value) -> Self {
        self.representation = Some(representation);
        self
    }

    /// Where it comes from.
    #[must_use]
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }
}
