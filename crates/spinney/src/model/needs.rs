//! The kinds of edges that a pattern needs and a graph has.
//!
//! **Invariant.** Kinds that share a bit are counted together: a graph never seems to have less
//! than it has, so what [`Needs::met_by`] excludes cannot occur.
//!
//! **Cost.** A graph costs its edges, a pattern a comparison of 256 bits.

use crate::labels::Label;
use crate::mining::dfs_code::{DfsCode, DfsEdge};

/// Kinds of edges (label, edge label, label) that occur at least once and at least twice, each kind
/// hashed to one bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    once: u128,
    twice: u128,
}

impl Needs {
    /// One more edge of a graph.
    pub(super) fn count(&mut self, a: Label, edge: Label, b: Label) {
        let bit = Needs::bit(a, edge, b);
        self.twice |= self.once & bit;
        self.once |= bit;
    }

    /// What a pattern needs.
    pub(super) fn of(code: &DfsCode) -> Needs {
        let kind = |e: &DfsEdge| {
            (e.from_label.min(e.to_label), e.edge_label, e.from_label.max(e.to_label))
        };
        let mut kinds: Vec<_> = code.edges().iter().map(kind).collect();
        kinds.sort_unstable();
        let mut needs = Needs::default();
        for same in kinds.chunk_by(|a, b| a == b) {
            let (a, edge, b) = same[0];
            let bit = Needs::bit(a, edge, b);
            needs.once |= bit;
            needs.twice |= if same.len() > 1 { bit } else { 0 };
        }
        needs
    }

    fn bit(a: Label, edge: Label, b: Label) -> u128 {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        let ends = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
        let mixed = (ends.wrapping_mul(ODD).rotate_left(29) ^ u64::from(edge)).wrapping_mul(ODD);
        1 << (mixed >> 57)
    }

    /// Whether a graph has what is needed, as far as bits show.
    pub(super) fn met_by(&self, graph: &Needs) -> bool {
        (self.once & !graph.once) | (self.twice & !graph.twice) == 0
    }
}
