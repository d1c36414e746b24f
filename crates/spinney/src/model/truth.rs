//! Targets as a task understands them.

use super::Task;
use crate::dataset::Dataset;
use crate::error::Result;

/// What is true of some graphs.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth {
    /// Class indices.
    Classes(Vec<u32>),
    /// Numbers.
    Numbers(Vec<f64>),
}

impl Truth {
    /// The targets of `data` as `task` understands them.
    ///
    /// # Errors
    /// If a target is missing or does not fit the task.
    pub fn of(data: &Dataset, task: &Task) -> Result<Truth> {
        match task {
            Task::Regression => data.numbers().map(Truth::Numbers),
            _ => data.classes(task.classes()).map(Truth::Classes),
        }
    }
}
