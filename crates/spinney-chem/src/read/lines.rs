//! Opening a file or standard input, and walking lines of bounded length.
//!
//! **Invariant.** No line takes more than [`LONGEST_LINE`] bytes of memory: the rest of a longer
//! one is read and dropped, and the line is marked.
//!
//! **Cost.** One pass, one reused buffer.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use spinney::Result;
use spinney::io::source::{self, read_error};

/// Longer lines of `.smi` and `.sdf` files are bad.
pub(super) const LONGEST_LINE: usize = 1 << 20;

pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];

/// Opens a file, or standard input for `-`, gunzipping what is gzip by content.
pub(super) fn open(path: &Path) -> Result<Box<dyn BufRead + Send>> {
    if path != Path::new("-") {
        return source::open(path);
    }
    let mut input = BufReader::with_capacity(1 << 16, io::stdin());
    let start = input.fill_buf().map_err(|e| read_error(path, e))?;
    if start.starts_with(GZIP_MAGIC) {
        return Ok(Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(input))));
    }
    Ok(Box::new(input))
}

/// The lines of a text, numbered from 1.
pub(super) struct Lines {
    reader: Box<dyn BufRead + Send>,
    path: PathBuf,
    buffer: Vec<u8>,
    number: usize,
    too_long: bool,
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Lines> {
        let reader = open(path)?;
        Ok(Lines { reader, path: path.to_owned(), buffer: Vec::new(), number: 0, too_long: false })
    }

    /// Goes to the next line; `false` at the end.
    pub(super) fn advance(&mut self) -> Result<bool> {
        self.buffer.clear();
        self.too_long = false;
        let mut any = false;
        loop {
            let part = match self.reader.fill_buf() {
                Ok(part) => part,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(read_error(&self.path, e)),
            };
            if part.is_empty() {
                break;
            }
            any = true;
            let end = part.iter().position(|&b| b == b'\n');
            let here = end.unwrap_or(part.len());
            let room = (LONGEST_LINE - self.buffer.len()).min(here);
            self.too_long |= room < here;
            self.buffer.extend_from_slice(&part[..room]);
            let used = here + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
        }
        self.number += usize::from(any);
        if self.number == 1 && self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.buffer.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(any)
    }

    /// The current line without white space at its end.
    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.trim_ascii_end()
    }

    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Whether part of the current line was dropped.
    pub(super) fn too_long(&self) -> bool {
        self.too_long
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_LINE, Lines};

    #[test]
    fn long_lines_are_cut_and_marked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let long = "y".repeat(10 << 20);
        let whole = "z".repeat(LONGEST_LINE);
        std::fs::write(&path, format!("\u{feff}a \r\n\n{long}\n{whole}\nb")).unwrap();
        let mut lines = Lines::open(&path).unwrap();
        let mut found = Vec::new();
        while lines.advance().unwrap() {
            found.push((lines.number(), lines.bytes().len(), lines.too_long()));
            assert!(lines.buffer.capacity() <= 2 * LONGEST_LINE);
        }
        let expected = [(1, 1), (2, 0), (3, LONGEST_LINE), (4, LONGEST_LINE), (5, 1)];
        assert_eq!(found, expected.map(|(n, len)| (n, len, n == 3)));
    }
}
