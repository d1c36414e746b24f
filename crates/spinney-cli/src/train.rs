//! `spinney train`: from graphs to a model file.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use spinney::boosting::BoostingRecord;
use spinney::evaluation::Split;
use spinney::training::targets::TrainedTarget;
use spinney::training::{Explored, Job, Outcome, TrainingRecord, train};
use spinney::{Error, Model, Request, Result};
use spinney_chem::Chemistry;

use crate::args::{CommonArgs, InputArgs, ParamArgs};
use crate::budget::{self, BudgetArgs};
use crate::checkpoint::CheckpointArgs;
use crate::gboost::{self, MethodArgs};
use crate::input::{Input, Labelled, Reading};
use crate::molecules::{CovariateArgs, Labelling};
use crate::output::{count, named_after};
use crate::profile::Profile;
use crate::progress::TrainingProgress;
use crate::reporting::{self, ReportArgs, TrainingReport};
use crate::signals::Stage;
use crate::stacking::{WrittenTarget, stack};
use crate::validation::ValidArgs;
use crate::{input, output, signals};

/// Train a model.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// The model file to write
    #[arg(short, long, value_name = "MODEL.json")]
    output: PathBuf,
    #[command(flatten)]
    validation: ValidArgs,
    /// With several targets, of two classes or numbers: add to each model those of the other
    /// targets, with weights from out-of-fold scores, which take three more trainings a target
    /// [default: true; paper: false; not with --valid, --early-stopping, --checkpoint, --report,
    /// --time or --max-patterns]
    #[arg(long, value_name = "true|false", action = clap::ArgAction::Set)]
    stack: Option<bool>,
    #[command(flatten)]
    beside: CovariateArgs,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    method: MethodArgs,
    #[command(flatten)]
    params: ParamArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    keeping: CheckpointArgs,
    /// Write what each phase of the training took (seconds, processor seconds of all threads, and
    /// the most memory held) to this file as JSON
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    #[command(flatten)]
    common: CommonArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    // Inside the pool, parallel steps start without handing over to it.
    rayon::scope(|_| run_inside(args, started))
}

fn run_inside(args: &Args, started: Instant) -> Result<()> {
    let request = request(args, started)?;
    check(args, &request)?;
    let profile = args.profile.as_deref().map(Profile::new);
    let path = &args.input.input;
    let all = read(args, &request)?;
    if all.chemistry.is_some() && all.target_names.is_empty() {
        return Err(Error::parameter("target", "name the column to learn: --target COL"));
    }
    let targets = all.target_names.clone();
    let chemistry = all.chemistry.clone();
    let stacks = stacks(args, &request, targets.len())?;
    signals::enter(Stage::BeforeRounds);
    let (all, more_from) = with_validation_file(args, all.with_any_target())?;
    let profile = profile.as_ref();
    let input = TrainingInput { all: &all, more_from, profile };
    let results = if targets.len() < 2 {
        let labelled = all.labelled(0, path)?;
        input::check_targets(path, &labelled, &request.params)?;
        let progress = TrainingProgress::new(&args.common, profile);
        let requests = std::slice::from_ref(&request);
        let explored = Explored::new(&labelled.prepared, requests, &progress)?;
        progress.clear();
        let task = Task { target: None, labelled: &labelled, explored: &explored };
        train_one(args, &request, input, task, false)?.result
    } else {
        train_several(args, &request, input, stacks)?
    };
    let params = args.params.to_json(json!({
        "input": path.display().to_string(),
        "output": args.output.display().to_string(),
        "valid": args.validation.valid,
        "target": targets,
        "stack": stacks,
        "share": stacks,
        "chemistry": chemistry.as_ref().map(|chemistry: &Chemistry| json!(chemistry)),
    }));
    output::write_json(args.common.json.as_deref(), "train", &params, started, &results)?;
    profile.map_or(Ok(()), Profile::write)
}

/// What is wanted of every training.
fn request(args: &Args, started: Instant) -> Result<Request> {
    let request = args.params.request(&args.budget, started)?;
    Ok(Request { method: args.method.method(), ..request })
}

/// Refuses flags that do not go together, and outputs that cannot be written.
fn check(args: &Args, request: &Request) -> Result<()> {
    args.method.check(&args.params)?;
    let checkpoint = args.keeping.checkpoint.as_deref();
    if args.method.is_gboost() && checkpoint.is_some() {
        return Err(Error::parameter("checkpoint", "is not for --method gboost"));
    }
    let numbers = args.beside.measures == Some(true) || !args.beside.covariates.is_empty();
    if args.method.is_gboost() && numbers {
        return Err(Error::parameter("covariates", "are not for --method gboost"));
    }
    let mut inputs = vec![args.input.input.as_path()];
    inputs.extend(args.validation.file());
    let page = args.report.report.as_deref();
    let json = args.common.json.as_deref();
    let profile = args.profile.as_deref();
    output::check(&[Some(&args.output), json, page, checkpoint, profile], &inputs)?;
    args.beside.check(&request.params)
}

/// gBoost has the paper's labels, as it has the paper's stumps.
fn labelling(args: &Args) -> Labelling {
    if args.method.is_gboost() { Labelling::Plain } else { args.params.labelling() }
}

fn read(args: &Args, request: &Request) -> Result<Input> {
    let labelling = labelling(args);
    let covariates = &args.beside.covariates[..];
    let measures = !args.method.is_gboost() && args.beside.measures(labelling, &request.params);
    let split = args.validation.split.column();
    let wanted = Reading { labelling, split, covariates, measures, known: None };
    input::read(&args.input.input, &args.input.reading, &args.common, wanted)
}

/// The graphs with those of a file of validation graphs behind them, and where these begin.
fn with_validation_file(args: &Args, all: Input) -> Result<(Input, Option<u32>)> {
    let Some(path) = args.validation.file() else { return Ok((all, None)) };
    let of_molecules = all.chemistry.as_ref().map(|chemistry| &chemistry.covariates);
    let known = of_molecules.or(Some(&all.views.covariates));
    let wanted = Reading { known, ..Reading::new(labelling(args)) };
    let reading = &args.input.reading;
    let more = input::read(path, reading, &args.common, wanted)?;
    for column in 0..more.target_names.len().max(1) {
        let labelled = more.labelled(column, path)?;
        more_fits(&all, &labelled, column, args, path)?;
    }
    let first = all.data.len() as u32;
    Ok((all.followed_by(more, path)?, Some(first)))
}

/// Checks that validation graphs have targets of the kind that is trained on.
fn more_fits(all: &Input, more: &Labelled, column: usize, args: &Args, path: &Path) -> Result<()> {
    let own = all.labelled(column.min(all.targets.len().saturating_sub(1)), &args.input.input)?;
    let loss = input::check_targets(&args.input.input, &own, &args.params.params()?)?;
    let graphs: Vec<usize> = more.graphs.iter().map(|&g| g as usize).collect();
    let data = more.prepared.data.subset(&graphs);
    let truth = spinney::model::Truth::of(&data, loss.task());
    truth.map(drop).map_err(|e| Error::file(path, e))
}

/// All graphs that were read.
#[derive(Clone, Copy)]
struct TrainingInput<'a> {
    all: &'a Input,
    /// Where those of a file of validation graphs begin.
    more_from: Option<u32>,
    profile: Option<&'a Profile>,
}

/// One target of a training.
#[derive(Clone, Copy)]
struct Task<'a> {
    /// Its name, of several.
    target: Option<&'a str>,
    labelled: &'a Labelled,
    explored: &'a Explored<'a>,
}

/// A model with what it is reported with.
#[derive(Clone, Copy)]
struct Trained<'a> {
    outcome: &'a Outcome,
    split: &'a Split,
}

/// A model that was written.
struct Written {
    outcome: Outcome,
    split: Split,
    path: PathBuf,
    result: Value,
}

/// Whether models of several targets are stacked.
fn stacks(args: &Args, request: &Request, targets: usize) -> Result<bool> {
    let against = [
        ("--method gboost", args.method.is_gboost()),
        ("--valid", args.validation.valid.is_some()),
        ("--early-stopping", request.params.early_stopping.is_some()),
        ("--checkpoint", args.keeping.checkpoint.is_some()),
        ("--report (spinney report makes one of a model)", args.report.report.is_some()),
        ("--time", args.budget.time.is_some()),
        ("--max-patterns", args.budget.max_patterns.is_some()),
    ];
    let hindrance = against.into_iter().find(|&(_, given)| given).map(|(name, _)| name);
    let by_default = targets > 1 && args.params.labelling() == Labelling::Best;
    match (args.stack, hindrance) {
        (Some(true), Some(name)) => {
            Err(Error::parameter("stack", format!("models cannot be stacked with {name}")))
        }
        (Some(true), None) if targets < 2 => {
            let reason = "takes several targets: --target all, or --target one,two";
            Err(Error::parameter("stack", reason))
        }
        (None, Some(name)) if by_default => {
            args.common.note(&format!("models are not stacked, because of {name}"));
            Ok(false)
        }
        (stack, None) => Ok(stack.unwrap_or(by_default)),
        _ => Ok(false),
    }
}

/// A model for each target, on one census; then their stacking.
fn train_several(
    args: &Args,
    request: &Request,
    input: TrainingInput<'_>,
    stacks: bool,
) -> Result<Value> {
    let path = &args.input.input;
    let names = &input.all.target_names;
    let prepared = input.all.prepared();
    let progress = TrainingProgress::new(&args.common, input.profile);
    let shared = Explored::new(&prepared, std::slice::from_ref(request), &progress)?;
    progress.clear();
    let mut results = Vec::new();
    let mut written = Vec::new();
    for (column, target) in names.iter().enumerate() {
        let labelled = input.all.labelled(column, path)?;
        input::check_targets(path, &labelled, &request.params)?;
        let own = shared.with_targets(&labelled.prepared);
        let task = Task { target: Some(target), labelled: &labelled, explored: &own };
        let Written { outcome, split, path, result } =
            train_one(args, request, input, task, stacks)?;
        results.push(result);
        if outcome.out_of_fold.is_some() {
            let Split { train, .. } = split;
            let prepared = labelled.prepared.clone();
            let trained = TrainedTarget { name: target.clone(), prepared, train, outcome };
            written.push(WrittenTarget { trained, path, column });
        }
        if signals::asked() && signals::exit_code().is_none() {
            signals::obey();
            output::complain(&format!("spinney: stopped after {target}; its model is whole"));
        }
        if signals::exit_code().is_some() {
            break;
        }
    }
    if stacks && signals::exit_code().is_none() {
        stack(written, &args.common, &mut results)?;
    }
    Ok(json!(results))
}

/// Trains on one target and writes its model; of several targets each goes to a file of its own.
fn train_one(
    args: &Args,
    request: &Request,
    input: TrainingInput<'_>,
    task: Task<'_>,
    stacks: bool,
) -> Result<Written> {
    let Task { target, labelled, explored } = task;
    signals::enter(Stage::BeforeRounds);
    let params = &request.params;
    let split = args.validation.split(input.all, labelled, params, input.more_from)?;
    let checkpoint = args.keeping.file(target);
    let job = Job {
        split: &split,
        watches_held_out: true,
        checkpoint: checkpoint.as_ref(),
        out_of_fold: stacks,
    };
    let progress = TrainingProgress::new(&args.common, input.profile);
    let outcome = train(explored, request, &job, &progress)?;
    progress.clear();
    if let Some(profile) = input.profile {
        profile.begin("writing");
    }
    let model = &outcome.model;
    let text = match &outcome.record {
        TrainingRecord::Trees(record) => summary(args, &split, model, record),
        TrainingRecord::Gboost(record) => {
            gboost::summary(model, record, explored.data(), &split.held_out)?
        }
    };
    if outcome.record.is_interrupted() {
        note_interruption(args, &outcome);
    }
    let path = target.map_or_else(|| args.output.clone(), |t| named_after(&args.output, t));
    model.save(&path)?;
    print_summary(&text, model, &path, target)?;
    if let Some(page) = &args.report.report {
        let page = target.map_or_else(|| page.clone(), |t| named_after(page, t));
        let trained = Trained { outcome: &outcome, split: &split };
        write_report(args, request, input.all, task, trained, &page)?;
    }
    let result = json!({
        "target": target,
        "model": path.display().to_string(),
        "patterns": model.patterns().len(),
        "params": model.params(),
        "tuning": outcome.tuning,
        "unproven": model.provenance().unproven,
        "record": outcome.record,
    });
    Ok(Written { outcome, split, path, result })
}

/// Judges the model by the held-out graphs, or else by cross-validation, and writes the page.
fn write_report(
    args: &Args,
    request: &Request,
    all: &Input,
    task: Task<'_>,
    trained: Trained<'_>,
    page: &Path,
) -> Result<()> {
    let Task { target, labelled, explored } = task;
    let Trained { outcome, split } = trained;
    let named = args.input.reading.molecules.target.first().map(String::as_str);
    let target = target.or(named).map(str::to_owned);
    let name = reporting::stem(&args.input.input);
    let mut facts = vec![("Data".to_owned(), args.input.input.display().to_string())];
    facts.extend(args.validation.description().map(|what| ("Held out".to_owned(), what)));
    let sample = all.some_of(labelled);
    let mut report = TrainingReport {
        title: target.as_ref().map_or(name.clone(), |t| format!("{t} ({name})")),
        outcome,
        data: &sample.data,
        structures: &sample.structures,
        chemistry: all.chemistry.as_ref(),
        target,
        facts,
        evaluated: None,
        learning: outcome.record.trees().map_or_else(Vec::new, reporting::curves_of_record),
        limits: explored.exploration().limits(),
    };
    if !split.held_out.is_empty() {
        let rows = reporting::positions(&labelled.graphs, &split.held_out);
        report.evaluated = Some(reporting::held_out(&outcome.model, &sample.data, rows)?);
    } else if outcome.record.trees().is_some()
        && !outcome.record.is_cut_short()
        && sample.data.len() > 1
    {
        reporting::cross_validate(&mut report, explored, request, labelled, &args.common)?;
    }
    report.write(page, &args.common)
}

/// Says that the training was stopped, and how to go on.
fn note_interruption(args: &Args, outcome: &Outcome) {
    signals::obey();
    let next = match &args.keeping.checkpoint {
        Some(_) => "the same command with --resume goes on",
        None => "with --checkpoint FILE it could go on",
    };
    let done = outcome.record.trees().map_or(0, |record| record.rounds.len());
    let asked = outcome.params.trees;
    output::complain(&format!(
        "spinney: stopped after {done} of {asked} rounds; the model of these was made in {:.1} s; \
         {next}",
        signals::seconds_since(),
    ));
}

/// The size of the whole space, as far as it is known.
fn edge_sets(record: &BoostingRecord) -> String {
    match record.edge_sets {
        Some(counted) => counted.to_string(),
        None => format!("at least {:.1e}", record.space_edge_sets),
    }
}

/// What a training of trees did, in words.
fn summary(args: &Args, split: &Split, model: &Model, record: &BoostingRecord) -> String {
    let mut text = format!(
        "trained on {}: {} ({}), {} in the model\n\
         explored {} patterns in {} classes ({} engine), {:.2} s; all graphs together hold {} \
         connected edge sets\n",
        count(split.train.len(), "graph"),
        count(record.best_round, "round"),
        record.stopped.text(),
        count(model.patterns().len(), "pattern"),
        record.patterns,
        record.classes,
        record.engine,
        record.seconds,
        edge_sets(record),
    );
    if record.node_search_patterns > 0 {
        let met = count(record.node_search_patterns, "pattern");
        text += &format!("{met} more met in searches of single nodes\n");
    }
    text += &budget::summary(model, record);
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
    text
}

fn print_summary(text: &str, model: &Model, path: &Path, target: Option<&str>) -> Result<()> {
    let mut text = target.map_or_else(String::new, |t| format!("{t}: ")) + text;
    if let [negative, positive] = model.task().classes() {
        text += &format!("positive class {positive} (against {negative})\n");
    }
    text += &format!("wrote {}\n", path.display());
    output::print(&text)
}
