//! Flags and keys of JSON that were renamed: the old names still work in version 0.2.

use std::ffi::OsString;

use serde_json::{Value, json};
use spinney::model::StackedFrom;

use crate::output;

/// A flag of version 0.1 and its name now.
struct RenamedFlag {
    old: &'static str,
    new: &'static str,
}

const RENAMED_FLAGS: [RenamedFlag; 1] = [RenamedFlag { old: "--share", new: "--stack" }];

/// The command line with the new names of flags; warns of old ones.
pub(crate) fn arguments(given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    given.map(|argument| renamed(&argument).unwrap_or(argument)).collect()
}

fn renamed(argument: &OsString) -> Option<OsString> {
    let text = argument.to_str()?;
    let (name, value) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
    let RenamedFlag { old, new } = RENAMED_FLAGS.iter().find(|flag| flag.old == name)?;
    output::complain(&format!("spinney: warning: {old} is now {new}; version 0.3 drops {old}"));
    Some(value.map_or_else(|| (*new).into(), |value| format!("{new}={value}").into()))
}

/// `stacked_from` as `told_by`, the name and the form of version 0.1.
pub(crate) fn told_by(stacked_from: &StackedFrom) -> Value {
    json!({"own": stacked_from.own, "helpers": stacked_from.models})
}

#[cfg(test)]
mod tests {
    use super::arguments;

    #[test]
    fn old_flags_get_their_new_names() {
        let given = ["train", "--share", "false", "--share=true", "--shared", "share"];
        let expected = ["train", "--stack", "false", "--stack=true", "--shared", "share"];
        assert_eq!(arguments(given.iter().map(Into::into)), expected);
    }
}
