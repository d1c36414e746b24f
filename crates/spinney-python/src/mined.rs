//! Patterns found by mining, without a target, as columns for other learners.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::{Bound, FromPyObject, PyResult, Python, pyclass, pyfunction, pymethods};
use spinney::boosting::TrainingLimits;
use spinney::labels::{Label, Labels, Names};
use spinney::mining::mine::{MineRequest, RankBy, Top, mine_within};
use spinney::mining::{DfsCode, DfsEdge, PatternLimits, Wanted};
use spinney_chem::draw::pattern_svg;
use spinney_chem::smarts::pattern_text;

use crate::graphs::{Graphs, chemistry_of};
use crate::model::compatible;
use crate::predictor::LastMatcher;
use crate::sparse::rows;
use crate::work;

/// Patterns over a label dictionary.
#[pyclass(frozen, module = "spinney._spinney")]
pub(crate) struct PatternSet {
    inner: Arc<Inner>,
}

struct Inner {
    labels: Labels,
    codes: Vec<DfsCode>,
    supports: Vec<u32>,
    chemistry: Option<String>,
    matcher: LastMatcher,
}

/// Indices of a sparse matrix: starts of rows, columns, values.
pub(crate) type Csr<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<u32>>);

type Spelled = (Option<Label>, Vec<(u16, u16, Label, Label, Label)>);
type State = (Vec<String>, Vec<String>, Vec<Spelled>, Vec<u32>, Option<String>);

/// Which patterns to find; a dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct MiningOptions {
    /// The least number of graphs that contain a pattern.
    min_support: usize,
    max_edges: Option<usize>,
    closed: bool,
    vertices: bool,
    /// The most patterns, those in the most graphs first.
    max_features: Option<usize>,
    threads: usize,
}

/// Finds patterns.
#[pyfunction]
pub(crate) fn mine(
    py: Python<'_>,
    graphs: &Bound<'_, Graphs>,
    options: MiningOptions,
) -> PyResult<PatternSet> {
    let graphs = graphs.get();
    let data = Arc::clone(&graphs.data);
    let chemistry = graphs.chemistry();
    let MiningOptions { min_support, max_edges, closed, vertices, max_features, threads } = options;
    let limits = PatternLimits { min_support: min_support.max(1), max_edges };
    let wanted = Wanted { limits, vertices, closed };
    let top = max_features.map(|count| Top { count, by: RankBy::Support });
    let inner = work::run(py, threads, move |channel| {
        let interrupt = Some(channel.interrupt());
        let limits = TrainingLimits { interrupt, ..TrainingLimits::default() };
        let found = mine_within(data.graphs(), &MineRequest { wanted, top, limits }).all;
        let found = found.into_iter().map(|mined| (mined.code, mined.graphs.len() as u32));
        let (codes, supports) = found.unzip();
        Inner {
            labels: data.labels().clone(),
            codes,
            supports,
            chemistry,
            matcher: LastMatcher::default(),
        }
    })?;
    Ok(PatternSet { inner: Arc::new(inner) })
}

#[pymethods]
impl PatternSet {
    fn __len__(&self) -> usize {
        self.inner.codes.len()
    }

    /// The patterns in words (SMARTS for molecules), and in how many graphs they were found.
    fn table(&self) -> (Vec<String>, Vec<u32>) {
        let text = |code| pattern_text(code, &self.inner.labels);
        (self.inner.codes.iter().map(text).collect(), self.inner.supports.clone())
    }

    fn svg(&self, pattern: usize) -> PyResult<String> {
        let code = self.inner.codes.get(pattern);
        let code = code.ok_or_else(|| PyValueError::new_err("no such pattern"))?;
        Ok(pattern_svg(code, &self.inner.labels))
    }

    fn chemistry(&self) -> Option<String> {
        self.inner.chemistry.clone()
    }

    /// How often each pattern occurs, up to `most`.
    fn counts<'py>(
        &self,
        py: Python<'py>,
        graphs: &Bound<'py, Graphs>,
        most: u32,
        threads: usize,
    ) -> PyResult<Csr<'py>> {
        let graphs = graphs.get();
        let own = self.inner.chemistry.as_deref().map(chemistry_of).transpose()?;
        compatible(own.as_ref(), graphs)?;
        let inner = Arc::clone(&self.inner);
        let data = Arc::clone(&graphs.data);
        let found = work::run(py, threads, move |channel| {
            let matcher = inner.matcher.get(&inner.codes, most.max(1));
            let row = |found: &[(u32, u32)]| {
                let mut row: Vec<(i32, u32)> =
                    found.iter().map(|&(p, times)| (p as i32, times)).collect();
                row.sort_unstable();
                row
            };
            rows(&data, &inner.labels, &matcher, row, || !channel.is_cancelled())
        })?;
        Ok((
            found.starts.into_pyarray(py),
            found.columns.into_pyarray(py),
            found.values.into_pyarray(py),
        ))
    }

    fn __reduce__(&self, py: Python<'_>) -> PyResult<(pyo3::Py<pyo3::PyAny>, (State,))> {
        use pyo3::prelude::PyAnyMethods;
        let inner = &*self.inner;
        let spelled = |code: &DfsCode| -> Spelled {
            let edge = |e: &DfsEdge| (e.from, e.to, e.from_label, e.edge_label, e.to_label);
            let vertex = (code.edge_count() == 0).then_some(code.root());
            (vertex, code.edges().iter().map(edge).collect())
        };
        let state = (
            inner.labels.vertex.names().to_vec(),
            inner.labels.edge.names().to_vec(),
            inner.codes.iter().map(spelled).collect(),
            inner.supports.clone(),
            inner.chemistry.clone(),
        );
        let kind = py.get_type::<PatternSet>().getattr("from_state")?;
        Ok((kind.unbind(), (state,)))
    }

    #[staticmethod]
    fn from_state(state: State) -> PyResult<PatternSet> {
        let (vertex, edge, spelled, supports, chemistry) = state;
        let labels = Labels {
            vertex: vertex.into_iter().collect::<Names>(),
            edge: edge.into_iter().collect::<Names>(),
        };
        let code = |(vertex, edges): Spelled| {
            let edges = edges.into_iter().map(|(from, to, from_label, edge_label, to_label)| {
                DfsEdge { from, to, from_label, edge_label, to_label }
            });
            let code = match vertex {
                Some(label) => DfsCode::vertex(label),
                None if edges.len() > 0 => DfsCode::from_edges(edges.collect()),
                None => return Err(PyValueError::new_err("a broken pickle of patterns")),
            };
            let broken = |e| PyValueError::new_err(format!("a broken pickle of patterns: {e}"));
            code.check().map_err(broken)?;
            Ok(code)
        };
        let codes = spelled.into_iter().map(code).collect::<PyResult<Vec<_>>>()?;
        let matcher = LastMatcher::default();
        Ok(PatternSet { inner: Arc::new(Inner { labels, codes, supports, chemistry, matcher }) })
    }
}
