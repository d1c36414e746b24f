//! The parameters as documentation: `docs/PARAMETERS.md`.

use std::fmt::Write;

use super::table::PARAMETERS;

/// Lines of the page end at this column.
const PAGE_COLUMNS: usize = 100;

/// The page `docs/PARAMETERS.md`.
#[must_use]
pub fn markdown() -> String {
    let mut page = String::from(
        "# Parameters\n\
         Every parameter of a training, made from their declarations in\n\
         `crates/spinney/src/params/table.rs` by `make parameters`. A flag has hyphens where the\n\
         name has underscores. Where a parameter is automatic, the data decide unless it is\n\
         given; `auto` leaves it to the data again.\n",
    );
    for parameter in PARAMETERS {
        let help = wrapped(&format!("{}.", parameter.help), "");
        let _ = write!(page, "\n## {}\n{help}\n", parameter.name);
        let mut row = |name: &str, value: &str| {
            page += &wrapped(&format!("- {name}: {value}"), "  ");
        };
        row("flag", &format!("`--{} {}`", parameter.name.replace('_', "-"), parameter.values));
        row("Python", &format!("`{}`", parameter.python));
        match parameter.automatic {
            Some(automatic) => row("default", &format!("`auto`: {automatic}")),
            None => row("default", &format!("`{}`", (parameter.default)())),
        }
        row("paper preset", &format!("`{}`", (parameter.paper)()));
        if !parameter.range.is_empty() {
            row("valid", parameter.range);
        }
    }
    page
}

/// A text in lines of at most [`PAGE_COLUMNS`], all but the first one behind `indent`.
fn wrapped(text: &str, indent: &str) -> String {
    let mut page = String::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > PAGE_COLUMNS {
            page += &line;
            page.push('\n');
            line = format!("{indent}{word}");
        } else if line.is_empty() {
            line = word.to_owned();
        } else {
            line.push(' ');
            line += word;
        }
    }
    page + &line + "\n"
}
