//! Where a pattern occurs in a graph: which vertices belong to some occurrence.
//!
//! **Cost.** Subgraph isomorphism by backtracking along the DFS code; it ends as soon as every vertex is
//! marked. Not for the paths that must be fast: [`Matcher`](super::Matcher) counts, this one points.

use crate::graph::Graph;
use crate::labels::Labels;
use crate::mining::dfs_code::DfsCode;

/// For each vertex of `graph`, whether it lies in an occurrence of `code`. Both use the same labels.
#[must_use]
pub fn covered(code: &DfsCode, graph: &Graph) -> Vec<bool> {
    let mut search = Search {
        code,
        graph,
        row: Vec::with_capacity(code.vertex_count()),
        marked: vec![false; graph.vertex_count()],
        left: graph.vertex_count(),
    };
    for v in 0..graph.vertex_count() as u32 {
        if graph.label(v) == code.root() {
            search.row.push(v);
            search.follow(0);
            search.row.pop();
        }
    }
    search.marked
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
    marked: Vec<bool>,
    /// Vertices not marked.
    left: usize,
}

impl Search<'_> {
    fn follow(&mut self, next: usize) {
        if self.left == 0 {
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
            if !std::mem::replace(&mut self.marked[v as usize], true) {
                self.left -= 1;
            }
        }
    }
}
