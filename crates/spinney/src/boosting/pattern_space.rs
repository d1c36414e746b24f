//! The pattern space that trees of given parameters search.
//!
//! **Invariant.** A function of the graphs and of parameters that tuning leaves alone.

use crate::mining::classes::Columns;
use crate::mining::dfs_code::MAX_PATTERN_EDGES;
use crate::mining::exploration::Exploration;
use crate::params::FixedParams;
use crate::search::space::PatternSpace;
use crate::search::spaces;

/// The columns that trees of these parameters may split by.
pub(crate) fn columns(params: &FixedParams, train: usize) -> Columns {
    let smallest_leaf = params.min_samples_leaf as u32;
    Columns {
        max_edges: params.max_edges.unwrap_or(MAX_PATTERN_EDGES),
        min_support: params.min_support as u32,
        count_levels: params.count_levels as u32,
        vertices: params.vertices,
        min_class_graphs: smallest_leaf,
        max_class_graphs: (train as u32).saturating_sub(smallest_leaf),
    }
}

/// The pattern space of the training graphs, as the parameters sample it.
pub(crate) fn space<'s>(
    exploration: &'s Exploration<'_>,
    params: &FixedParams,
    train: &[u32],
) -> Box<dyn PatternSpace + 's> {
    let used = spaces::Use::of_share(params.pattern_sample);
    spaces::of(exploration, &columns(params, train.len()), used, train)
}
