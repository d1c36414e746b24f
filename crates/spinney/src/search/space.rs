//! The pattern space that a search looks at: explored classes and, perhaps, a frontier.
//!
//! Two interfaces. Every engine answers for the classes that it knows ([`PatternSpace`]); one that
//! explores while trees are grown also has a *frontier* ([`GrowingSpace`]): the patterns whose
//! children are unknown, in groups that occur in the same training graphs and hence share a bound.
//!
//! - [`CensusSpace`](crate::search::census_space::CensusSpace) knows every class from the start.
//! - [`BoundSpace`](crate::search::bound_space::BoundSpace) grows the enumeration tree.
//! - [`SharedSpace`](crate::search::shared_space::SharedSpace) reads another space.
//!
//! **Invariant.** Every column of the space either belongs to a class of the table or lies below a
//! pattern of the frontier. Positions (of training graphs) index rows, samples and signatures;
//! graph numbers index the graphs that were given, validation graphs included.

use std::sync::Arc;

use crate::mining::classes::{ClassId, ClassTable, Column};
use crate::mining::guided_search::GraphSubset;
use crate::mining::{DfsCode, NodeId};
use crate::search::class_sample::View;
use crate::search::simplest::Simplest;

/// A pattern, and the number that it had in another training on the same graphs.
#[derive(Clone, Debug)]
pub(crate) struct NumberedPattern {
    /// Its smallest DFS code.
    pub code: DfsCode,
    /// What may be its number.
    pub number: u32,
}

/// What a training needs of any engine.
pub(crate) trait PatternSpace: Send + Sync {
    /// The explored classes.
    fn classes(&self) -> &ClassTable;
    /// The rows of all explored classes; `None` if only samples of them are used.
    fn view(&self) -> Option<View<'_>>;
    /// The simplest column of a class that has members.
    fn simplest(&self, class: ClassId) -> Arc<Simplest>;
    /// Whether a graph, by number, has a column.
    fn has(&self, graph: u32, column: Column) -> bool;
    /// For each of some patterns, the graphs (by number, ascending) that contain it.
    fn graphs_with(&self, patterns: &[u32]) -> Vec<Vec<u32>>;
    /// The numbers of some patterns in this space; `None` if one is not in it.
    fn numbers(&mut self, patterns: &[NumberedPattern]) -> Option<Vec<u32>>;
    /// How many patterns have been explored.
    fn patterns(&self) -> usize;
    /// The number of edges of an explored pattern, by its number.
    fn edges(&self, pattern: u32) -> usize;
    /// The same space, if there may be something left to explore.
    fn growing(&self) -> Option<&dyn GrowingSpace> {
        None
    }
    /// Whether there is a frontier, be it expanded by now.
    fn has_frontier(&self) -> bool {
        self.growing().is_some_and(|space| !space.frontier().is_empty())
    }
    /// The same space, to be explored further.
    fn growing_mut(&mut self) -> Option<&mut dyn GrowingSpace> {
        None
    }
}

/// What a search needs of an engine that explores as the search goes on.
pub(crate) trait GrowingSpace: PatternSpace {
    /// The groups of open patterns; those already expanded are empty.
    fn frontier(&self) -> &[FrontierGroup];
    /// Expands all open patterns of a group.
    fn expand(&mut self, group: usize) -> Expansion;
    /// Explores the way to a pattern; says whether it was found.
    fn reveal(&mut self, code: &DfsCode) -> bool;
    /// What exploring has cost so far, in bytes of embeddings.
    fn work(&self) -> usize;
    /// A search for a split that costs more than this had better go on in the node's graphs
    /// alone, where [`subset`](Self::subset) allows it.
    fn patience(&self) -> usize;
    /// The training graphs at some positions, to be searched on their own; `None` if a split is
    /// more than whether they contain a pattern.
    fn subset(&self, positions: &[u32]) -> Option<GraphSubset>;
    /// Bytes held, about, as far as they grow.
    fn bytes(&self) -> usize;
    /// Counts patterns that a search of one node met and did not keep.
    fn count_node_search(&mut self, patterns: usize);
    /// How many patterns the searches of single nodes have met.
    fn node_search_patterns(&self) -> usize;
}

/// Open patterns that occur in the same training graphs.
#[derive(Debug)]
pub(crate) struct FrontierGroup {
    /// The class of these training graphs.
    pub class: ClassId,
    /// The fewest edges of an open pattern in the group.
    pub edges: u32,
    open: Vec<NodeId>,
    /// What lies below some of its patterns is unknown and stays so.
    stuck: bool,
}

impl FrontierGroup {
    /// A group without patterns yet.
    pub(super) fn new(class: ClassId) -> Self {
        FrontierGroup { class, edges: 0, open: Vec::new(), stuck: false }
    }

    /// Whether it has open patterns.
    #[must_use]
    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether what lies below some of its patterns could not be found within the embedding
    /// budget.
    #[must_use]
    pub(crate) fn is_stuck(&self) -> bool {
        self.stuck
    }

    /// Adds an open pattern.
    pub(super) fn add(&mut self, node: NodeId, edges: u32) {
        self.edges = if self.open.is_empty() { edges } else { self.edges.min(edges) };
        self.open.push(node);
    }

    /// Takes out all open patterns.
    pub(super) fn take_open(&mut self) -> Vec<NodeId> {
        std::mem::take(&mut self.open)
    }

    /// Notes whether a pattern that was taken out could not be expanded.
    pub(super) fn note_stuck(&mut self, stuck: bool) {
        self.stuck |= stuck;
    }
}

/// What an expansion changed.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    /// Classes that are new or have new simplest members.
    pub classes: Vec<ClassId>,
    /// Groups of the frontier that got new open patterns.
    pub groups: Vec<usize>,
}
