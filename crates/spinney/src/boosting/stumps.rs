//! Models of weighted stumps, from learners other than the booster.
//!
//! A stump adds its value to the score of a graph with its pattern, and takes it away from the
//! others. Its tree has one split. The model is certified as any other.

use std::sync::Arc;

use crate::boosting::assemble::Parts;
use crate::boosting::loss::Loss;
use crate::boosting::tree_grower::{GrownNode, GrownTree};
use crate::error::Result;
use crate::mining::exploration::Exploration;
use crate::model::Model;
use crate::search::simplest::Simplest;
use crate::search::space::PatternSpace;

/// One stump.
#[derive(Clone, Debug)]
pub(crate) struct Stump {
    /// The pattern it asks for.
    pub simplest: Arc<Simplest>,
    /// What it adds where the pattern occurs.
    pub value: f64,
    /// How many training graphs contain the pattern.
    pub support: u32,
}

/// A model of stumps before it is certified.
pub(crate) struct Stumps<'a> {
    /// What the training graphs come from.
    pub exploration: &'a Exploration<'a>,
    /// The training graphs, by number, ascending.
    pub train: &'a [u32],
    /// The targets: the model is for their task, and scores mean what they mean under this loss.
    pub loss: &'a Loss,
    /// The stumps.
    pub stumps: Vec<Stump>,
    /// The parameters, by the names of the flags.
    pub params: serde_json::Map<String, serde_json::Value>,
    /// Why training stopped.
    pub stopped: String,
}

impl Stumps<'_> {
    /// The model, its patterns compared with what `space`, the space that they come from, believes.
    ///
    /// # Errors
    /// If a pattern does not occur where the space says.
    pub(crate) fn into_model(self, space: &dyn PatternSpace) -> Result<Model> {
        let graphs = self.train.len() as u32;
        let trees: Vec<GrownTree> = self.stumps.iter().map(|stump| tree(stump, graphs)).collect();
        let data = self.exploration.data();
        let truth = self.loss.truth(self.train);
        let parts = Parts {
            data,
            train: self.train,
            truth: &truth,
            loss: self.loss,
            params: self.params,
            init: vec![0.0],
            trees: &trees,
            stopped: &self.stopped,
            limits: self.exploration.limits(),
        };
        parts.into_model(space)
    }
}

fn tree(stump: &Stump, graphs: u32) -> GrownTree {
    let value = stump.value;
    let support = stump.support;
    let simplest = Arc::clone(&stump.simplest);
    let split = GrownNode::Split { simplest, yes: 1, no: 2, gain: value.abs(), cover: graphs };
    let yes = GrownNode::Leaf { value, cover: support };
    let no = GrownNode::Leaf { value: -value, cover: graphs - support };
    GrownTree { nodes: vec![split, yes, no], leaf_of: Vec::new(), unproven: Vec::new() }
}
