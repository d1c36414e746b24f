//! Values of parameters as users write them.

use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A parameter that may be left to the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Setting<T> {
    /// Chosen from the data.
    #[default]
    Auto,
    /// As the user says.
    Given(T),
}

impl<T> Setting<T> {
    /// The value given, if there is one.
    #[must_use]
    pub fn given(&self) -> Option<&T> {
        match self {
            Setting::Auto => None,
            Setting::Given(value) => Some(value),
        }
    }

    /// Whether the value is chosen from the data.
    #[must_use]
    pub fn is_auto(&self) -> bool {
        matches!(self, Setting::Auto)
    }
}

impl<T> From<T> for Setting<T> {
    fn from(value: T) -> Self {
        Setting::Given(value)
    }
}

impl<T: Serialize> Serialize for Setting<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Setting::Auto => serializer.serialize_str(AUTO),
            Setting::Given(value) => value.serialize(serializer),
        }
    }
}

/// How an automatic value is written.
const AUTO: &str = "auto";
/// How the absence of a value is written.
const NONE: &str = "none";

/// A value that can be read from a flag and shown in help and tables.
pub(crate) trait Value: Sized {
    /// Reads the text of a flag, of an axis of a grid, or of a Python value.
    fn read(text: &str) -> Result<Self, String>;
    /// The text that [`read`](Self::read) understands.
    fn show(&self) -> String;
}

macro_rules! plain_values {
    ($($type:ty, $what:literal);+ $(;)?) => {$(
        impl Value for $type {
            fn read(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| format!(concat!("{:?} is not ", $what), text))
            }
            fn show(&self) -> String {
                self.to_string()
            }
        }
    )+};
}

plain_values! {
    usize, "a whole number of 0 or more";
    u64, "a whole number of 0 or more";
    f64, "a number";
    bool, "true or false";
}

impl Value for String {
    fn read(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }

    fn show(&self) -> String {
        self.clone()
    }
}

impl<T: Value> Value for Option<T> {
    fn read(text: &str) -> Result<Self, String> {
        if text == NONE {
            return Ok(None);
        }
        T::read(text).map(Some).map_err(|reason| format!("{reason}, nor none"))
    }

    fn show(&self) -> String {
        self.as_ref().map_or_else(|| NONE.to_owned(), Value::show)
    }
}

impl<T: Value> Value for Setting<T> {
    fn read(text: &str) -> Result<Self, String> {
        if text == AUTO {
            return Ok(Setting::Auto);
        }
        T::read(text).map(Setting::Given).map_err(|reason| format!("{reason}, nor auto"))
    }

    fn show(&self) -> String {
        self.given().map_or_else(|| AUTO.to_owned(), Value::show)
    }
}

/// An enumeration reads and shows the names of its values.
macro_rules! named_values {
    ($($type:ty),+ $(,)?) => {$(
        impl Value for $type {
            fn read(text: &str) -> Result<Self, String> {
                <$type as FromStr>::from_str(text)
            }
            fn show(&self) -> String {
                self.to_string()
            }
        }
    )+};
}

named_values!(
    super::LossKind,
    super::Leaf,
    super::Criterion,
    super::Init,
    super::ClassWeight,
    crate::evaluation::Metric,
);

#[cfg(test)]
mod tests {
    use super::{Setting, Value};

    #[test]
    fn values_are_read_as_they_are_shown() {
        type Edges = Setting<Option<usize>>;
        for value in [Setting::Auto, Setting::Given(None), Setting::Given(Some(4))] {
            assert_eq!(Edges::read(&value.show()), Ok(value));
        }
        let wrong = Edges::read("few").unwrap_err();
        assert!(wrong.contains("none") && wrong.contains("auto"), "{wrong}");
        assert!(f64::read("fast").unwrap_err().contains("number"));
        assert!(bool::read("yes").is_err());
    }
}
