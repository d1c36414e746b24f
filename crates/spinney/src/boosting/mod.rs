//! Gradient boosting over the pattern space (paper, sections 2.3 and 4).
//!
//! The data flow is the list of files: [`loss`] gives residuals, `sampling` chooses graphs,
//! `pattern_space` is what is searched, `round_builder` has the trees of a round grown, each by a
//! `tree_grower` (Alg. 2), [`booster`] adds them up and repeats (Alg. 1), for the members of an
//! `ensemble`; `best_round` watches validation graphs, [`record`] says what happened, [`trained`]
//! and `assemble` write the model, `certify` proves its patterns, [`checkpoint`] and `resume` are
//! what a training goes on from. `stumps` takes the stumps of other learners.
//!
//! **Architecture Invariant:** boosting reads no files, prints nothing and knows no chemistry. What
//! stands beside trees (a linear model) or above them (tuning, stacking) is not its matter.

pub(crate) mod assemble;
mod best_round;
pub mod booster;
mod certify;
pub mod checkpoint;
mod ensemble;
pub(crate) mod graph_weights;
pub mod loss;
pub(crate) mod pattern_space;
pub mod record;
mod resume;
mod round_builder;
mod sampling;
mod scored_set;
pub(crate) mod stumps;
pub mod trained;
mod tree_grower;

pub use crate::mining::exploration::Exploration;
pub use crate::mining::limits::TrainingLimits;
pub use crate::params::{Engine, FixedParams, ValidParams};
pub use assemble::data_sha256;
pub use booster::Booster;
pub use checkpoint::{Checkpoint, Identity};
pub use record::{BoostingRecord, Round, StopReason};
pub use trained::{BoostedModel, Trained};
