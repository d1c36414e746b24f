//! Several targets of the same graphs: a training for each, and their stacking.
//!
//! All trainings share one census. Out-of-fold scores of each target's own training graphs, and the
//! models' scores of all other graphs, are what weights are found with (`stacking::multi_task`).

use crate::error::Result;
use crate::model::Model;
use crate::stacking::multi_task::{TaskModel, stacked};

use super::{Outcome, Prepared};

/// A target that was trained on.
#[derive(Debug)]
pub struct TrainedTarget {
    /// What it is called.
    pub name: String,
    /// The graphs, with this target.
    pub prepared: Prepared,
    /// Its training graphs.
    pub train: Vec<u32>,
    /// The training, with out-of-fold scores where there are any.
    pub outcome: Outcome,
}

impl TrainedTarget {
    /// The scores of all graphs by models that did not see their target; nothing without
    /// out-of-fold scores.
    fn unseen_scores(&self) -> Option<Vec<f64>> {
        let out_of_fold = self.outcome.out_of_fold.as_ref()?;
        let data = &self.prepared.data;
        let mut scores = self.outcome.model.predict(data).into_scores();
        let own = self.train.iter().zip(out_of_fold);
        own.for_each(|(&graph, &score)| scores[graph as usize] = score);
        Some(scores)
    }
}

/// What stacking made of one target.
#[derive(Debug)]
pub struct StackedTarget<'t> {
    /// The number of the target among those that were given.
    pub number: usize,
    /// The target.
    pub target: &'t TrainedTarget,
    /// Its stacked model; nothing where no other target adds enough.
    pub model: Option<Model>,
}

/// Stacks the models of targets that share graphs; those without out-of-fold scores take no part.
/// `each` sees one target after the other, and says whether to go on.
///
/// # Errors
/// As stacking, and those of `each`.
pub fn stack_targets<'t>(
    targets: &'t [TrainedTarget],
    mut each: impl FnMut(StackedTarget<'t>) -> Result<bool>,
) -> Result<()> {
    let mut numbers = Vec::new();
    let mut tasks = Vec::new();
    for (number, target) in targets.iter().enumerate() {
        let Some(scores) = target.unseen_scores() else { continue };
        numbers.push(number);
        tasks.push(TaskModel { name: &target.name, model: &target.outcome.model, scores });
    }
    for (own, &number) in numbers.iter().enumerate() {
        let target = &targets[number];
        let data = &target.prepared.data;
        let model = stacked(&tasks, own, data, &target.train, &target.outcome.params)?;
        if !each(StackedTarget { number, target, model })? {
            break;
        }
    }
    Ok(())
}
