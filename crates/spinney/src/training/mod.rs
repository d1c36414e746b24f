//! The way from data to model.

pub mod cross_validation;
