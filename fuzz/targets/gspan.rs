//! gSpan text: read, and if it is read, written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spinney::io::{Format, OnError, ReadOptions, read};
use spinney_fuzz::file;

fuzz_target!(|content: &[u8]| {
    let path = file("x.gsp", content);
    let strict = ReadOptions { format: Some(Format::Gspan), on_error: OnError::Fail };
    let lax = ReadOptions { format: Some(Format::Gspan), on_error: OnError::Skip };
    let strictly = read(&path, &strict);
    if let Ok(outcome) = read(&path, &lax) {
        assert_eq!(outcome.skipped.is_empty(), strictly.is_ok());
    }
});
