//! What a model learned and why it says what it says, on one page that needs nothing else.
//!
//! [`report`] tells of a whole model, [`explanation`] of one prediction. Pages are made of [`maud`]
//! templates, which escape every text; plots by [`plot`], drawings by `spinney-chem`; the style and the
//! script are files in `assets`, ours and without a build step.
//!
//! **Architecture Invariant:** nothing here trains; pages hold no address of another machine, and a
//! policy in their head forbids the browser to ask for one.

pub mod curves;
pub mod explanation;
mod page;
pub mod plot;
pub mod report;
pub mod sample;
pub mod trial;

pub use explanation::Explanation;
pub use report::Report;
pub use sample::Sample;
pub use trial::Trial;
