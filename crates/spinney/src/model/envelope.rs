//! The envelope of files that must arrive whole: format, version, checksum, content.
//!
//! ```json
//! {"format": "spinney-model", "version": 2, "sha256": "…", "model": { … }}
//! ```
//!
//! **Invariant.** `sha256` is over the text of the content as it stands in the file, so any damage
//! to it is noticed before a byte of it is understood. Nothing outside of the content has a meaning
//! beyond what [`FileFormat::open`] checks.
//!
//! **Cost.** One pass over the text; memory is that of the text.

use std::fmt::Write as _;

use serde::Deserialize;
use sha2::{Digest, Sha256};

/// A file format: its name, the versions that can be read, the key of its content, and what
/// messages call it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileFormat {
    pub(crate) name: &'static str,
    /// The version that is written.
    pub(crate) version: u64,
    /// The oldest version that can be read.
    pub(crate) oldest: u64,
    pub(crate) content: &'static str,
    pub(crate) what: &'static str,
}

/// What a file says of itself, and nobody has checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sealed<'t> {
    pub(crate) sum: &'t str,
    pub(crate) body: &'t str,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    format: String,
    version: u64,
    sha256: String,
    #[serde(borrow, alias = "checkpoint", alias = "folds", alias = "cells")]
    model: &'a serde_json::value::RawValue,
}

impl FileFormat {
    /// The file's text around `body`, which is JSON.
    pub(crate) fn seal(self, body: &str) -> String {
        let FileFormat { name, version, content, .. } = self;
        let sum = checksum(body);
        format!(
            "{{\n\"format\": \"{name}\",\n\"version\": {version},\n\"sha256\": \"{sum}\",\n\
             \"{content}\": {body}\n}}\n"
        )
    }

    /// The checksum and the content of a text that is laid out as [`FileFormat::seal`] does it. The
    /// text is undamaged only if the checksum is that of the content, and the content JSON.
    pub(crate) fn unseal(self, text: &str) -> Option<Sealed<'_>> {
        let FileFormat { name, version, content, .. } = self;
        let head = format!("{{\n\"format\": \"{name}\",\n\"version\": {version},\n\"sha256\": \"");
        let rest = text.strip_prefix(&head)?;
        let (sum, rest) = rest.split_once('"')?;
        let rest = rest.strip_prefix(&format!(",\n\"{content}\": "))?;
        Some(Sealed { sum, body: rest.strip_suffix("\n}\n")? })
    }

    /// The content of a file's text, if it is of this kind and version and undamaged.
    pub(crate) fn open(self, text: &str) -> Result<&str, String> {
        let FileFormat { name, version, oldest, what, .. } = self;
        if !text.trim_start().is_empty() && !text.trim_start().starts_with('{') {
            return Err(format!("not a Spinney {what}: not a JSON object"));
        }
        let envelope: Envelope<'_> = serde_json::from_str(text).map_err(|e| {
            if e.is_eof() {
                format!("not a whole Spinney {what}: the file ends too early ({e})")
            } else {
                format!("not a Spinney {what}: {e}")
            }
        })?;
        if envelope.format != name {
            return Err(format!("not a Spinney {what}: its format is {:?}", envelope.format));
        }
        let found = envelope.version;
        if found > version {
            return Err(format!(
                "{what} format version {found} is not known to this program (it knows {version}); \
                 update spinney"
            ));
        }
        if found < oldest {
            return Err(format!(
                "{what} format version {found} is of an older program and is no longer read"
            ));
        }
        let body = envelope.model.get();
        if checksum(body) != envelope.sha256 {
            return Err("damaged: the checksum does not fit the content".into());
        }
        Ok(body)
    }
}

/// The checksum of a content.
pub(crate) fn checksum(body: &str) -> String {
    hex(&Sha256::digest(body.as_bytes()))
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, b| {
        let _ = write!(text, "{b:02x}");
        text
    })
}
