//! What a training may take, and what the system says is there.
//!
//! `memory` means one thing everywhere: the most bytes that the whole process may hold, as far as
//! can be counted. A training that reaches a limit ends with a valid model.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::mining::limits::TrainingLimits;

/// Limits as a user gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// The longest time.
    pub time: Option<Duration>,
    /// The most bytes of the whole process; by default most of what is free.
    pub memory: Option<usize>,
    /// The most patterns that are explored and kept.
    pub patterns: Option<usize>,
}

impl Budget {
    /// The limits of work that started at `started`.
    #[must_use]
    pub fn limits(&self, started: Instant) -> TrainingLimits {
        TrainingLimits {
            until: self.time.and_then(|time| started.checked_add(time)),
            memory: self.memory.or_else(available_memory),
            patterns: self.patterns,
            resident: Some(resident_bytes),
            interrupt: None,
        }
    }
}

/// An answer of the system is used again for this long: it takes a tenth of a millisecond to get.
const REFRESH_INTERVAL: Duration = Duration::from_millis(5);

/// An answer of the system.
#[derive(Clone, Copy)]
struct Answer {
    at: Instant,
    bytes: Option<usize>,
}

/// The bytes that this process holds in memory, where the system says.
fn resident_bytes() -> Option<usize> {
    static LAST: Mutex<Option<Answer>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = last.filter(|known| known.at.elapsed() < REFRESH_INTERVAL) {
        return known.bytes;
    }
    let status = std::fs::read_to_string("/proc/self/status").ok();
    let bytes = status.and_then(|text| kilobytes(&text, "VmRSS:"));
    *last = Some(Answer { at: Instant::now(), bytes });
    bytes
}

/// The number of bytes after `name` in a table of kilobytes.
fn kilobytes(table: &str, name: &str) -> Option<usize> {
    let line = table.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}

/// What the process holds and most of the memory that is free: a system that runs out of it ends
/// the process.
fn available_memory() -> Option<usize> {
    let table = std::fs::read_to_string("/proc/meminfo").ok()?;
    let free = kilobytes(&table, "MemAvailable:")?;
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let allowed = group.and_then(|text| text.trim().parse::<usize>().ok());
    Some(limit_of_process(resident_bytes().unwrap_or(0), free, allowed))
}

/// The most bytes of a process that holds `resident` already (Python's may hold a lot), on a system
/// with `free` bytes, in a group that may have `allowed`.
fn limit_of_process(resident: usize, free: usize, allowed: Option<usize>) -> usize {
    let spare = allowed.map_or(free, |allowed| free.min(allowed.saturating_sub(resident)));
    resident + spare / 5 * 4
}

#[cfg(test)]
mod tests {
    use super::{kilobytes, limit_of_process};

    #[test]
    fn what_a_process_holds_already_is_not_taken_from_what_is_free() {
        assert_eq!(limit_of_process(0, 1000, None), 800);
        assert_eq!(limit_of_process(5000, 1000, None), 5800);
        assert_eq!(limit_of_process(5000, 1000, Some(5500)), 5400);
        assert_eq!(limit_of_process(5000, 1000, Some(4000)), 5000);
    }

    #[test]
    fn tables_of_kilobytes_are_read() {
        let table = "Name:\tx\nVmRSS:\t   12 kB\nThreads: 1\n";
        assert_eq!(kilobytes(table, "VmRSS:"), Some(12 * 1024));
        assert_eq!(kilobytes(table, "VmHWM:"), None);
        assert_eq!(kilobytes("VmRSS: many kB", "VmRSS:"), None);
    }
}
