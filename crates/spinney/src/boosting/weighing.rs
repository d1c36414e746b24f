//! How much models of other targets tell of this one: a weight for each, found on graphs that none of them saw.
//!
//! The score of a graph becomes `shift + own · its model's score + Σ weight · another model's score`. Starting
//! from the model alone, the other that lowers the loss most is taken in, all weights are fitted
//! anew, and so on, as long as that pays more than chance would. Few others tell nearly all there is
//! to be told, and every one of them makes the model longer to read.
//!
//! **Invariant.** The outcome is a function of scores, targets and weights: sums are taken in the order of
//! the graphs, and of equal others the first is taken. The objective is convex, and steps only go down.
//!
//! **Cost.** For each other taken in, a pass over the graphs for every candidate, and some ten more for the
//! few that promise most. Not in the paper.

use super::loss::Loss;
use crate::math::sum;
use crate::model::Link;

/// A weight's squared distance to what it is without others (1 for the model itself, 0 for others), for scores
/// of unit spread, counts as so much loss.
const RIDGE: f64 = 1.0;

/// Another must lower the loss by so much to be taken in: as a factor of its likelihood, twenty. One that has
/// nothing to tell does so once in seventy times.
const LEAST: f64 = 3.0;

/// At most so many are taken in.
const MOST: usize = 6;

/// So many that promise most are tried.
const TRIED: usize = 8;

const STEPS: usize = 50;

/// What makes a score of several.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weights {
    /// Added to every score.
    pub(super) shift: f64,
    /// The weight of the model itself.
    pub(super) own: f64,
    /// Who else tells something, by number, and its weight.
    pub(super) others: Vec<(usize, f64)>,
}

/// The weights with which `own`, the scores of one model, and those of some `others` fit the targets best;
/// nothing if none of the others tells enough.
pub(super) fn weigh(
    loss: &Loss,
    counts: Option<&[f64]>,
    own: &[f64],
    others: &[&[f64]],
) -> Option<Weights> {
    let columns: Vec<Column> =
        std::iter::once(&own).chain(others).map(|c| Column::new(c)).collect();
    let (first, others) = columns.split_first()?;
    let mut problem = Problem { loss, counts, unit: 1.0 };
    let mut fit = problem.fit(&[first])?;
    if loss.link() == Link::Identity {
        // The loss of numbers has the targets' unit: the variance that is left counts one.
        problem.unit = 2.0 * fit.objective / problem.total(own.len());
        if problem.unit <= 0.0 {
            return None;
        }
        fit = problem.fit(&[first])?;
    }
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < MOST {
        let with = |&other: &usize| {
            let all = chosen.iter().chain([&other]).map(|&i| &others[i]);
            let columns: Vec<&Column> = std::iter::once(first).chain(all).collect();
            Some((problem.fit(&columns)?, other))
        };
        let promising = problem.promising(&fit, others, &chosen);
        let tried = promising.iter().filter_map(with);
        let best = tried.min_by(|a, b| a.0.objective.total_cmp(&b.0.objective).then(a.1.cmp(&b.1)));
        let Some((better, other)) = best else { break };
        if fit.objective - better.objective < LEAST * problem.unit {
            break;
        }
        fit = better;
        chosen.push(other);
    }
    let raw = |column: &Column, b: f64| b / column.spread;
    let of_chosen = chosen.iter().zip(&fit.coefficients[2..]);
    let weights: Vec<(usize, f64)> = of_chosen.map(|(&i, &b)| (i, raw(&others[i], b))).collect();
    let own = raw(first, fit.coefficients[1]);
    let moved = sum(weights.iter().map(|&(i, w)| w * others[i].mean)) + own * first.mean;
    let found = Weights { shift: fit.coefficients[0] - moved, own, others: weights };
    (!chosen.is_empty() && found.is_finite()).then_some(found)
}

impl Weights {
    fn is_finite(&self) -> bool {
        let others = self.others.iter().map(|other| other.1);
        others.chain([self.shift, self.own]).all(f64::is_finite)
    }
}

/// Scores with mean zero and unit spread.
struct Column {
    values: Vec<f64>,
    mean: f64,
    spread: f64,
}

impl Column {
    fn new(scores: &[f64]) -> Column {
        let n = scores.len().max(1) as f64;
        let mean = sum(scores.iter().copied()) / n;
        let variance = sum(scores.iter().map(|x| (x - mean) * (x - mean))) / n;
        let spread = if variance > 0.0 { variance.sqrt() } else { 1.0 };
        Column { values: scores.iter().map(|x| (x - mean) / spread).collect(), mean, spread }
    }
}

struct Problem<'a> {
    loss: &'a Loss,
    counts: Option<&'a [f64]>,
    /// The loss that counts one.
    unit: f64,
}

struct Fitted {
    /// The constant, the model itself, the others.
    coefficients: Vec<f64>,
    objective: f64,
    scores: Vec<f64>,
}

impl Problem<'_> {
    fn count(&self, graph: usize) -> f64 {
        self.counts.map_or(1.0, |counts| counts[graph])
    }

    fn total(&self, graphs: usize) -> f64 {
        sum((0..graphs).map(|i| self.count(i)))
    }

    /// Residual and curvature of a graph.
    fn slope(&self, graph: usize, score: f64) -> (f64, f64) {
        let (residual, curvature) = self.loss.residual(graph, &[score], 0);
        (self.count(graph) * residual, self.count(graph) * curvature)
    }

    fn at(&self, columns: &[&Column], coefficients: Vec<f64>) -> Fitted {
        let score = |i: usize| {
            let terms = columns.iter().zip(&coefficients[1..]);
            coefficients[0] + terms.map(|(column, b)| b * column.values[i]).sum::<f64>()
        };
        let scores: Vec<f64> = (0..columns[0].values.len()).map(score).collect();
        let losses =
            scores.iter().enumerate().map(|(i, &s)| self.count(i) * self.loss.value(i, &[s]));
        let away = |(j, b): (usize, &f64)| (b - before(columns, j)).powi(2);
        let ridge = sum(coefficients.iter().enumerate().skip(1).map(away));
        let objective = sum(losses) + RIDGE * self.unit * ridge;
        Fitted { coefficients, objective, scores }
    }

    /// The coefficients with the least loss and ridge, by Newton's steps, halved until they go down.
    fn fit(&self, columns: &[&Column]) -> Option<Fitted> {
        let start = (0..=columns.len()).map(|j| before(columns, j)).collect();
        let mut fit = self.at(columns, start);
        for _ in 0..STEPS {
            let step = self.step(columns, &fit)?;
            let moved = |part: f64| {
                fit.coefficients.iter().zip(&step).map(|(b, s)| b + part * s).collect::<Vec<_>>()
            };
            let parts = (0..20).map(|halvings| 0.5f64.powi(halvings));
            let mut tried = parts.map(|part| self.at(columns, moved(part)));
            let Some(next) = tried.find(|next| next.objective < fit.objective) else { break };
            let gained = fit.objective - next.objective;
            fit = next;
            if gained <= 1e-12 * fit.objective.abs() {
                break;
            }
        }
        fit.objective.is_finite().then_some(fit)
    }

    fn step(&self, columns: &[&Column], fit: &Fitted) -> Option<Vec<f64>> {
        let size = columns.len() + 1;
        let (mut slopes, mut curves) = (vec![0.0; size], vec![0.0; size * size]);
        let mut row = vec![1.0; size];
        for (i, &score) in fit.scores.iter().enumerate() {
            let (residual, curvature) = self.slope(i, score);
            columns.iter().zip(&mut row[1..]).for_each(|(column, x)| *x = column.values[i]);
            for j in 0..size {
                slopes[j] += residual * row[j];
                (0..=j).for_each(|k| curves[j * size + k] += curvature * row[j] * row[k]);
            }
        }
        for j in 1..size {
            let stiff = 2.0 * RIDGE * self.unit;
            slopes[j] -= stiff * (fit.coefficients[j] - before(columns, j));
            curves[j * size + j] += stiff;
        }
        solve(curves, slopes)
    }

    /// The others that promise to lower the loss most, by slope and curvature alone.
    fn promising(&self, fit: &Fitted, others: &[Column], chosen: &[usize]) -> Vec<usize> {
        let slopes: Vec<(f64, f64)> =
            fit.scores.iter().enumerate().map(|(i, &score)| self.slope(i, score)).collect();
        let promise = |other: &Column| {
            let (mut slope, mut curve) = (0.0, 2.0 * RIDGE * self.unit);
            for (x, (residual, curvature)) in other.values.iter().zip(&slopes) {
                slope += residual * x;
                curve += curvature * x * x;
            }
            slope * slope / curve
        };
        let open = (0..others.len()).filter(|other| !chosen.contains(other));
        let mut open: Vec<(f64, usize)> = open.map(|i| (promise(&others[i]), i)).collect();
        open.retain(|(promise, _)| promise.is_finite());
        open.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        open.truncate(TRIED);
        open.into_iter().map(|(_, other)| other).collect()
    }
}

/// A coefficient of the model alone, with its scores as they are.
fn before(columns: &[&Column], coefficient: usize) -> f64 {
    match coefficient {
        0 => columns[0].mean,
        1 => columns[0].spread,
        _ => 0.0,
    }
}

/// Solves a symmetric positive definite system, of which the lower half is given row by row (Cholesky).
fn solve(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let n = right.len();
    for j in 0..n {
        for k in 0..=j {
            let inner: f64 = (0..k).map(|l| matrix[j * n + l] * matrix[k * n + l]).sum();
            let rest = matrix[j * n + k] - inner;
            if j == k && rest <= 0.0 {
                return None;
            }
            matrix[j * n + k] = if j == k { rest.sqrt() } else { rest / matrix[k * n + k] };
        }
        let inner: f64 = (0..j).map(|l| matrix[j * n + l] * right[l]).sum();
        right[j] = (right[j] - inner) / matrix[j * n + j];
    }
    for j in (0..n).rev() {
        let inner: f64 = (j + 1..n).map(|l| matrix[l * n + j] * right[l]).sum();
        right[j] = (right[j] - inner) / matrix[j * n + j];
    }
    Some(right)
}
