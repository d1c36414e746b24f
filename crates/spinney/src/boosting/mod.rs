//! Gradient boosting over the pattern space (paper, sections 2.3 and 4).
//!
//! The data flow is the list of files: [`params`] are checked, [`explore`] finds the patterns once,
//! [`loss`] gives residuals, `sampling` chooses graphs, `builder` has the trees of a round grown,
//! each by a `grower`, [`mod@fit`] adds them up
//! and repeats, [`record`] says what happened, `assemble` writes the model, [`checkpoint`] what a
//! training goes on from, [`cv`] does it fold by fold. [`sharing`] adds models of several targets up, as `weighing`
//! says. [`stumps`] takes the stumps of other learners.
//!
//! **Architecture Invariant:** boosting reads no files, prints nothing and knows no chemistry.

pub(crate) mod assemble;
pub mod booster;
mod certify;
pub mod checkpoint;
pub mod loss;
pub mod record;
mod round_builder;
mod sampling;
mod scored_set;
pub mod stumps;
mod tree_grower;

pub use crate::mining::exploration::Exploration;
pub use crate::params::{Engine, Params, ValidParams};
pub use crate::search::stop::Limits;
pub use assemble::data_sha256;
pub use booster::{Booster, Fit, Trained, fit};
pub use checkpoint::{Cells, Checkpoint, Identity};
pub use record::{Record, Round, StopReason};
