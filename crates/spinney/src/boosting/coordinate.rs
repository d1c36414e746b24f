//! A linear model of rows of zeros and ones, by dual coordinate descent.
//!
//! Minimises ½|w|² + Σ cᵢ·loss(yᵢ, w·xᵢ): the squared hinge for two classes (y = ±1), the square for numbers. Each
//! step takes one row and moves its dual variable to where the objective is least (Hsieh, Chang, Lin, Keerthi
//! and Sundararajan, *A dual coordinate descent method for large-scale linear SVM*, 2008; Ho and Lin 2012
//! for numbers). A constant is learnt like the weight of a column that every row has.
//!
//! **Invariant.** The outcome is a function of rows, targets and seed: rows are taken one after the other, in
//! orders drawn from the seed.
//!
//! **Cost.** Some tens of passes over the entries.

use super::sampling::shuffled;

/// Columns that rows have, ascending, row after row; each column with the value that it has where it is.
pub(super) struct Rows {
    pub(super) starts: Vec<usize>,
    pub(super) entries: Vec<u32>,
    pub(super) values: Vec<f64>,
}

/// What is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fitting {
    /// Two classes, −1 and 1.
    Classes,
    Numbers,
}

/// A weight for each column, and a constant.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Weighted {
    pub(super) weights: Vec<f64>,
    pub(super) constant: f64,
}

/// The most passes.
const PASSES: usize = 60;

/// A pass in which no row is further than this from where it should be is the last one.
const TOLERANCE: f64 = 0.01;

impl Rows {
    /// Rows of so many columns, all of value one.
    pub(super) fn new(columns: usize) -> Rows {
        Rows { starts: vec![0], entries: Vec::new(), values: vec![1.0; columns] }
    }

    pub(super) fn push(&mut self, row: impl IntoIterator<Item = u32>) {
        self.entries.extend(row);
        self.starts.push(self.entries.len());
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn row(&self, row: usize) -> &[u32] {
        &self.entries[self.starts[row]..self.starts[row + 1]]
    }

    /// How many rows have each column.
    pub(super) fn supports(&self) -> Vec<u32> {
        let mut supports = vec![0; self.values.len()];
        self.entries.iter().for_each(|&column| supports[column as usize] += 1);
        supports
    }

    /// Gives columns the value one by the so manieth square root of their support, scaled so that the mean
    /// square of a row is one.
    pub(super) fn scale(&mut self, roots: u32) {
        let supports = self.supports();
        for (value, support) in self.values.iter_mut().zip(supports) {
            *value = 1.0 / (0..roots).fold(f64::from(support.max(1)), |root, _| root.sqrt());
        }
        let total: f64 = (0..self.len()).map(|row| self.square(row)).sum();
        let scale = (total / self.len() as f64).sqrt();
        if scale > 0.0 {
            self.values.iter_mut().for_each(|value| *value /= scale);
        }
    }

    fn square(&self, row: usize) -> f64 {
        self.row(row).iter().map(|&column| self.values[column as usize].powi(2)).sum()
    }

    /// What a model says of a row.
    pub(super) fn score(&self, row: &[u32], model: &Weighted) -> f64 {
        let each = row.iter().map(|&c| model.weights[c as usize] * self.values[c as usize]);
        model.constant + each.sum::<f64>()
    }

    /// The model of `targets`, each of which counts by its `costs`.
    pub(super) fn fit(
        &self,
        fitting: Fitting,
        targets: &[f64],
        costs: &[f64],
        seed: u64,
    ) -> Weighted {
        let mut model = Weighted { weights: vec![0.0; self.values.len()], constant: 0.0 };
        let squares: Vec<f64> = (0..self.len()).map(|row| 1.0 + self.square(row)).collect();
        let mut duals = vec![0.0; self.len()];
        for pass in 0..PASSES {
            let mut furthest = 0.0f64;
            for row in shuffled(self.len(), seed, pass as u64) {
                let i = row as usize;
                let (y, slack) = (targets[i], 0.5 / costs[i]);
                let score = self.score(self.row(i), &model);
                let (slope, sign) = match fitting {
                    Fitting::Classes => (y * score - 1.0 + slack * duals[i], y),
                    Fitting::Numbers => (score - y + slack * duals[i], 1.0),
                };
                let moved = duals[i] - slope / (squares[i] + slack);
                let moved = if fitting == Fitting::Classes { moved.max(0.0) } else { moved };
                let step = moved - duals[i];
                furthest = furthest.max((step * (squares[i] + slack)).abs());
                duals[i] = moved;
                if step != 0.0 {
                    self.add(i, sign * step, &mut model);
                }
            }
            if furthest < TOLERANCE {
                break;
            }
        }
        model
    }

    fn add(&self, row: usize, step: f64, model: &mut Weighted) {
        model.constant += step;
        for &column in self.row(row) {
            model.weights[column as usize] += step * self.values[column as usize];
        }
    }
}
