//! The enumeration tree, grown where it is needed and remembered.
//!
//! **Invariant.** A pattern is *open* while its children are unknown; then, and only then, it holds
//! its embeddings. [`EnumerationTree::expand`] finds the children and gives the embeddings up. All
//! patterns of the tree occur in at least `min_support` of the graphs that count (the training
//! graphs); other graphs (validation) are followed along but keep no pattern alive.
//!
//! **Cost.** Memory: one record a pattern, and the embeddings of the open ones.
//! Paper, Alg. 3: there the tree is walked anew in each search; here it is kept across searches.

use super::canonical::Canonizer;
use super::dfs_code::{DfsCode, DfsEdge};
use super::extend::{Embeddings, roots};
use super::visit::{Limits, Pending, children};
use crate::graph::Graph;

/// A pattern's number in an [`EnumerationTree`]: parents have smaller numbers than children.
pub type NodeId = u32;

/// The explored part of the enumeration tree of some graphs.
#[derive(Debug)]
pub struct EnumerationTree<'g> {
    graphs: &'g [Graph],
    counting: Vec<bool>,
    limits: Limits,
    nodes: Vec<Node>,
    canonizer: Canonizer,
}

#[derive(Debug)]
struct Node {
    parent: Option<NodeId>,
    /// The edge that it adds to its parent; for a root, its label.
    step: Step,
    edges: u16,
    open: Option<Embeddings>,
    /// The graphs that contain it, and how often (distinct occurrences).
    graphs: Vec<u32>,
    counts: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Root(u32),
    Edge(DfsEdge),
}

impl<'g> EnumerationTree<'g> {
    /// The tree with its roots, the single vertices. `counting` says for each graph whether it
    /// counts towards `min_support`.
    #[must_use]
    pub fn new(graphs: &'g [Graph], counting: Vec<bool>, limits: Limits) -> Self {
        let canonizer = Canonizer::new();
        let mut tree = EnumerationTree { graphs, counting, limits, nodes: Vec::new(), canonizer };
        for (label, embeddings) in roots(graphs) {
            tree.add(None, Step::Root(label), embeddings);
        }
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
        if let Some(embeddings) = self.nodes[node as usize].open.take() {
            let mut code = self.code(node);
            let least = self.limits.min_support.max(1);
            let canonizer = &mut self.canonizer;
            let below = children(self.graphs, &mut code, &embeddings, least, canonizer);
            for Pending { edge, embeddings } in below {
                if let Some(edge) = edge {
                    self.add(Some(node), Step::Edge(edge), embeddings);
                }
            }
        }
        start..self.nodes.len() as NodeId
    }

    fn add(&mut self, parent: Option<NodeId>, step: Step, embeddings: Embeddings) {
        let counted = embeddings.graphs().iter().filter(|&&g| self.counting[g as usize]).count();
        if counted < self.limits.min_support.max(1) {
            return;
        }
        let edges = parent.map_or(0, |p| self.nodes[p as usize].edges + 1);
        let id = self.nodes.len() as NodeId;
        let graphs = embeddings.graphs().to_vec();
        self.nodes.push(Node { parent, step, edges, open: None, graphs, counts: Vec::new() });
        let automorphisms = self.canonizer.automorphisms_of(&self.code(id));
        let times = |c: u32| u32::try_from(u64::from(c) / automorphisms).unwrap_or(u32::MAX);
        let node = &mut self.nodes[id as usize];
        node.counts = embeddings.counts().map(times).collect();
        let may_grow = usize::from(edges) < self.limits.most_edges();
        node.open = may_grow.then_some(embeddings);
    }
}
