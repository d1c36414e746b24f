//! The pattern space of some training graphs, by the engine that explored.

use crate::mining::classes::Columns;
use crate::mining::exploration::Exploration;
use crate::search::bound_space::BoundSpace;
use crate::search::census_space::CensusSpace;
use crate::search::space::PatternSpace;

/// The space that the graphs `train` are split by; `whole` where every tree may use all classes.
pub(crate) fn of<'s>(
    exploration: &'s Exploration<'_>,
    columns: &Columns,
    whole: bool,
    train: &[u32],
) -> Box<dyn PatternSpace + 's> {
    let graphs = exploration.data().graphs();
    if let Some(census) = exploration.census() {
        let space = CensusSpace::new(census, graphs, train, columns);
        return Box::new(if whole { space.whole() } else { space });
    }
    let space = BoundSpace::new(graphs, train, columns)
        .with_memory(exploration.embedding_bytes())
        .with_budget(exploration.embedding_budget());
    Box::new(match exploration.patience() {
        Some(bytes) => space.with_patience(bytes),
        None => space,
    })
}
