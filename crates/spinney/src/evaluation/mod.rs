//! How good predictions are: metrics, folds, comparison. There is no training here.

pub mod folds;
pub mod metrics;
pub mod predictions;

pub use folds::{Folds, Split};
pub use metrics::Metric;
pub use predictions::Truth;
