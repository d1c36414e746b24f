//! What patterns and atoms add to scores.
//!
//! The contribution of a pattern that occurs is shared equally over the atoms of its occurrences; what
//! patterns add by being absent belongs to no atom.

use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::{PyResult, Python, pyfunction};
use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use spinney::Dataset;
use spinney::model::Contributions;
use spinney::model::occurrences::{covered, translated};
use spinney_chem::draw::weighted_svg;

use crate::graphs::Graphs;
use crate::model::{Explained, Model, table};
use crate::work;

pub(crate) fn explain<'py>(
    py: Python<'py>,
    model: &Model,
    graphs: &Graphs,
    threads: usize,
) -> PyResult<Explained<'py>> {
    let views = model.chemistry.as_ref().map_or(1, |c| c.atoms.len().max(1));
    let (inner, data) = (Arc::clone(&model.inner), Arc::clone(&graphs.data));
    let count = data.len();
    let (found, atoms) = work::run(py, threads, move |_| {
        let found = inner.contributions(&data);
        let of_graph = |i: usize| atoms(&inner, &data, &found, (i, views));
        let atoms: Vec<Vec<f64>> = (0..data.len()).into_par_iter().map(of_graph).collect();
        (found, atoms)
    })?;
    let outputs = found.bias.len();
    let mut starts = vec![0];
    for own in &atoms {
        starts.push(starts[starts.len() - 1] + (own.len() / outputs) as i64);
    }
    let (flat, patterns) = (atoms.concat(), found.patterns);
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
    (i, views): (usize, usize),
) -> Vec<f64> {
    let outputs = found.bias.len();
    let graph = translated(&data.graphs()[i], data.labels(), model.labels());
    let atoms = graph.vertex_count() / views;
    let mut shares = vec![0.0; atoms * outputs];
    for (number, pattern) in model.patterns().iter().enumerate() {
        if (0..outputs).all(|o| found.of(i, o)[number] == 0.0) {
            continue;
        }
        let mut touched = vec![false; atoms];
        for (v, is_covered) in covered(&pattern.code, &graph).into_iter().enumerate() {
            if is_covered {
                touched[v % atoms] = true;
            }
        }
        let number_of = touched.iter().filter(|t| **t).count();
        for (atom, _) in touched.iter().enumerate().filter(|(_, t)| **t) {
            for output in 0..outputs {
                let share = found.of(i, output)[number] / number_of as f64;
                shares[atom * outputs + output] += share;
            }
        }
    }
    shares
}

/// A molecule with its atoms tinted by weight.
#[pyfunction]
pub(crate) fn molecule_svg(py: Python<'_>, smiles: String, weights: Vec<f64>) -> PyResult<String> {
    work::run(py, 1, move |_| weighted_svg(&smiles, &weights))?.map_err(PyValueError::new_err)
}
