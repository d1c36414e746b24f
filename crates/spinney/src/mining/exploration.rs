//! The pattern space of some graphs, explored once and shared by all trainings on them.
//!
//! A grid of settings, or the folds of a cross-validation, needs one census: settings with smaller
//! `max_edges` use a part of it, folds count the classes of their own training graphs.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::mining::classes::Columns;
use crate::mining::dfs_code::MOST_EDGES;
use crate::mining::{Census, EmbeddingBudget, Progress, estimate_edge_sets, most_edge_sets};
use crate::params::Engine;
use crate::search::space::{BoundSpace, CensusSpace, PatternSpace};
use crate::search::stop::Limits;

/// Above this many edge sets (estimated), the `auto` engine does not take a census.
const CENSUS_LIMIT: f64 = 1.5e8;

/// About what a census takes for each edge set.
const BYTES_AN_EDGE_SET: f64 = 12.0;

/// A census of so many edge sets after all (the estimate is from below) is given up by `auto`.
const CENSUS_MOST: u64 = 400_000_000;

/// The share of the memory that a census may take: classes come on top.
const CENSUS_SHARE: f64 = 0.4;

/// Says whether a census may go on.
struct Gauge {
    limits: Limits,
    /// A census may take half of the time.
    until: Option<Instant>,
    most_sets: u64,
    reason: Mutex<Option<&'static str>>,
}

impl Gauge {
    fn new(limits: Limits, engine: Engine) -> Gauge {
        let now = Instant::now();
        let until = limits.until.map(|until| now + until.saturating_duration_since(now) / 2);
        let most_sets = if engine == Engine::Census { u64::MAX } else { CENSUS_MOST };
        Gauge { limits, until, most_sets, reason: Mutex::default() }
    }

    fn allows(&self, progress: &Progress) -> bool {
        let most_bytes = self.limits.memory.map(|bytes| (bytes as f64 * CENSUS_SHARE) as usize);
        let reason = if progress.edge_sets > self.most_sets {
            "it has too many edge sets"
        } else if self.limits.patterns.is_some_and(|most| progress.patterns > most) {
            "it has too many patterns"
        } else if self.until.is_some_and(|until| Instant::now() >= until) {
            "it would take too much of the time"
        } else if most_bytes.is_some_and(|most| progress.bytes > most)
            || self.limits.is_full(progress.bytes)
        {
            "it would take too much of the memory"
        } else {
            return true;
        };
        *self.reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
        false
    }
}

/// Graphs and, if the census engine was chosen, their census.
#[derive(Debug)]
pub struct Exploration<'d> {
    data: &'d Dataset,
    census: Option<Arc<Census>>,
    max_edges: Option<usize>,
    /// Bytes for the embeddings of a frontier.
    memory: Option<usize>,
    limits: Limits,
    given_up: Option<String>,
    patience: Option<usize>,
    edge_sets: f64,
    seconds: f64,
}

impl<'d> Exploration<'d> {
    /// Explores the patterns of up to `max_edges` edges in all graphs of `data`, training and
    /// validation alike, as far as the engine does so in advance.
    #[must_use]
    pub fn new(data: &'d Dataset, max_edges: Option<usize>, engine: Engine) -> Self {
        Exploration::within(data, max_edges, engine, None)
    }

    /// The same within some `memory`, in bytes: the bound engine holds the embeddings of its
    /// frontier within it (what does not fit is found again when needed), and `auto` takes no
    /// census that would be larger. Results do not depend on it.
    #[must_use]
    pub fn within(
        data: &'d Dataset,
        max_edges: Option<usize>,
        engine: Engine,
        memory: Option<usize>,
    ) -> Self {
        let limit = memory.map_or(f64::INFINITY, |bytes| bytes as f64 / BYTES_AN_EDGE_SET);
        Exploration::explored(data, max_edges, engine, (limit, memory, Limits::default()))
    }

    /// The same within limits of time, memory and patterns, which hold for the trainings, too: one
    /// that reaches a limit ends with a valid model and tells what is not proven. A census that would
    /// take more than its share is given up for the bound engine.
    #[must_use]
    pub fn with_limits(
        data: &'d Dataset,
        max_edges: Option<usize>,
        engine: Engine,
        limits: Limits,
    ) -> Self {
        let memory = limits.memory;
        let limit = memory.map_or(f64::INFINITY, |bytes| bytes as f64 / BYTES_AN_EDGE_SET);
        Exploration::explored(data, max_edges, engine, (limit, limits.embeddings(), limits))
    }

    fn explored(
        data: &'d Dataset,
        max_edges: Option<usize>,
        engine: Engine,
        (limit, memory, limits): (f64, Option<usize>, Limits),
    ) -> Self {
        let start = Instant::now();
        let graphs = data.graphs();
        let largest = graphs.iter().map(Graph::edge_count).max().unwrap_or(0);
        let most = max_edges.unwrap_or(usize::MAX).min(largest).min(MOST_EDGES);
        let mut edge_sets = match engine {
            Engine::Census => 0.0,
            Engine::Bound | Engine::Auto => estimate_edge_sets(graphs, most),
        };
        let counts_out = match engine {
            Engine::Census => true,
            Engine::Bound => false,
            Engine::Auto => edge_sets <= CENSUS_LIMIT.min(limit),
        };
        let gauge = Gauge::new(limits, engine);
        let go_on = |progress: &Progress| gauge.allows(progress);
        let census = counts_out.then(|| Census::take_while(graphs, most, &go_on)).flatten();
        let census = census.map(Arc::new);
        let given_up = gauge.reason.into_inner().unwrap_or_else(PoisonError::into_inner);
        let given_up = given_up.filter(|_| counts_out && census.is_none());
        if let Some(census) = &census {
            edge_sets = census.edge_sets() as f64;
        }
        let seconds = start.elapsed().as_secs_f64();
        let patience = None;
        Exploration {
            data,
            census,
            max_edges,
            memory,
            limits,
            given_up: given_up.map(str::to_owned),
            patience,
            edge_sets,
            seconds,
        }
    }

    /// The same where the bound engine searches a node's graphs alone after so many bytes of new
    /// embeddings. Results do not depend on it.
    #[must_use]
    pub fn with_patience(mut self, bytes: usize) -> Self {
        self.patience = Some(bytes);
        self
    }

    /// The connected edge sets of all graphs, up to the most edges of a pattern: counted by a
    /// census, else estimated, and then rather too few (see [`estimate_edge_sets`]). Each is an
    /// occurrence of some pattern: the whole that an exploration is compared with.
    #[must_use]
    pub fn edge_sets(&self) -> f64 {
        self.edge_sets
    }

    /// The same graphs with other targets, which share the census.
    #[must_use]
    pub fn with_targets_of<'t>(&self, data: &'t Dataset) -> Exploration<'t> {
        debug_assert_eq!(data.len(), self.data.len());
        Exploration { data, census: self.census.clone(), given_up: self.given_up.clone(), ..*self }
    }

    /// The data explored.
    #[must_use]
    pub fn data(&self) -> &'d Dataset {
        self.data
    }

    /// The engine in use: never [`Engine::Auto`].
    #[must_use]
    pub fn engine(&self) -> Engine {
        if self.census.is_some() { Engine::Census } else { Engine::Bound }
    }

    /// The limits that hold for trainings.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Why a census was begun and given up, if it was.
    #[must_use]
    pub fn census_given_up(&self) -> Option<&str> {
        self.given_up.as_deref()
    }

    /// The census, if one was taken.
    #[must_use]
    pub fn census(&self) -> Option<&Census> {
        self.census.as_deref()
    }

    /// Seconds that the exploration took.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Whether patterns of up to `max_edges` edges are covered.
    #[must_use]
    pub fn covers(&self, max_edges: Option<usize>) -> bool {
        match (self.max_edges, max_edges) {
            (None, _) => true,
            (Some(have), Some(want)) => want <= have,
            (Some(_), None) => false,
        }
    }

    /// The columns of the training graphs `train`, for learners other than the booster.
    #[must_use]
    pub fn columns<'s>(&'s self, which: &Columns, train: &[u32]) -> Box<dyn PatternSpace + 's> {
        match &self.census {
            Some(census) => Box::new(CensusSpace::new(census, self.data.graphs(), train, which)),
            None => {
                let space = BoundSpace::new(self.data.graphs(), train, which);
                let bytes = self.limits.memory.map(|bytes| bytes / 4);
                let ration = EmbeddingBudget::within(bytes, self.limits.until);
                let space = space.with_memory(self.memory).with_budget(ration);
                Box::new(match self.patience {
                    Some(bytes) => space.with_patience(bytes),
                    None => space,
                })
            }
        }
    }
}

/// A census of more edge sets (estimated) fits few memories: each takes some 20 bytes.
const MAX_CENSUS_EDGE_SETS: f64 = 2e9;

/// Refuses a census that would fill any memory.
///
/// # Errors
/// Names the engine and what to take instead.
pub fn check_census(data: &Dataset, max_edges: Option<usize>, engine: Engine) -> Result<()> {
    let most = || most_edge_sets(data.graphs(), max_edges.unwrap_or(usize::MAX));
    if engine != Engine::Census || most() <= MAX_CENSUS_EDGE_SETS {
        return Ok(());
    }
    let largest = data.graphs().iter().map(Graph::edge_count).max().unwrap_or(0);
    let sets = estimate_edge_sets(data.graphs(), max_edges.unwrap_or(largest).min(largest));
    if sets <= MAX_CENSUS_EDGE_SETS {
        return Ok(());
    }
    let reason = format!(
        "a census of some {sets:.0e} edge sets would fill the memory: lower --max-edges or use \
         --engine bound, which gives the same"
    );
    Err(Error::parameter("engine", reason))
}
