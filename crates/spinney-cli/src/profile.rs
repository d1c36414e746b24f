//! `--profile FILE`: what the phases of a training cost.
//!
//! **Invariant.** Phases follow each other without gaps, so their times add up to the command's.
//! Repeated ones (of several targets) are summed up.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};
use spinney::Result;
use spinney::io::atomic::write_whole;
use spinney::training::Phase;

/// Measures phases from its making on.
#[derive(Debug)]
pub(crate) struct Profile {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    phases: Vec<PhaseCost>,
    /// When the current one, the last that began, did.
    since: Mark,
    current: &'static str,
}

/// What a phase took.
#[derive(Debug)]
struct PhaseCost {
    phase: &'static str,
    seconds: f64,
    /// Of all threads together; nothing where the system does not tell.
    cpu_seconds: Option<f64>,
    /// The most memory that the process had had by its end, where Linux tells.
    peak_bytes: Option<u64>,
}

impl PhaseCost {
    fn to_json(&self) -> Value {
        json!({
            "phase": self.phase,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "peak_bytes": self.peak_bytes,
        })
    }
}

/// A point in time.
#[derive(Clone, Copy, Debug)]
struct Mark {
    wall: Instant,
    cpu_seconds: Option<f64>,
}

impl Mark {
    fn now() -> Mark {
        Mark { wall: Instant::now(), cpu_seconds: cpu_seconds() }
    }

    fn since(&self, before: &Mark, phase: &'static str) -> PhaseCost {
        let cpu_seconds = self.cpu_seconds.zip(before.cpu_seconds).map(|(now, then)| now - then);
        let seconds = (self.wall - before.wall).as_secs_f64();
        PhaseCost { phase, seconds, cpu_seconds, peak_bytes: peak_bytes() }
    }
}

impl Profile {
    /// Starts with the phase `reading`.
    pub(crate) fn new(path: &Path) -> Profile {
        let state = State { phases: Vec::new(), since: Mark::now(), current: "reading" };
        Profile { path: path.to_owned(), state: Mutex::new(state) }
    }

    /// A phase begins, and the one before it ends.
    pub(crate) fn begin(&self, phase: &'static str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Mark::now();
        let cost = now.since(&state.since, state.current);
        let known = state.phases.iter_mut().find(|known| known.phase == cost.phase);
        match known {
            Some(known) => {
                known.seconds += cost.seconds;
                known.peak_bytes = cost.peak_bytes;
                let both = known.cpu_seconds.zip(cost.cpu_seconds);
                known.cpu_seconds = both.map(|(known, more)| known + more);
            }
            None => state.phases.push(cost),
        }
        state.since = now;
        state.current = phase;
    }

    /// Ends the last phase and writes the file.
    pub(crate) fn write(&self) -> Result<()> {
        self.begin("end");
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let phases = state.phases.iter().map(PhaseCost::to_json).collect::<Vec<Value>>();
        let all = json!({ "phases": phases });
        write_whole(&self.path, |out| writeln!(out, "{all:#}"))
    }
}

/// What a phase is called in the file.
pub(crate) fn name(phase: Phase) -> &'static str {
    match phase {
        Phase::Exploring => "exploring",
        Phase::Classifying => "classifying",
        Phase::FindingRounds => "finding_rounds",
        Phase::Tuning => "tuning",
        Phase::TuningLinear => "tuning_linear",
        Phase::Linear => "linear",
        Phase::Boosting { .. } => "boosting",
        Phase::SolvingLinearProgram => "solving_linear_program",
        Phase::Certifying => "certifying",
        Phase::OutOfFold => "out_of_fold",
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps)] // other systems do not tell
fn cpu_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64)
}

#[cfg(not(unix))]
fn cpu_seconds() -> Option<f64> {
    None
}

/// The most memory that the process has had.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kilobytes)
}
