//! What `spinney cv` prints and writes.

use serde_json::{Value, json};
use spinney::evaluation::metrics::MeanSd;
use spinney::training::cross_validation::{FoldTraining, FoldedMetric, SettingResult};
use spinney::training::nested::NestedResult;
use spinney::{Metric, Request, Result};

use crate::cv::{Axis, Validated, shown};
use crate::output;

/// Prints the table of settings.
pub(crate) fn print(
    done: &Validated,
    target: Option<&str>,
    axes: &[Axis<'_>],
    graphs: usize,
) -> Result<()> {
    let metrics: Vec<Metric> = done.settings[0].headline.iter().map(|one| one.metric).collect();
    let best = done.best();
    let metric = done.metric;
    let mut header: Vec<String> = axes.iter().map(|axis| axis.name.clone()).collect();
    header.push("rounds".into());
    header.extend(metrics.iter().map(|metric| metric.name().to_owned()));
    header.push("best round".into());
    header.push(format!("{metric} there (optimistic)"));
    header.push("seconds".into());
    header.push(String::new());
    let row = |(i, setting): (usize, &SettingResult)| {
        let values = json!(setting.params);
        let mut row: Vec<String> = axes.iter().map(|axis| shown(&values[&axis.name])).collect();
        row.push(rounds(&setting.folds));
        row.extend(setting.headline.iter().map(spread));
        row.push(setting.best_round.to_string());
        let there = setting.at_round(metric, setting.best_round);
        row.push(there.map_or_else(String::new, |value| spread(&FoldedMetric { metric, value })));
        row.push(format!("{:.2}", setting.seconds));
        row.push(if i == best { "best".into() } else { String::new() });
        row
    };
    let rows: Vec<Vec<String>> = done.settings.iter().enumerate().map(row).collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut text = format!(
        "{}{}, {} folds; each fold is a whole training, measured where it ends\n{}",
        target.map_or_else(String::new, |t| format!("{t}: ")),
        output::count(graphs, "graph"),
        done.folds.count(),
        output::table(&header, &rows),
    );
    if let Some(nested) = &done.nested {
        text += &nested_text(nested);
    }
    output::print(&text)
}

/// The rounds of all folds: one number, or the least and the most.
fn rounds(folds: &[FoldTraining]) -> String {
    let lengths = || folds.iter().map(|fold| fold.rounds.len());
    let least = lengths().min().unwrap_or(0);
    let most = lengths().max().unwrap_or(0);
    if least == most { least.to_string() } else { format!("{least}-{most}") }
}

fn spread(one: &FoldedMetric) -> String {
    output::spread(one.metric, one.value.mean, one.value.sd)
}

fn nested_text(nested: &NestedResult) -> String {
    let chosen: Vec<String> = nested.chosen.iter().map(|c| (c + 1).to_string()).collect();
    let metrics: Vec<String> =
        nested.headline.iter().map(|one| format!("{} {}", one.metric, spread(one))).collect();
    format!(
        "nested, choosing by {} on the other folds: {}\n  settings chosen, fold by fold: {}\n",
        nested.metric,
        metrics.join(", "),
        chosen.join(" ")
    )
}

/// The results of one target: an entry for each setting, and one for the nested choice.
pub(crate) fn to_json(done: &Validated, target: Option<&str>, requests: &[Request]) -> Vec<Value> {
    let mut all: Vec<Value> = done.settings.iter().map(|s| setting_json(done, s)).collect();
    if let Some(nested) = &done.nested {
        let params = |&setting: &usize| json!(requests[setting].params);
        all.push(json!({
            "nested": true,
            "metric": nested.metric,
            "headline": headline_json(&nested.headline),
            "chosen": nested.chosen.iter().map(params).collect::<Vec<_>>(),
            "folds": folds_json(done, &nested.folds),
        }));
    }
    if let Some(target) = target {
        all.iter_mut().for_each(|entry| entry["target"] = json!(target));
    }
    all
}

/// How the curves of an entry are to be read.
const OPTIMISTIC: &str = "best_round and the curves are measured on the test folds after every \
                          round; best_round was chosen by them, which is optimistic. A fold that \
                          ended before others keeps its last value in the curves. headline is \
                          measured where each fold's recipe ends.";

fn setting_json(done: &Validated, setting: &SettingResult) -> Value {
    let mut all = json!({
        "params": setting.params,
        "headline": headline_json(&setting.headline),
        "best_round": setting.best_round,
        "optimistic": OPTIMISTIC,
        "seconds": setting.seconds,
        "folds": folds_json(done, &setting.folds),
    });
    for one in &setting.curves {
        all[one.metric.name()] = json!(one.curve);
    }
    all
}

fn headline_json(headline: &[FoldedMetric]) -> Value {
    let entry = |one: &FoldedMetric| {
        let MeanSd { mean, sd } = one.value;
        (one.metric.name().to_owned(), json!({"mean": mean, "sd": sd}))
    };
    headline.iter().map(entry).collect::<serde_json::Map<_, _>>().into()
}

fn folds_json(done: &Validated, folds: &[FoldTraining]) -> Value {
    let fold = |(number, fold): (usize, &FoldTraining)| {
        let last = fold.rounds.last().map_or(&[][..], |round| &round.valid);
        json!({
            "fold": number + 1,
            "graphs": done.folds.split(number).held_out.len(),
            "rounds": fold.rounds.len(),
            "tuning": fold.tuning,
            "params": fold.params,
            "metrics": output::metrics_json(last),
        })
    };
    folds.iter().enumerate().map(fold).collect()
}
