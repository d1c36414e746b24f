//! `--time`, `--memory`, `--max-patterns`: what a training may take, and what mining.

use std::str::FromStr;
use std::time::{Duration, Instant};

use spinney::boosting::{BoostingRecord, TrainingLimits};
use spinney::model::Model;
use spinney::training::Budget;

use crate::args::Bytes;
use crate::{output, signals};

/// Limits; a training that reaches one stops with a valid model and says what is not proven.
#[derive(clap::Args, Clone)]
#[command(next_help_heading = "Stopping and going on")]
pub(crate) struct BudgetArgs {
    /// Most time, such as 90s, 10m or 2h; a training that reaches it stops with a valid model and
    /// says how far from the optimum the splits affected may be
    #[arg(long, value_name = "TIME")]
    pub(crate) time: Option<Span>,
    /// Most patterns that are explored and kept; a training that reaches it stops likewise
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_patterns: Option<u32>,
}

impl BudgetArgs {
    /// The limits of a command that started at `started`.
    pub(crate) fn limits(&self, started: Instant, memory: Option<Bytes>) -> TrainingLimits {
        let budget = Budget {
            time: self.time.map(|time| time.0),
            memory: memory.map(|bytes| bytes.0),
            patterns: self.max_patterns.map(|n| n as usize),
        };
        let interrupt = Some(signals::flag());
        TrainingLimits { interrupt, ..budget.limits(started) }
    }
}

/// Limits of mining; one that is reached leaves patterns out, which is said.
#[derive(clap::Args, Clone)]
#[command(next_help_heading = "Stopping")]
pub(crate) struct MiningBudgetArgs {
    /// Most time, such as 90s, 10m or 2h; what is found until then is written, and what may be
    /// missing is said
    #[arg(long, value_name = "TIME")]
    pub(crate) time: Option<Span>,
    /// Most memory of the program, such as 500MB or 4GB; where it does not do, likewise [default:
    /// most of what is free]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Bytes>,
}

impl MiningBudgetArgs {
    /// The limits of a command that started at `started`.
    pub(crate) fn limits(&self, started: Instant) -> TrainingLimits {
        let all = BudgetArgs { time: self.time, max_patterns: None };
        all.limits(started, self.memory)
    }
}

/// A time with a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span(pub(crate) Duration);

impl FromStr for Span {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let wrong = || format!("{s:?} is no time; write it like 90s, 10m or 2h");
        let digits = s.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match &s[digits.len()..] {
            "ms" => 1e-3,
            "s" | "sec" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => return Err(wrong()),
        };
        let number: f64 = digits.trim_end().parse().map_err(|_| wrong())?;
        let seconds = number * unit;
        if !(seconds > 0.0 && seconds < 1e9) {
            return Err(wrong());
        }
        Ok(Span(Duration::from_secs_f64(seconds)))
    }
}

/// Nodes that are listed one by one.
const LISTED: usize = 3;

/// What is said of limits that were reached.
pub(crate) fn summary(model: &Model, record: &BoostingRecord) -> String {
    let mut text = String::new();
    if let Some(reason) = &record.census_given_up {
        text += &format!("a census of all patterns was given up: {reason}\n");
    }
    let unproven = &model.provenance().unproven;
    if record.stopped.is_limit() {
        text += &format!("{} in round {}", record.stopped.text(), record.rounds.len());
        text += if unproven.is_empty() { ": all splits are the best\n" } else { "\n" };
    }
    if unproven.is_empty() {
        return text;
    }
    let nodes = output::count(unproven.len(), "node");
    text += &format!(
        "{nodes} may not have the best split (the model lists all); every other split is the best\n"
    );
    let mut worst: Vec<_> = unproven.iter().collect();
    worst.sort_by(|a, b| (b.bound - b.gain).total_cmp(&(a.bound - a.gain)));
    for one in worst.into_iter().take(LISTED) {
        let (tree, node, gain, bound) = (one.tree, one.node, one.gain, one.bound);
        let has = if gain > 0.0 { format!("gains {gain:.4}") } else { "is a leaf".into() };
        text += &format!("  tree {tree} node {node} {has}; no split gains more than {bound:.4}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::Span;

    #[test]
    fn times_have_units() {
        let seconds = |s: &str| s.parse::<Span>().map(|span| span.0.as_secs_f64());
        assert_eq!(seconds("90s"), Ok(90.0));
        assert_eq!(seconds("1.5h"), Ok(5400.0));
        assert_eq!(seconds("10m"), Ok(600.0));
        assert_eq!(seconds("250ms"), Ok(0.25));
        for wrong in ["", "10", "m", "-1s", "0s", "1y", "nan s", "1e99h", "ten m"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
