//! `spinney cv`: a grid of settings, cross-validated on the same folds.

use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::ProgressBar;
use serde_json::{Value, json};
use spinney::evaluation::folds::GraphFolds;
use spinney::evaluation::{Folds, Split};
use spinney::training::cross_validation::{
    FoldTraining, FoldWork, SettingResult, cross_validate, random_folds,
};
use spinney::training::nested::{NestedResult, nested_cross_validate};
use spinney::training::{Explored, Job, Observer, train};
use spinney::{Error, Metric, Params, Request, Result};
use spinney_chem::Chemistry;

use crate::args::{CommonArgs, InputArgs, ParamArgs};
use crate::budget::BudgetArgs;
use crate::checkpoint::{CheckpointArgs, KeptFolds};
use crate::cv_output;
use crate::input::{Input, Labelled, Reading};
use crate::molecules::{CovariateArgs, SplitBy};
use crate::output::named_after;
use crate::progress::TrainingProgress;
use crate::reporting::{ReportArgs, TrainingReport};
use crate::signals::Stage;
use crate::{input, output, progress, reporting, signals};

/// Cross-validate a grid of settings.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// Number of random folds, stratified by class
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "folds_file")]
    #[arg(allow_negative_numbers = true)]
    folds: usize,
    /// How folds are made: random, scaffold (none is split between folds), or the column that names
    /// each record's fold
    #[arg(long, value_name = "random|scaffold|COL", default_value = "random")]
    split: SplitBy,
    /// A file with the fold of each graph, one integer a line; of molecules, skipped records may
    /// have a line, too
    #[arg(long, value_name = "FILE")]
    folds_file: Option<PathBuf>,
    /// Values to try for a parameter, e.g. --grid depth=1,3,5; repeatable, all combinations are run
    #[arg(long, value_name = "NAME=V1,V2,...")]
    grid: Vec<String>,
    /// Also measure what choosing the best setting gives, by nested cross-validation: for each fold
    /// the setting is chosen on the other folds
    #[arg(long)]
    nested: bool,
    /// Write the model of every fold into this folder, which is made if need be, as fold-1.json and
    /// so on; with several settings or targets their numbers come before the fold's
    #[arg(long, value_name = "FOLDER", conflicts_with = "checkpoint")]
    models: Option<PathBuf>,
    #[command(flatten)]
    beside: CovariateArgs,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    params: ParamArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    keeping: CheckpointArgs,
    #[command(flatten)]
    common: CommonArgs,
}

/// A parameter that the grid varies, and the values to try.
pub(crate) struct Axis<'a> {
    pub(crate) name: String,
    pub(crate) values: Vec<&'a str>,
}

/// Sees that the work is to stop.
struct StopOnSignal;

impl Observer for StopOnSignal {
    fn should_stop(&self) -> bool {
        signals::asked()
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    let axes = axes(&args.grid)?;
    let base = args.params.request(&args.budget, started)?;
    let requests = requests(&base, &axes)?;
    check(args, &requests)?;
    let path = &args.input.input;
    let all = read(args, &requests)?;
    let several = all.target_names.len() > 1;
    let bar = progress::bar(&args.common, 0, "folds");
    let count_one = || bar.inc(1);
    let kept = KeptFolds::new(&args.keeping, &count_one)?;
    signals::enter(Stage::FoldsLost);
    let wait = TrainingProgress::new(&args.common, None);
    let prepared = all.prepared();
    let shared = Explored::new(&prepared, &requests, &wait)?;
    wait.clear();
    if args.keeping.checkpoint.is_some() {
        signals::enter(Stage::FoldsKept);
    }
    let validation = Validation { args, requests: &requests, kept: &kept, bar: &bar };
    let mut results = Vec::new();
    let mut folds = 0;
    for column in 0..all.target_names.len().max(1) {
        let labelled = all.labelled(column, path)?;
        let explored = shared.with_targets(&labelled.prepared);
        let target = all.target_names.get(column).filter(|_| several).map(String::as_str);
        let task = Task { input: &all, labelled: &labelled, explored: &explored, target };
        let Some(done) = validation.run(task)? else { return stopped(args, &kept) };
        folds = done.folds.count();
        cv_output::print(&done, target, &axes, labelled.graphs.len())?;
        validation.write_models(task, &done, column)?;
        if let Some(page) = &args.report.report {
            let page = target.map_or_else(|| page.clone(), |t| named_after(page, t));
            let name = all.target_names.get(column);
            validation.write_report(task, &done, &page, name)?;
        }
        results.extend(cv_output::to_json(&done, target, &requests));
    }
    kept.finish()?;
    output::print(&format!("{:.2} s in all\n", started.elapsed().as_secs_f64()))?;
    let grid = axes.into_iter().map(|axis| (axis.name, json!(axis.values)));
    let params = args.params.to_json(json!({
        "input": path.display().to_string(),
        "target": all.target_names,
        "chemistry": all.chemistry.as_ref().map(|chemistry: &Chemistry| json!(chemistry)),
        "folds": folds,
        "folds_file": args.folds_file.as_ref().map(|p| p.display().to_string()),
        "nested": args.nested,
        "grid": grid.collect::<serde_json::Map<_, _>>(),
    }));
    output::write_json(args.common.json.as_deref(), "cv", &params, started, &results.into())
}

/// Refuses flags that do not go together, and outputs that cannot be written.
fn check(args: &Args, requests: &[Request]) -> Result<()> {
    let mut inputs = vec![args.input.input.as_path()];
    inputs.extend(args.folds_file.as_deref());
    let json = args.common.json.as_deref();
    let page = args.report.report.as_deref();
    output::check(&[json, page, args.keeping.checkpoint.as_deref()], &inputs)?;
    if let Some(folder) = &args.models {
        std::fs::create_dir_all(folder)
            .map_err(|e| Error::parameter("models", format!("{}: {e}", folder.display())))?;
    }
    requests.iter().try_for_each(|request| args.beside.check(&request.params))
}

fn read(args: &Args, requests: &[Request]) -> Result<Input> {
    let path = &args.input.input;
    let labelling = args.params.labelling();
    let covariates = &args.beside.covariates[..];
    let measures = args.beside.measures(labelling, &requests[0].params);
    let split = args.split.column();
    let wanted = Reading { labelling, split, covariates, measures, known: None };
    let all = input::read(path, &args.input.reading, &args.common, wanted)?;
    if all.target_names.is_empty() && all.chemistry.is_some() {
        return Err(Error::parameter("target", "name the column to learn: --target COL"));
    }
    Ok(all.with_any_target())
}

/// All settings on the same folds.
pub(crate) struct Validated {
    pub(crate) folds: GraphFolds,
    /// The metric that settings and rounds are compared by.
    pub(crate) metric: Metric,
    pub(crate) settings: Vec<SettingResult>,
    pub(crate) nested: Option<NestedResult>,
}

impl Validated {
    /// The setting with the best headline; the first of equals.
    pub(crate) fn best(&self) -> usize {
        let value = |s: &SettingResult| s.headline(self.metric).map_or(f64::NAN, |v| v.mean);
        let mut best = 0;
        for i in 1..self.settings.len() {
            if self.metric.is_better(value(&self.settings[i]), value(&self.settings[best])) {
                best = i;
            }
        }
        best
    }
}

/// Says that the work was stopped, and how to go on.
fn stopped(args: &Args, kept: &KeptFolds<'_>) -> Result<()> {
    signals::obey();
    let done = output::count(kept.finish()?, "finished fold");
    output::complain(&match &args.keeping.checkpoint {
        Some(path) => {
            let path = path.display();
            format!("spinney: stopped; {path} has {done}; the same command with --resume goes on")
        }
        None => "spinney: stopped; with --checkpoint FILE it could go on".into(),
    });
    Ok(())
}

/// One target of a cross-validation.
#[derive(Clone, Copy)]
struct Task<'a> {
    input: &'a Input,
    labelled: &'a Labelled,
    explored: &'a Explored<'a>,
    target: Option<&'a str>,
}

/// What all targets are validated by.
struct Validation<'a> {
    args: &'a Args,
    requests: &'a [Request],
    kept: &'a KeptFolds<'a>,
    bar: &'a ProgressBar,
}

impl Validation<'_> {
    /// Validates all settings; `None` if it was stopped.
    fn run(&self, task: Task<'_>) -> Result<Option<Validated>> {
        let Task { labelled, explored, .. } = task;
        let metric = self.metric(labelled)?;
        let folds = folds(self.args, &self.requests[0].params, task.input, labelled)?;
        self.bar.reset();
        let each = folds.count();
        let inner = if self.args.nested { each * (each - 1) / 2 } else { 0 };
        self.bar.set_length((self.requests.len() * (each + inner)) as u64);
        let keep_models = self.args.models.is_some();
        let work = FoldWork { observer: &StopOnSignal, keeper: self.kept, keep_models };
        let mut settings = Vec::with_capacity(self.requests.len());
        for request in self.requests {
            let result = cross_validate(explored, request, &folds, Some(metric), work)?;
            let Some(result) = result else { return Ok(None) };
            settings.push(result);
        }
        let nested = if self.args.nested {
            let done = |setting: usize, fold: usize| settings[setting].folds[fold].clone();
            let metric = Some(metric);
            let nested =
                nested_cross_validate(explored, self.requests, &folds, metric, &done, work)?;
            let Some(nested) = nested else { return Ok(None) };
            Some(nested)
        } else {
            None
        };
        self.bar.finish_and_clear();
        Ok(Some(Validated { folds, metric, settings, nested }))
    }

    /// The metric that settings are compared by. All settings must understand the targets, and
    /// alike: as classes or as numbers.
    fn metric(&self, labelled: &Labelled) -> Result<Metric> {
        let mut first = None;
        for request in self.requests {
            let path = &self.args.input.input;
            let loss = input::check_targets(path, labelled, &request.params)?;
            let usual = loss.truth(&[]).metrics()[0];
            if *first.get_or_insert(usual) != usual {
                let reason = "losses of classes and of numbers cannot be compared: run cv for each";
                return Err(Error::parameter("grid", reason));
            }
        }
        Ok(self.args.params.metric().or(first).unwrap_or(Metric::Accuracy))
    }

    /// Writes the models of all folds.
    fn write_models(&self, task: Task<'_>, done: &Validated, column: usize) -> Result<()> {
        let Some(folder) = &self.args.models else { return Ok(()) };
        for (setting, result) in done.settings.iter().enumerate() {
            for (fold, FoldTraining { model, .. }) in result.folds.iter().enumerate() {
                let Some(model) = model else { continue };
                let mut name = format!("fold-{}.json", fold + 1);
                if done.settings.len() > 1 {
                    name = format!("setting-{}-{name}", setting + 1);
                }
                if task.target.is_some() {
                    name = format!("target-{}-{name}", column + 1);
                }
                model.save(&folder.join(name))?;
            }
        }
        Ok(())
    }

    /// A report on the best setting: judged on the folds as in the table, its patterns those of a
    /// training on all graphs.
    fn write_report(
        &self,
        task: Task<'_>,
        done: &Validated,
        page: &Path,
        target: Option<&String>,
    ) -> Result<()> {
        let Task { input, labelled, explored, .. } = task;
        let best = done.best();
        let chosen = &done.settings[best];
        let split = Split { train: labelled.graphs.clone(), held_out: Vec::new() };
        let progress = TrainingProgress::new(&self.args.common, None);
        let outcome = train(explored, &self.requests[best], &Job::new(&split), &progress)?;
        progress.clear();
        let path = &self.args.input.input;
        let mut facts = vec![("Data".to_owned(), path.display().to_string())];
        if done.settings.len() > 1 {
            let note = "the best of them was chosen on the folds that are reported, which is \
                        optimistic; --nested measures the choice";
            facts.push(("Settings".to_owned(), format!("{}; {note}", done.settings.len())));
        }
        let sample = input.some_of(labelled);
        let report = TrainingReport {
            title: format!("{}, cross-validated", reporting::stem(path)),
            outcome: &outcome,
            data: &sample.data,
            structures: &sample.structures,
            chemistry: input.chemistry.as_ref(),
            target: target.cloned(),
            facts,
            evaluated: Some(reporting::evaluated(explored, chosen, &done.folds)?),
            learning: reporting::curves(chosen),
            limits: explored.exploration().limits(),
        };
        report.write(page, &self.args.common)
    }
}

fn axes(grid: &[String]) -> Result<Vec<Axis<'_>>> {
    let mut axes: Vec<Axis<'_>> = Vec::new();
    for axis in grid {
        let wrong = |what: &str| Error::parameter("grid", format!("{axis:?} {what}"));
        let (name, values) = axis
            .split_once('=')
            .ok_or_else(|| wrong("is not NAME=V1,V2,... (e.g. depth=1,3,5)"))?;
        let name = name.trim().replace('-', "_");
        let values: Vec<&str> = values.split(',').map(str::trim).collect();
        if values.contains(&"") {
            return Err(wrong("lacks a value (e.g. depth=1,3,5)"));
        }
        if axes.iter().any(|other| other.name == name) {
            return Err(wrong("repeats a parameter: give all its values at once"));
        }
        axes.push(Axis { name, values });
    }
    Ok(axes)
}

/// Every combination of the grid's values over the base request, checked.
fn requests(base: &Request, axes: &[Axis<'_>]) -> Result<Vec<Request>> {
    let mut settings = vec![base.params.clone()];
    for Axis { name, values } in axes {
        let mut next = Vec::new();
        for params in &settings {
            for value in values {
                let mut params = params.clone();
                let set = params.set(name, value);
                set.map_err(|e| Error::parameter("grid", format!("{name}={value}: {e}")))?;
                next.push(params);
            }
        }
        settings = next;
    }
    settings.iter().try_for_each(Params::check)?;
    Ok(settings.into_iter().map(|params| base.with_params(params)).collect())
}

fn folds(args: &Args, params: &Params, input: &Input, labelled: &Labelled) -> Result<GraphFolds> {
    let graphs = &labelled.graphs;
    let folds = if let Some(path) = &args.folds_file {
        let numbers = input::of_kept(spinney::io::read_folds(path)?, input, graphs);
        Folds::from_numbers(&numbers, graphs.len()).map_err(|e| Error::file(path, e))?
    } else {
        match (&args.split, &input.splits) {
            (SplitBy::Scaffold, _) => {
                let all = input::scaffolds(input)?;
                let own: Vec<&String> = graphs.iter().map(|&g| &all[g as usize]).collect();
                Folds::grouped(&own, args.folds)?
            }
            (SplitBy::Column(_), Some(parts)) => {
                let own: Vec<&String> = graphs.iter().map(|&g| &parts[g as usize]).collect();
                Folds::named(&own)?
            }
            _ => {
                let data = &labelled.prepared.data;
                return random_folds(data, graphs.clone(), params, args.folds);
            }
        }
    };
    GraphFolds::new(folds, graphs.clone())
}

/// The value of a parameter in a table.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
