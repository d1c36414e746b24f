//! Walking the enumeration tree depth-first, once, without keeping it.
//!
//! **Invariant.** Every connected pattern that occurs in at least `min_support` graphs, has at most
//! `max_edges` edges and lies below no pruned pattern is visited exactly once, in the order of the
//! smallest DFS codes (paper, section 2.2 and Alg. 3: the visitor is the place of the bound).
//!
//! **Cost.** Memory is that of the embeddings of the siblings along one path. The stack is
//! explicit, so patterns may be of any depth.

use rustc_hash::FxHashMap;

use super::canonical::Canonizer;
use super::dfs_code::{DfsCode, DfsEdge, MOST_EDGES};
use super::extend::{Embeddings, extensions, roots};

use crate::graph::{Edge, Graph, GraphBuilder};
use crate::labels::{Label, UNSEEN};

/// Which patterns to look for.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The least number of graphs that must contain a pattern (at least 1).
    pub min_support: usize,
    /// The most edges of a pattern; `None` for no limit but [`MOST_EDGES`].
    pub max_edges: Option<usize>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { min_support: 1, max_edges: None }
    }
}

impl Limits {
    pub(crate) fn most_edges(&self) -> usize {
        self.max_edges.unwrap_or(MOST_EDGES).min(MOST_EDGES)
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
    canonizer: &'a mut Canonizer,
}

impl Visit<'_> {
    /// For each graph that contains the pattern, the number of distinct occurrences: edge sets
    /// (for a single vertex: vertices), not embeddings.
    pub fn occurrences(&mut self) -> Vec<u64> {
        let automorphisms = self.canonizer.automorphisms_of(self.code);
        self.embeddings.counts().map(|c| u64::from(c) / automorphisms).collect()
    }

    /// Whether no connected pattern with one edge more occurs in all the same graphs.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        let support = self.embeddings.support();
        let mut seen: FxHashMap<(u16, u16, Label, Label), (usize, u32)> = FxHashMap::default();
        let n = self.code.vertex_count();
        let mut linked = vec![false; n * n];
        for e in self.code.edges() {
            linked[usize::from(e.from) * n + usize::from(e.to)] = true;
            linked[usize::from(e.to) * n + usize::from(e.from)] = true;
        }
        for (done, (g, rows)) in self.embeddings.iter().enumerate() {
            let graph = &self.graphs[g as usize];
            for row in rows {
                for (i, &v) in row.iter().enumerate() {
                    for next in graph.neighbors(v) {
                        let label = graph.label(next.vertex);
                        if next.label == UNSEEN || label == UNSEEN {
                            continue;
                        }
                        let to = row.iter().position(|&w| w == next.vertex);
                        if to.is_some_and(|j| linked[i * n + j]) {
                            continue;
                        }
                        let to = to.unwrap_or(n) as u16;
                        let entry =
                            seen.entry((i as u16, to, next.label, label)).or_insert((0, u32::MAX));
                        // Counted once a graph, and only while present in every graph so far.
                        if entry.0 == done && entry.1 != g {
                            *entry = (done + 1, g);
                        }
                    }
                }
            }
            seen.retain(|_, entry| entry.0 == done + 1);
            if seen.is_empty() {
                return true;
            }
        }
        seen.values().all(|entry| entry.0 < support)
    }
}

/// Visits every pattern of `graphs` within `limits`, single vertices included (as patterns of no
/// edges). Returns whether the walk went to its end.
pub fn visit(
    graphs: &[Graph],
    limits: Limits,
    mut visitor: impl FnMut(&mut Visit<'_>) -> Next,
) -> bool {
    let min_support = limits.min_support.max(1);
    let frequent;
    let graphs = if min_support > 1 {
        frequent = frequent_part(graphs, min_support);
        &frequent[..]
    } else {
        graphs
    };
    let mut canonizer = Canonizer::new();
    for (label, embeddings) in roots(graphs) {
        if embeddings.support() < min_support {
            continue;
        }
        let mut code = DfsCode::vertex(label);
        let root = Pending { edge: None, embeddings };
        let mut levels = vec![vec![root].into_iter()];
        while let Some(level) = levels.last_mut() {
            let Some(pending) = level.next() else {
                levels.pop();
                code.pop();
                continue;
            };
            if let Some(edge) = pending.edge {
                code.push(edge);
            }
            let mut found = Visit {
                code: &code,
                embeddings: &pending.embeddings,
                graphs,
                canonizer: &mut canonizer,
            };
            let next = visitor(&mut found);
            if next == Next::Stop {
                return false;
            }
            if next == Next::Descend && code.edge_count() < limits.most_edges() {
                let below =
                    children(graphs, &mut code, &pending.embeddings, min_support, &mut canonizer);
                levels.push(below.into_iter());
            } else {
                code.pop();
            }
        }
    }
    true
}

pub(crate) struct Pending {
    pub(crate) edge: Option<DfsEdge>,
    pub(crate) embeddings: Embeddings,
}

/// The children of `code` in the enumeration tree, in the order of their codes.
pub(crate) fn children(
    graphs: &[Graph],
    code: &mut DfsCode,
    embeddings: &Embeddings,
    min_support: usize,
    canonizer: &mut Canonizer,
) -> Vec<Pending> {
    let mut below = Vec::new();
    for extension in extensions(graphs, code, embeddings, min_support) {
        code.push(extension.edge);
        if canonizer.is_minimal(code) {
            let embeddings = embeddings.extended(&extension);
            below.push(Pending { edge: Some(extension.edge), embeddings });
        }
        code.pop();
    }
    below
}

/// The graphs without edges whose labels (with those of their ends) occur in fewer than
/// `min_support` graphs: no pattern wanted has one. Vertices keep their numbers.
fn frequent_part(graphs: &[Graph], min_support: usize) -> Vec<Graph> {
    let triple = |g: &Graph, e: &Edge| {
        let (a, b) = (g.label(e.u), g.label(e.v));
        (a.min(b), e.label, a.max(b))
    };
    let mut support: FxHashMap<(Label, Label, Label), (usize, usize)> = FxHashMap::default();
    for (i, graph) in graphs.iter().enumerate() {
        for e in graph.edges() {
            let seen = support.entry(triple(graph, e)).or_insert((0, usize::MAX));
            *seen = (seen.0 + usize::from(seen.1 != i), i);
        }
    }
    let part = |graph: &Graph| {
        let mut builder = GraphBuilder::new();
        graph.labels().iter().for_each(|&label| {
            builder.add_vertex(label);
        });
        for e in graph.edges() {
            if support[&triple(graph, e)].0 >= min_support {
                let added = builder.add_edge(e.u, e.v, e.label);
                debug_assert!(added.is_ok(), "the edges of a simple graph");
            }
        }
        builder.build()
    };
    graphs.iter().map(part).collect()
}
