//! `spinney report`: a model on one page.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::json;
use spinney::evaluation::predictions::measure;
use spinney::model::{Predictions, Truth};
use spinney::training::Budget;
use spinney::{Dataset, Error, Model, Result};
use spinney_chem::Chemistry;
use spinney_report::evaluation::EvaluatedOn;
use spinney_report::report::{Learning, Space};
use spinney_report::{Evaluation, Report, Sample};

use crate::args::{CommonArgs, ReadingArgs};
use crate::input::Input;
use crate::{input, output, progress, reporting};

/// Write a report on a model.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A model file
    model: PathBuf,
    /// Graphs or molecules, best with targets: for quality, examples, interactions and
    /// applicability
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// The page to write
    #[arg(short, long, value_name = "FILE.html")]
    output: PathBuf,
    /// The heading [default: the model's file name]
    #[arg(long)]
    title: Option<String>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    common: CommonArgs,
}

/// Learning curves are measured on at most this many graphs.
const MEASURED: usize = 3000;

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    let mut inputs = vec![args.model.as_path()];
    inputs.extend(args.data.as_deref());
    output::check(&[Some(&args.output), args.common.json.as_deref()], &inputs)?;
    let model = input::model(&args.model)?;
    let input = args.data.as_ref().map(|path| read(args, &model, path)).transpose()?;
    let wait = progress::spinner(&args.common, "writing the report");
    let evaluation =
        input.as_ref().map(|input| evaluation(&model, &input.data)).transpose()?.flatten();
    let mut facts = Vec::new();
    if let Some(path) = &args.data {
        facts.push(("Data".to_owned(), path.display().to_string()));
    }
    let report = Report {
        title: args.title.clone().unwrap_or_else(|| reporting::stem(&args.model)),
        model: &model,
        target: args.reading.molecules.target.first().cloned(),
        facts,
        sample: input.as_ref().map(sample),
        learning: evaluation
            .as_ref()
            .zip(input.as_ref())
            .map_or_else(Vec::new, |(evaluation, input)| learning(&model, &input.data, evaluation)),
        evaluation,
        space: input.as_ref().map(|input| space(&model, &input.data)),
    };
    let page = report.html();
    wait.finish_and_clear();
    reporting::write(&args.output, &page)?;
    let params = json!({
        "model": args.model.display().to_string(),
        "data": args.data.as_ref().map(|p| p.display().to_string()),
        "output": args.output.display().to_string(),
    });
    let results = json!({"bytes": page.len()});
    output::write_json(args.common.json.as_deref(), "report", &params, started, &results)
}

/// Reads data for a model; without targets it is used as it is.
fn read(args: &Args, model: &Model, path: &std::path::Path) -> Result<Input> {
    let input = input::read_for(model, path, &args.reading, &args.common)?;
    if input.target_names.is_empty() { Ok(input) } else { input.into_labelled(path) }
}

/// What a page can show of some input.
pub(crate) fn sample(input: &Input) -> Sample<'_> {
    let chemistry = input.chemistry.as_ref();
    let copies = chemistry.map_or(input.views.copies(), Chemistry::copies);
    Sample { data: &input.data, structures: &input.structures, chemistry, copies }
}

/// Predictions against the targets, if all are known.
fn evaluation(model: &Model, data: &Dataset) -> Result<Option<Evaluation>> {
    if !data.has_targets() {
        return Ok(None);
    }
    let truth = Truth::of(data, model.task()).map_err(|e| {
        Error::data(format!("{e}; leave out --target to report without measuring quality"))
    })?;
    let is_training = spinney::boosting::data_sha256(data) == model.provenance().data_sha256;
    Ok(Some(Evaluation {
        on: if is_training { EvaluatedOn::Training } else { EvaluatedOn::Given },
        rows: (0..data.len()).collect(),
        predictions: model.predict(data),
        truth,
        folds: vec![0; data.len()],
    }))
}

/// Quality after every round, on some of the graphs.
fn learning(model: &Model, data: &Dataset, evaluation: &Evaluation) -> Vec<Learning> {
    let step = data.len().div_ceil(MEASURED).max(1);
    let chosen: Vec<usize> = (0..data.len()).step_by(step).collect();
    let truth = match &evaluation.truth {
        Truth::Classes(all) => Truth::Classes(chosen.iter().map(|&i| all[i]).collect()),
        Truth::Numbers(all) => Truth::Numbers(chosen.iter().map(|&i| all[i]).collect()),
    };
    let stages: Vec<Predictions> = model.staged_predict(&data.subset(&chosen));
    let on = if evaluation.on == EvaluatedOn::Training { "training data" } else { "data given" };
    let curve = |metric| Learning {
        metric,
        on: on.into(),
        values: stages.iter().skip(1).map(|stage| measure(metric, stage, &truth)).collect(),
        sd: None,
    };
    truth.metrics().map(curve).to_vec()
}

/// The patterns of the data.
fn space(model: &Model, data: &Dataset) -> Space {
    let most = model.params().get("max_edges").and_then(serde_json::Value::as_u64);
    let most = most.map(|n| n as usize);
    let edge_sets = Some(input::edge_sets(data, most));
    let limits = Budget::default().limits(Instant::now());
    Space { whole: reporting::counted(data, most, limits), explored: None, edge_sets }
}
