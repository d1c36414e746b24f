//! Training: what Python gives as a request of the library's, and what comes of it.
//!
//! Several targets of the same graphs share one census, and their models may be stacked.
//!
//! **Invariant.** The same graphs, targets and parameters give the same models, byte for byte, as
//! the program and the library.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::{Bound, FromPyObject, Py, PyAny, PyAnyMethods, PyResult, Python, pyfunction};
use pyo3::types::PyDict;
use serde_json::{Value, json};
use spinney::boosting::Round;
use spinney::evaluation::Split;
use spinney::representation::views::Views;
use spinney::representation::{CovariateColumns, Representation};
use spinney::training::targets::{StackedTarget, TrainedTarget, stack_targets};
use spinney::training::{
    Budget, CheckpointFile, Explored, GboostOptions, Job, Method, Observer, Outcome, Phase,
    Prepared, TargetMeaning,
};
use spinney::{Dataset, Error, Request, training};
use spinney_chem::Chemistry;

use crate::errors::raised;
use crate::graphs::Graphs;
use crate::model::Model;
use crate::params::params;
use crate::work::{self, Channel};

/// What is trained on; a dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct TrainingData<'py> {
    graphs: Bound<'py, Graphs>,
    /// Graphs that are measured after every round, and watched by early stopping.
    held_out: Option<Bound<'py, Graphs>>,
    targets: Vec<TargetColumn>,
}

/// One target; a dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct TargetColumn {
    name: String,
    /// The targets of the training graphs, as written.
    values: Vec<Option<String>>,
    /// Those of the held-out graphs.
    held_out: Vec<Option<String>>,
    /// A weight for each training graph.
    weights: Option<Vec<f64>>,
    /// Where to keep what is done, and to go on from.
    checkpoint: Option<PathBuf>,
}

/// How to train; a dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options<'py> {
    /// Training parameters by their names in Python.
    params: Bound<'py, PyDict>,
    are_classes: bool,
    /// What gBoost is asked for; without it, trees are trained.
    gboost: Option<Gboost>,
    /// The views of vertices, for graphs that are no molecules.
    nodes: Vec<String>,
    /// Whether graphs are measured.
    measures: bool,
    engine: String,
    /// The most seconds.
    max_time: Option<f64>,
    /// The most bytes of the process.
    memory: Option<usize>,
    /// The most patterns that are explored and kept.
    max_patterns: Option<usize>,
    /// Whether models of several targets are stacked.
    stack: bool,
    threads: usize,
}

/// What gBoost is asked for besides parameters.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Gboost {
    nu: f64,
    tolerance: f64,
}

/// Trains a model for each target. `on_event` gets each round as JSON and says whether to go on.
#[pyfunction]
#[pyo3(signature = (data, options, on_event = None))]
pub(crate) fn train(
    py: Python<'_>,
    data: TrainingData<'_>,
    options: Options<'_>,
    on_event: Option<Py<PyAny>>,
) -> PyResult<Vec<(Model, String)>> {
    let started = Instant::now();
    let set = TrainingSet::new(data, &options)?;
    let request = options.request(started)?;
    let mut plan = Plan {
        request,
        measures: options.measures,
        stacks: options.stack,
        sends_rounds: on_event.is_some(),
    };
    let call = |py: Python<'_>, event: String| match &on_event {
        Some(f) => f.bind(py).call1((event,))?.is_truthy(),
        None => Ok(true),
    };
    let work = move |channel: &Channel<String>| {
        plan.request.limits.interrupt = Some(channel.interrupt());
        train_all(set, &plan, channel)
    };
    let trained = work::run_with_events(py, options.threads, work, call)?.map_err(raised)?;
    let as_python = |trained: TrainedModel| (Model::new(trained.model), trained.record.to_string());
    Ok(trained.into_iter().map(as_python).collect())
}

impl Options<'_> {
    /// What is wanted of every training, with limits counted from `started`.
    fn request(&self, started: Instant) -> PyResult<Request> {
        let wrong_time = |e| PyValueError::new_err(format!("parameter max_time: {e}"));
        let time = self.max_time.map(Duration::try_from_secs_f64).transpose();
        let budget = Budget {
            time: time.map_err(wrong_time)?,
            memory: self.memory,
            patterns: self.max_patterns,
        };
        let wrong_engine = |e| PyValueError::new_err(format!("engine: {e}"));
        let meaning =
            if self.are_classes { TargetMeaning::Classes } else { TargetMeaning::Numbers };
        Ok(Request {
            params: params(&self.params)?,
            meaning,
            method: self.method()?,
            engine: self.engine.parse().map_err(wrong_engine)?,
            limits: budget.limits(started),
            ..Request::default()
        })
    }

    fn method(&self) -> PyResult<Method> {
        let Some(Gboost { nu, tolerance }) = self.gboost else { return Ok(Method::Trees) };
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            let reason = format!("parameter tolerance: {tolerance} is not above 0");
            return Err(PyValueError::new_err(reason));
        }
        Ok(Method::Gboost(GboostOptions { nu, tolerance }))
    }

    /// The views of vertices.
    fn views(&self) -> PyResult<Views> {
        let wrong = |e| PyValueError::new_err(format!("parameter nodes: {e}"));
        let mut vertices = Vec::new();
        for name in &self.nodes {
            let view = name.parse().map_err(wrong)?;
            if !vertices.contains(&view) {
                vertices.push(view);
            }
        }
        if vertices.is_empty() {
            return Err(PyValueError::new_err("parameter nodes: name at least one view"));
        }
        Ok(Views { vertices, ..Views::default() })
    }
}

/// What to do with the graphs.
struct Plan {
    request: Request,
    /// Whether graphs are measured, where trees can split by it.
    measures: bool,
    stacks: bool,
    /// Whether rounds are sent to Python.
    sends_rounds: bool,
}

/// What is trained on, free of Python.
struct TrainingSet {
    graphs: Arc<Dataset>,
    columns: CovariateColumns,
    held_out: Option<HeldOut>,
    /// How molecules became graphs; `None` for graphs.
    chemistry: Option<Chemistry>,
    /// How graphs that are no molecules are labelled.
    views: Views,
    targets: Vec<TargetColumn>,
}

/// Held-out graphs.
struct HeldOut {
    graphs: Arc<Dataset>,
    /// Their covariates, by column.
    values: Vec<Vec<f64>>,
}

impl TrainingSet {
    fn new(data: TrainingData<'_>, options: &Options<'_>) -> PyResult<TrainingSet> {
        let graphs = data.graphs.get();
        let columns = graphs.covariates.clone();
        let held_out = data.held_out.as_ref().map(|more| {
            let more = more.get();
            if more.chemistry != graphs.chemistry {
                let reason =
                    "eval_set: molecules and other graphs, or molecules labelled otherwise";
                return Err(PyValueError::new_err(reason));
            }
            let values = more.covariates_in_order(&columns.names)?;
            Ok(HeldOut { graphs: Arc::clone(&more.data), values })
        });
        Ok(TrainingSet {
            graphs: Arc::clone(&graphs.data),
            columns,
            held_out: held_out.transpose()?,
            chemistry: graphs.chemistry.clone(),
            views: options.views()?,
            targets: data.targets,
        })
    }

    /// Covariates split like patterns of one vertex, so they need these.
    fn check(&self, request: &Request) -> spinney::Result<()> {
        if self.columns.names.is_empty() {
            return Ok(());
        }
        if request.method != Method::Trees {
            let reason = "are not for gBoost, whose stumps are patterns";
            return Err(Error::parameter("covariates", reason));
        }
        if !request.params.vertices {
            let reason = "split like patterns of one vertex: vertices must be true";
            return Err(Error::parameter("covariates", reason));
        }
        Ok(())
    }

    /// The graphs as learning sees them, the held-out ones behind those to train on.
    fn prepared(&mut self, measures: bool) -> spinney::Result<Prepared> {
        match self.chemistry.take() {
            Some(mut chemistry) => self.prepared_by(&mut chemistry, measures),
            None => self.prepared_by(&mut self.views.clone(), measures),
        }
    }

    fn prepared_by(
        &mut self,
        representation: &mut impl Representation,
        measures: bool,
    ) -> spinney::Result<Prepared> {
        let is_weighted = self.targets.iter().any(|target| target.weights.is_some());
        let raw = |graphs: &Dataset| {
            let ones = vec![1.0; graphs.len()];
            let graphs = graphs.clone();
            if is_weighted { graphs.with_weights(ones) } else { Ok(graphs) }
        };
        let graphs = raw(&self.graphs)?;
        let mut prepared = Prepared::new(&graphs, &self.columns, measures, representation)?;
        let kept: Vec<usize> = (0..graphs.len()).filter(|&row| self.has_target(row)).collect();
        if kept.len() < graphs.len() {
            prepared.data = prepared.data.subset(&kept);
            self.targets.iter_mut().for_each(|target| target.keep(&kept));
        }
        if let Some(HeldOut { graphs, values }) = &self.held_out {
            let more = representation.apply(&raw(graphs)?, values)?;
            prepared.data = prepared.data.concatenated(&more)?;
        }
        Ok(prepared)
    }

    /// Whether a training graph has any target.
    fn has_target(&self, row: usize) -> bool {
        self.targets.iter().any(|target| target.values.get(row).is_some_and(Option::is_some))
    }
}

impl TargetColumn {
    /// Keeps some of the training graphs.
    fn keep(&mut self, kept: &[usize]) {
        self.values = kept.iter().map(|&row| self.values[row].clone()).collect();
        if let Some(weights) = &mut self.weights {
            *weights = kept.iter().map(|&row| weights[row]).collect();
        }
    }

    /// The graphs with this target.
    fn prepared(&self, all: &Prepared) -> spinney::Result<Prepared> {
        let targets = [&self.values[..], &self.held_out].concat();
        let mut prepared = all.with_targets(targets)?;
        if let Some(weights) = &self.weights {
            let ones = vec![1.0; self.held_out.len()];
            prepared.data = prepared.data.with_weights([&weights[..], &ones].concat())?;
        }
        Ok(prepared)
    }

    /// The training graphs and the held-out ones that have this target.
    fn split(&self, data: &Dataset) -> Split {
        let first = self.values.len() as u32;
        let (train, held_out) = data.with_target().into_iter().partition(|&graph| graph < first);
        Split { train, held_out }
    }
}

/// A model, and what training did.
struct TrainedModel {
    model: spinney::Model,
    record: Value,
}

impl TrainedModel {
    fn new(outcome: Outcome, stacked: Option<spinney::Model>, stacks: bool) -> TrainedModel {
        let mut record = json!(outcome.record);
        record["tuning"] = json!(outcome.tuning);
        let model = stacked.unwrap_or(outcome.model);
        if stacks {
            record["stacked_from"] = json!(model.provenance().stacked_from);
        }
        TrainedModel { model, record }
    }
}

/// A model for each target, on one census; then their stacking.
fn train_all(
    mut set: TrainingSet,
    plan: &Plan,
    channel: &Channel<String>,
) -> spinney::Result<Vec<TrainedModel>> {
    let request = &plan.request;
    set.check(request)?;
    let prepared = set.prepared(plan.measures && request.measures())?;
    let silent = TrainingEvents::new(channel, false, 0);
    let explored = Explored::new(&prepared, std::slice::from_ref(request), &silent)?;
    let mut trained = Vec::new();
    for (number, target) in set.targets.iter().enumerate() {
        let events = TrainingEvents::new(channel, plan.sends_rounds, number);
        trained.push(train_target(&explored, &prepared, target, plan, &events)?);
        if channel.is_cancelled() {
            return Err(Error::failed("interrupted"));
        }
    }
    let mut stacked = vec![None; trained.len()];
    if plan.stacks {
        stack_targets(&trained, |StackedTarget { number, model, .. }| {
            stacked[number] = model;
            Ok(!channel.is_cancelled())
        })?;
    }
    let models = trained.into_iter().zip(stacked);
    let models = models.map(|(one, stacked)| TrainedModel::new(one.outcome, stacked, plan.stacks));
    Ok(models.collect())
}

fn train_target(
    explored: &Explored<'_>,
    all: &Prepared,
    target: &TargetColumn,
    plan: &Plan,
    events: &TrainingEvents<'_>,
) -> spinney::Result<TrainedTarget> {
    let prepared = target.prepared(all)?;
    let split = target.split(&prepared.data);
    let checkpoint = target.checkpoint.clone().map(|path| CheckpointFile { path, resume: true });
    let job = Job {
        split: &split,
        watches_held_out: true,
        checkpoint: checkpoint.as_ref(),
        out_of_fold: plan.stacks,
    };
    let own = explored.with_targets(&prepared);
    let outcome = training::train(&own, &plan.request, &job, events)?;
    Ok(TrainedTarget { name: target.name.clone(), prepared, train: split.train, outcome })
}

/// Sends the rounds of a training to Python, and stops it when Python says so.
struct TrainingEvents<'c> {
    channel: &'c Channel<String>,
    sends_rounds: bool,
    /// The number of the target that is trained on.
    target: usize,
    is_stopped: AtomicBool,
}

impl<'c> TrainingEvents<'c> {
    fn new(channel: &'c Channel<String>, sends_rounds: bool, target: usize) -> Self {
        TrainingEvents { channel, sends_rounds, target, is_stopped: AtomicBool::new(false) }
    }

    fn send(&self, mut event: Value) {
        event["target"] = json!(self.target);
        if self.sends_rounds && !self.channel.send(event.to_string()) {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
    }
}

impl Observer for TrainingEvents<'_> {
    fn phase(&self, phase: Phase) {
        if let Phase::Boosting { rounds, .. } = phase {
            self.send(json!({ "rounds": rounds }));
        }
    }

    fn round(&self, round: &Round) {
        self.send(json!({ "round": round }));
    }

    fn should_stop(&self) -> bool {
        self.channel.is_cancelled() || self.is_stopped.load(Ordering::Relaxed)
    }
}
