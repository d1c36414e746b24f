//! A graph as patterns are looked for in it.
//!
//! **Invariant.** Labels are the model's. Edges that no pattern has are left out.
//!
//! **Cost.** A look-up for each vertex and edge; nothing is allocated once the vectors have grown.

use super::needs::Needs;
use super::prefix::Alphabet;
use crate::graph::Graph;
use crate::labels::{Label, UNSEEN};

/// From a graph's labels to the model's.
#[derive(Clone, Copy, Debug)]
pub enum Dictionary<'d> {
    /// They are the same.
    Same,
    /// By these tables; what is outside them is unseen.
    Tables {
        /// For vertex labels.
        vertex: &'d [Label],
        /// For edge labels.
        edge: &'d [Label],
    },
}

/// A graph in the model's dictionary: what a walk looks at.
#[derive(Clone, Debug, Default)]
pub(super) struct Ground {
    pub(super) labels: Vec<Label>,
    /// Where each vertex's ways start in `ways`; one more entry at the end.
    starts: Vec<u32>,
    ways: Vec<Way>,
}

/// From a vertex along an edge that some pattern has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) letter: u32,
    pub(super) vertex: u32,
}

impl Dictionary<'_> {
    fn vertex(&self, label: Label) -> Label {
        match self {
            Dictionary::Same => label,
            Dictionary::Tables { vertex, .. } => {
                vertex.get(label as usize).copied().unwrap_or(UNSEEN)
            }
        }
    }

    fn edge(&self, label: Label) -> Label {
        match self {
            Dictionary::Same => label,
            Dictionary::Tables { edge, .. } => edge.get(label as usize).copied().unwrap_or(UNSEEN),
        }
    }
}

impl Ground {
    /// Takes up a graph.
    pub(super) fn prepare(
        &mut self,
        alphabet: &Alphabet,
        graph: &Graph,
        dictionary: Dictionary<'_>,
    ) {
        self.labels.clear();
        self.labels.extend(graph.labels().iter().map(|&l| dictionary.vertex(l)));
        self.ways.clear();
        self.starts.clear();
        self.starts.push(0);
        for v in 0..graph.vertex_count() as u32 {
            for n in graph.neighbors(v) {
                let label = self.labels[n.vertex as usize];
                if let Some(letter) = alphabet.letter(dictionary.edge(n.label), label) {
                    self.ways.push(Way { letter, vertex: n.vertex });
                }
            }
            self.starts.push(self.ways.len() as u32);
        }
    }

    /// The ways from a vertex.
    pub(super) fn ways(&self, from: u32) -> &[Way] {
        let start = self.starts[from as usize];
        let end = self.starts[from as usize + 1];
        &self.ways[start as usize..end as usize]
    }

    /// The number of vertices and ways.
    pub(super) fn parts(&self) -> usize {
        self.labels.len() + self.ways.len()
    }

    /// The kinds of edges of the graph that was taken up.
    pub(super) fn kinds(&self, graph: &Graph, dictionary: Dictionary<'_>) -> Needs {
        let mut kinds = Needs::default();
        for e in graph.edges() {
            let [u, v] = [e.u, e.v].map(|w| self.labels[w as usize]);
            kinds.count(u, dictionary.edge(e.label), v);
        }
        kinds
    }
}
