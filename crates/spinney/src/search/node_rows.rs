//! The rows of a node's graphs, cut down to the classes that may still divide it.
//!
//! Most classes of a sample are in hardly any graph of a smaller node, yet every node below looks
//! at every cell. So, where a node has but a part of the graphs of the rows in use, rows are
//! written anew for it and for all that is below it.
//!
//! **Invariant.** A class is left out only if it, and hence no part of it, has too few graphs of
//! the node for a leaf, or all but too few. Cells are numbered in the order of the classes, so what
//! a search finds is what it would have found with all of them.
//!
//! **Cost.** The node's rows are read once. Each entry takes two bytes.

use crate::mining::classes::ClassId;
use crate::mining::strata::holds;
use crate::search::class_sample::View;

/// The rows of some graphs.
#[derive(Debug)]
pub(crate) struct NodeRows {
    /// By cell, ascending.
    classes: Vec<ClassId>,
    /// Where rows start in `entries`, in the order of places, and the end.
    starts: Vec<u32>,
    entries: Vec<u16>,
    /// Where each graph's row is, by training position; meaningless for other graphs.
    places: Vec<u32>,
}

/// The graphs of a node, by training position.
pub(super) struct RowGraphs<'p> {
    pub(super) fitted: &'p [u32],
    /// Those that are only led through the tree.
    pub(super) left_out: &'p [u32],
    /// The number of training graphs.
    pub(super) all: usize,
    /// How many entries the rows of the fitted ones will have.
    pub(super) entries: usize,
}

/// No cell.
const NONE: u16 = u16::MAX;

impl NodeRows {
    /// The most cells.
    pub(super) const MAX_CELLS: usize = NONE as usize;

    /// The rows of some graphs with the cells of `view`, which must have rows at hand, that are
    /// `wanted`.
    pub(super) fn new(view: &View<'_>, wanted: &[usize], of: &RowGraphs<'_>) -> NodeRows {
        let classes = wanted.iter().filter_map(|&cell| view.class_at(cell)).collect();
        let mut cell_of = vec![NONE; view.cells()];
        (0..).zip(wanted).for_each(|(new, &cell)| cell_of[cell] = new);
        let fitted = of.fitted.len().max(1);
        let mut rows = NodeRows {
            classes,
            starts: vec![0],
            entries: Vec::with_capacity(of.entries + of.entries * of.left_out.len() / fitted),
            places: vec![0; of.all],
        };
        for (place, &position) in (0..).zip(of.fitted.iter().chain(of.left_out)) {
            rows.places[position as usize] = place;
            let entries = &mut rows.entries;
            view.for_each_cell(position, |cell| {
                let new = cell_of[cell];
                if new != NONE {
                    entries.push(new);
                }
            });
            rows.starts.push(rows.entries.len() as u32);
        }
        rows
    }

    /// The number of cells.
    #[must_use]
    pub(super) fn cells(&self) -> usize {
        self.classes.len()
    }

    /// The class of a cell.
    #[must_use]
    pub(super) fn class_at(&self, cell: usize) -> Option<ClassId> {
        self.classes.get(cell).copied()
    }

    /// The cells of a graph.
    #[inline(always)]
    #[must_use]
    pub(super) fn row(&self, position: u32) -> &[u16] {
        let place = self.places[position as usize] as usize;
        &self.entries[self.starts[place] as usize..self.starts[place + 1] as usize]
    }

    /// Tells which of the graphs have a class, if it is among these.
    pub(super) fn members(&self, class: ClassId) -> Option<impl Fn(u32) -> bool> {
        let cell = self.classes.binary_search(&class).ok()? as u16;
        Some(move |position| holds(self.row(position), cell))
    }
}
