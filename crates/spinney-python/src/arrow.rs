//! Texts from Python, read where they lie: Arrow's buffers, or Python's own strings.
//!
//! Arrow data comes through the PyCapsule form of the C data interface (`__arrow_c_array__`,
//! `__arrow_c_stream__`), which pyarrow, polars and pandas speak; this package needs none of them.
//!
//! **Invariant.** No text is copied. Buffers are checked (offsets, UTF-8) before they are used.

use std::ffi::CStr;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::{Bound, PyAny, PyAnyMethods, PyResult, pyfunction};
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyString, PyTuple, PyTypeMethods};

use crate::errors::bad_row;
use crate::ffi;

/// Texts that Python or Arrow keeps.
pub(crate) enum Texts {
    Python(Vec<PyBackedStr>),
    Arrow(Vec<ArrayRef>),
}

impl Texts {
    /// The texts of a sequence of `str`, or of an object that speaks Arrow.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Texts> {
        if let Some(chunks) = chunks(object)? {
            return Ok(Texts::Arrow(chunks));
        }
        let mut texts = Vec::with_capacity(object.len().unwrap_or(0));
        for (row, item) in object.try_iter()?.enumerate() {
            let item = item?;
            let is_number = item.is_instance_of::<pyo3::types::PyFloat>();
            if item.is_none() || is_number && item.extract::<f64>().is_ok_and(f64::is_nan) {
                return Err(bad_row(row, missing()));
            }
            let text = item.cast::<PyString>().map_err(|_| {
                let kind = item.get_type().name().map_or_else(|_| "?".into(), |n| n.to_string());
                PyTypeError::new_err(format!("row {row}: a {kind} where a SMILES is needed"))
            })?;
            let backed = PyBackedStr::try_from(text.clone());
            texts.push(backed.map_err(|e| bad_row(row, format!("no text: {e}")))?);
        }
        Ok(Texts::Python(texts))
    }

    /// The texts themselves; a missing one is an error with its row.
    pub(crate) fn list(&self) -> Result<Vec<&str>, (usize, String)> {
        match self {
            Texts::Python(texts) => Ok(texts.iter().map(|t| &**t).collect()),
            Texts::Arrow(chunks) => {
                let mut list = Vec::with_capacity(chunks.iter().map(Array::len).sum());
                chunks.iter().for_each(|chunk| push(chunk, &mut list));
                let there = |(row, text): (usize, Option<_>)| text.ok_or((row, missing()));
                list.into_iter().enumerate().map(there).collect()
            }
        }
    }
}

fn missing() -> String {
    "a missing value where a SMILES is needed".to_owned()
}

fn push<'a>(chunk: &'a ArrayRef, list: &mut Vec<Option<&'a str>>) {
    match chunk.data_type() {
        DataType::Utf8 => list.extend(chunk.as_string::<i32>().iter()),
        DataType::LargeUtf8 => list.extend(chunk.as_string::<i64>().iter()),
        DataType::Utf8View => list.extend(chunk.as_string_view().iter()),
        _ => {
            let dictionary = chunk.as_any_dictionary();
            let mut names = Vec::new();
            push(dictionary.values(), &mut names);
            let keys = dictionary.normalized_keys().into_iter().enumerate();
            let name = |(row, key): (usize, usize)| {
                if chunk.is_null(row) { None } else { names.get(key).copied().flatten() }
            };
            list.extend(keys.map(name));
        }
    }
}

/// The chunks of a column of texts; none if the object does not speak Arrow, or not of texts.
fn chunks(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<ArrayRef>>> {
    if object.hasattr("__arrow_c_array__")? {
        let Ok(pair) = object.call_method0("__arrow_c_array__") else { return Ok(None) };
        let pair = pair.cast_into::<PyTuple>()?;
        let schema = pair.get_item(0)?;
        let array = pair.get_item(1)?;
        let array = one(schema.cast::<PyCapsule>()?, array.cast::<PyCapsule>()?)?;
        return Ok(array.map(|array| vec![array]));
    }
    if object.hasattr("__arrow_c_stream__")? {
        let Ok(capsule) = object.call_method0("__arrow_c_stream__") else { return Ok(None) };
        return many(capsule.cast::<PyCapsule>()?);
    }
    Ok(None)
}

/// Takes an Arrow structure out of a capsule, which keeps an empty one.
#[allow(unsafe_code)]
fn take<T>(
    capsule: &Bound<'_, PyCapsule>,
    name: &CStr,
    from_raw: unsafe fn(*mut T) -> T,
) -> PyResult<T> {
    let pointer = capsule.pointer_checked(Some(name))?;
    // SAFETY: the interface says that a capsule of this name points to a structure of this kind,
    // alive as long as the capsule; `from_raw` moves it out and marks the original as released.
    Ok(unsafe { from_raw(pointer.as_ptr().cast()) })
}

fn one(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>) -> PyResult<Option<ArrayRef>> {
    let schema = take(schema, c"arrow_schema", FFI_ArrowSchema::from_raw)?;
    let array = take(array, c"arrow_array", FFI_ArrowArray::from_raw)?;
    ffi::texts(array, &schema).map_err(PyValueError::new_err)
}

fn many(capsule: &Bound<'_, PyCapsule>) -> PyResult<Option<Vec<ArrayRef>>> {
    let stream = take(capsule, c"arrow_array_stream", FFI_ArrowArrayStream::from_raw)?;
    ffi::all_texts(stream).map_err(PyValueError::new_err)
}

/// The address of a text of an Arrow column as it is used here, for tests that nothing is copied.
#[pyfunction]
pub(crate) fn string_address(object: &Bound<'_, PyAny>, row: usize) -> PyResult<usize> {
    let texts = Texts::of(object)?;
    let list = texts.list().map_err(|(row, reason)| bad_row(row, reason))?;
    let text = list.get(row).ok_or_else(|| PyValueError::new_err("no such row"))?;
    Ok(text.as_ptr() as usize)
}
