//! `spinney demo`: the paper's point in a few seconds.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};
use spinney::boosting::loss::Loss;
use spinney::evaluation::folds::GraphFolds;
use spinney::evaluation::metrics::MeanSd;
use spinney::evaluation::{Folds, Split};
use spinney::training::cross_validation::{FoldWork, SettingResult, cross_validate};
use spinney::training::{Explored, Job, Prepared, Silent, train};
use spinney::{Error, Metric, Model, Params, Request, Result, demo};

use crate::args::CommonArgs;
use crate::reporting::{FoldBar, TrainingReport};
use crate::{output, patterns, progress, reporting};

/// Show the method on the built-in Graph-XOR data.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to write the report on the depth-2 model: one HTML page
    #[arg(long, value_name = "FILE.html", default_value = "spinney-demo.html")]
    report: PathBuf,
    #[command(flatten)]
    common: CommonArgs,
}

const FOLDS: usize = 10;
const DEPTHS: [usize; 3] = [1, 2, 3];
/// The place of depth 2 among them.
const DEEP: usize = 1;
const ROUNDS: usize = 221;
const SHOWN_PATTERNS: usize = 12;

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    output::check(&[args.common.json.as_deref(), Some(&args.report)], &[])?;
    let data = demo::graph_xor();
    output::print(&format!(
        "Graph-XOR: {} graphs, each two labelled paths joined by a D vertex. A graph is \
         negative if\nboth paths are of the same group: an exclusive or, which no linear model \
         can express.\n\n",
        data.len()
    ))?;
    let requests = DEPTHS.map(request);
    let prepared = Prepared { data, representation: None };
    let explored = Explored::new(&prepared, &requests, &Silent)?;
    let strata = Loss::new(&requests[DEEP].params.fixed(), &prepared.data)?.strata();
    let folds = GraphFolds::from(Folds::random(&strata, FOLDS, 0)?);
    let settings = cross_validated(&explored, &requests, &folds, &args.common)?;
    let Some(deep) = settings.get(DEEP) else {
        return Err(Error::failed("stopped before the demo was over"));
    };
    let rows: Vec<Vec<String>> = settings.iter().map(row).collect();
    output::print(&format!(
        "{FOLDS}-fold cross-validation, {ROUNDS} rounds, patterns of up to 2 edges:\n{}\n",
        output::table(&["model", "test accuracy", "test AUC"], &rows)
    ))?;
    let split = Split::whole(prepared.data.len());
    let outcome = train(&explored, &requests[DEEP], &Job::new(&split), &Silent)?;
    print_patterns(&outcome.model)?;
    let report = TrainingReport {
        title: "Graph-XOR".into(),
        outcome: &outcome,
        data: &prepared.data,
        structures: &[],
        chemistry: None,
        target: None,
        facts: vec![("Data".into(), "Graph-XOR, built in (the paper's section 5.1)".into())],
        evaluated: Some(reporting::evaluated(&explored, deep, &folds)?),
        learning: reporting::curves(deep),
        limits: explored.exploration().limits(),
    };
    report.write(&args.report, &args.common)?;
    let depths = DEPTHS.iter().zip(&settings);
    let results = json!({
        "settings": depths.map(|(&depth, setting)| entry(depth, setting)).collect::<Vec<_>>(),
        "patterns": outcome.model.importance().len(),
    });
    let params = json!(outcome.params);
    output::write_json(args.common.json.as_deref(), "demo", &params, started, &results)
}

/// The paper's training of trees of this depth.
fn request(depth: usize) -> Request {
    Request::paper().with_params(Params {
        max_edges: Some(2).into(),
        learning_rate: 0.7,
        trees: ROUNDS.into(),
        depth: depth.into(),
        ..Params::paper()
    })
}

/// Cross-validation of each request, with a bar of all folds.
fn cross_validated(
    explored: &Explored<'_>,
    requests: &[Request],
    folds: &GraphFolds,
    common: &CommonArgs,
) -> Result<Vec<SettingResult>> {
    let bar = progress::bar(common, (requests.len() * FOLDS) as u64, "folds");
    let watch = FoldBar { bar: &bar };
    let work = FoldWork { observer: &watch, keeper: &watch, keep_models: false };
    let mut settings = Vec::new();
    for request in requests {
        settings.extend(cross_validate(explored, request, folds, None, work)?);
    }
    bar.finish_and_clear();
    Ok(settings)
}

/// Prints the most important patterns of the model, and what to do next.
fn print_patterns(model: &Model) -> Result<()> {
    let header = patterns::header(model);
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let ranked = model.importance();
    let shown = (1..).zip(ranked.iter().take(SHOWN_PATTERNS));
    let rows: Vec<Vec<String>> =
        shown.map(|(rank, pattern)| patterns::row(model, rank, pattern)).collect();
    output::print(&format!(
        "the {SHOWN_PATTERNS} most important of the {} patterns in the depth-2 model on all \
         graphs:\n{}\n\
         next: spinney train YOUR_GRAPHS.gsp -o model.json, then spinney patterns model.json\n",
        ranked.len(),
        output::table(&header, &rows)
    ))
}

/// What the file of results says of a depth.
fn entry(depth: usize, setting: &SettingResult) -> Value {
    let mean = |metric| setting.headline(metric).map(|value| value.mean);
    json!({
        "depth": depth,
        "accuracy": mean(Metric::Accuracy),
        "auc": mean(Metric::Auc),
    })
}

fn row(setting: &SettingResult) -> Vec<String> {
    let shown = |metric| {
        let none = MeanSd { mean: f64::NAN, sd: 0.0 };
        let MeanSd { mean, sd } = setting.headline(metric).unwrap_or(none);
        output::spread(metric, mean, sd)
    };
    let name = match setting.params.fixed().depth {
        1 => "depth 1 (linear)".to_owned(),
        depth => format!("depth {depth}"),
    };
    vec![name, shown(Metric::Accuracy), shown(Metric::Auc)]
}
