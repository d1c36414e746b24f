//! Growing one regression tree (paper, Alg. 2).
//!
//! A node holds the training graphs that reach it, split into those the tree is fitted to and
//! those left out by `subsample` (which are only led to their leaves).
//!
//! **Invariant.** Position lists stay ascending, so sums over a leaf are taken in one order. Of two
//! children the smaller one's histogram is filled from rows, the other's found by subtraction.
//!
//! **Cost.** A tree of depth d fills histograms for at most half of its graphs a level.

use std::sync::Arc;

use crate::mining::classes::Column;
use crate::split::histogram::{Cell, Histogram};
use crate::split::search::{Search, Split};
use crate::split::small::SmallNode;
use crate::split::space::{PatternSpace, Simplest};

/// A tree as it is grown: it still knows the engine's columns.
#[derive(Debug, Default)]
pub(super) struct GrownTree {
    pub(super) nodes: Vec<GrownNode>,
    /// The leaf of each training position.
    pub(super) leaf_of: Vec<u32>,
}

#[derive(Debug)]
pub(super) enum GrownNode {
    Split { simplest: Arc<Simplest>, yes: usize, no: usize, gain: f64, cover: u32 },
    Leaf { value: f64, cover: u32 },
}

impl GrownTree {
    /// What the tree adds to the score of a graph.
    pub(super) fn value(&self, has: impl Fn(Column) -> bool) -> f64 {
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

    pub(super) fn leaf_value(&self, leaf: u32) -> f64 {
        match &self.nodes[leaf as usize] {
            GrownNode::Leaf { value, .. } => *value,
            GrownNode::Split { .. } => 0.0,
        }
    }

    pub(super) fn splits(&self) -> usize {
        self.nodes.iter().filter(|n| matches!(n, GrownNode::Split { .. })).count()
    }
}

/// The graphs of a node, by position.
#[derive(Clone, Debug, Default)]
pub(super) struct Members {
    pub(super) fitted: Vec<u32>,
    pub(super) left_out: Vec<u32>,
}

impl<C> Sight<C> {
    fn into_histogram(self) -> Option<Histogram<C>> {
        match self {
            Sight::Large(histogram) => Some(histogram),
            Sight::Small(_) => None,
        }
    }
}

/// Grows one tree.
pub(super) struct Grower<'a, C> {
    pub(super) space: &'a mut dyn PatternSpace,
    pub(super) search: Search<'a, C>,
    pub(super) depth: usize,
    pub(super) min_leaf: usize,
    pub(super) leaf_value: &'a dyn Fn(&[u32]) -> f64,
    pub(super) gain_unit: f64,
    pub(super) spare: &'a mut Vec<Histogram<C>>,
    pub(super) tree: GrownTree,
    /// For [`Grower::partition`]: all false in between.
    pub(super) inside: Vec<bool>,
}

/// What a node that may be split is searched by.
enum Sight<C> {
    Large(Histogram<C>),
    Small(SmallNode),
}

impl<C: Cell> Grower<'_, C> {
    pub(super) fn grow(mut self, root: Members, graphs: usize) -> GrownTree {
        self.tree.leaf_of = vec![0; graphs];
        let sight = self.look(&root.fitted, None);
        self.node(root, Some(sight), 0);
        self.tree
    }

    fn blank(&mut self) -> Histogram<C> {
        let mut histogram = self.spare.pop().unwrap_or_default();
        histogram.clear();
        histogram
    }

    /// What a node is searched by; its graphs are taken away from the histogram of the `whole`.
    fn look(&mut self, positions: &[u32], mut whole: Option<&mut Histogram<C>>) -> Sight<C> {
        if let Some(small) = self.search.small(self.space, positions, whole.as_deref_mut()) {
            return Sight::Small(small);
        }
        let mut histogram = self.blank();
        match whole {
            Some(whole) => {
                self.search.cover_part(self.space, &mut histogram, positions, whole);
            }
            None => self.search.cover(self.space, &mut histogram, positions),
        }
        Sight::Large(histogram)
    }

    /// Grows the subtree of a node and returns its number.
    fn node(&mut self, members: Members, sight: Option<Sight<C>>, depth: usize) -> usize {
        let Some(mut sight) = sight else { return self.leaf(&members) };
        let split = match &mut sight {
            Sight::Large(histogram) => {
                let split = self.search.best_split(self.space, histogram, &members.fitted);
                split.map(|split| (split, 0))
            }
            Sight::Small(small) => self.search.best_small_split(self.space, small),
        };
        let Some((split, word)) = split else {
            self.spare.extend(sight.into_histogram());
            return self.leaf(&members);
        };
        let (yes, no) = self.partition(&members, &split);
        let parts = [&yes.fitted[..], &no.fitted];
        let grows = parts.map(|p| depth + 1 < self.depth && p.len() >= 2 * self.min_leaf);
        let [yes_sight, no_sight] = match sight {
            Sight::Large(histogram) => self.children(histogram, &members.fitted, parts, grows),
            Sight::Small(small) => {
                let part = |grows: bool, word: u64| grows.then(|| Sight::Small(small.part(word)));
                [part(grows[0], word), part(grows[1], !word)]
            }
        };
        let at = self.tree.nodes.len();
        self.tree.nodes.push(GrownNode::Leaf { value: 0.0, cover: 0 });
        let cover = members.fitted.len() as u32;
        drop(members);
        let yes = self.node(yes, yes_sight, depth + 1);
        let no = self.node(no, no_sight, depth + 1);
        // Squares of huge residuals leave the range of numbers; a model holds finite ones.
        let gain = (split.gain * self.gain_unit).min(f64::MAX);
        self.tree.nodes[at] = GrownNode::Split { simplest: split.simplest, yes, no, gain, cover };
        at
    }

    fn partition(&mut self, members: &Members, split: &Split) -> (Members, Members) {
        let graphs = self.space.classes().graphs(split.class);
        graphs.for_each(|p| self.inside[p as usize] = true);
        let part = |positions: &[u32]| -> (Vec<u32>, Vec<u32>) {
            positions.iter().partition(|&&p| self.inside[p as usize])
        };
        let (yes_fitted, no_fitted) = part(&members.fitted);
        let (yes_out, no_out) = part(&members.left_out);
        graphs.for_each(|p| self.inside[p as usize] = false);
        (
            Members { fitted: yes_fitted, left_out: yes_out },
            Members { fitted: no_fitted, left_out: no_out },
        )
    }

    /// What the children are searched by, where they can be split at all.
    fn children(
        &mut self,
        mut parent: Histogram<C>,
        all: &[u32],
        parts: [&[u32]; 2],
        grows: [bool; 2],
    ) -> [Option<Sight<C>>; 2] {
        let smaller = usize::from(parts[1].len() < parts[0].len());
        let larger = 1 - smaller;
        let mut result = [None, None];
        if grows == [false, false] {
            self.spare.push(parent);
            return result;
        }
        let is_large = grows[larger] && !self.search.is_small(self.space, parts[larger].len());
        if is_large {
            self.search.cover(self.space, &mut parent, all);
        }
        let sight = self.look(parts[smaller], is_large.then_some(&mut parent));
        if grows[smaller] {
            result[smaller] = Some(sight);
        } else {
            self.spare.extend(sight.into_histogram());
        }
        if is_large {
            result[larger] = Some(Sight::Large(parent));
        } else {
            self.spare.push(parent);
            let small = grows[larger].then(|| self.search.small(self.space, parts[larger], None));
            result[larger] = small.flatten().map(Sight::Small);
        }
        result
    }

    fn leaf(&mut self, members: &Members) -> usize {
        let at = self.tree.nodes.len();
        for &p in members.fitted.iter().chain(&members.left_out) {
            self.tree.leaf_of[p as usize] = at as u32;
        }
        let value = (self.leaf_value)(&members.fitted);
        self.tree.nodes.push(GrownNode::Leaf { value, cover: members.fitted.len() as u32 });
        at
    }
}
