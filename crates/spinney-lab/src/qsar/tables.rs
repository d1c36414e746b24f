//! The tables of the QSAR experiment: the paper's numbers beside ours and our rivals'.

use serde_json::{Value, json};

use super::printed::{LITERATURE, Row};
use super::{Set, Settings};
use crate::choose::{Chosen, Curves, Spread, at_setting, nested, on_test_folds};
use crate::page::Page;
use crate::rivals::{Outcome, Rival};
use crate::table::Table;

/// A data set's results: of trees, of stumps and of gBoost, and of the rivals.
pub(super) struct Results {
    /// The data.
    pub(super) set: Set,
    /// Trees, stumps, gBoost.
    pub(super) methods: [Settings; 3],
    /// The rivals.
    pub(super) rivals: Vec<(&'static Rival, Outcome)>,
}

const METHODS: [&str; 3] = ["Proposed", "Proposed (d1)", "gBoost"];

/// The tables while they are filled.
struct Tables {
    accuracy: Table,
    auc: Table,
    best: Table,
    json: Vec<Value>,
}

/// The page of all results.
pub(super) fn page(results: &[Results]) -> Page {
    let head = ["data", "method", "paper", "here", "here, nested", "at the paper's setting"];
    let note = "“Here” chooses the setting on the test folds, as the paper did: optimistic. \
                “Nested” chooses it for each fold without looking at that fold. The last column is \
                the setting that the paper found best.";
    let mut tables = Tables {
        accuracy: Table::new("Accuracy (%), mean ± sd over 10 folds", &head),
        auc: Table::new("AUC (%), mean ± sd over 10 folds", &head),
        best: Table::new("Best settings", &["data", "method", "paper", "here"]),
        json: Vec::new(),
    };
    tables.accuracy.note = note.into();
    tables.auc.note = format!("Of the settings chosen by accuracy. {note}");
    tables.best.note = "x: most edges of a pattern, d: depth, η: learning rate, k: rounds, \
                        ν: gBoost's share of graphs inside the margin, C: penalty, \
                        h: rounds of relabelling, leaf: least graphs in a leaf, \
                        λ: weight of longer walks, r: radius."
        .into();
    for result in results {
        let printed = result.set.source.printed;
        let rows = [printed.trees, printed.stumps, printed.gboost];
        for ((method, settings), printed) in METHODS.iter().zip(&result.methods).zip(rows) {
            tables.ours(result, method, settings, printed);
        }
        for (rival, outcome) in &result.rivals {
            tables.rival(result, rival, outcome);
        }
    }
    let mut literature = Table::new(
        "Literature, as printed in the paper (%)",
        &["method", "CPDB ACC", "CPDB AUC", "Mutag ACC", "Mutag AUC", "NCI1 ACC"],
    );
    LITERATURE.iter().for_each(|row| literature.row(row.iter().copied()));
    Page {
        title: "QSAR: the paper's tables, carried out again".into(),
        words: results.iter().map(|r| r.set.note()).collect(),
        tables: vec![
            ("accuracy".into(), tables.accuracy),
            ("auc".into(), tables.auc),
            ("settings".into(), tables.best),
            ("literature".into(), literature),
        ],
        json: json!(tables.json),
        ..Page::default()
    }
}

impl Tables {
    fn ours(&mut self, result: &Results, method: &str, settings: &Settings, printed: Row) {
        let name = result.set.source.name;
        let (test, nested) = both(settings);
        let (there_accuracy, there_auc) = match at_printed(settings, printed.setting) {
            Some(chosen) => (shown(chosen.accuracy), shown(chosen.auc)),
            None => ("not in the grid".into(), "not in the grid".into()),
        };
        let of = |spread: fn(&Chosen) -> Spread| (shown(spread(&test)), shown(spread(&nested)));
        let (here, inner) = of(|c| c.accuracy);
        self.accuracy.row([name, method, printed.accuracy, &here, &inner, &there_accuracy]);
        let (here, inner) = of(|c| c.auc);
        self.auc.row([name, method, printed.auc, &here, &inner, &there_auc]);
        let (number, round) = test.at[0];
        let rounds = if method == "gBoost" { String::new() } else { format!(" k{}", round + 1) };
        let setting = format!("{}{rounds}", settings[number].0);
        self.best.row([name, method, printed.setting, &setting]);
        self.json.push(json!({
            "data": name, "method": method, "setting": setting, "on_test_folds": test,
            "nested": nested,
        }));
    }

    fn rival(&mut self, result: &Results, rival: &Rival, outcome: &Outcome) {
        let name = result.set.source.name;
        let stopped = outcome.stopped.as_deref();
        if outcome.settings.is_empty() {
            let why = stopped.unwrap_or("nothing came out");
            self.accuracy.row([name, rival.title, "–", why, "–", "–"]);
            self.auc.row([name, rival.title, "–", why, "–", "–"]);
            self.best.row([name, rival.title, "–", "–"]);
            self.json.push(json!({"data": name, "method": rival.title, "stopped": why}));
            return;
        }
        let (test, nested) = both(&outcome.settings);
        let row = |spread: fn(&Chosen) -> Spread| {
            [name, rival.title, "–", &shown(spread(&test)), &shown(spread(&nested)), "–"]
                .map(str::to_owned)
        };
        self.accuracy.row(row(|c| c.accuracy));
        self.auc.row(row(|c| c.auc));
        let best = &outcome.settings[test.at[0].0].0;
        let partly = stopped.map(|s| format!(" ({s}, {} settings done)", outcome.settings.len()));
        let setting = format!("{best}{}", partly.unwrap_or_default());
        self.best.row([name, rival.title, "–", &setting]);
        self.json.push(json!({
            "data": name, "method": rival.title, "setting": best, "stopped": stopped,
            "seconds": outcome.seconds, "on_test_folds": test, "nested": nested,
        }));
    }
}

fn shown(spread: Spread) -> String {
    format!("{:.1} ± {:.1}", 100.0 * spread.mean, 100.0 * spread.sd)
}

fn both(settings: &Settings) -> (Chosen, Chosen) {
    let curves: Vec<Curves> = settings.iter().map(|s| s.1.clone()).collect();
    (on_test_folds(&curves), nested(&curves))
}

/// What the setting that the paper printed comes to; its last word is the number of rounds, if it
/// is `k…`.
fn at_printed(settings: &Settings, printed: &str) -> Option<Chosen> {
    let (name, round) = match printed.rsplit_once(" k") {
        Some((name, rounds)) => (name, rounds.parse::<usize>().ok()? - 1),
        None => (printed, 0),
    };
    let number = settings.iter().position(|s| s.0 == name)?;
    Some(at_setting(&settings[number].1, number, round))
}
