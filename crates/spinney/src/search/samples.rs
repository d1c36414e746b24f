//! Gradients and weights as integers, so that their sums are exact.
//!
//! **Invariant.** `g = round(gradient · 2^e)` with the largest `e` for which no sum over all graphs
//! can leave 62 bits: the rounding is 2⁻⁶¹·n of the largest gradient, far below what the
//! gradients themselves carry, and from there on nothing rounds until a gain is computed.
//! Weights that are all 1 stay 1.

use crate::math::floor_log2;
use crate::search::gain::Sums;

/// The numbers that one tree is fitted to, by training position.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    g: Vec<i64>,
    h: Vec<i64>,
    /// Σ g²/h in units of `q_unit`, rounded up; empty if not asked for or not finite.
    q: Vec<u64>,
    q_unit: f64,
    g_unit: f64,
    h_unit: f64,
    unit_weights: bool,
}

impl Samples {
    /// From gradients (residuals) and weights; no weights means 1 each.
    ///
    /// Returns `None` if a number is not finite or a weight is negative.
    #[must_use]
    pub fn new(gradients: &[f64], weights: Option<&[f64]>) -> Option<Samples> {
        let (g, g_unit) = quantize(gradients)?;
        let (h, h_unit) = match weights {
            None => (Vec::new(), 1.0),
            Some(w) if w.iter().any(|&w| w < 0.0) => return None,
            Some(w) => quantize(w)?,
        };
        let unit_weights = weights.is_none();
        Some(Samples { g, h, g_unit, h_unit, unit_weights, ..Samples::default() })
    }

    /// The same with the squares that `bound::by_sums` needs.
    #[must_use]
    pub fn with_squares(mut self) -> Samples {
        let all = 0..self.g.len() as u32;
        let squares: Vec<f64> = all
            .map(|p| self.one(p))
            .map(|s| if s.g == 0 { 0.0 } else { (s.g as f64).powi(2) / s.h as f64 })
            .collect();
        let sum: f64 = squares.iter().sum();
        if sum.is_finite() {
            self.q_unit = if sum > 0.0 { sum * 2f64.powi(-60) } else { 1.0 };
            let unit = self.q_unit;
            self.q = squares.iter().map(|q| (q / unit).ceil() as u64 + 1).collect();
        }
        self
    }

    /// g²/h of one graph in units of [`Samples::q_unit`], rounded up.
    #[must_use]
    pub fn square(&self, position: u32) -> u64 {
        self.q.get(position as usize).copied().unwrap_or(0)
    }

    /// The value of one unit of [`Samples::square`]; `None` without squares.
    #[must_use]
    pub fn q_unit(&self) -> Option<f64> {
        (!self.q.is_empty()).then_some(self.q_unit)
    }

    /// The number of training graphs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.g.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.g.is_empty()
    }

    /// Whether every weight is 1.
    #[must_use]
    pub fn unit_weights(&self) -> bool {
        self.unit_weights
    }

    /// The sums of the one graph at `position`.
    #[must_use]
    pub fn one(&self, position: u32) -> Sums {
        let h = if self.unit_weights { 1 } else { self.h[position as usize] };
        Sums { g: self.g[position as usize], h, n: 1 }
    }

    /// The gradient rounded to a multiple of 2³⁰ units, as such: sums over all graphs fit 32 bits.
    #[must_use]
    pub fn rounded(&self, position: u32) -> i32 {
        rounded(self.g[position as usize], SHORT)
    }

    /// The gradients of the graphs at `positions`, less their mean, rounded as finely as sums over
    /// them fit 32 bits. The others are left zero. `None` if that is hardly finer than
    /// [`Samples::rounded`], or if all are equal.
    #[must_use]
    pub fn rounded_within(&self, positions: &[u32]) -> Option<Vec<i32>> {
        let sum: i64 = positions.iter().map(|&p| self.g[p as usize]).sum();
        let mean = sum / positions.len().max(1) as i64;
        let centred = |p: u32| self.g[p as usize] - mean;
        let most = positions.iter().map(|&p| centred(p).abs()).max().unwrap_or(0);
        let most = most.saturating_mul(positions.len() as i64);
        let shift = (i64::BITS - most.leading_zeros()).saturating_sub(30);
        if most == 0 || shift + 3 > SHORT {
            return None;
        }
        let mut all = vec![0; self.g.len()];
        positions.iter().for_each(|&p| all[p as usize] = rounded(centred(p), shift));
        Some(all)
    }

    /// The sums over the graphs at `positions`.
    #[must_use]
    pub fn sums(&self, positions: &[u32]) -> Sums {
        positions.iter().fold(Sums::default(), |s, &p| {
            let one = self.one(p);
            Sums { g: s.g + one.g, h: s.h + one.h, n: s.n + 1 }
        })
    }

    /// Gains up to this are rounding noise of the gradients, not signal: differences of a
    /// millionth of a millionth of the largest one.
    #[must_use]
    pub fn noise(&self) -> f64 {
        let most = self.g.iter().fold(0, |m, g| g.abs().max(m)) as f64;
        let heaviest = self.h.iter().fold(1, |m, h| *h.max(&m)) as f64;
        (1e-12 * most).powi(2) / heaviest
    }

    /// What one unit of `h` is worth; λ is to be divided by it.
    #[must_use]
    pub fn h_unit(&self) -> f64 {
        self.h_unit
    }

    /// What one unit of gain is worth.
    #[must_use]
    pub fn gain_unit(&self) -> f64 {
        self.g_unit * self.g_unit / self.h_unit
    }
}

/// Gradients are below 2^(61 − b) units where there are fewer than 2^b graphs; without the last 30
/// digits, any sum of them is below 2^31.
const SHORT: u32 = 30;

/// The nearest multiple of 2^shift, as such.
fn rounded(g: i64, shift: u32) -> i32 {
    let half = (1i64 << shift) >> 1;
    ((g + half) >> shift) as i32
}

/// Integers and the value of one.
fn quantize(values: &[f64]) -> Option<(Vec<i64>, f64)> {
    let most = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if !most.is_finite() || values.iter().any(|v| v.is_nan()) {
        return None;
    }
    if most == 0.0 {
        return Some((vec![0; values.len()], 1.0));
    }
    let bits = 61 - (usize::BITS - values.len().leading_zeros()) as i32;
    // 2^exponent ≥ most, so that a scaled value is at most 2^bits.
    let exponent = floor_log2(most) + 1;
    let shift = (bits - exponent).clamp(-1000, 1000);
    let scale = 2f64.powi(shift);
    Some((values.iter().map(|v| (v * scale).round() as i64).collect(), scale.recip()))
}

#[cfg(test)]
mod tests {
    use super::Samples;

    #[test]
    fn sums_are_exact_over_twelve_orders_of_magnitude() {
        // Powers of two down to 2^-40: exactly representable, so the sum must be exact.
        let values: Vec<f64> = (0..41).map(|e| 2f64.powi(-e)).collect();
        let samples = Samples::new(&values, None).unwrap();
        let all: Vec<u32> = (0..41).collect();
        let unit = samples.gain_unit().sqrt();
        assert_eq!(samples.sums(&all).g as f64 * unit, 2.0 - 2f64.powi(-40));
        let tail = samples.sums(&all).minus(samples.sums(&all[..40]));
        assert_eq!(tail.g as f64 * unit, 2f64.powi(-40));
    }

    #[test]
    fn large_and_bad_numbers() {
        let samples = Samples::new(&[1e300, -1e300, 1e290], None).unwrap();
        assert_eq!(samples.sums(&[0, 1]).g, 0);
        assert!(samples.one(0).g > 1 << 57 && samples.one(0).g < 1 << 62);
        assert!(samples.one(2).g > 0);
        assert!(Samples::new(&[f64::NAN], None).is_none());
        assert!(Samples::new(&[f64::INFINITY], None).is_none());
        assert!(Samples::new(&[1.0], Some(&[-1.0])).is_none());
        assert_eq!(Samples::new(&[0.0, 0.0], None).unwrap().sums(&[0, 1]).g, 0);
    }
}
