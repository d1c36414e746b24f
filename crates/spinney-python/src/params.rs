//! Training parameters from Python, by the names of the program's flags.

use std::str::FromStr;

use pyo3::PyErr;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::{Bound, PyAnyMethods, PyDictMethods, PyResult, pyfunction};
use pyo3::types::PyDict;
use spinney::Params;

use crate::errors::raised;

/// The defaults of a preset (`default` or `paper`) as JSON.
#[pyfunction]
pub(crate) fn defaults(preset: &str) -> PyResult<String> {
    Ok(serde_json::json!(preset_of(preset)?).to_string())
}

fn preset_of(name: &str) -> PyResult<Params> {
    match name {
        "default" => Ok(Params::default()),
        "paper" => Ok(Params::paper()),
        _ => Err(PyValueError::new_err(format!("{name:?} is no preset: default or paper"))),
    }
}

/// A number or a switch of the dictionary.
fn put<'py, T: FromPyObjectOwned<'py>>(
    given: &Bound<'py, PyDict>,
    name: &str,
    place: &mut T,
) -> PyResult<()> {
    if let Some(value) = given.get_item(name)? {
        let shown = value.to_string();
        *place = value.extract::<T>().map_err(|e| {
            let e: PyErr = e.into();
            let reason = e.value(given.py()).to_string();
            PyValueError::new_err(format!("parameter {name}: {shown} does not fit: {reason}"))
        })?;
    }
    Ok(())
}

/// A word of the dictionary; `None` leaves the default.
fn word<T: FromStr<Err: std::fmt::Display>>(
    given: &Bound<'_, PyDict>,
    name: &str,
) -> PyResult<Option<T>> {
    let Some(value) = given.get_item(name)?.filter(|v| !v.is_none()) else { return Ok(None) };
    let text = value.str()?.to_string();
    let wrong = |e| PyValueError::new_err(format!("parameter {name}: {e}"));
    text.parse().map(Some).map_err(wrong)
}

/// Parameters that are not written down where they are 1 (the weight of a linear model: 0).
const UNWRITTEN: [&str; 3] = ["ensemble", "temperature", "linear"];

/// The parameters of a dictionary, over the defaults; unknown names are refused.
pub(crate) fn params(given: &Bound<'_, PyDict>) -> PyResult<Params> {
    let mut p = Params::default();
    put(given, "max_edges", &mut p.max_edges)?;
    put(given, "depth", &mut p.depth)?;
    put(given, "learning_rate", &mut p.learning_rate)?;
    put(given, "trees", &mut p.trees)?;
    put(given, "ensemble", &mut p.ensemble)?;
    put(given, "temperature", &mut p.temperature)?;
    put(given, "linear", &mut p.linear)?;
    put(given, "min_support", &mut p.min_support)?;
    put(given, "min_samples_leaf", &mut p.min_samples_leaf)?;
    put(given, "min_gain", &mut p.min_gain)?;
    put(given, "subsample", &mut p.subsample)?;
    put(given, "pattern_sample", &mut p.pattern_sample)?;
    put(given, "l2", &mut p.l2)?;
    put(given, "count_levels", &mut p.count_levels)?;
    put(given, "vertices", &mut p.vertices)?;
    put(given, "huber_delta", &mut p.huber_delta)?;
    put(given, "early_stopping", &mut p.early_stopping)?;
    put(given, "positive", &mut p.positive)?;
    put(given, "seed", &mut p.seed)?;
    p.leaf = word(given, "leaf")?.unwrap_or(p.leaf);
    p.criterion = word(given, "criterion")?.unwrap_or(p.criterion);
    p.loss = word(given, "loss")?.unwrap_or(p.loss);
    p.init = word(given, "init")?.unwrap_or(p.init);
    p.class_weight = word(given, "class_weight")?.unwrap_or(p.class_weight);
    p.metric = word(given, "metric")?;
    let known = serde_json::json!(p);
    for name in given.keys() {
        let name = name.to_string();
        if known.get(&name).is_none() && !UNWRITTEN.contains(&&*name) {
            return Err(PyValueError::new_err(format!("{name:?} is no parameter")));
        }
    }
    p.clone().check().map_err(raised)?;
    Ok(p)
}
