//! What a model learned and why it predicts what it predicts, on one self-contained page.
//!
//! [`report`] is about a whole model, [`explanation`] about one prediction. Pages are made of
//! [`maud`] templates, which escape every text; plots by [`plot`], drawings by `spinney-chem`; the
//! style and the script are files in `assets`, ours and without a build step.
//!
//! **Architecture Invariant:** nothing here trains; pages hold no address of another machine, and a
//! policy in their head forbids the browser to ask for one.

pub mod curves;
pub mod evaluation;
pub mod explanation;
mod page;
pub mod plot;
pub mod report;
pub mod sample;

pub use evaluation::Evaluation;
pub use explanation::Explanation;
pub use report::Report;
pub use sample::Sample;
