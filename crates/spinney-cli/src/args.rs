//! Flags that several subcommands share, with the same names everywhere.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use spinney::boosting::ValidParams;
use spinney::io::OnError;
use spinney::params::{ClassWeight, Criterion, Init, Leaf, LossKind};
use spinney::representation::views::{VertexView, Views};
use spinney::tuning::automatic::{Open, advised};
use spinney::{Dataset, Engine, Error, Metric, Params, Result};

use crate::molecules::{Kind, Labelling, MoleculeArgs, once_each};
use crate::output;

/// Where graphs come from.
#[derive(Args, Clone)]
pub(crate) struct InputArgs {
    /// Graphs (.gsp, .gspan, a TUDataset folder) or molecules (.csv, .tsv, .smi, .sdf, .parquet)
    pub(crate) input: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// How graphs are read.
#[derive(Args, Clone)]
pub(crate) struct ReadingArgs {
    /// The input's kind, if its name does not tell: gspan, tudataset, csv, tsv, smi, sdf, parquet
    #[arg(long, value_name = "KIND")]
    pub(crate) format: Option<Kind>,
    /// What to do with a bad record: fail, or skip, count and list it
    #[arg(long, value_name = "fail|skip", default_value = "fail")]
    pub(crate) on_error: OnError,
    /// What makes vertices of graphs the same: label or label+degree+ring; several separated by commas
    /// are views side by side [default: both for training, else and in the paper: label]
    #[arg(long, value_name = "VIEWS", value_delimiter = ',')]
    nodes: Vec<VertexView>,
    #[command(flatten)]
    pub(crate) molecules: MoleculeArgs,
}

impl ReadingArgs {
    /// The views of graphs that are asked for.
    pub(crate) fn views(&self, labelling: Labelling) -> Views {
        let vertices = once_each(&self.nodes);
        match (vertices.is_empty(), labelling) {
            (false, _) => Views { vertices, ..Views::default() },
            (true, Labelling::Best) => Views::both(),
            (true, Labelling::Plain) => Views::default(),
        }
    }

    /// Views are a model's own matter once it is trained.
    pub(crate) fn refuse_views(&self) -> Result<()> {
        if self.nodes.is_empty() {
            return Ok(());
        }
        Err(Error::parameter("nodes", "the model says how graphs are labelled: leave out --nodes"))
    }
}

/// How a command works and reports, besides its result.
#[derive(Args, Clone)]
#[command(next_help_heading = None)]
pub(crate) struct CommonArgs {
    /// Write parameters, time and results to this file as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Threads to use; results do not depend on it [default: all cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// No progress and no notes on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl CommonArgs {
    /// Sets the number of threads for the rest of the program.
    pub(crate) fn start(&self) -> Result<()> {
        let Some(threads) = self.threads else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
        pool.build_global()
            .map_err(|e| Error::failed(format!("cannot start {threads} threads: {e}")))
    }

    /// A line for the person at the terminal.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            output::complain(text);
        }
    }
}

/// `N` or `none`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit(pub(crate) Option<usize>);

impl FromStr for Limit {
    type Err = String;

    fn from_str(s: &str) -> std::result::Result<Self, String> {
        match s {
            "none" => Ok(Limit(None)),
            _ => s
                .parse()
                .map(|n| Limit(Some(n)))
                .map_err(|_| format!("{s:?} is neither a number nor `none`")),
        }
    }
}

/// A number of bytes with a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes(pub(crate) usize);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(s: &str) -> std::result::Result<Self, String> {
        let wrong = || format!("{s:?} is no size; write it like 500MB or 4GB");
        let digits = s.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit: f64 = match s[digits.len()..].to_ascii_uppercase().as_str() {
            "MB" | "M" => 1e6,
            "GB" | "G" => 1e9,
            _ => return Err(wrong()),
        };
        let number: f64 = digits.trim_end().parse().map_err(|_| wrong())?;
        let bytes = number * unit;
        if !(1.0..1e18).contains(&bytes) {
            return Err(wrong());
        }
        Ok(Bytes(bytes as usize))
    }
}

/// A named set of defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    Default,
    Paper,
}

/// Training parameters; what is not given comes from the preset.
#[derive(Args, Clone)]
#[command(next_help_heading = "Training")]
pub(crate) struct ParamArgs {
    /// Where defaults come from: `default` is what works best, `paper` the paper's exact semantics
    #[arg(long, value_enum, default_value_t = Preset::Default)]
    pub(crate) preset: Preset,
    /// Most edges of a pattern; by default fewer where graphs have too many parts
    /// [default: 6; paper: 4]
    #[arg(long, value_name = "N|none", allow_negative_numbers = true)]
    pub(crate) max_edges: Option<Limit>,
    /// Most questions from root to leaf; 1 gives a linear model; by default 8 for numbers
    /// [default: 16; paper: 5]
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    depth: Option<usize>,
    /// Share of each tree that is added [default: 0.08; paper: 0.1]
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    learning_rate: Option<f64>,
    /// Boosting rounds; by default 200 for more than two classes, and for classes, from 200 graphs on, as
    /// few (down to half) as a trial on a part held out finds enough [default: 150; paper: 500]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    trees: Option<usize>,
    /// Average so many trainings that differ in their samples, in one model; by default 2 from 1,500 graphs
    /// on unless one of two classes has less than a fifth of them, and 1 above 50,000 graphs or two classes
    /// [default: 3; paper: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    ensemble: Option<usize>,
    /// What the trees say is divided by this: above 1 probabilities are less sure; by default a trial
    /// on a part held out finds it, with rounds and least gain, where both are left open [default: 1]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    temperature: Option<f64>,
    /// What a linear model of small patterns and of whole neighbourhoods counts beside the trees, for two classes
    /// or numbers; by default found by the trial, from 200 graphs on [default: 0, none]
    #[arg(long, value_name = "W", allow_negative_numbers = true)]
    linear: Option<f64>,
    /// Least number of training graphs that must contain a pattern [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    min_support: Option<usize>,
    /// Least number of training graphs in a leaf; by default 3 for numbers or below 1,500 graphs
    /// [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    min_samples_leaf: Option<usize>,
    /// Least gain of a split: the larger, the fewer leaves; from 200 graphs on by default 0.01 for more than
    /// two classes, and for two 0.3, 1 or 3, as the trial finds best, or 1 without one [default: 0]
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    min_gain: Option<f64>,
    /// Share of the graphs that each tree is fitted to [default: 0.8; paper: 1]
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    subsample: Option<f64>,
    /// Share of the pattern classes that each tree may use [default: 0.05; paper: 1]
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    pattern_sample: Option<f64>,
    /// Shrinks leaf values; by default 3 if one of two classes has less than a fifth of the graphs
    /// [default: 1; paper: 0]
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    l2: Option<f64>,
    /// Leaf values: mean residual or Newton step [default: newton; paper: mean]
    #[arg(long, value_name = "mean|newton")]
    leaf: Option<Leaf>,
    /// What splits are chosen by: squared residuals (the paper) or second order
    /// [default: newton; paper: residual]
    #[arg(long, value_name = "residual|newton")]
    criterion: Option<Criterion>,
    /// Ask also how often a pattern occurs: so many thresholds of 1 to 8, 10, 12, 14, 16, 20, 24, 28, 32,
    /// 40, ... times; 20 reach up to 64 [default: 20; paper: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    count_levels: Option<usize>,
    /// Whether single vertices are patterns [default: true; paper: false]
    #[arg(long, value_name = "true|false")]
    vertices: Option<bool>,
    /// auto, logistic, softmax, squared, huber or poisson [default: auto]
    #[arg(long, value_name = "LOSS")]
    loss: Option<LossKind>,
    /// Where the Huber loss turns linear [default: 1]
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    huber_delta: Option<f64>,
    /// Score before the first tree: mean target, or the constant of least loss
    /// [default: best; paper: mean]
    #[arg(long, value_name = "mean|best")]
    init: Option<Init>,
    /// Weigh all graphs alike, or all classes alike [default: none]
    #[arg(long, value_name = "none|balanced")]
    class_weight: Option<ClassWeight>,
    /// Stop after R rounds without improvement on the validation graphs; without such graphs, find the
    /// number of rounds on a fifth held out, then train on all
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    early_stopping: Option<usize>,
    /// accuracy, auc, log_loss, rmse, mae or r2: for early stopping and for the best round
    #[arg(long, value_name = "M")]
    pub(crate) metric: Option<Metric>,
    /// The class that counts as positive, of two
    #[arg(long, value_name = "CLASS")]
    positive: Option<String>,
    /// Seed of all sampling [default: 0]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    seed: Option<u64>,
    /// How to explore patterns: auto, census or bound; the model is the same
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    pub(crate) engine: Engine,
    /// Most memory, such as 500MB or 4GB [default: most of what is free]; what does not fit is found
    /// again when needed, with the same result; where that cannot be, training stops with a valid model
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Bytes>,
}

impl ParamArgs {
    /// Parameters as the JSON file tells them, with the flags that are no training parameters.
    pub(crate) fn told(&self, flags: Value) -> Value {
        let mut all =
            json!({"preset": self.preset.to_possible_value().map(|v| v.get_name().to_owned())});
        for part in [
            json!(self.params()),
            json!({"engine": self.engine, "memory": self.memory.map(|m| m.0)}),
            flags,
        ] {
            if let (Value::Object(all), Value::Object(part)) = (&mut all, part) {
                all.extend(part);
            }
        }
        all
    }

    /// How atoms and vertices are labelled where the user does not say.
    pub(crate) fn labelling(&self) -> Labelling {
        match self.preset {
            Preset::Default => Labelling::Best,
            Preset::Paper => Labelling::Plain,
        }
    }

    /// The parameters with what depends on the data, where neither user nor paper nor the axes of a
    /// grid say.
    pub(crate) fn advised(
        &self,
        params: &ValidParams,
        named: impl Fn(&str) -> bool,
        data: &Dataset,
    ) -> Result<ValidParams> {
        if self.preset == Preset::Paper {
            return Ok(params.clone());
        }
        let is_open = |open: &Open| match open {
            Open::MaxEdges => self.max_edges.is_none(),
            Open::Depth => self.depth.is_none(),
            Open::MinSamplesLeaf => self.min_samples_leaf.is_none(),
            Open::MinGain => self.min_gain.is_none(),
            Open::Ensemble => self.ensemble.is_none(),
            Open::L2 => self.l2.is_none(),
            Open::Trees => self.trees.is_none(),
            Open::Temperature => self.temperature.is_none(),
            Open::Linear => self.linear.is_none(),
        };
        let mut open = Open::ALL.to_vec();
        open.retain(|open| is_open(open) && !named(open.name()));
        advised(params, &open, data)
    }

    /// A flag that was given and makes sense for trees only.
    pub(crate) fn flag_for_trees(&self) -> Option<&'static str> {
        let given = [
            ("depth", self.depth.is_some()),
            ("learning_rate", self.learning_rate.is_some()),
            ("trees", self.trees.is_some()),
            ("ensemble", self.ensemble.is_some()),
            ("temperature", self.temperature.is_some()),
            ("linear", self.linear.is_some()),
            ("min_samples_leaf", self.min_samples_leaf.is_some()),
            ("min_gain", self.min_gain.is_some()),
            ("subsample", self.subsample.is_some()),
            ("pattern_sample", self.pattern_sample.is_some()),
            ("l2", self.l2.is_some()),
            ("leaf", self.leaf.is_some()),
            ("criterion", self.criterion.is_some()),
            ("count_levels", self.count_levels.is_some()),
            ("vertices", self.vertices.is_some()),
            ("loss", self.loss.is_some()),
            ("huber_delta", self.huber_delta.is_some()),
            ("init", self.init.is_some()),
            ("class_weight", self.class_weight.is_some()),
            ("early_stopping", self.early_stopping.is_some()),
            ("metric", self.metric.is_some()),
            ("seed", self.seed.is_some()),
        ];
        given.into_iter().find(|flag| flag.1).map(|flag| flag.0)
    }

    /// The preset with what was given on the command line.
    pub(crate) fn params(&self) -> Params {
        let base = match self.preset {
            Preset::Default => Params::default(),
            Preset::Paper => Params::paper(),
        };
        Params {
            max_edges: self.max_edges.map_or(base.max_edges, |m| m.0),
            depth: self.depth.unwrap_or(base.depth),
            learning_rate: self.learning_rate.unwrap_or(base.learning_rate),
            trees: self.trees.unwrap_or(base.trees),
            ensemble: self.ensemble.unwrap_or(base.ensemble),
            temperature: self.temperature.unwrap_or(base.temperature),
            linear: self.linear.unwrap_or(base.linear),
            min_support: self.min_support.unwrap_or(base.min_support),
            min_samples_leaf: self.min_samples_leaf.unwrap_or(base.min_samples_leaf),
            min_gain: self.min_gain.unwrap_or(base.min_gain),
            subsample: self.subsample.unwrap_or(base.subsample),
            pattern_sample: self.pattern_sample.unwrap_or(base.pattern_sample),
            l2: self.l2.unwrap_or(base.l2),
            leaf: self.leaf.unwrap_or(base.leaf),
            criterion: self.criterion.unwrap_or(base.criterion),
            count_levels: self.count_levels.unwrap_or(base.count_levels),
            vertices: self.vertices.unwrap_or(base.vertices),
            loss: self.loss.unwrap_or(base.loss),
            huber_delta: self.huber_delta.unwrap_or(base.huber_delta),
            init: self.init.unwrap_or(base.init),
            class_weight: self.class_weight.unwrap_or(base.class_weight),
            early_stopping: self.early_stopping.or(base.early_stopping),
            metric: self.metric.or(base.metric),
            positive: self.positive.clone().or(base.positive),
            seed: self.seed.unwrap_or(base.seed),
        }
    }
}

/// Sets one parameter by its name, for grids.
pub(crate) fn set(params: &mut Params, name: &str, value: &str) -> Result<()> {
    match name {
        "max_edges" => params.max_edges = parse::<Limit>(name, value)?.0,
        "depth" => params.depth = parse(name, value)?,
        "learning_rate" => params.learning_rate = parse(name, value)?,
        "trees" => params.trees = parse(name, value)?,
        "ensemble" => params.ensemble = parse(name, value)?,
        "temperature" => params.temperature = parse(name, value)?,
        "linear" => params.linear = parse(name, value)?,
        "min_support" => params.min_support = parse(name, value)?,
        "min_samples_leaf" => params.min_samples_leaf = parse(name, value)?,
        "min_gain" => params.min_gain = parse(name, value)?,
        "subsample" => params.subsample = parse(name, value)?,
        "pattern_sample" => params.pattern_sample = parse(name, value)?,
        "l2" => params.l2 = parse(name, value)?,
        "leaf" => params.leaf = parse(name, value)?,
        "criterion" => params.criterion = parse(name, value)?,
        "count_levels" => params.count_levels = parse(name, value)?,
        "vertices" => params.vertices = parse(name, value)?,
        "loss" => params.loss = parse(name, value)?,
        "huber_delta" => params.huber_delta = parse(name, value)?,
        "init" => params.init = parse(name, value)?,
        "class_weight" => params.class_weight = parse(name, value)?,
        "early_stopping" => params.early_stopping = parse::<Limit>(name, value)?.0,
        "metric" => params.metric = Some(parse(name, value)?),
        "positive" => params.positive = (value != "none").then(|| value.to_owned()),
        "seed" => params.seed = parse(name, value)?,
        _ => {
            let known = json!(params);
            let known: Vec<&str> =
                known.as_object().into_iter().flatten().map(|p| p.0.as_str()).collect();
            return Err(Error::parameter(
                "grid",
                format!("{name:?} is not a training parameter: take {}", known.join(", ")),
            ));
        }
    }
    Ok(())
}

fn parse<T: FromStr<Err: Display>>(name: &str, value: &str) -> Result<T> {
    value.parse().map_err(|e| Error::parameter("grid", format!("{name}={value}: {e}")))
}

#[cfg(test)]
mod tests {
    use clap::Args;
    use serde_json::{Value, json};
    use spinney::{Metric, Params};

    use super::{ParamArgs, set};

    fn shown(value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            other => other.as_f64().map_or_else(|| other.to_string(), |v| v.to_string()),
        }
    }

    #[test]
    fn help_tells_the_defaults_of_both_presets() {
        let command = ParamArgs::augment_args(clap::Command::new("test"));
        let (default, paper) = (json!(Params::default()), json!(Params::paper()));
        for (name, value) in default.as_object().unwrap().iter().filter(|(_, v)| !v.is_null()) {
            let arg = command.get_arguments().find(|a| a.get_id().as_str() == name).unwrap();
            // One training is not written down.
            let papers = paper.get(name).map_or_else(|| "1".into(), shown);
            let ours = shown(value);
            let told = if ours == papers {
                format!("[default: {ours}]")
            } else {
                format!("[default: {ours}; paper: {papers}]")
            };
            let help = arg.get_help().unwrap().to_string();
            assert!(help.ends_with(&told), "{name}: {help:?} should end with {told}");
        }
    }

    #[test]
    fn a_grid_can_set_every_parameter() {
        let mut params = Params { metric: Some(Metric::Auc), ..Params::default() };
        let same = params.clone();
        for (name, value) in json!(params).as_object().unwrap() {
            let value = if value.is_null() { "none".into() } else { shown(value) };
            set(&mut params, name, &value).unwrap();
        }
        assert_eq!(params, same);
        let unknown = set(&mut params, "tree", "1").unwrap_err().to_string();
        assert!(unknown.contains("\"tree\"") && unknown.contains("max_edges"), "{unknown}");
        let wrong = set(&mut params, "leaf", "big").unwrap_err().to_string();
        assert!(wrong.contains("leaf=big") && wrong.contains("newton"), "{wrong}");
    }
}
