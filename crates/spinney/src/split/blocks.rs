//! The rows of all classes, told by differences, in blocks that fit a cache.
//!
//! Classes (the most frequent first) are cut into blocks. In a block a class is told by the graphs
//! in which it differs from an earlier class of the block (`neighbors`), from
//! no graph, or from all graphs. A graph's row in a block lists the classes that have it though
//! their base has not, and those that lack it though their base has it.
//!
//! **Invariant.** Sums over a node are linear in the rows: fill a cell with a class's differences,
//! add the cell of its base, and it holds the class's own sums, to the last bit, because all
//! sums are integers. Blocks do not depend on one another: they are filled in parallel.
//!
//! **Cost.** One addition for each difference of the node's graphs and one for each class. Differences
//! are kept by graph and by class: where a node has most graphs, it is quicker to add up class by
//! class, which reads numbers from a short list and writes each cell once.

use std::ops::Range;

use rayon::prelude::{IntoParallelIterator, ParallelIterator};

use super::histogram::Adds;
use super::neighbors::{Base, Hashes};
use crate::mining::classes::{ClassId, ClassTable};

/// The most cells of a block; all blocks but the last have so many.
const SIZE: usize = 1 << 14;
/// The most classes of a block. Two cells more, after them, are of no graph and of all graphs.
const CLASSES: usize = SIZE - 2;

/// The rows of all classes of a table.
#[derive(Debug)]
pub struct Blocks {
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
    /// Where a class's differences end in `graphs`.
    class_ends: Vec<u32>,
    /// Twice the graph, plus one for an omission.
    graphs: Vec<u32>,
}

impl Blocks {
    /// The rows of `table`.
    #[must_use]
    pub fn new(table: &ClassTable) -> Blocks {
        let hashes = Hashes::new(table.graph_count());
        let starts: Vec<usize> = (0..table.len()).step_by(CLASSES).collect();
        let range = |s: usize| s as ClassId..(s + CLASSES).min(table.len()) as ClassId;
        let blocks = starts.into_par_iter().map(|s| Block::new(table, &hashes, range(s))).collect();
        Blocks { blocks, classes: table.len() }
    }

    /// The number of classes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.classes
    }

    /// Whether there is no class.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.classes == 0
    }

    /// The number of cells of a histogram.
    #[must_use]
    pub(super) fn cells(&self) -> usize {
        self.classes + 2 * self.blocks.len()
    }

    /// The class of a cell, if it is one of a class.
    pub(super) fn class_at(&self, cell: usize) -> Option<ClassId> {
        let class = cell / SIZE * CLASSES + cell % SIZE;
        (cell % SIZE < CLASSES && class < self.classes).then_some(class as ClassId)
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
        (cells, beside): (&mut [C], &mut [D]),
        then: impl Fn(usize, &mut [C], &mut [D]) -> R + Sync,
    ) -> Vec<R> {
        let total = C::sum(samples, positions);
        let by_class = MOST_OF * positions.len() >= samples.len();
        let signed = if by_class { signed(positions, samples) } else { Vec::new() };
        let mut beside = beside.chunks_mut(SIZE);
        let parts = self.blocks.iter().zip(cells.chunks_mut(SIZE)).enumerate();
        let parts = parts.map(|(i, (block, cells))| (i, block, cells, beside.next()));
        let fill = |(i, block, cells, beside): (usize, &Block, &mut [C], Option<&mut [D]>)| {
            if by_class {
                block.fill_by_class(&signed, total, cells);
            } else {
                block.fill_by_graph(positions, samples, total, cells);
            }
            then(i * SIZE, cells, beside.unwrap_or_default())
        };
        if rayon::current_num_threads() > 1 {
            let parts: Vec<_> = parts.collect();
            parts.into_par_iter().map(fill).collect()
        } else {
            parts.map(fill).collect()
        }
    }
}

/// With one in so many graphs, or more, a node is filled class by class.
const MOST_OF: usize = 3;

/// What each graph adds, and what its omission adds: nothing if it is not among `positions`.
fn signed<C: Adds>(positions: &[u32], samples: &[C]) -> Vec<C> {
    let mut signed = vec![C::default(); 2 * samples.len()];
    for &p in positions {
        let p = p as usize;
        signed[2 * p] = samples[p];
        signed[2 * p + 1].sub(&samples[p]);
    }
    signed
}

impl Block {
    fn new(table: &ClassTable, hashes: &Hashes, range: Range<ClassId>) -> Block {
        let bases = hashes.bases(table, range.clone());
        let mut differ = Differences::new(table.graph_count());
        for (class, base) in (0u32..).zip(&bases) {
            let class = range.start + class;
            match base {
                Base::Nothing => differ.add(table, class, None),
                Base::Everything => differ.add_to_everything(table, class),
                Base::Class(base) => differ.add(table, class, Some(range.start + base)),
            }
        }
        let code = |base: &Base| match base {
            Base::Nothing => bases.len() as u16,
            Base::Everything => bases.len() as u16 + 1,
            Base::Class(class) => *class as u16,
        };
        differ.into_block(bases.iter().map(code).collect())
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

    fn fill_by_class<C: Adds>(&self, signed: &[C], total: C, cells: &mut [C]) {
        cells[self.bases.len()] = C::default();
        cells[self.bases.len() + 1] = total;
        let mut start = 0;
        for (class, (&base, &end)) in self.bases.iter().zip(&self.class_ends).enumerate() {
            let mut sum = cells[base as usize];
            let differences = &self.graphs[start as usize..end as usize];
            differences.iter().for_each(|&graph| sum.add(&signed[graph as usize]));
            cells[class] = sum;
            start = end;
        }
    }
}

/// The differences of a block, class by class.
struct Differences {
    ends: Vec<u32>,
    /// Twice the graph, plus one for an omission.
    graphs: Vec<u32>,
    marks: Vec<u8>,
}

impl Differences {
    fn new(graphs: usize) -> Self {
        Differences { ends: Vec::new(), graphs: Vec::new(), marks: vec![0; graphs] }
    }

    fn add(&mut self, table: &ClassTable, class: ClassId, base: Option<ClassId>) {
        let (marks, all) = (&mut self.marks, &mut self.graphs);
        if let Some(base) = base {
            table.graphs(base).for_each(|p| marks[p as usize] = 1);
        }
        table.graphs(class).for_each(|p| {
            if std::mem::take(&mut marks[p as usize]) == 0 {
                all.push(2 * p);
            }
        });
        if let Some(base) = base {
            table.graphs(base).for_each(|p| {
                if std::mem::take(&mut marks[p as usize]) == 1 {
                    all.push(2 * p + 1);
                }
            });
        }
        self.ends.push(self.graphs.len() as u32);
    }

    fn add_to_everything(&mut self, table: &ClassTable, class: ClassId) {
        table.graphs(class).for_each(|p| self.marks[p as usize] = 1);
        for (p, mark) in (0..).zip(&mut self.marks) {
            if std::mem::take(mark) == 0 {
                self.graphs.push(2 * p + 1);
            }
        }
        self.ends.push(self.graphs.len() as u32);
    }

    /// Sorts them by graph, too: a counting sort.
    fn into_block(mut self, bases: Vec<u16>) -> Block {
        let mut ends = vec![0u32; 2 * self.marks.len()];
        self.graphs.iter().for_each(|&graph| ends[graph as usize] += 1);
        let mut next = 0;
        ends.iter_mut().for_each(|end| next += std::mem::replace(end, next));
        let mut classes = vec![0u16; self.graphs.len()];
        let mut start = 0;
        for (class, &class_end) in (0..).zip(&self.ends) {
            for &graph in &self.graphs[start as usize..class_end as usize] {
                let end = &mut ends[graph as usize];
                classes[*end as usize] = class;
                *end += 1;
            }
            start = class_end;
        }
        self.graphs.shrink_to_fit();
        let row_ends = ends.chunks_exact(2).map(|e| [e[0], e[1]]).collect();
        Block { bases, row_ends, classes, class_ends: self.ends, graphs: self.graphs }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, prop, prop_assert_eq, proptest};

    use super::Blocks;
    use crate::mining::classes::{ClassTable, Column};
    use crate::split::gain::Sums;
    use crate::split::histogram::Cell;
    use crate::split::packed::Packed;
    use crate::split::samples::Samples;

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
        blocks.fill(node, &samples, (&mut cells, &mut [0u8; 0]), |_, _, _| ());
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
