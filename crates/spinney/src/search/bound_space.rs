//! The space of the bound engine: the enumeration tree, explored where a bound asks for it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::graph::Graph;
use crate::mining::classes::{ClassId, ClassTable, Column, Columns};
use crate::mining::guided_search::GraphSubset;
use crate::mining::levels::threshold;
use crate::mining::{DfsCode, EmbeddingBudget, EnumerationTree, NodeId, PatternLimits};
use crate::search::class_sample::{GrowingRows, View};
use crate::search::simplest::{Simplest, SimplestColumns, simplest_of};
use crate::search::space::{Expansion, FrontierGroup, GrowingSpace, NumberedPattern, PatternSpace};

/// What a class takes besides its graphs, about.
const BYTES_PER_CLASS: usize = 160;

/// Bytes of embeddings that a search makes before it looks at the node's graphs alone.
const PATIENCE_BYTES: usize = 1 << 27;

/// The enumeration tree, explored where a bound asks for it.
#[derive(Debug)]
pub(crate) struct BoundSpace<'a> {
    tree: EnumerationTree<'a>,
    graphs: &'a [Graph],
    train: Vec<u32>,
    table: ClassTable,
    rows: GrowingRows,
    which: Columns,
    position_of: Vec<Option<u32>>,
    patience: usize,
    budget: EmbeddingBudget,
    /// Bytes of the classes and rows, about.
    bytes: usize,
    node_search_patterns: usize,
    groups: Vec<FrontierGroup>,
    group_of: FxHashMap<ClassId, usize>,
    simplest: SimplestColumns,
}

impl<'a> BoundSpace<'a> {
    /// The space over `graphs` with the training graphs `train`; only single vertices are explored.
    #[must_use]
    pub(crate) fn new(graphs: &'a [Graph], train: &[u32], which: &Columns) -> Self {
        let mut position_of = vec![None; graphs.len()];
        for (position, &graph) in train.iter().enumerate() {
            position_of[graph as usize] = Some(position as u32);
        }
        let counting = position_of.iter().map(Option::is_some).collect();
        let limits = PatternLimits {
            // A pattern in fewer graphs than a leaf needs can never split, nor can its extensions.
            min_support: which.min_support.max(which.min_class_graphs) as usize,
            max_edges: Some(which.max_edges),
        };
        let tree = EnumerationTree::new(graphs, counting, limits);
        let mut space = BoundSpace {
            tree,
            graphs,
            train: train.to_vec(),
            table: ClassTable::new(train.len()),
            rows: GrowingRows::new(train.len()),
            which: *which,
            position_of,
            patience: PATIENCE_BYTES,
            budget: EmbeddingBudget::default(),
            bytes: 0,
            node_search_patterns: 0,
            groups: Vec::new(),
            group_of: FxHashMap::default(),
            simplest: SimplestColumns::default(),
        };
        for node in 0..space.tree.len() as NodeId {
            space.add(node, &mut Expansion::default());
        }
        space
    }

    /// The same space with the embeddings of its frontier held within `bytes`.
    #[must_use]
    pub(crate) fn with_memory(mut self, bytes: Option<usize>) -> Self {
        self.tree = self.tree.with_memory(bytes);
        self
    }

    /// The same space with growths held within a budget: what does not fit stays unknown, and
    /// the [group](FrontierGroup::is_stuck) says so.
    #[must_use]
    pub(crate) fn with_budget(mut self, budget: EmbeddingBudget) -> Self {
        self.tree = self.tree.with_budget(budget);
        self.budget = budget;
        self
    }

    /// The same space with searches that leave it, after `bytes` of new embeddings, for a search
    /// of the node's graphs alone. The splits are the same.
    #[must_use]
    pub(crate) fn with_patience(mut self, bytes: usize) -> Self {
        self.patience = bytes;
        self
    }

    /// Whether a split asks for nothing but a pattern that enough of the node's own graphs contain.
    fn is_plain(&self) -> bool {
        self.which.count_levels <= 1 && self.which.min_support <= self.which.min_class_graphs.max(1)
    }

    /// Enters an explored pattern: its columns into the table, itself into the frontier.
    fn add(&mut self, node: NodeId, changed: &mut Expansion) {
        let edges = self.tree.edges(node) as u32;
        let is_pattern = edges > 0 || self.which.vertices;
        for at_least in (1..=self.which.count_levels.max(1)).map(threshold) {
            let positions = self.positions(node, at_least);
            if positions.is_empty() {
                break;
            }
            let known = self.table.len();
            let class = if is_pattern {
                let column = Column { pattern: node, at_least };
                let (class, new) = self.table.add(column, edges, &positions);
                if new {
                    self.simplest.forget(class);
                    changed.classes.push(class);
                }
                class
            } else {
                self.table.add_without_member(&positions)
            };
            if self.table.len() > known {
                self.rows.push(&positions);
                self.bytes += BYTES_PER_CLASS + 8 * positions.len();
            }
            if at_least == 1 && self.tree.is_open(node) {
                changed.groups.push(self.open(class, node, edges));
            }
        }
    }

    fn positions(&self, node: NodeId, at_least: u32) -> Vec<u32> {
        let occurs = self.tree.graphs(node).iter().zip(self.tree.counts(node));
        let enough = occurs.filter(|(_, count)| **count >= at_least);
        enough.filter_map(|(&graph, _)| self.position_of[graph as usize]).collect()
    }

    /// Explores the way to a pattern; gives its number if it is in the tree.
    fn lead_to(&mut self, code: &DfsCode) -> Option<NodeId> {
        let mut at = self.tree.root(code.root());
        for &edge in code.edges() {
            let node = at?;
            if self.tree.is_open(node) {
                for child in self.tree.expand(node) {
                    self.add(child, &mut Expansion::default());
                }
            }
            at = self.tree.child(node, edge);
        }
        at
    }

    fn open(&mut self, class: ClassId, node: NodeId, edges: u32) -> usize {
        let groups = &mut self.groups;
        let at = *self.group_of.entry(class).or_insert_with(|| {
            groups.push(FrontierGroup::new(class));
            groups.len() - 1
        });
        groups[at].add(node, edges);
        at
    }
}

impl PatternSpace for BoundSpace<'_> {
    fn classes(&self) -> &ClassTable {
        &self.table
    }

    fn view(&self) -> Option<View<'_>> {
        Some(View::Growing(&self.rows))
    }

    fn simplest(&self, class: ClassId) -> Arc<Simplest> {
        let find = || simplest_of(self.table.simplest(class), |node| self.tree.code(node));
        self.simplest.get(class, find)
    }

    fn has(&self, graph: u32, column: Column) -> bool {
        self.tree.count(graph, column.pattern) >= column.at_least
    }

    fn graphs_with(&self, patterns: &[u32]) -> Vec<Vec<u32>> {
        patterns.iter().map(|&node| self.tree.graphs(node).to_vec()).collect()
    }

    fn numbers(&mut self, patterns: &[NumberedPattern]) -> Option<Vec<u32>> {
        patterns.iter().map(|pattern| self.lead_to(&pattern.code)).collect()
    }

    fn patterns(&self) -> usize {
        self.tree.len()
    }

    fn edges(&self, pattern: u32) -> usize {
        self.tree.edges(pattern)
    }

    fn growing(&self) -> Option<&dyn GrowingSpace> {
        Some(self)
    }

    fn growing_mut(&mut self) -> Option<&mut dyn GrowingSpace> {
        Some(self)
    }
}

impl GrowingSpace for BoundSpace<'_> {
    fn frontier(&self) -> &[FrontierGroup] {
        &self.groups
    }

    fn expand(&mut self, group: usize) -> Expansion {
        let mut changed = Expansion::default();
        for node in self.groups[group].take_open() {
            for child in self.tree.expand(node) {
                self.add(child, &mut changed);
            }
            self.groups[group].note_stuck(self.tree.is_stuck(node));
        }
        changed
    }

    fn reveal(&mut self, code: &DfsCode) -> bool {
        self.lead_to(code).is_some()
    }

    fn work(&self) -> usize {
        self.tree.work()
    }

    fn patience(&self) -> usize {
        if self.is_plain() { self.patience } else { usize::MAX }
    }

    fn subset(&self, positions: &[u32]) -> Option<GraphSubset> {
        let graph = |&p: &u32| &self.graphs[self.train[p as usize] as usize];
        let subset = || {
            let graphs = positions.iter().map(graph);
            GraphSubset::new(graphs, self.which.max_edges).with_budget(self.budget)
        };
        self.is_plain().then(subset)
    }

    fn bytes(&self) -> usize {
        self.tree.bytes() + self.bytes
    }

    fn count_node_search(&mut self, patterns: usize) {
        self.node_search_patterns += patterns;
    }

    fn node_search_patterns(&self) -> usize {
        self.node_search_patterns
    }
}
