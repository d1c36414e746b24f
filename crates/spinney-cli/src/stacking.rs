//! `spinney train --target all`: models of several targets are stacked.

use std::path::PathBuf;

use serde_json::{Value, json};
use spinney::Result;
use spinney::model::{Provenance, StackedFrom};
use spinney::training::targets::{StackedTarget, TrainedTarget, stack_targets};

use crate::args::CommonArgs;
use crate::output::count;
use crate::renamed::told_by;
use crate::{output, progress, signals};

/// A target with the file of its model.
pub(crate) struct WrittenTarget {
    pub(crate) trained: TrainedTarget,
    pub(crate) path: PathBuf,
    /// The target's column, and the place of its result.
    pub(crate) column: usize,
}

/// Where the model and the result of a target are.
struct Place {
    path: PathBuf,
    column: usize,
}

/// Stacks the models of several targets, writes them anew, and adds to the `results` of the targets
/// what they are stacked from. Models that were written before stay as they are if the user stops
/// this.
pub(crate) fn stack(
    written: Vec<WrittenTarget>,
    common: &CommonArgs,
    results: &mut [Value],
) -> Result<()> {
    let wait = progress::spinner(common, "stacking the models of all targets");
    let mut places = Vec::new();
    let mut trained = Vec::new();
    for WrittenTarget { trained: target, path, column } in written {
        places.push(Place { path, column });
        trained.push(target);
    }
    let mut done = 0;
    stack_targets(&trained, |StackedTarget { number, target, model }| {
        if signals::asked() {
            signals::obey();
            let all = count(trained.len(), "target");
            output::complain(&format!("spinney: stopped after {done} of {all} were stacked"));
            return Ok(false);
        }
        done += 1;
        let name = &target.name;
        let Place { path, column } = &places[number];
        let result = &mut results[*column];
        let Some(model) = model else {
            result["stacked_from"] = Value::Null;
            result["told_by"] = Value::Null;
            common.note(&format!("{name}: no other target improves it; its model stays as it is"));
            return Ok(true);
        };
        model.save(path)?;
        let Provenance { stacked_from, unproven, .. } = model.provenance();
        result["stacked_from"] = json!(stacked_from);
        result["told_by"] = json!(stacked_from.as_ref().map(told_by));
        result["patterns"] = json!(model.patterns().len());
        result["unproven"] = json!(unproven);
        let from = stacked_from.as_ref().map(StackedFrom::to_string).unwrap_or_default();
        let text = format!("{name}: {from}; wrote {}\n", path.display());
        wait.suspend(|| output::print(&text))?;
        Ok(true)
    })?;
    wait.finish_and_clear();
    Ok(())
}
