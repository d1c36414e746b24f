//! The pattern space of some graphs, explored once and shared by all trainings on them.
//!
//! A grid of settings, or the folds of a cross-validation, needs one census: settings with smaller
//! `max_edges` use a part of it, folds count the classes of their own training graphs.

use super::params::{Engine, ValidParams};
use crate::dataset::Dataset;
use crate::graph::Graph;
use crate::mining::classes::Columns;
use crate::mining::dfs_code::MOST_EDGES;
use crate::mining::{Census, estimate_edge_sets};
use crate::split::space::{BoundSpace, CensusSpace, PatternSpace};

/// Above this many edge sets (estimated), the `auto` engine does not take a census.
const CENSUS_LIMIT: f64 = 1.5e8;

/// About what a census takes for each edge set.
const BYTES_AN_EDGE_SET: f64 = 12.0;

/// Graphs and, if the census engine was chosen, their census.
#[derive(Debug)]
pub struct Exploration<'d> {
    data: &'d Dataset,
    census: Option<Census>,
    max_edges: Option<usize>,
    memory: Option<usize>,
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
        let start = std::time::Instant::now();
        let graphs = data.graphs();
        let largest = graphs.iter().map(Graph::edge_count).max().unwrap_or(0);
        let most = max_edges.unwrap_or(usize::MAX).min(largest).min(MOST_EDGES);
        let mut edge_sets = match engine {
            Engine::Census => 0.0,
            Engine::Bound | Engine::Auto => estimate_edge_sets(graphs, most),
        };
        let limit = memory.map_or(f64::INFINITY, |bytes| bytes as f64 / BYTES_AN_EDGE_SET);
        let counts_out = match engine {
            Engine::Census => true,
            Engine::Bound => false,
            Engine::Auto => edge_sets <= CENSUS_LIMIT.min(limit),
        };
        let census = counts_out.then(|| Census::take(graphs, most));
        if let Some(census) = &census {
            edge_sets = census.edge_sets() as f64;
        }
        let seconds = start.elapsed().as_secs_f64();
        Exploration { data, census, max_edges, memory, patience: None, edge_sets, seconds }
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

    /// The census, if one was taken.
    #[must_use]
    pub fn census(&self) -> Option<&Census> {
        self.census.as_ref()
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

    /// The space that the training graphs `train` are split by.
    pub(super) fn space<'s>(
        &'s self,
        params: &ValidParams,
        train: &[u32],
    ) -> Box<dyn PatternSpace + 's> {
        let least = params.min_samples_leaf as u32;
        let most = (train.len() as u32).saturating_sub(least);
        let which = Columns {
            max_edges: params.max_edges.unwrap_or(MOST_EDGES),
            min_support: params.min_support as u32,
            count_levels: params.count_levels as u32,
            vertices: params.vertices,
            useful: (least, most),
        };
        match &self.census {
            Some(census) if params.pattern_sample >= 1.0 => {
                Box::new(CensusSpace::new(census, self.data.graphs(), train, &which).whole())
            }
            _ => self.columns(&which, train),
        }
    }

    /// The columns of the training graphs `train`, for learners other than the booster.
    #[must_use]
    pub fn columns<'s>(&'s self, which: &Columns, train: &[u32]) -> Box<dyn PatternSpace + 's> {
        match &self.census {
            Some(census) => Box::new(CensusSpace::new(census, self.data.graphs(), train, which)),
            None => {
                let space = BoundSpace::new(self.data.graphs(), train, which);
                let space = space.with_memory(self.memory);
                Box::new(match self.patience {
                    Some(bytes) => space.with_patience(bytes),
                    None => space,
                })
            }
        }
    }
}
