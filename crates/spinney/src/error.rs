//! What can go wrong, said so that the reader knows what to do next.
//!
//! [`Error`] is opaque: its kinds may grow without breaking callers. Its message always names the
//! place (file and line, parameter, or model part) and the reason.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// The result of every fallible operation of this library.
pub type Result<T> = std::result::Result<T, Error>;

/// An error that names its place and its reason.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Kind>);

#[derive(Debug, thiserror::Error)]
enum Kind {
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{}:{line}: {reason}", path.display())]
    Line { path: PathBuf, line: usize, reason: String },
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: String },
    #[error("parameter {name}: {reason}")]
    Parameter { name: String, reason: String },
    #[error("{0}")]
    Data(String),
    #[error("{0}")]
    Failed(String),
    #[error("{0}")]
    Limit(String),
    #[error("{0}")]
    Interrupted(String),
}

impl Error {
    pub(crate) fn read(path: &Path, source: std::io::Error) -> Self {
        Kind::Read { path: path.to_owned(), source }.into()
    }

    pub(crate) fn write(path: &Path, source: std::io::Error) -> Self {
        Kind::Write { path: path.to_owned(), source }.into()
    }

    /// A wrong line of an input file; `line` counts from 1.
    pub fn line(path: &Path, line: usize, reason: impl Display) -> Self {
        Kind::Line { path: path.to_owned(), line, reason: reason.to_string() }.into()
    }

    /// A file that is wrong as a whole.
    pub fn file(path: &Path, reason: impl Display) -> Self {
        Kind::File { path: path.to_owned(), reason: reason.to_string() }.into()
    }

    /// A parameter outside its range.
    pub fn parameter(name: &str, reason: impl Display) -> Self {
        Kind::Parameter { name: name.to_owned(), reason: reason.to_string() }.into()
    }

    /// Data that cannot be used as asked.
    pub fn data(reason: impl Display) -> Self {
        Kind::Data(reason.to_string()).into()
    }

    /// Work that was asked for correctly and could not be carried out.
    pub fn failed(reason: impl Display) -> Self {
        Kind::Failed(reason.to_string()).into()
    }

    /// Work that a limit of time, memory or patterns ended.
    pub(crate) fn limit(reason: impl Display) -> Self {
        Kind::Limit(reason.to_string()).into()
    }

    /// Work that its caller ended before anything of it was whole.
    pub(crate) fn interrupted(reason: impl Display) -> Self {
        Kind::Interrupted(reason.to_string()).into()
    }

    /// Whether the caller ended the work.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        matches!(*self.0, Kind::Interrupted(_))
    }

    /// Whether a limit of time, memory or patterns ended the work.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        matches!(*self.0, Kind::Limit(_))
    }

    /// The same fault, met while training without one fold.
    pub(crate) fn in_fold(fold: usize, error: &Error) -> Self {
        let text = format!("training without fold {}: {error}", fold + 1);
        match error {
            error if error.is_limit() => Error::limit(text),
            error if error.is_interrupted() => Error::interrupted(text),
            error if error.is_bad_input() => Error::data(text),
            _ => Error::failed(text),
        }
    }

    /// Whether the caller's input or usage is at fault, rather than the machine (a full disk, a
    /// folder without write permission) or the computation.
    #[must_use]
    pub fn is_bad_input(&self) -> bool {
        let is_other = matches!(
            *self.0,
            Kind::Write { .. } | Kind::Failed(_) | Kind::Limit(_) | Kind::Interrupted(_)
        );
        !is_other
    }
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Error(Box::new(kind))
    }
}
