//! Training parameters by their names in Python, as the library's table declares them.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::{Bound, PyAny, PyAnyMethods, PyResult, pyfunction};
use pyo3::types::{PyDict, PyString};
use serde_json::{Map, Value, json};
use spinney::params::{PARAMETERS, Parameter};
use spinney::{Params, Preset};

use crate::errors::raised;

/// How the absence of a value is written.
const NONE: &str = "none";

/// What every parameter is called, what it does, and its values in both presets, as JSON.
#[pyfunction]
pub(crate) fn parameters() -> String {
    let default = Params::default();
    let paper = Params::paper();
    let described = |parameter: &Parameter| {
        json!({
            "name": parameter.name,
            "python": parameter.python,
            "help": parameter.help,
            "values": parameter.values,
            "automatic": parameter.automatic,
            "range": parameter.range,
            "default": python_value(parameter, &default),
            "paper": python_value(parameter, &paper),
        })
    };
    PARAMETERS.iter().map(described).collect::<Value>().to_string()
}

/// The values of a preset (`default` or `paper`) by their names in Python, as JSON.
#[pyfunction]
pub(crate) fn defaults(preset: &str) -> PyResult<String> {
    let params = preset.parse::<Preset>().map_err(PyValueError::new_err)?.params();
    let named =
        |parameter: &Parameter| (parameter.python.to_owned(), python_value(parameter, &params));
    Ok(Value::Object(PARAMETERS.iter().map(named).collect::<Map<_, _>>()).to_string())
}

/// A value as Python writes it: what is not there is `None`.
fn python_value(parameter: &Parameter, params: &Params) -> Value {
    match parameter.get(params) == NONE {
        true => Value::Null,
        false => json!(params)[parameter.name].clone(),
    }
}

/// The parameters of a dictionary by their names in Python, over the defaults; unknown names are
/// refused.
pub(crate) fn params(given: &Bound<'_, PyDict>) -> PyResult<Params> {
    let mut params = Params::default();
    for (name, value) in given {
        let name: String = name.extract()?;
        let Some(parameter) = PARAMETERS.iter().find(|parameter| parameter.python == name) else {
            return Err(PyValueError::new_err(format!("{name:?} is no parameter")));
        };
        let wrong = |reason| PyValueError::new_err(format!("parameter {name}: {reason}"));
        parameter.set(&mut params, &text_of(&value)?).map_err(wrong)?;
        let is_text = value.is_instance_of::<PyString>();
        if is_text && !json!(params)[parameter.name].is_string() {
            return Err(wrong(format!("{} is a text; give {}", value.repr()?, parameter.values)));
        }
    }
    params.check().map_err(raised)?;
    Ok(params)
}

/// A value as a flag of the program has it.
fn text_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if value.is_none() {
        return Ok(NONE.to_owned());
    }
    if let Ok(switch) = value.extract::<bool>() {
        return Ok(switch.to_string());
    }
    Ok(value.str()?.to_string())
}
