//! Stacking weights: how much the models of other targets add to one target's model, found on
//! out-of-fold scores.
//!
//! The score of a graph becomes `shift + own · its model's score + Σ weight · another model's
//! score`. Forward selection: starting from the model alone, the model that lowers the loss most is
//! added, all weights are fitted anew, and so on, as long as the loss falls by more than chance
//! would make it. A few models carry nearly all of the gain, and every one of them makes the model
//! longer to read.
//!
//! **Invariant.** The outcome is a function of scores, targets and graph weights: sums are taken in
//! the order of the graphs, and of equally good models the first is taken. The objective is convex,
//! and every step lowers it.
//!
//! **Cost.** For each model added, a pass over the graphs for every candidate, and some ten more
//! for the [`CANDIDATES_FITTED`] best. Not in the paper.

use crate::boosting::loss::{Derivatives, Loss};
use crate::math::sum;
use crate::model::Link;

/// Loss per squared distance of a weight from its value before stacking (1 for the target's own
/// model, 0 for others), for scores of unit spread.
const RIDGE: f64 = 1.0;

/// A model is added if it lowers the loss by at least this much, a likelihood ratio of twenty. Pure
/// noise does so once in seventy times.
const MIN_LOSS_DECREASE: f64 = 3.0;

const MAX_MODELS_ADDED: usize = 6;

/// Candidates that are fitted in each step, those with the steepest slopes.
const CANDIDATES_FITTED: usize = 8;

const MAX_NEWTON_STEPS: usize = 50;

/// Scores that differ by less than this part of their mean are all the same.
const RELATIVE_ROUNDING: f64 = 1e-9;

/// Weights that combine the scores of several models.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weights {
    /// Added to every score.
    pub(crate) shift: f64,
    /// The weight of the model itself.
    pub(crate) own: f64,
    /// The other models.
    pub(crate) others: Vec<ModelWeight>,
}

/// The weight of another target's model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ModelWeight {
    /// The model's number.
    pub(crate) model: usize,
    pub(crate) weight: f64,
}

/// The weights with which `own`, the scores of a target's model, and those of some `others` fit the
/// targets best, graph i counting `counts[i]` times; nothing if none of the others lowers the loss
/// enough.
pub(crate) fn weigh(
    loss: &Loss,
    counts: &[f64],
    own: &[f64],
    others: &[&[f64]],
) -> Option<Weights> {
    let columns: Vec<Column> =
        std::iter::once(&own).chain(others).map(|c| Column::new(c, counts)).collect();
    let (first, others) = columns.split_first()?;
    let problem = Problem { loss, counts };
    let mut fit = problem.fit(&[first])?;
    let unit = match loss.link() {
        // The loss of numbers has the targets' unit, squared: the variance that is left counts one.
        Link::Identity => 2.0 * fit.objective / sum(counts.iter().copied()),
        _ => 1.0,
    };
    if unit <= 0.0 {
        return None;
    }
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < MAX_MODELS_ADDED {
        let with = |&other: &usize| {
            let all = chosen.iter().chain([&other]).map(|&i| &others[i]);
            let columns: Vec<&Column> = std::iter::once(first).chain(all).collect();
            Some((problem.fit(&columns)?, other))
        };
        let candidates = problem.candidates(&fit, others, &chosen);
        let tried = candidates.iter().filter_map(with);
        let best = tried.min_by(|a, b| a.0.objective.total_cmp(&b.0.objective).then(a.1.cmp(&b.1)));
        let Some((better, other)) = best else { break };
        if fit.objective - better.objective < MIN_LOSS_DECREASE * unit {
            break;
        }
        fit = better;
        chosen.push(other);
    }
    let raw = |column: &Column, b: f64| b / column.spread;
    let of_chosen = chosen.iter().zip(&fit.coefficients[2..]);
    let weights: Vec<ModelWeight> = of_chosen
        .map(|(&model, &b)| ModelWeight { model, weight: raw(&others[model], b) })
        .collect();
    let own = raw(first, fit.coefficients[1]);
    let moved = sum(weights.iter().map(|w| w.weight * others[w.model].mean)) + own * first.mean;
    let found = Weights { shift: fit.coefficients[0] - moved, own, others: weights };
    (!chosen.is_empty() && found.is_finite()).then_some(found)
}

impl Weights {
    fn is_finite(&self) -> bool {
        let others = self.others.iter().map(|other| other.weight);
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
    fn new(scores: &[f64], counts: &[f64]) -> Column {
        let all = || scores.iter().zip(counts);
        let total = sum(counts.iter().copied());
        let mean = sum(all().map(|(x, count)| count * x)) / total;
        let variance = sum(all().map(|(x, count)| count * (x - mean) * (x - mean))) / total;
        // Equal scores differ from their mean by rounding only.
        let spread =
            if variance.sqrt() > RELATIVE_ROUNDING * mean.abs() { variance.sqrt() } else { 1.0 };
        Column { values: scores.iter().map(|x| (x - mean) / spread).collect(), mean, spread }
    }
}

struct Problem<'a> {
    loss: &'a Loss,
    /// How much each graph counts.
    counts: &'a [f64],
}

struct Fitted {
    /// The constant, the model itself, the others.
    coefficients: Vec<f64>,
    objective: f64,
    scores: Vec<f64>,
}

impl Problem<'_> {
    /// The loss's derivatives at a graph's score.
    fn derivatives(&self, graph: usize, score: f64) -> Derivatives {
        let count = self.counts[graph];
        let Derivatives { residual, curvature } = self.loss.derivatives(graph, &[score], 0);
        Derivatives { residual: count * residual, curvature: count * curvature }
    }

    fn at(&self, columns: &[&Column], coefficients: Vec<f64>) -> Fitted {
        let score = |i: usize| {
            let terms = columns.iter().zip(&coefficients[1..]);
            coefficients[0] + terms.map(|(column, b)| b * column.values[i]).sum::<f64>()
        };
        let scores: Vec<f64> = (0..columns[0].values.len()).map(score).collect();
        let losses =
            scores.iter().enumerate().map(|(i, &s)| self.counts[i] * self.loss.value(i, &[s]));
        let away = |(j, b): (usize, &f64)| (b - before(columns, j)).powi(2);
        let ridge = sum(coefficients.iter().enumerate().skip(1).map(away));
        let objective = sum(losses) + RIDGE * ridge;
        Fitted { coefficients, objective, scores }
    }

    /// The coefficients with the least loss and ridge, by Newton's steps, halved until they go
    /// down.
    fn fit(&self, columns: &[&Column]) -> Option<Fitted> {
        let start = (0..=columns.len()).map(|j| before(columns, j)).collect();
        let mut fit = self.at(columns, start);
        for _ in 0..MAX_NEWTON_STEPS {
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
        let mut slopes = vec![0.0; size];
        let mut curves = vec![0.0; size * size];
        let mut row = vec![1.0; size];
        for (i, &score) in fit.scores.iter().enumerate() {
            let Derivatives { residual, curvature } = self.derivatives(i, score);
            columns.iter().zip(&mut row[1..]).for_each(|(column, x)| *x = column.values[i]);
            for j in 0..size {
                slopes[j] += residual * row[j];
                (0..=j).for_each(|k| curves[j * size + k] += curvature * row[j] * row[k]);
            }
        }
        for j in 1..size {
            let stiff = 2.0 * RIDGE;
            slopes[j] -= stiff * (fit.coefficients[j] - before(columns, j));
            curves[j * size + j] += stiff;
        }
        solve(curves, slopes)
    }

    /// The models not yet chosen of which one Newton step would lower the loss most.
    fn candidates(&self, fit: &Fitted, others: &[Column], chosen: &[usize]) -> Vec<usize> {
        let all: Vec<Derivatives> =
            fit.scores.iter().enumerate().map(|(i, &score)| self.derivatives(i, score)).collect();
        let decrease = |other: &Column| {
            let mut slope = 0.0;
            let mut curve = 2.0 * RIDGE;
            for (x, Derivatives { residual, curvature }) in other.values.iter().zip(&all) {
                slope += residual * x;
                curve += curvature * x * x;
            }
            slope * slope / curve
        };
        let open = (0..others.len()).filter(|other| !chosen.contains(other));
        let mut open: Vec<(f64, usize)> = open.map(|i| (decrease(&others[i]), i)).collect();
        open.retain(|(decrease, _)| decrease.is_finite());
        open.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        open.truncate(CANDIDATES_FITTED);
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

/// Solves a symmetric positive definite system, of which the lower half is given row by row
/// (Cholesky).
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

#[cfg(test)]
mod tests {
    use super::{Weights, weigh};
    use crate::boosting::loss::Loss;
    use crate::dataset::{Dataset, GraphRecord};
    use crate::graph::GraphBuilder;
    use crate::labels::Labels;
    use crate::params::{FixedParams, LossKind};

    /// A generator of its own: numbers in [-1, 1).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }

        /// Roughly normal, with unit variance.
        fn normal(&mut self) -> f64 {
            (0..12).map(|_| 0.5 * self.next()).sum()
        }

        fn normals(&mut self, n: usize) -> Vec<f64> {
            (0..n).map(|_| self.normal()).collect()
        }
    }

    fn loss(kind: LossKind, targets: &[f64]) -> Loss {
        let record = |target: &f64| GraphRecord {
            graph: GraphBuilder::new().build(),
            id: String::new(),
            target: Some(target.to_string()),
        };
        let data = Dataset::new(&Labels::default(), targets.iter().map(record).collect());
        let params = FixedParams { loss: kind, ..FixedParams::default() };
        Loss::new(&params, &data).unwrap()
    }

    fn borrowed(columns: &[Vec<f64>]) -> Vec<&[f64]> {
        columns.iter().map(|column| &column[..]).collect()
    }

    fn found(
        kind: LossKind,
        targets: &[f64],
        counts: &[f64],
        own: &[f64],
        others: &[Vec<f64>],
    ) -> Option<Weights> {
        weigh(&loss(kind, targets), counts, own, &borrowed(others))
    }

    /// The same task for an oracle that knows nothing of Newton, Cholesky or the losses here.
    struct Naive<'a> {
        logistic: bool,
        targets: &'a [f64],
        counts: &'a [f64],
        /// The model's own scores, then the others.
        columns: Vec<&'a [f64]>,
    }

    impl Naive<'_> {
        fn spread(&self, column: usize) -> f64 {
            let total: f64 = self.counts.iter().sum();
            let all = || self.columns[column].iter().zip(self.counts);
            let mean = all().map(|(x, c)| c * x).sum::<f64>() / total;
            (all().map(|(x, c)| c * (x - mean).powi(2)).sum::<f64>() / total).sqrt()
        }

        /// Least objective and its constant and weights, one for each of `used`, by plain descent.
        fn least(&self, used: &[usize]) -> (f64, Vec<f64>) {
            let spreads: Vec<f64> = used.iter().map(|&c| self.spread(c)).collect();
            let start = |c: usize| if c == 0 { 1.0 } else { 0.0 };
            let mut at: Vec<f64> =
                std::iter::once(0.0).chain(used.iter().map(|&c| start(c))).collect();
            let bound = |x: f64| 1.0 + x * x;
            let reach = |i: usize| used.iter().map(|&c| self.columns[c][i]).map(bound).sum::<f64>();
            let n = self.targets.len();
            let steep: f64 = (0..n).map(|i| self.counts[i] * (1.0 + reach(i))).sum();
            let steep = steep + spreads.iter().map(|s| 2.0 * s * s).fold(0.0, f64::max);
            let mut objective = f64::INFINITY;
            for _ in 0..60_000 {
                let mut slope = vec![0.0; at.len()];
                objective = 0.0;
                for i in 0..n {
                    let terms = used.iter().zip(&at[1..]).map(|(&c, w)| w * self.columns[c][i]);
                    let score = at[0] + terms.sum::<f64>();
                    let y = self.targets[i];
                    let (value, down) = if self.logistic {
                        let p = 1.0 / (1.0 + (-2.0 * score).exp());
                        (-(y * p.ln() + (1.0 - y) * (1.0 - p).ln()), 2.0 * (p - y))
                    } else {
                        ((score - y).powi(2) / 2.0, score - y)
                    };
                    objective += self.counts[i] * value;
                    slope[0] += self.counts[i] * down;
                    for (j, &c) in used.iter().enumerate() {
                        slope[j + 1] += self.counts[i] * down * self.columns[c][i];
                    }
                }
                for (j, &c) in used.iter().enumerate() {
                    let away = at[j + 1] - start(c);
                    objective += (spreads[j] * away).powi(2);
                    slope[j + 1] += 2.0 * spreads[j].powi(2) * away;
                }
                if slope.iter().all(|s| s.abs() < 1e-10) {
                    break;
                }
                at.iter_mut().zip(&slope).for_each(|(b, s)| *b -= s / steep);
            }
            (objective, at)
        }

        /// Who is taken in, in turn, and with which constant and weights.
        fn chosen(&self) -> (Vec<usize>, Vec<f64>) {
            let mut used = vec![0];
            let (mut objective, mut at) = self.least(&used);
            let total: f64 = self.counts.iter().sum();
            let worth = if self.logistic { 3.0 } else { 3.0 * 2.0 * objective / total };
            while used.len() <= 6 {
                let open = (1..self.columns.len()).filter(|c| !used.contains(c));
                let tried = open.map(|c| {
                    let with = [&used[..], &[c]].concat();
                    (self.least(&with), with)
                });
                let best = tried.min_by(|a, b| a.0.0.total_cmp(&b.0.0));
                let Some(((less, better), with)) = best else { break };
                if objective - less < worth {
                    break;
                }
                (objective, at, used) = (less, better, with);
            }
            (used[1..].iter().map(|c| c - 1).collect(), at)
        }
    }

    /// Targets that depend on the model itself and some of five others, and the scores of all.
    fn stacked_data(
        random: &mut Random,
        logistic: bool,
        n: usize,
    ) -> (Vec<f64>, Vec<f64>, Vec<Vec<f64>>) {
        let others: Vec<Vec<f64>> = (0..5).map(|_| random.normals(n)).collect();
        let own: Vec<f64> = (0..n).map(|i| 0.3 * others[0][i] + random.normal()).collect();
        let target = |i: usize| {
            let truth = 0.8 * own[i] + 1.1 * others[1][i] - 0.7 * others[3][i] - 0.4;
            let noisy = truth + random.normal();
            if logistic { f64::from(u8::from(noisy > 0.0)) } else { noisy }
        };
        let targets = (0..n).map(target).collect();
        (targets, own, others)
    }

    #[test]
    fn weights_are_those_of_plain_descent() {
        let mut taken = [0; 7];
        for seed in 0..10 {
            for kind in [LossKind::Logistic, LossKind::Squared] {
                let mut random = Random(seed);
                let logistic = kind == LossKind::Logistic;
                let n = 30 + 4 * seed as usize;
                let (targets, own, others) = stacked_data(&mut random, logistic, n);
                let counts: Vec<f64> = (0..n).map(|_| 1.2 + random.next()).collect();
                let columns = std::iter::once(&own[..]).chain(borrowed(&others)).collect();
                let naive = Naive { logistic, targets: &targets, counts: &counts, columns };
                let (who, at) = naive.chosen();
                taken[who.len()] += 1;
                let Some(weights) = found(kind, &targets, &counts, &own, &others) else {
                    assert!(who.is_empty(), "{who:?} were not found");
                    continue;
                };
                let ours: Vec<usize> = weights.others.iter().map(|other| other.model).collect();
                assert_eq!(ours, who);
                let rest = weights.others.iter().map(|other| other.weight);
                for (ours, naive) in [weights.shift, weights.own].into_iter().chain(rest).zip(at) {
                    assert!((ours - naive).abs() < 1e-6, "{ours} instead of {naive}");
                }
            }
        }
        assert!(taken[2] >= 5, "the two informative ones are found: {taken:?}");
    }

    #[test]
    fn noise_is_rarely_added() {
        let mut taken = 0;
        for seed in 0..1000 {
            let mut random = Random(u64::wrapping_mul(seed, 0x9e37_79b9_7f4a_7c15));
            let own = random.normals(80);
            let targets: Vec<f64> =
                own.iter().map(|x| f64::from(u8::from(x + random.normal() > 0.0))).collect();
            let others = [random.normals(80)];
            let counts = [1.0; 80];
            taken +=
                usize::from(found(LossKind::Logistic, &targets, &counts, &own, &others).is_some());
        }
        assert!((3..=30).contains(&taken), "{taken} of 1000, where fourteen are expected");
    }

    #[test]
    fn the_first_of_equals_is_taken_and_once() {
        let mut random = Random(3);
        let (targets, own, mut others) = stacked_data(&mut random, true, 200);
        others = vec![others[0].clone(), others[1].clone(), others[1].clone(), others[1].clone()];
        let counts = [1.0; 200];
        let weigh = || found(LossKind::Logistic, &targets, &counts, &own, &others).unwrap();
        let who: Vec<usize> = weigh().others.iter().map(|other| other.model).collect();
        assert_eq!(who.iter().filter(|&&i| i > 0).collect::<Vec<_>>(), [&1]);
        assert_eq!(weigh(), weigh());
    }

    /// Weights that agree but for `scale` of the targets.
    fn assert_same(a: &Weights, b: &Weights, scale: f64) {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-8 * (1.0 + a.abs()), "{a} and {b}");
        near(a.shift, b.shift / scale);
        near(a.own, b.own);
        assert_eq!(a.others.len(), b.others.len());
        for (a, b) in a.others.iter().zip(&b.others) {
            assert_eq!(a.model, b.model);
            near(a.weight, b.weight / scale);
        }
    }

    #[test]
    fn a_count_of_three_is_three_graphs() {
        for kind in [LossKind::Logistic, LossKind::Squared] {
            let mut random = Random(8);
            let (targets, own, others) = stacked_data(&mut random, kind == LossKind::Logistic, 90);
            let counts: Vec<f64> = (0..90).map(|i| f64::from(i * 7 % 4)).collect();
            let repeated = |column: &Vec<f64>| -> Vec<f64> {
                let times = column.iter().zip(&counts);
                times.flat_map(|(&x, &count)| std::iter::repeat_n(x, count as usize)).collect()
            };
            let many: Vec<Vec<f64>> = others.iter().map(repeated).collect();
            let all = repeated(&targets);
            let all_own = repeated(&own);
            let ones = vec![1.0; all.len()];
            let counted = found(kind, &targets, &counts, &own, &others).unwrap();
            assert_same(&counted, &found(kind, &all, &ones, &all_own, &many).unwrap(), 1.0);
        }
    }

    /// Millimetres or kilometres: the weights mean the same.
    #[test]
    fn the_unit_of_the_targets_does_not_matter() {
        let mut random = Random(5);
        let (targets, own, others) = stacked_data(&mut random, false, 120);
        let counts = [1.0; 120];
        let first = found(LossKind::Squared, &targets, &counts, &own, &others).unwrap();
        for scale in [1e-6, 1e6] {
            let scaled = |column: &[f64]| column.iter().map(|x| scale * x).collect::<Vec<f64>>();
            let targets = scaled(&targets);
            let own = scaled(&own);
            let again = found(LossKind::Squared, &targets, &counts, &own, &others).unwrap();
            assert_same(&first, &again, scale);
        }
    }

    /// The mean of equal numbers is not always that number: what is left is no spread.
    #[test]
    fn a_constant_model_keeps_its_weight() {
        for (n, score) in [(91, 0.1), (109, -0.3), (100, 1.0 / 3.0), (49, 0.0), (192, 0.7)] {
            let mut random = Random(n as u64);
            let (targets, _, others) = stacked_data(&mut random, true, n);
            let weights =
                found(LossKind::Logistic, &targets, &vec![1.0; n], &vec![score; n], &others)
                    .unwrap();
            assert!((weights.own - 1.0).abs() < 1e-9, "{weights:?}");
        }
    }

    #[test]
    fn without_a_finite_fit_nothing_is_stacked() {
        let mut random = Random(6);
        let (targets, own, others) = stacked_data(&mut random, false, 50);
        let counts = [1.0; 50];
        let none = |own: &[f64], others: &[Vec<f64>]| {
            assert_eq!(found(LossKind::Squared, &targets, &counts, own, others), None);
        };
        none(&own, &[]);
        none(&own, &[vec![f64::NAN; 50], vec![f64::INFINITY; 50], vec![2.5; 50]]);
        none(&[f64::NAN; 50], &others);
        // Nothing is left to add where the model is perfect.
        none(&targets, &others);
    }
}
