//! A space that several trainings on the same graphs use: side by side, if nothing is left to
//! explore, else one after the other, each going on where the last one came to.

use std::sync::Arc;

use crate::mining::classes::{ClassId, ClassTable, Column};
use crate::search::class_sample::View;
use crate::search::simplest::Simplest;
use crate::search::space::{GrowingSpace, NumberedPattern, PatternSpace};

/// Another space.
pub(crate) enum SharedSpace<'s, 'a> {
    /// Which is only read.
    Read(&'s (dyn PatternSpace + 'a)),
    /// Which is explored further.
    Lent(&'s mut (dyn PatternSpace + 'a)),
}

impl<'a> SharedSpace<'_, 'a> {
    fn space(&self) -> &(dyn PatternSpace + 'a) {
        match self {
            SharedSpace::Read(space) => *space,
            SharedSpace::Lent(space) => *space,
        }
    }
}

impl PatternSpace for SharedSpace<'_, '_> {
    fn classes(&self) -> &ClassTable {
        self.space().classes()
    }

    fn view(&self) -> Option<View<'_>> {
        self.space().view()
    }

    fn simplest(&self, class: ClassId) -> Arc<Simplest> {
        self.space().simplest(class)
    }

    fn has(&self, graph: u32, column: Column) -> bool {
        self.space().has(graph, column)
    }

    fn graphs_with(&self, patterns: &[u32]) -> Vec<Vec<u32>> {
        self.space().graphs_with(patterns)
    }

    fn numbers(&mut self, _patterns: &[NumberedPattern]) -> Option<Vec<u32>> {
        None
    }

    fn patterns(&self) -> usize {
        self.space().patterns()
    }

    fn edges(&self, pattern: u32) -> usize {
        self.space().edges(pattern)
    }

    fn growing(&self) -> Option<&dyn GrowingSpace> {
        self.space().growing()
    }

    fn growing_mut(&mut self) -> Option<&mut dyn GrowingSpace> {
        match self {
            SharedSpace::Read(_) => None,
            SharedSpace::Lent(space) => space.growing_mut(),
        }
    }
}
