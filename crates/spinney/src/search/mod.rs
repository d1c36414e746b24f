//! The best question to ask at a node: exact, over all patterns.
//!
//! [`samples`] turns gradients into integers, [`gain`] scores a split, [`histogram`] holds the sums
//! of every class ([`packed`]: in 8 bytes), [`blocks`] their rows, told by the differences between
//! like classes, [`view`] the classes that a tree may use, [`bound`] says what cannot win, [`space`] is what an engine has explored, and [`search`] puts them together.
//!
//! **Architecture Invariant:** split knows patterns and numbers: no losses, no chemistry.

pub mod best_split;
pub mod blocks;
pub mod bound;
pub mod class_sample;
pub mod gain;
pub mod histogram;
mod neighbors;
mod node_search;
pub mod packed;
pub mod samples;
pub mod small;
pub mod space;
pub(crate) mod spaces;
pub mod stop;
