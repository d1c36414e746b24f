//! Training, by the same steps as the program.
//!
//! **Invariant.** The same graphs, targets and parameters give the same model, byte for byte, as the
//! program and the library.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::{Bound, Py, PyAny, PyAnyMethods, PyResult, Python, pyfunction};
use pyo3::types::PyDict;
use serde_json::json;
use spinney::boosting::loss::Loss;
use spinney::boosting::{Booster, Exploration};
use spinney::gboost;
use spinney::model::Task;
use spinney::params::LossKind;
use spinney::representation::covariates::Covariates;
use spinney::representation::views::Views;
use spinney::tuning::automatic::{Open, advised};
use spinney::tuning::early_stopping::by_holding_out;
use spinney::tuning::hold_out::settled;
use spinney::{Dataset, Engine, Error, Fit, Params};
use spinney_chem::Chemistry;

use crate::errors::raised;
use crate::graphs::{Beside, Graphs};
use crate::model::Model;
use crate::params::params;
use crate::work::{self, Desk};

/// What is trained on.
struct Job {
    graphs: Arc<Dataset>,
    targets: Vec<String>,
    weights: Option<Vec<f64>>,
    valid: Option<(Arc<Dataset>, Vec<String>)>,
    chemistry: Option<Chemistry>,
    /// How graphs that are no molecules are labelled.
    views: Views,
    /// Numbers beside the graphs, and beside those to validate on.
    beside: (Beside, Beside),
}

impl Job {
    /// The number of copies of each graph.
    fn copies(&self) -> usize {
        self.chemistry.as_ref().map_or(self.views.count(), |c| c.copies().count)
    }

    /// Cuts the covariates, those measured too if `measure` says so.
    fn learn(&mut self, measure: bool) {
        let mut learned = Covariates::learn(&self.beside.0.names, &self.beside.0.values);
        if measure {
            let viewed;
            let data = if self.chemistry.is_some() {
                &*self.graphs
            } else {
                viewed = self.views.apply(&self.graphs);
                &viewed
            };
            learned = learned.with_measures(data, self.copies());
        }
        match &mut self.chemistry {
            Some(chemistry) => chemistry.covariates = learned,
            None => self.views.covariates = learned,
        }
    }

    /// What a model keeps of how its graphs were made.
    fn representation(&self) -> Option<serde_json::Value> {
        match &self.chemistry {
            Some(chemistry) => Some(chemistry.to_json()),
            None => self.views.to_json(),
        }
    }

    /// One data set of training and validation graphs, and how many of them are for training.
    fn data(self) -> spinney::Result<(Dataset, u32)> {
        let with = |data: &Dataset, targets: Vec<String>| {
            data.clone().with_targets(targets.into_iter().map(Some).collect())
        };
        let mut data = with(&self.graphs, self.targets)?;
        let train = data.len() as u32;
        let is_weighted = self.weights.is_some();
        if let Some(weights) = self.weights {
            data = data.with_weights(weights)?;
        }
        if let Some((graphs, targets)) = self.valid {
            let mut more = with(&graphs, targets)?;
            if is_weighted {
                let ones = vec![1.0; more.len()];
                more = more.with_weights(ones)?;
            }
            data = data.concatenated(&more)?;
        }
        if self.chemistry.is_none() {
            data = self.views.apply(&data);
        }
        let copies = self.chemistry.as_ref().map_or(self.views.count(), |c| c.copies().count);
        let of_molecules = self.chemistry.as_ref().map(|c| &c.covariates);
        let covariates = of_molecules.unwrap_or(&self.views.covariates);
        if covariates.is_empty() {
            return Ok((data, train));
        }
        let (own, more) = self.beside;
        let values: Vec<Vec<f64>> =
            own.values.into_iter().zip(more.values).map(|(a, b)| [a, b].concat()).collect();
        Ok((covariates.apply(&data, copies, &values)?, train))
    }
}

/// How to train, besides the parameters.
struct How {
    engine: Engine,
    memory: Option<usize>,
    /// The parameters that the data decide.
    open: Vec<Open>,
    /// Whether graphs are measured.
    measures: bool,
}

/// Trains trees. `on_round` gets each round as JSON and says whether to go on.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // One call from Python, with keywords.
#[pyo3(signature = (graphs, targets, weights, valid, given, *, classes, nodes, measures, auto, engine, memory, threads, on_round))]
pub(crate) fn train(
    py: Python<'_>,
    graphs: &Bound<'_, Graphs>,
    targets: Vec<String>,
    weights: Option<Vec<f64>>,
    valid: Option<(Bound<'_, Graphs>, Vec<String>)>,
    given: &Bound<'_, PyDict>,
    classes: bool,
    nodes: Vec<String>,
    measures: bool,
    auto: Vec<String>,
    engine: &str,
    memory: Option<usize>,
    threads: usize,
    on_round: Option<Py<PyAny>>,
) -> PyResult<(Model, String)> {
    let mut task = task(graphs, targets, weights, valid)?;
    task.views = views(&nodes)?;
    let (params, how) = (params(given)?, how(engine, memory)?);
    let open = Open::ALL.into_iter().filter(|open| auto.iter().any(|name| name == open.name()));
    let how = How { open: open.collect(), measures, ..how };
    let tells = on_round.is_some();
    let work = move |desk: &Desk<String>| boost(task, params, classes, &how, (desk, tells));
    let hear = |py: Python<'_>, round: String| match &on_round {
        Some(f) => f.bind(py).call1((round,))?.is_truthy(),
        None => Ok(true),
    };
    let (model, record) = work::run_told(py, threads, work, hear)?.map_err(raised)?;
    Ok((Model::new(model), record))
}

/// Trains gBoost.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // One call from Python, with keywords.
#[pyo3(signature = (graphs, targets, given, *, nu, tolerance, engine, memory, threads))]
pub(crate) fn train_gboost(
    py: Python<'_>,
    graphs: &Bound<'_, Graphs>,
    targets: Vec<String>,
    given: &Bound<'_, PyDict>,
    nu: f64,
    tolerance: f64,
    engine: &str,
    memory: Option<usize>,
    threads: usize,
) -> PyResult<(Model, String)> {
    let task = task(graphs, targets, None, None)?;
    let (params, how) = (params(given)?, how(engine, memory)?);
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return Err(PyValueError::new_err(format!(
            "parameter tolerance: {tolerance} is not above 0"
        )));
    }
    let work = move |_: &Desk<()>| linear(task, params, (nu, tolerance), &how);
    let (model, record) = work::run(py, threads, work)?.map_err(raised)?;
    Ok((Model::new(model), record))
}

fn task(
    graphs: &Bound<'_, Graphs>,
    targets: Vec<String>,
    weights: Option<Vec<f64>>,
    valid: Option<(Bound<'_, Graphs>, Vec<String>)>,
) -> PyResult<Job> {
    let graphs = graphs.get();
    let mut beside = (graphs.beside.clone(), Beside::default());
    beside.1.values = vec![Vec::new(); beside.0.names.len()];
    let valid = valid.map(|(more, targets)| {
        let more = more.get();
        if more.chemistry != graphs.chemistry {
            let reason = "eval_set: molecules and other graphs, or molecules labelled otherwise";
            return Err(PyValueError::new_err(reason));
        }
        beside.1.values = more.beside.in_order(&beside.0.names)?;
        Ok((Arc::clone(&more.data), targets))
    });
    let valid = valid.transpose()?;
    Ok(Job {
        graphs: Arc::clone(&graphs.data),
        targets,
        weights,
        valid,
        chemistry: graphs.chemistry.clone(),
        views: Views::default(),
        beside,
    })
}

fn how(engine: &str, memory: Option<usize>) -> PyResult<How> {
    let engine = engine.parse().map_err(|e| PyValueError::new_err(format!("engine: {e}")))?;
    Ok(How { engine, memory, open: Vec::new(), measures: false })
}

/// The views of vertices by their names.
fn views(names: &[String]) -> PyResult<Views> {
    let wrong = |e| PyValueError::new_err(format!("parameter nodes: {e}"));
    let mut vertices = Vec::new();
    for name in names {
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

fn boost(
    mut task: Job,
    mut params: Params,
    classes: bool,
    how: &How,
    (desk, tells): (&Desk<String>, bool),
) -> spinney::Result<(spinney::Model, String)> {
    if !task.beside.0.names.is_empty() && !params.vertices {
        let reason = "split like patterns of one vertex: vertices must be true";
        return Err(Error::parameter("covariates", reason));
    }
    task.learn(how.measures && params.vertices);
    let representation = task.representation();
    let (data, train) = task.data()?;
    params.loss = fitting(&params, &data, classes)?;
    let params = advised(&params.check()?, &how.open, &data)?;
    let exploration = Exploration::within(&data, params.max_edges, how.engine, how.memory);
    let sides: (Vec<u32>, Vec<u32>) = ((0..train).collect(), (train..data.len() as u32).collect());
    if desk.is_stopped() {
        return Err(Error::failed("interrupted"));
    }
    let params = if params.early_stopping.is_some() && sides.1.is_empty() {
        by_holding_out(&exploration, &params, &sides.0, |_| !desk.is_stopped())?
    } else {
        settled(&exploration, &params, &sides.0, &|| !desk.is_stopped())?
    };
    let booster = Booster::new(&exploration, &params, &sides.0, &sides.1)?;
    let trained = booster
        .run(|round| !desk.is_stopped() && (!tells || desk.tell(json!(round).to_string())))?;
    if desk.is_stopped() {
        return Err(Error::failed("interrupted"));
    }
    let Fit { model, record } = trained.into_fit()?;
    Ok((represented(model, representation), json!(record).to_string()))
}

fn represented(model: spinney::Model, kept: Option<serde_json::Value>) -> spinney::Model {
    match kept {
        Some(kept) => model.with_representation(kept),
        None => model,
    }
}

/// The loss asked for; where `auto` would take classes for numbers or numbers for classes, what it
/// should have taken.
fn fitting(params: &Params, data: &Dataset, classes: bool) -> spinney::Result<LossKind> {
    if params.loss != LossKind::Auto {
        let of_numbers =
            matches!(params.loss, LossKind::Squared | LossKind::Huber | LossKind::Poisson);
        if classes && of_numbers {
            let reason = "is a loss of numbers: use SpinneyRegressor";
            return Err(Error::parameter("loss", reason));
        }
        return Ok(params.loss);
    }
    let wanted = if classes { LossKind::Softmax } else { LossKind::Squared };
    let guess = Loss::new(&params.clone().check()?, data);
    let fits = guess.is_ok_and(|loss| matches!(loss.task(), Task::Regression) != classes);
    if fits {
        return Ok(LossKind::Auto);
    }
    let two = classes && data.class_names()?.len() == 2;
    Ok(if two { LossKind::Logistic } else { wanted })
}

fn linear(
    task: Job,
    mut params: Params,
    (nu, tolerance): (f64, f64),
    how: &How,
) -> spinney::Result<(spinney::Model, String)> {
    if !task.beside.0.names.is_empty() {
        return Err(Error::parameter(
            "covariates",
            "are not for gBoost, whose stumps are patterns",
        ));
    }
    let representation = task.representation();
    let (data, train) = task.data()?;
    params.loss = fitting(&params, &data, true)?;
    let params = params.check()?;
    let exploration = Exploration::within(&data, params.max_edges, how.engine, how.memory);
    let wanted = gboost::Params {
        nu,
        tolerance,
        max_edges: params.max_edges,
        min_support: params.min_support,
        ..gboost::Params::default()
    };
    let loss = Loss::new(&params, &data)?;
    let train: Vec<u32> = (0..train).collect();
    let fit = gboost::fit(&exploration, &loss, &wanted, &train)?;
    let learned = &fit.learned;
    let record = json!({
        "stumps": learned.stumps.len(),
        "objective": learned.objective,
        "gap": learned.gap,
        "rounds": learned.rounds,
        "patterns": fit.patterns,
        "seconds": fit.seconds,
    });
    Ok((represented(fit.model, representation), record.to_string()))
}
