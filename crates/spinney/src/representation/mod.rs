//! What learning sees of graphs: several views of their labels, and numbers beside them.
//!
//! **Invariant.** A representation is fitted to all graphs of a file (or a training), without their
//! targets, and applied to any: training graphs, held-out ones, and those to be predicted.

pub mod covariates;
pub mod views;

use std::borrow::Cow;

use serde_json::Value;

use crate::dataset::Dataset;
use crate::error::Result;
use covariates::Covariates;

/// Numbers that are given beside graphs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CovariateColumns {
    /// The name of each column.
    pub names: Vec<String>,
    /// `values[column][graph]`, NaN where one is missing.
    pub values: Vec<Vec<f64>>,
}

/// How graphs are made of those that were read. Graphs and molecules have one each; a model keeps
/// it as JSON.
pub trait Representation {
    /// The graphs in their views, without covariates.
    fn views<'d>(&self, data: &'d Dataset) -> Cow<'d, Dataset>;

    /// The number of copies of each graph, one a view.
    fn copies(&self) -> usize;

    /// The numbers beside graphs.
    fn covariates(&self) -> &Covariates;

    /// Replaces the numbers beside graphs.
    fn set_covariates(&mut self, covariates: Covariates);

    /// As a model keeps it; nothing where graphs stay as they are.
    fn to_json(&self) -> Option<Value>;

    /// Learns the cuts of covariates: of the given columns and, with `measures`, of what is
    /// measured on the graphs.
    fn fit(&mut self, data: &Dataset, columns: &CovariateColumns, measures: bool) {
        let given = Covariates::learn(&columns.names, &columns.values);
        let fitted = match measures {
            true => given.with_measures(&self.views(data), self.copies()),
            false => given,
        };
        self.set_covariates(fitted);
    }

    /// The graphs as learning sees them; `values` are those of the given covariates, by column.
    ///
    /// # Errors
    /// If there is not one value a graph and covariate.
    fn apply(&self, data: &Dataset, values: &[Vec<f64>]) -> Result<Dataset> {
        let viewed = self.views(data);
        match self.covariates().is_empty() {
            true => Ok(viewed.into_owned()),
            false => self.covariates().apply(&viewed, self.copies(), values),
        }
    }
}
