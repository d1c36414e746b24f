//! The Rust half of the Python package `spinney`.
//!
//! Thin: it turns Python's objects into the library's, runs the work on threads of its own without
//! the interpreter's lock, and turns results into arrays. Estimators, tables and pictures for
//! notebooks are Python (`python/spinney`).
//!
//! **Invariant.** No panic reaches the interpreter: all work goes through `work`, which catches it.
//! No call holds the interpreter's lock while it computes, and all can be interrupted.

// What Python passes is owned by the call.
#![allow(clippy::needless_pass_by_value)]

mod arrow;
mod errors;
mod explain;
mod ffi;
mod given;
mod graphs;
mod mined;
mod model;
mod params;
mod predictor;
mod read;
mod sparse;
mod train;
mod work;

use pyo3::prelude::{Bound, PyModule, PyModuleMethods, PyResult, pymodule, wrap_pyfunction};

/// What `python/spinney` builds on; see its stubs (`_spinney.pyi`).
#[pymodule]
fn _spinney(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<graphs::Graphs>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<mined::PatternSet>()?;
    module.add_function(wrap_pyfunction!(graphs::from_smiles, module)?)?;
    module.add_function(wrap_pyfunction!(graphs::from_molecules, module)?)?;
    module.add_function(wrap_pyfunction!(graphs::from_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(graphs::from_state, module)?)?;
    module.add_function(wrap_pyfunction!(arrow::string_address, module)?)?;
    module.add_function(wrap_pyfunction!(read::read, module)?)?;
    module.add_function(wrap_pyfunction!(params::parameters, module)?)?;
    module.add_function(wrap_pyfunction!(params::defaults, module)?)?;
    module.add_function(wrap_pyfunction!(train::train, module)?)?;
    module.add_function(wrap_pyfunction!(mined::mine, module)?)?;
    module.add_function(wrap_pyfunction!(explain::molecule_svg, module)?)?;
    Ok(())
}
