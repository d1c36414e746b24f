//! The best question to ask at a node: exact, over all patterns.
//!
//! - `space` is what an engine has explored: a `census_space`, a `bound_space` or a
//!   `shared_space`; `spaces` makes the one of an exploration, `simplest` is the column that stands
//!   for a class.
//! - [`samples`] turns gradients into integers, [`gain`] scores a split, `stop` ends searches.
//! - `histogram` holds the sums of every class (`packed`: in 8 bytes), `blocks` their rows,
//!   stored as differences between like classes (`neighbors`), `class_sample` the classes that a
//!   tree may use, `node_rows` those that may divide a node, `small` the nodes whose classes are
//!   words of bits.
//! - `best_split` puts them together. `frontier_search` explores where `bound` leaves
//!   something to be found, `node_search` and `node_extreme` search one node's graphs alone.
//!
//! **Architecture Invariant:** search knows patterns and numbers: no losses, no chemistry.

pub(crate) mod best_split;
pub(crate) mod blocks;
pub(crate) mod bound;
pub(crate) mod bound_space;
pub(crate) mod census_space;
pub(crate) mod class_sample;
mod frontier_search;
pub mod gain;
pub(crate) mod histogram;
mod neighbors;
mod node_extreme;
pub(crate) mod node_rows;
mod node_search;
pub(crate) mod packed;
pub mod samples;
pub(crate) mod shared_space;
pub(crate) mod simplest;
pub(crate) mod small;
pub(crate) mod space;
pub(crate) mod spaces;
pub(crate) mod stop;
