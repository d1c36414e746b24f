//! What stands beside the trees, and how scores of several models are combined.
//!
//! `linear` is a linear model of fragments, fitted by `coordinate_descent`, which
//! `linear_booster` puts beside trees; `workspace` is what tuning and training share; `weights`
//! finds the weights of a sum of scores; [`multi_task`] stacks the models of several targets.
//!
//! **Architecture Invariant:** trainings come in as functions or as their scores; nothing here runs
//! one.

mod coordinate_descent;
pub(crate) mod linear;
pub(crate) mod linear_booster;
pub mod multi_task;
pub(crate) mod weights;
pub(crate) mod workspace;
