//! Contributions of patterns brought to the vertices and edges of a graph.
//!
//! The contribution of a pattern that occurs is shared equally over the vertices of all its
//! occurrences, and apart from that over their edges. What patterns add by being absent belongs to
//! no place in the graph, nor do [covariates](crate::representation::covariates), and edges get
//! nothing of patterns of one vertex.
//!
//! **Invariant.** The vertices' shares of an output sum to the contributions of the patterns that
//! occur in its copies.
//!
//! **Cost.** A search for the occurrences of each pattern with a contribution
//! ([`occurrences`](super::occurrences)).

use super::occurrences::{covered, translated};
use super::{Contributions, Model};
use crate::dataset::Dataset;
use crate::graph::Copies;

/// What the parts of one graph add to one of its scores.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shares {
    /// One a vertex.
    pub vertices: Vec<f64>,
    /// One an edge.
    pub edges: Vec<f64>,
}

impl Model {
    /// Shares the contributions to the scores of graph `graph` of `data` over its parts; one an
    /// output. Parts that are [`Copies`] of each other count as one.
    #[must_use]
    pub fn attribution(
        &self,
        data: &Dataset,
        found: &Contributions,
        graph: usize,
        copies: Copies,
    ) -> Vec<Shares> {
        let whole = translated(&data.graphs()[graph], data.labels(), &self.labels);
        let vertices = copies.vertices(&whole);
        let edges = copies.edges(&whole);
        let outputs = found.bias.len();
        let none = Shares { vertices: vec![0.0; vertices], edges: vec![0.0; edges] };
        let mut shares = vec![none; outputs];
        for (number, pattern) in self.patterns.iter().enumerate() {
            if (0..outputs).all(|output| found.of(graph, output)[number] == 0.0) {
                continue;
            }
            let cover = covered(&pattern.code, &whole);
            let vertices = folded(&cover.vertices, vertices, copies);
            let edges = folded(&cover.edges, edges, copies);
            for (output, shares) in shares.iter_mut().enumerate() {
                let value = found.of(graph, output)[number];
                spread(value, &vertices, &mut shares.vertices);
                spread(value, &edges, &mut shares.edges);
            }
        }
        shares
    }
}

/// Copies laid over each other.
fn folded(marked: &[bool], parts: usize, copies: Copies) -> Vec<bool> {
    let marked = &marked[..parts * copies.count];
    (0..parts).map(|part| marked.iter().skip(part).step_by(parts).any(|m| *m)).collect()
}

/// Adds equal shares of `value` to the marked parts.
fn spread(value: f64, marked: &[bool], shares: &mut [f64]) {
    let count = marked.iter().filter(|m| **m).count() as f64;
    for (share, _) in shares.iter_mut().zip(marked).filter(|(_, m)| **m) {
        *share += value / count;
    }
}
