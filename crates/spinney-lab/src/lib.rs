//! The paper's experiments, and the learners that it is compared with.
//!
//! Not published. [`rivals`] are the other packages; [`xor`], [`qsar`] and [`scalability`] are the
//! experiments. gBoost, the linear learner of subgraph stumps that the paper sets its own against,
//! is in the library ([`spinney::gboost`]). An experiment is run with a [`setup`], keeps its
//! results cell by cell in a [`ledger`], so that it can be stopped and go on, and shows them on a
//! [`page`] of [`table`]s and plots.

pub mod choose;
pub mod ledger;
pub mod page;
pub mod qsar;
pub mod rivals;
pub mod scalability;
pub mod setup;
pub mod table;
pub mod xor;
