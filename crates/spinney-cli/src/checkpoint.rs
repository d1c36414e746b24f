//! `--checkpoint FILE` and `--resume`: work that was stopped goes on where it was.
//!
//! **Invariant.** The file is replaced as a whole: whatever happens, it holds the last state that was
//! written. Writing takes at most a twentieth of the time, but happens at least once a minute and when
//! the work is stopped.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use spinney::boosting::{Booster, Cells, Checkpoint, Identity, Round};
use spinney::io::atomic::write_whole;
use spinney::io::source::read_text;
use spinney::training::cross_validation::Keeper;
use spinney::{Error, Result};

use crate::signals;

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
    /// Whether there is something to go on from.
    fn is_there(&self, path: &Path) -> Result<bool> {
        if !path.exists() {
            return Ok(false);
        }
        if self.resume {
            return Ok(true);
        }
        let reason = "exists: give --resume to go on from it, or remove it";
        Err(Error::parameter("checkpoint", format!("{} {reason}", path.display())))
    }

    /// The booster where the checkpoint at `path` left it, if there is one.
    pub(crate) fn resumed<'a>(&self, booster: Booster<'a>, path: &Path) -> Result<Booster<'a>> {
        if !self.is_there(path)? {
            return Ok(booster);
        }
        let wrong = |reason| Error::file(path, reason);
        let checkpoint = Checkpoint::from_json(&read_text(path)?).map_err(wrong)?;
        booster.resume(checkpoint).map_err(|e| Error::file(path, e))
    }

    /// The finished cells of a cross-validation.
    fn cells(&self) -> Result<Cells> {
        match &self.checkpoint {
            Some(path) if self.is_there(path)? => {
                let text = read_text(path)?;
                Cells::from_json(&text).map_err(|reason| Error::file(path, reason))
            }
            _ => Ok(Cells::default()),
        }
    }
}

/// The longest time between two writes.
const AT_LEAST_EVERY: Duration = Duration::from_secs(60);
/// Writing takes at most one part in so many of the time.
const SHARE: u32 = 20;

/// When the file is written again.
pub(crate) struct Pace {
    last: Instant,
    cost: Duration,
}

impl Pace {
    pub(crate) fn new() -> Pace {
        Pace { last: Instant::now(), cost: Duration::ZERO }
    }

    /// Writes the text if it is time, or if it `must` be.
    pub(crate) fn write(
        &mut self,
        path: &Path,
        must: bool,
        text: impl FnOnce() -> String,
    ) -> Result<()> {
        let since = self.last.elapsed();
        if !must && since < AT_LEAST_EVERY && since < SHARE * self.cost {
            return Ok(());
        }
        let started = Instant::now();
        write_whole(path, |out| out.write_all(text().as_bytes()))?;
        self.cost = started.elapsed();
        self.last = Instant::now();
        Ok(())
    }
}

/// Finished cells of a cross-validation and where they are kept.
pub(crate) struct KeptCells<'a> {
    path: Option<&'a Path>,
    kept: Mutex<(Cells, Pace, Result<()>)>,
    tick: &'a (dyn Fn() + Sync),
}

impl<'a> KeptCells<'a> {
    /// Those of an earlier run, and more to come; `tick` is called for each.
    pub(crate) fn new(args: &'a CheckpointArgs, tick: &'a (dyn Fn() + Sync)) -> Result<Self> {
        let kept = Mutex::new((args.cells()?, Pace::new(), Ok(())));
        Ok(KeptCells { path: args.checkpoint.as_deref(), kept, tick })
    }

    fn write(&self, (cells, pace, failed): &mut (Cells, Pace, Result<()>), must: bool) {
        if let (Some(path), Ok(())) = (self.path, &failed) {
            *failed = pace.write(path, must, || cells.to_json());
        }
    }

    /// Writes what is not yet written; says whether that failed, now or before, and how many cells
    /// are done.
    pub(crate) fn finish(&self) -> Result<usize> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.0.is_empty() {
            self.write(&mut kept, true);
        }
        std::mem::replace(&mut kept.2, Ok(()))?;
        Ok(kept.0.len())
    }
}

impl Keeper for KeptCells<'_> {
    fn known(&self, identity: &dyn Fn() -> Identity, trees: usize) -> Option<Vec<Round>> {
        let is_empty = self.kept.lock().unwrap_or_else(PoisonError::into_inner).0.is_empty();
        self.path.filter(|_| !is_empty)?;
        let identity = identity();
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let rounds = kept.0.get(&identity, trees)?;
        (self.tick)();
        Some(rounds)
    }

    fn done(&self, identity: &dyn Fn() -> Identity, trees: usize, rounds: &[Round]) {
        (self.tick)();
        if self.path.is_none() {
            return;
        }
        let identity = identity();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.0.put(identity, trees, rounds);
        self.write(&mut kept, false);
    }

    fn goes_on(&self) -> bool {
        !signals::asked()
    }
}
