//! How patterns are explored: a choice that changes speed only.

use std::fmt::{Display, Formatter};
use std::str::FromStr;

use serde::Serialize;

/// How patterns are explored. Both engines give the same model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// The census if the space is small enough to be counted, else the bound.
    #[default]
    Auto,
    /// All patterns at once.
    Census,
    /// Only patterns that could win (the paper's branch and bound).
    Bound,
}

impl Engine {
    const ALL: [Engine; 3] = [Engine::Auto, Engine::Census, Engine::Bound];

    /// Its name in flags and files.
    fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Census => "census",
            Engine::Bound => "bound",
        }
    }
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Engine::ALL.into_iter().find(|engine| engine.name() == text);
        let names = Engine::ALL.map(Engine::name).join(", ");
        found.ok_or_else(|| format!("{text:?} is no engine: {names}"))
    }
}

impl Display for Engine {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
