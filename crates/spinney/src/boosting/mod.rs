//! Gradient boosting over the pattern space (paper, sections 2.3 and 4).
//!
//! The data flow is the list of files: [`params`] are checked, [`explore`] finds the patterns once,
//! [`loss`] gives residuals, `sampling` chooses graphs, `planter` has the trees of a round grown,
//! each by a `grower`, [`mod@fit`] adds them up
//! and repeats, [`record`] says what happened, `assemble` writes the model, [`checkpoint`] what a
//! training goes on from, [`cv`] does it fold by fold. [`sharing`] adds models of several targets up, as `weighing`
//! says. [`stumps`] takes the stumps of other learners.
//!
//! **Architecture Invariant:** boosting reads no files, prints nothing and knows no chemistry.

pub mod advice;
mod assemble;
mod certify;
pub mod checkpoint;
mod coordinate;
pub mod cv;
pub mod explore;
pub mod fit;
mod grower;
mod linear;
pub mod loss;
pub mod params;
mod planter;
pub mod record;
pub mod rounds;
mod sampling;
pub mod sharing;
mod side;
pub mod stumps;
pub mod trial;
mod weighing;

pub use crate::split::brake::Limits;
pub use assemble::data_sha256;
pub use checkpoint::{Cells, Checkpoint, Identity};
pub use explore::Exploration;
pub use fit::{Booster, Fit, Trained, fit};
pub use params::{Engine, Params, ValidParams};
pub use record::{Record, Round, StopReason};
