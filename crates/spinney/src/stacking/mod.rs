//! What stands beside the trees, and how scores of several models are combined.
//!
//! [`linear`] is a linear model of fragments, fitted by [`coordinate_descent`]; [`weights`] finds the
//! weights of a sum of scores; [`multi_task`] stacks the models of several targets.

mod coordinate_descent;
pub(crate) mod linear;
pub mod multi_task;
pub(crate) mod weights;
