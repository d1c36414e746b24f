//! Prepared graphs with their census: what all trainings on the same graphs share.

use serde_json::Value;

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::mining::exploration::{Exploration, check_census};
use crate::representation::{CovariateColumns, Representation};
use crate::tuning::automatic;

use super::{Observer, Phase, Request};

/// Graphs as learning sees them, and how they were made.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The graphs.
    pub data: Dataset,
    /// What a model keeps of how they were made, for prediction.
    pub representation: Option<Value>,
}

impl Prepared {
    /// Fits `representation` to all graphs of `raw` and applies it. No targets are used.
    ///
    /// # Errors
    /// If the columns do not fit the graphs.
    pub fn new(
        raw: &Dataset,
        columns: &CovariateColumns,
        measures: bool,
        representation: &mut impl Representation,
    ) -> Result<Prepared> {
        representation.fit(raw, columns, measures);
        let data = representation.apply(raw, &columns.values)?;
        Ok(Prepared { data, representation: representation.to_json() })
    }

    /// The same graphs with other targets; the graphs are shared.
    ///
    /// # Errors
    /// If there is not one target a graph.
    pub fn with_targets(&self, targets: Vec<Option<String>>) -> Result<Prepared> {
        let data = self.data.clone().with_targets(targets)?;
        Ok(Prepared { data, representation: self.representation.clone() })
    }
}

/// Prepared graphs with their census.
#[derive(Debug)]
pub struct Explored<'d> {
    pub(super) exploration: Exploration<'d>,
    pub(super) representation: Option<&'d Value>,
    /// The most edges of a pattern where that is left to the data.
    pub(super) automatic_max_edges: Option<usize>,
}

impl<'d> Explored<'d> {
    /// Explores the patterns of all graphs, as far as any of the requests, which differ in
    /// parameters only, needs them. The limits of the first one hold from here on.
    ///
    /// # Errors
    /// If a parameter is out of range, a census is asked for that fits no memory, or the caller
    /// interrupts the exploration.
    pub fn new(
        prepared: &'d Prepared,
        requests: &[Request],
        observer: &dyn Observer,
    ) -> Result<Explored<'d>> {
        let Some(first) = requests.first() else {
            return Err(Error::data("there is nothing to train: no setting is given"));
        };
        let data = &prepared.data;
        for request in requests {
            request.params.check()?;
        }
        let is_open = requests.iter().any(|request| request.given_max_edges().is_auto());
        let automatic_max_edges = is_open.then(|| automatic::affordable_edges(data));
        let given = |r: &Request| *r.given_max_edges().given().unwrap_or(&automatic_max_edges);
        let is_unlimited = requests.iter().any(|request| given(request).is_none());
        let largest = requests.iter().filter_map(given).max().filter(|_| !is_unlimited);
        check_census(data, largest, first.engine)?;
        observer.phase(Phase::Exploring);
        let exploration = Exploration::with_limits(data, largest, first.engine, first.limits);
        if first.limits.is_interrupted() {
            return Err(Error::interrupted("interrupted while patterns were explored"));
        }
        let representation = prepared.representation.as_ref();
        Ok(Explored { exploration, representation, automatic_max_edges })
    }

    /// The same graphs with other targets (or none), which share the census. `prepared` must come
    /// from [`Prepared::with_targets`].
    #[must_use]
    pub fn with_targets<'t>(&self, prepared: &'t Prepared) -> Explored<'t> {
        Explored {
            exploration: self.exploration.with_targets_of(&prepared.data),
            representation: prepared.representation.as_ref(),
            automatic_max_edges: self.automatic_max_edges,
        }
    }

    /// The graphs.
    #[must_use]
    pub fn data(&self) -> &'d Dataset {
        self.exploration.data()
    }

    /// What was explored.
    #[must_use]
    pub fn exploration(&self) -> &Exploration<'d> {
        &self.exploration
    }
}
