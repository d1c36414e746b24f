//! Parameters, checked once.
//!
//! [`Params`] is what a user writes; [`Params::check`] gives [`ValidParams`], which is what training
//! takes: past that point nothing is out of range. Names are those of the program's flags. Paper
//! letters: x = `max_edges`, d = `depth`, η = `learning_rate`, k = `trees`.
//!
//! Engine and threads are no parameters: they change speed only, so the model does not know them.

use std::str::FromStr;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::evaluation::metrics::Metric;
use crate::mining::dfs_code::MOST_EDGES;
use crate::mining::levels;
use crate::random::random;

/// An enumeration whose values have names in flags and files.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $text)] $variant),+ }

        impl FromStr for $name {
            type Err = String;
            fn from_str(s: &str) -> std::result::Result<Self, String> {
                match s {
                    $($text => Ok($name::$variant),)+
                    _ => Err(format!(concat!("{:?} is no ", $what, ": {}"), s, [$($text),+].join(", "))),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(match self { $($name::$variant => $text),+ })
            }
        }
    };
}

named! {
    /// How patterns are explored. Both engines give the same model.
    Engine, "engine" {
        /// The census if the space is small enough to be counted out, else the bound.
        Auto = "auto",
        /// All patterns at once.
        Census = "census",
        /// Only patterns that could win (the paper's branch and bound).
        Bound = "bound",
    }
}

named! {
    /// The loss to be minimised.
    LossKind, "loss" {
        /// By the targets: two values are two classes, a few integers or words are classes, else
        /// numbers.
        Auto = "auto",
        /// log(1 + exp(−2yf)) for two classes.
        Logistic = "logistic",
        /// Cross-entropy for any number of classes.
        Softmax = "softmax",
        /// Squared error.
        Squared = "squared",
        /// Squared near zero, linear beyond `huber_delta`.
        Huber = "huber",
        /// For counts: exp(f) − yf.
        Poisson = "poisson",
    }
}

named! {
    /// The value of a leaf.
    Leaf, "leaf value" {
        /// Mean residual (the paper).
        Mean = "mean",
        /// One Newton step on the loss.
        Newton = "newton",
    }
}

named! {
    /// What splits are chosen by.
    Criterion, "criterion" {
        /// The drop in the residuals' total sum of squares (the paper).
        Residual = "residual",
        /// The second-order drop in the loss.
        Newton = "newton",
    }
}

named! {
    /// The score before the first tree.
    Init, "initial score" {
        /// The mean target; of classes, the mean of ±1 (the paper).
        Mean = "mean",
        /// The constant that minimises the loss.
        Best = "best",
    }
}

named! {
    /// How classes are weighted.
    ClassWeight, "class weight" {
        /// All graphs alike.
        None = "none",
        /// All classes alike: weights inverse to class sizes.
        Balanced = "balanced",
    }
}

/// How to train. See the fields; [`Params::paper`] is the paper's exact semantics.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Params {
    /// The most edges of a pattern; `None` for no limit (but 2,000).
    pub max_edges: Option<usize>,
    /// The most questions from root to leaf; 1 gives a linear model.
    pub depth: usize,
    /// The share of each tree that is added.
    pub learning_rate: f64,
    /// The number of boosting rounds.
    pub trees: usize,
    /// So many trainings that differ in their samples are averaged, in one model: a round grows a
    /// tree for each. Without sampling one is made, as all would be alike.
    #[serde(skip_serializing_if = "is_one")]
    pub ensemble: usize,
    /// What the trees say is divided by this in the end: above 1 probabilities are less sure
    /// (temperature scaling). Trees are grown as if it were 1.
    #[serde(skip_serializing_if = "is_one_degree")]
    pub temperature: f64,
    /// What a linear model of fragments counts beside the trees (`linear.rs`); 0 for none.
    #[serde(skip_serializing_if = "is_none_at_all")]
    pub linear: f64,
    /// The least number of training graphs that must contain a pattern.
    pub min_support: usize,
    /// The least number of training graphs in a leaf.
    pub min_samples_leaf: usize,
    /// A split must gain more than this.
    pub min_gain: f64,
    /// The share of training graphs that each tree is fitted to.
    pub subsample: f64,
    /// The share of pattern classes that each tree may use.
    pub pattern_sample: f64,
    /// Shrinks leaf values (and second-order gains) by adding to the denominator.
    pub l2: f64,
    /// The value of a leaf.
    pub leaf: Leaf,
    /// What splits are chosen by.
    pub criterion: Criterion,
    /// How many occurrence thresholds there are: "contains the pattern at least 1, ..., 8, 10, 12,
    /// 14, 16, 20, ... times" (`mining::levels`).
    pub count_levels: usize,
    /// Whether single vertices are patterns.
    pub vertices: bool,
    /// The loss to be minimised.
    pub loss: LossKind,
    /// Where the Huber loss turns linear.
    pub huber_delta: f64,
    /// The score before the first tree.
    pub init: Init,
    /// How classes are weighted.
    pub class_weight: ClassWeight,
    /// Stop after this many rounds without improvement on the validation graphs.
    pub early_stopping: Option<usize>,
    /// What early stopping watches; by default the loss's own.
    pub metric: Option<Metric>,
    /// The class that counts as positive, where there are two; by default the larger number, or
    /// the word that says so (`active`, `true`, `yes`, ...), or the later word.
    pub positive: Option<String>,
    /// The seed of all sampling.
    pub seed: u64,
}

/// Models of one training are written as they were before there were ensembles.
#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_one(number: &usize) -> bool {
    *number == 1
}

/// Models without a temperature are written as they were before there was one.
#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_one_degree(number: &f64) -> bool {
    *number == 1.0
}

/// Models without a linear one are written as they were before there was one.
#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_none_at_all(number: &f64) -> bool {
    *number == 0.0
}

impl Default for Params {
    fn default() -> Self {
        Params {
            max_edges: Some(6),
            depth: 16,
            learning_rate: 0.08,
            trees: 150,
            ensemble: 3,
            temperature: 1.0,
            linear: 0.0,
            min_support: 1,
            min_samples_leaf: 1,
            min_gain: 0.0,
            subsample: 0.8,
            pattern_sample: 0.05,
            l2: 1.0,
            leaf: Leaf::Newton,
            criterion: Criterion::Newton,
            count_levels: 20,
            vertices: true,
            loss: LossKind::Auto,
            huber_delta: 1.0,
            init: Init::Best,
            class_weight: ClassWeight::None,
            early_stopping: None,
            metric: None,
            positive: None,
            seed: 0,
        }
    }
}

impl Params {
    /// The paper's exact semantics: f0 = mean y, mean leaves, no regularisation, no sampling,
    /// patterns of one edge or more.
    #[must_use]
    pub fn paper() -> Self {
        Params {
            max_edges: Some(4),
            depth: 5,
            learning_rate: 0.1,
            trees: 500,
            ensemble: 1,
            min_samples_leaf: 1,
            subsample: 1.0,
            pattern_sample: 1.0,
            l2: 0.0,
            leaf: Leaf::Mean,
            criterion: Criterion::Residual,
            count_levels: 1,
            vertices: false,
            init: Init::Mean,
            ..Params::default()
        }
    }

    /// The seed of one training of an ensemble; the first has the ensemble's own.
    #[must_use]
    pub fn seed_of(&self, training: usize) -> u64 {
        const STREAM: u64 = u64::MAX;
        if training == 0 { self.seed } else { random(self.seed, STREAM, training as u64) }
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// Names the first one out of range and the range.
    pub fn check(self) -> Result<ValidParams> {
        let range = |name: &str, value: f64, ok: bool, what: &str| {
            if ok && value.is_finite() {
                Ok(())
            } else {
                Err(Error::parameter(name, format!("{value} is not {what}")))
            }
        };
        let count = |name: &str, value: usize, least: usize, most: usize| {
            if (least..=most).contains(&value) {
                Ok(())
            } else {
                Err(Error::parameter(name, format!("{value} is not between {least} and {most}")))
            }
        };
        let (lr, l2, gain) = (self.learning_rate, self.l2, self.min_gain);
        range("learning_rate", lr, lr > 0.0 && lr <= 10.0, "between 0 (excluded) and 10")?;
        range("l2", l2, l2 >= 0.0, "a finite number of at least 0")?;
        range("min_gain", gain, gain >= 0.0, "a finite number of at least 0")?;
        let degrees = self.temperature;
        range("temperature", degrees, (0.01..=100.0).contains(&degrees), "between 0.01 and 100")?;
        range("linear", self.linear, (0.0..=100.0).contains(&self.linear), "between 0 and 100")?;
        range("huber_delta", self.huber_delta, self.huber_delta > 0.0, "a number above 0")?;
        for (name, value) in
            [("subsample", self.subsample), ("pattern_sample", self.pattern_sample)]
        {
            range(name, value, value > 0.0 && value <= 1.0, "between 0 (excluded) and 1")?;
        }
        count("max_edges", self.max_edges.unwrap_or(1), usize::from(!self.vertices), MOST_EDGES)?;
        count("depth", self.depth, 1, 64)?;
        count("trees", self.trees, 1, 1_000_000)?;
        count("ensemble", self.ensemble, 1, 1_000)?;
        count("min_support", self.min_support, 1, 1 << 31)?;
        count("min_samples_leaf", self.min_samples_leaf, 1, 1 << 31)?;
        count("count_levels", self.count_levels, 1, levels::HIGHEST as usize)?;
        count("early_stopping", self.early_stopping.unwrap_or(1), 1, 1_000_000)?;
        // Without sampling all trainings are alike, and one says it all.
        let samples = self.subsample < 1.0 || self.pattern_sample < 1.0;
        let params = Params { ensemble: if samples { self.ensemble } else { 1 }, ..self };
        Ok(ValidParams { params, open: false, open_linear: false })
    }
}

/// Parameters that have been checked.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidParams {
    params: Params,
    /// Whether a trial is to find least gain, rounds and temperature (`trial.rs`), and whether the weight of a
    /// linear model, too.
    open: bool,
    open_linear: bool,
}

impl ValidParams {
    /// The same, with least gain, rounds and temperature left to a trial, and the weight of a `linear` model or
    /// not; until there was one, they are what is written here.
    #[must_use]
    pub(crate) fn opened(self, linear: bool) -> ValidParams {
        ValidParams { open: true, open_linear: linear, ..self }
    }

    /// Whether the weight of a linear model is left to a trial.
    pub(crate) fn is_linear_open(&self) -> bool {
        self.open_linear
    }

    /// Whether least gain, rounds and temperature are left to a [trial](crate::tuning::hold_out).
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }
}

impl std::ops::Deref for ValidParams {
    type Target = Params;

    fn deref(&self) -> &Params {
        &self.params
    }
}

#[cfg(test)]
mod tests {
    use super::{Engine, Params};

    #[test]
    fn both_presets_are_valid_and_absurdities_are_named() {
        assert!(Params::default().check().is_ok());
        assert!(Params::paper().check().is_ok());
        let refused = |p: Params| p.check().unwrap_err().to_string();
        assert!(
            refused(Params { learning_rate: -1.0, ..Params::paper() }).contains("learning_rate")
        );
        assert!(refused(Params { learning_rate: f64::NAN, ..Params::paper() }).contains("NaN"));
        assert!(refused(Params { depth: 0, ..Params::paper() }).contains("depth"));
        assert!(refused(Params { depth: 1000, ..Params::paper() }).contains("64"));
        assert!(refused(Params { max_edges: Some(0), ..Params::paper() }).contains("max_edges"));
        assert!(refused(Params { subsample: 0.0, ..Params::paper() }).contains("subsample"));
        assert!(refused(Params { trees: 0, ..Params::paper() }).contains("trees"));
        assert!("gaston".parse::<Engine>().unwrap_err().contains("census"));
    }
}
