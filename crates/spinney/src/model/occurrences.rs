//! Where a pattern occurs in a graph: which vertices and edges belong to some occurrence.
//!
//! **Cost.** Subgraph isomorphism by backtracking along the DFS code; it ends as soon as every
//! vertex and edge is marked, and after `MAX_SEARCH_STEPS` steps with what has been marked by then:
//! a star of a hundred like leaves has more occurrences than anyone can look at. Not for the paths
//! that must be fast: [`Matcher`](super::Matcher) counts, this one points.

use crate::graph::Graph;
use crate::labels::Labels;
use crate::mining::dfs_code::DfsCode;

/// A search for occurrences ends after this many steps.
const MAX_SEARCH_STEPS: usize = 2_000_000;

/// What belongs to the occurrences of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cover {
    /// For each vertex, whether it does.
    pub vertices: Vec<bool>,
    /// For each edge, in the order of [`Graph::edges`], whether it does.
    pub edges: Vec<bool>,
}

/// Where `code` occurs in `graph`. Both use the same labels.
#[must_use]
pub fn covered(code: &DfsCode, graph: &Graph) -> Cover {
    let cover = Cover {
        vertices: vec![false; graph.vertex_count()],
        edges: vec![false; graph.edge_count()],
    };
    let row = Vec::with_capacity(code.vertex_count());
    let open = graph.vertex_count() + graph.edge_count();
    let mut search = Search { code, graph, row, cover, open, steps: 0 };
    for v in 0..graph.vertex_count() as u32 {
        if graph.label(v) == code.root() {
            search.row.push(v);
            search.follow(0);
            search.row.pop();
        }
    }
    search.cover
}

/// A graph with its labels in another dictionary; see [`Graph::relabelled`].
#[must_use]
pub fn translated(graph: &Graph, from: &Labels, to: &Labels) -> Graph {
    graph.relabelled(&from.vertex.translation(&to.vertex), &from.edge.translation(&to.edge))
}

struct Search<'s> {
    code: &'s DfsCode,
    graph: &'s Graph,
    /// The graph's vertex for each of the pattern's, so far.
    row: Vec<u32>,
    cover: Cover,
    /// Vertices and edges not marked.
    open: usize,
    steps: usize,
}

impl Search<'_> {
    fn follow(&mut self, next: usize) {
        self.steps += 1;
        if self.open == 0 || self.steps > MAX_SEARCH_STEPS {
            return;
        }
        let Some(edge) = self.code.edges().get(next) else {
            return self.mark();
        };
        let from = self.row[usize::from(edge.from)];
        if !edge.is_forward() {
            let to = self.row[usize::from(edge.to)];
            if self.graph.edge_label(from, to) == Some(edge.edge_label) {
                self.follow(next + 1);
            }
            return;
        }
        let graph = self.graph;
        for n in graph.neighbors(from) {
            let fits = n.label == edge.edge_label && graph.label(n.vertex) == edge.to_label;
            if fits && !self.row.contains(&n.vertex) {
                self.row.push(n.vertex);
                self.follow(next + 1);
                self.row.pop();
            }
        }
    }

    fn mark(&mut self) {
        for &v in &self.row {
            self.open -= usize::from(!self.cover.vertices[v as usize]);
            self.cover.vertices[v as usize] = true;
        }
        for edge in self.code.edges() {
            let [from, to] = [edge.from, edge.to].map(|v| self.row[usize::from(v)]);
            let Some(found) = self.graph.neighbors(from).iter().find(|n| n.vertex == to) else {
                continue;
            };
            let marked = &mut self.cover.edges[found.edge as usize];
            self.open -= usize::from(!*marked);
            *marked = true;
        }
    }
}
