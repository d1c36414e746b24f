//! The one way from data to model.
//!
//! 1. A [`Representation`](crate::representation::Representation) makes [`Prepared`] graphs of what
//!    was read.
//! 2. [`Explored`] takes the census of them once, for all trainings that share the graphs: settings
//!    of a grid, folds, targets.
//! 3. [`train`] does what a [`Request`] asks for on a [`Split`](crate::evaluation::Split):
//!    automatic defaults, tuning, boosting, the linear member, the certified model. An [`Observer`]
//!    sees every step and may stop it; an [`Outcome`] is what comes of it.
//!
//! [`cross_validation`] and [`nested`] are made of such trainings, fold by fold, and so are the
//! [out-of-fold scores](out_of_fold) by which targets are [stacked](targets).
//!
//! **Invariant.** The same data, request and split give the same model for every caller: the
//! program, Python, a fold of a cross-validation, a report, [`fit`]. The label
//! dictionary, the cuts of covariates and automatic sizes use no targets and come from all graphs,
//! held-out ones included; the meaning of the target column (its classes) is asked of the whole
//! column; everything else that uses targets sees the training graphs alone.
//!
//! **Architecture Invariant:** nothing but this module, tuning and tests calls the booster.

pub mod budget;
mod checkpoint_file;
pub mod cross_validation;
mod explored;
mod fold_store;
pub mod nested;
mod observer;
pub mod out_of_fold;
mod outcome;
mod recipe;
mod request;
pub mod targets;

pub use budget::Budget;
pub use checkpoint_file::{CheckpointFile, WritePace};
pub use explored::{Explored, Prepared};
pub use fold_store::FoldStore;
pub use observer::{Observer, Phase, Silent};
pub use outcome::{GboostRecord, Outcome, TrainingRecord};
pub use recipe::{Job, fit, train};
pub use request::{GboostOptions, Method, Request, TargetMeaning};
