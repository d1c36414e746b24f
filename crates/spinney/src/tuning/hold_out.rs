//! A trial before the training: how eager, how many rounds, how sure, and how much a linear model may say.
//!
//! Data differ in how much can be learnt of them. Where a target follows from structure (a screen for
//! growth inhibition), leaves of one graph and many rounds go on improving; where it is noisy or rare
//! (binding to a receptor, one in thirty), they learn the training graphs by heart after a few rounds.
//! What the data are like is not known before trees are grown; so some are, on a part of the training
//! graphs, and judged by the rest.
//!
//! A candidate is a least gain of splits (of more than two classes, the preset's alone); each is trained
//! once, in haste (larger steps, fewer rounds, no ensemble), and looked at from half of its rounds on. A look is
//! judged by the loss on the graphs held out, at the temperature that suits it best (scores that are too
//! sure of themselves are no fault, as the temperature mends that in the model, too), times the share of
//! pairs of two classes in the wrong order: a cautious model may have the better probabilities and the
//! worse order, and both are wanted. The best look gives least gain, rounds and temperature.
//!
//! Then a linear model (`linear`) is fitted to the same graphs, and its weight beside the trees, and theirs, are
//! what fits the graphs held out best (`weighing`). Of numbers nothing else is tried.
//!
//! **Invariant.** The outcome is a function of graphs, parameters and seed: what is held out depends on
//! the targets and the seed, trees on nothing else than they do in training, and sums are
//! taken in one order. Graphs outside `train` are not looked at.
//!
//! **Cost.** For 3,500 molecules about as much as the training that follows. Not in the paper.

use rayon::prelude::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::boosting::booster::{Booster, weights};
use crate::boosting::loss::Loss;
use crate::boosting::record::StopReason;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::evaluation::Folds;
use crate::evaluation::metrics::Metric;
use crate::evaluation::predictions::measure;
use crate::math::sum;
use crate::mining::exploration::Exploration;
use crate::model::{Link, Predictions, Task};
use crate::params::{Params, ValidParams};
use crate::search::space::{PatternSpace, Shared};
use crate::stacking::linear::{self, FragmentIndex, LinearProblem};
use crate::stacking::weights::{Weights, weigh};

/// What a split must gain at least, tried for two classes: the most eager first.
const GAINS: [f64; 3] = [0.3, 1.0, 3.0];

/// Steps are so much larger in a trial, and rounds so much fewer.
const HASTE: usize = 3;

/// A trial is looked at every so many rounds, in its second half: what few rounds say is mostly chance.
const STEP: usize = 2;

/// A look is as good as the best one if it is no more than so many times as bad.
const CLOSE: f64 = 1.002;

/// A candidate is preferred to the usual one if that is so much worse: differences are mostly chance.
const CLEARLY: f64 = 1.02;

/// What scores may be divided by.
const TEMPERATURES: [f64; 14] =
    [0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.7, 2.0, 2.4, 2.8, 3.4, 4.0];

/// A training in haste is surer of itself than the one that follows, by so much: slower steps and an
/// average are calmer. Between 1.0 and 1.3 on fourteen settings of eight sets.
const HASTY: f64 = 1.15;

/// A linear model of classes counts so much of what fits best to hasty trainings, and the trees lose so much less.
const CAUTION: f64 = 0.7;

/// One part in so many is held out, one part after the other until those held out have so many graphs of
/// the smallest class; one part only of many graphs, or of many classes, which take longer.
const PARTS: usize = 5;
const ENOUGH: usize = 300;
const MANY: usize = 10_000;

/// With fewer graphs, or fewer of some class, there is no trial.
pub(crate) const LEAST: usize = 200;
const LEAST_OF_CLASS: usize = 15;

/// What is seen of a candidate after some rounds.
#[derive(Clone, Copy, Debug)]
struct Look {
    rounds: usize,
    /// Losses of the graphs held out, summed up, by temperature.
    losses: [f64; TEMPERATURES.len()],
    /// The share of pairs of different classes in the wrong order, summed up; 1 where that is not defined.
    wrong: f64,
}

/// The looks at a candidate.
type Looks = Vec<Look>;

/// The looks at a candidate on one part, each with the scores of the graphs held out.
type Seen = Vec<(Look, Vec<f64>)>;

/// Graphs to learn from and to judge by.
type Part = (Vec<u32>, Vec<u32>);

/// The parameters with least gain, rounds, temperature and the weight of a linear model as a trial on the graphs
/// `train` finds them, if they were left open; else as they are, and also where there is too little to
/// try on, where time or patterns are limited, or where `go_on` stops it.
///
/// # Errors
/// If the targets do not fit the loss.
pub fn settled(
    exploration: &Exploration<'_>,
    params: &ValidParams,
    train: &[u32],
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<ValidParams> {
    if !params.is_open() {
        return Ok(params.clone());
    }
    let as_written = (**params).clone();
    let loss = Loss::new(params, exploration.data())?;
    let limits = exploration.limits();
    let is_short = limits.until.is_some() || limits.patterns.is_some();
    let Some(parts) = parts(&loss, params, train).filter(|_| !is_short) else {
        return as_written.check();
    };
    let candidates = candidates(params, loss.task())?;
    let on_part = |part: &Part| on_part(exploration, params, &candidates, part, go_on);
    let all = parts.par_iter().with_max_len(1).map(on_part);
    let Some(seen) = all.collect::<Option<Vec<Vec<Seen>>>>() else { return as_written.check() };
    let of = |candidate: usize| seen.iter().map(|part| &part[candidate]).collect::<Vec<_>>();
    let tried: Vec<Looks> = (0..candidates.len()).map(|candidate| added(&of(candidate))).collect();
    let usual = candidates.iter().position(|candidate| candidate.min_gain == params.min_gain);
    let Some((candidate, at)) = best(&tried, usual.unwrap_or(0)) else {
        return as_written.check();
    };
    let numbers = matches!(loss.task(), Task::Regression);
    let at = if numbers { tried[candidate].len() - 1 } else { at };
    let look = tried[candidate][at];
    let mut found = as_written;
    if !numbers {
        found.min_gain = candidates[candidate].min_gain;
        found.trees = HASTE * look.rounds;
        found.temperature = TEMPERATURES[look.judged().0];
    }
    if params.is_linear_open() && linear::applies(&loss) && go_on() {
        let looks: Vec<Look> = tried.iter().map(|looks| looks[at]).collect();
        let scores = |part: &Vec<Seen>| part.iter().map(|seen| seen[at].1.clone()).collect();
        let scores: Vec<Vec<Vec<f64>>> = seen.iter().map(scores).collect();
        let index = &FragmentIndex::of(exploration.data(), train);
        let problems = HoldOutProblems { data: exploration.data(), index, params, loss: &loss };
        if let Some((own, weight)) = problems.weighed(&parts, &scores, &looks)? {
            found.temperature = short(found.temperature / own).clamp(0.01, 100.0);
            found.linear = short(weight).min(100.0);
        }
    }
    found.check()
}

/// A number with three digits after the point: more would tell nothing.
fn short(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// What a linear model is tried on.
struct HoldOutProblems<'a> {
    data: &'a Dataset,
    index: &'a FragmentIndex<'a>,
    params: &'a ValidParams,
    loss: &'a Loss,
}

impl HoldOutProblems<'_> {
    /// The weights of the trees and of a linear model beside them; nothing if that is not worth while. What the
    /// trees will say is told best by all candidates together (hasty trainings are worse than the one that
    /// follows), of whose `scores` on each part the trees' share is divided by the temperature that `looks` found, for classes.
    fn weighed(
        &self,
        parts: &[Part],
        scores: &[Vec<Vec<f64>>],
        looks: &[Look],
    ) -> Result<Option<(f64, f64)>> {
        let HoldOutProblems { data, index, params, loss } = *self;
        let degrees = |look: &Look| match loss.task() {
            Task::Regression => 1.0,
            _ => HASTY * TEMPERATURES[look.judged().0],
        };
        let degrees: Vec<f64> = looks.iter().map(degrees).collect();
        let on_part = |((train, held), scores): (&Part, &Vec<Vec<f64>>)| {
            let weights = weights(data, params, loss, train)?;
            let init = loss.init(params.init, train, &weights)[0];
            let mean = |i: usize| {
                let all = scores.iter().zip(&degrees).map(|(s, degrees)| (s[i] - init) / degrees);
                init + all.sum::<f64>() / scores.len() as f64
            };
            let own: Vec<f64> = (0..held.len()).map(mean).collect();
            let problem =
                LinearProblem { index, loss, train, weights: &weights, seed: params.seed };
            Ok((own, problem.scores(held)))
        };
        let all = parts.par_iter().zip(scores.par_iter()).with_max_len(1).map(on_part);
        let all: Vec<(Vec<f64>, Vec<f64>)> = all.collect::<Result<_>>()?;
        let (own, linear): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        let held: Vec<u32> = parts.iter().flat_map(|part| part.1.iter().copied()).collect();
        let count = |&g: &u32| data.weights().map_or(1.0, |weights| weights[g as usize]);
        let counts: Vec<f64> = held.iter().map(count).collect();
        let columns = (own.concat(), linear.concat());
        let found = weigh(&loss.of(&held), &counts, &columns.0, &[&columns.1]);
        let Some(Weights { own: trees, others, .. }) = found else { return Ok(None) };
        let caution = if loss.link() == Link::Logistic { CAUTION } else { 1.0 };
        let (trees, weight) = (1.0 - caution * (1.0 - trees), caution * others[0].1);
        let order = |trees: f64, weight: f64| {
            let parts = parts.iter().zip(own.iter().zip(&linear));
            sum(parts.map(|((_, held), (own, linear))| {
                let all = own.iter().zip(linear).map(|(own, linear)| trees * own + weight * linear);
                let scores = Predictions::new(loss.link(), 1, all.collect());
                measure(Metric::Auc, &scores, &loss.truth(held))
            }))
        };
        // Not a number where there are no pairs to be put in order.
        let is_worse = order(trees, weight) <= order(1.0, 0.0);
        Ok((trees > 0.0 && weight > 0.0 && !is_worse).then_some((trees, weight)))
    }
}

/// The parts that are tried, one for each that is held out; nothing where there are too few.
fn parts(loss: &Loss, params: &ValidParams, train: &[u32]) -> Option<Vec<Part>> {
    let numbers = matches!(loss.task(), Task::Regression);
    let nothing_open = numbers && !(params.is_linear_open() && linear::applies(loss));
    if train.len() < LEAST || nothing_open {
        return None;
    }
    let class = |g: u32| if numbers { 0 } else { loss.targets()[g as usize] as u32 };
    let strata: Vec<u32> = train.iter().map(|&g| class(g)).collect();
    let mut sizes = vec![0; loss.task().classes().len().max(1)];
    strata.iter().for_each(|&class| sizes[class as usize] += 1);
    let smallest = sizes.into_iter().filter(|&size| size > 0).min()?;
    if smallest < LEAST_OF_CLASS {
        return None;
    }
    let folds = Folds::random(&strata, PARTS, params.seed).ok()?;
    let most = match train.len() {
        _ if loss.outputs() > 1 => 1,
        n if n < MANY => PARTS,
        _ => 1,
    };
    let wanted = (PARTS * ENOUGH).div_ceil(smallest).min(most);
    let pick = |positions: Vec<u32>| positions.into_iter().map(|p| train[p as usize]).collect();
    let part = |fold: usize| {
        let (learned, held) = folds.split(fold);
        (pick(learned), pick(held))
    };
    Some((0..wanted).map(part).collect())
}

/// What is tried, the most eager first.
fn candidates(params: &ValidParams, task: &Task) -> Result<Vec<ValidParams>> {
    let numbers = matches!(task, Task::Regression);
    let learning_rate = (HASTE as f64 * params.learning_rate).min(1.0);
    let trees = params.trees.div_ceil(HASTE).max(STEP);
    let candidate = |(number, &min_gain): (usize, &f64)| {
        let seed = if numbers { params.seed_of(number) } else { params.seed };
        Params { min_gain, learning_rate, trees, ensemble: 1, seed, ..(**params).clone() }.check()
    };
    let usual = [params.min_gain; GAINS.len()];
    let gains = match task {
        Task::Binary { .. } => &GAINS[..],
        Task::Multiclass { .. } => &usual[..1],
        Task::Regression => &usual,
    };
    gains.iter().enumerate().map(candidate).collect()
}

/// Looks at every candidate on one part. Where all patterns are known they share what is known of them; an
/// engine that explores knows other patterns for each.
fn on_part(
    exploration: &Exploration<'_>,
    params: &ValidParams,
    candidates: &[ValidParams],
    (learned, held): &Part,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Seen>> {
    let known = exploration.census().map(|_| exploration.space(params, learned));
    let look = |candidate: &ValidParams| {
        let space = known.as_deref().map(|known| Box::new(Shared(known)) as Box<dyn PatternSpace>);
        looks(Booster::within(exploration, candidate, (learned, held), space).ok()?, go_on)
    };
    candidates.par_iter().with_max_len(1).map(look).collect()
}

/// Trains a candidate and looks at it; nothing if that was stopped or fails.
fn looks(booster: Booster<'_>, go_on: &(dyn Fn() -> bool + Sync)) -> Option<Seen> {
    let last = booster.asked_rounds();
    let mut looks = Vec::new();
    let trained = booster.run_watched(|booster| {
        let rounds = booster.rounds().len();
        if rounds % STEP == 0 && 2 * rounds >= last {
            let losses = TEMPERATURES.map(|temperature| held_loss(booster, HASTY * temperature));
            let look = Look { rounds, losses, wrong: wrongly_ordered(booster) };
            looks.push((look, booster.held_out().1.to_vec()));
        }
        go_on()
    });
    let finished = trained.ok()?.record().stopped == StopReason::Finished;
    finished.then_some(looks)
}

/// The loss of the graphs held out, in all, if the trees' part of the scores is divided by the temperature.
fn held_loss(booster: &Booster<'_>, temperature: f64) -> f64 {
    let (graphs, scores, init) = booster.held_out();
    let mut tempered = vec![0.0; init.len()];
    sum(graphs.iter().zip(scores.chunks_exact(init.len())).map(|(&graph, scores)| {
        for ((out, &score), &before) in tempered.iter_mut().zip(scores).zip(init) {
            *out = before + (score - before) / temperature;
        }
        booster.weighted_loss(graph, &tempered)
    }))
}

/// The share of pairs of two classes held out that the scores put in the wrong order.
fn wrongly_ordered(booster: &Booster<'_>) -> f64 {
    let seen =
        booster.rounds().last().and_then(|round| round.valid.iter().find(|v| v.0 == Metric::Auc));
    seen.map_or(1.0, |&(_, auc)| if auc.is_nan() { 1.0 } else { 1.0 - auc })
}

/// What the looks on all parts say together.
fn added(parts: &[&Seen]) -> Looks {
    let looks = 0..parts.iter().map(|looks| looks.len()).min().unwrap_or(0);
    let added = |look: usize| {
        let all = || parts.iter().map(|part| &part[look].0);
        let losses = std::array::from_fn(|t| sum(all().map(|look| look.losses[t])));
        Look { rounds: parts[0][look].0.rounds, losses, wrong: sum(all().map(|look| look.wrong)) }
    };
    looks.map(added).collect()
}

/// The best candidate (the usual one unless another is clearly better), and its first look that is as good
/// as its best one.
fn best(tried: &[Looks], usual: usize) -> Option<(usize, usize)> {
    let bad = |candidate: usize, look: usize| tried[candidate][look].judged().1;
    let least = |candidate: usize| {
        let looks = (0..tried[candidate].len()).map(|look| (bad(candidate, look), look));
        looks.min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let usual_least = least(usual)?.0;
    let others = (0..tried.len()).filter_map(|candidate| Some((least(candidate)?.0, candidate)));
    let (_, candidate) = others
        .filter(|&(bad, candidate)| candidate == usual || CLEARLY * bad < usual_least)
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    let (best, last) = least(candidate)?;
    let look = (0..=last).find(|&look| bad(candidate, look) <= CLOSE * best)?;
    Some((candidate, look))
}

impl Look {
    /// The temperature with the least loss, and how bad the look is with it.
    fn judged(&self) -> (usize, f64) {
        let first = (0, f64::INFINITY);
        let all = self.losses.iter().copied().enumerate();
        let least = all.fold(first, |least, next| if next.1 < least.1 { next } else { least });
        (least.0, least.1 * self.wrong)
    }
}
