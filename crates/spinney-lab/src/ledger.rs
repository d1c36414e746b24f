//! Results that survive an interruption: one JSON line a cell, added as soon as it is known.
//!
//! **Invariant.** A line is written whole or is the last one; a torn last line is dropped when the
//! ledger is opened. A key names all that its value depends on, so that no value is taken for that
//! of another setting.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use spinney::{Error, Result};

/// An open ledger.
pub struct Ledger {
    path: PathBuf,
    /// Values and the seconds that it took to make them, by key.
    known: Mutex<BTreeMap<String, (Value, f64)>>,
    file: Mutex<File>,
}

impl Ledger {
    /// Opens the ledger in a file, or starts it.
    ///
    /// # Errors
    /// If the file cannot be read or written, or holds something else.
    pub fn open(path: &Path) -> Result<Ledger> {
        let failed = |e: std::io::Error| Error::file(path, e);
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(failed(e)),
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut known = BTreeMap::new();
        for (number, line) in text[..whole].lines().enumerate() {
            let cell: Value = serde_json::from_str(line)
                .map_err(|e| Error::line(path, number + 1, format!("not a result: {e}")))?;
            let Some(key) = cell["key"].as_str() else {
                return Err(Error::line(path, number + 1, "not a result: it has no key"));
            };
            let seconds = cell["seconds"].as_f64().unwrap_or(0.0);
            known.insert(key.to_owned(), (cell["value"].clone(), seconds));
        }
        let options = OpenOptions::new().create(true).truncate(false).write(true).open(path);
        let mut file = options.map_err(failed)?;
        file.set_len(whole as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok(Ledger { path: path.to_owned(), known: Mutex::new(known), file: Mutex::new(file) })
    }

    /// The value of a cell, made by `make` and written down if it is not known.
    ///
    /// # Errors
    /// If it cannot be made or written.
    pub fn cell<T: Serialize + DeserializeOwned>(
        &self,
        key: &str,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        if let Some((known, _)) = known {
            return serde_json::from_value(known)
                .map_err(|e| Error::file(&self.path, format!("{key} is not as expected: {e}")));
        }
        let started = Instant::now();
        let made = make()?;
        let value = json!(made);
        let seconds = started.elapsed().as_secs_f64();
        let line = format!("{}\n", json!({"key": key, "seconds": seconds, "value": value}));
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes()).map_err(|e| Error::file(&self.path, e))?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(key.to_owned(), (value, seconds));
        Ok(made)
    }

    /// The seconds that the cells took whose keys are `wanted`, in this run or an earlier one.
    #[must_use]
    pub fn seconds(&self, wanted: impl Fn(&str) -> bool) -> f64 {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().filter(|(key, _)| wanted(key)).map(|(_, (_, seconds))| seconds).sum()
    }

    /// Whether a cell is known.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).contains_key(key)
    }
}

#[cfg(test)]
mod tests {
    use super::Ledger;

    #[test]
    fn cells_are_made_once_and_a_torn_line_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cells.jsonl");
        let ledger = Ledger::open(&path).unwrap();
        assert_eq!(ledger.cell("a", || Ok(1.5)).unwrap(), 1.5);
        assert_eq!(ledger.cell("b", || Ok(2.5)).unwrap(), 2.5);
        assert_eq!(ledger.cell("a", || -> spinney::Result<f64> { panic!("known") }).unwrap(), 1.5);
        drop(ledger);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 3]).unwrap();
        let ledger = Ledger::open(&path).unwrap();
        assert!(ledger.has("a") && !ledger.has("b"));
        assert_eq!(ledger.cell("b", || Ok(3.5)).unwrap(), 3.5);
        drop(ledger);
        let ledger = Ledger::open(&path).unwrap();
        assert_eq!(ledger.cell("b", || Ok(9.0)).unwrap(), 3.5);
        let wait = || std::thread::sleep(std::time::Duration::from_millis(20));
        let slow = ledger.cell("c", || {
            wait();
            Ok(1.0)
        });
        assert_eq!(slow.unwrap(), 1.0);
        drop(ledger);
        assert!(Ledger::open(&path).unwrap().seconds(|key| key == "c") >= 0.02);
    }
}
