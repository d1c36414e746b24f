//! `spinney train`: from graphs to a model file.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::json;
use spinney::boosting::cv::{Folds, strata};
use spinney::boosting::{Booster, Exploration, ValidParams};
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
    #[arg(long, value_name = "FILE|FRACTION")]
    valid: Option<String>,
    #[command(flatten)]
    params: ParamArgs,
    #[command(flatten)]
    common: CommonArgs,
}

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
    let data = input::read(&args.input.input, &args.input.reading, &args.common)?;
    let sides = sides(args, &params, data)?;
    let fit = train(args, &params, &sides)?;
    fit.model.save(&args.output)?;
    report(args, &sides, &fit)?;
    let results = json!({
        "model": args.output.display().to_string(),
        "patterns": fit.model.patterns().len(),
        "record": fit.record,
    });
    let params = json!(*params);
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
    let n = data.len() as u32;
    let Some(valid) = &args.valid else {
        return Ok(Sides { data, train: (0..n).collect(), valid: Vec::new() });
    };
    if let Ok(share) = valid.parse::<f64>() {
        if !(share > 0.0 && share < 1.0) {
            return Err(Error::parameter("valid", format!("{valid} is not between 0 and 1")));
        }
        let parts = (1.0 / share.min(1.0 - share)).round().max(2.0) as usize;
        let folds = Folds::random(&strata(&data, params)?, parts, params.seed)?;
        let (most, few) = folds.split(0);
        let (train, valid) = if share <= 0.5 { (most, few) } else { (few, most) };
        return Ok(Sides { data, train, valid });
    }
    let more = input::read(valid.as_ref(), &args.input.reading, &args.common)?;
    let all = data.concatenated(&more)?;
    let total = all.len() as u32;
    Ok(Sides { data: all, train: (0..n).collect(), valid: (n..total).collect() })
}

fn report(args: &Args, sides: &Sides, fit: &Fit) -> Result<()> {
    let (model, record) = (&fit.model, &fit.record);
    let mut text = format!(
        "trained on {} graphs: {} rounds ({}), {} patterns in the model\n\
         explored {} patterns in {} classes ({} engine), {:.2} s\n",
        sides.train.len(),
        record.best_round,
        record.stopped.text(),
        model.patterns().len(),
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
    text += &format!("wrote {}\n", args.output.display());
    output::print(&text)
}
