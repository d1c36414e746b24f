//! The labels of patterns as small numbers.
//!
//! **Invariant.** Nothing unseen has a number.
//!
//! **Cost.** A look into a table for a label, and for a pair of labels. Where labels are large
//! numbers or their pairs are many, a look into a hash table.

use rustc_hash::FxHashMap;

use crate::labels::{Label, UNSEEN};
use crate::mining::dfs_code::DfsCode;

/// No number, no letter, no branch, no pattern.
pub(super) const NONE: u32 = u32::MAX;

/// The most entries of a table.
const MAX_TABLE: usize = 1 << 20;

/// The numbers of vertex labels and of edge labels, and the letters: pairs of an edge label and the
/// label of the vertex that the edge leads to.
#[derive(Clone, Debug, Default)]
pub(super) struct Alphabet {
    vertices: Numbers,
    edges: Numbers,
    /// By edge label, then by vertex label; empty if there would be too many.
    table: Vec<u32>,
    letters: FxHashMap<(u32, u32), u32>,
}

/// Numbers of labels.
#[derive(Clone, Debug, Default)]
struct Numbers {
    table: Vec<u32>,
    large: FxHashMap<Label, u32>,
    count: u32,
}

impl Numbers {
    fn of(&self, label: Label) -> u32 {
        match self.table.get(label as usize) {
            Some(&number) => number,
            None if self.large.is_empty() => NONE,
            None => self.large.get(&label).copied().unwrap_or(NONE),
        }
    }

    fn add(&mut self, label: Label) {
        if label == UNSEEN || self.of(label) != NONE {
            return;
        }
        let at = label as usize;
        if at < MAX_TABLE {
            self.table.resize(self.table.len().max(at + 1), NONE);
            self.table[at] = self.count;
        } else {
            self.large.insert(label, self.count);
        }
        self.count += 1;
    }
}

impl Alphabet {
    /// The labels in some patterns and their pairs, every edge read both ways.
    pub(super) fn of<'a>(patterns: impl Iterator<Item = &'a DfsCode>) -> Alphabet {
        let mut alphabet = Alphabet::default();
        for code in patterns {
            alphabet.vertices.add(code.root());
            for edge in code.edges() {
                alphabet.vertices.add(edge.to_label);
                alphabet.edges.add(edge.edge_label);
                for vertex in [edge.to_label, edge.from_label] {
                    let pair = (alphabet.edges.of(edge.edge_label), alphabet.vertices.of(vertex));
                    let next = alphabet.letters.len() as u32;
                    if pair.0 != NONE && pair.1 != NONE {
                        alphabet.letters.entry(pair).or_insert(next);
                    }
                }
            }
        }
        let vertices = alphabet.vertices.count as usize;
        let pairs = vertices * alphabet.edges.count as usize;
        if pairs <= MAX_TABLE {
            alphabet.table.resize(pairs, NONE);
            for (&(edge, vertex), &letter) in &alphabet.letters {
                alphabet.table[edge as usize * vertices + vertex as usize] = letter;
            }
        }
        alphabet
    }

    /// The number of vertex labels.
    pub(super) fn vertex_count(&self) -> usize {
        self.vertices.count as usize
    }

    /// The number of a vertex label, or [`NONE`].
    pub(super) fn vertex(&self, label: Label) -> u32 {
        self.vertices.of(label)
    }

    /// The letter of an edge to a vertex whose label has this number, or [`NONE`].
    pub(super) fn letter(&self, edge: Label, vertex: u32) -> u32 {
        let edge = self.edges.of(edge);
        if edge == NONE || vertex == NONE {
            return NONE;
        }
        if self.table.is_empty() {
            return self.letters.get(&(edge, vertex)).copied().unwrap_or(NONE);
        }
        self.table[edge as usize * self.vertices.count as usize + vertex as usize]
    }
}
