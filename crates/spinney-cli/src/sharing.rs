//! `spinney train --target all`: models of several targets tell each other.

use std::path::PathBuf;

use serde_json::{Value, json};
use spinney::boosting::ValidParams;
use spinney::boosting::sharing::{Sharer, told};
use spinney::model::ToldBy;
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
        let by = told.as_ref().and_then(|told| told.provenance().told_by.as_ref());
        results[one.column]["told_by"] = json!(by);
        let Some(told) = told else {
            common.note(&format!("{}: the other targets have nothing to tell", names(one)));
            continue;
        };
        told.save(&one.path)?;
        results[one.column]["patterns"] = json!(told.patterns().len());
        let text = format!("{}: {}", names(one), spoken(&told).unwrap_or_default());
        wait.suspend(|| output::print(&format!("{text}; wrote {}\n", one.path.display())))?;
    }
    wait.finish_and_clear();
    Ok(())
}

/// By whom a model was told, if it was.
pub(crate) fn spoken(model: &Model) -> Option<String> {
    let ToldBy { own, helpers } = model.provenance().told_by.as_ref()?;
    let mut text = format!("score = {own:.2} x its own");
    for helper in helpers {
        let sign = if helper.weight < 0.0 { '-' } else { '+' };
        text += &format!(" {sign} {:.2} x {}", helper.weight.abs(), helper.target);
    }
    Some(text)
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
