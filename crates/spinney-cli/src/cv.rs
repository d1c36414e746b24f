//! `spinney cv`: a grid of settings, cross-validated on the same folds.

use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::ProgressBar;
use serde_json::{Value, json};
use spinney::boosting::loss::Loss;
use spinney::boosting::{Booster, Exploration, Limits, ValidParams};
use spinney::evaluation::Folds;
use spinney::training::cross_validation::{Setting, cross_validate_kept};
use spinney::{Dataset, Error, Metric, Params, Result};
use spinney_chem::Chemistry;

use crate::args::{self, CommonArgs, InputArgs, ParamArgs};
use crate::budget::BudgetArgs;
use crate::checkpoint::{CheckpointArgs, KeptCells};
use crate::input::{Beside, Input};
use crate::molecules::{CovariateArgs, Split};
use crate::output::named_after;
use crate::reporting::{Known, ReportArgs};
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
    split: Split,
    /// A file with the fold of each graph, one integer a line; of molecules, skipped records may have a line, too
    #[arg(long, value_name = "FILE")]
    folds_file: Option<PathBuf>,
    /// Values to try for a parameter, e.g. --grid depth=1,3,5; repeatable, all combinations are run
    #[arg(long, value_name = "NAME=V1,V2,...")]
    grid: Vec<String>,
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

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    let axes = axes(&args.grid)?;
    let settings = settings(&args.params.params(), &axes)?;
    let mut inputs = vec![args.input.input.as_path()];
    inputs.extend(args.folds_file.as_deref());
    let (json, page) = (args.common.json.as_deref(), args.report.report.as_deref());
    output::check(&[json, page, args.keeping.checkpoint.as_deref()], &inputs)?;
    let path = &args.input.input;
    let labelling = args.params.labelling();
    let covariates = &args.beside.covariates[..];
    settings.iter().try_for_each(|params| args.beside.check(params))?;
    let measures = args.beside.measures(labelling, &settings[0]);
    let beside = Beside { split: args.split.column(), covariates, measures, known: None };
    let all = input::read(path, &args.input.reading, &args.common, (labelling, beside))?;
    if all.target_names.is_empty() && all.chemistry.is_some() {
        return Err(Error::parameter("target", "name the column to learn: --target COL"));
    }
    let several = all.target_names.len() > 1;
    let (mut results, mut folds) = (Vec::new(), 0);
    let bar = progress::bar(&args.common, 0, "folds");
    let tick = || bar.inc(1);
    let cells = KeptCells::new(&args.keeping, &tick)?;
    let limits = args.budget.limits(started, args.params.memory);
    signals::be_patient();
    for column in 0..all.target_names.len().max(1) {
        let input = all.labelled(column, path)?;
        let target = all.target_names.get(column).filter(|_| several).map(String::as_str);
        let Some(done) = validate(args, &settings, &input, (&cells, &bar, limits))? else {
            return stopped(args, &cells);
        };
        folds = done.folds.count();
        report(args, &input.data, &done, (target, &axes))?;
        if let Some(page) = &args.report.report {
            let page = target.map_or_else(|| page.clone(), |t| named_after(page, t));
            write_report(args, &input, &done, (&page, all.target_names.get(column)))?;
        }
        results.extend(done.settings.iter().map(|s| setting_json(s, target)));
    }
    cells.finish()?;
    output::print(&format!("{:.2} s in all\n", started.elapsed().as_secs_f64()))?;
    let params = args.params.told(json!({
        "input": path.display().to_string(),
        "target": all.target_names,
        "chemistry": all.chemistry.as_ref().map(Chemistry::to_json),
        "folds": folds,
        "folds_file": args.folds_file.as_ref().map(|p| p.display().to_string()),
        "grid": axes.into_iter().map(|(name, values)| (name, json!(values)))
            .collect::<serde_json::Map<_, _>>(),
    }));
    output::write_json(args.common.json.as_deref(), "cv", &params, started, &results.into())
}

/// All settings on the same folds.
struct Done {
    folds: Folds,
    settings: Vec<Setting>,
}

/// Says that the work was stopped, and how to go on.
fn stopped(args: &Args, cells: &KeptCells<'_>) -> Result<()> {
    signals::obey();
    let done = output::count(cells.finish()?, "finished fold");
    output::complain(&match &args.keeping.checkpoint {
        Some(path) => {
            let path = path.display();
            format!("spinney: stopped; {path} has {done}; the same command with --resume goes on")
        }
        None => "spinney: stopped; with --checkpoint FILE it could go on".into(),
    });
    Ok(())
}

/// Validates all settings; `None` if it was stopped.
fn validate(
    args: &Args,
    settings: &[ValidParams],
    input: &Input,
    (cells, bar, limits): (&KeptCells<'_>, &ProgressBar, Limits),
) -> Result<Option<Done>> {
    let data = &input.data;
    check_targets(args, settings, data)?;
    let settings = &fitted(args, settings, data)?;
    let folds = folds(args, &settings[0], input)?;
    let unlimited = settings.iter().any(|s| s.max_edges.is_none());
    let most = settings.iter().filter_map(|s| s.max_edges).max().filter(|_| !unlimited);
    input::check_census(data, most, args.params.engine)?;
    let wait = progress::spinner(&args.common, "exploring patterns");
    let exploration = Exploration::limited(data, most, args.params.engine, limits);
    wait.finish_and_clear();
    bar.reset();
    bar.set_length((settings.len() * folds.count()) as u64);
    let mut done = Vec::with_capacity(settings.len());
    let metric = args.params.metric;
    for params in settings {
        let setting = cross_validate_kept(&exploration, &folds, params, metric, cells)?;
        let Some(setting) = setting else { return Ok(None) };
        done.push(setting);
    }
    bar.finish_and_clear();
    Ok(Some(Done { folds, settings: done }))
}

/// The settings with what depends on the data, unless the grid says it.
fn fitted(args: &Args, settings: &[ValidParams], data: &Dataset) -> Result<Vec<ValidParams>> {
    let named = |name: &str| args.grid.iter().any(|axis| axis.starts_with(&format!("{name}=")));
    let fit = |params: &ValidParams| args.params.advised(params, named, data);
    settings.iter().map(fit).collect()
}

/// All settings must understand the targets, and alike: as classes or as numbers.
fn check_targets(args: &Args, settings: &[ValidParams], data: &Dataset) -> Result<()> {
    let mut numbers = Vec::with_capacity(settings.len());
    for params in settings {
        let loss = input::targets(&args.input.input, data, params)?;
        numbers.push(loss.task().classes().is_empty());
    }
    if numbers.contains(&true) && numbers.contains(&false) {
        let reason = "losses of classes and of numbers cannot be compared: run cv for each";
        return Err(Error::parameter("grid", reason));
    }
    Ok(())
}

/// A parameter that the grid varies, and the values to try.
type Axis<'a> = (String, Vec<&'a str>);

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
        if axes.iter().any(|other| other.0 == name) {
            return Err(wrong("repeats a parameter: give all its values at once"));
        }
        axes.push((name, values));
    }
    Ok(axes)
}

/// Every combination of the grid's values over the base parameters, checked.
fn settings(base: &Params, axes: &[Axis<'_>]) -> Result<Vec<ValidParams>> {
    let mut settings = vec![base.clone()];
    for (name, values) in axes {
        let mut next = Vec::new();
        for params in &settings {
            for value in values {
                let mut params = params.clone();
                args::set(&mut params, name, value)?;
                next.push(params);
            }
        }
        settings = next;
    }
    settings.into_iter().map(Params::check).collect()
}

fn folds(args: &Args, params: &ValidParams, input: &Input) -> Result<Folds> {
    if let Some(path) = &args.folds_file {
        let numbers = input::of_kept(spinney::io::read_folds(path)?, input);
        return Folds::from_numbers(&numbers, input.data.len()).map_err(|e| Error::file(path, e));
    }
    match (&args.split, &input.splits) {
        (Split::Scaffold, _) => Folds::grouped(&input::scaffolds(input)?, args.folds),
        (Split::Column(_), Some(parts)) => Folds::named(parts),
        _ => Folds::random(&Loss::new(params, &input.data)?.strata(), args.folds, params.seed),
    }
}

fn report(
    args: &Args,
    data: &Dataset,
    done: &Done,
    (target, axes): (Option<&str>, &[Axis<'_>]),
) -> Result<()> {
    let metrics: Vec<Metric> = done.settings[0].curves.iter().map(|c| c.0).collect();
    let metric = args.params.metric.unwrap_or(metrics[0]);
    let best = best(&done.settings, metric);
    let mut header: Vec<&str> = axes.iter().map(|a| a.0.as_str()).collect();
    header.push("best round");
    header.extend(metrics.iter().map(|m| m.name()));
    header.extend(["seconds", ""]);
    let row = |(i, setting): (usize, &Setting)| {
        let values = json!(*setting.params);
        let mut row: Vec<String> = axes.iter().map(|a| shown(&values[&a.0])).collect();
        row.push(setting.best_round.to_string());
        row.extend(metrics.iter().map(|&m| {
            let (mean, sd) = setting.at(m, setting.best_round).unwrap_or((f64::NAN, 0.0));
            output::spread(m, mean, sd)
        }));
        row.push(format!("{:.2}", setting.seconds));
        row.push(if i == best { "best".into() } else { String::new() });
        row
    };
    let rows: Vec<Vec<String>> = done.settings.iter().enumerate().map(row).collect();
    let text = format!(
        "{}{}, {} folds, best round by {metric}\n{}",
        target.map_or_else(String::new, |t| format!("{t}: ")),
        output::count(data.len(), "graph"),
        done.folds.count(),
        output::table(&header, &rows),
    );
    output::print(&text)
}

/// A report on the best setting: judged on the folds, its patterns those of a model trained on all
/// graphs for as many rounds.
fn write_report(
    args: &Args,
    input: &Input,
    done: &Done,
    (page, target): (&Path, Option<&String>),
) -> Result<()> {
    let metric = args.params.metric.unwrap_or(done.settings[0].curves[0].0);
    let chosen = &done.settings[best(&done.settings, metric)];
    let base = (*chosen.params).clone();
    let params = Params { trees: chosen.best_round, early_stopping: None, ..base }.check()?;
    let memory = args.params.memory.map(|bytes| bytes.0);
    let (most, engine) = (params.max_edges, args.params.engine);
    let exploration = Exploration::within(&input.data, most, engine, memory);
    let wait = progress::spinner(&args.common, "training the best setting for the report");
    let (trial, _) = reporting::on_folds(&exploration, &done.folds, &params, || ())?;
    let all: Vec<u32> = (0..input.data.len() as u32).collect();
    let fit = Booster::new(&exploration, &params, &all, &[])?.run(|_| true)?.into_fit()?;
    wait.finish_and_clear();
    let model = match input.representation() {
        Some(representation) => fit.model.with_representation(representation),
        None => fit.model,
    };
    let path = &args.input.input;
    let mut facts = vec![("Data".to_owned(), path.display().to_string())];
    let note =
        "round and setting were chosen on the folds that are reported, which flatters a little";
    facts.push(("Chosen".to_owned(), format!("{} settings; {note}", done.settings.len())));
    let known = Known {
        model: &model,
        record: Some(&fit.record),
        data: &input.data,
        structures: &input.structures,
        chemistry: input.chemistry.as_ref(),
        target: target.cloned(),
        facts,
    };
    let title = format!("{}, cross-validated", reporting::called(path));
    known.write((page, title), Some(trial), reporting::learning(chosen), &args.common)
}

fn best(done: &[Setting], metric: Metric) -> usize {
    let value = |s: &Setting| s.at(metric, s.best_round).map_or(f64::NAN, |v| v.0);
    let mut best = 0;
    for i in 1..done.len() {
        if metric.is_better(value(&done[i]), value(&done[best])) {
            best = i;
        }
    }
    best
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn setting_json(setting: &Setting, target: Option<&str>) -> Value {
    let mut all = json!({
        "params": *setting.params,
        "best_round": setting.best_round,
        "seconds": setting.seconds,
    });
    if let Some(target) = target {
        all["target"] = json!(target);
    }
    for (metric, curve) in &setting.curves {
        all[metric.name()] = json!(curve);
    }
    all
}
