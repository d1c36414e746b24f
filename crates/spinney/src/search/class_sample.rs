//! The classes that one tree may use.
//!
//! With `pattern_sample` below 1 every tree may use its own random part of the classes. Whether a
//! class belongs to it depends on the class's signature, the seed and the tree, and on nothing
//! else, so engine, threads and order of discovery do not matter.
//!
//! **Invariant.** A view numbers its classes 0, 1, ... in the order of the table.

use crate::mining::classes::{ClassId, ClassTable, Positions};
use crate::random::mix;
use crate::search::blocks::Blocks;

/// A random part of the classes, the same wherever it is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassSample {
    seed: u64,
    threshold: u64,
    all: bool,
}

impl ClassSample {
    /// The part of size `fraction` that belongs to `tree`.
    #[must_use]
    pub(crate) fn new(fraction: f64, seed: u64, tree: u64) -> Self {
        let threshold = (fraction.clamp(0.0, 1.0) * 2f64.powi(64)) as u64;
        let seed = mix(mix(seed) ^ tree.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        ClassSample { seed, threshold, all: fraction >= 1.0 }
    }

    /// Whether every class belongs to it.
    #[must_use]
    pub(crate) fn is_all(&self) -> bool {
        self.all
    }

    /// Whether the class with this signature belongs to it.
    #[must_use]
    pub(crate) fn has(&self, signature: u128) -> bool {
        self.all
            || mix(self.seed ^ signature as u64 ^ mix((signature >> 64) as u64)) < self.threshold
    }
}

/// The rows of a [`ClassTable`], whole or cut down to a sample.
#[derive(Clone, Copy, Debug)]
pub(crate) enum View<'t> {
    /// All classes under their own numbers; there may come more.
    Growing(&'t GrowingRows),
    /// All classes under their own numbers, by differences.
    Blocks(&'t Blocks),
    /// The sampled classes, renumbered.
    Sampled(&'t SampledRows),
}

/// The classes of each training graph, ascending: a row grows at its end.
#[derive(Debug, Default)]
pub(crate) struct GrowingRows {
    rows: Vec<Vec<ClassId>>,
    classes: usize,
}

impl GrowingRows {
    /// Empty rows of `graphs` training graphs.
    #[must_use]
    pub(crate) fn new(graphs: usize) -> GrowingRows {
        GrowingRows { rows: vec![Vec::new(); graphs], classes: 0 }
    }

    /// Adds the next class, which the graphs at `positions` have.
    pub(crate) fn push(&mut self, positions: &[u32]) {
        let class = self.classes as ClassId;
        positions.iter().for_each(|&p| self.rows[p as usize].push(class));
        self.classes += 1;
    }
}

/// The sampled part of a table's rows.
#[derive(Debug, Default)]
pub(crate) struct SampledRows {
    classes: Vec<ClassId>,
    ends: Vec<usize>,
    rows: Vec<u32>,
}

impl SampledRows {
    /// Cuts the rows of `table`, of `graphs` training graphs, down to the classes in `sample`.
    /// Rows that the tree is not fitted to are cut, too: to leave them out would take longer.
    #[must_use]
    pub(crate) fn new(table: &ClassTable, graphs: usize, sample: &ClassSample) -> SampledRows {
        let classes: Vec<ClassId> =
            (0..table.len() as ClassId).filter(|&c| sample.has(table.signature(c))).collect();
        let lists: Vec<Positions<'_>> = classes.iter().map(|&class| table.graphs(class)).collect();
        // Counting sort of (graph, class) pairs by graph; `ends` first counts, then points.
        let mut ends = vec![0usize; graphs];
        for (local, list) in lists.iter().enumerate() {
            fetch(lists.get(local + LISTS_AHEAD));
            list.for_each(|p| ends[p as usize] += 1);
        }
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let mut rows = vec![0; total];
        for (local, list) in lists.iter().enumerate() {
            fetch(lists.get(local + LISTS_AHEAD));
            list.for_each(|p| {
                let slot = &mut ends[p as usize];
                rows[*slot] = local as u32;
                *slot += 1;
            });
        }
        SampledRows { classes, ends, rows }
    }
}

/// How many lists of graphs are fetched ahead.
const LISTS_AHEAD: usize = 12;

/// Reads the start of a list ahead of its use: sampled lists lie apart in memory, and where one
/// ends cannot be predicted.
#[inline]
fn fetch(list: Option<&Positions<'_>>) {
    let first = list.and_then(|list| match list {
        Positions::Short(all) => all.first().map(|&p| p.into()),
        Positions::Long(all) => all.first().copied(),
    });
    std::hint::black_box(first);
}

impl View<'_> {
    /// The number of cells of a histogram: one a class in view, or more.
    #[must_use]
    pub(super) fn cells(&self) -> usize {
        match self {
            View::Growing(rows) => rows.classes,
            View::Blocks(blocks) => blocks.cells(),
            View::Sampled(sampled) => sampled.classes.len(),
        }
    }

    /// The classes of a training graph, ascending, as numbers of this view; empty where rows are
    /// stored as differences.
    #[must_use]
    pub(super) fn row(&self, position: u32) -> &[u32] {
        match self {
            View::Growing(rows) => &rows.rows[position as usize],
            View::Blocks(_) => &[],
            View::Sampled(part) => {
                let p = position as usize;
                let start = if p == 0 { 0 } else { part.ends[p - 1] };
                &part.rows[start..part.ends[p]]
            }
        }
    }

    /// The class of a cell; some cells have none.
    #[must_use]
    pub(super) fn class_at(&self, cell: usize) -> Option<ClassId> {
        match self {
            View::Growing(rows) => (cell < rows.classes).then_some(cell as ClassId),
            View::Blocks(blocks) => blocks.class_at(cell),
            View::Sampled(sampled) => sampled.classes.get(cell).copied(),
        }
    }
}
