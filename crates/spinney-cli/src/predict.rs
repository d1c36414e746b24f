//! `spinney predict`: a model's predictions as CSV.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::json;
use spinney::model::{Predictions, Task};
use spinney::{Dataset, Model, Result};

use crate::args::{CommonArgs, ReadingArgs};
use crate::{input, output};

/// Predict with a model.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A model file
    model: PathBuf,
    /// A .gsp or .gspan file (also .gz) or a TUDataset folder
    input: PathBuf,
    /// Where to write the CSV [default: standard output]
    #[arg(short, long, value_name = "FILE.csv")]
    output: Option<PathBuf>,
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
    let data = input::read(&args.input, &args.reading, &args.common)?;
    let predictions = model.predict(&data);
    output::write_to(args.output.as_deref(), |out| {
        output::write_csv(out, |csv| write(csv, &model, &data, &predictions))
    })?;
    if let Some(path) = &args.output {
        let graphs = output::count(data.len(), "graph");
        args.common.note(&format!("wrote {}: {graphs}", path.display()));
    }
    let params = json!({
        "model": args.model.display().to_string(),
        "input": args.input.display().to_string(),
        "output": args.output.as_ref().map(|p| p.display().to_string()),
    });
    let results = json!({"graphs": data.len()});
    output::write_json(args.common.json.as_deref(), "predict", &params, started, &results)
}

/// `id, prediction`, and for classes `score` and `probability`: of the positive class, or one of
/// each class if there are more than two.
fn write<W: std::io::Write>(
    csv: &mut csv::Writer<W>,
    model: &Model,
    data: &Dataset,
    predictions: &Predictions,
) -> csv::Result<()> {
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
    csv.write_record(&header)?;
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
        csv.write_record(&row)?;
    }
    Ok(())
}
