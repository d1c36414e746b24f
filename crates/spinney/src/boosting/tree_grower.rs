//! Growing one regression tree (paper, Alg. 2).
//!
//! A node holds the training graphs that reach it, split into those the tree is fitted to and
//! those left out by `subsample` (which are only led to their leaves).
//!
//! **Invariant.** Position lists stay ascending, so sums over a leaf are taken in one order. Of two
//! children the smaller one's histogram is filled from rows, the other's found by subtraction.
//!
//! The subtrees of a node are grown side by side where nothing is left to explore; where nodes lie
//! in the tree does not depend on it.
//!
//! **Cost.** A tree of depth d fills histograms for at most half of its graphs a level.

use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use crate::mining::classes::Column;
use crate::search::best_split::{BestSplit, Search, SmallSplit, Split, Totals};
use crate::search::histogram::{Cell, Histogram};
use crate::search::node_rows::NodeRows;
use crate::search::simplest::Simplest;
use crate::search::small::{SmallNode, SmallNodeScratch};
use crate::search::space::PatternSpace;
use crate::search::stop::StopToken;

/// A tree as it is grown: it still knows the engine's columns.
#[derive(Debug, Default)]
pub(crate) struct GrownTree {
    pub(crate) nodes: Vec<GrownNode>,
    /// The leaf of each training position.
    pub(crate) leaf_of: Vec<u32>,
    pub(crate) unproven: Vec<UnprovenNode>,
}

/// A node whose search was cut short.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnprovenNode {
    pub(crate) node: usize,
    /// What no split of it can exceed.
    pub(crate) bound: f64,
}

#[derive(Debug)]
pub(crate) enum GrownNode {
    Split { simplest: Arc<Simplest>, yes: usize, no: usize, gain: f64, cover: u32 },
    Leaf { value: f64, cover: u32 },
}

impl GrownTree {
    /// What the tree adds to the score of a graph.
    pub(crate) fn value(&self, has: impl Fn(Column) -> bool) -> f64 {
        let mut at = 0;
        loop {
            match &self.nodes[at] {
                GrownNode::Leaf { value, .. } => return *value,
                GrownNode::Split { simplest, yes, no, .. } => {
                    at = if has(simplest.column) { *yes } else { *no };
                }
            }
        }
    }

    pub(crate) fn leaf_value(&self, leaf: u32) -> f64 {
        match &self.nodes[leaf as usize] {
            GrownNode::Leaf { value, .. } => *value,
            GrownNode::Split { .. } => 0.0,
        }
    }

    /// Adds the tree, of one output, to the scores of the training graphs.
    pub(crate) fn add_to(&self, scores: &mut [f64], output: usize, outputs: usize) {
        for (position, &leaf) in self.leaf_of.iter().enumerate() {
            scores[position * outputs + output] += self.leaf_value(leaf);
        }
    }

    /// Makes the tree count less.
    pub(crate) fn scale(&mut self, factor: f64) {
        for node in &mut self.nodes {
            if let GrownNode::Leaf { value, .. } = node {
                *value *= factor;
            }
        }
    }

    pub(crate) fn splits(&self) -> usize {
        self.nodes.iter().filter(|n| matches!(n, GrownNode::Split { .. })).count()
    }
}

/// The graphs of a node, by position.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members {
    pub(crate) fitted: Vec<u32>,
    pub(crate) left_out: Vec<u32>,
}

/// Memory to be used again, by any thread.
#[derive(Debug, Default)]
pub(crate) struct Pool<T>(Mutex<Vec<T>>);

impl<T: Default> Pool<T> {
    fn get(&self) -> T {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn put(&self, used: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(used);
    }
}

/// What one thread needs at a time.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    small_node: SmallNodeScratch,
    /// For [`TreeGrower::partition`]: all false in between.
    marks: Vec<bool>,
}

/// The pattern space that the trees of a round search.
#[derive(Clone, Copy)]
pub(crate) struct SharedSpace<'a, 's> {
    /// Written to where there is something left to explore, else only read.
    pub(crate) space: &'a RwLock<&'s mut dyn PatternSpace>,
    /// Whether nothing is left to explore.
    pub(crate) is_explored: bool,
    /// Whether trees and subtrees are grown in parallel, which takes that.
    pub(crate) in_parallel: bool,
}

impl<'s> SharedSpace<'_, 's> {
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, &'s mut dyn PatternSpace> {
        self.space.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Memory for one kind of cell, used again from tree to tree.
#[derive(Clone, Copy)]
pub(crate) struct Buffers<'a, C> {
    pub(crate) histograms: &'a Pool<Histogram<C>>,
    pub(crate) scratch: &'a Pool<Scratch>,
}

/// A node with this part of the graphs that rows are of, or less, gets rows of its own.
const MIN_SHRINKAGE_FOR_ROWS: usize = 3;

/// Grows one tree.
pub(crate) struct TreeGrower<'a, 's, C> {
    pub(crate) space: &'a SharedSpace<'a, 's>,
    pub(crate) search: Search<'a, C>,
    /// How many fitted graphs the rows are of that the search reads.
    pub(crate) row_graphs: usize,
    pub(crate) depth: usize,
    pub(crate) min_leaf: usize,
    pub(crate) leaf_value: &'a (dyn Fn(&[u32]) -> f64 + Sync),
    pub(crate) gain_unit: f64,
    pub(crate) buffers: Buffers<'a, C>,
    pub(crate) stop_token: &'a StopToken,
}

/// What the best split of a node is found with.
enum NodeSums<C> {
    Large(LargeNode<C>),
    Small(SmallNode),
}

/// The sums of a node of many graphs.
struct LargeNode<C> {
    histogram: Histogram<C>,
    totals: Totals<C>,
}

/// A node and what is below it, numbered from 0.
#[derive(Default)]
struct Subtree {
    nodes: Vec<GrownNode>,
    leaves: Vec<GrownLeaf>,
    unproven: Vec<UnprovenNode>,
}

/// A leaf and its graphs.
struct GrownLeaf {
    node: usize,
    members: Members,
}

/// What belongs to the graphs that have a pattern, and to those that do not.
struct Branches<T> {
    yes: T,
    no: T,
}

/// What the search in a node found.
struct Found {
    best: Option<SmallSplit>,
    /// What a split could gain at most, if the search was cut short.
    bound: Option<f64>,
}

impl Subtree {
    /// Adds another after the nodes so far and returns the number of its first node.
    fn append(&mut self, other: Subtree) -> usize {
        let first = self.nodes.len();
        self.nodes.extend(other.nodes.into_iter().map(|mut node| {
            if let GrownNode::Split { yes, no, .. } = &mut node {
                *yes += first;
                *no += first;
            }
            node
        }));
        let leaves = other.leaves.into_iter();
        self.leaves.extend(leaves.map(|leaf| GrownLeaf { node: leaf.node + first, ..leaf }));
        let unproven = other.unproven.into_iter();
        self.unproven.extend(unproven.map(|u| UnprovenNode { node: u.node + first, ..u }));
        first
    }
}

impl<'s, C: Cell> TreeGrower<'_, 's, C> {
    pub(crate) fn grow(self, root: Members, graphs: usize) -> GrownTree {
        let sums = self.sums(&root.fitted, None);
        let Subtree { nodes, leaves, mut unproven } = self.node(root, Some(sums), 0);
        unproven.iter_mut().for_each(|u| u.bound = (u.bound * self.gain_unit).min(f64::MAX));
        let mut leaf_of = vec![0; graphs];
        for GrownLeaf { node, members } in leaves {
            for &p in members.fitted.iter().chain(&members.left_out) {
                leaf_of[p as usize] = node as u32;
            }
        }
        GrownTree { nodes, leaf_of, unproven }
    }

    fn space(&self) -> RwLockReadGuard<'_, &'s mut dyn PatternSpace> {
        self.space.read()
    }

    fn recycle(&self, sums: NodeSums<C>) {
        if let NodeSums::Large(node) = sums {
            self.buffers.histograms.put(node.histogram);
        }
    }

    fn small(&self, positions: &[u32], whole: Option<&mut Histogram<C>>) -> Option<SmallNode> {
        let mut scratch = self.buffers.scratch.get();
        let small = self.search.small(&**self.space(), positions, whole, &mut scratch.small_node);
        self.buffers.scratch.put(scratch);
        small
    }

    /// The sums of a node; its graphs are subtracted from the histogram of the `whole`.
    fn sums(&self, positions: &[u32], whole: Option<&mut LargeNode<C>>) -> NodeSums<C> {
        let (mut whole, totals) = match whole {
            None => (None, self.search.totals(positions)),
            Some(whole) => {
                let totals = self.search.totals(positions);
                whole.totals = whole.totals.minus(&totals);
                (Some(&mut whole.histogram), totals)
            }
        };
        if let Some(small) = self.small(positions, whole.as_deref_mut()) {
            return NodeSums::Small(small);
        }
        let mut histogram = self.buffers.histograms.get();
        histogram.clear();
        let space = self.space();
        match whole {
            Some(whole) => self.search.cover_part(&**space, &mut histogram, positions, whole),
            None => self.search.cover(&**space, &mut histogram, positions),
        }
        NodeSums::Large(LargeNode { histogram, totals })
    }

    /// The best split of a node.
    fn best_split(&self, sums: &mut NodeSums<C>, positions: &[u32]) -> Found {
        let best = match sums {
            _ if self.stop_token.is_stopped() => {
                return Found { best: None, bound: self.search.max_gain(positions) };
            }
            NodeSums::Small(small) => {
                let best = self.search.best_small_split(&**self.space(), small);
                return Found { best, bound: None };
            }
            NodeSums::Large(LargeNode { histogram, totals }) if self.space.is_explored => {
                let split =
                    self.search.best_known_split(&**self.space(), histogram, positions, totals);
                BestSplit { split, open: None }
            }
            NodeSums::Large(LargeNode { histogram, .. }) => {
                let mut space = self.space.space.write().unwrap_or_else(PoisonError::into_inner);
                self.search.best_split(&mut **space, histogram, positions)
            }
        };
        let split = best.split.map(|split| SmallSplit { split, word: 0 });
        Found { best: split, bound: best.open }
    }

    /// Grows a node and what is below it, in rows of its own where that pays.
    fn node(&self, members: Members, mut sums: Option<NodeSums<C>>, depth: usize) -> Subtree {
        let graphs = members.fitted.len();
        if let Some(NodeSums::Large(LargeNode { histogram, .. })) = &mut sums
            && graphs * MIN_SHRINKAGE_FOR_ROWS <= self.row_graphs
        {
            let Members { fitted, left_out } = &members;
            let space = self.space();
            let rows = self.search.node_rows(&**space, histogram, fitted, left_out);
            drop(space);
            if let Some(rows) = rows {
                return self.within(&rows, graphs).node_in_rows(members, sums, depth);
            }
        }
        self.node_in_rows(members, sums, depth)
    }

    /// The same grower for a node of some graphs that rows were made for.
    fn within<'b>(&'b self, rows: &'b NodeRows, graphs: usize) -> TreeGrower<'b, 's, C> {
        TreeGrower { search: self.search.within(rows), row_graphs: graphs, ..*self }
    }

    fn node_in_rows(&self, members: Members, sums: Option<NodeSums<C>>, depth: usize) -> Subtree {
        let Some(mut sums) = sums else { return self.leaf(members) };
        let Found { best, bound } = self.best_split(&mut sums, &members.fitted);
        let unproven = bound.map(|bound| UnprovenNode { node: 0, bound }).into_iter().collect();
        let Some(SmallSplit { split, word }) = best else {
            self.recycle(sums);
            return Subtree { unproven, ..self.leaf(members) };
        };
        let Branches { yes, no } = self.partition(&members, &split);
        let parts = [&yes.fitted[..], &no.fitted];
        let grows = parts.map(|p| depth + 1 < self.depth && p.len() >= 2 * self.min_leaf);
        let [yes_sums, no_sums] = match sums {
            NodeSums::Large(node) => self.children(node, &members.fitted, parts, grows),
            NodeSums::Small(small) => {
                let part = |grows: bool, word| grows.then(|| NodeSums::Small(small.part(word)));
                [part(grows[0], word), part(grows[1], !word)]
            }
        };
        let cover = members.fitted.len() as u32;
        drop(members);
        let in_parallel = self.space.in_parallel && grows == [true, true];
        let yes = || self.node(yes, yes_sums, depth + 1);
        let no = || self.node(no, no_sums, depth + 1);
        let (yes, no) = if in_parallel { rayon::join(yes, no) } else { (yes(), no()) };
        let mut subtree = self.joined(split, cover, Branches { yes, no });
        subtree.unproven.splice(0..0, unproven);
        subtree
    }

    /// A split, then what is below its "yes", then what is below its "no".
    fn joined(&self, split: Split, cover: u32, branches: Branches<Subtree>) -> Subtree {
        let mut subtree = Subtree::default();
        subtree.nodes.push(GrownNode::Leaf { value: 0.0, cover: 0 });
        let yes = subtree.append(branches.yes);
        let no = subtree.append(branches.no);
        // Squares of huge residuals leave the range of numbers; a model holds finite ones.
        let gain = (split.gain * self.gain_unit).min(f64::MAX);
        subtree.nodes[0] = GrownNode::Split { simplest: split.simplest, yes, no, gain, cover };
        subtree
    }

    fn partition(&self, members: &Members, split: &Split) -> Branches<Members> {
        let mut scratch = self.buffers.scratch.get();
        let lists = [&members.fitted[..], &members.left_out];
        let [fitted, left_out] =
            self.search.divide(&**self.space(), split.class, lists, &mut scratch.marks);
        self.buffers.scratch.put(scratch);
        Branches {
            yes: Members { fitted: fitted.with, left_out: left_out.with },
            no: Members { fitted: fitted.without, left_out: left_out.without },
        }
    }

    /// The sums of the children, where they can be split at all.
    fn children(
        &self,
        mut parent: LargeNode<C>,
        all: &[u32],
        parts: [&[u32]; 2],
        grows: [bool; 2],
    ) -> [Option<NodeSums<C>>; 2] {
        let smaller = usize::from(parts[1].len() < parts[0].len());
        let larger = 1 - smaller;
        let mut result = [None, None];
        if grows == [false, false] {
            self.buffers.histograms.put(parent.histogram);
            return result;
        }
        let is_large = grows[larger] && !self.search.is_small(&**self.space(), parts[larger].len());
        if is_large {
            self.search.cover(&**self.space(), &mut parent.histogram, all);
        }
        if grows[smaller] || is_large {
            let sums = self.sums(parts[smaller], is_large.then_some(&mut parent));
            if grows[smaller] {
                result[smaller] = Some(sums);
            } else {
                self.recycle(sums);
            }
        }
        if is_large {
            result[larger] = Some(NodeSums::Large(parent));
        } else {
            self.buffers.histograms.put(parent.histogram);
            let small = grows[larger].then(|| self.small(parts[larger], None));
            result[larger] = small.flatten().map(NodeSums::Small);
        }
        result
    }

    fn leaf(&self, members: Members) -> Subtree {
        let value = (self.leaf_value)(&members.fitted);
        let cover = members.fitted.len() as u32;
        Subtree {
            nodes: vec![GrownNode::Leaf { value, cover }],
            leaves: vec![GrownLeaf { node: 0, members }],
            unproven: Vec::new(),
        }
    }
}
