//! `spinney train`: from graphs to a model file.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;
use spinney::boosting::cv::{Folds, strata};
use spinney::boosting::{Booster, Exploration, ValidParams};
use spinney::model::Truth;
use spinney::{Dataset, Error, Fit, Result};

use crate::args::{CommonArgs, InputArgs, ParamArgs};
use crate::{input, output, progress};

/// Train a model.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// The model file to write
    #[arg(short, long, value_name = "MODEL.json")]
    output: PathBuf,
    /// Validation graphs: a file, or the share of INPUT to hold out
    #[arg(long, value_name = "FILE|FRACTION", allow_negative_numbers = true)]
    valid: Option<String>,
    #[command(flatten)]
    params: ParamArgs,
    #[command(flatten)]
    common: CommonArgs,
}

/// Held-out shares are exact to one part in this many.
const FINEST: usize = 1000;

/// Graphs to train on and to validate on, as indices into one data set.
struct Sides {
    data: Dataset,
    train: Vec<u32>,
    valid: Vec<u32>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    let params = args.params.params().check()?;
    let mut inputs = vec![args.input.input.as_path()];
    inputs.extend(args.valid.as_ref().filter(|v| v.parse::<f64>().is_err()).map(Path::new));
    output::check(&[Some(&args.output), args.common.json.as_deref()], &inputs)?;
    let data = input::read(&args.input.input, &args.input.reading, &args.common)?;
    input::check_census(&data, params.max_edges, args.params.engine)?;
    let sides = sides(args, &params, data)?;
    let fit = train(args, &params, &sides)?;
    fit.model.save(&args.output)?;
    report(args, &sides, &fit)?;
    let results = json!({
        "model": args.output.display().to_string(),
        "patterns": fit.model.patterns().len(),
        "record": fit.record,
    });
    let params = args.params.told(json!({
        "input": args.input.input.display().to_string(),
        "output": args.output.display().to_string(),
        "valid": args.valid,
    }));
    output::write_json(args.common.json.as_deref(), "train", &params, started, &results)
}

fn train(args: &Args, params: &ValidParams, sides: &Sides) -> Result<Fit> {
    let wait = progress::spinner(&args.common, "exploring patterns");
    let exploration = Exploration::new(&sides.data, params.max_edges, args.params.engine);
    let booster = Booster::new(&exploration, params, &sides.train, &sides.valid)?;
    wait.finish_and_clear();
    let bar = progress::bar(&args.common, params.trees as u64, "boosting");
    let trained = booster.run(|round| {
        bar.set_position(round.round as u64);
        bar.set_message(format!("loss {:.4}", round.valid_loss.unwrap_or(round.train_loss)));
        true
    })?;
    bar.finish_and_clear();
    let wait = progress::spinner(&args.common, "certifying patterns");
    let fit = trained.into_fit();
    wait.finish_and_clear();
    fit
}

fn sides(args: &Args, params: &ValidParams, data: Dataset) -> Result<Sides> {
    let loss = input::targets(&args.input.input, &data, params)?;
    let n = data.len() as u32;
    let Some(valid) = &args.valid else {
        return Ok(Sides { data, train: (0..n).collect(), valid: Vec::new() });
    };
    if let Ok(share) = valid.parse::<f64>() {
        let (train, valid) = held_out(&data, params, share)?;
        return Ok(Sides { data, train, valid });
    }
    let more = input::read(valid.as_ref(), &args.input.reading, &args.common)?;
    Truth::of(&more, loss.task()).map_err(|e| Error::file(valid.as_ref(), e))?;
    let all = data.concatenated(&more)?;
    let total = all.len() as u32;
    Ok(Sides { data: all, train: (0..n).collect(), valid: (n..total).collect() })
}

/// The graphs to train on and those held out, a share of each class.
fn held_out(data: &Dataset, params: &ValidParams, share: f64) -> Result<(Vec<u32>, Vec<u32>)> {
    if !(share > 0.0 && share < 1.0) {
        return Err(Error::parameter("valid", format!("{share} is not between 0 and 1")));
    }
    let parts = data.len().min(FINEST);
    let out = (share * parts as f64).round() as usize;
    if out == 0 || out == parts {
        let reason = format!("{share} of {} leaves nothing on one side", graphs(data.len()));
        return Err(Error::parameter("valid", reason));
    }
    let folds = Folds::random(&strata(data, params)?, parts, params.seed)?;
    // Spread over the folds, which are dealt out class by class.
    let is_out = |fold: &usize| (fold + 1) * out / parts > fold * out / parts;
    let mut valid: Vec<u32> = (0..parts).filter(is_out).flat_map(|f| folds.split(f).1).collect();
    valid.sort_unstable();
    let train = (0..data.len() as u32).filter(|i| valid.binary_search(i).is_err()).collect();
    Ok((train, valid))
}

fn graphs(number: usize) -> String {
    output::count(number, "graph")
}

fn report(args: &Args, sides: &Sides, fit: &Fit) -> Result<()> {
    let (model, record) = (&fit.model, &fit.record);
    let mut text = format!(
        "trained on {}: {} ({}), {} in the model\n\
         explored {} patterns in {} classes ({} engine), {:.2} s\n",
        graphs(sides.train.len()),
        output::count(record.best_round, "round"),
        record.stopped.text(),
        output::count(model.patterns().len(), "pattern"),
        record.patterns,
        record.classes,
        record.engine,
        record.seconds,
    );
    if let Some(last) = record.best_round.checked_sub(1).and_then(|r| record.rounds.get(r)) {
        text += &format!("training loss {:.4}\n", last.train_loss);
        for &(metric, v) in &last.valid {
            text += &format!("validation {metric} {}\n", output::value(metric, v));
        }
    }
    if model.patterns().is_empty() {
        args.common.note(
            "spinney: note: no pattern could split these graphs, so all get the same prediction \
             (more graphs, --min-samples-leaf 1, --subsample 1 or --pattern-sample 1 may help)",
        );
    }
    text += &format!("wrote {}\n", args.output.display());
    output::print(&text)
}
