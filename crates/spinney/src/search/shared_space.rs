//! A space with nothing left to explore, read by several trainings on the same graphs.

use std::sync::Arc;

use crate::mining::classes::{ClassId, ClassTable, Column};
use crate::search::class_sample::View;
use crate::search::simplest::Simplest;
use crate::search::space::{NumberedPattern, PatternSpace};

/// Another space, which every training only reads.
pub(crate) struct SharedSpace<'s>(pub &'s dyn PatternSpace);

impl PatternSpace for SharedSpace<'_> {
    fn classes(&self) -> &ClassTable {
        self.0.classes()
    }

    fn view(&self) -> Option<View<'_>> {
        self.0.view()
    }

    fn simplest(&self, class: ClassId) -> Arc<Simplest> {
        self.0.simplest(class)
    }

    fn has(&self, graph: u32, column: Column) -> bool {
        self.0.has(graph, column)
    }

    fn graphs_with(&self, patterns: &[u32]) -> Vec<Vec<u32>> {
        self.0.graphs_with(patterns)
    }

    fn numbers(&mut self, _patterns: &[NumberedPattern]) -> Option<Vec<u32>> {
        None
    }

    fn patterns(&self) -> usize {
        self.0.patterns()
    }

    fn edges(&self, pattern: u32) -> usize {
        self.0.edges(pattern)
    }
}
