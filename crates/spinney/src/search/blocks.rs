//! The rows of all classes, stored as differences, in blocks that fit a cache.
//!
//! Classes (the most frequent first) are cut into blocks. In a block a class is stored as the
//! graphs in which it differs from an earlier class of the block (`neighbors`), from no graph, or
//! from all graphs. A graph's row in a block lists the classes that have it though
//! their base has not, and those that lack it though their base has it.
//!
//! **Invariant.** Sums over a node are linear in the rows: fill a cell with a class's differences,
//! add the cell of its base, and it holds the class's own sums, to the last bit, because all
//! sums are integers. Blocks do not depend on one another: they are filled in parallel.
//!
//! **Cost.** One addition for each difference of the node's graphs and one for each class.
//! Differences are kept by graph and by class: where a node has most graphs, it is quicker to add
//! up class by class, which reads numbers from a short list and writes each cell once.

use std::ops::Range;

use rayon::prelude::{IntoParallelIterator, ParallelIterator};

use crate::mining::classes::{ClassId, ClassTable};
use crate::search::histogram::Adds;
use crate::search::neighbors::{Base, Hashes};

/// The most cells of a block; all blocks but the last are full.
const MAX_CELLS: usize = 1 << 14;
/// The most classes of a block. Two cells more, after them, are of no graph and of all graphs.
const MAX_CLASSES: usize = MAX_CELLS - 2;

/// The rows of all classes of a table.
#[derive(Debug)]
pub(crate) struct Blocks {
    blocks: Vec<Block>,
    classes: usize,
}

#[derive(Debug)]
struct Block {
    /// The cell of the base of each class.
    bases: Vec<u16>,
    /// Where a graph's additions end in `classes`, and where its omissions end.
    row_ends: Vec<[u32; 2]>,
    classes: Vec<u16>,
    by_class: ByClass,
}

/// The differences class by class, graphs in as few bytes as they need.
#[derive(Debug)]
enum ByClass {
    Short(Differences<u16>),
    Long(Differences<u32>),
}

impl Blocks {
    /// The rows of `table`.
    #[must_use]
    pub(crate) fn new(table: &ClassTable) -> Blocks {
        let hashes = Hashes::new(table.graph_count());
        let starts: Vec<usize> = (0..table.len()).step_by(MAX_CLASSES).collect();
        let range = |s: usize| s as ClassId..(s + MAX_CLASSES).min(table.len()) as ClassId;
        let blocks = starts.into_par_iter().map(|s| Block::new(table, &hashes, range(s))).collect();
        Blocks { blocks, classes: table.len() }
    }

    /// The number of cells of a histogram.
    #[must_use]
    pub(super) fn cells(&self) -> usize {
        self.classes + 2 * self.blocks.len()
    }

    /// The class of a cell, if it is one of a class.
    pub(super) fn class_at(&self, cell: usize) -> Option<ClassId> {
        let class = cell / MAX_CELLS * MAX_CLASSES + cell % MAX_CELLS;
        (cell % MAX_CELLS < MAX_CLASSES && class < self.classes).then_some(class as ClassId)
    }

    /// Fills `cells` with the sums over the graphs at `positions`.
    ///
    /// As soon as a block is filled, and still in cache, `then` is given the number of its first
    /// cell, its cells, and those at the same place `beside` them (none if that is empty); what it
    /// gives comes back in the order of the blocks.
    pub(super) fn fill<C: Adds, D: Send, R: Send>(
        &self,
        positions: &[u32],
        samples: &[C],
        cells: &mut [C],
        beside: &mut [D],
        then: impl Fn(usize, &mut [C], &mut [D]) -> R + Sync,
    ) -> Vec<R> {
        let total = C::sum(samples, positions);
        let by_class = BY_CLASS_FRACTION * positions.len() >= samples.len();
        let inside = if by_class { inside(positions, samples) } else { Vec::new() };
        let mut beside = beside.chunks_mut(MAX_CELLS);
        let parts = self.blocks.iter().zip(cells.chunks_mut(MAX_CELLS)).enumerate();
        let parts = parts.map(|(i, (block, cells))| {
            let beside = beside.next().unwrap_or_default();
            BlockCells { first: i * MAX_CELLS, block, cells, beside }
        });
        let fill = |part: BlockCells<'_, C, D>| {
            if by_class {
                part.block.fill_by_class(&inside, total, part.cells);
            } else {
                part.block.fill_by_graph(positions, samples, total, part.cells);
            }
            then(part.first, part.cells, part.beside)
        };
        if rayon::current_num_threads() > 1 {
            let parts: Vec<_> = parts.collect();
            parts.into_par_iter().map(fill).collect()
        } else {
            parts.map(fill).collect()
        }
    }
}

/// A node with at least one graph in this many is filled class by class.
const BY_CLASS_FRACTION: usize = 3;

/// A block that is being filled.
struct BlockCells<'b, C, D> {
    /// The number of its first cell.
    first: usize,
    block: &'b Block,
    cells: &'b mut [C],
    beside: &'b mut [D],
}

/// What each graph adds: nothing if it is not among `positions`.
fn inside<C: Adds>(positions: &[u32], samples: &[C]) -> Vec<C> {
    let mut inside = vec![C::default(); samples.len()];
    positions.iter().for_each(|&p| inside[p as usize] = samples[p as usize]);
    inside
}

impl Block {
    fn new(table: &ClassTable, hashes: &Hashes, range: Range<ClassId>) -> Block {
        let bases = hashes.bases(table, range.clone());
        if table.graph_count() <= 1 << 16 {
            Block::from_bases(&bases, Differences::new(table, range.start, &bases), ByClass::Short)
        } else {
            Block::from_bases(&bases, Differences::new(table, range.start, &bases), ByClass::Long)
        }
    }

    fn from_bases<P: Position>(
        bases: &[Base],
        differences: Differences<P>,
        by_class: impl Fn(Differences<P>) -> ByClass,
    ) -> Block {
        let code = |base: &Base| match base {
            Base::Nothing => bases.len() as u16,
            Base::Everything => bases.len() as u16 + 1,
            Base::Class(class) => *class as u16,
        };
        let rows = differences.by_graph();
        let bases = bases.iter().map(code).collect();
        let by_class = by_class(differences);
        Block { bases, row_ends: rows.ends, classes: rows.classes, by_class }
    }

    fn fill_by_graph<C: Adds>(&self, positions: &[u32], samples: &[C], total: C, cells: &mut [C]) {
        cells.fill(C::default());
        cells[self.bases.len() + 1] = total;
        for &p in positions {
            let p = p as usize;
            let sample = &samples[p];
            let start = if p == 0 { 0 } else { self.row_ends[p - 1][1] as usize };
            let [middle, end] = self.row_ends[p].map(|e| e as usize);
            for &class in &self.classes[start..middle] {
                cells[class as usize].add(sample);
            }
            for &class in &self.classes[middle..end] {
                cells[class as usize].sub(sample);
            }
        }
        for (class, &base) in self.bases.iter().enumerate() {
            let base = cells[base as usize];
            cells[class].add(&base);
        }
    }

    fn fill_by_class<C: Adds>(&self, inside: &[C], total: C, cells: &mut [C]) {
        cells[self.bases.len()] = C::default();
        cells[self.bases.len() + 1] = total;
        match &self.by_class {
            ByClass::Short(differences) => differences.add_up(&self.bases, inside, cells),
            ByClass::Long(differences) => differences.add_up(&self.bases, inside, cells),
        }
    }
}

/// A training graph's position.
trait Position: Copy {
    fn of(position: u32) -> Self;
    fn get(self) -> usize;
}

impl Position for u16 {
    fn of(position: u32) -> Self {
        position as u16
    }

    fn get(self) -> usize {
        self.into()
    }
}

impl Position for u32 {
    fn of(position: u32) -> Self {
        position
    }

    fn get(self) -> usize {
        self as usize
    }
}

/// The differences of a block, graph by graph.
struct GraphRows {
    /// Where a graph's additions end in `classes`, and where its omissions end.
    ends: Vec<[u32; 2]>,
    classes: Vec<u16>,
}

/// The differences of a block, class by class.
#[derive(Debug)]
struct Differences<P> {
    /// Where a class's additions end in `graphs`, and where its omissions end.
    ends: Vec<[u32; 2]>,
    graphs: Vec<P>,
    all: usize,
}

impl<P: Position> Differences<P> {
    /// The differences of the classes from `start` on from their bases.
    fn new(table: &ClassTable, start: ClassId, bases: &[Base]) -> Self {
        let all = table.graph_count();
        let mut differ = Differences { ends: Vec::new(), graphs: Vec::new(), all };
        let mut marks = vec![0; all];
        for (class, base) in (start..).zip(bases) {
            match base {
                Base::Nothing => differ.add(table, class, None, &mut marks),
                Base::Everything => differ.add_to_everything(table, class, &mut marks),
                Base::Class(base) => differ.add(table, class, Some(start + base), &mut marks),
            }
        }
        differ.graphs.shrink_to_fit();
        differ
    }

    /// Adds a class; `marks` are all zero, before and after.
    fn add(&mut self, table: &ClassTable, class: ClassId, base: Option<ClassId>, marks: &mut [u8]) {
        let all = &mut self.graphs;
        if let Some(base) = base {
            table.graphs(base).for_each(|p| marks[p as usize] = 1);
        }
        table.graphs(class).for_each(|p| {
            if std::mem::take(&mut marks[p as usize]) == 0 {
                all.push(P::of(p));
            }
        });
        let middle = all.len() as u32;
        if let Some(base) = base {
            table.graphs(base).for_each(|p| {
                if std::mem::take(&mut marks[p as usize]) == 1 {
                    all.push(P::of(p));
                }
            });
        }
        self.ends.push([middle, self.graphs.len() as u32]);
    }

    fn add_to_everything(&mut self, table: &ClassTable, class: ClassId, marks: &mut [u8]) {
        table.graphs(class).for_each(|p| marks[p as usize] = 1);
        let middle = self.graphs.len() as u32;
        for (p, mark) in (0..).zip(marks) {
            if std::mem::take(mark) == 0 {
                self.graphs.push(P::of(p));
            }
        }
        self.ends.push([middle, self.graphs.len() as u32]);
    }

    /// The additions and the omissions of each class.
    fn of_classes(&self) -> impl Iterator<Item = [&[P]; 2]> {
        let mut start = 0;
        self.ends.iter().map(move |ends| {
            let [middle, end] = ends.map(|end| end as usize);
            let both = [&self.graphs[start..middle], &self.graphs[middle..end]];
            start = end;
            both
        })
    }

    /// Sorts them by graph: a counting sort.
    fn by_graph(&self) -> GraphRows {
        let mut ends = vec![[0u32; 2]; self.all];
        for both in self.of_classes() {
            for (kind, graphs) in both.into_iter().enumerate() {
                graphs.iter().for_each(|graph| ends[graph.get()][kind] += 1);
            }
        }
        let mut next = 0;
        let starts = ends.as_flattened_mut().iter_mut();
        starts.for_each(|end| next += std::mem::replace(end, next));
        let mut classes = vec![0u16; self.graphs.len()];
        for (class, both) in (0..).zip(self.of_classes()) {
            for (kind, graphs) in both.into_iter().enumerate() {
                for graph in graphs {
                    let end = &mut ends[graph.get()][kind];
                    classes[*end as usize] = class;
                    *end += 1;
                }
            }
        }
        GraphRows { ends, classes }
    }

    /// Fills the cells of the classes; those of their bases come before, or are filled already.
    fn add_up<C: Adds>(&self, bases: &[u16], inside: &[C], cells: &mut [C]) {
        for (class, (&base, [more, less])) in bases.iter().zip(self.of_classes()).enumerate() {
            let mut sum = cells[base as usize];
            more.iter().for_each(|graph| sum.add(&inside[graph.get()]));
            less.iter().for_each(|graph| sum.sub(&inside[graph.get()]));
            cells[class] = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, prop, prop_assert_eq, proptest};

    use super::Blocks;
    use crate::mining::classes::{ClassTable, Column};
    use crate::search::gain::Sums;
    use crate::search::histogram::Cell;
    use crate::search::packed::Packed;
    use crate::search::samples::Samples;

    const GRAPHS: u32 = 90;

    /// Sets of all sizes, and for each some that differ in a few graphs.
    fn sets() -> impl Strategy<Value = Vec<Vec<u32>>> {
        let flips = prop::collection::vec(prop::collection::btree_set(0..GRAPHS, 0..6), 0..12);
        let one = (0u64..u64::MAX, 1u32..10, flips).prop_map(|(seed, tenths, flips)| {
            let has = |p: u32| crate::random::random(seed, 0, p.into()) % 10 < u64::from(tenths);
            let set: Vec<bool> = (0..GRAPHS).map(has).collect();
            let flipped = flips.into_iter().map(move |flips| {
                let mut set = set.clone();
                flips.into_iter().for_each(|p| set[p as usize] ^= true);
                (0..GRAPHS).filter(|&p| set[p as usize]).collect::<Vec<u32>>()
            });
            flipped.collect::<Vec<_>>()
        });
        prop::collection::vec(one, 1..6).prop_map(|sets| sets.concat())
    }

    fn check<C: Cell + PartialEq + std::fmt::Debug>(table: &ClassTable, node: &[u32], s: &Samples) {
        let blocks = Blocks::new(table);
        let samples: Vec<C> = (0..GRAPHS).map(|p| C::of(s, p)).collect();
        let mut cells = vec![C::default(); blocks.cells()];
        blocks.fill(node, &samples, &mut cells, &mut [0u8; 0], |_, _, _| ());
        for class in 0..table.len() as u32 {
            let mut sum = C::default();
            let here = table.graphs(class).iter().filter(|p| node.contains(p));
            here.for_each(|p| sum.add(&samples[p as usize]));
            assert_eq!(cells[class as usize], sum);
        }
    }

    proptest! {
        #[test]
        fn differences_add_up_to_the_classes(sets in sets(), some in 1u32..30) {
            let mut table = ClassTable::new(GRAPHS as usize);
            let mut known = std::collections::BTreeSet::new();
            for (i, set) in sets.iter().enumerate() {
                table.add(Column { pattern: i as u32, at_least: 1 }, 1, set);
                known.insert(set);
            }
            prop_assert_eq!(table.len(), known.len());
            let values: Vec<f64> = (0..GRAPHS).map(|p| f64::from(p * p % 31) - 12.5).collect();
            let weights: Vec<f64> = (0..GRAPHS).map(|p| f64::from(1 + p % 4)).collect();
            let samples = Samples::new(&values, Some(&weights)).unwrap();
            for node in [(0..GRAPHS).collect::<Vec<u32>>(), (0..some).map(|p| 3 * p).collect()] {
                check::<Packed>(&table, &node, &samples);
                check::<Sums>(&table, &node, &samples);
            }
        }
    }
}
