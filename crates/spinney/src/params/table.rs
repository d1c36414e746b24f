//! Every parameter of a training, declared once.
//!
//! A declaration gives the type, the default, the paper's value, the valid range, one sentence of
//! help and, where the data decide unless the user does, how. From it come [`Params`] (what a user
//! asks for), [`FixedParams`] (what the booster works with), their checks, the flags of the program
//! and their help, what a grid can vary, the parameters of the Python estimators, the record in the
//! model file, and `docs/PARAMETERS.md`.
//!
//! To add a parameter, add a declaration here and the code that uses it.

use serde::Serialize;

use super::setting::{Setting, Value};
use super::{ClassWeight, Criterion, Init, Leaf, LossKind};
use crate::error::{Error, Result};
use crate::evaluation::Metric;
use crate::mining::dfs_code::MAX_PATTERN_EDGES;
use crate::mining::levels;

/// One parameter, as fronts see it.
#[derive(Debug)]
pub struct Parameter {
    /// The name in flags (with hyphens), grids and files.
    pub name: &'static str,
    /// The name in Python, where scikit-learn has one of its own.
    pub python: &'static str,
    /// What values look like in help.
    pub values: &'static str,
    /// One sentence.
    pub help: &'static str,
    /// How the value is chosen where it is left to the data.
    pub automatic: Option<&'static str>,
    /// The valid range, in words; empty where every value of the type is valid.
    pub range: &'static str,
    /// The default preset's value; of an automatic parameter, the one before the data are known.
    pub default: fn() -> String,
    /// The paper preset's value.
    pub paper: fn() -> String,
    /// Reads a value into a set of parameters.
    set: fn(&mut Params, &str) -> std::result::Result<(), String>,
    /// The value in a set of parameters.
    get: fn(&Params) -> String,
    /// Whether the value in a set of parameters is left to the data.
    is_auto: fn(&Params) -> bool,
}

impl Parameter {
    /// By its name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Parameter> {
        PARAMETERS.iter().find(|parameter| parameter.name == name)
    }

    /// The help of its flag: a sentence, and the defaults of both presets.
    #[must_use]
    pub fn flag_help(&self) -> String {
        let default = (self.get)(&Params::default());
        let paper = (self.get)(&Params::paper());
        let automatic = self.automatic.map_or_else(String::new, |how| format!("; auto: {how}"));
        let paper = if paper == default { String::new() } else { format!("; paper: {paper}") };
        format!("{}{automatic} [default: {default}{paper}]", self.help)
    }

    /// Reads a value into a set of parameters.
    ///
    /// # Errors
    /// Says why the text is not a value of this parameter.
    pub fn set(&self, params: &mut Params, text: &str) -> std::result::Result<(), String> {
        (self.set)(params, text)
    }

    /// The value in a set of parameters, as text.
    #[must_use]
    pub fn get(&self, params: &Params) -> String {
        (self.get)(params)
    }

    /// Whether the value in a set of parameters is left to the data.
    #[must_use]
    pub fn is_auto(&self, params: &Params) -> bool {
        (self.is_auto)(params)
    }
}

/// The type of a field of [`Params`], and how it relates to that of [`FixedParams`].
macro_rules! requested {
    (type $type:ty) => { $type };
    (type $type:ty, $automatic:literal) => { Setting<$type> };
    (default $value:expr) => { $value };
    (default $value:expr, $automatic:literal) => { Setting::Auto };
    (given $value:expr) => { $value };
    (given $value:expr, $automatic:literal) => { Setting::Given($value) };
    (fixed $value:expr, $default:expr) => { $value.clone() };
    (fixed $value:expr, $default:expr, $automatic:literal) => {
        $value.given().cloned().unwrap_or($default)
    };
    (is_auto $value:expr) => { false };
    (is_auto $value:expr, $automatic:literal) => { $value.is_auto() };
    (automatic) => { None };
    (automatic $automatic:literal) => { Some($automatic) };
    (or $default:literal) => { $default };
    (or $default:literal, $given:literal) => { $given };
    (paper $default:expr) => { $default };
    (paper $default:expr, $paper:expr) => { $paper };
}

/// Whether a value is valid; always, where no range is declared.
macro_rules! in_range {
    ($name:expr, $value:expr) => {};
    ($name:expr, $value:expr, $range:literal, $valid:expr) => {
        if !is_valid($value, $valid) {
            let value = Value::show($value);
            return Err(Error::parameter($name, format!(concat!("{} is not ", $range), value)));
        }
    };
}

fn is_valid<T>(value: &T, range: impl Fn(&T) -> bool) -> bool {
    range(value)
}

macro_rules! parameters {
    ($(
        $name:ident: $type:ty {
            help: $help:literal,
            values: $values:literal,
            default: $default:expr,
            $(paper: $paper:expr,)?
            $(automatic: $automatic:literal,)?
            $(range: $range:literal, $valid:expr,)?
            $(python: $python:literal,)?
            $(record: $record:meta,)?
        }
    )+) => {
        /// How to train, as a user asks for it: a parameter is given, or it is left to the data.
        /// [`Params::paper`] is the paper's exact semantics.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        pub struct Params {
            $(#[doc = $help] $(#[doc = concat!("\n\nAutomatic: ", $automatic, ".")])?
            pub $name: requested!(type $type $(, $automatic)?),)+
        }

        /// Parameters without any left open: what a booster works with, and what a model file
        /// records.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        pub struct FixedParams {
            $(#[doc = $help] $(#[$record])? pub $name: $type,)+
        }

        impl Default for Params {
            fn default() -> Self {
                Params { $($name: requested!(default $default $(, $automatic)?),)+ }
            }
        }

        impl Default for FixedParams {
            fn default() -> Self {
                FixedParams { $($name: $default,)+ }
            }
        }

        impl From<FixedParams> for Params {
            fn from(fixed: FixedParams) -> Self {
                Params { $($name: requested!(given fixed.$name $(, $automatic)?),)+ }
            }
        }

        impl Params {
            /// The same with defaults where a value is left to the data.
            #[must_use]
            pub fn fixed(&self) -> FixedParams {
                FixedParams { $($name: requested!(fixed self.$name, $default $(, $automatic)?),)+ }
            }
        }

        impl FixedParams {
            /// The paper's exact semantics: f0 = mean y, mean leaves, no regularisation, no
            /// sampling, patterns of one edge or more.
            #[must_use]
            pub fn paper() -> Self {
                FixedParams { $($name: requested!(paper $default $(, $paper)?),)+ }
            }

            /// Names the first parameter that is out of its range.
            pub(super) fn check_ranges(&self) -> Result<()> {
                $(in_range!(stringify!($name), &self.$name $(, $range, $valid)?);)+
                Ok(())
            }
        }

        /// All parameters, in the order of the model file.
        pub static PARAMETERS: &[Parameter] = &[$(Parameter {
            name: stringify!($name),
            python: {
                let names = [stringify!($name) $(, $python)?];
                names[names.len() - 1]
            },
            values: $values,
            help: $help,
            automatic: requested!(automatic $($automatic)?),
            range: requested!(or "" $(, $range)?),
            default: || Value::show(&FixedParams::default().$name),
            paper: || Value::show(&FixedParams::paper().$name),
            set: |params, text| Value::read(text).map(|value| params.$name = value),
            get: |params| Value::show(&params.$name),
            is_auto: |_params| requested!(is_auto _params.$name $(, $automatic)?),
        },)+];
    };
}

parameters! {
    max_edges: Option<usize> {
        help: "Most edges of a pattern; none for no limit (but 2,000)",
        values: "N|none",
        default: Some(6),
        paper: Some(4),
        automatic: "5, or fewer (down to 2) where a census would meet too many edge sets",
        range: "between 0 and 2000", |n: &Option<usize>| n.is_none_or(|n| n <= MAX_PATTERN_EDGES),
    }
    depth: usize {
        help: "Most splits from root to leaf; 1 gives a linear model",
        values: "D",
        default: 16,
        paper: 5,
        automatic: "8 for numbers, 16 for classes",
        range: "between 1 and 64", |n| (1..=64).contains(n),
        python: "max_depth",
    }
    learning_rate: f64 {
        help: "Share of each tree that is added",
        values: "E",
        default: 0.08,
        paper: 0.1,
        range: "between 0 (excluded) and 10", |x| *x > 0.0 && *x <= 10.0,
    }
    trees: usize {
        help: "Boosting rounds",
        values: "K",
        default: 150,
        paper: 500,
        automatic: "200 for more than two classes, else 150; for classes, from 200 graphs on, \
                    hold-out tuning may find that fewer (down to half) are enough",
        range: "between 1 and 1000000", |n| (1..=1_000_000).contains(n),
        python: "n_estimators",
    }
    ensemble: usize {
        help: "Number of trainings with different samples whose average is the model",
        values: "N",
        default: 3,
        paper: 1,
        automatic: "3 below 1,500 graphs or if one of two classes has less than a fifth of them, \
                    1 above 50,000 graphs or for more than two classes, else 2",
        range: "between 1 and 1000", |n| (1..=1000).contains(n),
        record: serde(skip_serializing_if = "is_one"),
    }
    temperature: f64 {
        help: "Divides the trees' part of a score: above 1, probabilities are less extreme",
        values: "T",
        default: 1.0,
        automatic: "found by hold-out tuning where trees and min_gain are automatic too, else 1",
        range: "between 0.01 and 100", |x| (0.01..=100.0).contains(x),
        record: serde(skip_serializing_if = "is_one_degree"),
    }
    linear: f64 {
        help: "Weight of a linear model of fragments beside the trees, for two classes or numbers; \
               0 for none",
        values: "W",
        default: 0.0,
        automatic: "found by hold-out tuning, from 200 graphs on, else 0",
        range: "between 0 and 100", |x| (0.0..=100.0).contains(x),
        record: serde(skip_serializing_if = "is_zero"),
    }
    min_support: usize {
        help: "Least number of training graphs that must contain a pattern",
        values: "N",
        default: 1,
        range: "between 1 and 2147483648", |n| (1..=1 << 31).contains(n),
    }
    min_samples_leaf: usize {
        help: "Least number of training graphs in a leaf",
        values: "N",
        default: 1,
        automatic: "3 for numbers or below 1,500 graphs, else 1",
        range: "between 1 and 2147483648", |n| (1..=1 << 31).contains(n),
    }
    min_gain: f64 {
        help: "Least gain of a split: the larger, the fewer leaves",
        values: "G",
        default: 0.0,
        automatic: "0 for numbers or below 200 graphs, 0.01 for more than two classes; for two \
                    0.3, 1 or 3 as hold-out tuning finds best, or 1 without tuning",
        range: "a finite number of at least 0", |x| *x >= 0.0 && x.is_finite(),
        python: "min_split_gain",
    }
    subsample: f64 {
        help: "Share of the graphs that each tree is fitted to",
        values: "F",
        default: 0.8,
        paper: 1.0,
        range: "between 0 (excluded) and 1", |x| *x > 0.0 && *x <= 1.0,
    }
    pattern_sample: f64 {
        help: "Share of the pattern classes that each tree may use",
        values: "F",
        default: 0.05,
        paper: 1.0,
        range: "between 0 (excluded) and 1", |x| *x > 0.0 && *x <= 1.0,
        python: "colsample",
    }
    l2: f64 {
        help: "Shrinks leaf values: added to the denominator",
        values: "F",
        default: 1.0,
        paper: 0.0,
        automatic: "3 if one of two classes has less than a fifth of the graphs, else 1",
        range: "a finite number of at least 0", |x| *x >= 0.0 && x.is_finite(),
        python: "reg_lambda",
    }
    leaf: Leaf {
        help: "Leaf values: mean residual, or one Newton step on the loss",
        values: "mean|newton",
        default: Leaf::Newton,
        paper: Leaf::Mean,
    }
    criterion: Criterion {
        help: "What splits are chosen by: squared residuals (the paper), or second order",
        values: "residual|newton",
        default: Criterion::Newton,
        paper: Criterion::Residual,
    }
    count_levels: usize {
        help: "Number of occurrence thresholds that a split may ask for, out of 1 to 8, 10, 12, \
               14, 16, 20, 24, 28, 32, 40, ...; 20 reach up to 64, 1 asks only for presence",
        values: "N",
        default: 20,
        paper: 1,
        range: "between 1 and 123", |n| (1..=levels::HIGHEST as usize).contains(n),
    }
    vertices: bool {
        help: "Whether single vertices are patterns",
        values: "true|false",
        default: true,
        paper: false,
    }
    loss: LossKind {
        help: "Loss: auto (chosen by the targets), logistic, softmax, squared, huber or poisson",
        values: "LOSS",
        default: LossKind::Auto,
    }
    huber_delta: f64 {
        help: "Residual from which the Huber loss is linear",
        values: "F",
        default: 1.0,
        range: "a number above 0", |x| *x > 0.0 && x.is_finite(),
    }
    init: Init {
        help: "Score before the first tree: mean target, or the constant of least loss",
        values: "mean|best",
        default: Init::Best,
        paper: Init::Mean,
    }
    class_weight: ClassWeight {
        help: "Weigh all graphs alike, or all classes alike",
        values: "none|balanced",
        default: ClassWeight::None,
    }
    early_stopping: Option<usize> {
        help: "Stop after this many rounds without improvement on the validation graphs; without \
               such graphs, find the number of rounds on a held-out fifth, then train on all",
        values: "R|none",
        default: None,
        range: "between 1 and 1000000", |n: &Option<usize>| {
            n.is_none_or(|n| (1..=1_000_000).contains(&n))
        },
        python: "early_stopping_rounds",
    }
    metric: Option<Metric> {
        help: "Metric that early stopping watches and that the best setting of a grid is chosen \
               by: accuracy, auc, log_loss, rmse, mae or r2; none for the loss's own",
        values: "METRIC",
        default: None,
        python: "eval_metric",
    }
    positive: Option<String> {
        help: "Class that counts as positive, of two; none for the larger number, or the word that \
               says so (active, true, yes), or the later word",
        values: "CLASS",
        default: None,
    }
    seed: u64 {
        help: "Seed of all sampling",
        values: "S",
        default: 0,
        python: "random_state",
    }
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

/// Models without a linear part are written as they were before there was one.
#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(number: &f64) -> bool {
    *number == 0.0
}
