//! Several trainings side by side, whose mean is the model (not in the paper).
//!
//! Each member has samples of its own, drawn from its own seed, and its trees are fitted to its own
//! scores. In the model a tree counts one part of the whole, divided by the temperature; so the
//! model after any round is the mean of its members.
//!
//! **Invariant.** A single member without temperature and with nothing beside it is the model: its
//! scores are the model's, and are kept once.

use crate::boosting::tree_grower::GrownTree;
use crate::params::FixedParams;

/// The members of an ensemble.
pub(super) struct Ensemble {
    /// The scores of the training graphs by each member, where they are not the model's.
    scores: Vec<Vec<f64>>,
    outputs: usize,
    /// What a member's tree counts in the model.
    share: f64,
}

impl Ensemble {
    pub(super) fn new(params: &FixedParams, outputs: usize, start: &[f64]) -> Ensemble {
        let apart = params.ensemble > 1 || params.temperature != 1.0;
        Ensemble {
            scores: vec![start.to_vec(); if apart { params.ensemble } else { 0 }],
            outputs,
            share: 1.0 / (params.ensemble as f64 * params.temperature),
        }
    }

    /// Keeps the members' scores apart from the model's.
    pub(super) fn keep_apart(&mut self, start: &[f64]) {
        if self.scores.is_empty() {
            self.scores.push(start.to_vec());
        }
    }

    /// The scores that each member's trees are fitted to; `model` are the model's.
    pub(super) fn members<'s>(&'s self, model: &'s [f64]) -> Vec<&'s [f64]> {
        if self.scores.is_empty() {
            return vec![model];
        }
        self.scores.iter().map(Vec::as_slice).collect()
    }

    /// Adds a tree to a member's scores, and scales it to what it counts in the model.
    pub(super) fn add(&mut self, member: usize, output: usize, tree: &mut GrownTree) {
        if let Some(scores) = self.scores.get_mut(member) {
            tree.add_to(scores, output, self.outputs);
            tree.scale(self.share);
        }
    }

    /// The members' scores, where they are kept apart.
    pub(super) fn scores(&self) -> &[Vec<f64>] {
        &self.scores
    }

    /// Puts scores back, member after member.
    pub(super) fn set_scores(&mut self, all: &[f64]) {
        let mut rest = all;
        for scores in &mut self.scores {
            let (own, others) = rest.split_at(scores.len());
            scores.copy_from_slice(own);
            rest = others;
        }
    }
}
