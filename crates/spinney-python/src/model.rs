//! A trained model: predictions, patterns, and the file.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::{
    Bound, IntoPyObject, Py, PyAny, PyAnyMethods, PyResult, Python, pyclass, pymethods,
};
use rayon::prelude::{IntoParallelRefIterator, ParallelIterator};
use serde_json::json;
use spinney::graph::Copies;
use spinney::model::{Importance, Node, Predictions, Task, Tree, Truth};
use spinney::representation::covariates::Covariates;
use spinney::representation::views::Views;
use spinney_chem::Chemistry;
use spinney_chem::draw::pattern_svg;

use crate::errors::{raised, unwritten};
use crate::given::GivenGraphs;
use crate::graphs::Graphs;
use crate::mined::Csr;
use crate::predictor::SharedPredictor;
use crate::sparse::rows;
use crate::work::{self, Channel};

/// A trained model; see the library's.
#[pyclass(frozen, module = "spinney._spinney")]
pub(crate) struct Model {
    pub(crate) inner: Arc<spinney::Model>,
    pub(crate) chemistry: Option<Chemistry>,
    /// How graphs that are no molecules are labelled.
    views: Views,
    pub(crate) predictor: SharedPredictor,
}

impl Model {
    pub(crate) fn new(model: spinney::Model) -> Model {
        let chemistry = Chemistry::of_model(&model).ok().flatten();
        let views = Views::of_model(&model).unwrap_or_default();
        let inner = Arc::new(model);
        let predictor = SharedPredictor::new(Arc::clone(&inner));
        Model { inner, chemistry, views, predictor }
    }

    /// Graphs that the model understands, to be seen as it was trained on them; refuses those that
    /// were made otherwise.
    pub(crate) fn given(&self, given: &Graphs) -> PyResult<GivenGraphs> {
        compatible(self.chemistry.as_ref(), given)?;
        let is_viewed = self.views.vertices != Views::default().vertices;
        Ok(GivenGraphs {
            data: Arc::clone(&given.data),
            views: is_viewed.then(|| self.views.clone()),
            covariates: self.covariates().clone(),
            values: given.covariates_in_order(&self.covariates().given())?,
            copies: self.copies().count,
        })
    }

    /// The numbers beside graphs that it was trained on.
    fn covariates(&self) -> &Covariates {
        self.chemistry.as_ref().map_or(&self.views.covariates, |c| &c.covariates)
    }

    /// What of a graph is copies of the one given.
    pub(crate) fn copies(&self) -> Copies {
        self.chemistry.as_ref().map_or_else(|| self.views.copies(), Chemistry::copies)
    }

    fn read(model: spinney::Model) -> PyResult<Model> {
        Chemistry::of_model(&model).map_err(raised)?;
        Ok(Model::new(model))
    }
}

/// Refuses graphs that were made otherwise than those of training.
pub(crate) fn compatible(trained_on: Option<&Chemistry>, given: &Graphs) -> PyResult<()> {
    // Covariates come beside graphs.
    let trained_on = trained_on
        .map(|chemistry| Chemistry { covariates: Covariates::default(), ..chemistry.clone() });
    let reason = match (&trained_on, &given.chemistry) {
        (a, b) if a == b => return Ok(()),
        (Some(_), None) => "graphs, but the model was trained on molecules: give molecules",
        (None, Some(_)) => "molecules, but the model was trained on graphs: give graphs",
        _ => "molecules labelled otherwise than those the model was trained on",
    };
    Err(PyValueError::new_err(reason))
}

/// Rows of equal length as an array.
pub(crate) fn table<'py, T: numpy::Element>(
    py: Python<'py>,
    values: Vec<T>,
    columns: usize,
    rows: usize,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    values.into_pyarray(py).reshape([rows, columns])
}

#[pymethods]
impl Model {
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Model> {
        Model::read(spinney::Model::from_json(text).map_err(PyValueError::new_err)?)
    }

    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        let model = Arc::clone(&self.inner);
        work::run(py, 1, move |_| model.to_json())
    }

    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Model> {
        let model = work::run(py, 1, move |_| spinney::Model::load(&path))?;
        Model::read(model.map_err(raised)?)
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let model = Arc::clone(&self.inner);
        work::run(py, 1, move |_| model.save(&path))?.map_err(unwritten)
    }

    fn __reduce__(&self, py: Python<'_>) -> PyResult<(Py<PyAny>, (String,))> {
        let kind = py.get_type::<Model>().getattr("from_json")?;
        Ok((kind.unbind(), (self.to_json(py)?,)))
    }

    /// `binary`, `multiclass` or `regression`.
    #[getter]
    fn task(&self) -> &'static str {
        match self.inner.task() {
            Task::Binary { .. } => "binary",
            Task::Multiclass { .. } => "multiclass",
            Task::Regression => "regression",
        }
    }

    #[getter]
    fn classes(&self) -> Vec<String> {
        self.inner.task().classes().to_vec()
    }

    #[getter]
    fn init(&self) -> Vec<f64> {
        self.inner.init().to_vec()
    }

    #[getter]
    fn rounds(&self) -> usize {
        self.inner.rounds()
    }

    #[getter]
    fn params(&self) -> String {
        json!(self.inner.params()).to_string()
    }

    #[getter]
    fn provenance(&self) -> String {
        json!(self.inner.provenance()).to_string()
    }

    #[getter]
    fn chemistry(&self) -> Option<String> {
        let alone = |c: &Chemistry| Chemistry { covariates: Covariates::default(), ..c.clone() };
        self.chemistry.as_ref().map(|c| json!(alone(c)).to_string())
    }

    /// The names of covariates that must be given.
    #[getter]
    fn covariate_names(&self) -> Vec<String> {
        self.covariates().given()
    }

    /// Whether graphs are measured.
    #[getter]
    fn is_measured(&self) -> bool {
        self.covariates().measures()
    }

    /// The views of vertices, by name; those of graphs that are no molecules.
    #[getter]
    fn nodes(&self) -> Vec<String> {
        let views = self.views.vertices.iter();
        views.filter_map(|view| Some(json!(view).as_str()?.to_owned())).collect()
    }

    /// The number of trees that a round has.
    #[getter]
    fn trees_a_round(&self) -> usize {
        self.inner.task().outputs() * self.inner.ensemble()
    }

    /// How many of the trees, the first ones, are not of the model's own rounds.
    #[getter]
    fn trees_beside(&self) -> usize {
        self.inner.trees_beside()
    }

    /// The scores of graphs, one an output.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        graphs: &Bound<'py, Graphs>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let predictor = self.predictor.clone();
        let given = self.given(graphs.get())?;
        let graphs = given.len();
        let outputs = self.inner.task().outputs();
        let predict = move |_: &Channel<()>| {
            given.seen_by(&predictor).map(|data| predictor.get().predict(&data).into_scores())
        };
        let scores = work::run(py, threads, predict)?.map_err(raised)?;
        table(py, scores, outputs, graphs)
    }

    /// What scores mean: `class` (indices), `probability` or `value`.
    fn meaning<'py>(
        &self,
        py: Python<'py>,
        scores: PyReadonlyArray2<'py, f64>,
        what: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let outputs = self.inner.task().outputs();
        let scores: Vec<f64> = scores.as_array().iter().copied().collect();
        let predictions = Predictions::new(self.inner.link(), outputs, scores);
        let all = 0..predictions.len();
        Ok(match what {
            "class" => {
                let class = |i| predictions.class(i).map_or(-1, |c| c as i64);
                all.map(class).collect::<Vec<_>>().into_pyarray(py).into_any()
            }
            "probability" => {
                let rows = predictions.len();
                let columns = predictions.class_count();
                let values = all.flat_map(|i| predictions.probabilities(i)).collect();
                table::<f64>(py, values, columns, rows)?.into_any()
            }
            _ => {
                let values: Vec<f64> = all.map(|i| predictions.value(i)).collect();
                values.into_pyarray(py).into_any()
            }
        })
    }

    /// The leaf of every tree that each graph reaches, and what it adds.
    fn leaves<'py>(
        &self,
        py: Python<'py>,
        graphs: &Bound<'py, Graphs>,
        threads: usize,
    ) -> PyResult<Leaves<'py>> {
        let model = Arc::clone(&self.inner);
        let predictor = self.predictor.clone();
        let given = self.given(graphs.get())?;
        let rows = given.len();
        let columns = model.trees().len();
        let found = work::run(py, threads, move |_| {
            let data = given.seen()?;
            let leaves = predictor.get().leaves(&data);
            let value = |row: &Vec<usize>| {
                let each = row.iter().zip(model.trees());
                each.map(|(&leaf, tree)| tree.value(leaf)).collect::<Vec<f64>>()
            };
            let values: Vec<f64> = leaves.par_iter().flat_map_iter(value).collect();
            let leaves: Vec<i32> = leaves.into_iter().flatten().map(|l| l as i32).collect();
            Ok((leaves, values))
        })?;
        let (leaves, values) = found.map_err(raised)?;
        Ok((table(py, leaves, columns, rows)?, table(py, values, columns, rows)?))
    }

    /// Which of the model's questions each graph answers with yes.
    fn features<'py>(
        &self,
        py: Python<'py>,
        graphs: &Bound<'py, Graphs>,
        threads: usize,
    ) -> PyResult<Csr<'py>> {
        let model = Arc::clone(&self.inner);
        let predictor = self.predictor.clone();
        let given = self.given(graphs.get())?;
        let found = work::run(py, threads, move |channel| {
            let data = given.seen()?;
            let mut of_pattern = vec![Vec::new(); model.patterns().len()];
            for (column, (pattern, at_least)) in (0..).zip(predictor.questions()) {
                of_pattern[*pattern].push((*at_least, column));
            }
            let row = |found: &[(u32, u32)]| {
                let mut row: Vec<(i32, u32)> = Vec::new();
                for &(pattern, times) in found {
                    let asked = of_pattern[pattern as usize].iter();
                    row.extend(asked.filter(|q| times >= q.0).map(|q| (q.1, 1)));
                }
                row.sort_unstable();
                row
            };
            let matcher = predictor.get().matcher();
            Ok(rows(&data, model.labels(), matcher, row, || !channel.is_cancelled()))
        })?;
        let found = found.map_err(raised)?;
        Ok((
            found.starts.into_pyarray(py),
            found.columns.into_pyarray(py),
            found.values.into_pyarray(py),
        ))
    }

    /// The questions: each column's pattern, threshold, and total gain.
    fn questions(&self) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
        let asked = self.predictor.questions();
        let mut gains = vec![0.0; asked.len()];
        for node in self.inner.trees().iter().flat_map(Tree::nodes) {
            if let Node::Split { pattern, at_least, gain, .. } = *node
                && let Ok(column) = asked.binary_search(&(pattern, at_least))
            {
                gains[column] += gain;
            }
        }
        let (patterns, thresholds) = asked.iter().copied().unzip();
        (patterns, thresholds, gains)
    }

    /// The patterns in words (SMARTS for molecules), in the order in which trees first ask for
    /// them.
    fn texts(&self) -> &[String] {
        self.predictor.texts()
    }

    /// Pattern after pattern, the most gainful first.
    fn importance(&self) -> Vec<PatternRow> {
        let row = |importance: Importance| {
            let pattern = &self.inner.patterns()[importance.pattern];
            PatternRow {
                pattern: importance.pattern,
                edges: pattern.code.edge_count(),
                gain: importance.gain,
                splits: importance.splits,
                cover: importance.cover,
                at_least: importance.at_least,
                support: pattern.support.clone(),
                effect: importance.effect,
            }
        };
        self.inner.importance().into_iter().map(row).collect()
    }

    fn pattern_svg(&self, pattern: usize) -> PyResult<String> {
        let found = self.inner.patterns().get(pattern);
        let found = found.ok_or_else(|| PyValueError::new_err("no such pattern"))?;
        Ok(pattern_svg(&found.code, self.inner.labels()))
    }

    /// The measures of scores against targets: pairs of name and value.
    fn measures(
        &self,
        graphs: &Bound<'_, Graphs>,
        targets: Vec<String>,
        scores: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<Vec<(String, f64)>> {
        let data = graphs.get().data.as_ref().clone();
        let data = data.with_targets(targets.into_iter().map(Some).collect()).map_err(raised)?;
        let truth = Truth::of(&data, self.inner.task()).map_err(raised)?;
        let scores: Vec<f64> = scores.as_array().iter().copied().collect();
        let outputs = self.inner.task().outputs();
        let predictions = Predictions::new(self.inner.link(), outputs, scores);
        let measured = spinney::evaluation::predictions::evaluate(&predictions, &truth);
        Ok(measured.into_iter().map(|(m, v)| (m.name().to_owned(), v)).collect())
    }

    /// See [`crate::explain`].
    fn explain<'py>(
        &self,
        py: Python<'py>,
        graphs: &Bound<'py, Graphs>,
        threads: usize,
    ) -> PyResult<Explained<'py>> {
        crate::explain::explain(py, self, graphs.get(), threads)
    }
}

/// Leaves, and what they add: a row for each graph, a column for each tree.
type Leaves<'py> = (Bound<'py, PyArray2<i32>>, Bound<'py, PyArray2<f64>>);

/// A pattern of the model; a dictionary in Python.
#[derive(IntoPyObject)]
struct PatternRow {
    /// Its number.
    pattern: usize,
    edges: usize,
    gain: f64,
    splits: usize,
    cover: u64,
    /// The highest threshold that is asked for.
    at_least: u32,
    /// By class.
    support: Vec<u32>,
    /// By output.
    effect: Vec<f64>,
}

/// Bias by output; contributions of patterns, a row for each graph and output; starts of the
/// graphs' atoms; contributions of atoms, a column for each output.
pub(crate) type Explained<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray2<f64>>,
);
