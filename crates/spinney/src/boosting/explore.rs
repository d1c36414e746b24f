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

/// Graphs and, if the census engine was chosen, their census.
#[derive(Debug)]
pub struct Exploration<'d> {
    data: &'d Dataset,
    census: Option<Census>,
    max_edges: Option<usize>,
    seconds: f64,
}

impl<'d> Exploration<'d> {
    /// Explores the patterns of up to `max_edges` edges in all graphs of `data`, training and
    /// validation alike, as far as the engine does so in advance.
    #[must_use]
    pub fn new(data: &'d Dataset, max_edges: Option<usize>, engine: Engine) -> Self {
        let start = std::time::Instant::now();
        let graphs = data.graphs();
        let largest = graphs.iter().map(Graph::edge_count).max().unwrap_or(0);
        let most = max_edges.unwrap_or(usize::MAX).min(largest).min(MOST_EDGES);
        let counts_out = match engine {
            Engine::Census => true,
            Engine::Bound => false,
            Engine::Auto => estimate_edge_sets(graphs, most) <= CENSUS_LIMIT,
        };
        let census = counts_out.then(|| Census::take(graphs, most));
        Exploration { data, census, max_edges, seconds: start.elapsed().as_secs_f64() }
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
            Some(census) => {
                let space = CensusSpace::new(census, self.data.graphs(), train, &which);
                Box::new(if params.pattern_sample < 1.0 { space } else { space.whole() })
            }
            None => Box::new(BoundSpace::new(self.data.graphs(), train, &which)),
        }
    }
}
