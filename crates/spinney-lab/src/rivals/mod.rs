//! The learners that Spinney is compared with, in the packages that their users use.
//!
//! Enumerate-and-learn, graph kernels and fingerprints are Python packages, so they run as
//! processes in a virtual environment ([`environment`]) on files ([`export`]), each under a time
//! limit. A setting counts once its line is out: what ran out of time keeps what it had, and says
//! so.

pub mod environment;
pub mod export;

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::choose::Curves;
use environment::Environment;

/// A rival.
#[derive(Clone, Copy, Debug)]
pub struct Rival {
    /// Its name for the worker.
    pub name: &'static str,
    /// Its name in tables.
    pub title: &'static str,
    /// Whether it is for molecules, or for any graphs.
    pub molecules: bool,
}

const fn rival(name: &'static str, title: &'static str) -> Rival {
    Rival { name, title, molecules: false }
}

const fn fingerprint(name: &'static str, title: &'static str) -> Rival {
    Rival { name, title, molecules: true }
}

/// All rivals, in the order of the tables.
pub const RIVALS: [Rival; 12] = [
    rival("gradient-boosting", "All patterns + scikit-learn GBC"),
    rival("xgboost", "All patterns + XGBoost"),
    rival("lightgbm", "All patterns + LightGBM"),
    rival("freqsvm", "freqSVM"),
    rival("l1-logistic", "L1 logistic regression"),
    rival("random-walk", "Random walk kernel"),
    rival("shortest-path", "Shortest path kernel"),
    rival("weisfeiler-lehman", "Weisfeiler-Lehman kernel"),
    rival("wl-shortest-path", "WL shortest path kernel"),
    fingerprint("morgan-lightgbm", "Morgan + LightGBM"),
    fingerprint("morgan-xgboost", "Morgan + XGBoost"),
    fingerprint("morgan-forest", "Morgan + random forest"),
];

/// What a rival came to on a data set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The settings that were done.
    pub settings: Vec<(String, Curves)>,
    /// Why it stopped before the end.
    pub stopped: Option<String>,
    /// Seconds that it took.
    pub seconds: f64,
}

/// A line of the worker.
#[derive(Deserialize)]
struct Line {
    setting: String,
    accuracy: Vec<f32>,
    auc: Vec<f32>,
    inner: Vec<f32>,
}

impl Line {
    fn curves(self) -> (String, Curves) {
        let single = |values: Vec<f32>| values.into_iter().map(|v| vec![v]).collect();
        let (accuracy, auc, inner) = (single(self.accuracy), single(self.auc), single(self.inner));
        (self.setting, Curves { accuracy, auc, inner })
    }
}

impl Rival {
    /// Runs it on the data exported to `folder`, for at most `limit`.
    #[must_use]
    pub fn run(&self, environment: &Environment, folder: &Path, limit: Duration) -> Outcome {
        let mut command = environment.worker("worker.py");
        command.arg(self.name).arg(folder);
        let (lines, stopped, seconds) = lines_within(command, limit);
        let parsed = lines.iter().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        Outcome { settings: parsed.map(Line::curves).collect(), stopped, seconds }
    }
}

/// The lines of a command's standard output, why it stopped before its end, and the seconds that it
/// took.
pub(crate) fn lines_within(
    mut command: Command,
    limit: Duration,
) -> (Vec<String>, Option<String>, f64) {
    let started = Instant::now();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(e) => return (Vec::new(), Some(format!("could not be started: {e}")), 0.0),
    };
    let out = child.stdout.take();
    let err = child.stderr.take();
    let (lines, stopped) = std::thread::scope(|scope| {
        let lines = scope.spawn(|| {
            let lines = out.map(|out| BufReader::new(out).lines().map_while(Result::ok).collect());
            lines.unwrap_or_default()
        });
        let error = scope.spawn(|| {
            let mut text = String::new();
            // What cannot be read is not shown.
            let _ = err.map(|mut err| err.read_to_string(&mut text));
            text
        });
        let ended = wait(&mut child, started + limit);
        let lines: Vec<String> = lines.join().unwrap_or_default();
        let error = error.join().unwrap_or_default();
        let stopped = match ended {
            Some(true) => None,
            Some(false) => Some(format!("failed: {}", last_line(&error))),
            None => Some(format!("timed out after {} s", limit.as_secs())),
        };
        (lines, stopped)
    });
    (lines, stopped, started.elapsed().as_secs_f64())
}

/// Waits until the deadline and then ends the process; whether it succeeded, `None` if it ran out
/// of time.
fn wait(child: &mut Child, deadline: Instant) -> Option<bool> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Ok(None) => {
                // It may have ended by itself in between; either way it is gone.
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            Err(_) => return Some(false),
        }
    }
}

fn last_line(text: &str) -> &str {
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing")
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Duration;

    use super::lines_within;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_process_ends_fails_or_runs_out_of_time() {
        let limit = Duration::from_secs(60);
        let (lines, stopped, _) = lines_within(shell("echo a; echo b"), limit);
        assert_eq!((lines, stopped), (vec!["a".to_owned(), "b".to_owned()], None));
        let (lines, stopped, _) = lines_within(shell("echo a; echo why >&2; exit 3"), limit);
        assert_eq!((lines.len(), stopped), (1, Some("failed: why".into())));
        // What was said before the time ran out counts.
        let limit = Duration::from_millis(1500);
        let (lines, stopped, seconds) = lines_within(shell("echo a; exec sleep 600"), limit);
        assert_eq!((lines.len(), stopped), (1, Some("timed out after 1 s".into())));
        assert!(seconds < 300.0);
        let (_, stopped, _) = lines_within(Command::new("/nowhere/to/be/found"), limit);
        assert!(stopped.is_some_and(|s| s.starts_with("could not be started")));
    }
}
