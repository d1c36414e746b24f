//! A linear model of rows of zeros and ones, by dual coordinate descent.
//!
//! Minimises ½|w|² + Σ cᵢ·loss(yᵢ, w·xᵢ): the squared hinge for two classes (y = ±1), the square
//! for numbers. Each step takes one row and moves its dual variable to where the objective is least
//! (Hsieh, Chang, Lin, Keerthi and Sundararajan, *A dual coordinate descent method for large-scale
//! linear SVM*, 2008; Ho and Lin 2012 for numbers). A constant is learnt like the weight of a
//! column that every row has.
//!
//! **Invariant.** The outcome is a function of rows, targets and seed: rows are taken one after the
//! other, in orders drawn from the seed.
//!
//! Rows far beyond their margin are set aside until the others have settled (shrinking, as in the
//! paper of 2008).
//!
//! **Cost.** Some tens of passes over the entries.

use crate::random::shuffled;

/// Columns that rows have, ascending, row after row; each column with the value that it has where
/// it is.
pub(crate) struct Rows {
    pub(crate) starts: Vec<usize>,
    pub(crate) entries: Vec<u32>,
    pub(crate) values: Vec<f64>,
}

/// What is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinearLoss {
    /// Two classes, −1 and 1.
    Classes,
    Numbers,
}

/// A weight for each column, and a constant.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Weighted {
    pub(crate) weights: Vec<f64>,
    pub(crate) constant: f64,
}

const MAX_PASSES: usize = 60;

/// A pass in which no row is further than this from where it should be is the last one.
const TOLERANCE: f64 = 0.01;

impl Rows {
    /// Rows of `columns` columns, all of value one.
    pub(crate) fn new(columns: usize) -> Rows {
        Rows { starts: vec![0], entries: Vec::new(), values: vec![1.0; columns] }
    }

    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = u32>) {
        self.entries.extend(row);
        self.starts.push(self.entries.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn row(&self, row: usize) -> &[u32] {
        &self.entries[self.starts[row]..self.starts[row + 1]]
    }

    /// How many rows have each column.
    pub(crate) fn supports(&self) -> Vec<u32> {
        let mut supports = vec![0; self.values.len()];
        self.entries.iter().for_each(|&column| supports[column as usize] += 1);
        supports
    }

    /// Gives columns the value one by the `roots`-fold square root of their support, scaled so that
    /// the mean square of a row is one.
    pub(crate) fn scale(&mut self, roots: u32) {
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
    pub(crate) fn score(&self, row: &[u32], model: &Weighted) -> f64 {
        let each = row.iter().map(|&c| model.weights[c as usize] * self.values[c as usize]);
        model.constant + each.sum::<f64>()
    }

    /// The model of `targets`, each of which counts by its `costs`.
    pub(crate) fn fit(
        &self,
        fitting: LinearLoss,
        targets: &[f64],
        costs: &[f64],
        seed: u64,
    ) -> Weighted {
        let mut descent = Descent::new(self, fitting, targets, costs);
        let mut active: Vec<u32> = (0..self.len() as u32).collect();
        let mut settled = f64::INFINITY;
        for pass in 0..MAX_PASSES {
            let mut furthest = 0.0f64;
            let mut stays = vec![true; active.len()];
            for at in shuffled(active.len(), seed, pass as u64) {
                let at = at as usize;
                let moved = descent.step(active[at] as usize);
                furthest = furthest.max(moved.distance);
                stays[at] = moved.beyond <= settled;
            }
            if furthest < TOLERANCE {
                if active.len() == self.len() {
                    break;
                }
                // Those that were set aside are looked at once more.
                active = (0..self.len() as u32).collect();
                settled = f64::INFINITY;
                continue;
            }
            settled = furthest;
            let mut stays = stays.into_iter();
            active.retain(|_| stays.next() == Some(true));
        }
        descent.model()
    }
}

/// The state of a fit. Weights are kept times their column's value: what they add to a score.
struct Descent<'r> {
    rows: &'r Rows,
    fitting: LinearLoss,
    targets: &'r [f64],
    slacks: Vec<f64>,
    /// The square of each row's values, the constant's one included.
    squares: Vec<f64>,
    duals: Vec<f64>,
    columns: Vec<DescentColumn>,
    constant: f64,
}

#[derive(Clone, Copy)]
struct DescentColumn {
    /// What the column adds to the score of a row that has it.
    adds: f64,
    /// The square of its value.
    square: f64,
}

/// What a step did.
struct Moved {
    /// How far the row was from where it should be.
    distance: f64,
    /// How far beyond its margin a row is that has no say, else 0.
    beyond: f64,
}

impl<'r> Descent<'r> {
    fn new(rows: &'r Rows, fitting: LinearLoss, targets: &'r [f64], costs: &[f64]) -> Self {
        let column = |value: &f64| DescentColumn { adds: 0.0, square: value * value };
        Descent {
            rows,
            fitting,
            targets,
            slacks: costs.iter().map(|cost| 0.5 / cost).collect(),
            squares: (0..rows.len()).map(|row| 1.0 + rows.square(row)).collect(),
            duals: vec![0.0; rows.len()],
            columns: rows.values.iter().map(column).collect(),
            constant: 0.0,
        }
    }

    /// Moves a row's dual variable to where the objective is least.
    fn step(&mut self, row: usize) -> Moved {
        let entries = self.rows.row(row);
        let y = self.targets[row];
        let dual = self.duals[row];
        let bend = self.squares[row] + self.slacks[row];
        let score = self.constant + self.sum(entries);
        let (slope, sign) = match self.fitting {
            LinearLoss::Classes => (y * score - 1.0 + self.slacks[row] * dual, y),
            LinearLoss::Numbers => (score - y + self.slacks[row] * dual, 1.0),
        };
        let moved = dual - slope / bend;
        let moved = if self.fitting == LinearLoss::Classes { moved.max(0.0) } else { moved };
        let step = moved - dual;
        if step == 0.0 {
            let has_no_say = self.fitting == LinearLoss::Classes && dual == 0.0;
            return Moved { distance: 0.0, beyond: if has_no_say { slope } else { 0.0 } };
        }
        self.duals[row] = moved;
        self.constant += sign * step;
        for &column in entries {
            let column = &mut self.columns[column as usize];
            column.adds += sign * step * column.square;
        }
        Moved { distance: (step * bend).abs(), beyond: 0.0 }
    }

    /// What some columns add to a score: in four sums, which do not wait for each other.
    fn sum(&self, entries: &[u32]) -> f64 {
        let adds = |column: u32| self.columns[column as usize].adds;
        let (fours, rest) = entries.as_chunks::<4>();
        let mut sums = [0.0; 4];
        for four in fours {
            for (sum, &column) in sums.iter_mut().zip(four) {
                *sum += adds(column);
            }
        }
        let rest: f64 = rest.iter().map(|&column| adds(column)).sum();
        (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
    }

    fn model(&self) -> Weighted {
        let weight = |(column, value): (&DescentColumn, &f64)| column.adds / value;
        let weights = self.columns.iter().zip(&self.rows.values).map(weight).collect();
        Weighted { weights, constant: self.constant }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, prop_assert, proptest};

    use super::{LinearLoss, Rows, Weighted};
    use crate::random::random;

    /// Rows of columns drawn from a seed, with targets and costs.
    struct Drawn {
        rows: Rows,
        targets: Vec<f64>,
        costs: Vec<f64>,
    }

    fn problem(seed: u64, rows: usize, columns: u32) -> Drawn {
        let mut drawn = Rows::new(columns as usize);
        let has = |i: usize, column: u32| random(seed, i as u64, column.into()).is_multiple_of(3);
        for i in 0..rows {
            drawn.push((0..columns).filter(|&column| has(i, column)));
        }
        drawn.scale(1);
        let number = |stream: u64, i: usize| (random(seed, stream, i as u64) % 1000) as f64 / 500.0;
        let targets = (0..rows).map(|i| number(1 << 40, i) - 1.0).collect();
        let costs = (0..rows).map(|i| 0.1 + number(1 << 41, i)).collect();
        Drawn { rows: drawn, targets, costs }
    }

    /// ½|w|² + Σ cᵢ·loss, the constant counting as a weight, and its slopes; written down once
    /// more.
    fn objective(
        Drawn { rows, targets, costs }: &Drawn,
        fitting: LinearLoss,
        w: &[f64],
    ) -> (f64, Vec<f64>) {
        let mut value = 0.5 * w.iter().map(|x| x * x).sum::<f64>();
        let mut slopes = w.to_vec();
        let last = w.len() - 1;
        for i in 0..targets.len() {
            let mut x = vec![0.0; w.len()];
            for &column in rows.row(i) {
                x[column as usize] = rows.values[column as usize];
            }
            x[last] = 1.0;
            let score: f64 = x.iter().zip(w).map(|(a, b)| a * b).sum();
            let (y, away) = match fitting {
                LinearLoss::Classes => (targets[i], (1.0 - targets[i] * score).max(0.0)),
                LinearLoss::Numbers => (1.0, targets[i] - score),
            };
            value += costs[i] * away * away;
            for (slope, x) in slopes.iter_mut().zip(&x) {
                *slope -= 2.0 * costs[i] * away * y * x;
            }
        }
        (value, slopes)
    }

    fn flat(model: &Weighted) -> Vec<f64> {
        model.weights.iter().copied().chain([model.constant]).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn the_objective_is_near_its_least_value(
            seed in 0u64..1 << 40,
            rows in 5usize..40,
            columns in 1u32..12,
        ) {
            for fitting in [LinearLoss::Classes, LinearLoss::Numbers] {
                let mut all = problem(seed, rows, columns);
                if fitting == LinearLoss::Classes {
                    all.targets.iter_mut().for_each(|y| *y = if *y < 0.0 { -1.0 } else { 1.0 });
                }
                let fitted = flat(&all.rows.fit(fitting, &all.targets, &all.costs, seed));
                // Small steps downhill from zero, many of them.
                let mut w = vec![0.0; fitted.len()];
                let costs = all.costs.iter().sum::<f64>();
                let steep = 1.0 + 2.0 * costs * f64::from(columns + 1) * 3.0;
                for _ in 0..20_000 {
                    let (_, slopes) = objective(&all, fitting, &w);
                    w.iter_mut().zip(&slopes).for_each(|(w, slope)| *w -= slope / steep);
                }
                let least = objective(&all, fitting, &w).0;
                let found = objective(&all, fitting, &fitted).0;
                let near = least * 1.002 + 1e-6;
                prop_assert!(found <= near, "{fitting:?}: {found}, but {least} can be had");
            }
        }
    }

    #[test]
    fn rare_columns_have_larger_values_and_rows_unit_squares() {
        let mut rows = Rows::new(2);
        (0..16).for_each(|i| rows.push((0..2).filter(|&c| c == 0 || i < 4)));
        rows.scale(1);
        assert!((rows.values[1] / rows.values[0] - 2.0).abs() < 1e-12);
        let squares: f64 = (0..16).map(|i| rows.square(i)).sum();
        assert!((squares / 16.0 - 1.0).abs() < 1e-12);
        rows.scale(2);
        assert!((rows.values[1] / rows.values[0] - 2.0f64.sqrt()).abs() < 1e-12);
    }
}
