//! One training, from prepared graphs to a model.
//!
//! 1. Automatic defaults (`tuning::automatic`). 2. Tuning on held-out parts of the training graphs
//!    (`tuning::hold_out`, or `tuning::early_stopping` for the number of rounds). 3. The linear
//!    member (`stacking::linear`). 4. Boosting, round by round, from a checkpoint if there is one.
//!    5. The model, its patterns certified. 6. Out-of-fold scores, where asked for.
//!
//! **Held-out graphs** of a split are measured after every round. They decide nothing, unless early
//! stopping is asked for and the caller says that they are there to be watched
//! ([`Job::watches_held_out`]).
//!
//! **Interrupted** (`TrainingLimits::interrupt`), a training gives up the round under way and ends
//! with the model of the rounds before it; before the first one it ends without a model.

use crate::boosting::booster::Booster;
use crate::boosting::loss::Loss;
use crate::boosting::record::StopReason;
use crate::boosting::trained::{BoostedModel, Trained};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::evaluation::Split;
use crate::gboost;
use crate::params::ValidParams;
use crate::representation::CovariateColumns;
use crate::representation::views::Views;
use crate::stacking::linear::LinearMember;
use crate::stacking::linear_booster::{self, LinearBooster};
use crate::stacking::workspace::Workspace;
use crate::tuning::{Tuned, automatic, early_stopping, hold_out};

use super::out_of_fold::out_of_fold_scores;
use super::{
    CheckpointFile, Explored, GboostOptions, GboostRecord, Method, Observer, Outcome, Phase,
    Prepared, Request, Silent, TrainingRecord, WritePace,
};

/// One of the trainings that share a request and explored graphs.
#[derive(Clone, Copy, Debug)]
pub struct Job<'j> {
    /// The graphs to train on, and those to measure after every round.
    pub split: &'j Split,
    /// Whether early stopping watches the held-out graphs; else it holds out a part of the training
    /// graphs.
    pub watches_held_out: bool,
    /// Where to keep what is done.
    pub checkpoint: Option<&'j CheckpointFile>,
    /// Whether out-of-fold scores of the training graphs are wanted.
    pub out_of_fold: bool,
}

impl<'j> Job<'j> {
    /// A training on a split whose held-out graphs decide nothing.
    #[must_use]
    pub fn new(split: &'j Split) -> Job<'j> {
        Job { split, watches_held_out: false, checkpoint: None, out_of_fold: false }
    }
}

/// Trains on all graphs of `data`, in the views of the request's preset. This is what the program
/// does with a file of graphs.
///
/// # Errors
/// Bad parameters or targets.
pub fn fit(data: &Dataset, request: &Request) -> Result<Outcome> {
    let mut views = Views::of_preset(request.preset);
    let measures = request.measures();
    let prepared = Prepared::new(data, &CovariateColumns::default(), measures, &mut views)?;
    let explored = Explored::new(&prepared, std::slice::from_ref(request), &Silent)?;
    let split = Split::whole(data.len());
    train(&explored, request, &Job::new(&split), &Silent)
}

/// Does one training.
///
/// # Errors
/// Bad parameters or targets, a checkpoint of another training, a file that cannot be written, or
/// an interruption before the first round is done.
pub fn train(
    explored: &Explored<'_>,
    request: &Request,
    job: &Job<'_>,
    observer: &dyn Observer,
) -> Result<Outcome> {
    explored.data().require_targets(&job.split.train)?;
    explored.data().require_targets(&job.split.held_out)?;
    let mut outcome = match request.method {
        Method::Trees => train_trees(explored, request, job, observer)?,
        Method::Gboost(options) => train_gboost(explored, request, options, job, observer)?,
    };
    if let Some(representation) = explored.representation {
        outcome.model = outcome.model.with_representation(representation.clone());
    }
    Ok(outcome)
}

fn train_trees(
    explored: &Explored<'_>,
    request: &Request,
    job: &Job<'_>,
    observer: &dyn Observer,
) -> Result<Outcome> {
    let Settled { tuned: Tuned { params, record: tuning }, workspace } =
        settle(explored, request, job, observer)?;
    if let Some(tuning) = &tuning {
        observer.tuned(tuning);
    }
    let boosted = boost_in(workspace, &params, job, observer)?;
    observer.phase(Phase::Certifying);
    let BoostedModel { model, record } = boosted.into_model(&job.split.train)?;
    let interrupted = record.stopped == StopReason::Interrupted;
    let out_of_fold = if job.out_of_fold && !interrupted {
        observer.phase(Phase::OutOfFold);
        out_of_fold_scores(explored, &params, &job.split.train, observer)?
    } else {
        None
    };
    let record = TrainingRecord::Trees(record);
    Ok(Outcome { model, record, params, tuning, out_of_fold })
}

/// A training before its first round.
pub(super) struct Settled<'a> {
    /// The parameters, none of them left open.
    pub(super) tuned: Tuned,
    /// What tuning has left to be used again.
    pub(super) workspace: Workspace<'a>,
}

/// Finds the parameters of a training; an error if it was interrupted meanwhile.
pub(super) fn settle<'a>(
    explored: &'a Explored<'_>,
    request: &Request,
    job: &Job<'_>,
    observer: &dyn Observer,
) -> Result<Settled<'a>> {
    let settled = settled(explored, request, job, observer);
    if request.limits.is_interrupted() { Err(without_round()) } else { settled }
}

fn settled<'a>(
    explored: &'a Explored<'_>,
    request: &Request,
    job: &Job<'_>,
    observer: &dyn Observer,
) -> Result<Settled<'a>> {
    let exploration = &explored.exploration;
    let params = request.params_for(explored.data())?;
    let plan = automatic::plan(&params, explored.data(), job.split, explored.automatic_max_edges)?;
    let train = &job.split.train;
    let watches = job.watches_held_out && !job.split.held_out.is_empty();
    if plan.params.early_stopping.is_some() && !watches {
        if job.checkpoint.is_some() {
            let reason = "with --early-stopping needs validation graphs (--valid)";
            return Err(Error::parameter("checkpoint", reason));
        }
        observer.phase(Phase::FindingRounds);
        let tuned = early_stopping::with_best_rounds(exploration, &plan.params, train, |_| {
            !observer.should_stop()
        })?;
        let workspace = Workspace::new(exploration, &tuned.params, train);
        return Ok(Settled { tuned, workspace });
    }
    observer.phase(Phase::Classifying);
    let mut workspace = Workspace::new(exploration, &plan.params, train);
    if plan.hold_out.is_some() {
        observer.phase(Phase::Tuning);
    }
    // A checkpoint is one of a training with what tuning found, so that is waited for.
    let must_end = job.checkpoint.is_some();
    let go_on = || must_end || !observer.should_stop();
    let watch = hold_out::Watch { go_on: &go_on, linear: &|| observer.phase(Phase::TuningLinear) };
    let tuned = hold_out::tune_in(&mut workspace, &plan, &watch)?;
    Ok(Settled { tuned, workspace })
}

/// Trees that are grown, with the linear member beside them.
pub(super) struct Boosted<'a> {
    pub(super) trained: Trained<'a>,
    linear: Option<LinearMember>,
    loss: Loss,
}

impl Boosted<'_> {
    fn into_model(self, train: &[u32]) -> Result<BoostedModel> {
        linear_booster::into_model(self.trained, self.linear.as_ref(), &self.loss, train)
    }
}

/// Boosts round by round, from the job's checkpoint if there is one.
pub(super) fn boost<'a>(
    explored: &'a Explored<'_>,
    params: &'a ValidParams,
    job: &Job<'_>,
    observer: &dyn Observer,
) -> Result<Boosted<'a>> {
    let workspace = Workspace::new(&explored.exploration, params, &job.split.train);
    boost_in(workspace, params, job, observer)
}

/// The same with what tuning has left.
pub(super) fn boost_in<'a>(
    workspace: Workspace<'a>,
    params: &'a ValidParams,
    job: &Job<'_>,
    observer: &dyn Observer,
) -> Result<Boosted<'a>> {
    if params.linear > 0.0 {
        observer.phase(Phase::Linear);
    }
    let LinearBooster { mut booster, linear } =
        LinearBooster::in_workspace(workspace, params, &job.split.held_out)?;
    let loss = booster.loss().clone();
    if let Some(file) = job.checkpoint
        && let Some(checkpoint) = file.checkpoint()?
    {
        booster = booster.resume(checkpoint).map_err(|e| Error::file(&file.path, e))?;
    }
    observer.phase(Phase::Boosting { rounds: params.trees, done: booster.rounds().len() });
    let mut keeper = Keeper { file: job.checkpoint, pace: WritePace::default(), written: Ok(()) };
    let trained = booster.run_watched(|booster| {
        let Some(round) = booster.rounds().last() else { return true };
        observer.round(round);
        let stops = observer.should_stop();
        keeper.keep(booster, stops);
        !stops && keeper.written.is_ok()
    })?;
    keeper.written?;
    let record = trained.record();
    if record.stopped == StopReason::Interrupted && record.rounds.is_empty() {
        return Err(without_round());
    }
    Ok(Boosted { trained, linear, loss })
}

/// Says that an interrupted training has nothing to give.
fn without_round() -> Error {
    Error::interrupted("interrupted before the first round was done: there is no model")
}

/// Writes checkpoints.
struct Keeper<'j> {
    file: Option<&'j CheckpointFile>,
    pace: WritePace,
    written: Result<()>,
}

impl Keeper<'_> {
    fn keep(&mut self, booster: &Booster<'_>, stops: bool) {
        let Some(file) = self.file else { return };
        let is_last = booster.rounds().len() == booster.asked_rounds();
        let must = stops || booster.is_ending() || is_last;
        self.written = self.pace.write(&file.path, must, || booster.checkpoint().to_json());
    }
}

fn train_gboost(
    explored: &Explored<'_>,
    request: &Request,
    options: GboostOptions,
    job: &Job<'_>,
    observer: &dyn Observer,
) -> Result<Outcome> {
    if job.checkpoint.is_some() {
        return Err(Error::parameter("checkpoint", "is not for --method gboost"));
    }
    observer.phase(Phase::SolvingLinearProgram);
    let params = request.params_for(explored.data())?.fixed().check()?;
    let wanted = gboost::Params {
        nu: options.nu,
        tolerance: options.tolerance,
        max_edges: params.max_edges,
        min_support: params.min_support,
        ..gboost::Params::default()
    };
    let exploration = &explored.exploration;
    let loss = Loss::new(&params, explored.data())?;
    let fit = gboost::fit(exploration, &loss, &wanted, &job.split.train)?;
    let record = TrainingRecord::Gboost(GboostRecord {
        stumps: fit.learned.stumps.len(),
        objective: fit.learned.objective,
        gap: fit.learned.gap,
        rounds: fit.learned.rounds,
        patterns: fit.patterns,
        engine: exploration.engine(),
        seconds: fit.seconds,
    });
    Ok(Outcome { model: fit.model, record, params, tuning: None, out_of_fold: None })
}
