//! The parameters as documentation: `docs/PARAMETERS.md`, and defaults for Python.

use std::fmt::Write;

use super::table::PARAMETERS;
use super::{FixedParams, Params};

/// The page `docs/PARAMETERS.md`.
#[must_use]
pub fn markdown() -> String {
    let mut page = String::from(
        "# Parameters\n\
         Every parameter of a training, made from their declarations in\n\
         `crates/spinney/src/params/table.rs` by `make parameters`. A flag has hyphens where the\n\
         name has underscores. Where a parameter is automatic, the data decide unless you give it;\n\
         `auto` gives it back to the data.\n",
    );
    let default = FixedParams::default();
    let paper = FixedParams::paper();
    debug_assert_ne!(default, paper);
    for parameter in PARAMETERS {
        let _ = write!(page, "\n## {}\n{}.\n\n", parameter.name, parameter.help);
        let mut row = |name: &str, value: &str| {
            let _ = writeln!(page, "- {name}: {value}");
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

/// The presets' values by their names in Python, for the generated constructors.
#[must_use]
pub fn python_defaults(params: &Params) -> Vec<(&'static str, String)> {
    PARAMETERS.iter().map(|parameter| (parameter.python, parameter.get(params))).collect()
}
