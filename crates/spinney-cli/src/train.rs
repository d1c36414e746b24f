//! `spinney train`: from graphs to a model file.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use spinney::boosting::loss::Loss;
use spinney::boosting::{Booster, Exploration, Limits, Record, StopReason, ValidParams};
use spinney::evaluation::Folds;
use spinney::model::Truth;
use spinney::stacking::multi_task::unseen_scores;
use spinney::tuning::early_stopping::by_holding_out;
use spinney::tuning::hold_out::settled;
use spinney::{Dataset, Error, Fit, Model, Result};
use spinney_chem::Chemistry;
use spinney_report::report::Learning;

use crate::args::{CommonArgs, InputArgs, ParamArgs};
use crate::budget::{self, BudgetArgs};
use crate::checkpoint::{CheckpointArgs, Pace};
use crate::gboost::{self, Method, MethodArgs};
use crate::input::{Beside, Input};
use crate::molecules::{CovariateArgs, Labelling, Split};
use crate::output::{count, named_after};
use crate::reporting::{Known, ReportArgs};
use crate::sharing::{Alone, tell_each_other};
use crate::{input, output, progress, reporting, signals};

/// Train a model.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// The model file to write
    #[arg(short, long, value_name = "MODEL.json")]
    output: PathBuf,
    /// Validation graphs: a file, the share of INPUT to hold out, or (with --split COL) the value
    /// in that column
    #[arg(long, value_name = "FILE|FRACTION|VALUE", allow_negative_numbers = true)]
    valid: Option<String>,
    /// How --valid FRACTION holds out: random, scaffold, or the column that tells the parts
    #[arg(long, value_name = "random|scaffold|COL", default_value = "random")]
    split: Split,
    /// With several targets, of two classes or numbers: let each model be told by those of the others, with
    /// weights that are found on molecules left out of three more trainings a target [default: true; paper: false; not with --valid,
    /// --early-stopping, --checkpoint, --report, --time or --max-patterns]
    #[arg(long, value_name = "true|false", action = clap::ArgAction::Set)]
    share: Option<bool>,
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
    /// Each molecule as SMILES.
    structures: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    // Inside the pool, parallel steps start without handing over to it.
    rayon::scope(|_| run_inside(args, started))
}

fn run_inside(args: &Args, started: Instant) -> Result<()> {
    let params = args.params.params().check()?;
    args.method.check(&args.params)?;
    if args.method.method == Method::Gboost && args.keeping.checkpoint.is_some() {
        return Err(Error::parameter("checkpoint", "is not for --method gboost"));
    }
    let numbers = args.beside.measures == Some(true) || !args.beside.covariates.is_empty();
    if args.method.method == Method::Gboost && numbers {
        return Err(Error::parameter("covariates", "are not for --method gboost"));
    }
    let mut inputs = vec![args.input.input.as_path()];
    inputs.extend(valid_file(args));
    let (page, json) = (args.report.report.as_deref(), args.common.json.as_deref());
    let checkpoint = args.keeping.checkpoint.as_deref();
    output::check(&[Some(&args.output), json, page, checkpoint], &inputs)?;
    let path = &args.input.input;
    let labelling = labelling(args);
    let covariates = &args.beside.covariates[..];
    args.beside.check(&params)?;
    let measures = args.method.method == Method::Trees && args.beside.measures(labelling, &params);
    let beside = Beside { split: args.split.column(), covariates, measures, known: None };
    let all = input::read(path, &args.input.reading, &args.common, (labelling, beside))?;
    if all.chemistry.is_some() && all.target_names.is_empty() {
        return Err(Error::parameter("target", "name the column to learn: --target COL"));
    }
    let limits = args.budget.limits(started, args.params.memory);
    let (targets, chemistry) = (all.target_names.clone(), all.chemistry.clone());
    let shares = shares(args, &params, targets.len())?;
    let (mut results, mut alone) = (Vec::new(), Vec::new());
    if targets.len() < 2 {
        let job = Job { target: None, limits, shares };
        results.push(train_one(args, &params, all.into_labelled(path)?, job)?.0);
    } else {
        for (column, target) in targets.iter().enumerate() {
            let job = Job { target: Some((column, target)), limits, shares };
            let (result, one) = train_one(args, &params, all.labelled(column, path)?, job)?;
            results.push(result);
            alone.extend(one);
            if signals::asked() && signals::exit_code().is_none() {
                signals::obey();
                output::complain(&format!("spinney: stopped after {target}; its model is whole"));
            }
            if signals::exit_code().is_some() {
                break;
            }
        }
        if shares && signals::exit_code().is_none() {
            tell_each_other(&all, &alone, &args.common, &mut results)?;
        }
    }
    let results = if targets.len() > 1 { json!(results) } else { results.swap_remove(0) };
    let params = args.params.told(json!({
        "input": path.display().to_string(),
        "output": args.output.display().to_string(),
        "valid": args.valid,
        "target": targets,
        "share": shares,
        "chemistry": chemistry.as_ref().map(Chemistry::to_json),
    }));
    output::write_json(args.common.json.as_deref(), "train", &params, started, &results)
}

/// What a training is for.
#[derive(Clone, Copy)]
struct Job<'a> {
    /// One of several targets: its column and name.
    target: Option<(usize, &'a str)>,
    limits: Limits,
    /// Whether others are to be told what was learned.
    shares: bool,
}

/// Whether models of several targets tell each other.
fn shares(args: &Args, params: &ValidParams, targets: usize) -> Result<bool> {
    let against = [
        ("--method gboost", args.method.method == Method::Gboost),
        ("--valid", args.valid.is_some()),
        ("--early-stopping", params.early_stopping.is_some()),
        ("--checkpoint", args.keeping.checkpoint.is_some()),
        ("--report (spinney report makes one of a model)", args.report.report.is_some()),
        ("--time", args.budget.time.is_some()),
        ("--max-patterns", args.budget.max_patterns.is_some()),
    ];
    let hindrance = against.into_iter().find(|&(_, given)| given).map(|(name, _)| name);
    let usual = targets > 1 && args.params.labelling() == Labelling::Best;
    match (args.share, hindrance) {
        (Some(true), Some(name)) => {
            Err(Error::parameter("share", format!("models cannot tell each other with {name}")))
        }
        (Some(true), None) if targets < 2 => {
            let reason = "takes several targets: --target all, or --target one,two";
            Err(Error::parameter("share", reason))
        }
        (None, Some(name)) if usual => {
            args.common.note(&format!("models do not tell each other, because of {name}"));
            Ok(false)
        }
        (share, None) => Ok(share.unwrap_or(usual)),
        _ => Ok(false),
    }
}

/// gBoost has the paper's labels, as it has the paper's stumps.
fn labelling(args: &Args) -> Labelling {
    match args.method.method {
        Method::Trees => args.params.labelling(),
        Method::Gboost => Labelling::Plain,
    }
}

/// The file of validation graphs, if `--valid` names one.
fn valid_file(args: &Args) -> Option<&Path> {
    let named = args.valid.as_ref().filter(|v| v.parse::<f64>().is_err());
    named.filter(|_| args.split.column().is_none()).map(Path::new)
}

/// Trains on one target and writes its model; of several targets each goes to a file of its own.
fn train_one(
    args: &Args,
    params: &ValidParams,
    input: Input,
    job: Job<'_>,
) -> Result<(Value, Option<Alone>)> {
    let target = job.target.map(|(_, name)| name);
    input::targets(&args.input.input, &input.data, params)?;
    let params = &match args.method.method {
        Method::Trees => args.params.advised(params, |_| false, &input.data)?,
        Method::Gboost => params.clone(),
    };
    input::check_census(&input.data, params.max_edges, args.params.engine)?;
    let (chemistry, representation) = (input.chemistry.clone(), input.representation());
    let sides = sides(args, params, input)?;
    let (mut kept, mut rounds_found, mut scores) = (None, None, None);
    let (mut model, text, record) = match args.method.method {
        Method::Trees => {
            let (Fit { model, record }, found, unseen) = train(args, params, &sides, job)?;
            (rounds_found, scores) = (found, unseen);
            let text = told(args, &sides, &model, &record);
            if record.stopped == StopReason::Interrupted {
                tell_interrupted(args, &record, params.trees);
            }
            let json = json!(record);
            kept = Some(record);
            (model, text, json)
        }
        Method::Gboost => {
            let wait = progress::spinner(&args.common, "exploring patterns");
            let memory = args.params.memory.map(|bytes| bytes.0);
            let engine = args.params.engine;
            let exploration = Exploration::within(&sides.data, params.max_edges, engine, memory);
            wait.set_message("solving the linear program");
            let fit = args.method.train(&exploration, params, &sides.train)?;
            wait.finish_and_clear();
            let text = gboost::told(&fit, &exploration, &sides.train, &sides.valid)?;
            (fit.model.clone(), text, gboost::record(&fit))
        }
    };
    if let Some(representation) = representation {
        model = model.with_representation(representation);
    }
    let path = target.map_or_else(|| args.output.clone(), |t| named_after(&args.output, t));
    model.save(&path)?;
    report(&text, &model, (&path, target))?;
    if let Some(page) = &args.report.report {
        let page = target.map_or_else(|| page.clone(), |t| named_after(page, t));
        let first = args.input.reading.molecules.target.first().map(String::as_str);
        let known = Known {
            model: &model,
            record: kept.as_ref(),
            data: &sides.data,
            structures: &sides.structures,
            chemistry: chemistry.as_ref(),
            target: target.or(first).map(str::to_owned),
            facts: facts(args),
        };
        write_report(args, rounds_found.as_ref().unwrap_or(params), (&sides, known), &page)?;
    }
    let result = json!({
        "target": target,
        "model": path.display().to_string(),
        "patterns": model.patterns().len(),
        "params": model.params(),
        "unproven": model.provenance().unproven,
        "record": record,
    });
    let alone = job.target.zip(scores).map(|((column, _), unseen)| Alone {
        column,
        model,
        path,
        data: sides.data,
        params: rounds_found.unwrap_or_else(|| params.clone()),
        unseen,
    });
    Ok((result, alone))
}

/// What the model card says of the data.
fn facts(args: &Args) -> Vec<(String, String)> {
    let mut facts = vec![("Data".to_owned(), args.input.input.display().to_string())];
    let by = match &args.split {
        Split::Random => "at random".to_owned(),
        Split::Scaffold => "by scaffold".to_owned(),
        Split::Column(column) => format!("column {column}"),
    };
    facts.extend(args.valid.as_ref().map(|v| ("Held out".to_owned(), format!("{v}, {by}"))));
    facts
}

/// Judges the model by the graphs held out, or else by cross-validation, and writes the page.
fn write_report(
    args: &Args,
    params: &ValidParams,
    (sides, known): (&Sides, Known<'_>),
    page: &Path,
) -> Result<()> {
    let own = known.record.map_or_else(Vec::new, Learning::of_record);
    let called = reporting::called(&args.input.input);
    let title = known.target.as_ref().map_or(called.clone(), |t| format!("{t} ({called})"));
    if !sides.valid.is_empty() {
        let trial = reporting::held_out(known.model, &sides.data, &sides.valid)?;
        return known.write((page, title), Some(trial), own, &args.common);
    }
    // Cross-validation is made of whole trainings, for which there may be no time.
    let is_cut = |r: &Record| r.stopped.is_limit() || r.stopped == StopReason::Interrupted;
    if known.record.is_none_or(is_cut) || sides.data.len() < 2 {
        return known.write((page, title), None, own, &args.common);
    }
    let memory = args.params.memory.map(|bytes| bytes.0);
    let engine = args.params.engine;
    let exploration = Exploration::within(&sides.data, params.max_edges, engine, memory);
    let (trial, more) = reporting::cross_validated(&exploration, params, &args.common)?;
    known.write((page, title), Some(trial), [own, more].concat(), &args.common)
}

/// With early stopping but nothing to validate on, the parameters with the rounds that do best on a part
/// held out.
fn rounds_found(
    args: &Args,
    params: &ValidParams,
    exploration: &Exploration<'_>,
    sides: &Sides,
) -> Result<Option<ValidParams>> {
    if params.early_stopping.is_none() || !sides.valid.is_empty() {
        return Ok(None);
    }
    if args.keeping.checkpoint.is_some() {
        let reason = "with --early-stopping needs validation graphs (--valid)";
        return Err(Error::parameter("checkpoint", reason));
    }
    let found = by_holding_out(exploration, params, &sides.train, |_| !signals::asked())?;
    let rounds = count(found.trees, "round");
    args.common.note(&format!("{rounds} did best on a fifth held out; training on all with these"));
    Ok(Some(found))
}

/// The parameters with least gain, rounds and temperature as a trial finds them.
fn tried(
    args: &Args,
    params: &ValidParams,
    exploration: &Exploration<'_>,
    train: &[u32],
) -> Result<ValidParams> {
    // A checkpoint is one of a training with what the trial found, so that is waited for.
    let must_end = args.keeping.checkpoint.is_some();
    let found = settled(exploration, params, train, &|| must_end || !signals::asked())?;
    let open = |p: &ValidParams| (p.min_gain, p.trees, p.temperature, p.linear);
    if open(&found) != open(params) {
        let (gain, temperature) = (found.min_gain, found.temperature);
        let rounds = count(found.trees, "round");
        let beside = match found.linear {
            0.0 => String::new(),
            weight => format!(", with {weight} times a linear model,"),
        };
        args.common.note(&format!(
            "{rounds} of splits that gain {gain} or more at temperature {temperature}{beside} did best on a part \
             held out; training on all with these"
        ));
    }
    Ok(found)
}

/// A training, its parameters where some had to be found, and the scores that others are told.
type Outcome = (Fit, Option<ValidParams>, Option<Vec<f64>>);

fn train(args: &Args, params: &ValidParams, sides: &Sides, job: Job<'_>) -> Result<Outcome> {
    signals::be_patient();
    let wait = progress::spinner(&args.common, "exploring patterns");
    let (most, engine) = (params.max_edges, args.params.engine);
    let exploration = Exploration::limited(&sides.data, most, engine, job.limits);
    let found = match rounds_found(args, params, &exploration, sides)? {
        None if params.is_open() => {
            wait.set_message("trying least gains and rounds on a part held out");
            Some(tried(args, params, &exploration, &sides.train)?)
        }
        found => found,
    };
    let params = found.as_ref().unwrap_or(params);
    let mut booster = Booster::new(&exploration, params, &sides.train, &sides.valid)?;
    let own = |file: &PathBuf| job.target.map_or_else(|| file.clone(), |t| named_after(file, t.1));
    let checkpoint = args.keeping.checkpoint.as_ref().map(own);
    if let Some(path) = &checkpoint {
        booster = args.keeping.resumed(booster, path)?;
    }
    wait.finish_and_clear();
    let bar = progress::bar(&args.common, params.trees as u64, "boosting");
    let (mut pace, mut kept) = (Pace::new(), Ok(()));
    let trained = booster.run_watched(|booster| {
        let Some(round) = booster.rounds().last() else { return true };
        bar.set_position(round.round as u64);
        bar.set_message(format!("loss {:.4}", round.valid_loss.unwrap_or(round.train_loss)));
        let stops = signals::asked();
        if let Some(path) = &checkpoint {
            let must = stops || booster.is_ending() || round.round == params.trees;
            kept = pace.write(path, must, || booster.checkpoint().to_json());
        }
        !stops && kept.is_ok()
    })?;
    bar.finish_and_clear();
    kept?;
    let wait = progress::spinner(&args.common, "certifying patterns");
    let fit = trained.into_fit()?;
    wait.set_message("leaving parts out, to tell other targets");
    let whole = job.shares && fit.record.stopped != StopReason::Interrupted;
    let unseen = match whole {
        true => unseen_scores(&exploration, params, &|| !signals::asked())?,
        false => None,
    };
    wait.finish_and_clear();
    Ok((fit, found, unseen))
}

/// Says that the training was stopped, and how to go on.
fn tell_interrupted(args: &Args, record: &Record, asked_for: usize) {
    signals::obey();
    let next = match &args.keeping.checkpoint {
        Some(_) => "the same command with --resume goes on",
        None => "with --checkpoint FILE it could go on",
    };
    let done = record.rounds.len();
    output::complain(&format!(
        "spinney: stopped after {done} of {asked_for} rounds; the model has these; {next}"
    ));
}

fn sides(args: &Args, params: &ValidParams, input: Input) -> Result<Sides> {
    let loss = input::targets(&args.input.input, &input.data, params)?;
    let n = input.data.len() as u32;
    let Some(valid) = &args.valid else {
        let (data, structures) = (input.data, input.structures);
        return Ok(Sides { data, train: (0..n).collect(), valid: Vec::new(), structures });
    };
    if let (Split::Column(_), Some(parts)) = (&args.split, &input.splits) {
        let (held, train): (Vec<u32>, Vec<u32>) =
            (0..n).partition(|&i| parts[i as usize] == *valid);
        if held.is_empty() {
            let reason = format!("no record has {valid:?} in the column that --split names");
            return Err(Error::parameter("valid", reason));
        }
        let valid = held;
        return Ok(Sides { data: input.data, train, valid, structures: input.structures });
    }
    if let Ok(share) = valid.parse::<f64>() {
        let (train, valid) = match args.split {
            Split::Scaffold => held_out_scaffolds(&input, share)?,
            _ => held_out(&input.data, params, share)?,
        };
        return Ok(Sides { data: input.data, train, valid, structures: input.structures });
    }
    let (path, labelling) = (Path::new(valid), labelling(args));
    let of_molecules = input.chemistry.as_ref().map(|chemistry| &chemistry.covariates);
    let known = of_molecules.or(Some(&input.views.covariates));
    let beside = Beside { known, ..Beside::default() };
    let more = input::read(path, &args.input.reading, &args.common, (labelling, beside))?;
    let more = more.into_labelled(path)?;
    Truth::of(&more.data, loss.task()).map_err(|e| Error::file(path, e))?;
    let all = input.data.concatenated(&more.data)?;
    let total = all.len() as u32;
    let structures = [input.structures, more.structures].concat();
    Ok(Sides { data: all, train: (0..n).collect(), valid: (n..total).collect(), structures })
}

/// Holds out whole scaffolds: as near to the share as folds of whole scaffolds come.
fn held_out_scaffolds(input: &Input, share: f64) -> Result<(Vec<u32>, Vec<u32>)> {
    if !(share > 0.0 && share < 1.0) {
        return Err(Error::parameter("valid", format!("{share} is not between 0 and 1")));
    }
    let groups = input::scaffolds(input)?;
    let parts = (1.0 / share.min(1.0 - share)).round().max(2.0) as usize;
    let (most, few) = Folds::grouped(&groups, parts)?.split(parts - 1);
    Ok(if share <= 0.5 { (most, few) } else { (few, most) })
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
    let folds = Folds::random(&Loss::new(params, data)?.strata(), parts, params.seed)?;
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

/// The size of the whole space, as far as it is known.
fn edge_sets(record: &Record) -> String {
    match record.edge_sets {
        Some(counted) => counted.to_string(),
        None => format!("at least {:.1e}", record.space_edge_sets),
    }
}

/// What is said of trees.
fn told(args: &Args, sides: &Sides, model: &Model, record: &Record) -> String {
    let mut text = format!(
        "trained on {}: {} ({}), {} in the model\n\
         explored {} patterns in {} classes ({} engine), {:.2} s; all graphs together hold {} \
         connected edge sets\n",
        graphs(sides.train.len()),
        output::count(record.best_round, "round"),
        record.stopped.text(),
        output::count(model.patterns().len(), "pattern"),
        record.patterns,
        record.classes,
        record.engine,
        record.seconds,
        edge_sets(record),
    );
    if record.met_alone > 0 {
        let met = output::count(record.met_alone, "pattern");
        text += &format!("{met} more met in searches of single nodes\n");
    }
    text += &budget::told(model, record);
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

fn report(text: &str, model: &Model, (path, target): (&Path, Option<&str>)) -> Result<()> {
    let mut text = target.map_or_else(String::new, |t| format!("{t}: ")) + text;
    if let [negative, positive] = model.task().classes() {
        text += &format!("positive class {positive} (against {negative})\n");
    }
    text += &format!("wrote {}\n", path.display());
    output::print(&text)
}
