//! Progress on standard error, when that is a terminal.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use spinney::boosting::Round;
use spinney::training::{Observer, Phase};
use spinney::tuning::{TuningMethod, TuningRecord};

use crate::args::CommonArgs;
use crate::output::count;
use crate::profile::{self, Profile};
use crate::signals;

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

/// Shows one training after the other, and stops them on a signal.
pub(crate) struct TrainingProgress<'c> {
    common: &'c CommonArgs,
    profile: Option<&'c Profile>,
    shown: Mutex<Option<ProgressBar>>,
}

impl<'c> TrainingProgress<'c> {
    pub(crate) fn new(common: &'c CommonArgs, profile: Option<&'c Profile>) -> Self {
        TrainingProgress { common, profile, shown: Mutex::default() }
    }

    fn show(&self, next: Option<ProgressBar>) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = std::mem::replace(&mut *shown, next) {
            before.finish_and_clear();
        }
    }

    /// Takes away what is shown.
    pub(crate) fn clear(&self) {
        self.show(None);
    }
}

impl Observer for TrainingProgress<'_> {
    fn phase(&self, phase: Phase) {
        if let Some(profile) = self.profile {
            profile.begin(profile::name(phase));
        }
        let text = match phase {
            Phase::Boosting { rounds, done } => {
                if done > 0 {
                    signals::has_round();
                }
                self.show(Some(bar(self.common, rounds as u64, "boosting")));
                return;
            }
            Phase::Exploring => "exploring patterns",
            Phase::Classifying => "putting patterns of the same graphs together",
            Phase::FindingRounds => "finding the number of rounds on a held-out fifth",
            Phase::Tuning => "tuning on held-out parts",
            Phase::TuningLinear => "tuning the weight of the linear model",
            Phase::Linear => "fitting the linear model of fragments",
            Phase::SolvingLinearProgram => "solving the linear program",
            Phase::Certifying => "certifying patterns",
            Phase::OutOfFold => "training on parts, for out-of-fold scores",
        };
        self.show(Some(spinner(self.common, text)));
    }

    fn tuned(&self, record: &TuningRecord) {
        self.common.note(&tuning_note(record));
    }

    fn round(&self, round: &Round) {
        signals::has_round();
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = &*shown {
            bar.set_position(round.round as u64);
            let loss = round.valid_loss.unwrap_or(round.train_loss);
            bar.set_message(format!("loss {loss:.4}"));
        }
    }

    fn should_stop(&self) -> bool {
        signals::asked()
    }
}

/// What tuning found, in words.
fn tuning_note(record: &TuningRecord) -> String {
    let rounds = count(record.trees, "round");
    if record.method == TuningMethod::EarlyStopping {
        return format!("{rounds} did best on a held-out fifth; training on all graphs");
    }
    let linear = match record.linear {
        0.0 => String::new(),
        weight => format!(", linear model of weight {weight}"),
    };
    let parts = if record.parts == 1 { "part" } else { "parts" };
    format!(
        "tuned on held-out {parts}: {rounds}, least gain {}, temperature {}{linear}; training on \
         all graphs",
        record.min_gain, record.temperature
    )
}
