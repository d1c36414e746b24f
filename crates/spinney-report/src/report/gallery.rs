//! The gallery: every important pattern, drawn, with what it does and where it lies.

use maud::{Markup, html};
use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use spinney::model::{Importance, Task};

use super::Report;
use crate::page::{count, drawing, drawn_pattern, grouped, percent, signed};
use crate::plot::number;
use crate::sample::{Held, Sample};

/// Patterns shown.
const SHOWN: usize = 300;
/// Patterns with examples.
const WITH_EXAMPLES: usize = 60;
/// Classes whose support is shown.
const MAX_CLASSES_SHOWN: usize = 6;
/// Larger molecules and graphs are poor examples.
const LARGEST: usize = 60;

pub(super) fn body(
    report: &Report<'_>,
    ranked: &[Importance],
    texts: &[String],
    found: &[Held],
) -> Markup {
    let total: f64 = ranked.iter().map(|r| r.gain).sum();
    let shown = &ranked[..ranked.len().min(SHOWN)];
    let examples = Examples::new(report, found);
    let cards: Vec<Markup> = (0..shown.len())
        .into_par_iter()
        .map(|i| {
            card(
                report,
                Ranked { rank: i, own: &shown[i], total },
                &texts[shown[i].pattern],
                &examples,
            )
        })
        .collect();
    let is_molecular = report.noun() == "molecule";
    let placeholder = if is_molecular { "SMARTS, e.g. #7" } else { "label, e.g. A" };
    html! {
        @if shown.is_empty() {
            p { "The model asks for no pattern: it predicts the same for all." }
        }
        p {
            "What the model looks for, the most important first. " b { "Gain" } " is how much a "
            "pattern improved the fit in training, as a share of all patterns' gain; "
            b { "direction" } " is whether it pushes the score up or down, on average."
            @if is_molecular {
                " Grey lines are bonds of any kind, dotted stubs neighbours outside the pattern, "
                "blue shading means a ring."
            }
            @if ranked.len() > SHOWN {
                " Shown are the first " (SHOWN) " of " (grouped(ranked.len())) ", with "
                (share(shown, total)) " of the gain; "
                code { "spinney patterns MODEL" } " lists all."
            }
        }
        div.controls {
            label { "Sort by " select #sort {
                option value="rank" { "gain" }
                option value="support" { "support" }
                option value="effect" { "direction: up first" }
                option value="down" { "direction: down first" }
                option value="size" { "size" }
                option value="splits" { "splits" }
            } }
            label {
                "Search "
                input #search type="search" placeholder=(placeholder) autocomplete="off";
            }
            output #shown aria-live="polite" { (count(shown.len(), "pattern")) }
        }
        div.gallery #gallery { @for card in &cards { (card) } }
    }
}

fn share(shown: &[Importance], total: f64) -> String {
    format!("{:.1} %", 100.0 * shown.iter().map(|r| r.gain).sum::<f64>() / total)
}

/// A pattern by its importance.
struct Ranked<'a> {
    rank: usize,
    own: &'a Importance,
    /// The gain of all patterns.
    total: f64,
}

fn card(
    report: &Report<'_>,
    Ranked { rank, own, total }: Ranked<'_>,
    text: &str,
    examples: &Examples<'_>,
) -> Markup {
    let model = report.model;
    let pattern = &model.patterns()[own.pattern];
    let (class, effect) = strongest(&own.effect);
    let examples =
        if rank < WITH_EXAMPLES { examples.of(own.pattern, class, effect) } else { Vec::new() };
    html! {
        article.card id={ "p" (own.pattern) }
            data-rank=(rank)
            data-support=(pattern.total_support())
            data-effect=(format!("{effect:.6}"))
            data-size=(pattern.code.edge_count())
            data-splits=(own.splits)
            data-text=(text)
        {
            h3 { span.rank { "#" (rank + 1) } " " (direction(report, class, effect)) }
            div.picture { (drawn_pattern(model, own.pattern)) }
            p.smarts {
                code { (text) }
                button type="button" data-copy=(text) aria-label={ "Copy pattern " (rank + 1) } {
                    "Copy"
                }
            }
            dl {
                dt { "gain" } dd { (format!("{:.1} %", 100.0 * own.gain / total)) }
                dt { "effect" } dd { (signed(effect)) }
                dt { "splits" } dd { (grouped(own.splits)) }
                dt { "asks" }
                dd { @if own.at_least > 1 { "up to " (own.at_least) " ×" } @else { "if there" } }
            }
            (support(report, &pattern.support))
            @if !examples.is_empty() {
                details { summary { "Examples" } div.examples {
                    @for (caption, svg) in &examples {
                        figure { (drawing(svg)) figcaption { (caption) } }
                    }
                } }
            }
        }
    }
}

/// The output on which a pattern has the strongest effect.
fn strongest(effect: &[f64]) -> (usize, f64) {
    let all = effect.iter().copied().enumerate();
    all.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).unwrap_or((0, 0.0))
}

/// The class or direction that a pattern contributes to.
fn direction(report: &Report<'_>, output: usize, effect: f64) -> Markup {
    let up = effect >= 0.0;
    let classes = report.classes();
    let word = match report.model.task() {
        Task::Binary { .. } => format!("for {}", classes[usize::from(up)]),
        Task::Multiclass { .. } => {
            format!("{} {}", if up { "for" } else { "against" }, classes[output])
        }
        Task::Regression if up => "raises".into(),
        Task::Regression => "lowers".into(),
    };
    html! { span.direction.up[up].down[!up] { (if up { "▲" } else { "▼" }) " " (word) } }
}

/// How many training graphs have it, by class, as bars.
fn support(report: &Report<'_>, support: &[u32]) -> Markup {
    let made = report.model.provenance();
    let classes = report.model.task().classes();
    let rows: Vec<(String, usize, usize)> = if classes.is_empty() {
        vec![("all".into(), support.iter().sum::<u32>() as usize, made.graphs)]
    } else {
        let named = classes.iter().zip(support).zip(&made.class_counts);
        let mut rows: Vec<_> =
            named.map(|((class, &n), &all)| (class.clone(), n as usize, all)).collect();
        if rows.len() > MAX_CLASSES_SHOWN {
            rows.sort_by_key(|row| std::cmp::Reverse(row.1));
            rows.truncate(MAX_CLASSES_SHOWN);
        }
        rows
    };
    html! {
        table.support {
            caption {
                "occurs in"
                @if let Some(target) = report.target.as_ref().filter(|_| !classes.is_empty()) {
                    ", by " (target)
                }
            }
            @for (name, n, all) in rows {
                tr {
                    th scope="row" { (name) }
                    td.share aria-hidden="true" {
                        @let width = 100.0 * n as f64 / all.max(1) as f64;
                        span style={ "width:" (format!("{width:.1}")) "%" } {}
                    }
                    td { (grouped(n)) " of " (grouped(all)) " (" (percent(n, all)) ")" }
                }
            }
        }
    }
}

/// Graphs of the sample that contain a pattern.
struct Examples<'e> {
    sample: Option<Sample<'e>>,
    report: &'e Report<'e>,
    /// The graphs that contain each pattern, small ones first.
    holders: Vec<Vec<u32>>,
}

impl<'e> Examples<'e> {
    fn new(report: &'e Report<'e>, found: &[Held]) -> Self {
        let mut holders = vec![Vec::new(); report.model.patterns().len()];
        if let Some(sample) = report.sample {
            let mut order: Vec<usize> =
                (0..found.len()).filter(|&i| sample.size(i) <= LARGEST).collect();
            order.sort_by_key(|&i| sample.size(i));
            for i in order {
                found[i].iter().for_each(|&(p, _)| holders[p as usize].push(i as u32));
            }
        }
        Examples { sample: report.sample, report, holders }
    }

    /// The smallest graph of the class that the pattern contributes to, and the smallest of the
    /// others.
    fn of(&self, pattern: usize, output: usize, effect: f64) -> Vec<(String, String)> {
        let Some(sample) = self.sample else { return Vec::new() };
        let holders = &self.holders[pattern];
        let targets = sample.data.targets();
        let wanted = match self.report.model.task() {
            Task::Binary { classes } => Some(&classes[usize::from(effect >= 0.0)]),
            Task::Multiclass { classes } => Some(&classes[output]),
            Task::Regression => None,
        };
        let is_of = |i: u32| targets[i as usize].as_ref() == wanted;
        let first = wanted.and_then(|_| holders.iter().copied().find(|&i| is_of(i)));
        let second = holders
            .iter()
            .copied()
            .find(|&i| Some(i) != first && (wanted.is_none() || first.is_none() || !is_of(i)));
        let chosen = first.into_iter().chain(second);
        chosen
            .filter_map(|i| {
                let svg = sample.with_pattern(i as usize, self.report.model, pattern)?;
                Some((self.caption(sample, i as usize), svg))
            })
            .collect()
    }

    fn caption(&self, sample: Sample<'_>, i: usize) -> String {
        let id = &sample.data.ids()[i];
        match (&sample.data.targets()[i], self.report.model.task()) {
            (Some(target), Task::Regression) => {
                format!("{id}: {}", target.parse().map_or_else(|_| target.clone(), number))
            }
            (Some(target), _) => format!("{id}: {target}"),
            (None, _) => id.clone(),
        }
    }
}
