//! The pattern space that a search looks at: explored classes and, perhaps, a frontier.
//!
//! Two engines, one interface. [`CensusSpace`] knows every class from the start. [`BoundSpace`]
//! grows the enumeration tree: its *frontier* are the patterns whose children are unknown, in
//! groups that occur in the same training graphs and hence share a bound.
//!
//! **Invariant.** Every column of the space either belongs to a class of the table or lies below a
//! pattern of the frontier. Positions (of training graphs) index rows, samples and signatures;
//! graph numbers index the graphs that were given, validation graphs included.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use rustc_hash::FxHashMap;

use crate::graph::Graph;
use crate::mining::classes::{ClassId, ClassTable, Column, Columns};
use crate::mining::guided_search::Ground;
use crate::mining::levels::threshold;
use crate::mining::{Canonizer, Census, DfsCode, EmbeddingBudget, EnumerationTree, Limits, NodeId};
use crate::search::blocks::Blocks;
use crate::search::class_sample::{Rows, View};

/// A class's simplest column: fewest edges, then smallest code, then lowest threshold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simplest {
    /// The pattern's smallest DFS code.
    pub code: DfsCode,
    /// Its number in the engine, and the threshold.
    pub column: Column,
}

impl Simplest {
    fn key(&self) -> (usize, &DfsCode, u32) {
        (self.code.edge_count(), &self.code, self.column.at_least)
    }

    /// Whether this is the simpler of two.
    #[must_use]
    pub fn is_simpler_than(&self, other: &Simplest) -> bool {
        self.key() < other.key()
    }
}

/// Open patterns that occur in the same training graphs.
#[derive(Debug, Default)]
pub struct Group {
    /// The class of these training graphs.
    pub class: ClassId,
    /// The fewest edges of an open pattern in the group.
    pub edges: u32,
    open: Vec<NodeId>,
    /// What lies below some of its patterns is unknown and stays so.
    stuck: bool,
}

/// What an expansion changed.
#[derive(Debug, Default)]
pub struct Expanded {
    /// Classes that are new or have new simplest members.
    pub classes: Vec<ClassId>,
    /// Groups of the frontier that got new open patterns.
    pub groups: Vec<usize>,
}

/// What a search can ask of an engine.
pub trait PatternSpace: Send + Sync {
    /// The explored classes.
    fn classes(&self) -> &ClassTable;
    /// The rows of all explored classes; `None` if only samples of them are asked for.
    fn view(&self) -> Option<View<'_>>;
    /// The simplest column of a class that has members.
    fn simplest(&self, class: ClassId) -> Arc<Simplest>;
    /// Whether a graph, by number, has a column.
    fn has(&self, graph: u32, column: Column) -> bool;
    /// For each of some patterns, the graphs (by number, ascending) that contain it.
    fn graphs_with(&self, patterns: &[u32]) -> Vec<Vec<u32>>;
    /// The groups of open patterns; those already expanded are empty.
    fn frontier(&self) -> &[Group] {
        &[]
    }
    /// Expands all open patterns of a group.
    fn expand(&mut self, _group: usize) -> Expanded {
        Expanded::default()
    }
    /// What exploring has cost so far, in bytes of embeddings.
    fn work(&self) -> usize {
        0
    }
    /// A search for a split that costs more than this had better go on in the node's graphs
    /// alone, where [`ground`](Self::ground) allows it.
    fn patience(&self) -> usize {
        usize::MAX
    }
    /// The training graphs at some positions, to be searched on their own; `None` if a split is more
    /// than whether they contain a pattern.
    fn ground(&self, _positions: &[u32]) -> Option<Ground> {
        None
    }
    /// Bytes held, about, as far as they grow.
    fn bytes(&self) -> usize {
        0
    }
    /// Counts patterns that were met in a search of a node alone, and not kept.
    fn count_alone(&mut self, _patterns: usize) {}
    /// How many were.
    fn met_alone(&self) -> usize {
        0
    }
    /// Explores the way to a pattern; says whether it was found.
    fn reveal(&mut self, _code: &DfsCode) -> bool {
        false
    }
    /// The numbers of some patterns, each given with what may be its number (it was in another
    /// training on the same graphs); `None` if one is not in the space.
    fn numbers(&mut self, _patterns: &[(DfsCode, u32)]) -> Option<Vec<u32>> {
        None
    }
    /// How many patterns have been explored.
    fn patterns(&self) -> usize;
    /// The number of edges of an explored pattern, by its number.
    fn edges(&self, pattern: u32) -> usize;
}

impl Group {
    /// Whether it has open patterns.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether what lies below some of its patterns could not be found within the ration.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.stuck
    }
}

/// A space with nothing left to explore, for one of several trainings on the same graphs.
pub struct Shared<'s>(pub &'s dyn PatternSpace);

impl PatternSpace for Shared<'_> {
    fn classes(&self) -> &ClassTable {
        self.0.classes()
    }

    fn view(&self) -> Option<View<'_>> {
        self.0.view()
    }

    fn simplest(&self, class: ClassId) -> Arc<Simplest> {
        self.0.simplest(class)
    }

    fn has(&self, graph: u32, column: Column) -> bool {
        self.0.has(graph, column)
    }

    fn graphs_with(&self, patterns: &[u32]) -> Vec<Vec<u32>> {
        self.0.graphs_with(patterns)
    }

    fn patterns(&self) -> usize {
        self.0.patterns()
    }

    fn edges(&self, pattern: u32) -> usize {
        self.0.edges(pattern)
    }
}

/// All classes at once, from a census.
#[derive(Debug)]
pub struct CensusSpace<'a> {
    census: &'a Census,
    graphs: &'a [Graph],
    table: ClassTable,
    blocks: Option<Blocks>,
    known: Known,
}

/// The simplest columns found so far.
type Known = Mutex<FxHashMap<ClassId, Arc<Simplest>>>;

/// Looks up the simplest column of a class, or finds and remembers it.
fn look_up(known: &Known, class: ClassId, find: impl FnOnce() -> Simplest) -> Arc<Simplest> {
    let known = || known.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known().get(&class).cloned();
    found.unwrap_or_else(|| {
        let simplest = Arc::new(find());
        known().insert(class, Arc::clone(&simplest));
        simplest
    })
}

impl<'a> CensusSpace<'a> {
    /// The space of `census`, taken of `graphs`, with the training graphs `train`.
    #[must_use]
    pub fn new(census: &'a Census, graphs: &'a [Graph], train: &[u32], which: &Columns) -> Self {
        let table = ClassTable::from_census(census, train, which);
        CensusSpace { census, graphs, table, blocks: None, known: Known::default() }
    }

    /// Prepares for searches over all classes.
    #[must_use]
    pub fn whole(mut self) -> Self {
        self.blocks = Some(Blocks::new(&self.table));
        self
    }
}

impl PatternSpace for CensusSpace<'_> {
    fn classes(&self) -> &ClassTable {
        &self.table
    }

    fn view(&self) -> Option<View<'_>> {
        self.blocks.as_ref().map(View::Coded)
    }

    fn simplest(&self, class: ClassId) -> Arc<Simplest> {
        look_up(&self.known, class, || {
            let mut canonizer = Canonizer::new();
            let code = |p| self.census.decode(self.graphs, p, &mut canonizer).code;
            simplest_of(self.table.simplest(class), code)
        })
    }

    fn has(&self, graph: u32, column: Column) -> bool {
        self.census.count(graph as usize, column.pattern) >= column.at_least
    }

    fn graphs_with(&self, patterns: &[u32]) -> Vec<Vec<u32>> {
        // A bit for each pattern stays in cache, and few patterns are asked for.
        let mut asked = vec![0u64; self.census.len() / 64 + 1];
        patterns.iter().for_each(|&p| asked[p as usize / 64] |= 1 << (p % 64));
        let slots: FxHashMap<u32, usize> =
            patterns.iter().enumerate().map(|(i, &p)| (p, i)).collect();
        let in_part = |part: Range<usize>| {
            let mut graphs = vec![Vec::new(); patterns.len()];
            for graph in part {
                for stretch in self.census.stretches(graph) {
                    let is_asked = |p: &u32| asked[*p as usize / 64] >> (p % 64) & 1 == 1;
                    for pattern in stretch.patterns().filter(is_asked) {
                        graphs[slots[&pattern]].push(graph as u32);
                    }
                }
            }
            graphs
        };
        let end = self.census.graph_count();
        let size = end.div_ceil(rayon::current_num_threads()).max(1);
        let starts: Vec<usize> = (0..end).step_by(size).collect();
        let parts: Vec<Vec<Vec<u32>>> =
            starts.into_par_iter().map(|start| in_part(start..end.min(start + size))).collect();
        let mut parts = parts.into_iter();
        let mut graphs = parts.next().unwrap_or_else(|| vec![Vec::new(); patterns.len()]);
        for part in parts {
            graphs.iter_mut().zip(part).for_each(|(graphs, part)| graphs.extend(part));
        }
        graphs
    }

    fn numbers(&mut self, patterns: &[(DfsCode, u32)]) -> Option<Vec<u32>> {
        let mut canonizer = Canonizer::new();
        let mut code = |number| self.census.decode(self.graphs, number, &mut canonizer).code;
        let count = self.census.len() as u32;
        if patterns.iter().all(|(wanted, number)| *number < count && code(*number) == *wanted) {
            return Some(patterns.iter().map(|pattern| pattern.1).collect());
        }
        // Numbers of the other engine: look at all patterns once.
        let mut found: FxHashMap<&DfsCode, u32> =
            patterns.iter().map(|(code, _)| (code, u32::MAX)).collect();
        for number in 0..count {
            if let Some(slot) = found.get_mut(&code(number)) {
                *slot = number;
            }
        }
        let number = |(code, _): &(DfsCode, u32)| found.get(code).copied().filter(|n| *n < count);
        patterns.iter().map(number).collect()
    }

    fn patterns(&self) -> usize {
        self.census.len()
    }

    fn edges(&self, pattern: u32) -> usize {
        self.census.edges(pattern)
    }
}

fn simplest_of(
    columns: impl Iterator<Item = Column>,
    mut code: impl FnMut(u32) -> DfsCode,
) -> Simplest {
    let mut best: Option<Simplest> = None;
    for column in columns {
        let candidate = Simplest { code: code(column.pattern), column };
        if best.as_ref().is_none_or(|b| candidate.is_simpler_than(b)) {
            best = Some(candidate);
        }
    }
    best.expect("a class that is scored has members")
}

/// What a class takes besides its graphs, about.
const BYTES_A_CLASS: usize = 160;

/// Bytes of embeddings that a search makes before it looks at the node's graphs alone.
const PATIENCE: usize = 1 << 27;

/// The enumeration tree, explored where a bound asks for it.
#[derive(Debug)]
pub struct BoundSpace<'a> {
    tree: EnumerationTree<'a>,
    graphs: &'a [Graph],
    train: Vec<u32>,
    table: ClassTable,
    rows: Rows,
    which: Columns,
    position_of: Vec<Option<u32>>,
    patience: usize,
    ration: EmbeddingBudget,
    /// Bytes of the classes and rows, about.
    bytes: usize,
    met_alone: usize,
    groups: Vec<Group>,
    group_of: FxHashMap<ClassId, usize>,
    known: Known,
}

impl<'a> BoundSpace<'a> {
    /// The space over `graphs` with the training graphs `train`; only single vertices are explored.
    #[must_use]
    pub fn new(graphs: &'a [Graph], train: &[u32], which: &Columns) -> Self {
        let mut position_of = vec![None; graphs.len()];
        for (position, &graph) in train.iter().enumerate() {
            position_of[graph as usize] = Some(position as u32);
        }
        let counting = position_of.iter().map(Option::is_some).collect();
        let limits = Limits {
            // A pattern in fewer graphs than a leaf needs can never split, nor can its extensions.
            min_support: which.min_support.max(which.useful.0) as usize,
            max_edges: Some(which.max_edges),
        };
        let tree = EnumerationTree::new(graphs, counting, limits);
        let mut space = BoundSpace {
            tree,
            graphs,
            train: train.to_vec(),
            table: ClassTable::new(train.len()),
            rows: Rows::new(train.len()),
            which: *which,
            position_of,
            patience: PATIENCE,
            ration: EmbeddingBudget::default(),
            bytes: 0,
            met_alone: 0,
            groups: Vec::new(),
            group_of: FxHashMap::default(),
            known: Known::default(),
        };
        for node in 0..space.tree.len() as NodeId {
            space.add(node, &mut Expanded::default());
        }
        space
    }

    /// The same space with the embeddings of its frontier held within `bytes`.
    #[must_use]
    pub fn with_memory(mut self, bytes: Option<usize>) -> Self {
        self.tree = self.tree.with_memory(bytes);
        self
    }

    /// The same space with growths held within a ration: what does not fit stays unknown, and the
    /// [group](Group::is_stuck) says so.
    #[must_use]
    pub fn with_budget(mut self, ration: EmbeddingBudget) -> Self {
        self.tree = self.tree.with_budget(ration);
        self.ration = ration;
        self
    }

    /// The same space with searches that leave it, after so many bytes of new embeddings, for a
    /// search of the node's graphs alone. The splits are the same.
    #[must_use]
    pub fn with_patience(mut self, bytes: usize) -> Self {
        self.patience = bytes;
        self
    }

    /// Whether a split asks for nothing but a pattern that enough of the node's own graphs contain.
    fn is_plain(&self) -> bool {
        self.which.count_levels <= 1 && self.which.min_support <= self.which.useful.0.max(1)
    }

    /// Enters an explored pattern: its columns into the table, itself into the frontier.
    fn add(&mut self, node: NodeId, changed: &mut Expanded) {
        let edges = self.tree.edges(node) as u32;
        let is_pattern = edges > 0 || self.which.vertices;
        for at_least in (1..=self.which.count_levels.max(1)).map(threshold) {
            let positions = self.positions(node, at_least);
            if positions.is_empty() {
                break;
            }
            let known = self.table.len();
            let class = if is_pattern {
                let column = Column { pattern: node, at_least };
                let (class, new) = self.table.add(column, edges, &positions);
                if new {
                    self.known.get_mut().unwrap_or_else(PoisonError::into_inner).remove(&class);
                    changed.classes.push(class);
                }
                class
            } else {
                self.table.add_without_member(&positions)
            };
            if self.table.len() > known {
                self.rows.push(&positions);
                self.bytes += BYTES_A_CLASS + 8 * positions.len();
            }
            if at_least == 1 && self.tree.is_open(node) {
                changed.groups.push(self.open(class, node, edges));
            }
        }
    }

    fn positions(&self, node: NodeId, at_least: u32) -> Vec<u32> {
        let occurs = self.tree.graphs(node).iter().zip(self.tree.counts(node));
        let enough = occurs.filter(|(_, count)| **count >= at_least);
        enough.filter_map(|(&graph, _)| self.position_of[graph as usize]).collect()
    }

    /// Explores the way to a pattern; gives its number if it is in the tree.
    fn lead_to(&mut self, code: &DfsCode) -> Option<NodeId> {
        let mut at = self.tree.root(code.root());
        for &edge in code.edges() {
            let node = at?;
            if self.tree.is_open(node) {
                for child in self.tree.expand(node) {
                    self.add(child, &mut Expanded::default());
                }
            }
            at = self.tree.child(node, edge);
        }
        at
    }

    fn open(&mut self, class: ClassId, node: NodeId, edges: u32) -> usize {
        let groups = &mut self.groups;
        let at = *self.group_of.entry(class).or_insert_with(|| {
            groups.push(Group { class, edges, open: Vec::new(), stuck: false });
            groups.len() - 1
        });
        let group = &mut groups[at];
        group.edges = if group.open.is_empty() { edges } else { group.edges.min(edges) };
        group.open.push(node);
        at
    }
}

impl PatternSpace for BoundSpace<'_> {
    fn classes(&self) -> &ClassTable {
        &self.table
    }

    fn view(&self) -> Option<View<'_>> {
        Some(View::Growing(&self.rows))
    }

    fn simplest(&self, class: ClassId) -> Arc<Simplest> {
        let find = || simplest_of(self.table.simplest(class), |node| self.tree.code(node));
        look_up(&self.known, class, find)
    }

    fn has(&self, graph: u32, column: Column) -> bool {
        self.tree.count(graph, column.pattern) >= column.at_least
    }

    fn graphs_with(&self, patterns: &[u32]) -> Vec<Vec<u32>> {
        patterns.iter().map(|&node| self.tree.graphs(node).to_vec()).collect()
    }

    fn frontier(&self) -> &[Group] {
        &self.groups
    }

    fn expand(&mut self, group: usize) -> Expanded {
        let mut changed = Expanded::default();
        for node in std::mem::take(&mut self.groups[group].open) {
            for child in self.tree.expand(node) {
                self.add(child, &mut changed);
            }
            self.groups[group].stuck |= self.tree.is_stuck(node);
        }
        changed
    }

    fn work(&self) -> usize {
        self.tree.work()
    }

    fn bytes(&self) -> usize {
        self.tree.bytes() + self.bytes
    }

    fn patience(&self) -> usize {
        if self.is_plain() { self.patience } else { usize::MAX }
    }

    fn ground(&self, positions: &[u32]) -> Option<Ground> {
        let graph = |&p: &u32| &self.graphs[self.train[p as usize] as usize];
        let ground = || {
            let graphs = positions.iter().map(graph);
            Ground::new(graphs, self.which.max_edges).with_budget(self.ration)
        };
        self.is_plain().then(ground)
    }

    fn count_alone(&mut self, patterns: usize) {
        self.met_alone += patterns;
    }

    fn met_alone(&self) -> usize {
        self.met_alone
    }

    fn numbers(&mut self, patterns: &[(DfsCode, u32)]) -> Option<Vec<u32>> {
        patterns.iter().map(|(code, _)| self.lead_to(code)).collect()
    }

    fn reveal(&mut self, code: &DfsCode) -> bool {
        self.lead_to(code).is_some()
    }

    fn patterns(&self) -> usize {
        self.tree.len()
    }

    fn edges(&self, pattern: u32) -> usize {
        self.tree.edges(pattern)
    }
}
