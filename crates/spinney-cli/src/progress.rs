//! A progress bar on standard error, when that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::CommonArgs;

/// A bar of `length` steps.
pub(crate) fn bar(common: &CommonArgs, length: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(length), target(common));
    let style =
        ProgressStyle::with_template("{prefix} {bar:30} {pos}/{len} {msg} [{elapsed}<{eta}]");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar.set_prefix(what.to_owned());
    bar
}

/// A sign of life for work of unknown length.
pub(crate) fn spinner(common: &CommonArgs, what: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, target(common));
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]") {
        bar.set_style(style);
    }
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

fn target(common: &CommonArgs) -> ProgressDrawTarget {
    if common.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() }
}
