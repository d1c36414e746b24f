//! The frame of a page: head, style, script, navigation.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use spinney::Model;
use spinney_chem::draw::pattern_svg;

const STYLE: &str = include_str!("../assets/style.css");
const SCRIPT: &str = include_str!("../assets/report.js");
/// The browser may ask nobody for anything.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// A part of a page: where it is, what it is called, what it holds.
pub(crate) struct Section {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) body: Markup,
}

/// A whole page. `data` is handed to the script as JSON.
pub(crate) fn page(
    title: &str,
    lead: &Markup,
    sections: &[Section],
    data: &serde_json::Value,
) -> String {
    // Inside a script element only `<` could end it or begin a comment.
    let data = data.to_string().replace('<', "\\u003c");
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="generator" content=(concat!("spinney ", env!("CARGO_PKG_VERSION")));
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header {
                    h1 { (title) }
                    (lead)
                }
                nav aria-label="Sections" {
                    @for section in sections { a href={ "#" (section.id) } { (section.name) } }
                }
                main #main {
                    @for section in sections {
                        section id=(section.id) aria-labelledby={ (section.id) "-name" } {
                            h2 id={ (section.id) "-name" } { (section.name) }
                            (section.body)
                        }
                    }
                }
                footer {
                    p {
                        "Made by Spinney " (env!("CARGO_PKG_VERSION")) ". This page needs no "
                        "network: it can be kept, sent and printed."
                    }
                }
                script type="application/json" #data { (PreEscaped(data)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// A class as people call it: `1` of a column `active` is `active = 1`.
pub(crate) fn class(name: &str, target: Option<&str>) -> String {
    match target {
        Some(target) if name.parse::<f64>().is_ok() => format!("{target} = {name}"),
        _ => name.to_owned(),
    }
}

/// A drawing that was escaped where it was made.
pub(crate) fn drawing(svg: &str) -> PreEscaped<String> {
    PreEscaped(svg.to_owned())
}

/// A pattern of the model, drawn.
pub(crate) fn drawn_pattern(model: &Model, pattern: usize) -> PreEscaped<String> {
    PreEscaped(pattern_svg(&model.patterns()[pattern].code, model.labels()))
}

/// Plots side by side with a caption.
pub(crate) fn figure(plots: &[crate::plot::Plot], caption: &str) -> Markup {
    html! {
        figure {
            div.row { @for plot in plots { (PreEscaped(plot.svg())) } }
            figcaption { (caption) }
        }
    }
}

/// `1 graph`, `2,000 graphs`.
pub(crate) fn count(number: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A number with its thousands set apart.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share in percent.
pub(crate) fn percent(part: usize, whole: usize) -> String {
    match whole {
        0 => "–".into(),
        _ => format!("{:.1} %", 100.0 * part as f64 / whole as f64),
    }
}

/// A signed number in three digits.
pub(crate) fn signed(value: f64) -> String {
    format!("{value:+.3}").replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::{count, grouped, page, percent, signed};
    use maud::html;
    use serde_json::json;

    #[test]
    fn texts_stay_texts() {
        let evil = "</script><script>alert(1)</script>";
        let made = page(evil, &html! { (evil) }, &[], &json!([evil]));
        assert_eq!(made.matches("<script").count(), 2, "data and ours");
        assert!(!made.contains("alert(1)</script>") && made.contains("&lt;/script&gt;"));
        assert!(!made.contains("http://") && !made.contains("https://"));
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!((grouped(1_234_567), grouped(999)), ("1,234,567".into(), "999".into()));
        assert_eq!(
            (count(1, "graph"), count(1000, "graph")),
            ("1 graph".into(), "1,000 graphs".into())
        );
        assert_eq!((percent(1, 8), percent(0, 0)), ("12.5 %".into(), "–".into()));
        assert_eq!(signed(-0.5), "−0.500");
    }
}
