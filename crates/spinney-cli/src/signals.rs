//! Ctrl-C and SIGTERM.
//!
//! A command ends at once, with its unfinished output removed, unless it asked for patience: then
//! the first signal only asks it to stop where that is convenient ([`asked`]), and the second ends
//! it. The exit code is 128 and the signal's number, as the shell has it.
//!
//! **Invariant.** Output files are whole or not there at every moment, whatever signal comes.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Whether the first signal is to be taken as a wish.
static PATIENT: AtomicBool = AtomicBool::new(false);
/// The signal that came first, or 0.
static ASKED: AtomicI32 = AtomicI32::new(0);
/// Whether the command stopped early because of it.
static OBEYED: AtomicBool = AtomicBool::new(false);

/// From now on the first signal asks the command to stop when it has finished what it is at.
pub(crate) fn be_patient() {
    PATIENT.store(true, Ordering::Relaxed);
}

/// Whether a signal has asked the command to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed) != 0
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
    let first = ASKED.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    if first && PATIENT.load(Ordering::Relaxed) {
        crate::output::complain(
            "spinney: stopping after this round; once more (Ctrl-C) to stop at once",
        );
        return;
    }
    // Kept until the end of the process, so that no new output begins.
    let _guard = spinney::io::atomic::discard_unfinished();
    std::process::exit(128 + signal);
}
