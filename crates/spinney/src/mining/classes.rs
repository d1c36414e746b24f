//! Classes: patterns that occur in the same graphs.
//!
//! A *column* is a pattern with an occurrence threshold: "contains `g` at least `t` times" (`t = 1`
//! is the paper's indicator). Columns with the same set of training graphs are one class: no split
//! separates them, so a class is scored once and stands for its simplest member.
//!
//! **Invariant.** A class is named by its *signature*, the sum of a fixed random 128-bit key of
//! every training graph that has it; equal sets have equal signatures, different sets collide with
//! probability 2⁻¹²⁸. Classes are numbered as they are added and never change number. Of each
//! class's members only those with the fewest edges are remembered.
//!
//! **Cost.** Two passes over a census: one adds up the signatures of its columns, one writes down
//! the graphs of each class, from one column of it, or the classes of each graph
//! (`strata`). A graph takes two bytes where there are at most 65,536.

use std::collections::HashMap;

use crate::mining::census::Census;
use crate::mining::census::hash::Name;
use crate::mining::columns::{ColumnCounts, ColumnLayout, NONE, PatternColumn};
use crate::mining::levels::threshold;
use crate::mining::positions::PositionStore;
use crate::mining::strata::{Strata, StrataRows};

pub use crate::mining::positions::Positions;

/// A class's number in a [`ClassTable`].
pub type ClassId = u32;

/// A pattern of the explored space with an occurrence threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The pattern: its number in the census or in the enumeration tree.
    pub pattern: u32,
    /// The occurrence threshold.
    pub at_least: u32,
}

/// Which columns a table takes in.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// The most edges of a pattern.
    pub max_edges: usize,
    /// The smallest number of training graphs that must contain a pattern.
    pub min_support: u32,
    /// How many occurrence thresholds there are (`levels`).
    pub count_levels: u32,
    /// Whether single vertices are patterns.
    pub vertices: bool,
    /// Classes with fewer graphs cannot split and are left out.
    pub min_class_graphs: u32,
    /// Classes with more graphs cannot split and are left out.
    pub max_class_graphs: u32,
}

impl Columns {
    /// Whether patterns of this size and support are taken in.
    fn takes(&self, edges: usize, support: u32) -> bool {
        support >= self.min_support.max(1)
            && edges <= self.max_edges
            && (edges > 0 || self.vertices)
    }
}

/// The classes known so far and their training graphs.
#[derive(Debug)]
pub struct ClassTable {
    keys: Vec<u128>,
    /// By signature; filled when a column is to be added.
    index: HashMap<u128, ClassId, rustc_hash::FxBuildHasher>,
    classes: Vec<Class>,
    simplest: Vec<Member>,
    members: Members,
}

/// Which training graphs have which class.
#[derive(Debug)]
enum Members {
    /// Class by class: `starts` says where the graphs of a class begin.
    Lists { starts: Vec<usize>, graphs: PositionStore },
    /// Graph by graph.
    Rows(StrataRows),
}

/// Some training graphs, by whether they have a class.
#[derive(Debug, Default)]
pub(crate) struct Divided {
    pub(crate) with: Vec<u32>,
    pub(crate) without: Vec<u32>,
}

impl Divided {
    /// Divides a list by whether its graphs have the class.
    pub(crate) fn new(list: &[u32], has: impl Fn(u32) -> bool) -> Divided {
        let mut divided = Divided { with: Vec::new(), without: Vec::with_capacity(list.len()) };
        for &position in list {
            if has(position) {
                divided.with.push(position);
            } else {
                divided.without.push(position);
            }
        }
        divided
    }

    /// The same by the graphs that have the class, far fewer than the list: what lies between two
    /// of them is copied as a whole.
    fn by_few(list: &[u32], graphs: &[u32]) -> Divided {
        let mut divided = Divided { with: Vec::new(), without: Vec::with_capacity(list.len()) };
        let mut rest = list;
        for &graph in graphs {
            let before = rest.partition_point(|&position| position < graph);
            divided.without.extend_from_slice(&rest[..before]);
            rest = &rest[before..];
            if rest.first() == Some(&graph) {
                divided.with.push(graph);
                rest = &rest[1..];
            }
        }
        divided.without.extend_from_slice(rest);
        divided
    }
}

#[derive(Clone, Copy, Debug)]
struct Class {
    signature: u128,
    support: u32,
    edges: u32,
    first: u32,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    column: Column,
    next: u32,
}

const END: u32 = u32::MAX;

/// Positions of a list between two graphs of a class, on average, from which on they are copied
/// together.
const MIN_RUN_TO_COPY: usize = 32;

/// Rows of a stratum that are read one behind the other while one is looked for on its own.
const ROWS_READ_AS_FAST_AS_ONE_IS_FOUND: usize = 16;

fn key(position: usize) -> u128 {
    const GRAPH: u64 = 5;
    let name = Name::seed(GRAPH, position as u64);
    (u128::from(name.0) << 64) | u128::from(name.1)
}

impl ClassTable {
    /// An empty table over `graphs` training graphs.
    #[must_use]
    pub fn new(graphs: usize) -> Self {
        ClassTable {
            keys: (0..graphs).map(key).collect(),
            index: HashMap::default(),
            classes: Vec::new(),
            simplest: Vec::new(),
            members: Members::Lists { starts: Vec::new(), graphs: PositionStore::new(graphs) },
        }
    }

    /// The number of training graphs.
    #[must_use]
    pub fn graph_count(&self) -> usize {
        self.keys.len()
    }

    /// The number of classes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there is no class.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The training graphs of a class; of a table by strata, none.
    #[must_use]
    pub fn graphs(&self, class: ClassId) -> Positions<'_> {
        let Members::Lists { starts, graphs } = &self.members else { return Positions::Long(&[]) };
        let start = starts[class as usize];
        graphs.get(start..start + self.support(class) as usize)
    }

    /// The rows of a table by strata.
    #[must_use]
    pub fn rows(&self) -> Option<&StrataRows> {
        match &self.members {
            Members::Lists { .. } => None,
            Members::Rows(rows) => Some(rows),
        }
    }

    /// Divides lists of training graphs by whether they have a class. `marks` are all false before
    /// and after.
    pub(crate) fn divide<const N: usize>(
        &self,
        class: ClassId,
        lists: [&[u32]; N],
        marks: &mut Vec<bool>,
    ) -> [Divided; N] {
        let found;
        let graphs = match &self.members {
            Members::Lists { .. } => self.graphs(class),
            Members::Rows(rows) => {
                let asked = lists.iter().map(|list| list.len()).sum::<usize>();
                if asked < self.graph_count() / ROWS_READ_AS_FAST_AS_ONE_IS_FOUND {
                    let members = rows.members(class);
                    return lists.map(|list| Divided::new(list, |position| members.has(position)));
                }
                found = rows.graphs(class);
                if found.len() < asked / MIN_RUN_TO_COPY {
                    return lists.map(|list| Divided::by_few(list, &found));
                }
                Positions::Long(&found)
            }
        };
        marks.resize(self.graph_count(), false);
        graphs.for_each(|p| marks[p as usize] = true);
        let all = lists.map(|list| Divided::new(list, |position| marks[position as usize]));
        graphs.for_each(|p| marks[p as usize] = false);
        all
    }

    /// The number of training graphs of a class.
    #[must_use]
    pub fn support(&self, class: ClassId) -> u32 {
        self.classes[class as usize].support
    }

    /// The fewest edges of a member.
    #[must_use]
    pub fn edges(&self, class: ClassId) -> u32 {
        self.classes[class as usize].edges
    }

    /// A number that depends on the class's training graphs only.
    #[must_use]
    pub fn signature(&self, class: ClassId) -> u128 {
        self.classes[class as usize].signature
    }

    /// The members with the fewest edges.
    pub fn simplest(&self, class: ClassId) -> impl Iterator<Item = Column> + '_ {
        let mut at = self.classes[class as usize].first;
        std::iter::from_fn(move || {
            let member = self.simplest.get(at as usize)?;
            at = member.next;
            Some(member.column)
        })
    }

    /// Adds a column that has the training graphs at `positions` (ascending). Returns its class
    /// and whether the class's simplest members changed.
    pub fn add(&mut self, column: Column, edges: u32, positions: &[u32]) -> (ClassId, bool) {
        let signature = positions.iter().fold(0u128, |s, &p| s.wrapping_add(self.keys[p as usize]));
        let known = self.len();
        if self.index.len() < known {
            self.index = (0..).zip(&self.classes).map(|(c, class)| (class.signature, c)).collect();
        }
        let class = self.enter(signature, positions.len() as u32, column, edges);
        if let Members::Lists { starts, graphs } = &mut self.members
            && self.classes.len() > known
        {
            starts.push(graphs.len());
            graphs.extend(positions);
        }
        class
    }

    /// Adds a set of training graphs that is scored but stands for no pattern.
    pub fn add_without_member(&mut self, positions: &[u32]) -> ClassId {
        let none = Column { pattern: END, at_least: 0 };
        self.add(none, END, positions).0
    }

    /// Whether a class has a pattern to show for itself.
    #[must_use]
    pub fn has_member(&self, class: ClassId) -> bool {
        self.classes[class as usize].first != END
    }

    fn enter(
        &mut self,
        signature: u128,
        support: u32,
        column: Column,
        edges: u32,
    ) -> (ClassId, bool) {
        let next = self.classes.len() as ClassId;
        let id = *self.index.entry(signature).or_insert(next);
        if id == next {
            self.classes.push(Class { signature, support, edges, first: END });
        }
        (id, self.join(id, support, column, edges))
    }

    /// Makes a column a member of its class; whether it is one of the simplest now.
    fn join(&mut self, id: ClassId, support: u32, column: Column, edges: u32) -> bool {
        let class = &mut self.classes[id as usize];
        debug_assert_eq!(class.support, support, "a signature names one set of graphs");
        if edges == END || edges > class.edges {
            return false;
        }
        let rest = if edges < class.edges { END } else { class.first };
        class.edges = edges;
        class.first = self.simplest.len() as u32;
        self.simplest.push(Member { column, next: rest });
        true
    }

    /// The classes of a census over the training graphs `train` (numbers in the census, in the
    /// order of their positions here).
    #[must_use]
    pub fn from_census(census: &Census, train: &[u32], which: &Columns) -> ClassTable {
        let mut table = ClassTable::new(train.len());
        let layout = ColumnLayout::new(census, train, which.count_levels);
        let first_of = table.classify(census, &layout, which);
        let starts = table.starts(&first_of);
        let support = |class: ClassId| table.support(class) as usize;
        let graphs = match PositionStore::new(train.len()) {
            PositionStore::Short(_) => {
                PositionStore::Short(layout.collect(&first_of, support, |p| p as u16))
            }
            PositionStore::Long(_) => {
                PositionStore::Long(layout.collect(&first_of, support, |p| p))
            }
        };
        table.members = Members::Lists { starts, graphs };
        table
    }

    /// The same classes by strata.
    #[must_use]
    pub fn in_strata(census: &Census, train: &[u32], which: &Columns, strata: Strata) -> Self {
        let mut table = ClassTable::new(train.len());
        let layout = ColumnLayout::new(census, train, which.count_levels);
        let mut first_of = table.classify(census, &layout, which);
        let firsts = table.deal(strata, &mut first_of);
        table.members = Members::Rows(StrataRows::new(&layout, &first_of, firsts));
        table
    }

    /// Numbers classes anew, stratum by stratum; within one the order stays. Returns the first
    /// class of each stratum, and the end.
    fn deal(&mut self, strata: Strata, first_of: &mut [ClassId]) -> Vec<ClassId> {
        let of: Vec<u32> = self.classes.iter().map(|class| strata.of(class.signature)).collect();
        let mut firsts = vec![0; strata.count as usize + 1];
        of.iter().for_each(|&stratum| firsts[stratum as usize + 1] += 1);
        for stratum in 1..firsts.len() {
            firsts[stratum] += firsts[stratum - 1];
        }
        let mut next = firsts.clone();
        let mut new_of = Vec::with_capacity(of.len());
        let mut order = vec![0; of.len()];
        for (class, &stratum) in of.iter().enumerate() {
            let new = &mut next[stratum as usize];
            order[*new as usize] = class;
            new_of.push(*new);
            *new += 1;
        }
        self.classes = order.into_iter().map(|class| self.classes[class]).collect();
        let known = first_of.iter_mut().filter(|class| **class != NONE);
        known.for_each(|class| *class = new_of[*class as usize]);
        firsts
    }

    /// The number of classes over all graphs of a census, found without making a table.
    #[must_use]
    pub fn count(census: &Census, which: &Columns) -> usize {
        let graphs: Vec<u32> = (0..census.graph_count() as u32).collect();
        let keys: Vec<u128> = (0..graphs.len()).map(key).collect();
        let layout = ColumnLayout::new(census, &graphs, 1);
        let counts = (0..).zip(layout.count(&keys));
        let taken = counts.filter(|(p, counts)| which.takes(census.edges(*p), counts.support));
        taken.map(|(_, c)| c.signature()).collect::<rustc_hash::FxHashSet<u128>>().len()
    }

    /// Where the graphs of each class go: in the order of the columns that they are read from.
    fn starts(&self, first_of: &[ClassId]) -> Vec<usize> {
        let mut starts = vec![0; self.len()];
        let mut end = 0;
        for &class in first_of.iter().filter(|&&class| class != NONE) {
            starts[class as usize] = end;
            end += self.support(class) as usize;
        }
        starts
    }

    /// Enters every useful column, the most frequent classes first (classes of like size then lie
    /// together). Gives for the first column of each class the class, and `NONE` for the others.
    fn classify(
        &mut self,
        census: &Census,
        layout: &ColumnLayout<'_>,
        which: &Columns,
    ) -> Vec<ClassId> {
        let counts = layout.count(&self.keys);
        let useful = which.min_class_graphs.max(1)..=which.max_class_graphs;
        let mut first_of = vec![NONE; counts.len()];
        let order = layout.by_falling_support(&counts, useful);
        let mut slots = Slots::new(order.len());
        for block in order.chunks(COLUMNS_PER_BLOCK) {
            // Looked up together, so that the waits for memory overlap.
            let mut found = [LookedUp::default(); COLUMNS_PER_BLOCK];
            for (at, found) in block.iter().zip(&mut found) {
                found.counts = counts[at.column as usize];
                found.class = slots.likely(found.counts.signature());
            }
            for found in &mut found {
                let there = self.classes.get(found.class as usize);
                found.is_known = there.is_some_and(|c| c.signature == found.counts.signature());
            }
            for (&PatternColumn { pattern, column }, found) in block.iter().zip(found) {
                let edges = census.edges(pattern);
                let first = layout.first(pattern);
                if !which.takes(edges, counts[first].support) {
                    continue;
                }
                let signature = found.counts.signature();
                let support = found.counts.support;
                let edges = edges as u32;
                let class = match found.is_known {
                    true => found.class,
                    false => slots.class(signature, &self.classes),
                };
                if class as usize == self.len() {
                    self.classes.push(Class { signature, support, edges, first: END });
                    first_of[column as usize] = class;
                }
                let at_least = threshold((column as usize - first) as u32 + 1);
                self.join(class, support, Column { pattern, at_least }, edges);
            }
        }
        first_of
    }
}

/// A column, and the class that is likely to be its own.
#[derive(Clone, Copy, Debug)]
struct LookedUp {
    counts: ColumnCounts,
    class: ClassId,
    is_known: bool,
}

impl Default for LookedUp {
    fn default() -> Self {
        LookedUp { counts: ColumnCounts::default(), class: END, is_known: false }
    }
}

/// Columns looked up together.
const COLUMNS_PER_BLOCK: usize = 16;

/// Classes by signature, for as many columns as are known in advance: open addressing with four
/// bytes a slot. Signatures are random already.
struct Slots {
    /// Classes; `END` is empty.
    slots: Vec<ClassId>,
}

impl Slots {
    fn new(columns: usize) -> Slots {
        Slots { slots: vec![END; (columns + columns / 2 + 1).next_power_of_two()] }
    }

    /// The class that is likely to have a signature, or `END`.
    fn likely(&self, signature: u128) -> ClassId {
        self.slots[signature as usize & (self.slots.len() - 1)]
    }

    /// The class with a signature; a new one is taken to come next.
    fn class(&mut self, signature: u128, classes: &[Class]) -> ClassId {
        let mask = self.slots.len() - 1;
        let mut at = signature as usize & mask;
        loop {
            let class = self.slots[at];
            if class == END {
                self.slots[at] = classes.len() as ClassId;
                return self.slots[at];
            }
            if classes[class as usize].signature == signature {
                return class;
            }
            at = (at + 1) & mask;
        }
    }
}
