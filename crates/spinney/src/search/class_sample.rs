//! The classes that one tree may use.
//!
//! With `pattern_sample` below 1 every tree may use its own random part of the classes: some of the
//! [strata](crate::mining::strata) that they are dealt into. Which ones depends on the seed and the
//! tree; which stratum a class is in, on its signature. So engine, threads and order of discovery
//! do not matter.
//!
//! **Invariant.** The cells of a view are numbered 0, 1, ... in the order of its classes.

use crate::mining::classes::{ClassId, ClassTable};
use crate::mining::strata::{Strata, StrataRows};
use crate::random::random;
use crate::search::blocks::Blocks;
use crate::search::node_rows::NodeRows;

/// A random part of the classes, the same wherever it is drawn.
#[derive(Clone, Debug)]
pub(crate) struct ClassSample {
    /// `None` for all classes.
    drawn: Option<DrawnStrata>,
}

/// Some strata.
#[derive(Clone, Debug)]
struct DrawnStrata {
    strata: Strata,
    /// Ascending.
    drawn: Vec<u32>,
}

impl ClassSample {
    /// All classes.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn all() -> Self {
        ClassSample { drawn: None }
    }

    /// The part of size `share` that belongs to `tree`.
    #[must_use]
    pub(crate) fn new(share: f64, seed: u64, tree: u64) -> Self {
        let drawn = Strata::for_share(share).map(|strata| {
            let mut order: Vec<u32> = (0..strata.count).collect();
            let used = strata.used as usize;
            // The first steps of a shuffle.
            for at in 0..used {
                let left = (order.len() - at) as u128;
                let number = u128::from(random(seed, tree, at as u64));
                order.swap(at, at + ((number * left) >> 64) as usize);
            }
            order.truncate(used);
            order.sort_unstable();
            DrawnStrata { strata, drawn: order }
        });
        ClassSample { drawn }
    }

    /// Whether every class belongs to it.
    #[must_use]
    pub(crate) fn is_whole(&self) -> bool {
        self.drawn.is_none()
    }

    /// Whether the class with this signature belongs to it.
    #[must_use]
    pub(crate) fn has(&self, signature: u128) -> bool {
        let holds = |all: &DrawnStrata| all.drawn.contains(&all.strata.of(signature));
        self.drawn.as_ref().is_none_or(holds)
    }

    /// The cells of its classes, in a table by strata.
    #[must_use]
    pub(crate) fn cells(&self, table: &ClassTable) -> Option<SampledCells> {
        let rows = table.rows()?;
        let DrawnStrata { drawn, .. } = self.drawn.as_ref()?;
        let mut end = 0;
        let stretch = |&stratum: &u32| {
            let first = end;
            end += rows.classes(stratum);
            Stretch { stratum, first }
        };
        Some(SampledCells { stretches: drawn.iter().map(stretch).collect(), len: end })
    }
}

/// Where the classes of a sample have their cells.
#[derive(Clone, Debug)]
pub(crate) struct SampledCells {
    stretches: Vec<Stretch>,
    len: usize,
}

/// The cells of a stratum.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    stratum: u32,
    /// The first of them.
    first: usize,
}

/// The rows of a [`ClassTable`], whole or a sample.
#[derive(Clone, Copy, Debug)]
pub(crate) enum View<'t> {
    /// All classes under their own numbers; there may come more.
    Growing(&'t GrowingRows),
    /// All classes under their own numbers, by differences.
    Blocks(&'t Blocks),
    /// The sampled strata.
    Sampled(SampledRows<'t>),
    /// Some classes of a sample, for the graphs of a node.
    Node(&'t NodeRows),
}

/// The sampled part of a table's rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampledRows<'t> {
    pub(crate) rows: &'t StrataRows,
    pub(crate) cells: &'t SampledCells,
}

impl SampledRows<'_> {
    /// Calls `add` with the cells of a stratum, a graph at `positions`, and the number of a class
    /// that it has among these cells: stratum by stratum, graph by graph.
    #[inline(always)]
    pub(super) fn for_each<C>(
        &self,
        positions: &[u32],
        cells: &mut [C],
        mut add: impl FnMut(&mut C, u32),
    ) {
        for &Stretch { stratum, first } in &self.cells.stretches {
            let cells = &mut cells[first..first + self.rows.classes(stratum)];
            for &p in positions {
                self.rows.for_each(stratum, p, |class| add(&mut cells[class], p));
            }
        }
    }

    fn class_at(&self, cell: usize) -> Option<ClassId> {
        let stretches = &self.cells.stretches;
        let Stretch { stratum, first } = stretches.iter().rfind(|s| s.first <= cell)?;
        (cell < self.cells.len).then(|| self.rows.first(*stratum) + (cell - first) as ClassId)
    }
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

    /// The classes of a training graph from `first` on, ascending.
    pub(super) fn row_from(&self, position: u32, first: usize) -> &[ClassId] {
        let row = &self.rows[position as usize];
        &row[if first == 0 { 0 } else { row.partition_point(|&c| (c as usize) < first) }..]
    }
}

impl View<'_> {
    /// The number of cells of a histogram: one a class in view, or more.
    #[must_use]
    pub(super) fn cells(&self) -> usize {
        match self {
            View::Growing(rows) => rows.classes,
            View::Blocks(blocks) => blocks.cells(),
            View::Sampled(sampled) => sampled.cells.len,
            View::Node(rows) => rows.cells(),
        }
    }

    /// The class of a cell; some cells have none.
    #[must_use]
    pub(super) fn class_at(&self, cell: usize) -> Option<ClassId> {
        match self {
            View::Growing(rows) => (cell < rows.classes).then_some(cell as ClassId),
            View::Blocks(blocks) => blocks.class_at(cell),
            View::Sampled(sampled) => sampled.class_at(cell),
            View::Node(rows) => rows.class_at(cell),
        }
    }

    /// Calls `f` with every cell of a graph, where rows are at hand.
    #[inline(always)]
    pub(super) fn for_each_cell(&self, position: u32, mut f: impl FnMut(usize)) {
        match self {
            View::Growing(_) | View::Blocks(_) => {}
            View::Sampled(SampledRows { rows, cells }) => {
                for &Stretch { stratum, first } in &cells.stretches {
                    rows.for_each(stratum, position, |class| f(first + class));
                }
            }
            View::Node(rows) => rows.row(position).iter().for_each(|&cell| f(cell.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ClassSample;

    #[test]
    fn trees_draw_different_strata_of_the_right_number() {
        let drawn = |seed, tree| ClassSample::new(0.05, seed, tree).drawn.unwrap().drawn;
        for tree in 0..50 {
            let strata = drawn(1, tree);
            assert_eq!(strata.len(), 3);
            assert!(strata.is_sorted_by(|a, b| a < b) && strata[2] < 60);
            assert_eq!(strata, drawn(1, tree));
        }
        assert_ne!(drawn(1, 0), drawn(1, 1));
        assert_ne!(drawn(1, 0), drawn(2, 0));
        let all: std::collections::BTreeSet<u32> = (0..100).flat_map(|t| drawn(3, t)).collect();
        assert!(all.len() > 55, "{all:?}");
    }

    #[test]
    fn all_classes_belong_to_a_whole_sample() {
        assert!((0..100).all(|signature| ClassSample::new(1.0, 5, 5).has(signature)));
        let half = ClassSample::new(0.5, 5, 5);
        let has = (0..10_000).filter(|&signature| half.has(signature)).count();
        assert!((4_500..5_500).contains(&has), "{has}");
    }
}
