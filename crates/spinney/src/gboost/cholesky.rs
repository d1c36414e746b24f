//! Cholesky factors of small dense matrices, by rows.
//!
//! A linear-algebra crate would take longer to build than the rest of this workspace; this is one
//! loop of dot products over rows, which vectorise.
//!
//! **Cost.** n³/3 multiplications, n²/2 numbers of memory.

/// A lower triangle, by rows: L with L Lᵀ = the matrix it was made of.
#[derive(Debug, Default)]
pub(super) struct Cholesky {
    rows: Vec<Vec<f64>>,
}

/// What stands in for a pivot that rounding made too small: the direction is left alone.
const HUGE: f64 = 1e128;

impl Cholesky {
    /// The factor of a symmetric positive matrix, given by its lower triangle.
    pub(super) fn new(mut rows: Vec<Vec<f64>>) -> Cholesky {
        let scale = rows.iter().filter_map(|row| row.last()).fold(0.0f64, |a, &b| a.max(b.abs()));
        for i in 0..rows.len() {
            let (above, rest) = rows.split_at_mut(i);
            let row = &mut rest[0];
            for (j, other) in above.iter().enumerate() {
                row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
            }
            let pivot = row[i] - dot(&row[..i], &row[..i]);
            row[i] = if pivot > 1e-30 * scale { pivot.sqrt() } else { HUGE };
        }
        Cholesky { rows }
    }

    /// x with matrix · x = `b`.
    pub(super) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        for (i, row) in self.rows.iter().enumerate() {
            x[i] = (x[i] - dot(&row[..i], &x[..i])) / row[i];
        }
        for (i, row) in self.rows.iter().enumerate().rev() {
            x[i] /= row[i];
            let (before, at) = x.split_at_mut(i);
            let at = at[0];
            before.iter_mut().zip(row).for_each(|(x, l)| *x -= l * at);
        }
        x
    }
}

/// Σ a_i b_i, in eight sums side by side.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let a = a.chunks_exact(8);
    let b = b.chunks_exact(8);
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a.zip(b) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::Cholesky;

    #[test]
    fn solves_what_multiplication_made() {
        let n = 29;
        let part = |i: usize, k: usize| ((i * 7 + k * 13) % 11) as f64 - 5.0 + f64::from(i == k);
        let entry = |i: usize, j: usize| -> f64 {
            (0..n).map(|k| part(i, k) * part(j, k)).sum::<f64>() + f64::from(i == j)
        };
        let x: Vec<f64> = (0..n).map(|i| (i as f64) - 10.0).collect();
        let b: Vec<f64> = (0..n).map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum()).collect();
        let rows = (0..n).map(|i| (0..=i).map(|j| entry(i, j)).collect()).collect();
        for (found, wanted) in Cholesky::new(rows).solve(&b).iter().zip(&x) {
            assert!((found - wanted).abs() < 1e-6, "{found} instead of {wanted}");
        }
    }
}
