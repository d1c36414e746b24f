//! The pattern space of some training graphs, by the engine that explored.

use crate::mining::classes::Columns;
use crate::mining::exploration::Exploration;
use crate::search::space::{CensusSpace, PatternSpace};

/// The space that the graphs `train` are split by; `whole` where every tree may use all classes.
pub(crate) fn of<'s>(
    exploration: &'s Exploration<'_>,
    columns: &Columns,
    whole: bool,
    train: &[u32],
) -> Box<dyn PatternSpace + 's> {
    match exploration.census() {
        Some(census) if whole => {
            let graphs = exploration.data().graphs();
            Box::new(CensusSpace::new(census, graphs, train, columns).whole())
        }
        _ => exploration.columns(columns, train),
    }
}
