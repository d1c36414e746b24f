//! Classes: patterns that occur in the same graphs.
//!
//! A *column* is a pattern with an occurrence threshold: "contains `g` at least `t` times" (`t = 1`
//! is the paper's indicator). Columns with the same set of training graphs are one class: no split
//! can tell them apart, so a class is scored once and stands for its simplest member.
//!
//! **Invariant.** A class is named by its *signature*, the sum of a fixed random 128-bit key of
//! every training graph that has it; equal sets have equal signatures, different sets collide with
//! probability 2⁻¹²⁸. Classes are numbered as they are added and never change number, so a graph's
//! row is ascending and can only grow at its end. Of each class's members only those with the
//! fewest edges are remembered.
//!
//! **Cost.** One addition for each (graph, column) pair.

use std::collections::HashMap;

use super::census::hash::Name;
use super::census::{Census, PatternId};

/// A class's number in a [`ClassTable`].
pub type ClassId = u32;

/// A pattern of the explored space with an occurrence threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The pattern: its number in the census or in the enumeration tree.
    pub pattern: u32,
    /// The least number of occurrences.
    pub at_least: u32,
}

/// Which columns a table takes in.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// The most edges of a pattern.
    pub max_edges: usize,
    /// The least number of training graphs that must contain a pattern.
    pub min_support: u32,
    /// The highest occurrence threshold.
    pub count_levels: u32,
    /// Whether single vertices are patterns.
    pub vertices: bool,
    /// Classes with fewer or more graphs than this cannot split and are left out.
    pub useful: (u32, u32),
}

/// The classes known so far, and the classes of each training graph.
#[derive(Debug)]
pub struct ClassTable {
    keys: Vec<u128>,
    index: HashMap<u128, ClassId, rustc_hash::FxBuildHasher>,
    classes: Vec<Class>,
    simplest: Vec<Member>,
    rows: Vec<Vec<ClassId>>,
    /// The rows the other way round: the graphs of class `c` end at `graph_ends[c]`.
    graph_ends: Vec<usize>,
    graphs: Vec<u32>,
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
            rows: vec![Vec::new(); graphs],
            graph_ends: Vec::new(),
            graphs: Vec::new(),
        }
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

    /// The classes of the training graph at `position`, ascending.
    #[must_use]
    pub fn row(&self, position: u32) -> &[ClassId] {
        &self.rows[position as usize]
    }

    /// The training graphs of a class, by position, ascending.
    #[must_use]
    pub fn graphs(&self, class: ClassId) -> &[u32] {
        let class = class as usize;
        let start = if class == 0 { 0 } else { self.graph_ends[class - 1] };
        &self.graphs[start..self.graph_ends[class]]
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
        let class = self.enter(signature, positions.len() as u32, column, edges);
        if self.len() > known {
            for &p in positions {
                self.rows[p as usize].push(class.0);
            }
            self.graphs.extend_from_slice(positions);
            self.graph_ends.push(self.graphs.len());
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
        let class = &mut self.classes[id as usize];
        debug_assert_eq!(class.support, support, "a signature names one set of graphs");
        if edges == END || edges > class.edges {
            return (id, false);
        }
        let rest = if edges < class.edges { END } else { class.first };
        class.edges = edges;
        class.first = self.simplest.len() as u32;
        self.simplest.push(Member { column, next: rest });
        (id, true)
    }

    /// The classes of a census over the training graphs `train` (numbers in the census, in the
    /// order of their positions here).
    #[must_use]
    pub fn from_census(census: &Census, train: &[u32], which: &Columns) -> ClassTable {
        let mut table = ClassTable::new(train.len());
        let layout = Layout::new(census, train, which);
        let tallies = layout.tally(census, train, &table.keys);
        let class_of = table.classify(census, &layout, &tallies, which);
        for (position, &graph) in train.iter().enumerate() {
            let row = &mut table.rows[position];
            layout.each_column(census, graph, |column| {
                let class = class_of[column];
                if class != END {
                    row.push(class);
                }
            });
            row.sort_unstable();
            row.dedup();
            row.shrink_to_fit();
        }
        table.invert();
        table
    }

    /// Fills the classes' graphs from the rows.
    fn invert(&mut self) {
        let mut next: Vec<usize> = Vec::with_capacity(self.len());
        let mut end = 0;
        for class in &self.classes {
            next.push(end);
            end += class.support as usize;
        }
        self.graphs = vec![0; end];
        for (position, row) in self.rows.iter().enumerate() {
            for &class in row {
                let slot = &mut next[class as usize];
                self.graphs[*slot] = position as u32;
                *slot += 1;
            }
        }
        self.graph_ends = next;
    }

    /// Enters every useful column, the most frequent classes first (their cells in a histogram
    /// then lie together). Gives each column's class, or `END`.
    fn classify(
        &mut self,
        census: &Census,
        layout: &Layout,
        tallies: &[(u128, u32)],
        which: &Columns,
    ) -> Vec<ClassId> {
        let useful = which.useful.0.max(1)..=which.useful.1;
        let mut order: Vec<u32> = (0..tallies.len() as u32)
            .filter(|&c| useful.contains(&tallies[c as usize].1))
            .collect();
        order.sort_by_key(|&c| std::cmp::Reverse(tallies[c as usize].1));
        let mut class_of = vec![END; tallies.len()];
        let pattern_of = layout.pattern_of();
        for column in order {
            let pattern = pattern_of[column as usize];
            let first = layout.first[pattern as usize];
            if tallies[first as usize].1 < which.min_support.max(1) {
                continue;
            }
            let (signature, support) = tallies[column as usize];
            let edges = census.edges(pattern) as u32;
            let at_least = column - first + 1;
            let (class, _) = self.enter(signature, support, Column { pattern, at_least }, edges);
            class_of[column as usize] = class;
        }
        class_of
    }
}

/// Columns numbered pattern by pattern, threshold by threshold.
struct Layout {
    /// A pattern's first column; one more entry at the end. Patterns left out have no columns.
    first: Vec<u32>,
}

impl Layout {
    fn new(census: &Census, train: &[u32], which: &Columns) -> Self {
        let mut levels = vec![0u32; census.len()];
        for &graph in train {
            let (patterns, counts) = census.row(graph as usize);
            for (&p, &count) in patterns.iter().zip(counts) {
                let level = &mut levels[p as usize];
                *level = (*level).max(count.min(which.count_levels.max(1)));
            }
        }
        let mut first = Vec::with_capacity(levels.len() + 1);
        let mut next = 0;
        for (p, level) in levels.into_iter().enumerate() {
            first.push(next);
            let edges = census.edges(p as PatternId);
            if edges <= which.max_edges && (edges > 0 || which.vertices) {
                next += level;
            }
        }
        first.push(next);
        Layout { first }
    }

    fn pattern_of(&self) -> Vec<PatternId> {
        let spans = self.first.windows(2).enumerate();
        spans.flat_map(|(p, w)| (w[0]..w[1]).map(move |_| p as PatternId)).collect()
    }

    fn each_column(&self, census: &Census, graph: u32, mut f: impl FnMut(usize)) {
        let (patterns, counts) = census.row(graph as usize);
        for (&p, &count) in patterns.iter().zip(counts) {
            let (first, end) = (self.first[p as usize], self.first[p as usize + 1]);
            (first..end.min(first.saturating_add(count))).for_each(|c| f(c as usize));
        }
    }

    fn tally(&self, census: &Census, train: &[u32], keys: &[u128]) -> Vec<(u128, u32)> {
        let columns = self.first.last().copied().unwrap_or(0) as usize;
        let mut tallies = vec![(0u128, 0u32); columns];
        for (&graph, &key) in train.iter().zip(keys) {
            self.each_column(census, graph, |column| {
                let t = &mut tallies[column];
                *t = (t.0.wrapping_add(key), t.1 + 1);
            });
        }
        tallies
    }
}
