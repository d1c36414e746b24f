//! placeholder
pub mod dataset;
pub mod error;
pub mod graph;
pub mod labels;
pub use error::{Error, Result};
