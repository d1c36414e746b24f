//! Arrow's C data interface: columns of texts from a foreign producer.
//!
//! The only `unsafe` code of the project, with the taking of structures out of capsules in
//! `arrow.rs`. It knows no Python, so that it can be tested alone, under a sanitizer
//! (`fuzz/arrow`).
//!
//! **Invariant.** Buffers are checked (offsets, UTF-8) before they are used; a structure is
//! released exactly once, whatever goes wrong.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, make_array, new_empty_array};
use arrow_schema::DataType;

/// The chunks of a stream of texts; none if it holds something else.
#[allow(unsafe_code)]
pub(crate) fn all_texts(mut stream: FFI_ArrowArrayStream) -> Result<Option<Vec<ArrayRef>>, String> {
    let (Some(get_schema), Some(get_next)) = (stream.get_schema(), stream.get_next()) else {
        return Err("an Arrow stream that was used already".into());
    };
    let broken = |code: i32| format!("an Arrow stream failed: error {code}");
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the callbacks of a live stream, called with it and an empty structure to fill.
    let code = unsafe { get_schema(&raw mut stream, &raw mut schema) };
    if code != 0 {
        return Err(broken(code));
    }
    let mut chunks = Vec::new();
    loop {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: as above.
        let code = unsafe { get_next(&raw mut stream, &raw mut array) };
        if code != 0 {
            return Err(broken(code));
        }
        if array.is_released() {
            return Ok(Some(chunks));
        }
        match texts(array, &schema)? {
            Some(chunk) => chunks.push(chunk),
            None => return Ok(None),
        }
    }
}

/// An array of texts, checked; none if it holds something else.
#[allow(unsafe_code)]
pub(crate) fn texts(
    array: FFI_ArrowArray,
    schema: &FFI_ArrowSchema,
) -> Result<Option<ArrayRef>, String> {
    if array.is_released() {
        return Err("an Arrow array that was used already".into());
    }
    let wrong = |e| format!("broken Arrow data: {e}");
    if !is_text(&DataType::try_from(schema).map_err(wrong)?) {
        return Ok(None);
    }
    // SAFETY: array and schema come from the same producer and belong together.
    let data = unsafe { from_ffi(array, schema) }.map_err(wrong)?;
    // An empty part of a column has offsets of the whole, which do not fit its empty buffers.
    if data.is_empty() {
        return Ok(Some(new_empty_array(data.data_type())));
    }
    data.validate_full().map_err(wrong)?;
    Ok(Some(make_array(data)))
}

/// Whether a column holds texts.
fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}
