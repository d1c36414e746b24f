//! `spinney cv`: a grid of settings, cross-validated on the same folds.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};
use spinney::boosting::cv::{Folds, Setting, cross_validate, strata};
use spinney::boosting::{Exploration, ValidParams};
use spinney::{Dataset, Error, Metric, Params, Result};

use crate::args::{self, CommonArgs, InputArgs, ParamArgs};
use crate::{input, output, progress};

/// Cross-validate a grid of settings.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// Number of random folds, stratified by class
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "folds_file")]
    folds: usize,
    /// A file with the fold of each graph, one integer a line
    #[arg(long, value_name = "FILE")]
    folds_file: Option<PathBuf>,
    /// Values to try for a parameter, e.g. --grid depth=1,3,5; repeatable, all combinations are run
    #[arg(long, value_name = "NAME=V1,V2,...")]
    grid: Vec<String>,
    #[command(flatten)]
    params: ParamArgs,
    #[command(flatten)]
    common: CommonArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    let settings = settings(&args.params.params(), &args.grid)?;
    let data = input::read(&args.input.input, &args.input.reading, &args.common)?;
    let folds = folds(args, &settings[0], &data)?;
    let wait = progress::spinner(&args.common, "exploring patterns");
    let unlimited = settings.iter().any(|s| s.max_edges.is_none());
    let most = settings.iter().filter_map(|s| s.max_edges).max();
    let exploration =
        Exploration::new(&data, if unlimited { None } else { most }, args.params.engine);
    wait.finish_and_clear();
    let bar = progress::bar(&args.common, (settings.len() * folds.count()) as u64, "folds");
    let mut done = Vec::with_capacity(settings.len());
    for params in &settings {
        done.push(cross_validate(&exploration, &folds, params, args.params.metric, || bar.inc(1))?);
    }
    bar.finish_and_clear();
    report(args, &data, &folds, &done, started)
}

/// Every combination of the grid's values over the base parameters, checked.
fn settings(base: &Params, grid: &[String]) -> Result<Vec<ValidParams>> {
    let mut settings = vec![base.clone()];
    for axis in grid {
        let (name, values) = axis.split_once('=').ok_or_else(|| {
            Error::parameter("grid", format!("{axis:?} is not NAME=V1,V2,... (e.g. depth=1,3,5)"))
        })?;
        let mut next = Vec::new();
        for params in &settings {
            for value in values.split(',') {
                let mut params = params.clone();
                args::set(&mut params, name.trim(), value.trim())?;
                next.push(params);
            }
        }
        settings = next;
    }
    settings.into_iter().map(Params::check).collect()
}

fn folds(args: &Args, params: &ValidParams, data: &Dataset) -> Result<Folds> {
    match &args.folds_file {
        Some(path) => {
            let numbers = input::read_folds(path)?;
            Folds::from_numbers(&numbers, data.len()).map_err(|e| Error::file(path, e))
        }
        None => Folds::random(&strata(data, params)?, args.folds, params.seed),
    }
}

fn report(
    args: &Args,
    data: &Dataset,
    folds: &Folds,
    done: &[Setting],
    started: Instant,
) -> Result<()> {
    let metrics: Vec<Metric> = done[0].curves.iter().map(|c| c.0).collect();
    let metric = args.params.metric.unwrap_or(metrics[0]);
    let best = best(done, metric);
    let names = varied(&args.grid);
    let mut header: Vec<&str> = names.iter().map(String::as_str).collect();
    header.push("best round");
    header.extend(metrics.iter().map(|m| m.name()));
    header.extend(["seconds", ""]);
    let rows: Vec<Vec<String>> = done
        .iter()
        .enumerate()
        .map(|(i, setting)| {
            let values = json!(*setting.params);
            let mut row: Vec<String> = names.iter().map(|n| shown(&values[n])).collect();
            row.push(setting.best_round.to_string());
            row.extend(metrics.iter().map(|&m| {
                let (mean, sd) = setting.at(m, setting.best_round).unwrap_or((f64::NAN, 0.0));
                output::spread(m, mean, sd)
            }));
            row.push(format!("{:.2}", setting.seconds));
            row.push(if i == best { "best".into() } else { String::new() });
            row
        })
        .collect();
    let text = format!(
        "{} graphs, {} folds, best round by {metric}\n{}{:.2} s in all\n",
        data.len(),
        folds.count(),
        output::table(&header, &rows),
        started.elapsed().as_secs_f64()
    );
    output::print(&text)?;
    let results: Vec<Value> = done.iter().map(setting_json).collect();
    let params = json!(args.params.params());
    output::write_json(args.common.json.as_deref(), "cv", &params, started, &results.into())
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

/// The parameters that the grid varies.
fn varied(grid: &[String]) -> Vec<String> {
    let names = grid.iter().filter_map(|axis| axis.split_once('='));
    names.map(|(name, _)| name.trim().replace('-', "_")).collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn setting_json(setting: &Setting) -> Value {
    let mut all = json!({
        "params": *setting.params,
        "best_round": setting.best_round,
        "seconds": setting.seconds,
    });
    for (metric, curve) in &setting.curves {
        all[metric.name()] = json!(curve);
    }
    all
}
