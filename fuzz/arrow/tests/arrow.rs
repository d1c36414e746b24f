//! The `unsafe` code of the Python module, run under AddressSanitizer: columns of a foreign
//! producer, whole, sliced, with gaps, of other kinds, released, and streams of them that fail.

#[path = "../../../crates/spinney-python/src/ffi.rs"]
mod ffi;

use std::ffi::{c_char, c_int};
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, LargeStringArray, StringArray, StringViewArray,
};

fn columns() -> Vec<ArrayRef> {
    let texts = vec![Some("CCO"), None, Some(""), Some("c1ccccc1 and longer than twelve bytes")];
    let keys: DictionaryArray<Int8Type> = texts.iter().copied().collect();
    vec![
        Arc::new(StringArray::from(texts.clone())),
        Arc::new(LargeStringArray::from(texts.clone())),
        Arc::new(StringViewArray::from(texts)),
        Arc::new(keys),
        Arc::new(StringArray::from(Vec::<&str>::new())),
    ]
}

#[test]
fn columns_come_through_as_they_are() {
    for column in columns() {
        let parts =
            [column.clone(), column.slice(0, column.len() / 2), column.slice(column.len() / 2, 0)];
        for part in parts {
            let (array, schema) = to_ffi(&part.to_data()).expect("exportable");
            let read = ffi::texts(array, &schema).expect("sound").expect("texts");
            assert_eq!((read.len(), read.data_type()), (part.len(), part.data_type()));
            if !part.is_empty() {
                assert_eq!(read.to_data(), part.to_data());
            }
        }
    }
}

#[test]
fn other_kinds_are_left_alone_and_released() {
    let numbers = Int32Array::from(vec![1, 2, 3]);
    let (array, schema) = to_ffi(&numbers.to_data()).expect("exportable");
    assert!(ffi::texts(array, &schema).expect("sound").is_none());
    assert!(ffi::texts(FFI_ArrowArray::empty(), &FFI_ArrowSchema::empty()).is_err());
}

/// What a hostile producer may do: offsets that run backwards or past the end, bytes that are no
/// text.
#[test]
fn broken_buffers_are_refused() {
    use arrow_data::ArrayData;
    use arrow_schema::DataType;
    let bytes = |offsets: &[i32], values: &[u8]| {
        let offsets: Vec<u8> = offsets.iter().flat_map(|o| o.to_le_bytes()).collect();
        let builder = ArrayData::builder(DataType::Utf8).len(2);
        // SAFETY: on purpose not sound; what reads it must check.
        unsafe {
            builder.add_buffer(offsets.into()).add_buffer(values.to_vec().into()).build_unchecked()
        }
    };
    for (offsets, values) in
        [([0, 9, 3], &b"CCCCCCCCCC"[..]), ([0, 1, 3], b"C\xff\xff"), ([-1, 1, 3], b"CCC")]
    {
        let (array, schema) = to_ffi(&bytes(&offsets, values)).expect("exportable");
        assert!(ffi::texts(array, &schema).is_err(), "{offsets:?}");
    }
}

/// A stream of the columns of texts that fails after some chunks.
struct Producer {
    left: Vec<ArrayRef>,
    fails_at: usize,
    schema_fails: bool,
}

/// The structure of the interface, as its specification lays it out.
#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut FFI_ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut FFI_ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    producer: *mut Producer,
}

unsafe extern "C" fn get_schema(stream: *mut Stream, out: *mut FFI_ArrowSchema) -> c_int {
    // SAFETY: called by the reader with a live stream and an empty structure.
    unsafe {
        if (*(*stream).producer).schema_fails {
            return 5;
        }
        std::ptr::write(
            out,
            FFI_ArrowSchema::try_from(&arrow_schema::DataType::Utf8).expect("a schema"),
        );
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut Stream, out: *mut FFI_ArrowArray) -> c_int {
    // SAFETY: as above.
    unsafe {
        let producer = &mut *(*stream).producer;
        if producer.left.len() == producer.fails_at {
            return 5;
        }
        let next = producer.left.pop().map(|array| FFI_ArrowArray::new(&array.to_data()));
        std::ptr::write(out, next.unwrap_or_else(FFI_ArrowArray::empty));
    }
    0
}

unsafe extern "C" fn last_error(_: *mut Stream) -> *const c_char {
    std::ptr::null()
}

unsafe extern "C" fn release(stream: *mut Stream) {
    // SAFETY: the producer was boxed by `streamed`, and release is called once.
    unsafe {
        drop(Box::from_raw((*stream).producer));
        (*stream).release = None;
    }
}

fn streamed(producer: Producer) -> FFI_ArrowArrayStream {
    let mut stream = Stream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(last_error),
        release: Some(release),
        producer: Box::into_raw(Box::new(producer)),
    };
    // SAFETY: the same layout; the original is marked as released and then forgotten.
    unsafe { FFI_ArrowArrayStream::from_raw((&raw mut stream).cast()) }
}

#[test]
fn streams_come_through_or_fail_and_are_released() {
    let chunk =
        || -> ArrayRef { Arc::new(StringArray::from(vec!["CCO", "longer than twelve bytes"])) };
    let producer =
        |fails_at, schema_fails| Producer { left: vec![chunk(); 3], fails_at, schema_fails };
    let read =
        ffi::all_texts(streamed(producer(usize::MAX, false))).expect("sound").expect("texts");
    assert_eq!(read.len(), 3);
    assert_eq!(read[0].to_data(), chunk().to_data());
    for fails_at in 0..=3 {
        let failed = ffi::all_texts(streamed(producer(fails_at, false))).err();
        assert!(failed.is_some_and(|reason| reason.contains("error 5")), "{fails_at}");
    }
    assert!(ffi::all_texts(streamed(producer(usize::MAX, true))).is_err());
    assert!(ffi::all_texts(FFI_ArrowArrayStream::empty()).is_err());
}
