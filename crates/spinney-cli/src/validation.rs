//! `--valid` and `--split`: graphs that are held out of a training and measured after every round.

use std::path::Path;

use spinney::boosting::loss::Loss;
use spinney::evaluation::{Folds, Split};
use spinney::{Dataset, Error, Params, Result};

use crate::input::{self, Input, Labelled};
use crate::molecules::SplitBy;
use crate::output;

/// Held-out shares are exact to one part in this many.
const MAX_PARTS: usize = 1000;

/// Flags of what is held out.
#[derive(clap::Args, Clone)]
pub(crate) struct ValidArgs {
    /// Validation graphs: a file, the share of INPUT to hold out, or (with --split COL) the value
    /// in that column. They are measured after every round and decide nothing, but for
    /// --early-stopping, which watches them
    #[arg(long, value_name = "FILE|FRACTION|VALUE", allow_negative_numbers = true)]
    pub(crate) valid: Option<String>,
    /// How --valid FRACTION holds out: random, scaffold, or the column that names the parts
    #[arg(long, value_name = "random|scaffold|COL", default_value = "random")]
    pub(crate) split: SplitBy,
}

impl ValidArgs {
    /// The file of validation graphs, if `--valid` names one.
    pub(crate) fn file(&self) -> Option<&Path> {
        let named = self.valid.as_ref().filter(|v| v.parse::<f64>().is_err());
        named.filter(|_| self.split.column().is_none()).map(Path::new)
    }

    /// What is held out, in words.
    pub(crate) fn description(&self) -> Option<String> {
        let by = match &self.split {
            SplitBy::Random => "at random".to_owned(),
            SplitBy::Scaffold => "by scaffold".to_owned(),
            SplitBy::Column(column) => format!("column {column}"),
        };
        self.valid.as_ref().map(|valid| format!("{valid}, {by}"))
    }

    /// The graphs to train on and those held out, out of the labelled ones; from `more_from` on
    /// they come from the file of validation graphs.
    pub(crate) fn split(
        &self,
        input: &Input,
        labelled: &Labelled,
        params: &Params,
        more_from: Option<u32>,
    ) -> Result<Split> {
        let graphs = &labelled.graphs;
        let parted = |is_held_out: &dyn Fn(u32) -> bool| {
            let (held_out, train) = graphs.iter().partition(|&&graph| is_held_out(graph));
            Split { train, held_out }
        };
        if let Some(first) = more_from {
            return Ok(parted(&|graph| graph >= first));
        }
        let Some(valid) = &self.valid else {
            return Ok(Split { train: graphs.clone(), held_out: Vec::new() });
        };
        if let (SplitBy::Column(_), Some(parts)) = (&self.split, &input.splits) {
            let split = parted(&|graph| parts[graph as usize] == *valid);
            if split.held_out.is_empty() {
                let reason = format!("no record has {valid:?} in the column that --split names");
                return Err(Error::parameter("valid", reason));
            }
            return Ok(split);
        }
        let share: f64 = valid.parse().unwrap_or(f64::NAN);
        if !(share > 0.0 && share < 1.0) {
            return Err(Error::parameter("valid", format!("{share} is not between 0 and 1")));
        }
        match self.split {
            SplitBy::Scaffold => scaffolds(input, graphs, share),
            _ => random(&labelled.prepared.data, graphs, params, share),
        }
    }
}

/// Holds out whole scaffolds: as near to the share as folds of whole scaffolds come.
fn scaffolds(input: &Input, graphs: &[u32], share: f64) -> Result<Split> {
    let all = input::scaffolds(input)?;
    let groups: Vec<&String> = graphs.iter().map(|&graph| &all[graph as usize]).collect();
    let parts = (1.0 / share.min(1.0 - share)).round().max(2.0) as usize;
    let split = Folds::grouped(&groups, parts)?.split_of(graphs, parts - 1);
    Ok(if share <= 0.5 { split } else { Split { train: split.held_out, held_out: split.train } })
}

/// Holds out a share of each class.
fn random(data: &Dataset, graphs: &[u32], params: &Params, share: f64) -> Result<Split> {
    let parts = graphs.len().min(MAX_PARTS);
    let out = (share * parts as f64).round() as usize;
    if out == 0 || out == parts {
        let number = output::count(graphs.len(), "graph");
        let reason = format!("{share} of {number} leaves nothing on one side");
        return Err(Error::parameter("valid", reason));
    }
    let all = Loss::new(&params.fixed(), data)?.strata();
    let strata: Vec<u32> = graphs.iter().map(|&graph| all[graph as usize]).collect();
    let folds = Folds::random(&strata, parts, params.seed)?;
    // Spread over the folds, which are dealt out class by class.
    let is_out = |fold: &usize| (fold + 1) * out / parts > fold * out / parts;
    let of_fold = |fold: usize| folds.split_of(graphs, fold).held_out;
    let mut held_out: Vec<u32> = (0..parts).filter(is_out).flat_map(of_fold).collect();
    held_out.sort_unstable();
    let is_kept = |graph: &u32| held_out.binary_search(graph).is_err();
    let train = graphs.iter().copied().filter(is_kept).collect();
    Ok(Split { train, held_out })
}
