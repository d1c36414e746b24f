//! The number of rounds: as many as do best on a held-out part, where no validation graphs are
//! given.
//!
//! A fifth of the training graphs, of each class alike, is held out of a first training that stops
//! early; then all graphs are trained on for as many rounds.
//!
//! **Invariant.** What is held out is a function of the seed and the training graphs' targets.
//!
//! **Cost.** A second training.

use super::{Tuned, TuningMethod, TuningRecord};
use crate::boosting::booster::GraphSplit;
use crate::boosting::loss::Loss;
use crate::boosting::record::{Round, StopReason};
use crate::error::{Error, Result};
use crate::evaluation::Folds;
use crate::mining::exploration::Exploration;
use crate::params::{FixedParams, ValidParams};
use crate::stacking::linear_booster::LinearBooster;

/// One part of this many is held out.
const PART_COUNT: usize = 5;

/// The parameters of a training on all of `train`, with the number of rounds that did best on a
/// part of it; `go_on` sees the rounds of the first training, and may stop it: then there is no
/// second.
///
/// # Errors
/// As training; or if there are too few graphs to hold some out.
pub fn with_best_rounds(
    exploration: &Exploration<'_>,
    params: &ValidParams,
    train: &[u32],
    go_on: impl FnMut(&Round) -> bool,
) -> Result<Tuned> {
    let strata = Loss::new(params, exploration.data())?.strata();
    let of_train: Vec<u32> = train.iter().map(|&graph| strata[graph as usize]).collect();
    let folds = Folds::random(&of_train, PART_COUNT, params.seed).map_err(|_| {
        Error::parameter("early_stopping", "too few graphs to hold some out: give --valid")
    })?;
    let split = folds.split_of(train, 0);
    let graphs = GraphSplit { train: &split.train, valid: &split.held_out };
    let LinearBooster { booster, .. } = LinearBooster::new(exploration, params, graphs)?;
    let record = booster.run(go_on)?.into_record();
    if record.stopped == StopReason::Interrupted || record.stopped.is_limit() {
        return Err(Error::failed(format!(
            "{} while the number of rounds was being found: there is no model yet; give --trees \
             without --early-stopping, or more time",
            record.stopped.text()
        )));
    }
    let found =
        FixedParams { trees: record.best_round, early_stopping: None, ..(**params).clone() };
    let params = found.check()?;
    let method = TuningMethod::EarlyStopping;
    let record = TuningRecord::new(method, 1, split.held_out.len(), &params);
    Ok(Tuned { params, record: Some(record) })
}
