//! Arrow structures taken out of Python's capsules, under AddressSanitizer: an interpreter runs
//! inside the test and hands over capsules as pyarrow and polars do. Holders of a column's bytes
//! are counted, so that nothing is released twice or never (Python itself keeps memory to the end,
//! which a leak check would report).

#[path = "../../../crates/spinney-python/src/arrow.rs"]
#[allow(dead_code)]
mod arrow;
#[path = "../../../crates/spinney-python/src/ffi.rs"]
mod ffi;

mod errors {
    pub(crate) fn bad_row(row: usize, reason: impl std::fmt::Display) -> pyo3::PyErr {
        pyo3::exceptions::PyValueError::new_err(format!("row {row}: {reason}"))
    }
}

use std::ffi::{CStr, CString};
use std::ptr::NonNull;
use std::sync::Arc;

use arrow::Texts;
use arrow_array::ffi::to_ffi;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, Int32Array, RecordBatch, RecordBatchIterator, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema};
use pyo3::IntoPyObject;
use pyo3::prelude::{Bound, PyAny, PyAnyMethods, PyDictMethods, Python};
use pyo3::types::{PyCapsule, PyDict};

/// An object whose `method` gives `value`, again and again.
fn speaker<'py>(
    py: Python<'py>,
    method: &str,
    value: impl IntoPyObject<'py>,
) -> Bound<'py, PyAny> {
    let scope = PyDict::new(py);
    assert!(scope.set_item("value", value).is_ok());
    let code = format!(
        "class Speaker:\n  value = value\n  def {method}(self, *rest):\n    return self.value\n"
    );
    py.run(&CString::new(code).expect("no zero"), Some(&scope), None).expect("a class");
    let class = scope.get_item("Speaker").expect("a scope").expect("defined");
    let object = class.call0().expect("an object");
    // What the class keeps goes with the object.
    object.setattr("value", class.getattr("value").expect("there")).expect("set");
    class.delattr("value").expect("deleted");
    scope.clear();
    object
}

/// A column of texts whose bytes belong to the handle.
fn column(texts: &[&str]) -> (ArrayData, Arc<Vec<u8>>) {
    let bytes = Arc::new(texts.concat().into_bytes());
    let mut ends = vec![0i32];
    texts.iter().for_each(|t| ends.push(ends[ends.len() - 1] + t.len() as i32));
    let pointer = NonNull::new(bytes.as_ptr().cast_mut()).expect("an address");
    // SAFETY: the bytes live as long as their owner, which the buffer keeps.
    let values = unsafe { Buffer::from_custom_allocation(pointer, bytes.len(), bytes.clone()) };
    let data = ArrayData::builder(DataType::Utf8)
        .len(texts.len())
        .add_buffer(Buffer::from_vec(ends))
        .add_buffer(values)
        .build()
        .expect("sound");
    (data, bytes)
}

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// A pair of capsules as `__arrow_c_array__` returns it.
fn array_speaker<'py>(
    py: Python<'py>,
    data: &ArrayData,
    names: (&'static CStr, &'static CStr),
) -> Bound<'py, PyAny> {
    let (array, schema) = to_ffi(data).expect("exportable");
    let schema = PyCapsule::new_with_value(py, schema, names.0).expect("a capsule");
    let array = PyCapsule::new_with_value(py, array, names.1).expect("a capsule");
    speaker(py, "__arrow_c_array__", (schema, array))
}

#[test]
fn an_array_is_moved_out_of_its_capsule_once() {
    Python::attach(|py| {
        let (data, bytes) = column(&["CCO", "", "c1ccccc1 and longer than twelve bytes"]);
        let object = array_speaker(py, &data, (SCHEMA, ARRAY));
        drop(data);
        let texts = Texts::of(&object).expect("texts");
        let all = texts.list().expect("none missing");
        assert_eq!(all, ["CCO", "", "c1ccccc1 and longer than twelve bytes"]);
        assert_eq!(texts.list().expect("none missing")[0].as_ptr(), bytes.as_ptr(), "copied");
        // The capsule keeps an empty structure: asked again, it has nothing, and frees nothing.
        assert!(Texts::of(&object).is_err_and(|e| e.to_string().contains("used already")));
        drop(object);
        assert_eq!(texts.list().expect("still held")[0], "CCO");
        assert!(Arc::strong_count(&bytes) > 1);
        drop(texts);
        assert_eq!(Arc::strong_count(&bytes), 1, "never released");
    });
}

#[test]
fn what_is_refused_is_released_too() {
    Python::attach(|py| {
        for names in [(ARRAY, ARRAY), (SCHEMA, SCHEMA), (c"other", ARRAY), (SCHEMA, c"other")] {
            let (data, bytes) = column(&["CCO"]);
            let object = array_speaker(py, &data, names);
            drop(data);
            assert!(Texts::of(&object).is_err());
            drop(object);
            assert_eq!(Arc::strong_count(&bytes), 1, "{names:?}");
        }
        // Numbers are no texts: the object is then read like any other, and cannot be.
        let numbers = Int32Array::from(vec![1, 2, 3]).to_data();
        assert!(Texts::of(&array_speaker(py, &numbers, (SCHEMA, ARRAY))).is_err());
        // Never asked for.
        let (data, bytes) = column(&["CCO"]);
        drop((array_speaker(py, &data, (SCHEMA, ARRAY)), data));
        assert_eq!(Arc::strong_count(&bytes), 1);
    });
}

#[test]
fn a_stream_is_moved_out_of_its_capsule_once() {
    Python::attach(|py| {
        let (data, bytes) = column(&["CCO", "longer than twelve bytes"]);
        // A reader of record batches streams structures, not texts: refused, and released.
        let schema = Arc::new(Schema::new(vec![Field::new("smiles", DataType::Utf8, false)]));
        let batch = RecordBatch::try_new(schema.clone(), vec![make_array(data)]).expect("a batch");
        let reader = RecordBatchIterator::new([Ok(batch)], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        let capsule = PyCapsule::new_with_value(py, stream, STREAM).expect("a capsule");
        let object = speaker(py, "__arrow_c_stream__", capsule);
        assert!(Texts::of(&object).is_err());
        assert!(Texts::of(&object).is_err_and(|e| e.to_string().contains("used already")));
        drop(object);
        assert_eq!(Arc::strong_count(&bytes), 1, "never released");
    });
}
