//! Which graphs a tree is fitted to.
//!
//! **Invariant.** Every choice is a function of the seed, the round and the position alone.

use crate::boosting::tree_grower::Members;
use crate::random::among_first;

/// The graphs that the tree of `round` is fitted to: `fraction` of them, at least one.
pub(crate) fn rows(n: usize, fraction: f64, seed: u64, round: usize) -> Members {
    if fraction >= 1.0 {
        return Members { fitted: (0..n as u32).collect(), left_out: Vec::new() };
    }
    let count = ((fraction * n as f64).round() as usize).clamp(1, n.max(1));
    let is_fitted = among_first(count, n, seed, round as u64 + 1);
    let (fitted, left_out) = (0..n as u32).partition(|&graph| is_fitted[graph as usize]);
    Members { fitted, left_out }
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn rows_are_a_partition_of_the_right_size() {
        let m = rows(1000, 0.7, 3, 5);
        assert_eq!((m.fitted.len(), m.left_out.len()), (700, 300));
        let mut all = [m.fitted.clone(), m.left_out].concat();
        all.sort_unstable();
        assert_eq!(all, (0..1000).collect::<Vec<u32>>());
        assert!(m.fitted.is_sorted());
        assert_ne!(m.fitted, rows(1000, 0.7, 3, 6).fitted);
        assert_eq!(m.fitted, rows(1000, 0.7, 3, 5).fitted);
        assert_eq!(rows(1, 0.1, 0, 0).fitted, [0]);
    }
}
