//! The pattern space of some graphs, explored once and shared by all trainings on them.
//!
//! A grid of settings, or the folds of a cross-validation, needs one census: settings with smaller
//! `max_edges` use a part of it, folds count the classes of their own training graphs.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::mining::Engine;
use crate::mining::dfs_code::MAX_PATTERN_EDGES;
use crate::mining::limits::TrainingLimits;
use crate::mining::{Census, CensusProgress, EmbeddingBudget, edge_set_bound, estimate_edge_sets};

/// Above this many edge sets (estimated), the `auto` engine does not take a census.
const AUTO_CENSUS_ESTIMATED_SETS: f64 = 1.5e8;

/// About what a census takes for each edge set.
const BYTES_PER_EDGE_SET: f64 = 12.0;

/// A census that turns out to have more edge sets (the estimate is from below) is given up by
/// `auto`.
const AUTO_CENSUS_MAX_SETS: u64 = 400_000_000;

/// The share of the memory that a census may take: classes come on top.
const CENSUS_MEMORY_SHARE: f64 = 0.4;

/// A census of more edge sets (estimated) fits hardly any memory: each takes some 20 bytes.
const CENSUS_MAX_ESTIMATED_SETS: f64 = 2e9;

/// Says whether a census may go on.
struct CensusLimits {
    limits: TrainingLimits,
    /// A census may take half of the time.
    until: Option<Instant>,
    max_edge_sets: u64,
    /// The limit that was reached.
    reason: Mutex<Option<&'static str>>,
}

impl CensusLimits {
    fn new(limits: TrainingLimits, engine: Engine) -> CensusLimits {
        let now = Instant::now();
        let until = limits.until.map(|until| now + until.saturating_duration_since(now) / 2);
        let is_chosen = engine == Engine::Census;
        let max_edge_sets = if is_chosen { u64::MAX } else { AUTO_CENSUS_MAX_SETS };
        CensusLimits { limits, until, max_edge_sets, reason: Mutex::default() }
    }

    fn allow(&self, progress: &CensusProgress) -> bool {
        let memory = self.limits.memory;
        let max_bytes = memory.map(|bytes| (bytes as f64 * CENSUS_MEMORY_SHARE) as usize);
        let reason = if self.limits.is_interrupted() {
            "it was interrupted"
        } else if progress.edge_sets > self.max_edge_sets {
            "it has too many edge sets"
        } else if self.limits.patterns.is_some_and(|limit| progress.patterns > limit) {
            "it has too many patterns"
        } else if self.until.is_some_and(|until| Instant::now() >= until) {
            "it would take too much of the time"
        } else if max_bytes.is_some_and(|limit| progress.bytes > limit)
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
    embedding_bytes: Option<usize>,
    limits: TrainingLimits,
    given_up: Option<String>,
    patience: Option<usize>,
    edge_sets: f64,
    seconds: f64,
}

/// Bytes that an exploration may take.
#[derive(Clone, Copy)]
struct MemoryBudget {
    /// In all.
    whole: Option<usize>,
    /// For the embeddings of a frontier.
    embeddings: Option<usize>,
}

impl MemoryBudget {
    /// The edge sets of a census that fits.
    fn edge_sets(self) -> f64 {
        self.whole.map_or(f64::INFINITY, |bytes| bytes as f64 / BYTES_PER_EDGE_SET)
    }
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
        let budget = MemoryBudget { whole: memory, embeddings: memory };
        Exploration::explored(data, max_edges, engine, budget, TrainingLimits::default())
    }

    /// The same within limits of time, memory and patterns, which hold for the trainings, too: one
    /// that reaches a limit ends with a valid model and says what is not proven. A census that
    /// would take more than its share is given up for the bound engine.
    #[must_use]
    pub fn with_limits(
        data: &'d Dataset,
        max_edges: Option<usize>,
        engine: Engine,
        limits: TrainingLimits,
    ) -> Self {
        let budget = MemoryBudget { whole: limits.memory, embeddings: limits.embeddings() };
        Exploration::explored(data, max_edges, engine, budget, limits)
    }

    fn explored(
        data: &'d Dataset,
        max_edges: Option<usize>,
        engine: Engine,
        budget: MemoryBudget,
        limits: TrainingLimits,
    ) -> Self {
        let start = Instant::now();
        let graphs = data.graphs();
        let largest = graphs.iter().map(Graph::edge_count).max().unwrap_or(0);
        let max_size = max_edges.unwrap_or(usize::MAX).min(largest).min(MAX_PATTERN_EDGES);
        let mut edge_sets = match engine {
            Engine::Census => 0.0,
            Engine::Bound | Engine::Auto => estimate_edge_sets(graphs, max_size),
        };
        let takes_census = match engine {
            Engine::Census => true,
            Engine::Bound => false,
            Engine::Auto => edge_sets <= AUTO_CENSUS_ESTIMATED_SETS.min(budget.edge_sets()),
        };
        let census_limits = CensusLimits::new(limits, engine);
        let go_on = |progress: &CensusProgress| census_limits.allow(progress);
        let census = takes_census.then(|| Census::take_while(graphs, max_size, &go_on)).flatten();
        let census = census.map(Arc::new);
        let given_up = census_limits.reason.into_inner().unwrap_or_else(PoisonError::into_inner);
        let given_up = given_up.filter(|_| takes_census && census.is_none());
        if let Some(census) = &census {
            edge_sets = census.edge_sets() as f64;
        }
        Exploration {
            data,
            census,
            max_edges,
            embedding_bytes: budget.embeddings,
            limits,
            given_up: given_up.map(str::to_owned),
            patience: None,
            edge_sets,
            seconds: start.elapsed().as_secs_f64(),
        }
    }

    /// The same where the bound engine searches a node's graphs alone after this many bytes of new
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
    pub fn limits(&self) -> TrainingLimits {
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

    /// Bytes for the embeddings of a frontier.
    pub(crate) fn embedding_bytes(&self) -> Option<usize> {
        self.embedding_bytes
    }

    /// What growing patterns may cost a training.
    pub(crate) fn embedding_budget(&self) -> EmbeddingBudget {
        EmbeddingBudget::within(self.limits.memory.map(|bytes| bytes / 4), self.limits.until)
            .with_interrupt(self.limits.interrupt)
    }

    /// Bytes of new embeddings after which a node's graphs are searched alone, if given.
    pub(crate) fn patience(&self) -> Option<usize> {
        self.patience
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
}

/// Refuses a census that would fill any memory.
///
/// # Errors
/// Names the engine and what to take instead.
pub fn check_census(data: &Dataset, max_edges: Option<usize>, engine: Engine) -> Result<()> {
    let bound = || edge_set_bound(data.graphs(), max_edges.unwrap_or(usize::MAX));
    if engine != Engine::Census || bound() <= CENSUS_MAX_ESTIMATED_SETS {
        return Ok(());
    }
    let largest = data.graphs().iter().map(Graph::edge_count).max().unwrap_or(0);
    let sets = estimate_edge_sets(data.graphs(), max_edges.unwrap_or(largest).min(largest));
    if sets <= CENSUS_MAX_ESTIMATED_SETS {
        return Ok(());
    }
    let reason = format!(
        "a census of some {sets:.0e} edge sets would fill the memory: lower --max-edges or use \
         --engine bound, which gives the same"
    );
    Err(Error::parameter("engine", reason))
}
