//! The classes that one tree may use.
//!
//! With `pattern_sample` below 1 every tree sees its own random part of the classes. Whether a
//! class belongs to it depends on the class's signature, the seed and the tree, and on nothing
//! else, so engine, threads and order of discovery do not matter.
//!
//! **Invariant.** A view numbers its classes 0, 1, ... in the order of the table.

use crate::mining::classes::{ClassId, ClassTable};
use crate::random::mix;

/// A random part of the classes, the same wherever it is drawn.
#[derive(Clone, Copy, Debug)]
pub struct ClassSample {
    seed: u64,
    threshold: u64,
    all: bool,
}

impl ClassSample {
    /// The part of size `fraction` that belongs to `tree`.
    #[must_use]
    pub fn new(fraction: f64, seed: u64, tree: u64) -> Self {
        let threshold = (fraction.clamp(0.0, 1.0) * 2f64.powi(64)) as u64;
        let seed = mix(mix(seed) ^ tree.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        ClassSample { seed, threshold, all: fraction >= 1.0 }
    }

    /// Whether every class belongs to it.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.all
    }

    /// Whether the class with this signature belongs to it.
    #[must_use]
    pub fn has(&self, signature: u128) -> bool {
        self.all
            || mix(self.seed ^ signature as u64 ^ mix((signature >> 64) as u64)) < self.threshold
    }
}

/// Rows of a [`ClassTable`], whole or cut down to a sample.
#[derive(Clone, Copy, Debug)]
pub enum View<'t> {
    /// All classes under their own numbers; the table may grow.
    Whole(&'t ClassTable),
    /// The sampled classes, renumbered.
    Part(&'t Part),
}

/// The sampled part of a table's rows.
#[derive(Debug, Default)]
pub struct Part {
    classes: Vec<ClassId>,
    ends: Vec<usize>,
    rows: Vec<u32>,
}

impl Part {
    /// Cuts the rows of `table` at `positions` (ascending) down to the classes in `sample`.
    #[must_use]
    pub fn new(table: &ClassTable, positions: &[u32], graphs: usize, sample: &ClassSample) -> Part {
        let classes: Vec<ClassId> =
            (0..table.len() as ClassId).filter(|&c| sample.has(table.signature(c))).collect();
        // Counting sort of (graph, class) pairs by graph; `ends` first counts, then points.
        let mut ends = vec![0usize; graphs];
        let mut wanted = vec![false; graphs];
        positions.iter().for_each(|&p| wanted[p as usize] = true);
        for &class in &classes {
            table.graphs(class).iter().for_each(|&p| ends[p as usize] += 1);
        }
        let mut total = 0;
        for (end, wanted) in ends.iter_mut().zip(&wanted) {
            let count = if *wanted { *end } else { 0 };
            *end = total;
            total += count;
        }
        let mut rows = vec![0; total];
        for (local, &class) in classes.iter().enumerate() {
            for &p in table.graphs(class).iter().filter(|&&p| wanted[p as usize]) {
                let slot = &mut ends[p as usize];
                rows[*slot] = local as u32;
                *slot += 1;
            }
        }
        Part { classes, ends, rows }
    }
}

impl View<'_> {
    /// The number of classes in view.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            View::Whole(table) => table.len(),
            View::Part(part) => part.classes.len(),
        }
    }

    /// Whether no class is in view.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The classes of a training graph, ascending, as numbers of this view.
    #[must_use]
    pub fn row(&self, position: u32) -> &[u32] {
        match self {
            View::Whole(table) => table.row(position),
            View::Part(part) => {
                let p = position as usize;
                let start = if p == 0 { 0 } else { part.ends[p - 1] };
                &part.rows[start..part.ends[p]]
            }
        }
    }

    /// The class behind a number of this view.
    #[must_use]
    pub fn class(&self, local: usize) -> ClassId {
        match self {
            View::Whole(_) => local as ClassId,
            View::Part(part) => part.classes[local],
        }
    }
}
