//! Spinney learns gradient-boosted trees whose every split asks "does this graph contain this
//! subgraph?", searching **all** connected subgraphs of the training graphs for the best question.
//!
//! It carries out Shirakawa, Yokoyama, Okazaki and Takigawa, *Jointly learning relevant subgraph
//! patterns and nonlinear models of their indicators* (MLG 2018).
//!
//! # Quickstart
//!
//! ```
//! use spinney::{Params, Request, demo, fit};
//!
//! # fn main() -> spinney::Result<()> {
//! // 1,035 small graphs whose class no linear model of subgraph indicators separates.
//! let data = demo::graph_xor();
//! let params = Params {
//!     max_edges: Some(2).into(),
//!     depth: 2.into(),
//!     learning_rate: 0.7,
//!     trees: 100.into(),
//!     ..Params::paper()
//! };
//! let outcome = fit(&data, &Request::paper().with_params(params))?;
//!
//! let metrics = outcome.model.evaluate(&data)?;
//! println!("{metrics:?}, {} patterns", outcome.model.patterns().len());
//!
//! // The model is one JSON text; it needs nothing else.
//! let again = spinney::Model::from_json(&outcome.model.to_json()).expect("an intact model");
//! assert_eq!(again.predict(&data), outcome.model.predict(&data));
//! # Ok(())
//! # }
//! ```
//!
//! Read graphs from files with [`io::read`]; [`fit`] with `Request::default()` gives the program's
//! default model. [`training`] shares a census among folds, settings and targets, cross-validates,
//! shows progress and stops.

pub mod boosting;
pub mod dataset;
pub mod demo;
pub mod error;
pub mod evaluation;
pub mod gboost;
pub mod graph;
pub mod io;
pub mod labels;
mod math;
pub mod mining;
pub mod model;
pub mod params;
mod random;
pub mod representation;
pub mod search;
pub mod stacking;
pub mod training;
pub mod tuning;

pub use dataset::Dataset;
pub use error::{Error, Result};
pub use evaluation::Metric;
pub use model::Model;
pub use params::{Engine, Params, Preset};
pub use training::{Outcome, Request, fit};

/// The README's example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
