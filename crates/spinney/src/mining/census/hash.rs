//! The 128-bit numbers that name patterns, and how they are mixed.
//!
//! A name has two lanes. The first is complete: it distinguishes patterns as well as 64
//! bits can.
//! The second is the sum of random numbers over the edges, one for each triple of labels: patterns
//! made of different edges differ there too. So two of N patterns share a name with a probability
//! of about 2⁻⁶⁴ for each pair *made of the same edges*, of which there are far fewer than N²; and
//! a finished model is checked by matching its patterns on every training graph.
//!
//! **Invariant.** The constants are fixed, so names are the same on every machine. Sums stand for
//! multisets, [`mixed`] for an ordered step.

use crate::labels::{Label, UNSEEN};
use crate::random::mix;

/// The name of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Name(pub(crate) u64, pub(crate) u64);

impl Name {
    /// The `i`-th of a fixed sequence of unrelated names, one sequence a `kind`.
    pub(crate) fn seed(kind: u64, i: u64) -> Name {
        let x = mix(mix(kind).wrapping_add(i));
        Name(x, mix(x ^ 0xa5a5_a5a5_5a5a_5a5a))
    }
}

/// Spreads every bit over all others.
#[inline(always)]
pub(super) fn mixed(x: u64) -> u64 {
    let wide = u128::from(x ^ 0x243f_6a88_85a3_08d3) * 0x9e37_79b9_7f4a_7c15;
    (wide as u64) ^ ((wide >> 64) as u64)
}

/// `a`, then `b`: depends on the order.
#[inline(always)]
pub(super) fn then(a: u64, b: u64) -> u64 {
    mixed(a.rotate_left(29).wrapping_add(b))
}

/// A number for each kind of name.
pub(super) fn tag(i: u64) -> u64 {
    Name::seed(TAG, i).0
}

const VERTEX: u64 = 1;
const EDGE: u64 = 2;
const ALONE: u64 = 3;
const TAG: u64 = 4;

/// The name of the pattern of one vertex.
pub(crate) fn vertex_name(label: Label) -> Name {
    Name::seed(ALONE, label.into())
}

/// The seeds of labels, computed once a label.
#[derive(Debug, Default)]
pub(super) struct Seeds {
    vertex: Vec<Name>,
    edge: Vec<Name>,
}

impl Seeds {
    /// The seed of a vertex label.
    pub(super) fn vertex(&mut self, label: Label) -> u64 {
        seed_of(&mut self.vertex, VERTEX, label).0
    }

    /// The seed of an edge label.
    pub(super) fn edge(&mut self, label: Label) -> u64 {
        seed_of(&mut self.edge, EDGE, label).0
    }

    /// What an edge adds to the second lane, given the labels of its ends and its own.
    pub(super) fn triple(&mut self, ends: [Label; 2], edge: Label) -> u64 {
        let [a, b] = ends.map(|label| mixed(seed_of(&mut self.vertex, VERTEX, label).1));
        mixed(a.wrapping_add(b).wrapping_add(seed_of(&mut self.edge, EDGE, edge).1))
    }
}

fn seed_of(known: &mut Vec<Name>, kind: u64, label: Label) -> Name {
    if label == UNSEEN {
        return Name::default();
    }
    for next in known.len()..=label as usize {
        known.push(Name::seed(kind, next as u64));
    }
    known[label as usize]
}
