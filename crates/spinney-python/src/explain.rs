//! What patterns and atoms add to scores.
//!
//! The contribution of a pattern that occurs is shared equally over the atoms of its occurrences;
//! what patterns add by being absent belongs to no atom.

use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::{PyResult, Python, pyfunction};
use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use spinney::Dataset;
use spinney::graph::Copies;
use spinney::model::Contributions;
use spinney_chem::draw::weighted_svg;
use spinney_chem::{Chemistry, toolkit};

use crate::errors::raised;
use crate::graphs::Graphs;
use crate::model::{Explained, Model, table};
use crate::work;

pub(crate) fn explain<'py>(
    py: Python<'py>,
    model: &Model,
    graphs: &Graphs,
    threads: usize,
) -> PyResult<Explained<'py>> {
    let copies = model.copies();
    let inner = Arc::clone(&model.inner);
    let predictor = model.predictor.clone();
    let given = model.given(graphs)?;
    let count = given.len();
    let explained = work::run(py, threads, move |_| {
        let data = given.seen()?;
        let found = predictor.get().contributions(&data);
        let of_graph = |i: usize| atoms(&inner, &data, &found, i, copies);
        let atoms: Vec<Vec<f64>> = (0..data.len()).into_par_iter().map(of_graph).collect();
        Ok((found, atoms))
    })?;
    let (found, atoms) = explained.map_err(raised)?;
    let outputs = found.bias.len();
    let mut starts = vec![0];
    for own in &atoms {
        starts.push(starts[starts.len() - 1] + (own.len() / outputs) as i64);
    }
    let flat = atoms.concat();
    let patterns = found.patterns;
    let total = flat.len() / outputs;
    Ok((
        found.bias.into_pyarray(py),
        table(py, found.values, patterns, count * outputs)?,
        starts.into_pyarray(py),
        table(py, flat, outputs, total)?,
    ))
}

/// What each atom of graph `i` adds, output after output. With several views an atom is a vertex in
/// each.
fn atoms(
    model: &spinney::Model,
    data: &Dataset,
    found: &Contributions,
    i: usize,
    copies: Copies,
) -> Vec<f64> {
    let outputs = model.attribution(data, found, i, copies);
    let atoms = outputs.first().map_or(0, |shares| shares.vertices.len());
    (0..atoms).flat_map(|atom| outputs.iter().map(move |shares| shares.vertices[atom])).collect()
}

/// A molecule with its atoms coloured by the weights of a graph's vertices, which may be those of
/// its largest fragment alone.
#[pyfunction]
pub(crate) fn molecule_svg(
    py: Python<'_>,
    smiles: String,
    weights: Vec<f64>,
    largest_fragment: bool,
) -> PyResult<String> {
    let draw = move |_: &work::Channel<()>| {
        let chemistry = Chemistry { largest_fragment, ..Chemistry::default() };
        let atoms = chemistry.atoms_of_vertices(&toolkit::from_smiles(&smiles)?);
        let mut placed = vec![0.0; atoms.iter().map(|&v| v as usize + 1).max().unwrap_or(0)];
        for (&atom, weight) in atoms.iter().zip(weights) {
            placed[atom as usize] = weight;
        }
        weighted_svg(&smiles, &placed)
    };
    work::run(py, 1, draw)?.map_err(PyValueError::new_err)
}
