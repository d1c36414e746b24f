//! Sums over every class at once.
//!
//! The cell of a class holds the sums over the node's graphs that belong to it. A node's histogram
//! is filled by walking the rows of its graphs; a sibling's is the parent's minus the other child's.
//!
//! **Invariant.** All sums are integers, so a histogram is the same in whatever order it was
//! filled, and subtraction leaves no trace. A histogram covers the first `len` classes of its
//! view; classes found later are added at its end by [`Histogram::cover`].
//!
//! **Cost.** One addition for each (graph, class) pair; 16 bytes a class for the paper's criterion.

use super::gain::{Rule, Sums};
use super::samples::Samples;
use super::view::View;

/// What a histogram holds for a class.
pub trait Cell: Copy + Default + Send + Sync {
    /// The cell of one graph.
    fn of(samples: &Samples, position: u32) -> Self;
    /// Adds another cell.
    fn add(&mut self, other: &Self);
    /// Takes another cell away.
    fn sub(&mut self, other: &Self);
    /// The sums held.
    fn sums(&self) -> Sums;
    /// Σ g²/h in units of [`Samples::q_unit`], if held.
    fn squares(&self) -> u64 {
        0
    }
    /// The gain to within a millionth of a millionth, and quickly; negative if forbidden.
    fn quick_gain(&self, node: &NodeSums) -> f64;
}

/// A node's sums with what [`Cell::quick_gain`] needs of them.
#[derive(Clone, Copy, Debug)]
pub struct NodeSums {
    /// The node's sums.
    pub all: Sums,
    /// What is a valid split.
    pub rule: Rule,
    mean: i64,
    rest: f64,
}

impl NodeSums {
    /// Prepares a node's sums.
    #[must_use]
    pub fn new(all: Sums, rule: Rule) -> Self {
        let n = i64::from(all.n.max(1));
        let mean = all.g / n;
        NodeSums { all, rule, mean, rest: (all.g - n * mean) as f64 / n as f64 }
    }
}

/// Gradient and count: all that the paper's criterion needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain {
    g: i64,
    n: u32,
}

impl Cell for Plain {
    fn of(samples: &Samples, position: u32) -> Self {
        Plain { g: samples.one(position).g, n: 1 }
    }

    fn add(&mut self, other: &Self) {
        self.g += other.g;
        self.n += other.n;
    }

    fn sub(&mut self, other: &Self) {
        self.g -= other.g;
        self.n -= other.n;
    }

    fn sums(&self) -> Sums {
        Sums { g: self.g, h: self.n.into(), n: self.n }
    }

    /// s²/(k(n−k)) with s centred on the node's mean: proportional to the gain.
    fn quick_gain(&self, node: &NodeSums) -> f64 {
        let (k, n, least) = (self.n, node.all.n, node.rule.min_leaf.max(1));
        if k < least || n - k < least {
            return -1.0;
        }
        let s = (self.g - i64::from(k) * node.mean) as f64 - f64::from(k) * node.rest;
        s * s / (f64::from(k) * f64::from(n - k))
    }
}

/// Everything: weights, second order, and the squares for the bound from sums.
#[derive(Clone, Copy, Debug, Default)]
pub struct Full {
    sums: Sums,
    q: u64,
}

impl Cell for Full {
    fn of(samples: &Samples, position: u32) -> Self {
        Full { sums: samples.one(position), q: samples.square(position) }
    }

    fn add(&mut self, other: &Self) {
        self.sums.g += other.sums.g;
        self.sums.h += other.sums.h;
        self.sums.n += other.sums.n;
        self.q += other.q;
    }

    fn sub(&mut self, other: &Self) {
        self.sums = self.sums.minus(other.sums);
        self.q -= other.q;
    }

    fn sums(&self) -> Sums {
        self.sums
    }

    fn squares(&self) -> u64 {
        self.q
    }

    fn quick_gain(&self, node: &NodeSums) -> f64 {
        node.rule.raw_gain(self.sums, node.all).unwrap_or(-1.0)
    }
}

/// The cells of one node.
#[derive(Clone, Debug, Default)]
pub struct Histogram<C> {
    cells: Vec<C>,
}

impl<C: Cell> Histogram<C> {
    /// How many classes it covers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether it covers no class.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The cells, by class.
    #[must_use]
    pub fn cells(&self) -> &[C] {
        &self.cells
    }

    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.cells.clear();
    }

    /// Covers all classes that the view has by now, given the node's graphs.
    pub fn cover(&mut self, view: &View<'_>, positions: &[u32], samples: &[C]) {
        let (from, to) = (self.cells.len(), view.len());
        if from >= to {
            return;
        }
        self.cells.resize(to, C::default());
        for &p in positions {
            let row = view.row(p);
            let new =
                if from == 0 { row } else { &row[row.partition_point(|&c| (c as usize) < from)..] };
            let sample = &samples[p as usize];
            for &class in new {
                self.cells[class as usize].add(sample);
            }
        }
    }

    /// Takes a child's histogram away, leaving its sibling's. Both cover the same classes.
    pub fn subtract(&mut self, child: &Histogram<C>) {
        for (cell, part) in self.cells.iter_mut().zip(&child.cells) {
            cell.sub(part);
        }
    }
}
