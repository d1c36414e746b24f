//! Scores of the training graphs by trainings that left them out.
//!
//! **Invariant.** The score of a graph depends on the targets of the other parts alone.
//!
//! **Cost.** Three trainings on two thirds of the graphs each. Not in the paper.

use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use rustc_hash::FxHashMap;

use crate::boosting::graph_weights::graph_weights;
use crate::boosting::loss::Loss;
use crate::boosting::record::StopReason;
use crate::error::Result;
use crate::evaluation::{Folds, Split};
use crate::params::ValidParams;

use super::recipe::boost;
use super::{Explored, Job, Observer};

/// Parts that are left out in turn.
const PART_COUNT: usize = 3;

/// The fewest graphs of a class, or graphs with numbers, for which parts can be left out.
const MIN_GRAPHS_PER_CLASS: usize = 2 * PART_COUNT;

/// The scores of one part.
struct PartScores {
    held_out: Vec<u32>,
    scores: Vec<f64>,
}

/// The scores of the graphs `train`, in their order, by trainings that left them out. Nothing where
/// there are too few graphs or several outputs, or where the observer stops the work.
///
/// # Errors
/// As training.
pub fn out_of_fold_scores(
    explored: &Explored<'_>,
    params: &ValidParams,
    train: &[u32],
    observer: &dyn Observer,
) -> Result<Option<Vec<f64>>> {
    let data = explored.data();
    let loss = Loss::new(params, data)?;
    if loss.outputs() > 1 {
        return Ok(None);
    }
    let all = loss.strata();
    let mut strata: Vec<u32> = train.iter().map(|&g| all[g as usize]).collect();
    let mut sizes: FxHashMap<u32, usize> = FxHashMap::default();
    for (stratum, weight) in strata.iter_mut().zip(graph_weights(data, params, &loss, train)?) {
        let counts = weight > 0.0;
        *sizes.entry(*stratum).or_default() += usize::from(counts);
        // Graphs of weight zero are dealt apart: every part must have some that count.
        *stratum = 2 * *stratum + u32::from(!counts);
    }
    if sizes.values().any(|&size| size < MIN_GRAPHS_PER_CLASS) {
        return Ok(None);
    }
    let folds = Folds::random(&strata, PART_COUNT, params.seed)?;
    let parts: Vec<Option<PartScores>> = (0..PART_COUNT)
        .into_par_iter()
        .map(|part| on_part(explored, params, folds.split_of(train, part), observer))
        .collect::<Result<_>>()?;
    let mut of_graph = vec![0.0; data.len()];
    for part in parts {
        let Some(part) = part else { return Ok(None) };
        let scored = part.held_out.into_iter().zip(part.scores);
        scored.for_each(|(graph, score)| of_graph[graph as usize] = score);
    }
    Ok(Some(train.iter().map(|&graph| of_graph[graph as usize]).collect()))
}

fn on_part(
    explored: &Explored<'_>,
    params: &ValidParams,
    split: Split,
    observer: &dyn Observer,
) -> Result<Option<PartScores>> {
    let job = Job::new(&split);
    let trained = match boost(explored, params, &job, &StopOnly(observer)) {
        Err(e) if e.is_interrupted() => return Ok(None),
        boosted => boosted?.trained,
    };
    let stopped = trained.record().stopped;
    let is_whole = stopped != StopReason::Interrupted && !stopped.is_limit();
    if !is_whole || observer.should_stop() {
        return Ok(None);
    }
    let predictions = trained.valid_predictions();
    let scores = (0..split.held_out.len()).map(|i| predictions.scores(i)[0]).collect();
    Ok(Some(PartScores { held_out: split.held_out, scores }))
}

/// Passes on nothing but the wish to stop: rounds of parts are not rounds of the training.
pub(super) struct StopOnly<'o>(pub(super) &'o dyn Observer);

impl Observer for StopOnly<'_> {
    fn should_stop(&self) -> bool {
        self.0.should_stop()
    }
}
