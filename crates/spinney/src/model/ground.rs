//! A graph as patterns are looked for in it.
//!
//! **Invariant.** Labels are the model's. Edges that no pattern has are left out.
//!
//! **Cost.** A look-up for each vertex and edge; nothing is allocated once the vectors have grown.

use super::alphabet::{Alphabet, NONE};
use super::needs::Needs;
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
    /// The number of each vertex's label, or [`NONE`].
    pub(super) vertices: Vec<u32>,
    /// The vertices that have ways.
    pub(super) inner: Vec<u32>,
    pub(super) spots: Vec<Spot>,
    pub(super) ways: Vec<Way>,
    /// By a label's number, how many vertices have it; 0 for all that are not in `numbers`.
    counts: Vec<u32>,
    /// The numbers of the labels that vertices have.
    numbers: Vec<u32>,
}

/// A vertex: where its ways stand, and the bits of their letters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) bits: u64,
    start: u32,
    end: u32,
}

impl Spot {
    /// Its ways out of all.
    pub(super) fn of(self, ways: &[Way]) -> &[Way] {
        &ways[self.start as usize..self.end as usize]
    }
}

/// The bit of a letter. Letters may share one.
pub(super) fn bit(letter: u32) -> u64 {
    1 << (letter % 64)
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
        self.vertices.clear();
        let number = |&l: &Label| alphabet.vertex(dictionary.vertex(l));
        self.vertices.extend(graph.labels().iter().map(number));
        self.count_labels(alphabet);
        self.inner.clear();
        self.ways.clear();
        self.spots.clear();
        for v in 0..graph.vertex_count() as u32 {
            let mut bits = 0;
            let start = self.ways.len() as u32;
            for n in graph.neighbors(v) {
                let number = self.vertices[n.vertex as usize];
                let letter = alphabet.letter(dictionary.edge(n.label), number);
                if letter != NONE {
                    self.ways.push(Way { letter, vertex: n.vertex });
                    bits |= bit(letter);
                }
            }
            self.inner.extend((bits != 0).then_some(v));
            self.spots.push(Spot { bits, start, end: self.ways.len() as u32 });
        }
    }

    fn count_labels(&mut self, alphabet: &Alphabet) {
        self.numbers.drain(..).for_each(|number| self.counts[number as usize] = 0);
        self.counts.resize(alphabet.vertex_count(), 0);
        for &number in self.vertices.iter().filter(|&&number| number != NONE) {
            let count = &mut self.counts[number as usize];
            *count += 1;
            if *count == 1 {
                self.numbers.push(number);
            }
        }
    }

    /// The numbers of the labels that vertices have, and how many have each.
    pub(super) fn counts(&self) -> impl Iterator<Item = (u32, u32)> {
        self.numbers.iter().map(|&number| (number, self.counts[number as usize]))
    }

    /// The number of vertices and ways.
    pub(super) fn parts(&self) -> usize {
        self.vertices.len() + self.ways.len()
    }
}

/// The kinds of edges of a graph.
pub(super) fn kinds(graph: &Graph, dictionary: Dictionary<'_>) -> Needs {
    let mut kinds = Needs::default();
    for e in graph.edges() {
        let [u, v] = [e.u, e.v].map(|w| dictionary.vertex(graph.label(w)));
        kinds.count(u, dictionary.edge(e.label), v);
    }
    kinds
}
