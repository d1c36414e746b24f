//! The explanation as a page.

use maud::{Markup, PreEscaped, html};
use serde_json::json;
use spinney_chem::highlight::shade;

use super::{Explanation, Reason, legend};
use crate::page::{Section, drawing, drawn_pattern, page, signed};

/// Patterns listed, present and absent each.
const LISTED: usize = 15;
/// Patterns with training examples.
const WITH_EXAMPLES: usize = 6;

impl Explanation<'_> {
    /// The page.
    #[must_use]
    pub fn html(&self) -> String {
        let id = &self.sample.data.ids()[self.row];
        let (present, absent): (Vec<&Reason>, Vec<&Reason>) =
            self.reasons.iter().partition(|r| r.count > 0);
        let mut sections = vec![
            Section { id: "where", name: "Where it comes from", body: self.picture() },
            Section {
                id: "present",
                name: "Patterns that are there",
                body: self.list(&present, true),
            },
            Section {
                id: "absent",
                name: "Patterns that are missing",
                body: self.list(&absent, false),
            },
        ];
        if self.training.is_some() {
            sections.push(Section {
                id: "examples",
                name: "Nearest training examples",
                body: self.examples(),
            });
        }
        sections.push(Section {
            id: "sum",
            name: "How it adds up",
            body: self.sum(&present, &absent),
        });
        page(
            &format!("Why {} is predicted {}", id, self.verdict()),
            &self.lead(),
            &sections,
            &json!({}),
        )
    }

    fn lead(&self) -> Markup {
        let known = self.sample.data.targets()[self.row].as_ref();
        html! {
            p.verdict {
                "Predicted: " b { (self.verdict()) } ", score " (signed(self.score())) "."
                @if let Some(target) = known { " Known: " b { (target) } "." }
            }
            @if let Some(text) = self.sample.text(self.row) { p { code { (text) } } }
            p.note {
                "The score starts at " (signed(self.start)) ", what the model says when it knows "
                "no pattern, and each pattern, found or missing, moves it by its contribution: "
                "the exact Shapley value, its mean effect over all orders in which the patterns "
                "could become known. Up is towards " (self.upwards()) "."
            }
        }
    }

    fn picture(&self) -> Markup {
        let Some(picture) = self.coloured() else {
            return html! { p { "This " (self.sample.noun()) " is too large to be drawn." } };
        };
        html! {
            div.molecule {
                (drawing(&picture))
                div { (drawing(&legend::alone(self.largest(), &self.upwards()))) }
            }
            p.note {
                "Each pattern's contribution is shared equally over the "
                (if self.sample.noun() == "molecule" { "atoms" } else { "vertices" })
                " of its occurrences, and its lines are coloured in the same way. What missing "
                "patterns and thresholds of numbers add lies nowhere in the drawing; it is listed "
                "below."
            }
        }
    }

    fn list(&self, reasons: &[&Reason], present: bool) -> Markup {
        if reasons.is_empty() {
            return html! { p { "None had any effect." } };
        }
        let largest = self.reasons.first().map_or(1.0, |r| r.contribution.abs());
        let all: f64 = self.reasons.iter().map(|r| r.contribution.abs()).sum();
        let rest: f64 = reasons.iter().skip(LISTED).map(|r| r.contribution).sum();
        html! {
            div.wide { table.bars {
                thead {
                    tr {
                        th scope="col" { "pattern" }
                        th scope="col" { "contribution" }
                        th scope="col" { "" }
                        th scope="col" { "share" }
                        @if present { th scope="col" { "occurs" } }
                    }
                }
                tbody { @for reason in reasons.iter().take(LISTED) {
                    tr {
                        td {
                            span.thumb { (drawn_pattern(self.model, reason.pattern)) }
                            br;
                            code { (reason.text) }
                        }
                        td { b { (signed(reason.contribution)) } }
                        td.bar { (bar(reason.contribution / largest)) }
                        td { (format!("{:.1} %", 100.0 * reason.contribution.abs() / all)) }
                        @if present { td { (reason.count) " ×" } }
                    }
                } }
            } }
            @if reasons.len() > LISTED {
                p.note { (reasons.len() - LISTED) " more add " (signed(rest)) " together." }
            }
        }
    }

    fn examples(&self) -> Markup {
        let Some((training, _)) = &self.training else { return html! {} };
        html! {
            p {
                "For the patterns that decided most: the training " (training.noun())
                "s that hold the pattern and share most patterns with this one."
            }
            @for reason in self.reasons.iter().take(WITH_EXAMPLES) {
                h3 {
                    code { (reason.text) } " " (signed(reason.contribution))
                    @if reason.count == 0 { " (missing here)" }
                }
                div.near { @for near in self.nearest(reason.pattern) {
                    figure {
                        @let drawn = training.with_pattern(near.row, self.model, reason.pattern);
                        @if let Some(svg) = drawn { (drawing(&svg)) }
                        figcaption {
                            (training.data.ids()[near.row])
                            @if let Some(target) = &training.data.targets()[near.row] {
                                ": " (target)
                            }
                            ", " (format!("{:.0} %", 100.0 * near.similarity)) " alike"
                        }
                    }
                } }
            }
        }
    }

    fn sum(&self, present: &[&Reason], absent: &[&Reason]) -> Markup {
        let total = |reasons: &[&Reason]| -> f64 { reasons.iter().map(|r| r.contribution).sum() };
        html! {
            table {
                tbody {
                    tr { th scope="row" { "start" } td { (signed(self.start)) } }
                    tr {
                        th scope="row" { (present.len()) " patterns that are there" }
                        td { (signed(total(present))) }
                    }
                    tr {
                        th scope="row" { (absent.len()) " patterns that are missing" }
                        td { (signed(total(absent))) }
                    }
                    tr { th scope="row" { b { "score" } } td { b { (signed(self.score())) } } }
                }
            }
        }
    }
}

/// A bar from the middle, to the right above 0, to the left below.
fn bar(weight: f64) -> PreEscaped<String> {
    let width = 50.0 * weight.abs();
    let x = if weight > 0.0 { 50.0 } else { 50.0 - width };
    let fill = shade(weight.signum()).unwrap_or_default();
    PreEscaped(format!(
        "<svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" width=\"100%\" height=\"14\" \
         aria-hidden=\"true\"><line x1=\"50\" x2=\"50\" y1=\"0\" y2=\"10\" stroke=\"currentColor\" \
         stroke-opacity=\".4\" stroke-width=\".4\"/><rect x=\"{x:.2}\" y=\"1.5\" \
         width=\"{width:.2}\" height=\"7\" fill=\"{fill}\"/></svg>"
    ))
}
