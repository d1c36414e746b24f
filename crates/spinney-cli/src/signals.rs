//! Ctrl-C and SIGTERM.
//!
//! A command ends at once, with its unfinished output removed, as long as it has nothing to save.
//! One that has ([`Stage`]) is asked by the first signal to give up what is under way and to save
//! what is whole ([`flag`], [`asked`]); the second signal ends it. The exit code is 128 and the
//! signal's number, as the shell has it.
//!
//! **Invariant.** Output files are whole or not there at every moment, whatever signal comes. Every
//! signal is answered on standard error as it comes, by a thread that does nothing else, unless the
//! command has nothing to say.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use spinney::mining::InterruptFlag;

/// What a command could save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing, and there is nothing to be said.
    Nothing,
    /// A training has no whole round yet.
    BeforeRounds,
    /// A training has whole rounds.
    Rounds,
    /// A cross-validation is not kept.
    FoldsLost,
    /// A cross-validation keeps finished folds.
    FoldsKept,
}

impl Stage {
    /// What is said when the first signal comes.
    fn answer(self) -> Option<&'static str> {
        Some(match self {
            Stage::Nothing => return None,
            Stage::BeforeRounds => "stopped before a round was done; nothing more is written",
            Stage::Rounds => {
                "stopping: the round under way is given up, the model of the whole rounds is \
                 written; once more (Ctrl-C) to stop at once"
            }
            Stage::FoldsLost => "stopped; with --checkpoint FILE it could go on",
            Stage::FoldsKept => {
                "stopping: folds under way are given up, finished ones are kept; once more \
                 (Ctrl-C) to stop at once"
            }
        })
    }

    /// Whether the first signal is to be taken as a wish.
    fn is_patient(self) -> bool {
        matches!(self, Stage::Rounds | Stage::FoldsKept)
    }
}

static STAGE: AtomicU8 = AtomicU8::new(Stage::Nothing as u8);
/// The signal that came first, or 0.
static ASKED: AtomicI32 = AtomicI32::new(0);
/// When it came.
static ASKED_AT: Mutex<Option<Instant>> = Mutex::new(None);
/// Set with it, for the library.
static FLAG: InterruptFlag = InterruptFlag::new();
/// Whether the command stopped early because of it.
static OBEYED: AtomicBool = AtomicBool::new(false);

/// Says what there is to save from now on.
pub(crate) fn enter(stage: Stage) {
    STAGE.store(stage as u8, Ordering::Relaxed);
}

/// A training has a whole round from now on.
pub(crate) fn has_round() {
    let before = Stage::BeforeRounds as u8;
    let after = Stage::Rounds as u8;
    let _ = STAGE.compare_exchange(before, after, Ordering::Relaxed, Ordering::Relaxed);
}

fn stage() -> Stage {
    let number = STAGE.load(Ordering::Relaxed);
    let all = [Stage::BeforeRounds, Stage::Rounds, Stage::FoldsLost, Stage::FoldsKept];
    all.into_iter().find(|stage| *stage as u8 == number).unwrap_or(Stage::Nothing)
}

/// Whether a signal has asked the command to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed) != 0
}

/// Seconds since a signal has asked the command to stop.
pub(crate) fn seconds_since() -> f64 {
    let at = *ASKED_AT.lock().unwrap_or_else(PoisonError::into_inner);
    at.map_or(0.0, |at| at.elapsed().as_secs_f64())
}

/// Is set when a signal asks the command to stop.
pub(crate) fn flag() -> &'static InterruptFlag {
    &FLAG
}

/// Notes that the command stopped early, as asked.
pub(crate) fn obey() {
    OBEYED.store(true, Ordering::Relaxed);
}

/// The exit code of a command that stopped early.
pub(crate) fn exit_code() -> Option<u8> {
    let signal = ASKED.load(Ordering::Relaxed);
    (OBEYED.load(Ordering::Relaxed) && signal != 0).then(|| 128 + signal as u8)
}

/// Looks after signals from now on, on a thread of its own. Without one the program still works: a
/// signal then ends it.
#[cfg(unix)]
pub(crate) fn install() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else { return };
    let listen = move || signals.forever().for_each(received);
    drop(std::thread::Builder::new().name("signals".into()).spawn(listen));
}

#[cfg(not(unix))]
pub(crate) fn install() {}

#[cfg(unix)]
fn received(signal: i32) {
    let stage = stage();
    let is_first = !asked();
    if is_first {
        *ASKED_AT.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        ASKED.store(signal, Ordering::Relaxed);
        if let Some(answer) = stage.answer() {
            crate::output::complain(&format!("spinney: {answer}"));
        }
        if stage.is_patient() {
            FLAG.stop();
            return;
        }
    }
    // Kept until the end of the process, so that no new output begins.
    let _guard = spinney::io::atomic::discard_unfinished();
    std::process::exit(128 + signal);
}
