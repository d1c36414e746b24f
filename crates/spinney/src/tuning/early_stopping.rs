//! How many rounds: as many as do best on a part held out, where no validation graphs are given.
//!
//! A fifth of the training graphs, of each class alike, is held out of a first training that stops
//! early; then all graphs are trained on for as many rounds.
//!
//! **Invariant.** What is held out is a function of the seed and the targets alone.
//!
//! **Cost.** A second training.

use crate::boosting::booster::Booster;
use crate::boosting::loss::Loss;
use crate::boosting::record::{Round, StopReason};
use crate::error::{Error, Result};
use crate::evaluation::Folds;
use crate::mining::exploration::Exploration;
use crate::params::{Params, ValidParams};

/// One part in so many is held out.
const PARTS: usize = 5;

/// The parameters of a training on all of `train`, with the rounds that did best on a part of it; `go_on`
/// sees the rounds of the first training, and may stop it: then there is no second.
///
/// # Errors
/// As training; or if there are too few graphs to hold some out.
pub fn by_holding_out(
    exploration: &Exploration<'_>,
    params: &ValidParams,
    train: &[u32],
    go_on: impl FnMut(&Round) -> bool,
) -> Result<ValidParams> {
    let strata = Loss::new(params, exploration.data())?.strata();
    let of_train: Vec<u32> = train.iter().map(|&graph| strata[graph as usize]).collect();
    let folds = Folds::random(&of_train, PARTS, params.seed).map_err(|_| {
        Error::parameter("early_stopping", "too few graphs to hold some out: give --valid")
    })?;
    let (learned, held) = folds.split(0);
    let pick = |positions: Vec<u32>| -> Vec<u32> {
        positions.into_iter().map(|position| train[position as usize]).collect()
    };
    let booster = Booster::new(exploration, params, &pick(learned), &pick(held))?;
    let record = booster.run(go_on)?.into_record();
    if record.stopped == StopReason::Interrupted || record.stopped.is_limit() {
        return Err(Error::failed(format!(
            "{} while the number of rounds was being found: there is no model yet; give --trees \
             without --early-stopping, or more time",
            record.stopped.text()
        )));
    }
    Params { trees: record.best_round, early_stopping: None, ..(**params).clone() }.check()
}
