//! `--checkpoint FILE` and `--resume`: work that was stopped goes on where it was.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use spinney::boosting::Identity;
use spinney::training::cross_validation::{FoldKeeper, FoldTraining};
use spinney::training::{CheckpointFile, FoldStore, WritePace};
use spinney::{Error, Result};

use crate::output::named_after;

/// Flags of work that can go on later.
#[derive(clap::Args, Clone)]
#[command(next_help_heading = "Stopping and going on")]
pub(crate) struct CheckpointArgs {
    /// Keep what is done in this file, so that work that was stopped can go on
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint if it exists; the result is the same as without a break
    #[arg(long, requires = "checkpoint")]
    resume: bool,
}

impl CheckpointArgs {
    /// Where a training is kept; of several targets each has a file of its own.
    pub(crate) fn file(&self, target: Option<&str>) -> Option<CheckpointFile> {
        let path = self.checkpoint.as_ref()?;
        let path = target.map_or_else(|| path.clone(), |target| named_after(path, target));
        Some(CheckpointFile { path, resume: self.resume })
    }

    /// The finished folds of a cross-validation.
    fn folds(&self) -> Result<FoldStore> {
        let Some(file) = self.file(None) else { return Ok(FoldStore::default()) };
        let wrong = |reason| Error::file(&file.path, reason);
        let text = file.text()?;
        text.map_or_else(
            || Ok(FoldStore::default()),
            |text| FoldStore::from_json(&text).map_err(wrong),
        )
    }
}

/// Finished folds of a cross-validation and where they are kept.
pub(crate) struct KeptFolds<'a> {
    path: Option<&'a Path>,
    kept: Mutex<Kept>,
    /// Called for each fold.
    count_one: &'a (dyn Fn() + Sync),
}

struct Kept {
    folds: FoldStore,
    pace: WritePace,
    written: Result<()>,
}

impl Kept {
    fn write(&mut self, path: Option<&Path>, must: bool) {
        if let (Some(path), Ok(())) = (path, &self.written) {
            self.written = self.pace.write(path, must, || self.folds.to_json());
        }
    }
}

impl<'a> KeptFolds<'a> {
    /// Those of an earlier run, and more to come.
    pub(crate) fn new(args: &'a CheckpointArgs, count_one: &'a (dyn Fn() + Sync)) -> Result<Self> {
        let kept = Kept { folds: args.folds()?, pace: WritePace::default(), written: Ok(()) };
        let path = args.checkpoint.as_deref();
        Ok(KeptFolds { path, kept: Mutex::new(kept), count_one })
    }

    /// Writes what is not yet written, and gives the number of finished folds.
    ///
    /// # Errors
    /// If writing failed, now or before.
    pub(crate) fn finish(&self) -> Result<usize> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.folds.is_empty() {
            kept.write(self.path, true);
        }
        std::mem::replace(&mut kept.written, Ok(()))?;
        Ok(kept.folds.len())
    }
}

impl FoldKeeper for KeptFolds<'_> {
    fn known(&self, identity: &dyn Fn() -> Identity) -> Option<FoldTraining> {
        let is_empty = self.kept.lock().unwrap_or_else(PoisonError::into_inner).folds.is_empty();
        self.path.filter(|_| !is_empty)?;
        let identity = identity();
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let fold = kept.folds.get(&identity)?;
        (self.count_one)();
        Some(fold)
    }

    fn done(&self, identity: &dyn Fn() -> Identity, fold: &FoldTraining) {
        (self.count_one)();
        if self.path.is_none() {
            return;
        }
        let identity = identity();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.folds.put(identity, fold);
        kept.write(self.path, false);
    }
}
