//! Molecules from tables: comma-separated if the first byte is even, else tab-separated.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spinney_chem::read::MoleculeFormat as Format;
use spinney_fuzz::molecules;

fuzz_target!(|content: &[u8]| {
    match content.split_first() {
        Some((first, rest)) if first % 2 == 0 => molecules("x.csv", Format::Csv, rest),
        Some((_, rest)) => molecules("x.tsv", Format::Tsv, rest),
        None => molecules("x.csv", Format::Csv, content),
    }
});
