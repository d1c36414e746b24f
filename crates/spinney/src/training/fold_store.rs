//! Finished folds of a cross-validation, kept so that work which was stopped can go on.
//!
//! **Invariant.** A fold is found again only for the same program, requested parameters, training
//! graphs and held-out graphs. Numbers are kept bit for bit.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::boosting::checkpoint::{Bits, Identity, WireRound};
use crate::model::envelope::FileFormat;

use super::cross_validation::FoldTraining;

const FORMAT: FileFormat = FileFormat {
    name: "spinney-folds",
    version: 1,
    oldest: 1,
    content: "folds",
    what: "checkpoint of a cv",
};

/// Finished folds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FoldStore(Vec<KeptFold>);

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptFold {
    identity: Identity,
    params: Value,
    tuning: Option<crate::tuning::TuningRecord>,
    rounds: Vec<WireRound>,
    scores: Vec<Bits>,
}

impl FoldStore {
    /// The number of folds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The fold of a training, if it is finished.
    #[must_use]
    pub fn get(&self, identity: &Identity) -> Option<FoldTraining> {
        let kept = self.0.iter().find(|kept| kept.identity == *identity)?.clone();
        let rounds = kept.rounds.into_iter().map(WireRound::into_round);
        Some(FoldTraining {
            params: kept.params,
            tuning: kept.tuning,
            rounds: rounds.collect::<Result<_, String>>().ok()?,
            scores: kept.scores.into_iter().map(Bits::value).collect(),
            model: None,
        })
    }

    /// Enters a finished fold.
    pub fn put(&mut self, identity: Identity, fold: &FoldTraining) {
        self.0.push(KeptFold {
            identity,
            params: fold.params.clone(),
            tuning: fold.tuning.clone(),
            rounds: fold.rounds.iter().map(WireRound::new).collect(),
            scores: Bits::all(&fold.scores),
        });
    }

    /// The file's text.
    #[must_use]
    pub fn to_json(&self) -> String {
        FORMAT.seal(&serde_json::to_string(&self.0).unwrap_or_default())
    }

    /// Reads the text of a file of folds.
    ///
    /// # Errors
    /// Says why the text is no intact one.
    pub fn from_json(text: &str) -> Result<FoldStore, String> {
        serde_json::from_str(FORMAT.open(text)?).map_err(|e| format!("damaged: {e}"))
    }
}
