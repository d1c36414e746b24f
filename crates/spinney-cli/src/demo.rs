//! `spinney demo`: the paper's point in a few seconds.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::json;
use spinney::boosting::loss::Loss;
use spinney::boosting::{Booster, Exploration};
use spinney::evaluation::Folds;
use spinney::training::cross_validation::{Setting, cross_validate};
use spinney::{Engine, Metric, Params, Result, demo};

use crate::args::CommonArgs;
use crate::reporting::Known;
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
const SHOWN: usize = 12;

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    output::check(&[args.common.json.as_deref(), Some(&args.report)], &[])?;
    let data = demo::graph_xor();
    output::print(&format!(
        "Graph-XOR: {} graphs, each two labelled paths joined by a D vertex. A graph is negative if\n\
         both paths are of the same group: an exclusive or, which no linear model can express.\n\n",
        data.len()
    ))?;
    let base = Params { max_edges: Some(2), learning_rate: 0.7, trees: 221, ..Params::paper() };
    let deep = Params { depth: 2, ..base.clone() }.check()?;
    let exploration = Exploration::new(&data, deep.max_edges, Engine::Auto);
    let folds = Folds::random(&Loss::new(&deep, &data)?.strata(), FOLDS, 0)?;
    let bar = progress::bar(&args.common, 3 * FOLDS as u64, "folds");
    let mut settings: Vec<Setting> = Vec::new();
    for depth in [1, 2, 3] {
        let params = Params { depth, ..base.clone() }.check()?;
        settings.push(cross_validate(&exploration, &folds, &params, None, || bar.inc(1))?);
    }
    bar.finish_and_clear();
    let rows: Vec<Vec<String>> = settings.iter().map(row).collect();
    output::print(&format!(
        "{FOLDS}-fold cross-validation, {} rounds, patterns of up to 2 edges:\n{}\n",
        deep.trees,
        output::table(&["model", "test accuracy", "test AUC"], &rows)
    ))?;
    let train: Vec<u32> = (0..data.len() as u32).collect();
    let fit = Booster::new(&exploration, &deep, &train, &[])?.run(|_| true)?.into_fit()?;
    let model = &fit.model;
    let header = patterns::header(model);
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let ranked = model.importance();
    let rows: Vec<Vec<String>> = ranked
        .iter()
        .take(SHOWN)
        .enumerate()
        .map(|(i, r)| patterns::row(model, i + 1, r))
        .collect();
    output::print(&format!(
        "the {SHOWN} most important of the {} patterns in the depth-2 model on all graphs:\n{}\n\
         next: spinney train YOUR_GRAPHS.gsp -o model.json, then spinney patterns model.json\n",
        ranked.len(),
        output::table(&header, &rows)
    ))?;
    let (trial, learning) = reporting::on_folds(&exploration, &folds, &deep, || ())?;
    let known = Known {
        model,
        record: Some(&fit.record),
        data: &data,
        structures: &[],
        chemistry: None,
        target: None,
        facts: vec![("Data".into(), "Graph-XOR, built in (the paper's section 5.1)".into())],
    };
    known.write((&args.report, "Graph-XOR".into()), Some(trial), learning, &args.common)?;
    let results = json!({
        "settings": settings.iter().map(|s| json!({
            "depth": s.params.depth,
            "accuracy": s.at(Metric::Accuracy, deep.trees).map(|v| v.0),
            "auc": s.at(Metric::Auc, deep.trees).map(|v| v.0),
        })).collect::<Vec<_>>(),
        "patterns": ranked.len(),
    });
    output::write_json(args.common.json.as_deref(), "demo", &json!(*deep), started, &results)
}

fn row(setting: &Setting) -> Vec<String> {
    let last = setting.params.trees;
    let shown = |metric| {
        let (mean, sd) = setting.at(metric, last).unwrap_or((f64::NAN, 0.0));
        output::spread(metric, mean, sd)
    };
    let name = match setting.params.depth {
        1 => "depth 1 (linear)".to_owned(),
        depth => format!("depth {depth}"),
    };
    vec![name, shown(Metric::Accuracy), shown(Metric::Auc)]
}
