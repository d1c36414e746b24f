//! The library's errors as Python's.

use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use spinney::params::PARAMETERS;

/// Bad input is a `ValueError`, the rest a `RuntimeError`.
pub(crate) fn raised(error: spinney::Error) -> PyErr {
    let is_bad_input = error.is_bad_input();
    let text = in_python(&error);
    if is_bad_input { PyValueError::new_err(text) } else { PyRuntimeError::new_err(text) }
}

/// The same for files that cannot be written.
pub(crate) fn unwritten(error: spinney::Error) -> PyErr {
    PyOSError::new_err(in_python(&error))
}

/// What is wrong with a row, counted from 0.
pub(crate) fn bad_row(row: usize, reason: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("row {row}: {reason}"))
}

/// Words of the program that Python has other words for; parameters besides.
const WORDS: [(&str, &str); 4] = [
    ("--valid", "eval_set"),
    ("--engine ", "engine="),
    ("--method gboost", "GBoostClassifier"),
    ("use a regressor", "use SpinneyRegressor"),
];

/// The message with Python's names of parameters in place of the program's flags.
fn in_python(error: &spinney::Error) -> String {
    let mut text = error.to_string();
    for (program, python) in WORDS {
        text = text.replace(program, python);
    }
    for parameter in PARAMETERS {
        let flag = format!("--{}", parameter.name.replace('_', "-"));
        text = text.replace(&flag, parameter.python);
        let named = format!("parameter {}:", parameter.name);
        text = text.replace(&named, &format!("parameter {}:", parameter.python));
    }
    text
}
