//! An experiment's results in a folder: every table as CSV, everything as JSON, and one HTML page.

use std::path::Path;

use serde_json::{Value, json};
use spinney::Result;
use spinney::io::atomic::write_whole;
use spinney_chem::layout::escape;

use crate::table::Table;
use spinney_report::plot::Plot;

/// What an experiment shows.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The heading.
    pub title: String,
    /// What was done, in sentences.
    pub words: Vec<String>,
    /// Name of the file and table.
    pub tables: Vec<(String, Table)>,
    /// The figures, each a row of plots with a caption.
    pub figures: Vec<(String, Vec<Plot>)>,
    /// How it was made: command, version, data, time.
    pub about: Vec<(String, String)>,
    /// All numbers behind the tables.
    pub json: Value,
}

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --line: #ddd; --soft: #666; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --paper: #16181b; \
    --line: #3a3d42; --soft: #a0a0a0; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); \
    max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } \
    table { border-collapse: collapse; margin: 1.5rem 0 .4rem; display: block; overflow-x: auto; }
caption { text-align: left; white-space: nowrap; font-weight: 600; padding-bottom: .4rem; } \
    th, td { text-align: left; padding: .25rem .8rem .25rem 0; \
    border-bottom: 1px solid var(--line); \
    font-variant-numeric: tabular-nums; white-space: nowrap; }
.long { white-space: normal; overflow-wrap: anywhere; min-width: 12rem; }
.note, figcaption, footer { color: var(--soft); font-size: .9rem; } figure { margin: 2rem 0; } \
    .row { display: flex; flex-wrap: wrap; gap: 1rem; }
svg { flex: 1 1 24rem; max-width: 36rem; background: #fff; border-radius: 4px; } \
    svg text { font: 12px system-ui, sans-serif; fill: #1a1a1a; } \
    svg .title { font-weight: 600; font-size: 13px; } \
    svg { color: #000; } svg .grid { stroke: #e4e4e4; } \
    svg .guide { fill: none; stroke: #888; stroke-dasharray: 4 4; }
";

impl Page {
    /// Writes `index.html`, `results.json` and one CSV file a table into `folder`.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let put = |name: &str, text: &str| {
            write_whole(&folder.join(name), |out| out.write_all(text.as_bytes()))
        };
        for (name, table) in &self.tables {
            put(&format!("{name}.csv"), &table.csv())?;
        }
        let about: serde_json::Map<String, Value> =
            self.about.iter().map(|(k, v)| (k.clone(), json!(v))).collect();
        let all = json!({"title": self.title, "about": about, "results": self.json});
        put("results.json", &format!("{all:#}\n"))?;
        put("index.html", &self.html())
    }

    fn html(&self) -> String {
        let words: String = self.words.iter().map(|w| format!("<p>{}</p>\n", escape(w))).collect();
        let tables: String = self.tables.iter().map(|(_, table)| table.html()).collect();
        let figure = |(caption, plots): &(String, Vec<Plot>)| {
            let plots: String = plots.iter().map(Plot::svg).collect();
            let caption = escape(caption);
            format!(
                "<figure><div class=\"row\">{plots}</div>\
                 <figcaption>{caption}</figcaption></figure>\n"
            )
        };
        let figures: String = self.figures.iter().map(figure).collect();
        let about: String = self
            .about
            .iter()
            .map(|(k, v)| format!("<p>{}: {}</p>\n", escape(k), escape(v)))
            .collect();
        let title = escape(&self.title);
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
             {words}{tables}{figures}<footer>\n{about}</footer>\n</body>\n</html>\n"
        )
    }
}
