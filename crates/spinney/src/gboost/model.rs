//! From weighted stumps to a model file like any other.

use std::time::Instant;

use crate::boosting::Exploration;
use crate::boosting::loss::Loss;
use crate::boosting::stumps::{Stump, Stumps};
use crate::model::Task;
use crate::{Error, Model, Result};

use super::{Learned, Machine, Params};

/// A trained model and how it came about.
#[derive(Clone, Debug)]
pub struct Fit {
    /// A tree of one split for each stump.
    pub model: Model,
    /// The stumps and what is proven of them.
    pub learned: Learned,
    /// How many patterns were explored.
    pub patterns: usize,
    /// Seconds, exploration included.
    pub seconds: f64,
}

/// Trains on the graphs `train`, by number, ascending. `loss` knows their targets: two classes, the
/// second positive.
///
/// # Errors
/// If there are not two classes, a parameter is out of range, or there is nothing to learn from.
pub fn fit(
    exploration: &Exploration<'_>,
    loss: &Loss,
    params: &Params,
    train: &[u32],
) -> Result<Fit> {
    let started = Instant::now();
    let targets = signs(exploration, loss, train)?;
    let mut machine = Machine::new(exploration, params, train, targets);
    let learned = machine.solve(params)?;
    let mut stumps = Vec::with_capacity(learned.stumps.len());
    for stump in &learned.stumps {
        let simplest = machine.space.simplest(stump.class);
        let support = machine.space.classes().support(stump.class);
        stumps.push(Stump { simplest, value: stump.sign * stump.alpha, support });
    }
    let mut told = serde_json::Map::new();
    told.insert("method".into(), "gboost".into());
    let given = serde_json::to_value(params).unwrap_or_default();
    told.extend(given.as_object().cloned().unwrap_or_default());
    let stopped = format!("within {:.1e} of the optimum", learned.gap);
    let parts = Stumps { exploration, train, loss, stumps, params: told, stopped };
    let model = parts.into_model(&*machine.space)?;
    let seconds = exploration.seconds() + started.elapsed().as_secs_f64();
    Ok(Fit { model, patterns: machine.space.patterns(), learned, seconds })
}

/// +1 or −1 for each training graph.
fn signs(exploration: &Exploration<'_>, loss: &Loss, train: &[u32]) -> Result<Vec<f64>> {
    if !matches!(loss.task(), Task::Binary { .. }) {
        return Err(Error::parameter("method", "gboost needs targets of two classes"));
    }
    if exploration.data().weights().is_some() {
        return Err(Error::parameter("method", "gboost does not take sample weights"));
    }
    let sign = |&g: &u32| 2.0 * loss.targets()[g as usize] - 1.0;
    let signs: Vec<f64> = train.iter().map(sign).collect();
    let positive = signs.iter().filter(|s| **s > 0.0).count();
    if positive == 0 || positive == signs.len() {
        return Err(Error::data("the training graphs are all of one class"));
    }
    Ok(signs)
}
