//! Walking the enumeration tree depth-first, once, without keeping it.
//!
//! **Invariant.** Every connected pattern that occurs in at least `min_support` graphs, has at most
//! `max_edges` edges and lies below no pruned pattern is visited exactly once, in the order of the
//! smallest DFS codes (paper, section 2.2 and Alg. 3: the visitor is the place of the bound).
//!
//! **Cost.** Memory is that of the embeddings of the siblings along one path. The stack is
//! explicit, so patterns may be of any depth.

use rustc_hash::FxHashMap;

use crate::graph::Graph;
use crate::labels::{Label, UNSEEN};
use crate::mining::dfs_code::{DfsCode, MAX_PATTERN_EDGES};
use crate::mining::embedding_budget::EmbeddingBudget;
use crate::mining::extend::Family;
use crate::mining::flat::Flat;
use crate::mining::grow::{Detail, Grower};
use crate::mining::join::Embeddings;

/// Which patterns to look for.
#[derive(Clone, Copy, Debug)]
pub struct PatternLimits {
    /// The smallest number of graphs that must contain a pattern (at least 1).
    pub min_support: usize,
    /// The most edges of a pattern; `None` for no limit but [`MAX_PATTERN_EDGES`].
    pub max_edges: Option<usize>,
}

impl Default for PatternLimits {
    fn default() -> Self {
        PatternLimits { min_support: 1, max_edges: None }
    }
}

impl PatternLimits {
    pub(crate) fn max_edges(&self) -> usize {
        self.max_edges.unwrap_or(MAX_PATTERN_EDGES).min(MAX_PATTERN_EDGES)
    }
}

/// What the visitor wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Visit the patterns below this one.
    Descend,
    /// Skip all patterns below this one.
    Prune,
    /// Visit nothing more.
    Stop,
}

/// A pattern met on the walk.
#[derive(Debug)]
pub struct Visit<'a> {
    /// The pattern's smallest DFS code.
    pub code: &'a DfsCode,
    /// Where it occurs.
    pub embeddings: &'a Embeddings,
    graphs: &'a [Graph],
    flat: &'a Flat,
    family: &'a Family,
    at: usize,
}

impl<'a> Visit<'a> {
    /// Extension `at` of a family, whose code is `code`.
    pub(super) fn new(
        code: &'a DfsCode,
        graphs: &'a [Graph],
        flat: &'a Flat,
        family: &'a Family,
        at: usize,
    ) -> Visit<'a> {
        Visit { code, embeddings: &family.extensions[at].found, graphs, flat, family, at }
    }
}

impl Visit<'_> {
    /// For each graph that contains the pattern, the number of distinct occurrences: edge sets
    /// (for a single vertex: vertices), not embeddings.
    #[must_use]
    pub fn occurrences(&self) -> Vec<u64> {
        self.family.extensions[self.at].occurrences().collect()
    }

    /// Whether no connected pattern with one edge more occurs in all the same graphs.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        let positions = Positions { linked: linked(self.code), twins: first_twins(self.code) };
        // The edges that all graphs so far could add, with the number of graphs.
        let mut common: FxHashMap<AddedEdge, usize> = FxHashMap::default();
        let mut done = 0;
        let mut current = None;
        self.family.rows_of(self.flat, self.at, |g, row| {
            if current.is_some_and(|before| before != g) {
                done += 1;
                common.retain(|_, seen| *seen == done);
            }
            current = Some(g);
            self.addable(g, row, &positions, |added| {
                if done == 0 {
                    common.insert(added, 1);
                } else if let Some(seen) = common.get_mut(&added) {
                    *seen = done + 1;
                }
            });
            done == 0 || !common.is_empty()
        });
        common.values().all(|&seen| seen < self.embeddings.support())
    }

    /// The edges that could be added to an embedding.
    fn addable(&self, g: u32, row: &[u64], positions: &Positions, mut add: impl FnMut(AddedEdge)) {
        let graph = &self.graphs[g as usize];
        let n = positions.twins.len();
        let packing = self.flat.packing;
        for i in 0..n {
            for next in graph.neighbors(packing.get(row, i)) {
                let label = graph.label(next.vertex);
                let to = packing.find(row, next.vertex);
                let known = to.is_some_and(|j| positions.linked[i * n + j]);
                if !known && next.label != UNSEEN && label != UNSEEN {
                    let from = positions.twins[i];
                    let to = to.map_or(n, |j| positions.twins[j]);
                    add(AddedEdge { from, to, edge_label: next.label, to_label: label });
                }
            }
        }
    }
}

/// What is known of a pattern's positions.
struct Positions {
    /// For each pair, whether there is an edge between them.
    linked: Vec<bool>,
    /// For each, the first of its twin leaves.
    twins: Vec<usize>,
}

/// An edge that could be added to a pattern, between positions.
#[derive(PartialEq, Eq, Hash)]
struct AddedEdge {
    from: usize,
    /// The number of positions stands for a new vertex.
    to: usize,
    edge_label: Label,
    to_label: Label,
}

/// For each pair of positions, whether the code has an edge between them.
fn linked(code: &DfsCode) -> Vec<bool> {
    let n = code.vertex_count();
    let mut linked = vec![false; n * n];
    for e in code.edges() {
        linked[usize::from(e.from) * n + usize::from(e.to)] = true;
        linked[usize::from(e.to) * n + usize::from(e.from)] = true;
    }
    linked
}

/// For each position, the first of the leaves that hang on the same vertex and look alike: rows
/// list them in one order only, so they are one place to add edges to.
fn first_twins(code: &DfsCode) -> Vec<usize> {
    let n = code.vertex_count();
    let mut degree = vec![0; n];
    for e in code.edges() {
        degree[usize::from(e.from)] += 1;
        degree[usize::from(e.to)] += 1;
    }
    let mut twins: Vec<usize> = (0..n).collect();
    let mut leaves: FxHashMap<(u16, Label, Label), usize> = FxHashMap::default();
    for e in code.edges() {
        let ways = [(e.to, e.from, e.from_label), (e.from, e.to, e.to_label)];
        for (hub, leaf, label) in ways {
            if degree[usize::from(leaf)] == 1 && degree[usize::from(hub)] > 1 {
                let first = leaves.entry((hub, e.edge_label, label)).or_insert(leaf.into());
                twins[usize::from(leaf)] = *first;
            }
        }
    }
    twins
}

/// A family on the way to the pattern visited, and which of its extensions comes next.
struct Level {
    family: Family,
    next: usize,
}

/// Visits every pattern of `graphs` within `limits`, single vertices included (as patterns of no
/// edges). Returns whether the walk went to its end.
pub fn visit(
    graphs: &[Graph],
    limits: PatternLimits,
    visitor: impl FnMut(&mut Visit<'_>) -> Next,
) -> bool {
    visit_with(graphs, limits, Detail::Rows, visitor)
}

/// The same, with as much detail of the largest patterns as the visitor needs.
pub(crate) fn visit_with(
    graphs: &[Graph],
    limits: PatternLimits,
    detail: Detail,
    mut visitor: impl FnMut(&mut Visit<'_>) -> Next,
) -> bool {
    let mut grower = Grower::new(graphs, vec![true; graphs.len()], limits, detail);
    grower.set_budget(EmbeddingBudget::unlimited());
    let mut code = DfsCode::default();
    let mut levels = vec![Level { family: grower.origin(), next: 0 }];
    while let Some(Level { family, next }) = levels.last_mut() {
        let at = *next;
        *next += 1;
        let Some(extension) = family.extensions.get(at) else {
            levels.pop();
            code.pop();
            continue;
        };
        if !extension.is_child {
            continue;
        }
        extension.step.add_to(&mut code);
        let mut found = Visit::new(&code, graphs, &grower.flat, family, at);
        match visitor(&mut found) {
            Next::Stop => return false,
            Next::Descend if code.edge_count() < limits.max_edges() => {
                let Some(below) = grower.grow(family, at, &code) else { return false };
                levels.push(Level { family: below, next: 0 });
            }
            _ => code.pop(),
        }
    }
    true
}
