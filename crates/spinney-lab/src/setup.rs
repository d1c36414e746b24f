//! What an experiment is run with.

use std::time::Duration;

use crate::ledger::Ledger;
use crate::rivals::environment::Environment;

/// Where an experiment keeps its results, how large it is, and whom it compares with.
pub struct Setup<'l> {
    /// Results so far.
    pub ledger: &'l Ledger,
    /// A small part only.
    pub quick: bool,
    /// The rivals' environment, or why there is none.
    pub rivals: std::result::Result<Environment, String>,
    /// The time of a rival on a data set, or of a point of a figure.
    pub limit: Duration,
    /// Called after each result, with its name.
    pub done: &'l (dyn Fn(&str) + Sync),
}
