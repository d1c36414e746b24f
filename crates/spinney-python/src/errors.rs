//! The library's errors as Python's.

use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};

/// Bad input is a `ValueError`, the rest a `RuntimeError`.
pub(crate) fn raised(error: spinney::Error) -> PyErr {
    let bad_input = error.is_bad_input();
    let text = said(&error);
    if bad_input { PyValueError::new_err(text) } else { PyRuntimeError::new_err(text) }
}

/// The same for files that cannot be written.
pub(crate) fn unwritten(error: spinney::Error) -> PyErr {
    PyOSError::new_err(said(&error))
}

/// What is wrong with a row, counted from 0.
pub(crate) fn bad_row(row: usize, reason: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("row {row}: {reason}"))
}

/// Messages name the program's flags; Python's parameters have other names.
fn said(error: &spinney::Error) -> String {
    let mut text = error.to_string();
    for (flag, parameter) in [
        ("--valid", "eval_set"),
        ("--learning-rate", "learning_rate"),
        ("--l2", "reg_lambda"),
        ("--max-edges", "max_edges"),
        ("--engine ", "engine="),
        ("parameter l2", "parameter reg_lambda"),
        ("parameter depth", "parameter max_depth"),
        ("parameter trees", "parameter n_estimators"),
        ("parameter pattern_sample", "parameter colsample"),
        ("parameter min_gain", "parameter min_split_gain"),
        ("parameter early_stopping", "parameter early_stopping_rounds"),
        ("parameter metric", "parameter eval_metric"),
        ("parameter seed", "parameter random_state"),
    ] {
        text = text.replace(flag, parameter);
    }
    text
}
