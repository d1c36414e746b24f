//! A finished training: its record, its predictions, and the model made of it.

use crate::boosting::assemble;
use crate::boosting::booster::Booster;
use crate::boosting::record::{BoostingRecord, StopReason};
use crate::error::Result;
use crate::mining::Census;
use crate::model::{Model, Predictions};
use crate::search::space::{GrowingSpace, PatternSpace};

/// A model and how it came about.
#[derive(Clone, Debug)]
pub struct BoostedModel {
    /// The model.
    pub model: Model,
    /// What training did.
    pub record: BoostingRecord,
}

/// A finished training, not yet a model.
pub struct Trained<'a> {
    booster: Booster<'a>,
    record: BoostingRecord,
}

impl<'a> Trained<'a> {
    /// Ends a training; of one that stopped early, the rounds up to the best are kept.
    pub(super) fn new(mut booster: Booster<'a>, stopped: StopReason, best_round: usize) -> Self {
        let rounds = std::mem::take(&mut booster.rounds);
        let stops_early = booster.params.early_stopping.is_some();
        let kept = if stops_early { best_round } else { rounds.len() };
        booster.trees.truncate(kept * booster.trees_per_round());
        let exploration = booster.exploration;
        let record = BoostingRecord {
            engine: exploration.engine(),
            edge_sets: exploration.census().map(Census::edge_sets),
            space_edge_sets: exploration.edge_sets(),
            patterns: booster.space.patterns(),
            node_search_patterns: booster
                .space
                .growing()
                .map_or(0, GrowingSpace::node_search_patterns),
            explored_by_edges: by_edges(&*booster.space),
            classes: booster.space.classes().len(),
            metric: booster.metric,
            best_round: kept,
            stopped,
            census_given_up: exploration.census_given_up().map(str::to_owned),
            seconds: booster.seconds(),
            rounds,
        };
        Trained { booster, record }
    }

    /// What training did.
    #[must_use]
    pub fn record(&self) -> &BoostingRecord {
        &self.record
    }

    /// The record alone, when no model is needed.
    #[must_use]
    pub fn into_record(self) -> BoostingRecord {
        self.record
    }

    /// The predictions of the validation graphs after the last round.
    #[must_use]
    pub fn valid_predictions(&self) -> Predictions {
        self.booster.valid.predictions(&self.booster.loss)
    }

    /// The leaf of each tree that each training graph was put in: `[tree][position]`; nothing for
    /// trees from a checkpoint, or where leaves are [not kept](Booster::keeping_leaves). For tests
    /// that compare training with prediction.
    #[must_use]
    pub fn leaves(&self) -> Vec<Vec<u32>> {
        self.booster.trees.iter().map(|t| t.leaf_of.clone()).collect()
    }

    /// Writes the trees down as a model and certifies its patterns.
    ///
    /// # Errors
    /// If a pattern is not found exactly where training believed it to be (a collision of 128-bit
    /// names: never seen).
    pub fn into_model(self) -> Result<BoostedModel> {
        let booster = self.booster;
        let params = serde_json::to_value(&**booster.params).unwrap_or_default();
        let parts = assemble::Parts {
            data: booster.exploration.data(),
            train: &booster.train.graphs,
            truth: &booster.train.truth,
            loss: &booster.loss,
            params: params.as_object().cloned().unwrap_or_default(),
            init: booster.init,
            trees: &booster.trees,
            stopped: self.record.stopped.text(),
            limits: booster.exploration.limits(),
        };
        Ok(BoostedModel { model: parts.into_model(&*booster.space)?, record: self.record })
    }
}

/// The explored patterns by number of edges.
fn by_edges(space: &dyn PatternSpace) -> Vec<usize> {
    let mut explored = Vec::new();
    for pattern in 0..space.patterns() as u32 {
        let edges = space.edges(pattern);
        if explored.len() <= edges {
            explored.resize(edges + 1, 0);
        }
        explored[edges] += 1;
    }
    explored
}
