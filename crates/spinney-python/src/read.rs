//! `spinney.read`: files of graphs and of molecules, as the program reads them.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::{Bound, PyAnyMethods, PyDictMethods, PyResult, Python, pyfunction};
use pyo3::types::PyDict;
use spinney::io::{self, Format, OnError, ReadOptions};
use spinney_chem::read::{Columns, MoleculeFormat, Request, Targets, load};

use crate::errors::raised;
use crate::graphs::{Graphs, chemistry_of};
use crate::work;

/// What a file holds besides its graphs: names of target columns, the targets by column, and what
/// was left out.
type Besides = (Vec<String>, Vec<Vec<Option<String>>>, Vec<String>);

/// Reads a file or a folder. `options`: `format`, `on_error`, `smiles`, `target` (a list), `id`,
/// `weight`, `lenient`.
#[pyfunction]
pub(crate) fn read(
    py: Python<'_>,
    path: PathBuf,
    chemistry: &str,
    options: &Bound<'_, PyDict>,
    threads: usize,
) -> PyResult<(Graphs, Besides)> {
    let text = |name: &str| -> PyResult<Option<String>> {
        options.get_item(name)?.filter(|v| !v.is_none()).map(|v| v.extract()).transpose()
    };
    let format = text("format")?;
    let on_error: OnError = match text("on_error")? {
        Some(word) => word.parse().map_err(|e| PyValueError::new_err(format!("on_error: {e}")))?,
        None => OnError::Fail,
    };
    let of_molecules = match &format {
        Some(name) => name.parse::<MoleculeFormat>().ok(),
        None if path.is_dir() => None,
        None => MoleculeFormat::of(&path),
    };
    if of_molecules.is_none() {
        let wrong = |e| PyValueError::new_err(format!("format: {e}"));
        let format = format.map(|name| name.parse::<Format>().map_err(wrong)).transpose()?;
        let outcome =
            work::run(py, threads, move |_| io::read(&path, &ReadOptions { format, on_error }))?
                .map_err(raised)?;
        let skipped = outcome.skipped.iter().map(ToString::to_string).collect();
        return Ok((Graphs::plain(outcome.data, None), (Vec::new(), Vec::new(), skipped)));
    }
    let chemistry = chemistry_of(chemistry)?;
    let targets: Vec<String> =
        options.get_item("target")?.map_or(Ok(Vec::new()), |v| v.extract())?;
    let targets = match &targets[..] {
        [] => Targets::None,
        [all] if all == "all" => Targets::All,
        _ => Targets::Named(targets),
    };
    let columns = Columns {
        smiles: text("smiles")?,
        targets,
        id: text("id")?,
        weight: text("weight")?,
        covariates: options.get_item("covariates")?.map_or(Ok(Vec::new()), |v| v.extract())?,
        split: None,
    };
    let lenient = options.get_item("lenient")?.map_or(Ok(false), |v| v.extract())?;
    let request = Request { path, format: of_molecules, columns, on_error, lenient };
    let settings = chemistry.clone();
    let loaded = work::run(py, threads, move |_| load(&request, &settings))?.map_err(raised)?;
    let skipped = loaded.skipped.iter().map(ToString::to_string).collect();
    let graphs = Graphs {
        covariates: loaded.covariate_columns(),
        data: Arc::new(loaded.data),
        chemistry: Some(chemistry),
        structures: Some(loaded.structures),
    };
    Ok((graphs, (loaded.target_names, loaded.targets, skipped)))
}
