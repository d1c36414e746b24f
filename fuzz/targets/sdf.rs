//! Molecules from .sdf.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spinney_chem::read::MoleculeFormat as Format;
use spinney_fuzz::molecules;

fuzz_target!(|content: &[u8]| molecules("x.sdf", Format::Sdf, content));
