//! `spinney train --target all`: models of several targets tell each other.

use std::path::PathBuf;

use serde_json::{Value, json};
use spinney::boosting::ValidParams;
use spinney::model::{Provenance, ToldBy};
use spinney::stacking::multi_task::{Sharer, told};
use spinney::{Dataset, Model, Result};

use crate::args::CommonArgs;
use crate::input::Input;
use crate::output::count;
use crate::{output, progress, signals};

/// A model trained alone, and what is needed to have it told by others.
pub(crate) struct Alone {
    /// The target's column.
    pub(crate) column: usize,
    pub(crate) model: Model,
    pub(crate) path: PathBuf,
    /// The molecules that have this target.
    pub(crate) data: Dataset,
    pub(crate) params: ValidParams,
    /// Their scores by trainings that did not see them.
    pub(crate) unseen: Vec<f64>,
}

/// Has the models of several targets of `all` told by each other, writes them anew, and adds to the `results` of
/// their columns by whom. Models that were written before stay as they are if the user stops this.
pub(crate) fn tell_each_other(
    all: &Input,
    alone: &[Alone],
    common: &CommonArgs,
    results: &mut [Value],
) -> Result<()> {
    let wait = progress::spinner(common, "telling each other");
    let names = |one: &Alone| &all.target_names[one.column];
    let sharers: Vec<Sharer<'_>> = alone
        .iter()
        .map(|one| Sharer { name: names(one), model: &one.model, scores: scores(all, one) })
        .collect();
    for (own, one) in alone.iter().enumerate() {
        if signals::asked() {
            signals::obey();
            let (done, of) = (own, count(alone.len(), "target"));
            output::complain(&format!("spinney: stopped after {done} of {of} were told by others"));
            break;
        }
        let places = places(all, one.column);
        let told = told(&sharers, own, (&one.data, &places), &one.params)?;
        let Some(told) = told else {
            results[one.column]["told_by"] = Value::Null;
            common.note(&format!("{}: the other targets have nothing to tell", names(one)));
            continue;
        };
        told.save(&one.path)?;
        let Provenance { told_by, unproven, .. } = told.provenance();
        results[one.column]["told_by"] = json!(told_by);
        results[one.column]["patterns"] = json!(told.patterns().len());
        results[one.column]["unproven"] = json!(unproven);
        let by = told_by.as_ref().map(ToldBy::to_string).unwrap_or_default();
        let text = format!("{}: {by}; wrote {}\n", names(one), one.path.display());
        wait.suspend(|| output::print(&text))?;
    }
    wait.finish_and_clear();
    Ok(())
}

/// Which molecules have a target in a column.
fn places(all: &Input, column: usize) -> Vec<usize> {
    let targets = &all.targets[column];
    (0..targets.len()).filter(|&i| targets[i].is_some()).collect()
}

/// The scores of all molecules by models that did not see their target.
fn scores(all: &Input, one: &Alone) -> Vec<f64> {
    let predictions = one.model.predict(&all.data);
    let mut scores: Vec<f64> = (0..all.data.len()).map(|i| predictions.scores(i)[0]).collect();
    places(all, one.column).into_iter().zip(&one.unseen).for_each(|(i, &score)| scores[i] = score);
    scores
}
