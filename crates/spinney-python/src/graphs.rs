//! Graphs from Python: SMILES, RDKit molecules, and pairs of labels and edges.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::intern;
use pyo3::prelude::{
    Bound, FromPyObject, IntoPyObject, PyAny, PyAnyMethods, PyResult, PyStringMethods, Python,
    pyclass, pyfunction, pymethods,
};
use pyo3::types::PyString;
use serde_json::json;
use spinney::Dataset;
use spinney::dataset::GraphRecord;
use spinney::graph::{Edge, Graph, GraphBuilder};
use spinney::io::DEFAULT_LABEL;
use spinney::labels::{Labels, Names};
use spinney::representation::CovariateColumns;
use spinney_chem::molecule::{Atom, Bond, BondKind};
use spinney_chem::read::graphs_of;
use spinney_chem::{Chemistry, Molecule};

use crate::arrow::Texts;
use crate::errors::bad_row;
use crate::work;

/// Labelled graphs, with what is known of them.
#[pyclass(frozen, module = "spinney._spinney")]
pub(crate) struct Graphs {
    pub(crate) data: Arc<Dataset>,
    /// How molecules became graphs; `None` for graphs.
    pub(crate) chemistry: Option<Chemistry>,
    /// Each molecule as SMILES, where a file was read.
    pub(crate) structures: Option<Vec<String>>,
    /// Numbers beside the graphs.
    pub(crate) covariates: CovariateColumns,
}

/// Vertex labels, and edges with their labels.
type Written = (Vec<String>, Vec<(u32, u32, String)>);

/// All of a data set in flat arrays, as a dictionary.
#[derive(IntoPyObject)]
struct State<'py> {
    vertex_labels: Vec<String>,
    edge_labels: Vec<String>,
    /// Vertices and edges of each graph.
    sizes: Bound<'py, PyArray1<u32>>,
    labels: Bound<'py, PyArray1<u32>>,
    /// Ends and label of each edge.
    edges: Bound<'py, PyArray1<u32>>,
    ids: Vec<String>,
    targets: Vec<Option<String>>,
    weights: Option<Vec<f64>>,
    chemistry: Option<String>,
    structures: Option<Vec<String>>,
    covariates: NamedColumns,
}

/// The same, read.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GivenState<'py> {
    vertex_labels: Vec<String>,
    edge_labels: Vec<String>,
    sizes: PyReadonlyArray1<'py, u32>,
    labels: PyReadonlyArray1<'py, u32>,
    edges: PyReadonlyArray1<'py, u32>,
    ids: Vec<String>,
    targets: Vec<Option<String>>,
    weights: Option<Vec<f64>>,
    chemistry: Option<String>,
    structures: Option<Vec<String>>,
    covariates: NamedColumns,
}

/// Names, and values by column.
type NamedColumns = (Vec<String>, Vec<Vec<f64>>);

#[pymethods]
impl Graphs {
    fn __len__(&self) -> usize {
        self.data.len()
    }

    /// The graphs at some rows.
    fn take(&self, rows: Vec<usize>) -> PyResult<Graphs> {
        if let Some(row) = rows.iter().find(|&&row| row >= self.data.len()) {
            let reason = format!("row {row} of {} graphs", self.data.len());
            return Err(PyIndexError::new_err(reason));
        }
        let own = |all: &Vec<f64>| rows.iter().map(|&row| all[row]).collect();
        let pick = |all: &Vec<String>| rows.iter().map(|&row| all[row].clone()).collect();
        Ok(Graphs {
            data: Arc::new(self.data.subset(&rows)),
            chemistry: self.chemistry.clone(),
            structures: self.structures.as_ref().map(pick),
            covariates: CovariateColumns {
                names: self.covariates.names.clone(),
                values: self.covariates.values.iter().map(own).collect(),
            },
        })
    }

    /// Targets as written.
    fn targets(&self) -> Vec<Option<String>> {
        self.data.targets().to_vec()
    }

    fn ids(&self) -> Vec<String> {
        self.data.ids().to_vec()
    }

    fn weights(&self) -> Option<Vec<f64>> {
        self.data.weights().map(<[f64]>::to_vec)
    }

    /// Each molecule as SMILES, if a file was read.
    fn smiles(&self) -> Option<Vec<String>> {
        self.structures.clone()
    }

    /// Names and values of covariates, by column.
    fn covariates(&self) -> NamedColumns {
        (self.covariates.names.clone(), self.covariates.values.clone())
    }

    /// The same graphs with covariates.
    fn with_covariates(&self, names: Vec<String>, values: Vec<Vec<f64>>) -> PyResult<Graphs> {
        Ok(Graphs {
            data: Arc::clone(&self.data),
            chemistry: self.chemistry.clone(),
            structures: self.structures.clone(),
            covariates: covariate_columns(names, values, self.data.len())?,
        })
    }

    /// How molecules became graphs, as JSON; `None` for graphs.
    pub(crate) fn chemistry(&self) -> Option<String> {
        self.chemistry.as_ref().map(|chemistry| json!(chemistry).to_string())
    }

    /// The labels of a graph's vertices and its edges `(u, v, label)`.
    fn graph(&self, row: usize) -> PyResult<Written> {
        let graph = self.data.graphs().get(row).ok_or_else(|| PyIndexError::new_err(row))?;
        let labels = self.data.labels();
        let vertex = graph.labels().iter().map(|&l| labels.vertex.name(l).to_owned());
        let edge = |e: &Edge| (e.u, e.v, labels.edge.name(e.label).to_owned());
        Ok((vertex.collect(), graph.edges().iter().map(edge).collect()))
    }

    /// All of it, for pickles.
    fn state<'py>(&self, py: Python<'py>) -> State<'py> {
        let graphs = self.data.graphs();
        let size = |g: &Graph| [g.vertex_count() as u32, g.edge_count() as u32];
        let sizes: Vec<u32> = graphs.iter().flat_map(size).collect();
        let labels: Vec<u32> = graphs.iter().flat_map(|g| g.labels().iter().copied()).collect();
        let edge = |e: &Edge| [e.u, e.v, e.label];
        let edges: Vec<u32> = graphs.iter().flat_map(Graph::edges).flat_map(edge).collect();
        let names = self.data.labels();
        State {
            vertex_labels: names.vertex.names().to_vec(),
            edge_labels: names.edge.names().to_vec(),
            sizes: sizes.into_pyarray(py),
            labels: labels.into_pyarray(py),
            edges: edges.into_pyarray(py),
            ids: self.ids(),
            targets: self.targets(),
            weights: self.weights(),
            chemistry: self.chemistry(),
            structures: self.structures.clone(),
            covariates: self.covariates(),
        }
    }
}

impl Graphs {
    /// Graphs with nothing beside them.
    pub(crate) fn plain(data: Dataset, chemistry: Option<Chemistry>) -> Graphs {
        let covariates = CovariateColumns::default();
        Graphs { data: Arc::new(data), chemistry, structures: None, covariates }
    }

    /// The values of the covariates with these names; others are left out.
    pub(crate) fn covariates_in_order(&self, names: &[String]) -> PyResult<Vec<Vec<f64>>> {
        let CovariateColumns { names: own, values } = &self.covariates;
        let column = |name: &String| match own.iter().position(|other| other == name) {
            Some(at) => Ok(values[at].clone()),
            None => {
                let reason = format!("covariates: {name:?} is needed, as in training");
                Err(PyValueError::new_err(reason))
            }
        };
        names.iter().map(column).collect()
    }
}

/// Covariates, checked: a finite number or NaN for every graph, and no name twice.
fn covariate_columns(
    names: Vec<String>,
    values: Vec<Vec<f64>>,
    graphs: usize,
) -> PyResult<CovariateColumns> {
    let wrong = |reason: String| Err(PyValueError::new_err(format!("covariates: {reason}")));
    if names.len() != values.len() {
        return wrong(format!("{} names of {} columns", names.len(), values.len()));
    }
    for (i, (name, column)) in names.iter().zip(&values).enumerate() {
        if column.len() != graphs {
            return wrong(format!("{} values of {name:?} for {graphs} graphs", column.len()));
        }
        if names[..i].contains(name) {
            return wrong(format!("{name:?} is named twice"));
        }
        if let Some(row) = column.iter().position(|value| value.is_infinite()) {
            return wrong(format!("row {row}: {name:?} is {}, no finite number", column[row]));
        }
    }
    Ok(CovariateColumns { names, values })
}

/// The graphs of a [`Graphs::state`].
#[pyfunction]
pub(crate) fn from_state(state: GivenState<'_>) -> PyResult<Graphs> {
    let broken = || PyValueError::new_err("a broken pickle of graphs");
    let mut labels = state.labels.as_slice()?;
    let mut edges = state.edges.as_slice()?;
    let mut rest = state.ids.into_iter().zip(state.targets);
    let mut records = Vec::new();
    for size in state.sizes.as_slice()?.as_chunks::<2>().0 {
        let [n, m] = size.map(|s| s as usize);
        let (own, later) = labels.split_at_checked(n).ok_or_else(broken)?;
        let (lines, after) =
            edges.split_at_checked(m.checked_mul(3).ok_or_else(broken)?).ok_or_else(broken)?;
        labels = later;
        edges = after;
        let lines = lines.as_chunks::<3>().0.iter();
        let lines = lines.map(|&[u, v, label]| Edge { u, v, label }).collect();
        let (id, target) = rest.next().ok_or_else(broken)?;
        records.push(GraphRecord { graph: Graph::new(own.to_vec(), lines), id, target });
    }
    let names = Labels {
        vertex: state.vertex_labels.into_iter().collect::<Names>(),
        edge: state.edge_labels.into_iter().collect::<Names>(),
    };
    let mut data = Dataset::new(&names, records);
    if let Some(weights) = state.weights {
        data = data.with_weights(weights).map_err(crate::errors::raised)?;
    }
    let (names, values) = state.covariates;
    Ok(Graphs {
        covariates: covariate_columns(names, values, data.len())?,
        data: Arc::new(data),
        chemistry: state.chemistry.as_deref().map(chemistry_of).transpose()?,
        structures: state.structures,
    })
}

/// Chemistry from JSON.
pub(crate) fn chemistry_of(json: &str) -> PyResult<Chemistry> {
    let wrong = |e| PyValueError::new_err(format!("chemistry settings: {e}"));
    let chemistry: Chemistry = serde_json::from_str(json).map_err(wrong)?;
    if chemistry.atoms.is_empty() {
        return Err(PyValueError::new_err("parameter atoms: name at least one view"));
    }
    Ok(chemistry)
}

/// Graphs of a sequence of SMILES or an Arrow column of them.
#[pyfunction]
pub(crate) fn from_smiles(
    py: Python<'_>,
    texts: &Bound<'_, PyAny>,
    chemistry: &str,
    threads: usize,
) -> PyResult<Graphs> {
    let chemistry = chemistry_of(chemistry)?;
    let texts = Texts::of(texts)?;
    let settings = chemistry.clone();
    let made = work::run(py, threads, move |channel| {
        let list = texts.list()?;
        graphs_of(&list, &settings, || !channel.is_cancelled()).map_err(|bad| (bad.row, bad.reason))
    })?;
    let data = made.map_err(|(row, reason)| bad_row(row, reason))?.unwrap_or_default();
    Ok(Graphs::plain(data, Some(chemistry)))
}

/// Graphs of RDKit's molecules, taken as they are.
#[pyfunction]
pub(crate) fn from_molecules(molecules: &Bound<'_, PyAny>, chemistry: &str) -> PyResult<Graphs> {
    let chemistry = chemistry_of(chemistry)?;
    let mut labels = Labels::default();
    let mut records = Vec::with_capacity(molecules.len().unwrap_or(0));
    for (row, molecule) in molecules.try_iter()?.enumerate() {
        let read = molecule_of(&molecule?).map_err(|e| bad_row(row, e))?;
        let graph = chemistry.graph(&read, &mut labels);
        records.push(GraphRecord { graph, id: row.to_string(), target: None });
    }
    Ok(Graphs::plain(Dataset::new(&labels, records), Some(chemistry)))
}

fn molecule_of(molecule: &Bound<'_, PyAny>) -> PyResult<Molecule> {
    let py = molecule.py();
    let mut atoms = Vec::new();
    for atom in molecule.call_method0(intern!(py, "GetAtoms"))?.try_iter()? {
        let atom = atom?;
        let hydrogens: i64 = atom.call_method0(intern!(py, "GetTotalNumHs"))?.extract()?;
        let charge: i64 = atom.call_method0(intern!(py, "GetFormalCharge"))?.extract()?;
        atoms.push(Atom {
            element: atom.call_method0(intern!(py, "GetAtomicNum"))?.extract()?,
            hydrogens: hydrogens.clamp(0, u8::MAX.into()) as u8,
            charge: charge.clamp(i8::MIN.into(), i8::MAX.into()) as i8,
            isotope: atom.call_method0(intern!(py, "GetIsotope"))?.extract()?,
            aromatic: atom.call_method0(intern!(py, "GetIsAromatic"))?.extract()?,
            ..Atom::default()
        });
    }
    let mut bonds = Vec::new();
    for bond in molecule.call_method0(intern!(py, "GetBonds"))?.try_iter()? {
        let bond = bond?;
        let a: u32 = bond.call_method0(intern!(py, "GetBeginAtomIdx"))?.extract()?;
        let b: u32 = bond.call_method0(intern!(py, "GetEndAtomIdx"))?.extract()?;
        if a == b || a.max(b) as usize >= atoms.len() {
            return Err(PyValueError::new_err(format!("a bond between atoms {a} and {b}")));
        }
        let kind = kind(bond.call_method0(intern!(py, "GetBondType"))?.extract()?);
        bonds.push(Bond { a, b, kind, in_ring: false });
    }
    if atoms.is_empty() {
        return Err(PyValueError::new_err("a molecule without atoms"));
    }
    Ok(Molecule::new(atoms, bonds))
}

/// RDKit's numbers of kinds of bonds.
fn kind(number: i64) -> BondKind {
    match number {
        1 => BondKind::Single,
        2 => BondKind::Double,
        3 => BondKind::Triple,
        12 => BondKind::Aromatic,
        16..=19 => BondKind::Dative,
        _ => BondKind::Other,
    }
}

/// Graphs of pairs: the labels of the vertices, and edges `(u, v)` or `(u, v, label)`.
#[pyfunction]
pub(crate) fn from_pairs(pairs: &Bound<'_, PyAny>) -> PyResult<Graphs> {
    let mut labels = Labels::default();
    let mut records = Vec::with_capacity(pairs.len().unwrap_or(0));
    for (row, pair) in pairs.try_iter()?.enumerate() {
        let pair = pair?;
        let graph = graph_of(&pair, &mut labels).map_err(|e| {
            let reason = e.value(pair.py()).to_string();
            bad_row(row, reason)
        })?;
        records.push(GraphRecord { graph, id: row.to_string(), target: None });
    }
    Ok(Graphs::plain(Dataset::new(&labels, records), None))
}

fn graph_of(pair: &Bound<'_, PyAny>, labels: &mut Labels) -> PyResult<Graph> {
    if pair.len()? != 2 {
        return Err(PyValueError::new_err("a graph is a pair: labels of vertices, and edges"));
    }
    let mut builder = GraphBuilder::new();
    for label in pair.get_item(0)?.try_iter()? {
        let label = interned(&label?, &mut labels.vertex)?;
        builder.add_vertex(label);
    }
    for edge in pair.get_item(1)?.try_iter()? {
        let edge = edge?;
        let parts = edge.len()?;
        if !(2..=3).contains(&parts) {
            return Err(PyValueError::new_err("an edge is (u, v) or (u, v, label)"));
        }
        let end = |i: usize| -> PyResult<u32> {
            let end: i64 = edge.get_item(i)?.extract()?;
            let wrong =
                || PyValueError::new_err(format!("vertex {end} of an edge: no such vertex"));
            u32::try_from(end).map_err(|_| wrong())
        };
        let u = end(0)?;
        let v = end(1)?;
        let label = match parts {
            3 => interned(&edge.get_item(2)?, &mut labels.edge)?,
            _ => labels.edge.intern(DEFAULT_LABEL),
        };
        builder.add_edge(u, v, label).map_err(|e| PyValueError::new_err(e.to_string()))?;
    }
    Ok(builder.build())
}

/// A label by its text.
fn interned(label: &Bound<'_, PyAny>, names: &mut Names) -> PyResult<u32> {
    match label.cast::<PyString>() {
        Ok(text) => Ok(names.intern(text.to_str()?)),
        Err(_) => Ok(names.intern(label.str()?.to_str()?)),
    }
}
