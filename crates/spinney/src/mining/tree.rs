//! The enumeration tree, grown where it is needed and remembered.
//!
//! **Invariant.** A pattern is *open* while its children are unknown; then, and only then, it holds
//! its embeddings. [`EnumerationTree::expand`] finds the children and gives the embeddings up. All
//! patterns of the tree occur in at least `min_support` of the graphs that count (the training
//! graphs); other graphs (validation) are followed along but keep no pattern alive.
//!
//! **Cost.** Memory: one record a pattern, and the embeddings of the open ones.
//! Paper, Alg. 3: there the tree is walked anew in each search; here it is kept across searches.

use std::marker::PhantomData;
use std::sync::Arc;

use super::dfs_code::DfsCode;
use super::extend::{Family, Step};
use super::grow::{Detail, Grower};
use super::visit::Limits;
use crate::graph::Graph;

/// A pattern's number in an [`EnumerationTree`]: parents have smaller numbers than children.
pub type NodeId = u32;

/// The explored part of the enumeration tree of some graphs.
#[derive(Debug)]
pub struct EnumerationTree<'g> {
    limits: Limits,
    nodes: Vec<Node>,
    grower: Grower,
    graphs: PhantomData<&'g [Graph]>,
}

#[derive(Debug)]
struct Node {
    parent: Option<NodeId>,
    /// The edge that it adds to its parent; for a root, its label.
    step: Step,
    edges: u16,
    open: Option<Open>,
    /// The graphs that contain it, and how often (distinct occurrences).
    graphs: Vec<u32>,
    counts: Vec<u32>,
}

/// What an open pattern is grown from: its parent's family, and which extension of it it is.
#[derive(Debug)]
struct Open {
    family: Arc<Family>,
    at: usize,
}

impl<'g> EnumerationTree<'g> {
    /// The tree with its roots, the single vertices. `counting` says for each graph whether it
    /// counts towards `min_support`.
    #[must_use]
    pub fn new(graphs: &'g [Graph], counting: Vec<bool>, limits: Limits) -> Self {
        let grower = Grower::new(graphs, counting, limits, Detail::Counts);
        let mut tree = EnumerationTree { limits, nodes: Vec::new(), grower, graphs: PhantomData };
        let origin = tree.grower.origin();
        tree.add(None, origin);
        tree
    }

    /// The number of patterns explored.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no pattern.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The number of edges of a pattern.
    #[must_use]
    pub fn edges(&self, node: NodeId) -> usize {
        self.nodes[node as usize].edges.into()
    }

    /// The graphs that contain a pattern, ascending.
    #[must_use]
    pub fn graphs(&self, node: NodeId) -> &[u32] {
        &self.nodes[node as usize].graphs
    }

    /// How often a pattern occurs in each of its [`graphs`](Self::graphs).
    #[must_use]
    pub fn counts(&self, node: NodeId) -> &[u32] {
        &self.nodes[node as usize].counts
    }

    /// How often a pattern occurs in `graph`.
    #[must_use]
    pub fn count(&self, graph: u32, node: NodeId) -> u32 {
        let node = &self.nodes[node as usize];
        node.graphs.binary_search(&graph).map_or(0, |at| node.counts[at])
    }

    /// The pattern that `node` extends by one edge.
    #[must_use]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node as usize].parent
    }

    /// Whether the children of a pattern are still unknown.
    #[must_use]
    pub fn is_open(&self, node: NodeId) -> bool {
        self.nodes[node as usize].open.is_some()
    }

    /// The smallest DFS code of a pattern.
    #[must_use]
    pub fn code(&self, node: NodeId) -> DfsCode {
        let mut steps = Vec::new();
        let mut at = node;
        loop {
            let n = &self.nodes[at as usize];
            match (n.step, n.parent) {
                (Step::Edge(edge), Some(parent)) => {
                    steps.push(edge);
                    at = parent;
                }
                (Step::Root(label), _) => {
                    let mut code = DfsCode::vertex(label);
                    steps.iter().rev().for_each(|&edge| code.push(edge));
                    return code;
                }
                (Step::Edge(_), None) => unreachable!("only roots have no parent"),
            }
        }
    }

    /// Finds the children of an open pattern. They get the numbers of the returned range.
    pub fn expand(&mut self, node: NodeId) -> std::ops::Range<NodeId> {
        let start = self.nodes.len() as NodeId;
        if let Some(Open { family, at }) = self.nodes[node as usize].open.take() {
            let mut code = self.code(node);
            let below = self.grower.grow(&family, at, &mut code);
            drop(family);
            self.add(Some(node), below);
        }
        start..self.nodes.len() as NodeId
    }

    /// Adds the children of a pattern.
    fn add(&mut self, parent: Option<NodeId>, family: Family) {
        let edges = parent.map_or(0, |p| self.nodes[p as usize].edges + 1);
        let may_grow = usize::from(edges) < self.limits.most_edges();
        let family = Arc::new(family);
        for (at, extension) in family.extensions.iter().enumerate().filter(|(_, e)| e.is_child) {
            let times = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
            self.nodes.push(Node {
                parent,
                step: extension.step,
                edges,
                open: may_grow.then(|| Open { family: Arc::clone(&family), at }),
                graphs: extension.found.graphs().to_vec(),
                counts: extension.occurrences().map(times).collect(),
            });
        }
    }
}
