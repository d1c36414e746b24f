//! What learning sees of a graph: views of its vertices, and numbers beside it.

pub mod covariates;
pub mod views;
