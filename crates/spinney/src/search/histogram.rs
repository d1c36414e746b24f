//! Sums over every class at once.
//!
//! The cell of a class holds the sums over the node's graphs that belong to it. A node's histogram
//! is filled by walking the rows of its graphs; a sibling's is the parent's minus the other
//! child's.
//!
//! **Invariant.** All sums are integers, so a histogram is the same in whatever order it was
//! filled, and subtraction leaves no trace. A histogram covers the first `len` classes of its
//! view; classes found later are added at its end by [`Histogram::cover`].
//!
//! **Cost.** One addition for each (graph, class) pair, or fewer
//! ([`blocks`](crate::search::blocks)). A class takes 8 bytes for the paper's criterion
//! ([`packed`](crate::search::packed)), 24 with weights.

use rayon::prelude::{IndexedParallelIterator, ParallelIterator, ParallelSlice};

use crate::search::class_sample::{GrowingRows, View};
use crate::search::gain::{Rule, Sums};
use crate::search::samples::Samples;

/// What adds up exactly, in any order.
pub(crate) trait Adds: Copy + Default + Send + Sync {
    /// Adds another.
    fn add(&mut self, other: &Self);
    /// Takes another away.
    fn sub(&mut self, other: &Self);

    /// The sum of those at `positions`.
    fn sum(all: &[Self], positions: &[u32]) -> Self {
        let mut sum = Self::default();
        positions.iter().for_each(|&p| sum.add(&all[p as usize]));
        sum
    }
}

/// What a histogram holds for a class.
pub(crate) trait Cell: Adds {
    /// The cell of one graph.
    fn of(samples: &Samples, position: u32) -> Self;
    /// How many graphs were added up.
    fn count(&self) -> u32;
    /// The exact sums, if the cell holds them.
    fn sums(&self) -> Option<Sums> {
        None
    }
    /// Σ g²/h in units of [`Samples::q_unit`], if held.
    fn squares(&self) -> u64 {
        0
    }
    /// The classes that may be the best split or tie with it, of those that are usable.
    fn scan(cells: &[Self], node: &NodeSums<Self>, usable: impl Fn(usize) -> bool) -> Contenders;
    /// Finer cells for the graphs at `positions` alone, by training position, where those found
    /// with the usual ones say too little.
    fn refine(_samples: &Samples, _positions: &[u32], _found: &Contenders) -> Option<Vec<Self>> {
        None
    }
    /// Whether classes that were not found cannot be the best.
    fn settles(_found: &Contenders) -> bool {
        true
    }
}

/// A node's sums and what is a valid split of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeSums<C> {
    /// The node's sums.
    pub all: Sums,
    /// The cells of all its graphs, added up.
    pub total: C,
    /// What is a valid split.
    pub rule: Rule,
}

/// A cell, and its class's gain as far as cells show it, in any unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellGain {
    /// The cell's number.
    pub cell: usize,
    /// The gain.
    pub gain: f64,
}

/// Cells whose classes may be best.
#[derive(Clone, Debug)]
pub(crate) struct Contenders {
    /// The cells that came near the best one seen so far.
    pub close: Vec<CellGain>,
    /// Gains below this cannot be best.
    pub min_gain: f64,
}

impl Default for Contenders {
    fn default() -> Self {
        Contenders { close: Vec::new(), min_gain: f64::MIN_POSITIVE }
    }
}

impl Contenders {
    /// The largest gain.
    #[must_use]
    pub(crate) fn best(&self) -> f64 {
        self.close.iter().fold(0.0, |best, c| best.max(c.gain))
    }

    /// With what was found from `offset` on.
    fn and(mut self, other: Contenders, offset: usize) -> Contenders {
        self.min_gain = self.min_gain.max(other.min_gain);
        let moved = |c: CellGain| CellGain { cell: c.cell + offset, ..c };
        self.close.extend(other.close.into_iter().map(moved));
        self
    }
}

impl Adds for Sums {
    #[inline]
    fn add(&mut self, other: &Self) {
        // Counts of differences may be below zero until a cell is whole.
        let n = self.n.wrapping_add(other.n);
        *self = Sums { g: self.g + other.g, h: self.h + other.h, n };
    }

    #[inline]
    fn sub(&mut self, other: &Self) {
        let n = self.n.wrapping_sub(other.n);
        *self = Sums { g: self.g - other.g, h: self.h - other.h, n };
    }
}

impl Cell for Sums {
    fn of(samples: &Samples, position: u32) -> Self {
        samples.one(position)
    }

    fn count(&self) -> u32 {
        self.n
    }

    fn sums(&self) -> Option<Sums> {
        Some(*self)
    }

    fn scan(cells: &[Self], node: &NodeSums<Self>, usable: impl Fn(usize) -> bool) -> Contenders {
        scan_exactly(cells.iter().copied(), node.all, &node.rule, usable)
    }
}

/// Everything: weights, second order, and the squares for the bound from sums.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Full {
    sums: Sums,
    q: u64,
}

impl Adds for Full {
    fn add(&mut self, other: &Self) {
        self.sums.add(&other.sums);
        self.q += other.q;
    }

    fn sub(&mut self, other: &Self) {
        self.sums.sub(&other.sums);
        self.q -= other.q;
    }
}

impl Cell for Full {
    fn of(samples: &Samples, position: u32) -> Self {
        Full { sums: samples.one(position), q: samples.square(position) }
    }

    fn count(&self) -> u32 {
        self.sums.n
    }

    fn sums(&self) -> Option<Sums> {
        Some(self.sums)
    }

    fn squares(&self) -> u64 {
        self.q
    }

    fn scan(cells: &[Self], node: &NodeSums<Self>, usable: impl Fn(usize) -> bool) -> Contenders {
        scan_exactly(cells.iter().map(|c| c.sums), node.all, &node.rule, usable)
    }
}

/// Ties are within 2⁻³¹ of each other: whatever is below the best gain by more cannot lead.
fn scan_exactly(
    cells: impl Iterator<Item = Sums>,
    all: Sums,
    rule: &Rule,
    usable: impl Fn(usize) -> bool,
) -> Contenders {
    const CLOSE: f64 = 1.0 - 1e-9;
    let hurdle = Hurdle::new(all, rule);
    let mut found = Contenders::default();
    let mut bar = hurdle.bar(found.min_gain);
    for (cell, sums) in cells.enumerate() {
        if !hurdle.may_reach(sums, bar) {
            continue;
        }
        let gain = rule.raw_gain(sums, all).unwrap_or(-1.0);
        if gain >= found.min_gain && usable(cell) {
            found.min_gain = found.min_gain.max(gain * CLOSE);
            bar = hurdle.bar(found.min_gain);
            found.close.push(CellGain { cell, gain });
        }
    }
    found
}

/// A test without divisions that gains below a bar nearly always fail, and others never.
pub(super) struct Hurdle {
    all: Sums,
    l2: f64,
    whole: f64,
}

impl Hurdle {
    pub(super) fn new(all: Sums, rule: &Rule) -> Self {
        let whole = if all.h > 0 { rule.penalized(all) } else { 0.0 };
        Hurdle { all, l2: rule.l2, whole }
    }

    #[inline]
    pub(super) fn bar(&self, min_gain: f64) -> f64 {
        // Covers the rounding of both sides.
        (min_gain + self.whole) * (1.0 - 1e-12)
    }

    /// G₁²/a + G₀²/b ≥ bar, times ab, where a = H₁+λ and b = H₀+λ.
    #[inline]
    pub(super) fn may_reach(&self, part: Sums, bar: f64) -> bool {
        let g = part.g as f64;
        let rest = (self.all.g - part.g) as f64;
        let a = part.h as f64 + self.l2;
        let b = (self.all.h - part.h) as f64 + self.l2;
        g * g * b + rest * rest * a >= bar * (a * b)
    }
}

/// The cells of one node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histogram<C> {
    /// Those in use, and perhaps more.
    cells: Vec<C>,
    len: usize,
}

/// Cells that one thread works on at a time.
const CELLS_PER_THREAD: usize = 1 << 15;

impl<C: Adds> Histogram<C> {
    /// The cells, by class; there may be empty ones at the end.
    #[must_use]
    pub(crate) fn cells(&self) -> &[C] {
        &self.cells[..self.len]
    }

    pub(super) fn cells_mut(&mut self) -> &mut [C] {
        &mut self.cells[..self.len]
    }

    /// Forgets everything but the memory.
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Covers all classes that the view has by now, given the node's graphs.
    pub(crate) fn cover(&mut self, view: &View<'_>, positions: &[u32], samples: &[C]) {
        self.cover_and(view, positions, samples, &mut [(); 0], |_, _, _| ());
    }

    /// The same, for a part of the node that `whole` is the histogram of: takes it away there,
    /// which leaves its sibling's. Both cover the same classes.
    pub(crate) fn cover_part(
        &mut self,
        view: &View<'_>,
        positions: &[u32],
        samples: &[C],
        whole: &mut Histogram<C>,
    ) {
        self.cover_and(view, positions, samples, whole.cells_mut(), |_, part, whole| {
            whole.iter_mut().zip(part).for_each(|(cell, part)| cell.sub(part));
        });
    }

    /// Covers all classes and looks at all cells: stretch by stretch, as soon as they are whole.
    /// `then` is given the number of the first cell of a stretch, its cells, and those at the same
    /// place `beside` them.
    pub(super) fn cover_and<D: Send, R: Send>(
        &mut self,
        view: &View<'_>,
        positions: &[u32],
        samples: &[C],
        beside: &mut [D],
        then: impl Fn(usize, &mut [C], &mut [D]) -> R + Sync,
    ) -> Vec<R> {
        let from = self.len;
        let to = view.cells();
        self.len = from.max(to);
        match view {
            View::Blocks(blocks) if from == 0 => {
                self.cells.resize(to, C::default());
                return blocks.fill(positions, samples, &mut self.cells, beside, then);
            }
            View::Blocks(_) => {}
            _ if from >= to => {}
            View::Growing(rows) => {
                self.cells.truncate(from);
                self.cells.resize(to, C::default());
                self.add_rows(rows, positions, samples, from);
            }
            View::Sampled(rows) => {
                self.cells.clear();
                self.cells.resize(to, C::default());
                rows.for_each(positions, &mut self.cells, |cell, p| cell.add(&samples[p as usize]));
            }
            View::Node(rows) => {
                self.cells.clear();
                self.cells.resize(to, C::default());
                for &p in positions {
                    let sample = &samples[p as usize];
                    rows.row(p).iter().for_each(|&cell| self.cells[cell as usize].add(sample));
                }
            }
        }
        vec![then(0, self.cells_mut(), beside)]
    }

    fn add_rows(&mut self, rows: &GrowingRows, positions: &[u32], samples: &[C], from: usize) {
        for &p in positions {
            let sample = &samples[p as usize];
            for &class in rows.row_from(p, from) {
                self.cells[class as usize].add(sample);
            }
        }
    }

    /// Keeps the cells of which `keep` is true, and gives the numbers that they had.
    pub(super) fn keep(&mut self, keep: impl Fn(&C) -> bool) -> Vec<usize> {
        let mut numbers = Vec::new();
        for number in 0..self.len {
            if keep(&self.cells[number]) {
                self.cells[numbers.len()] = self.cells[number];
                numbers.push(number);
            }
        }
        self.len = numbers.len();
        numbers
    }

    fn shared(&self) -> bool {
        self.len > 2 * CELLS_PER_THREAD && rayon::current_num_threads() > 1
    }
}

impl<C: Cell> Histogram<C> {
    /// The classes that may be best.
    pub(crate) fn scan(
        &self,
        node: &NodeSums<C>,
        usable: impl Fn(usize) -> bool + Sync,
    ) -> Contenders {
        if !self.shared() {
            return C::scan(self.cells(), node, usable);
        }
        let shares = self.cells().par_chunks(CELLS_PER_THREAD).enumerate();
        let found: Vec<Contenders> = shares
            .map(|(i, cells)| C::scan(cells, node, |class| usable(i * CELLS_PER_THREAD + class)))
            .collect();
        let parts = found.into_iter().enumerate();
        parts.fold(Contenders::default(), |all, (i, part)| all.and(part, i * CELLS_PER_THREAD))
    }
}
