//! Cells of eight bytes: a coarse sum and a count.
//!
//! Most classes are far from the best. To see that, a gradient rounded to some twenty bits is
//! enough; only the few classes that may be best are summed up exactly, from their graphs.
//!
//! **Why nothing is lost.** For unit weights the root of a class's gain is the length of the
//! projection of the node's gradients on a unit vector. Rounding moves each gradient by at most
//! half a unit, hence the vector of the n gradients by at most √n/2 units, and any projection by no
//! more than that. With gain = n·q, every √q is therefore off by at most half a unit, and no class
//! whose rounded √q is more than one unit below the best can win or tie.
//!
//! **Invariant.** Sums of rounded gradients are integers of 32 bits that cannot overflow; count
//! and sum share one 64-bit addition, and a borrow of the count is paid back when the cell is
//! whole.

use crate::search::histogram::{Adds, Cell, CellGain, Contenders, NodeSums};
use crate::search::samples::Samples;

/// The sum of rounded gradients in the upper half, the number of graphs in the lower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packed(u64);

/// How far below the best the root of a quick gain may be: twice half a unit, and a little for
/// the floating-point operations.
const WITHIN: f64 = 1.001;
/// Where the best root of a quick gain is less than this many units, finer ones are worth having.
const FINE: f64 = 64.0;
/// Ties are within 2⁻³¹ of each other.
const TIES: f64 = 1.0 - 1e-9;
/// Cells that are checked together for one that may be best.
const CHUNK: usize = 32;

impl Packed {
    /// A cell of one graph with this rounded gradient.
    #[must_use]
    pub(crate) fn one(rounded: i32) -> Packed {
        Packed((i64::from(rounded) << 32) as u64 | 1)
    }

    /// The sum of rounded gradients and the number of graphs.
    #[must_use]
    pub(crate) fn parts(self) -> (i32, u32) {
        ((self.0 >> 32) as i32, self.0 as u32)
    }
}

impl Adds for Packed {
    fn add(&mut self, other: &Self) {
        self.0 = self.0.wrapping_add(other.0);
    }

    fn sub(&mut self, other: &Self) {
        self.0 = self.0.wrapping_sub(other.0);
    }
}

impl Cell for Packed {
    fn of(samples: &Samples, position: u32) -> Self {
        Packed::one(samples.rounded(position))
    }

    fn count(&self) -> u32 {
        self.parts().1
    }

    fn scan(cells: &[Self], node: &NodeSums<Self>, usable: impl Fn(usize) -> bool) -> Contenders {
        let (sum, count) = node.total.parts();
        let n = f64::from(count);
        let mean = f64::from(sum) / n;
        let smallest = node.rule.min_leaf.max(1);
        let mut found = Contenders::default();
        let mut min_gain = f64::MIN_POSITIVE;
        for (at, chunk) in cells.chunks(CHUNK).enumerate() {
            let may_win = |cell: &Packed| {
                let (g, k) = cell.parts();
                let k = f64::from(k as i32);
                let s = f64::from(g) - k * mean;
                s * s > min_gain * (k * (n - k))
            };
            if !chunk.iter().fold(false, |any, cell| any | may_win(cell)) {
                continue;
            }
            for (i, cell) in chunk.iter().enumerate() {
                let (g, k) = cell.parts();
                if k < smallest || count - k < smallest {
                    continue;
                }
                let k = f64::from(k);
                let s = f64::from(g) - k * mean;
                let quick = s * s / (k * (n - k));
                let cell = at * CHUNK + i;
                if quick >= min_gain && usable(cell) {
                    min_gain = min_gain.max(lowest_contender(quick));
                    found.close.push(CellGain { cell, gain: quick });
                }
            }
        }
        found.min_gain = min_gain;
        found
    }

    fn refine(samples: &Samples, positions: &[u32], found: &Contenders) -> Option<Vec<Self>> {
        if found.best() >= FINE * FINE {
            return None;
        }
        let rounded = samples.rounded_within(positions)?;
        Some(rounded.into_iter().map(Packed::one).collect())
    }

    /// Below two units a class may be found to gain nothing and yet be best.
    fn settles(found: &Contenders) -> bool {
        found.best() > (2.0 * WITHIN).powi(2)
    }
}

/// The lowest quick gain that may still be best where `quick` has been seen.
fn lowest_contender(quick: f64) -> f64 {
    (quick.sqrt() * TIES - WITHIN).max(0.0).powi(2)
}
