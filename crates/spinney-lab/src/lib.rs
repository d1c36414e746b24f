//! The paper's experiments, and the learners that it is compared with.
//!
//! Not published. [`gboost`] is the linear learner of subgraph stumps that the paper sets its own
//! against.

pub mod gboost;
