//! The best question to ask at a node: exact, over all patterns.
//!
//! [`samples`] turns gradients into integers, [`gain`] scores a split, [`histogram`] holds the sums
//! of every class, [`view`] the classes that a tree may use, [`bound`] says what cannot win,
//! [`space`] is what an engine has explored, and [`search`] puts them together.
//!
//! **Architecture Invariant:** split knows patterns and numbers: no losses, no chemistry.

pub mod bound;
pub mod gain;
pub mod histogram;
pub mod samples;
pub mod search;
pub mod space;
pub mod view;
