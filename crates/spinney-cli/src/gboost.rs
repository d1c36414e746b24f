//! `spinney train --method gboost`: the linear learner that the paper compares with.

use clap::ValueEnum;
use serde_json::{Value, json};
use spinney::boosting::loss::Loss;
use spinney::boosting::{Exploration, ValidParams};
use spinney::gboost::{Fit, Params, fit};
use spinney::{Error, Result};

use crate::args::ParamArgs;
use crate::output;

/// A learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Gradient-boosted trees
    Trees,
    /// LPBoost over stumps of one pattern (Saigo et al. 2009): a linear model, two classes only
    Gboost,
}

/// Which learner, and what only gBoost takes.
#[derive(clap::Args)]
#[command(next_help_heading = "Training")]
pub(crate) struct MethodArgs {
    /// The learner; gboost takes of the flags below --max-edges, --min-support, --positive,
    /// --engine and --memory
    #[arg(long, value_enum, default_value_t = Method::Trees)]
    pub(crate) method: Method,
    /// For gboost: about the share of training graphs that may lie within the margin
    /// [default: 0.3]
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    nu: Option<f64>,
    /// For gboost: how far from the best margin over all patterns it may end [default: 0.005]
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    tolerance: Option<f64>,
}

impl MethodArgs {
    /// Refuses flags of the other learner.
    pub(crate) fn check(&self, params: &ParamArgs) -> Result<()> {
        let (flag, method) = match self.method {
            Method::Gboost => (params.flag_for_trees(), "gboost"),
            Method::Trees if self.nu.is_some() => (Some("nu"), "trees"),
            Method::Trees => (self.tolerance.map(|_| "tolerance"), "trees"),
        };
        match flag {
            Some(flag) => Err(Error::parameter(flag, format!("is not for --method {method}"))),
            None => Ok(()),
        }
    }

    /// Trains gBoost.
    pub(crate) fn train(
        &self,
        exploration: &Exploration<'_>,
        given: &ValidParams,
        train: &[u32],
    ) -> Result<Fit> {
        let base = Params::default();
        let params = Params {
            nu: self.nu.unwrap_or(base.nu),
            tolerance: self.tolerance.unwrap_or(base.tolerance),
            max_edges: given.max_edges,
            min_support: given.min_support,
            ..base
        };
        let loss = Loss::new(given, exploration.data())?;
        fit(exploration, &loss, &params, train)
    }
}

/// What is said of a model.
pub(crate) fn told(
    fit: &Fit,
    exploration: &Exploration<'_>,
    train: &[u32],
    valid: &[u32],
) -> Result<String> {
    let learned = &fit.learned;
    let mut text = format!(
        "trained on {}: {} (gBoost, {})\nexplored {} patterns ({} engine), {:.2} s\n\
         soft margin {:.6}, at most {:.1e} below the best over all patterns\n",
        output::count(train.len(), "graph"),
        output::count(learned.stumps.len(), "stump"),
        output::count(learned.rounds, "round"),
        fit.patterns,
        exploration.engine(),
        fit.seconds,
        learned.objective,
        learned.gap,
    );
    if !valid.is_empty() {
        let held_out: Vec<usize> = valid.iter().map(|&g| g as usize).collect();
        for (metric, value) in fit.model.evaluate(&exploration.data().subset(&held_out))? {
            text += &format!("validation {metric} {}\n", output::value(metric, value));
        }
    }
    Ok(text)
}

/// What the JSON file says.
pub(crate) fn record(fit: &Fit) -> Value {
    let learned = &fit.learned;
    json!({
        "stumps": learned.stumps.len(),
        "objective": learned.objective,
        "gap": learned.gap,
        "rounds": learned.rounds,
        "patterns": fit.patterns,
        "seconds": fit.seconds,
    })
}
