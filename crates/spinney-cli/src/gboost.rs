//! `spinney train --method gboost`: the linear learner that the paper compares with.

use clap::ValueEnum;
use spinney::model::Model;
use spinney::training::{GboostOptions, GboostRecord, Method};
use spinney::{Dataset, Error, Result};

use crate::args::ParamArgs;
use crate::output;

/// A learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodName {
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
    #[arg(long, value_enum, default_value_t = MethodName::Trees)]
    method: MethodName,
    /// For gboost: about the share of training graphs that may lie within the margin
    /// [default: 0.3]
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    nu: Option<f64>,
    /// For gboost: how far from the best margin over all patterns it may end [default: 0.005]
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    tolerance: Option<f64>,
}

impl MethodArgs {
    /// Whether the learner is gBoost.
    pub(crate) fn is_gboost(&self) -> bool {
        self.method == MethodName::Gboost
    }

    /// Refuses flags of the other learner.
    pub(crate) fn check(&self, params: &ParamArgs) -> Result<()> {
        let (flag, method) = match self.method {
            MethodName::Gboost => (params.flag_for_trees(), "gboost"),
            MethodName::Trees if self.nu.is_some() => (Some("nu"), "trees"),
            MethodName::Trees => (self.tolerance.map(|_| "tolerance"), "trees"),
        };
        match flag {
            Some(flag) => Err(Error::parameter(flag, format!("is not for --method {method}"))),
            None => Ok(()),
        }
    }

    /// The learner with its options.
    pub(crate) fn method(&self) -> Method {
        let base = GboostOptions::default();
        match self.method {
            MethodName::Trees => Method::Trees,
            MethodName::Gboost => Method::Gboost(GboostOptions {
                nu: self.nu.unwrap_or(base.nu),
                tolerance: self.tolerance.unwrap_or(base.tolerance),
            }),
        }
    }
}

/// What a training did, in words.
pub(crate) fn summary(
    model: &Model,
    record: &GboostRecord,
    data: &Dataset,
    valid: &[u32],
) -> Result<String> {
    let mut text = format!(
        "trained on {}: {} (gBoost, {})\nexplored {} patterns ({} engine), {:.2} s\n\
         soft margin {:.6}, at most {:.1e} below the best over all patterns\n",
        output::count(model.provenance().graphs, "graph"),
        output::count(record.stumps, "stump"),
        output::count(record.rounds, "round"),
        record.patterns,
        record.engine,
        record.seconds,
        record.objective,
        record.gap,
    );
    if !valid.is_empty() {
        let held_out: Vec<usize> = valid.iter().map(|&g| g as usize).collect();
        for (metric, value) in model.evaluate(&data.subset(&held_out))? {
            text += &format!("validation {metric} {}\n", output::value(metric, value));
        }
    }
    Ok(text)
}
