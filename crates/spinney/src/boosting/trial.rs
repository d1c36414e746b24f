//! A trial before the training: how deep, how many rounds, how sure.
//!
//! Data differ in how much can be learnt of them. Where a target follows from structure (a screen for
//! growth inhibition), deep trees and many rounds go on improving; where it is noisy or rare (binding
//! to a receptor, one in thirty), the same trees learn the training graphs by heart after a few rounds.
//! What the data are like is not known before trees are grown; so some are, on a part of the training
//! graphs, and judged by the rest.
//!
//! A candidate is a depth (of more than two classes, the preset's alone); each is trained once, in
//! haste (larger steps, fewer rounds, no ensemble), and looked at every few rounds. A look is judged by
//! the loss on the graphs held out, at the temperature that suits it best: scores that are too sure of themselves are no fault, as the temperature mends
//! that in the model, too. The best look gives depth, rounds and temperature.
//!
//! **Invariant.** The outcome is a function of graphs, parameters and seed: what is held out depends on
//! the targets and the seed, trees on nothing else than they do in training, and sums are
//! taken in one order. Graphs outside `train` are not looked at.
//!
//! **Cost.** For 3,500 molecules a third of the training that follows, or less. Not in the paper.

use rayon::prelude::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::cv::Folds;
use super::explore::Exploration;
use super::fit::Booster;
use super::loss::Loss;
use super::params::{Params, ValidParams};
use super::record::StopReason;
use crate::error::Result;
use crate::math::sum;
use crate::model::Task;

/// What is tried for two classes besides the preset's depth: a smaller one, with half as many rounds more.
/// Shallow trees learn slowly, and cost little.
const SHALLOW: usize = 6;

/// Steps are so much larger in a trial, and rounds so much fewer.
const HASTE: usize = 3;

/// A trial is looked at every so many rounds.
const STEP: usize = 2;

/// A look is as good as the best one if its loss is no more than this above it.
const CLOSE: f64 = 1.002;

/// What scores may be divided by.
const TEMPERATURES: [f64; 14] =
    [0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.7, 2.0, 2.4, 2.8, 3.4, 4.0, 5.0];

/// One part in so many is held out, one part after the other until those held out have so many graphs of
/// the smallest class; fewer parts of many graphs, or of many classes, which take longer.
const PARTS: usize = 5;
const ENOUGH: usize = 300;
const MANY: usize = 1_000;
const VERY_MANY: usize = 10_000;

/// With fewer graphs, or fewer of some class, there is no trial.
const LEAST: usize = 200;
const LEAST_OF_CLASS: usize = 15;

/// Losses of the graphs held out, summed up, by look and temperature.
type Looks = Vec<[f64; TEMPERATURES.len()]>;

/// The parameters with depth, rounds and temperature as a trial on the graphs `train` finds them, if they
/// were left open; else as they are, and also where there is too little to try on, where targets
/// are numbers, where time or patterns are limited, or where `go_on` stops it.
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
    let candidates = candidates(params, loss.outputs() == 1)?;
    let one = |i: usize| {
        let (candidate, part) = (&candidates[i / parts.len()], &parts[i % parts.len()]);
        looks(exploration, candidate, part, go_on)
    };
    let all = (0..candidates.len() * parts.len()).into_par_iter().with_max_len(1).map(one);
    let Some(looks) = all.collect::<Option<Vec<Looks>>>() else { return as_written.check() };
    let tried: Vec<Looks> = looks.chunks(parts.len()).map(added).collect();
    let Some((candidate, look, temperature)) = best(&tried) else { return as_written.check() };
    Params {
        depth: candidates[candidate].depth,
        trees: HASTE * STEP * (look + 1),
        temperature: TEMPERATURES[temperature],
        ..as_written
    }
    .check()
}

/// Graphs to learn from and to judge by, for each part held out; nothing where there are too few.
fn parts(loss: &Loss, params: &ValidParams, train: &[u32]) -> Option<Vec<(Vec<u32>, Vec<u32>)>> {
    if matches!(loss.task(), Task::Regression) || train.len() < LEAST {
        return None;
    }
    let strata: Vec<u32> = train.iter().map(|&g| loss.targets()[g as usize] as u32).collect();
    let mut sizes = vec![0; loss.task().classes().len()];
    strata.iter().for_each(|&class| sizes[class as usize] += 1);
    let smallest = sizes.into_iter().filter(|&size| size > 0).min()?;
    if smallest < LEAST_OF_CLASS {
        return None;
    }
    let folds = Folds::random(&strata, PARTS, params.seed).ok()?;
    let most = match train.len() {
        _ if loss.outputs() > 1 => 1,
        n if n < MANY => PARTS,
        n if n < VERY_MANY => 2,
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

/// What is tried, deepest first.
fn candidates(params: &ValidParams, two_classes: bool) -> Result<Vec<ValidParams>> {
    let candidate = |(depth, rounds): (usize, usize)| {
        let learning_rate = (HASTE as f64 * params.learning_rate).min(1.0);
        let trees = rounds.div_ceil(HASTE).max(STEP);
        Params { depth, learning_rate, trees, ensemble: 1, ..(**params).clone() }.check()
    };
    let trees = params.trees;
    let shallow = (two_classes && SHALLOW < params.depth).then_some((SHALLOW, trees + trees / 2));
    [(params.depth, trees)].into_iter().chain(shallow).map(candidate).collect()
}

/// Trains a candidate on one part and looks at it; nothing if that was stopped or fails.
fn looks(
    exploration: &Exploration<'_>,
    params: &ValidParams,
    (learned, held): &(Vec<u32>, Vec<u32>),
    go_on: &(dyn Fn() -> bool + Sync),
) -> Option<Looks> {
    let booster = Booster::new(exploration, params, learned, held).ok()?;
    let mut looks = Vec::new();
    let trained = booster.run_watched(|booster| {
        if booster.rounds().len() % STEP == 0 {
            looks.push(TEMPERATURES.map(|temperature| held_loss(booster, temperature)));
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

/// What the looks on all parts say together.
fn added(parts: &[Looks]) -> Looks {
    let looks = 0..parts.iter().map(Vec::len).min().unwrap_or(0);
    let at = |look: usize, t: usize| sum(parts.iter().map(|part| part[look][t]));
    looks.map(|look| std::array::from_fn(|t| at(look, t))).collect()
}

/// The candidate and temperature with the least loss, and its first look that is as good.
fn best(tried: &[Looks]) -> Option<(usize, usize, usize)> {
    let all = tried.iter().enumerate().flat_map(|(candidate, looks)| {
        looks.iter().enumerate().map(move |(look, losses)| (least(losses).1, candidate, look))
    });
    let (loss, candidate, last) = all.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let is_close = |look: &usize| least(&tried[candidate][*look]).1 <= CLOSE * loss;
    let look = (0..=last).find(is_close)?;
    Some((candidate, look, least(&tried[candidate][look]).0))
}

/// The temperature with the least loss, and that loss.
fn least(losses: &[f64; TEMPERATURES.len()]) -> (usize, f64) {
    let first = (0, f64::INFINITY);
    let all = losses.iter().copied().enumerate();
    all.fold(first, |least, next| if next.1 < least.1 { next } else { least })
}
