//! Hold-out tuning: least gain, rounds, temperature, and the weight of the linear model.
//!
//! Data differ in how much can be learned of them. Where a target follows from structure (a screen
//! for growth inhibition), leaves of one graph and many rounds go on improving; where it is noisy
//! or rare (binding to a receptor, one in thirty), trees overfit after a few rounds. So some trees
//! are grown on a part of the training graphs and evaluated on the rest.
//!
//! A candidate is a least gain of splits (of more than two classes, the automatic one alone). Each
//! is trained once, with larger steps, fewer rounds and no ensemble, and evaluated from half of its
//! rounds on. An evaluation is scored by the loss on the held-out graphs, at the temperature that
//! suits it best (overconfident scores are no fault: the temperature mends that in the model, too),
//! times the share of pairs of two classes in the wrong order: a cautious model may have the better
//! probabilities and the worse order, and both are wanted. The best evaluation gives least gain,
//! rounds and temperature.
//!
//! Then a linear model (`stacking::linear`) is fitted to the same graphs, and its weight beside the
//! trees, and theirs, are what fits the held-out graphs best (`stacking::weights`). Of numbers
//! nothing else is tuned.
//!
//! Candidates are trained in the space of the training: held-out graphs are led through their trees
//! like those that a tree leaves out.
//!
//! **Invariant.** The outcome is a function of graphs, parameters and seed: what is held out
//! depends on the targets and the seed, trees on the targets of graphs that are not held out, and
//! sums are taken in one order. Graphs outside the workspace are not used.
//!
//! **Cost.** For 3,500 molecules about as much as the training that follows. Not in the paper.

use rayon::prelude::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::{HoldOut, Plan, Tuned, TuningMethod, TuningRecord};
use crate::boosting::booster::{Booster, GraphSplit};
use crate::boosting::graph_weights::graph_weights;
use crate::boosting::loss::Loss;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::evaluation::metrics::Metric;
use crate::evaluation::predictions::measure;
use crate::evaluation::{Folds, Split};
use crate::math::sum;
use crate::mining::exploration::Exploration;
use crate::model::{Link, Predictions, Task};
use crate::params::{FixedParams, ValidParams};
use crate::search::shared_space::SharedSpace;
use crate::search::space::PatternSpace;
use crate::stacking::linear::{self, FragmentIndex, LinearProblem};
use crate::stacking::linear_booster::{LinearBooster, Part};
use crate::stacking::weights::{Weights, weigh};
use crate::stacking::workspace::{LazyFragments, Workspace};

/// Least gains of a split that are tried for two classes, the smallest first.
const CANDIDATE_GAINS: [f64; 3] = [0.3, 1.0, 3.0];

/// Candidates are trained with steps larger by this factor, and rounds fewer by it.
const LEARNING_RATE_MULTIPLIER: usize = 3;

/// Candidates are evaluated every this many rounds, in the second half: what few rounds say is
/// mostly chance.
const EVALUATION_INTERVAL_ROUNDS: usize = 2;

/// The first evaluation is taken whose score is at most this many times the best one.
const SCORE_TOLERANCE: f64 = 1.002;

/// A candidate replaces the automatic one if its score, times this, is still better: differences
/// are mostly chance.
const MIN_SCORE_RATIO: f64 = 1.02;

/// Temperatures that are tried.
const TEMPERATURES: [f64; 14] =
    [0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.7, 2.0, 2.4, 2.8, 3.4, 4.0];

/// Candidates, with their large steps, are more overconfident than the training that follows, by
/// this factor: between 1.0 and 1.3 on fourteen settings of eight data sets.
const TEMPERATURE_CORRECTION: f64 = 1.15;

/// A linear model of classes gets this share of the weight that fits best beside candidates, and
/// the trees lose that much less.
const CLASS_WEIGHT_SHARE: f64 = 0.7;

/// One part of this many is held out, one part after the other until the held-out parts have
/// [`HELD_OUT_GRAPHS_PER_CLASS`] graphs of the smallest class.
const PART_COUNT: usize = 5;
const HELD_OUT_GRAPHS_PER_CLASS: usize = 150;

/// From this many training graphs on, one part is held out only.
const MIN_GRAPHS_FOR_ONE_PART: usize = 10_000;

/// With fewer graphs, or fewer of some class, nothing is tuned.
pub(crate) const MIN_GRAPHS_TO_TUNE: usize = 200;
const MIN_GRAPHS_PER_CLASS_TO_TUNE: usize = 15;

/// A candidate after some rounds, on the held-out graphs of all parts or of one.
#[derive(Clone, Copy, Debug)]
struct Evaluation {
    rounds: usize,
    /// Summed losses, by temperature.
    losses: [f64; TEMPERATURES.len()],
    /// The share of pairs of different classes in the wrong order, summed over parts; 1 where that
    /// is not defined.
    misordered: f64,
}

/// The temperature that suits an evaluation best, and its score there: the less the better.
#[derive(Clone, Copy, Debug)]
struct Scored {
    temperature: f64,
    score: f64,
}

/// A candidate on one part: its evaluations, each with the scores of the held-out graphs.
type PartEvaluations = Vec<ScoredGraphs>;

#[derive(Clone, Debug)]
struct ScoredGraphs {
    evaluation: Evaluation,
    scores: Vec<f64>,
}

/// The candidate and the evaluation that tuning chose.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    candidate: usize,
    evaluation: usize,
}

/// The parameters of `plan` with what it leaves to hold-out tuning on the graphs `train`. They stay
/// as they are where nothing is left to tuning, where there are too few graphs, where time or
/// patterns are limited, or where `go_on` stops it.
///
/// # Errors
/// If the targets do not fit the loss.
pub fn tune(
    exploration: &Exploration<'_>,
    plan: &Plan,
    train: &[u32],
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<Tuned> {
    let mut workspace = Workspace::new(exploration, &plan.params, train);
    tune_in(&mut workspace, plan, &Watch { go_on, linear: &|| () })
}

/// The same on the graphs of a workspace.
pub(crate) fn tune_in(
    workspace: &mut Workspace<'_>,
    plan: &Plan,
    watch: &Watch<'_>,
) -> Result<Tuned> {
    let untuned = || Ok(Tuned { params: plan.params.clone(), record: None });
    let Some(wanted) = plan.hold_out else { return untuned() };
    let exploration = workspace.exploration;
    let loss = Loss::new(&plan.params, exploration.data())?;
    let limits = exploration.limits();
    let is_limited = limits.until.is_some() || limits.patterns.is_some();
    let Some(parts) =
        parts(&loss, &plan.params, wanted, workspace.fragments.train()).filter(|_| !is_limited)
    else {
        return untuned();
    };
    let Workspace { space, fragments, .. } = workspace;
    let params = &plan.params;
    let tuning = Tuning { exploration, fragments, params, loss: &loss, parts: &parts, watch };
    tuning.run(wanted, &mut **space)?.map_or_else(untuned, Ok)
}

/// What is tuned on.
struct Tuning<'a, 'd> {
    exploration: &'a Exploration<'a>,
    fragments: &'a LazyFragments<'d>,
    params: &'a ValidParams,
    loss: &'a Loss,
    parts: &'a [Split],
    watch: &'a Watch<'a>,
}

/// What sees tuning.
pub(crate) struct Watch<'w> {
    /// Whether to go on, asked after every round.
    pub(crate) go_on: &'w (dyn Fn() -> bool + Sync),
    /// Called when the candidates are trained and the linear model's turn comes.
    pub(crate) linear: &'w (dyn Fn() + Sync),
}

impl Tuning<'_, '_> {
    /// The tuned parameters; nothing if tuning was stopped or no candidate could be evaluated.
    fn run(&self, wanted: HoldOut, space: &mut dyn PatternSpace) -> Result<Option<Tuned>> {
        let Tuning { params, loss, parts, .. } = *self;
        let candidates = candidates(params, loss.task())?;
        let Some(by_part) = self.evaluated(&candidates, space) else { return Ok(None) };
        let of_candidate = |candidate: usize| -> Vec<Evaluation> {
            summed(&by_part.iter().map(|part| &part[candidate][..]).collect::<Vec<_>>())
        };
        let evaluations: Vec<Vec<Evaluation>> = (0..candidates.len()).map(of_candidate).collect();
        let automatic = candidates.iter().position(|c| c.min_gain == params.min_gain);
        let Some(mut chosen) = best(&evaluations, automatic.unwrap_or(0)) else { return Ok(None) };
        let numbers = matches!(loss.task(), Task::Regression);
        if numbers {
            chosen.evaluation = evaluations[chosen.candidate].len() - 1;
        }
        let mut found = (**params).clone();
        if !numbers {
            let evaluation = evaluations[chosen.candidate][chosen.evaluation];
            found.min_gain = candidates[chosen.candidate].min_gain;
            found.trees = LEARNING_RATE_MULTIPLIER * evaluation.rounds;
            found.temperature = evaluation.scored().temperature;
        }
        if wanted.linear && linear::applies(loss) && (self.watch.go_on)() {
            (self.watch.linear)();
            let at = |all: &Vec<Evaluation>| all[chosen.evaluation];
            let evaluations: Vec<Evaluation> = evaluations.iter().map(at).collect();
            let scores = |part: &Vec<PartEvaluations>| -> Vec<Vec<f64>> {
                part.iter().map(|of_part| of_part[chosen.evaluation].scores.clone()).collect()
            };
            let scores: Vec<Vec<Vec<f64>>> = by_part.iter().map(scores).collect();
            let data = self.exploration.data();
            let index = self.fragments.get();
            let blend = LinearBlend { data, index, params, loss };
            if let Some(weights) = blend.weights(parts, &scores, &evaluations)? {
                let temperature = rounded(found.temperature / weights.trees);
                found.temperature = temperature.clamp(0.01, 100.0);
                found.linear = rounded(weights.linear).min(100.0);
            }
        }
        let params = found.check()?;
        let held_out = parts.iter().map(|part| part.held_out.len()).sum();
        let record = TuningRecord::new(TuningMethod::HoldOut, parts.len(), held_out, &params);
        Ok(Some(Tuned { params, record: Some(record) }))
    }

    /// Evaluates every candidate on every part: side by side where all patterns are known, else one
    /// after the other, so that what one has explored the next one knows.
    fn evaluated(
        &self,
        candidates: &[ValidParams],
        space: &mut dyn PatternSpace,
    ) -> Option<Vec<Vec<PartEvaluations>>> {
        if space.growing().is_some() {
            let on_part = |part: &Split| {
                let each = candidates.iter();
                each.map(|c| self.on_part(c, part, SharedSpace::Lent(space))).collect()
            };
            return self.parts.iter().map(on_part).collect();
        }
        let space = &*space;
        let on_part = |part: &Split| {
            let each = candidates.par_iter().with_max_len(1);
            each.map(|c| self.on_part(c, part, SharedSpace::Read(space))).collect()
        };
        self.parts.par_iter().with_max_len(1).map(on_part).collect()
    }

    /// Trains a candidate on one part and evaluates it.
    fn on_part(
        &self,
        candidate: &ValidParams,
        part: &Split,
        space: SharedSpace<'_, '_>,
    ) -> Option<PartEvaluations> {
        let split = GraphSplit { train: &part.train, valid: &part.held_out };
        let fragments = self.fragments;
        let part = Part { split, of: fragments.train(), fragments };
        let with_linear =
            LinearBooster::on_part(self.exploration, candidate, part, Box::new(space)).ok()?;
        evaluations(with_linear.booster, self.watch.go_on)
    }
}

/// A number with three digits after the point: more would be noise.
fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// The linear model beside the trees of all candidates.
struct LinearBlend<'a> {
    data: &'a Dataset,
    index: &'a FragmentIndex<'a>,
    params: &'a ValidParams,
    loss: &'a Loss,
}

/// The weights of the trees and of a linear model.
struct BlendWeights {
    trees: f64,
    linear: f64,
}

/// Scores of the held-out graphs of one part.
struct BlendColumns {
    trees: Vec<f64>,
    linear: Vec<f64>,
}

impl BlendColumns {
    /// The weighted sum of both.
    fn blended(&self, weights: &BlendWeights) -> Vec<f64> {
        let pairs = self.trees.iter().zip(&self.linear);
        pairs.map(|(trees, linear)| weights.trees * trees + weights.linear * linear).collect()
    }
}

impl LinearBlend<'_> {
    /// The weights of the trees and of a linear model beside them; nothing if a linear model does
    /// not help. The trees of the training are stood for by the mean of all candidates, which
    /// predicts better than each of them; of their `scores` on each part, the trees' share is
    /// divided by the temperature that the `evaluations` found, for classes.
    fn weights(
        &self,
        parts: &[Split],
        scores: &[Vec<Vec<f64>>],
        evaluations: &[Evaluation],
    ) -> Result<Option<BlendWeights>> {
        let LinearBlend { data, loss, .. } = *self;
        let temperature = |evaluation: &Evaluation| match loss.task() {
            Task::Regression => 1.0,
            _ => TEMPERATURE_CORRECTION * evaluation.scored().temperature,
        };
        let temperatures: Vec<f64> = evaluations.iter().map(temperature).collect();
        let all = parts.par_iter().zip(scores.par_iter()).with_max_len(1);
        let all = all.map(|(part, scores)| self.on_part(part, scores, &temperatures));
        let columns: Vec<BlendColumns> = all.collect::<Result<_>>()?;
        let held: Vec<u32> = parts.iter().flat_map(|part| part.held_out.iter().copied()).collect();
        let count = |&g: &u32| data.weights().map_or(1.0, |weights| weights[g as usize]);
        let counts: Vec<f64> = held.iter().map(count).collect();
        let trees: Vec<f64> = columns.iter().flat_map(|c| c.trees.iter().copied()).collect();
        let linear: Vec<f64> = columns.iter().flat_map(|c| c.linear.iter().copied()).collect();
        let found = weigh(&loss.of(&held), &counts, &trees, &[&linear]);
        let Some(Weights { own, others, .. }) = found else { return Ok(None) };
        let share = if loss.link() == Link::Logistic { CLASS_WEIGHT_SHARE } else { 1.0 };
        let found =
            BlendWeights { trees: 1.0 - share * (1.0 - own), linear: share * others[0].weight };
        let order = |weights: &BlendWeights| {
            sum(parts.iter().zip(&columns).map(|(part, columns)| {
                let scores = Predictions::new(loss.link(), 1, columns.blended(weights));
                measure(Metric::Auc, &scores, &loss.truth(&part.held_out))
            }))
        };
        // Not a number where there are no pairs to be put in order.
        let is_worse = order(&found) <= order(&BlendWeights { trees: 1.0, linear: 0.0 });
        Ok((found.trees > 0.0 && found.linear > 0.0 && !is_worse).then_some(found))
    }

    fn on_part(
        &self,
        part: &Split,
        scores: &[Vec<f64>],
        temperatures: &[f64],
    ) -> Result<BlendColumns> {
        let LinearBlend { data, index, params, loss } = *self;
        let weights = graph_weights(data, params, loss, &part.train)?;
        let init = loss.init(params.init, &part.train, &weights)[0];
        let mean = |i: usize| {
            let all = scores.iter().zip(temperatures);
            let trees = all.map(|(scores, temperature)| (scores[i] - init) / temperature);
            init + trees.sum::<f64>() / scores.len() as f64
        };
        let trees = (0..part.held_out.len()).map(mean).collect();
        let train = &part.train[..];
        let problem = LinearProblem { index, loss, train, weights: &weights, seed: params.seed };
        Ok(BlendColumns { trees, linear: problem.scores(&part.held_out) })
    }
}

/// The parts, one for each that is held out; nothing where there are too few graphs.
fn parts(loss: &Loss, params: &ValidParams, wanted: HoldOut, train: &[u32]) -> Option<Vec<Split>> {
    let numbers = matches!(loss.task(), Task::Regression);
    let nothing_to_tune = numbers && !(wanted.linear && linear::applies(loss));
    if train.len() < MIN_GRAPHS_TO_TUNE || nothing_to_tune {
        return None;
    }
    let class = |g: u32| if numbers { 0 } else { loss.targets()[g as usize] as u32 };
    let strata: Vec<u32> = train.iter().map(|&g| class(g)).collect();
    let mut sizes = vec![0; loss.task().classes().len().max(1)];
    strata.iter().for_each(|&class| sizes[class as usize] += 1);
    let smallest = sizes.into_iter().filter(|&size| size > 0).min()?;
    if smallest < MIN_GRAPHS_PER_CLASS_TO_TUNE {
        return None;
    }
    let folds = Folds::random(&strata, PART_COUNT, params.seed).ok()?;
    let max_parts = match train.len() {
        _ if loss.outputs() > 1 => 1,
        n if n < MIN_GRAPHS_FOR_ONE_PART => PART_COUNT,
        _ => 1,
    };
    let needed = (PART_COUNT * HELD_OUT_GRAPHS_PER_CLASS).div_ceil(smallest).min(max_parts);
    Some((0..needed).map(|fold| folds.split_of(train, fold)).collect())
}

/// The candidates, the smallest least gain first.
fn candidates(params: &ValidParams, task: &Task) -> Result<Vec<ValidParams>> {
    let numbers = matches!(task, Task::Regression);
    let learning_rate = (LEARNING_RATE_MULTIPLIER as f64 * params.learning_rate).min(1.0);
    let trees = params.trees.div_ceil(LEARNING_RATE_MULTIPLIER).max(EVALUATION_INTERVAL_ROUNDS);
    let candidate = |(number, &min_gain): (usize, &f64)| {
        let seed = if numbers { params.seed_of(number) } else { params.seed };
        let base = (**params).clone();
        FixedParams { min_gain, learning_rate, trees, ensemble: 1, seed, ..base }.check()
    };
    let automatic = [params.min_gain; CANDIDATE_GAINS.len()];
    let gains = match task {
        Task::Binary { .. } => &CANDIDATE_GAINS[..],
        Task::Multiclass { .. } => &automatic[..1],
        Task::Regression => &automatic,
    };
    gains.iter().enumerate().map(candidate).collect()
}

/// Trains a candidate and evaluates it; nothing if that was stopped or fails.
fn evaluations(
    mut booster: Booster<'_>,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Option<PartEvaluations> {
    let last = booster.asked_rounds();
    let mut evaluations = Vec::new();
    for rounds in 1..=last {
        if !booster.grow(rounds).ok()? {
            return None;
        }
        if rounds % EVALUATION_INTERVAL_ROUNDS == 0 && 2 * rounds >= last {
            let losses = TEMPERATURES.map(|t| held_out_loss(&booster, TEMPERATURE_CORRECTION * t));
            if !losses.iter().all(|loss| loss.is_finite()) {
                return None;
            }
            let evaluation = Evaluation { rounds, losses, misordered: misordered(&booster) };
            let scores = booster.held_out().scores.to_vec();
            evaluations.push(ScoredGraphs { evaluation, scores });
        }
        if !go_on() {
            return None;
        }
    }
    Some(evaluations)
}

/// The summed loss of the held-out graphs, if the trees' part of the scores is divided by the
/// temperature.
fn held_out_loss(booster: &Booster<'_>, temperature: f64) -> f64 {
    let held_out = booster.held_out();
    let mut tempered = vec![0.0; held_out.init.len()];
    let graphs = held_out.graphs.iter().zip(held_out.scores.chunks_exact(held_out.init.len()));
    sum(graphs.map(|(&graph, scores)| {
        for ((out, &score), &before) in tempered.iter_mut().zip(scores).zip(held_out.init) {
            *out = before + (score - before) / temperature;
        }
        booster.weighted_loss(graph, &tempered)
    }))
}

/// The share of held-out pairs of two classes that the scores put in the wrong order.
fn misordered(booster: &Booster<'_>) -> f64 {
    let auc = booster.held_out_measure(Metric::Auc);
    if auc.is_nan() { 1.0 } else { 1.0 - auc }
}

/// The evaluations of one candidate on all parts, summed.
fn summed(parts: &[&[ScoredGraphs]]) -> Vec<Evaluation> {
    let evaluations = 0..parts.iter().map(|part| part.len()).min().unwrap_or(0);
    let summed = |at: usize| {
        let all = || parts.iter().map(|part| &part[at].evaluation);
        let losses = std::array::from_fn(|t| sum(all().map(|one| one.losses[t])));
        let misordered = sum(all().map(|one| one.misordered));
        Evaluation { rounds: parts[0][at].evaluation.rounds, losses, misordered }
    };
    evaluations.map(summed).collect()
}

/// The best candidate (the automatic one unless another is clearly better), and its first
/// evaluation that is as good as its best one.
fn best(evaluations: &[Vec<Evaluation>], automatic: usize) -> Option<Chosen> {
    let score = |candidate: usize, at: usize| evaluations[candidate][at].scored().score;
    let best_of = |candidate: usize| {
        let all = (0..evaluations[candidate].len()).map(|at| (score(candidate, at), at));
        all.min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let automatic_score = best_of(automatic)?.0;
    let scores = (0..evaluations.len()).filter_map(|c| Some((best_of(c)?.0, c)));
    let (_, candidate) = scores
        .filter(|&(score, c)| c == automatic || MIN_SCORE_RATIO * score < automatic_score)
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    let (best, last) = best_of(candidate)?;
    let evaluation = (0..=last).find(|&at| score(candidate, at) <= SCORE_TOLERANCE * best)?;
    Some(Chosen { candidate, evaluation })
}

impl Evaluation {
    /// The temperature with the least loss, and the score there.
    fn scored(&self) -> Scored {
        let all = self.losses.iter().copied().enumerate();
        let first = (0, f64::INFINITY);
        let least = all.fold(first, |least, next| if next.1 < least.1 { next } else { least });
        Scored { temperature: TEMPERATURES[least.0], score: least.1 * self.misordered }
    }
}
