//! `spinney evaluate`: a model against known targets.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::json;
use spinney::{Error, Result};

use crate::args::{CommonArgs, ReadingArgs};
use crate::{input, output};

/// Measure a model on data with known targets.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A model file
    model: PathBuf,
    /// Graphs with targets
    input: PathBuf,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    common: CommonArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    output::check(&[args.common.json.as_deref()], &[&args.model, &args.input])?;
    let model = input::model(&args.model)?;
    let input = input::read_for(&model, &args.input, &args.reading, &args.common)?;
    let data = input.into_labelled(&args.input)?.data;
    let metrics = model.evaluate(&data).map_err(|e| Error::file(&args.input, e))?;
    let mut text = output::count(data.len(), "graph") + "\n";
    for &(metric, value) in &metrics {
        text += &format!("{metric:<9} {}\n", output::value(metric, value));
    }
    output::print(&text)?;
    let params = json!({
        "model": args.model.display().to_string(),
        "input": args.input.display().to_string(),
    });
    let results = output::metrics_json(&metrics);
    output::write_json(args.common.json.as_deref(), "evaluate", &params, started, &results)
}
