//! A file that work which was stopped goes on from.
//!
//! **Invariant.** The file is replaced as a whole: whatever happens, it holds the last state that
//! was written. Writing takes at most a twentieth of the time, but happens at least once a minute
//! and when the work is stopped.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::boosting::Checkpoint;
use crate::error::{Error, Result};
use crate::io::atomic::write_whole;
use crate::io::source::read_text;

/// Where a checkpoint is kept.
#[derive(Clone, Debug)]
pub struct CheckpointFile {
    /// The file.
    pub path: PathBuf,
    /// Whether to go on from it if it is there; else a file that is there is an error.
    pub resume: bool,
}

impl CheckpointFile {
    /// The text to go on from, if there is any.
    ///
    /// # Errors
    /// If the file is there and is not to be gone on from, or cannot be read.
    pub fn text(&self) -> Result<Option<String>> {
        if !self.path.exists() {
            return Ok(None);
        }
        if self.resume {
            return read_text(&self.path).map(Some);
        }
        let reason = "exists: give --resume to go on from it, or remove it";
        Err(Error::parameter("checkpoint", format!("{} {reason}", self.path.display())))
    }

    /// The training to go on from, if there is any.
    pub(super) fn checkpoint(&self) -> Result<Option<Checkpoint>> {
        let wrong = |reason| Error::file(&self.path, reason);
        let text = self.text()?;
        text.map(|text| Checkpoint::from_json(&text).map_err(wrong)).transpose()
    }
}

/// The longest time between two writes.
const MAX_INTERVAL: Duration = Duration::from_secs(60);

/// Writing takes at most one part in this many of the time.
const TIME_PER_WRITING_TIME: u32 = 20;

/// When a file is written again.
#[derive(Clone, Copy, Debug)]
pub struct WritePace {
    last: Instant,
    cost: Duration,
}

impl Default for WritePace {
    fn default() -> Self {
        WritePace { last: Instant::now(), cost: Duration::ZERO }
    }
}

impl WritePace {
    /// Writes the text if it is time, or if it `must` be.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, path: &Path, must: bool, text: impl FnOnce() -> String) -> Result<()> {
        let since = self.last.elapsed();
        if !must && since < MAX_INTERVAL && since < TIME_PER_WRITING_TIME * self.cost {
            return Ok(());
        }
        let started = Instant::now();
        write_whole(path, |out| out.write_all(text().as_bytes()))?;
        self.cost = started.elapsed();
        self.last = Instant::now();
        Ok(())
    }
}
