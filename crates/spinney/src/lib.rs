//! placeholder
pub mod dataset;
pub mod error;
pub mod graph;
pub mod labels;
pub use error::{Error, Result};
pub mod mining;
pub mod io; pub mod split;
