//! The enumeration tree, grown where it is needed and remembered.
//!
//! **Invariant.** A pattern is *open* while its children are unknown. [`EnumerationTree::expand`]
//! finds them, from the family of its parent: rows and hits, which are kept while a pattern of
//! the family is open. All patterns of the tree occur in at least `min_support` of the graphs that
//! count (the training graphs); other graphs (validation) are followed along but keep no pattern
//! alive.
//!
//! **Memory.** One record a pattern, and the families with open patterns. These can be held within
//! a budget: the oldest are given up, and a pattern whose family is gone is grown again from its
//! root, along its code and in the graphs that contain it only. The tree is the same.
//!
//! Paper, Alg. 3: there the tree is walked anew in each search; here it is kept across searches.

use std::marker::PhantomData;

use crate::graph::Graph;
use crate::labels::Label;
use crate::mining::dfs_code::{DfsCode, DfsEdge};
use crate::mining::embedding_budget::EmbeddingBudget;
use crate::mining::extend::{CodeStep, Extension, Family};
use crate::mining::grow::{Detail, Grower};
use crate::mining::visit::PatternLimits;

/// A pattern's number in an [`EnumerationTree`]: parents have smaller numbers than children.
pub type NodeId = u32;

/// The explored part of the enumeration tree of some graphs.
#[derive(Debug)]
pub struct EnumerationTree<'g> {
    limits: PatternLimits,
    nodes: Vec<Node>,
    grower: Grower,
    families: Families,
    work: usize,
    /// Bytes of the patterns' own records.
    bytes: usize,
    graphs: PhantomData<&'g [Graph]>,
}

#[derive(Debug)]
struct Node {
    parent: Option<NodeId>,
    /// The edge that it adds to its parent; for a root, its label.
    step: CodeStep,
    edges: u16,
    open: Option<Open>,
    /// Its children could not be found within the budget, and stay unknown.
    stuck: bool,
    /// Where its children start, if it has any and they are known.
    children: NodeId,
    /// The graphs that contain it, and how often (distinct occurrences).
    graphs: Vec<u32>,
    counts: Vec<u32>,
}

/// What an open pattern is grown from: its parent's family, by number, and which extension of it
/// it is.
#[derive(Clone, Copy, Debug)]
struct Open {
    family: usize,
    at: usize,
}

/// The families of open patterns, oldest first.
#[derive(Debug, Default)]
struct Families {
    all: Vec<Kept>,
    bytes: usize,
    max_bytes: Option<usize>,
    /// All before this one have been given up.
    oldest: usize,
}

#[derive(Debug)]
struct Kept {
    /// None once it has been given up.
    family: Option<Family>,
    /// How many of its patterns are open.
    open: usize,
}

impl Families {
    fn add(&mut self, family: Family, open: usize) {
        self.bytes += family.bytes();
        self.all.push(Kept { family: Some(family), open });
        self.keep_within_budget();
    }

    /// One pattern of a family is no longer open.
    fn close_one(&mut self, number: usize) {
        self.all[number].open -= 1;
        if self.all[number].open == 0 {
            self.give_up(number);
        }
    }

    fn give_up(&mut self, number: usize) {
        let gone = self.all[number].family.take();
        self.bytes -= gone.map_or(0, |family| family.bytes());
    }

    fn keep_within_budget(&mut self) {
        while self.max_bytes.is_some_and(|limit| self.bytes > limit) && self.oldest < self.all.len()
        {
            self.give_up(self.oldest);
            self.oldest += 1;
        }
    }
}

impl<'g> EnumerationTree<'g> {
    /// The tree with its roots, the single vertices. `counting` says for each graph whether it
    /// counts towards `min_support`.
    #[must_use]
    pub fn new(graphs: &'g [Graph], counting: Vec<bool>, limits: PatternLimits) -> Self {
        let grower = Grower::new(graphs, counting, limits, Detail::Counts);
        let families = Families::default();
        let nodes = Vec::new();
        let mut tree = EnumerationTree {
            limits,
            nodes,
            grower,
            families,
            work: 0,
            bytes: 0,
            graphs: PhantomData,
        };
        let origin = tree.grower.origin();
        tree.add(None, origin);
        tree
    }

    /// The same tree with the embeddings of its open patterns held within `bytes` from now on:
    /// what does not fit is found again when it is needed.
    #[must_use]
    pub fn with_memory(mut self, bytes: Option<usize>) -> Self {
        self.families.max_bytes = bytes;
        self.families.keep_within_budget();
        self
    }

    /// The same tree with growths held within a budget: a pattern whose children would take more is
    /// [stuck](Self::is_stuck).
    #[must_use]
    pub fn with_budget(mut self, budget: EmbeddingBudget) -> Self {
        self.grower.set_budget(budget);
        self
    }

    /// Whether the children of a pattern were looked for and could not be found within the budget.
    #[must_use]
    pub fn is_stuck(&self, node: NodeId) -> bool {
        self.nodes[node as usize].stuck
    }

    /// Bytes held, about: patterns, their graphs, and the embeddings of open ones.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes + self.families.bytes
    }

    /// Bytes held for the embeddings of open patterns.
    #[must_use]
    pub fn embedding_bytes(&self) -> usize {
        self.families.bytes
    }

    /// Bytes of embeddings made so far, kept or not: what growing the tree has cost.
    #[must_use]
    pub fn work(&self) -> usize {
        self.work
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

    /// The single vertex with a label.
    #[must_use]
    pub fn root(&self, label: Label) -> Option<NodeId> {
        let roots = (0..).zip(&self.nodes).take_while(|(_, node)| node.parent.is_none());
        roots.filter(|(_, node)| node.step == CodeStep::Root(label)).map(|(id, _)| id).next()
    }

    /// The child of a pattern that is no longer open which adds `edge`.
    #[must_use]
    pub fn child(&self, node: NodeId, edge: DfsEdge) -> Option<NodeId> {
        let start = self.nodes[node as usize].children;
        let known = (start..).zip(self.nodes.get(start as usize..).unwrap_or_default());
        let mut children = known.take_while(|(_, child)| child.parent == Some(node));
        children.find(|(_, child)| child.step == CodeStep::Edge(edge)).map(|(id, _)| id)
    }

    /// Whether the children of a pattern are still unknown.
    #[must_use]
    pub fn is_open(&self, node: NodeId) -> bool {
        self.nodes[node as usize].open.is_some()
    }

    /// What a pattern and those above it add to their parents, from the root on.
    fn steps(&self, node: NodeId) -> Vec<CodeStep> {
        let above = |n: &NodeId| self.parent(*n);
        let line = std::iter::successors(Some(node), above);
        let mut steps: Vec<CodeStep> = line.map(|n| self.nodes[n as usize].step).collect();
        steps.reverse();
        steps
    }

    /// The smallest DFS code of a pattern.
    #[must_use]
    pub fn code(&self, node: NodeId) -> DfsCode {
        let mut code = DfsCode::default();
        self.steps(node).into_iter().for_each(|step| step.add_to(&mut code));
        code
    }

    /// Finds the children of an open pattern. They get the numbers of the returned range, which is
    /// empty if they do not fit into the budget.
    pub fn expand(&mut self, node: NodeId) -> std::ops::Range<NodeId> {
        let start = self.nodes.len() as NodeId;
        if let Some(Open { family, at }) = self.nodes[node as usize].open.take() {
            let code = self.code(node);
            let below = match &self.families.all[family].family {
                Some(family) => self.grower.grow(family, at, &code),
                None => self.grow_again(node),
            };
            self.families.close_one(family);
            let Some(below) = below else {
                self.nodes[node as usize].stuck = true;
                return start..start;
            };
            self.work += below.bytes();
            self.nodes[node as usize].children = start;
            self.add(Some(node), below);
        }
        start..self.nodes.len() as NodeId
    }

    /// Grows the family of a pattern from its root, in the graphs that contain it.
    fn grow_again(&mut self, node: NodeId) -> Option<Family> {
        let mut family = self.grower.origin_in(&self.nodes[node as usize].graphs);
        let mut code = DfsCode::default();
        for step in self.steps(node) {
            step.add_to(&mut code);
            let is_next = |e: &Extension| e.step == step;
            let at = family.extensions.iter().position(is_next);
            family = match at {
                Some(at) => self.grower.grow(&family, at, &code)?,
                None => Family::default(),
            };
        }
        Some(family)
    }

    /// Adds the children of a pattern.
    fn add(&mut self, parent: Option<NodeId>, family: Family) {
        let edges = parent.map_or(0, |p| self.nodes[p as usize].edges + 1);
        let may_grow = usize::from(edges) < self.limits.max_edges();
        let number = self.families.all.len();
        let before = self.nodes.len();
        for (at, extension) in family.extensions.iter().enumerate().filter(|(_, e)| e.is_child) {
            let times = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
            self.bytes += size_of::<Node>() + 8 * extension.found.graphs().len();
            self.nodes.push(Node {
                parent,
                step: extension.step,
                edges,
                open: may_grow.then_some(Open { family: number, at }),
                stuck: false,
                children: NodeId::MAX,
                graphs: extension.found.graphs().to_vec(),
                counts: extension.occurrences().map(times).collect(),
            });
        }
        if may_grow && self.nodes.len() > before {
            self.families.add(family, self.nodes.len() - before);
        }
    }
}
