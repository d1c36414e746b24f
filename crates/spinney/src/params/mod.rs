//! Parameters of a training.
//!
//! [`Params`] is what a user asks for; some values may be left to the data ([`Setting::Auto`]).
//! Tuning settles them ([`crate::tuning`]) into [`FixedParams`], which [`FixedParams::check`] turns
//! into [`ValidParams`], the only kind that a booster takes: past that point nothing is open and
//! nothing is out of range. Names are those of the program's flags. Paper letters: x = `max_edges`,
//! d = `depth`, η = `learning_rate`, k = `trees`.
//!
//! All of them are declared in one table (`table.rs`). Engine, threads and limits are no
//! parameters: they change speed only, so the model does not know them.

mod kinds;
pub mod reference;
mod setting;
mod table;

pub use crate::mining::Engine;
pub use kinds::{ClassWeight, Criterion, Init, Leaf, LossKind};

pub use setting::Setting;
pub use table::{FixedParams, PARAMETERS, Parameter, Params};

use serde::Serialize;

use crate::error::{Error, Result};
use crate::mining::dfs_code::MAX_PATTERN_EDGES;
use crate::random::random;

/// A named set of defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// What works best; some parameters are left to the data.
    #[default]
    Default,
    /// The paper's exact semantics.
    Paper,
}

impl Preset {
    /// Its name in flags and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Preset::Default => "default",
            Preset::Paper => "paper",
        }
    }

    /// Its parameters.
    #[must_use]
    pub fn params(self) -> Params {
        match self {
            Preset::Default => Params::default(),
            Preset::Paper => Params::paper(),
        }
    }
}

impl std::str::FromStr for Preset {
    type Err = String;

    fn from_str(name: &str) -> std::result::Result<Self, String> {
        let all = [Preset::Default, Preset::Paper];
        let found = all.into_iter().find(|preset| preset.name() == name);
        found.ok_or_else(|| format!("{name:?} is no preset: default or paper"))
    }
}

impl Params {
    /// The paper's exact semantics: f0 = mean y, mean leaves, no regularisation, no sampling,
    /// patterns of one edge or more. Nothing is left to the data.
    #[must_use]
    pub fn paper() -> Self {
        FixedParams::paper().into()
    }

    /// Sets one parameter by its name.
    ///
    /// # Errors
    /// If there is no such parameter, or the text is not a value of it.
    pub fn set(&mut self, name: &str, text: &str) -> Result<()> {
        let Some(parameter) = Parameter::named(name) else {
            let known: Vec<&str> = PARAMETERS.iter().map(|parameter| parameter.name).collect();
            let known = known.join(", ");
            let reason = format!("is not a training parameter: take {known}");
            return Err(Error::parameter(name, reason));
        };
        parameter.set(self, text).map_err(|reason| Error::parameter(name, reason))
    }

    /// Checks every value that is given.
    ///
    /// # Errors
    /// Names the first one out of range and the range.
    pub fn check(&self) -> Result<()> {
        self.fixed().check().map(drop)
    }

    /// Whether anything is left to the data.
    #[must_use]
    pub fn has_auto(&self) -> bool {
        PARAMETERS.iter().any(|parameter| parameter.is_auto(self))
    }
}

impl FixedParams {
    /// Checks every parameter.
    ///
    /// # Errors
    /// Names the first one out of range and the range.
    pub fn check(self) -> Result<ValidParams> {
        self.check_ranges()?;
        if self.max_edges == Some(0) && !self.vertices {
            let reason = format!("0 is not between 1 and {MAX_PATTERN_EDGES}");
            return Err(Error::parameter("max_edges", reason));
        }
        // Without sampling all trainings of an ensemble are alike, and one says it all.
        let samples = self.subsample < 1.0 || self.pattern_sample < 1.0;
        let ensemble = if samples { self.ensemble } else { 1 };
        Ok(ValidParams { params: FixedParams { ensemble, ..self } })
    }

    /// The seed of one training of an ensemble; the first has the ensemble's own.
    #[must_use]
    pub fn seed_of(&self, training: usize) -> u64 {
        const STREAM: u64 = u64::MAX;
        if training == 0 { self.seed } else { random(self.seed, STREAM, training as u64) }
    }
}

/// Parameters without any left open that have been checked.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct ValidParams {
    params: FixedParams,
}

impl std::ops::Deref for ValidParams {
    type Target = FixedParams;

    fn deref(&self) -> &FixedParams {
        &self.params
    }
}

#[cfg(test)]
mod tests {
    use super::{Engine, FixedParams, PARAMETERS, Params, Setting};

    #[test]
    fn both_presets_are_valid_and_absurdities_are_named() {
        assert!(Params::default().check().is_ok());
        assert!(Params::paper().check().is_ok());
        let paper = FixedParams::paper;
        let refused = |p: FixedParams| p.check().unwrap_err().to_string();
        assert!(refused(FixedParams { learning_rate: -1.0, ..paper() }).contains("learning_rate"));
        assert!(refused(FixedParams { learning_rate: f64::NAN, ..paper() }).contains("NaN"));
        assert!(refused(FixedParams { depth: 0, ..paper() }).contains("depth"));
        assert!(refused(FixedParams { depth: 1000, ..paper() }).contains("64"));
        assert!(refused(FixedParams { max_edges: Some(0), ..paper() }).contains("max_edges"));
        assert!(refused(FixedParams { subsample: 0.0, ..paper() }).contains("subsample"));
        assert!(refused(FixedParams { trees: 0, ..paper() }).contains("trees"));
        assert!("gaston".parse::<Engine>().unwrap_err().contains("census"));
    }

    #[test]
    fn every_parameter_is_set_by_the_text_that_shows_it() {
        let given = Params {
            max_edges: Setting::Given(None),
            temperature: Setting::Given(1.25),
            positive: Some("yes".into()),
            metric: Some(crate::Metric::Auc),
            ..Params::paper()
        };
        let mut again = Params::default();
        for parameter in PARAMETERS {
            parameter.set(&mut again, &parameter.get(&given)).unwrap();
        }
        assert_eq!(again, given);
        let unknown = again.set("tree", "1").unwrap_err().to_string();
        assert!(unknown.contains("tree") && unknown.contains("max_edges"), "{unknown}");
        let wrong = again.set("leaf", "big").unwrap_err().to_string();
        assert!(wrong.contains("leaf") && wrong.contains("newton"), "{wrong}");
    }

    #[test]
    fn only_the_default_preset_leaves_something_to_the_data() {
        let auto: Vec<&str> = (PARAMETERS.iter())
            .filter(|parameter| parameter.is_auto(&Params::default()))
            .map(|parameter| parameter.name)
            .collect();
        let declared = PARAMETERS.iter().filter(|parameter| parameter.automatic.is_some());
        assert_eq!(auto, declared.map(|parameter| parameter.name).collect::<Vec<_>>());
        assert!(!Params::paper().has_auto());
        assert_eq!(Params::default().fixed(), FixedParams::default());
    }
}
