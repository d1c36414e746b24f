//! What no pattern below a given one can exceed (paper, Theorem 2 and its appendix).
//!
//! Every extension of a pattern `g` occurs in a subset of D1, the graphs with `g`. The gain of a
//! subset is a convex function of its (Σh, Σg), so its maximum over subsets lies at a corner of the
//! reachable region, and the corners are the prefixes of D1 sorted by g/h, from either end.
//!
//! **Correction.** The paper lets only k ∈ {2, …, |D1|−1} graphs leave; that prunes too much. Every
//! non-empty kept prefix counts, and prefix sums make the bound linear after sorting.
//!
//! Two bounds, the cheap one first:
//! - [`by_sums`]: Cauchy-Schwarz, from (n, Σg, Σh, Σg²/h) over D1 alone.
//! - [`by_order`]: the corners.
//!
//! **Invariant.** Neither is below the gain of any valid split by a subset of D1; both carry a
//! relative slack for rounding.

use std::cmp::Ordering;

use crate::search::gain::{Rule, Sums};

/// Covers the rounding of the few floating-point operations in a bound.
const SLACK: f64 = 1.0 + 1e-13;

/// The largest gain of any subset of D1, up to rounding. `members` are the graphs of D1, each with
/// its own sums, in any order (they are sorted here); `all` are the sums of the whole node.
#[must_use]
pub(crate) fn by_order(members: &mut Vec<Sums>, all: Sums, rule: &Rule) -> f64 {
    if (members.len() as u32) < rule.min_leaf.max(1) {
        return 0.0;
    }
    // A graph without weight changes no sum; it only helps to fill a leaf.
    members.retain(|m| m.h != 0 || m.g != 0);
    let unit = members.iter().all(|m| m.h == 1) && all.h == i64::from(all.n);
    if unit {
        members.sort_unstable_by_key(|m| std::cmp::Reverse(m.g));
    } else {
        members.sort_by(by_falling_ratio);
    }
    let from_top = best_prefix(members.iter(), all, rule, unit);
    let from_bottom = best_prefix(members.iter().rev(), all, rule, unit);
    from_top.max(from_bottom) * SLACK + cancellation(all, rule)
}

/// By g/h, the largest first; without weight, gradients are infinite ratios of their sign.
fn by_falling_ratio(a: &Sums, b: &Sums) -> Ordering {
    if a.h == 0 && b.h == 0 {
        return b.g.cmp(&a.g);
    }
    (i128::from(b.g) * i128::from(a.h)).cmp(&(i128::from(a.g) * i128::from(b.h)))
}

/// With λ a gain is a difference of terms as large as the node's own.
fn cancellation(all: Sums, rule: &Rule) -> f64 {
    if rule.l2 > 0.0 { 1e-14 * rule.penalized(all) } else { 0.0 }
}

/// The best gain over prefixes. With unit weights a prefix of m graphs is extreme among *all*
/// subsets of m, so sizes that the rule forbids can be left out; with weights they cannot.
fn best_prefix<'a>(
    members: impl Iterator<Item = &'a Sums>,
    all: Sums,
    rule: &Rule,
    unit: bool,
) -> f64 {
    let anyhow = Rule { min_leaf: 0, ..*rule };
    let mut part = Sums::default();
    let mut best = 0.0f64;
    for m in members {
        part = Sums { g: part.g + m.g, h: part.h + m.h, n: part.n + m.n };
        let gain = if unit { rule.raw_gain(part, all) } else { unconstrained(part, all, &anyhow) };
        best = best.max(gain.unwrap_or(0.0));
    }
    best
}

/// The gain, infinite where a side has gradient but no weight. (A valid split may approach it.)
fn unconstrained(part: Sums, all: Sums, rule: &Rule) -> Option<f64> {
    let rest = all.minus(part);
    if rule.l2 == 0.0 {
        let weightless = |s: Sums| s.h == 0 && s.g != 0;
        if weightless(part) || weightless(rest) {
            return Some(f64::INFINITY);
        }
        if part.h == 0 || rest.h == 0 {
            return Some(0.0);
        }
    }
    // The rule wants a graph on each side; the corner of all of D' counts as if it had one.
    let padded = Sums { n: part.n.clamp(1, all.n.max(2) - 1), ..part };
    rule.raw_gain(padded, Sums { n: all.n.max(2), ..all })
}

/// Sums over D1 for the cheap bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Squares {
    /// The sums over D1.
    pub part: Sums,
    /// An upper bound of Σ g²/h over D1.
    pub q: f64,
}

/// A bound from sums: gain ≤ Q·H/(H − H₁), where Q = Σ h(g/h − G/H)² over D1 = Σg²/h − 2cΣg + c²Σh;
/// with λ, plus what λ takes from the undivided node.
#[must_use]
pub(crate) fn by_sums(squares: &Squares, all: Sums, rule: &Rule) -> f64 {
    let part = squares.part;
    if part.n < rule.min_leaf.max(1) {
        return 0.0;
    }
    let g = all.g as f64;
    let h = all.h as f64;
    let rest = (all.h - part.h) as f64;
    if h <= 0.0 || rest <= 0.0 {
        return f64::INFINITY;
    }
    let c = g / h;
    let part_g = part.g as f64;
    let part_h = part.h as f64;
    // Absolute slack: the three terms may cancel.
    let slack = 1e-12 * (squares.q + 2.0 * (c * part_g).abs() + c * c * part_h);
    let q = (squares.q - 2.0 * c * part_g + c * c * part_h + slack).max(0.0);
    (q * h / rest + g * g / h - g * g / (h + rule.l2)) * SLACK + cancellation(all, rule)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, prop, proptest};

    use super::{Squares, by_order, by_sums};
    use crate::search::gain::{Rule, Sums};

    fn total(samples: &[Sums]) -> Sums {
        samples.iter().fold(Sums::default(), |s, m| Sums {
            g: s.g + m.g,
            h: s.h + m.h,
            n: s.n + m.n,
        })
    }

    /// The counter-example to the printed range: the optimum is k = 1.
    #[test]
    fn one_graph_may_leave() {
        let unit = |g: i64| Sums { g, h: 1, n: 1 };
        let d1 = [0, 0, 0, 9].map(unit);
        let all = total(&[&d1[..], &[9, 9].map(unit)[..]].concat());
        let rule = Rule { l2: 0.0, min_leaf: 1, min_gain: 0.0 };
        // All variance can be removed by keeping the three zeros: gain = TSS of the node.
        let tss = 3.0 * 81.0 - 27.0 * 27.0 / 6.0;
        let bound = by_order(&mut d1.to_vec(), all, &rule);
        assert!((bound - tss).abs() < 1e-6, "{bound} against {tss}");
    }

    fn samples(unit: bool) -> impl Strategy<Value = (Vec<Sums>, Vec<Sums>)> {
        let h = if unit { 1..2i64 } else { 0..6i64 };
        let one = (-9..9i64, h).prop_map(|(g, h)| Sums { g, h, n: 1 });
        (prop::collection::vec(one.clone(), 1..9), prop::collection::vec(one, 0..6))
    }

    /// The best valid split by any subset of D1, by trying them all.
    fn best_subset(d1: &[Sums], all: Sums, rule: &Rule) -> f64 {
        (1u32..1 << d1.len())
            .filter_map(|mask| {
                let kept: Vec<Sums> =
                    (0..d1.len()).filter(|i| mask >> i & 1 == 1).map(|i| d1[i]).collect();
                rule.raw_gain(total(&kept), all)
            })
            .fold(0.0, f64::max)
    }

    fn check(d1: &[Sums], d0: &[Sums], rule: Rule) {
        let all = total(&[d1, d0].concat());
        let best = best_subset(d1, all, &rule);
        let order = by_order(&mut d1.to_vec(), all, &rule);
        assert!(order >= best, "by order {order} < {best}");
        if d1.iter().all(|s| s.h > 0) {
            let q = d1.iter().map(|s| (s.g * s.g) as f64 / s.h as f64).sum();
            let sums = by_sums(&Squares { part: total(d1), q }, all, &rule);
            assert!(sums >= best, "by sums {sums} < {best}");
            if rule.min_leaf <= 1 && d0.iter().all(|s| s.h > 0) {
                assert!(order <= best * (1.0 + 1e-6) + 1e-9, "not tight: {order} > {best}");
            }
        }
    }

    proptest! {
        #[test]
        fn bounds_hold_for_residuals((d1, d0) in samples(true), min_leaf in 1u32..4) {
            check(&d1, &d0, Rule { l2: 0.0, min_leaf, min_gain: 0.0 });
        }

        #[test]
        fn bounds_hold_for_weights_and_second_order(
            (d1, d0) in samples(false),
            min_leaf in 1u32..3,
            l2 in prop::sample::select(vec![0.0, 0.5, 3.0]),
        ) {
            check(&d1, &d0, Rule { l2, min_leaf, min_gain: 0.0 });
        }
    }
}
