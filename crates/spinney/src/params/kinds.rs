//! Parameters that are a choice among names.

use std::str::FromStr;

use serde::Serialize;

/// An enumeration whose values have names in flags and files.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident, $what:literal {
        $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $text)] $variant),+ }

        impl FromStr for $name {
            type Err = String;
            fn from_str(s: &str) -> std::result::Result<Self, String> {
                match s {
                    $($text => Ok($name::$variant),)+
                    _ => {
                        let known = [$($text),+].join(", ");
                        Err(format!(concat!("{:?} is no ", $what, ": {}"), s, known))
                    }
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(match self { $($name::$variant => $text),+ })
            }
        }
    };
}

named! {
    /// The loss to be minimised.
    LossKind, "loss" {
        /// By the targets: two values are two classes, a few integers or words are classes, else
        /// numbers.
        Auto = "auto",
        /// log(1 + exp(−2yf)) for two classes.
        Logistic = "logistic",
        /// Cross-entropy for any number of classes.
        Softmax = "softmax",
        /// Squared error.
        Squared = "squared",
        /// Squared near zero, linear beyond a given residual.
        Huber = "huber",
        /// For counts: exp(f) − yf.
        Poisson = "poisson",
    }
}

named! {
    /// The value of a leaf.
    Leaf, "leaf value" {
        /// Mean residual (the paper).
        Mean = "mean",
        /// One Newton step on the loss.
        Newton = "newton",
    }
}

named! {
    /// What splits are chosen by.
    Criterion, "criterion" {
        /// The drop in the residuals' total sum of squares (the paper).
        Residual = "residual",
        /// The second-order drop in the loss.
        Newton = "newton",
    }
}

named! {
    /// The score before the first tree.
    Init, "initial score" {
        /// The mean target; of classes, the mean of ±1 (the paper).
        Mean = "mean",
        /// The constant that minimises the loss.
        Best = "best",
    }
}

named! {
    /// How classes are weighted.
    ClassWeight, "class weight" {
        /// All graphs alike.
        None = "none",
        /// All classes alike: weights inverse to class sizes.
        Balanced = "balanced",
    }
}
