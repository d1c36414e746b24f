//! The pattern space of some training graphs, by the engine that explored.

use crate::mining::classes::{ClassTable, Columns};
use crate::mining::exploration::Exploration;
use crate::mining::strata::Strata;
use crate::search::bound_space::BoundSpace;
use crate::search::census_space::CensusSpace;
use crate::search::space::PatternSpace;

/// What classes are searched for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Use {
    /// Every tree may use all classes.
    Whole,
    /// Every tree may use some strata.
    Strata(Strata),
    /// Classes are asked for their graphs; there are no trees.
    Lists,
}

impl Use {
    /// Trees that may use a share of the classes.
    #[must_use]
    pub(crate) fn of_share(share: f64) -> Use {
        Strata::for_share(share).map_or(Use::Whole, Use::Strata)
    }
}

/// The space that the graphs `train` are split by.
pub(crate) fn of<'s>(
    exploration: &'s Exploration<'_>,
    columns: &Columns,
    used: Use,
    train: &[u32],
) -> Box<dyn PatternSpace + 's> {
    let graphs = exploration.data().graphs();
    if let Some(census) = exploration.census() {
        let lists = || {
            let table = ClassTable::from_census(census, train, columns);
            CensusSpace::new(census, graphs, table)
        };
        return Box::new(match used {
            Use::Whole => lists().whole(),
            Use::Lists => lists(),
            Use::Strata(strata) => {
                let table = ClassTable::in_strata(census, train, columns, strata);
                CensusSpace::new(census, graphs, table)
            }
        });
    }
    let space = BoundSpace::new(graphs, train, columns)
        .with_memory(exploration.embedding_bytes())
        .with_budget(exploration.embedding_budget());
    Box::new(match exploration.patience() {
        Some(bytes) => space.with_patience(bytes),
        None => space,
    })
}
