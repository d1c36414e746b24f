//! Folds files.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spinney::evaluation::Folds;
use spinney_fuzz::file;

fuzz_target!(|content: &[u8]| {
    if let Ok(numbers) = spinney::io::read_folds(&file("x.folds", content)) {
        let _ = Folds::from_numbers(&numbers, numbers.len());
    }
});
