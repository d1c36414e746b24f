//! Flags that several subcommands share, with the same names everywhere.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Instant;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, value_parser};
use serde_json::{Value, json};
use spinney::io::OnError;
use spinney::params::{PARAMETERS, Parameter};
use spinney::representation::views::{VertexView, Views};
use spinney::{Engine, Error, Metric, Params, Preset, Request, Result};

use crate::budget::BudgetArgs;
use crate::molecules::{InputFormat, Labelling, MoleculeArgs, once_each};
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
    /// The input's format, if its name does not show it: gspan, tudataset, csv, tsv, smi, sdf,
    /// parquet
    #[arg(long, value_name = "KIND")]
    pub(crate) format: Option<InputFormat>,
    /// What to do with a bad record: fail, or skip, count and list it
    #[arg(long, value_name = "fail|skip", default_value = "fail")]
    pub(crate) on_error: OnError,
    /// What makes vertices of graphs the same: label or label+degree+ring; several separated by
    /// commas are views side by side [default: both for training, else and in the paper: label]
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

/// Training parameters; what is not given comes from the preset. Flags and their help come from the
/// declarations of `spinney::params`.
#[derive(Clone, Debug)]
pub(crate) struct ParamArgs {
    /// Where defaults come from.
    pub(crate) preset: Preset,
    /// What was given on the command line.
    given: Vec<GivenParameter>,
    /// How to explore patterns.
    pub(crate) engine: Engine,
    /// The most memory of the process.
    pub(crate) memory: Option<Bytes>,
}

/// A parameter with the text that was given for it.
#[derive(Clone, Debug)]
struct GivenParameter {
    parameter: &'static Parameter,
    text: String,
}

/// Of the parameters, gBoost takes these.
const GBOOST_PARAMETERS: [&str; 3] = ["max_edges", "min_support", "positive"];

const PRESET_HELP: &str =
    "Where defaults come from: `default` is what works best, `paper` the paper's exact semantics";
const ENGINE_HELP: &str = "How to explore patterns: auto, census or bound; the model is the same";
const MEMORY_HELP: &str = "Most memory of the program, such as 500MB or 4GB [default: most of what \
                           is free]; what does not fit is found again when needed, with the same \
                           result; where that cannot be, training stops with a valid model";

/// The flag of a parameter, with help and defaults from its declaration.
fn flag(parameter: &'static Parameter) -> Arg {
    let check = |text: &str| {
        parameter.set(&mut Params::default(), text)?;
        Ok::<String, String>(text.to_owned())
    };
    Arg::new(parameter.name)
        .long(parameter.name.replace('_', "-"))
        .value_name(parameter.values)
        .help(parameter.flag_help())
        .allow_negative_numbers(true)
        .value_parser(check)
}

impl Args for ParamArgs {
    fn augment_args(command: Command) -> Command {
        let command = command.next_help_heading("Training").arg(
            Arg::new("preset")
                .long("preset")
                .value_name("PRESET")
                .help(PRESET_HELP)
                .default_value("default")
                .value_parser(["default", "paper"]),
        );
        let command = command.args(PARAMETERS.iter().map(flag));
        command
            .arg(
                Arg::new("engine")
                    .long("engine")
                    .value_name("ENGINE")
                    .help(ENGINE_HELP)
                    .default_value("auto")
                    .value_parser(value_parser!(Engine)),
            )
            .arg(
                Arg::new("memory")
                    .long("memory")
                    .value_name("SIZE")
                    .help(MEMORY_HELP)
                    .value_parser(value_parser!(Bytes)),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ParamArgs {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let preset: Option<&String> = matches.get_one("preset");
        let given = |parameter: &'static Parameter| {
            let text = matches.get_one::<String>(parameter.name)?.clone();
            Some(GivenParameter { parameter, text })
        };
        Ok(ParamArgs {
            preset: preset.and_then(|name| name.parse().ok()).unwrap_or_default(),
            given: PARAMETERS.iter().filter_map(given).collect(),
            engine: matches.get_one("engine").copied().unwrap_or_default(),
            memory: matches.get_one("memory").copied(),
        })
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl ParamArgs {
    /// What was asked for, as the JSON file has it, with the flags that are no training parameters.
    pub(crate) fn to_json(&self, flags: Value) -> Value {
        let mut all = json!({"preset": self.preset.name()});
        let own = json!({"engine": self.engine, "memory": self.memory.map(|m| m.0)});
        for part in [json!(self.params().unwrap_or_default()), own, flags] {
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

    /// A flag that was given and makes sense for trees only.
    pub(crate) fn flag_for_trees(&self) -> Option<&'static str> {
        let names = self.given.iter().map(|given| given.parameter.name);
        names.into_iter().find(|name| !GBOOST_PARAMETERS.contains(name))
    }

    /// The preset with what was given on the command line.
    pub(crate) fn params(&self) -> Result<Params> {
        let mut params = self.preset.params();
        for GivenParameter { parameter, text } in &self.given {
            params.set(parameter.name, text)?;
        }
        Ok(params)
    }

    /// The metric that was asked for.
    pub(crate) fn metric(&self) -> Option<Metric> {
        self.params().ok()?.metric
    }

    /// What is wanted of a training, with limits counted from `started`.
    pub(crate) fn request(&self, budget: &BudgetArgs, started: Instant) -> Result<Request> {
        let params = self.params()?;
        params.check()?;
        Ok(Request {
            params,
            engine: self.engine,
            limits: budget.limits(started, self.memory),
            ..self.preset.into()
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};
    use spinney::Params;
    use spinney::params::PARAMETERS;

    use super::ParamArgs;

    fn parsed(words: &[&str]) -> Result<ParamArgs, clap::Error> {
        let command = ParamArgs::augment_args(Command::new("test"));
        let matches = command.try_get_matches_from([&["test"], words].concat())?;
        ParamArgs::from_arg_matches(&matches)
    }

    #[test]
    fn every_parameter_has_a_flag_with_the_defaults_of_both_presets() {
        let command = ParamArgs::augment_args(Command::new("test"));
        for parameter in PARAMETERS {
            let found = command.get_arguments().find(|a| a.get_id().as_str() == parameter.name);
            let help = found.expect("a flag").get_help().expect("help").to_string();
            let default = parameter.get(&Params::default());
            assert!(help.contains(&format!("[default: {default}")), "{}: {help}", parameter.name);
            let paper = parameter.get(&Params::paper());
            assert!(paper == default || help.contains(&format!("paper: {paper}]")), "{help}");
        }
    }

    #[test]
    fn flags_set_what_they_name() {
        let given = parsed(&["--preset", "paper", "--max-edges", "none", "--l2", "0.5"]).unwrap();
        let expected = Params { max_edges: None.into(), l2: 0.5.into(), ..Params::paper() };
        assert_eq!(given.params().unwrap(), expected);
        assert_eq!(given.flag_for_trees(), Some("l2"));
        assert_eq!(parsed(&[]).unwrap().params().unwrap(), Params::default());
        let wrong = parsed(&["--leaf", "big"]).unwrap_err().to_string();
        assert!(wrong.contains("--leaf") && wrong.contains("newton"), "{wrong}");
    }
}
