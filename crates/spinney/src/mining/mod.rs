//! Which connected patterns occur where.
//!
//! Two explorations of the same space, chosen by its size:
//! - [`census`]: every connected edge set of every graph, named by an invariant hash. The whole
//!   space up to `max_edges`, at once.
//! - the *enumeration tree* of gSpan: [`visit()`] walks it with a visitor that can prune;
//!   `tree` grows it where asked and remembers it.
//!
//! A few graphs are walked without keeping anything by `guided_search`. `fragments` are the
//! small patterns and the neighbourhoods that a linear model weighs.
//!
//! [`dfs_code`] and `canonical` say what a pattern's name is; `extend` is one step down the
//! tree; [`classes`] groups patterns that no split separates.
//!
//! **Architecture Invariant:** mining knows graphs only: no targets, no losses, no trees of a
//! model.

mod bounded_walk;
pub(crate) mod canonical;
pub mod census;
pub mod classes;
mod collect;
mod columns;
pub mod dfs_code;
mod embedding_budget;
mod engine;
pub mod exploration;
mod extend;
mod flat;
mod fragments;
mod grow;
pub(crate) mod guided_search;
mod interrupt;
mod join;
pub(crate) mod levels;
pub mod limits;
mod loaded_code;
pub mod mine;
mod minimal;
mod positions;
mod rows;
pub(crate) mod strata;
mod top;
mod tree;
mod visit;

pub use engine::Engine;

pub use canonical::{Canonical, Canonizer};
pub(crate) use census::estimate::edge_set_bound;
pub use census::estimate::estimate_edge_sets;
pub use census::{Census, CensusProgress, PatternId};
pub use dfs_code::{DfsCode, DfsEdge};
pub use embedding_budget::EmbeddingBudget;
pub use fragments::Fragments;
pub use interrupt::InterruptFlag;
pub use join::Embeddings;
pub use mine::{Mined, PatternCounts, Wanted, mine};
pub use tree::{EnumerationTree, NodeId};
pub use visit::{Next, PatternLimits, Visit, visit};
