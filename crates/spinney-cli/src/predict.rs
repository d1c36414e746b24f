//! `spinney predict`: a model's predictions as CSV.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::json;
use spinney::model::{Pattern, Predictions, Task};
use spinney::{Dataset, Error, Model, Result};
use spinney_chem::smarts::pattern_text;

use crate::args::{CommonArgs, ReadingArgs};
use crate::molecules::{chemistry_of, is_molecules, request};
use crate::{input, output};

/// Predict with a model.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A model file
    model: PathBuf,
    /// Graphs, or molecules if the model was trained on molecules
    input: PathBuf,
    /// Where to write the CSV [default: standard output]
    #[arg(short, long, value_name = "FILE.csv")]
    output: Option<PathBuf>,
    /// Add a column for each pattern: what it adds to the score, found or not (exact Shapley
    /// values); with the column `start` they sum to the score
    #[arg(long)]
    contrib: bool,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    common: CommonArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    let outputs = [args.output.as_deref(), args.common.json.as_deref()];
    output::check(&outputs, &[&args.model, &args.input])?;
    let model = input::model(&args.model)?;
    let graphs = predict(args, &model)?;
    if let Some(path) = &args.output {
        let found = output::count(graphs, "graph");
        args.common.note(&format!("wrote {}: {found}", path.display()));
    }
    let params = json!({
        "model": args.model.display().to_string(),
        "input": args.input.display().to_string(),
        "contrib": args.contrib,
        "output": args.output.as_ref().map(|p| p.display().to_string()),
    });
    let results = json!({"graphs": graphs});
    output::write_json(args.common.json.as_deref(), "predict", &params, started, &results)
}

/// Molecules predicted at a time: memory does not grow with the file.
const BATCH: usize = 1024;

/// Writes the predictions batch by batch; gives the number of graphs.
fn predict(args: &Args, model: &Model) -> Result<usize> {
    let mut graphs = 0;
    let predictor = model.predictor();
    // A fault of the input, met while the output is being written.
    let mut fault = None;
    let written = output::write_to(args.output.as_deref(), |out| {
        output::write_csv(out, |csv| {
            let mut unwritten = None;
            let read = for_each_batch(args, model, |data| {
                // The header waits for the first graphs: a bad first record leaves no output.
                let head = if graphs == 0 { csv.write_record(header(args, model)) } else { Ok(()) };
                graphs += data.len();
                let rows =
                    head.and_then(|()| write(csv, args, model, data, &predictor.predict(data)));
                rows.map_err(|e| {
                    unwritten = Some(e);
                    Error::failed("not written")
                })
            });
            if let Some(e) = unwritten {
                return Err(e);
            }
            read.map_err(|e| {
                fault = Some(e);
                std::io::Error::other("the input is at fault").into()
            })
        })
    });
    match fault {
        Some(fault) => Err(fault),
        None => written.map(|()| graphs),
    }
}

/// Reads graphs at once, molecules batch by batch.
fn for_each_batch(
    args: &Args,
    model: &Model,
    mut each: impl FnMut(&Dataset) -> Result<()>,
) -> Result<()> {
    let path = &args.input;
    let reading = &args.reading;
    if !is_molecules(path, reading) {
        return each(&input::read_for(model, path, reading, &args.common)?.data);
    }
    reading.molecules.refuse_labels()?;
    let chemistry = chemistry_of(model, path)?;
    let mut skipped = Vec::new();
    let mut kept = 0;
    let request = request(path, reading, None);
    spinney_chem::read::for_each_batch(&request, &chemistry, BATCH, |batch| {
        skipped.extend(batch.skipped);
        kept += batch.data.len();
        each(&batch.data)
    })?;
    input::tell_skipped(path, &skipped, kept, &args.common);
    if kept == 0 {
        return Err(Error::file(path, "contains no molecules"));
    }
    Ok(())
}

/// `id, prediction`, and for classes `score` and `probability`: of the positive class, or one of
/// each class if there are more than two. With `--contrib`, then `start` and every pattern.
fn header(args: &Args, model: &Model) -> Vec<String> {
    let classes = model.task().classes();
    let mut header = vec!["id".to_owned(), "prediction".into()];
    match model.task() {
        Task::Binary { .. } => header.extend(["score".into(), "probability".into()]),
        Task::Multiclass { .. } => {
            header.extend(classes.iter().map(|c| format!("score_{c}")));
            header.extend(classes.iter().map(|c| format!("probability_{c}")));
        }
        Task::Regression => {}
    }
    if args.contrib {
        let own = match model.task() {
            Task::Multiclass { classes } => classes.iter().map(|c| format!("{c}: ")).collect(),
            _ => vec![String::new()],
        };
        for output in own {
            header.push(format!("{output}start"));
            let text = |p: &Pattern| format!("{output}{}", pattern_text(&p.code, model.labels()));
            header.extend(model.patterns().iter().map(text));
        }
    }
    header
}

/// A row for each graph, as [`header`] says.
fn write<W: std::io::Write>(
    csv: &mut csv::Writer<W>,
    args: &Args,
    model: &Model,
    data: &Dataset,
    predictions: &Predictions,
) -> csv::Result<()> {
    let classes = model.task().classes();
    let contributions = args.contrib.then(|| model.contributions(data));
    for (i, id) in data.ids().iter().enumerate() {
        let prediction = match predictions.class(i) {
            Some(class) => classes[class].clone(),
            None => predictions.value(i).to_string(),
        };
        let mut row = vec![id.clone(), prediction];
        if !classes.is_empty() {
            row.extend(predictions.scores(i).iter().map(f64::to_string));
            let probabilities = predictions.probabilities(i);
            let shown = if classes.len() == 2 && predictions.scores(i).len() == 1 {
                &probabilities[1..]
            } else {
                &probabilities[..]
            };
            row.extend(shown.iter().map(f64::to_string));
        }
        if let Some(found) = &contributions {
            for (output, start) in found.bias.iter().enumerate() {
                row.push(start.to_string());
                row.extend(found.of(i, output).iter().map(f64::to_string));
            }
        }
        csv.write_record(&row)?;
    }
    Ok(())
}
