//! `spinney reproduce`: the paper's experiments, its numbers beside ours.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;
use spinney::{Error, Result};
use spinney_lab::ledger::Ledger;
use spinney_lab::page::Page;
use spinney_lab::qsar::Qsar;
use spinney_lab::rivals::environment::Environment;
use spinney_lab::scalability::Scalability;
use spinney_lab::setup::Setup;
use spinney_lab::xor::Xor;

use crate::args::CommonArgs;
use crate::{output, progress};

/// Carry out the paper's experiments: tables and figures, the paper's numbers beside ours.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(clap::Subcommand)]
enum Experiment {
    /// Graph-XOR (section 5.1): what linear models cannot learn
    Xor(Run),
    /// QSAR (section 5.2): accuracy, AUC and best settings on CPDB, Mutag, NCI1 and NCI47
    Qsar(WithRivals),
    /// Scalability (section 5.3): joint learning against enumerate-and-learn, by pattern size
    Scalability(WithRivals),
}

#[derive(clap::Args)]
struct WithRivals {
    #[command(flatten)]
    run: Run,
    /// Leave out the rivals, which need python3 and packages from PyPI
    #[arg(long)]
    no_rivals: bool,
    /// Seconds for a rival on a data set, or for a point of the scalability figure [default: 300,
    /// or 20 with --quick]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// The folder of the rivals' Python environment, made if it is not there [default: the user's
    /// cache]
    #[arg(long, value_name = "DIR")]
    environment: Option<PathBuf>,
}

#[derive(clap::Args)]
struct Run {
    /// The folder of the paper's data [default: $SPINNEY_DATA, or ../shared/data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The folder for tables, figures and page; a run that was stopped goes on from there
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// A small part of the grid, in less than two minutes
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    common: CommonArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let (name, run) = match &args.experiment {
        Experiment::Xor(run) => ("xor", run),
        Experiment::Qsar(with) => ("qsar", &with.run),
        Experiment::Scalability(with) => ("scalability", &with.run),
    };
    let started = Instant::now();
    run.common.start()?;
    let folder = run.folder(name);
    std::fs::create_dir_all(&folder).map_err(|e| Error::file(&folder, e))?;
    let ledger = Ledger::open(&folder.join("cells.jsonl"))?;
    let wait = progress::spinner(&run.common, "cross-validating");
    let done = |key: &str| wait.set_message(key.to_owned());
    let mut page = match &args.experiment {
        Experiment::Xor(_) => Xor::load(&run.data())?.run(&ledger, run.quick, &done)?,
        Experiment::Qsar(with) => Qsar { setup: with.setup(&ledger, &done) }.run(&run.data())?,
        Experiment::Scalability(with) => {
            Scalability { setup: with.setup(&ledger, &done) }.run(&run.data())?
        }
    };
    wait.finish_and_clear();
    let flags = match &args.experiment {
        Experiment::Qsar(with) | Experiment::Scalability(with) => with.flags(),
        Experiment::Xor(_) => String::new(),
    };
    page.about.extend(run.about(&format!("{name}{flags}"), started));
    page.write(&folder)?;
    show(&page, &folder)?;
    let params = json!({
        "experiment": name, "data": run.data().display().to_string(), "quick": run.quick,
    });
    output::write_json(run.common.json.as_deref(), "reproduce", &params, started, &page.json)
}

impl WithRivals {
    fn setup<'l>(&self, ledger: &'l Ledger, done: &'l (dyn Fn(&str) + Sync)) -> Setup<'l> {
        let quick = self.run.quick;
        Setup { ledger, quick, rivals: self.environment(done), limit: self.limit(), done }
    }

    /// The rivals' environment, or why they are not run: what is ours is run all the same.
    fn environment(&self, say: &dyn Fn(&str)) -> std::result::Result<Environment, String> {
        if self.no_rivals {
            return Err("not run".into());
        }
        say("setting up the rivals' Python environment");
        let folder = self.environment.clone().unwrap_or_else(Environment::usual_folder);
        Environment::set_up(&folder).map_err(|e| format!("not run: {e}"))
    }

    /// The flags that results depend on, as they were given.
    fn flags(&self) -> String {
        let limit = self.limit.map_or_else(String::new, |seconds| format!(" --limit {seconds}"));
        format!("{limit}{}", if self.no_rivals { " --no-rivals" } else { "" })
    }

    fn limit(&self) -> Duration {
        let usual = if self.run.quick { 20 } else { 300 };
        Duration::from_secs(self.limit.unwrap_or(usual))
    }
}

impl Run {
    fn data(&self) -> PathBuf {
        let found = self.data.clone().or_else(|| std::env::var_os("SPINNEY_DATA").map(Into::into));
        found.unwrap_or_else(|| "../shared/data".into())
    }

    fn folder(&self, experiment: &str) -> PathBuf {
        let part = if self.quick { "-quick" } else { "" };
        self.output.clone().unwrap_or_else(|| format!("results/{experiment}{part}").into())
    }

    fn about(&self, experiment: &str, started: Instant) -> Vec<(String, String)> {
        let quick = if self.quick { " --quick" } else { "" };
        [
            ("Command", format!("spinney reproduce {experiment}{quick}")),
            ("Version", format!("spinney {}", env!("CARGO_PKG_VERSION"))),
            ("Time of the last run", format!("{:.0} s", started.elapsed().as_secs_f64())),
        ]
        .map(|(k, v)| (k.to_owned(), v))
        .to_vec()
    }
}

/// The tables on standard output.
fn show(page: &Page, folder: &Path) -> Result<()> {
    let mut text = String::new();
    for (_, table) in &page.tables {
        text += &format!("{}\n", table.title);
        let head: Vec<&str> = table.head.iter().map(String::as_str).collect();
        text += &output::table(&head, &table.rows);
        if !table.note.is_empty() {
            text += &format!("{}\n", table.note);
        }
    }
    text += &format!("wrote {}\n", folder.join("index.html").display());
    output::print(&text)
}
