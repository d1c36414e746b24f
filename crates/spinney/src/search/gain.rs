//! How good a split is, in numbers that add and subtract exactly.
//!
//! Each graph has a gradient `g` (the residual) and a weight `h` (1, the sample's weight, or the
//! loss's second derivative), both as integers: multiples of a power of two (see
//! [`samples`](crate::search::samples)). Sums are therefore exact, in any order, and so is a
//! sibling found by subtraction. A split's gain is one fixed sequence of floating-point operations
//! on these sums, hence the same for every engine and thread count.
//!
//! **Ties.** Gains are compared by their first 32 binary digits ([`tie_rounded`]): splits that
//! differ by less than 2·10⁻¹⁰ of their gain are equally good, and the simpler pattern wins. The
//! rounding is monotone, so a bound may be rounded the same way; and rounding errors, around
//! 10⁻¹⁵, do not decide which of two equally good patterns a chemist gets to see.
//!
//! The paper minimises TSS(D1) + TSS(D0); that is maximising, with λ = 0 and h = 1,
//!
//! > gain = G₁²/(H₁+λ) + G₀²/(H₀+λ) − G²/(H+λ) = s²·n/(k(n−k))
//!
//! (DESIGN, section 1). λ > 0 or h ≠ 1 is the second-order gain of Chen and Guestrin (2016).

/// Sums over some graphs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Σ g, in units of the gradients' scale.
    pub g: i64,
    /// Σ h, in units of the weights' scale.
    pub h: i64,
    /// The number of graphs.
    pub n: u32,
}

impl Sums {
    /// These without those.
    #[must_use]
    pub fn minus(self, part: Sums) -> Sums {
        Sums { g: self.g - part.g, h: self.h - part.h, n: self.n - part.n }
    }
}

/// What makes a split valid and how it is scored.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// λ, in units of the weights' scale (0 for the paper).
    pub l2: f64,
    /// The smallest number of graphs on either side.
    pub min_leaf: u32,
    /// A split must gain more than this, in squared units of the gradients' scale over units of
    /// the weights' scale.
    pub min_gain: f64,
}

impl Rule {
    /// The gain of splitting `all` into `part` and the rest, rounded for comparison; `None` if the
    /// rule forbids it.
    #[must_use]
    pub fn gain(&self, part: Sums, all: Sums) -> Option<f64> {
        self.raw_gain(part, all).map(tie_rounded)
    }

    /// [`Rule::gain`] before rounding.
    #[must_use]
    pub fn raw_gain(&self, part: Sums, all: Sums) -> Option<f64> {
        let rest = all.minus(part);
        if part.n.min(rest.n) < self.min_leaf.max(1) || part.h.min(rest.h) < 0 {
            return None;
        }
        if self.l2 > 0.0 {
            return Some(self.penalized(part) + self.penalized(rest) - self.penalized(all));
        }
        if part.h.min(rest.h) == 0 {
            return None;
        }
        // (H·G₁ − H₁·G)² / (H·H₁·H₀), the difference taken exactly.
        let cross = i128::from(all.h) * i128::from(part.g) - i128::from(part.h) * i128::from(all.g);
        let s = cross as f64 / all.h as f64;
        let spread = (i128::from(part.h) * i128::from(rest.h)) as f64;
        Some(s * s * all.h as f64 / spread)
    }

    /// G²/(H+λ).
    #[must_use]
    pub fn penalized(&self, sums: Sums) -> f64 {
        let g = sums.g as f64;
        g * g / (sums.h as f64 + self.l2)
    }

    /// Whether a gain is enough to split for.
    #[must_use]
    pub fn accepts(&self, gain: f64) -> bool {
        gain > self.min_gain.max(0.0) && gain.is_finite()
    }
}

/// A non-negative number rounded to 32 significant binary digits: equal results are ties. To the
/// nearest, because round numbers are common gains and may be computed a hair too small.
#[must_use]
pub fn tie_rounded(gain: f64) -> f64 {
    const KEPT: u64 = !((1 << 21) - 1);
    f64::from_bits(gain.to_bits().wrapping_add(1 << 20) & KEPT)
}

#[cfg(test)]
mod tests {
    use super::{Rule, Sums};

    const PAPER: Rule = Rule { l2: 0.0, min_leaf: 1, min_gain: 0.0 };

    fn sums(values: &[i64]) -> Sums {
        Sums { g: values.iter().sum(), h: values.len() as i64, n: values.len() as u32 }
    }

    fn tss(values: &[i64]) -> f64 {
        let mean = values.iter().sum::<i64>() as f64 / values.len() as f64;
        values.iter().map(|&v| (v as f64 - mean).powi(2)).sum()
    }

    #[test]
    fn gain_is_the_drop_in_total_sum_of_squares() {
        let d1 = vec![3, -4, 10];
        let d0 = vec![1, 1, -7, 20];
        let all: Vec<i64> = [&d1[..], &d0[..]].concat();
        let drop = tss(&all) - tss(&d1) - tss(&d0);
        let gain = PAPER.raw_gain(sums(&d1), sums(&all)).unwrap();
        let rounded = PAPER.gain(sums(&d1), sums(&all)).unwrap();
        assert!((rounded - gain).abs() < 2e-10 * gain);
        assert!((gain - drop).abs() < 1e-9 * drop.abs(), "{gain} {drop}");
    }

    #[test]
    fn a_column_ties_exactly_with_its_complement() {
        let all = Sums { g: 123_456_789_012_345, h: 1_001, n: 1_001 };
        for (g, n) in [(98_765_432_109_876, 7), (-3, 500), (1, 1)] {
            let part = Sums { g, h: n.into(), n };
            assert_eq!(PAPER.gain(part, all), PAPER.gain(all.minus(part), all));
            let newton = Rule { l2: 17.5, ..PAPER };
            assert_eq!(newton.gain(part, all), newton.gain(all.minus(part), all));
        }
    }

    #[test]
    fn small_leaves_are_refused() {
        let rule = Rule { min_leaf: 2, ..PAPER };
        let all = sums(&[1, 2, 3, 4]);
        assert_eq!(rule.gain(sums(&[1]), all), None);
        assert_eq!(rule.gain(sums(&[1, 2, 3]), all), None);
        assert!(rule.gain(sums(&[1, 2]), all).is_some());
        assert_eq!(PAPER.gain(sums(&[]), all), None);
    }
}
