//! Opening files, gunzipped where needed, and walking their lines.
//!
//! **Invariant.** Whether a file is gzipped is decided by its first two bytes, never by its name,
//! so a `.gz` that something already unpacked still reads, and so does a gzipped file without the
//! ending. Several gzip members in a row read as one text.
//!
//! **Cost.** One buffer a file; `Lines` reuses one more for the current line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Result};

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const BUFFER: usize = 1 << 16;

/// Opens a file as text, gunzipping it if its content is gzip.
///
/// # Errors
/// If the file cannot be opened or read, or is an empty file named `.gz`.
pub fn open(path: &Path) -> Result<Box<dyn BufRead + Send>> {
    let mut file = File::open(path).map_err(|e| Error::read(path, e))?;
    let mut start = Vec::new();
    let magic_len = GZIP_MAGIC.len() as u64;
    file.by_ref().take(magic_len).read_to_end(&mut start).map_err(|e| Error::read(path, e))?;
    if start.is_empty() && is_gz(path) {
        return Err(Error::file(path, "the file is empty, not gzip; copy or download it again"));
    }
    let gzipped = start == GZIP_MAGIC;
    let whole = Cursor::new(start).chain(file);
    if !gzipped {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, whole)));
    }
    let unpacked = MultiGzDecoder::new(BufReader::with_capacity(BUFFER, whole));
    Ok(Box::new(BufReader::with_capacity(BUFFER, unpacked)))
}

/// Files read into memory as a whole (models, checkpoints) may have this many bytes, unpacked.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// The bytes of a file, gunzipped if its content is gzip. However well a hostile file is packed, no
/// more than 1 GiB is taken.
///
/// # Errors
/// If the file cannot be read or is too large.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut start = open(path)?.take(MAX_FILE_BYTES + 1);
    start.read_to_end(&mut bytes).map_err(|e| read_error(path, e))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Error::file(path, "has more than 1 GiB of text: no model is so large"));
    }
    Ok(bytes)
}

/// The text of a file; see [`read_bytes`].
///
/// # Errors
/// As [`read_bytes`], or if it is no text.
pub fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read_bytes(path)?).map_err(|_| Error::file(path, "is not text"))
}

/// Whether the name of `path` ends in `.gz`.
pub(super) fn is_gz(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"))
}

/// The error for a failure while reading a file got from [`open`]; truncated and damaged gzip data
/// are said to be so.
#[must_use]
pub fn read_error(path: &Path, error: io::Error) -> Error {
    match error.kind() {
        ErrorKind::UnexpectedEof => Error::file(
            path,
            "the gzip data ends too early: the file is truncated; copy or download it again",
        ),
        ErrorKind::InvalidInput | ErrorKind::InvalidData => Error::file(
            path,
            format!("the gzip data is damaged ({error}); copy or download the file again"),
        ),
        _ => Error::read(path, error),
    }
}

/// The lines of a file as bytes, numbered from 1.
pub(super) struct Lines<R> {
    reader: R,
    path: PathBuf,
    buffer: Vec<u8>,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R, path: &Path) -> Self {
        Lines { reader, path: path.to_owned(), buffer: Vec::new(), number: 0 }
    }

    /// Goes to the next line; `false` at the end of the file.
    pub(super) fn advance(&mut self) -> Result<bool> {
        self.buffer.clear();
        let read = self.reader.read_until(b'\n', &mut self.buffer);
        if read.map_err(|e| read_error(&self.path, e))? == 0 {
            return Ok(false);
        }
        self.number += 1;
        if self.number == 1 && self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.buffer.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(true)
    }

    /// The current line without white space (and carriage return) at its ends.
    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.trim_ascii()
    }

    pub(super) fn number(&self) -> usize {
        self.number
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// A line's bytes as text, or the reason why they are none.
pub(super) fn text(bytes: &[u8]) -> std::result::Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|e| {
        format!("not UTF-8 text (byte {} of the line); save it as UTF-8", e.valid_up_to() + 1)
    })
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::path::Path;

    use flate2::{Compression, write::GzEncoder};

    use super::{Lines, open, text};
    use crate::error::Result;

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    /// Writes `content` under `name` and reads it all back through `open` and `Lines`.
    fn lines_of(name: &str, content: &[u8]) -> Result<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let mut lines = Lines::new(open(&path)?, &path);
        let mut all = Vec::new();
        while lines.advance()? {
            assert_eq!(lines.number(), all.len() + 1);
            all.push(text(lines.bytes()).unwrap().to_owned());
        }
        Ok(all)
    }

    #[test]
    fn content_not_name_tells_gzip() {
        let packed = gzip(b"a\nb\n");
        for (name, content) in [("x", &packed), ("x.gz", &packed), ("x.gz", &b"a\nb\n".to_vec())] {
            assert_eq!(lines_of(name, content).unwrap(), ["a", "b"], "{name}");
        }
        assert_eq!(lines_of("x", b"").unwrap(), [""; 0]);
        assert_eq!(lines_of("x", b"\x1f").unwrap(), ["\x1f"]);
    }

    #[test]
    fn gzip_members_in_a_row_are_one_text() {
        let content = [gzip(b"a\nb"), gzip(b"c\n")].concat();
        assert_eq!(lines_of("x.gz", &content).unwrap(), ["a", "bc"]);
    }

    #[test]
    fn line_ends_and_byte_order_mark_are_stripped() {
        assert_eq!(lines_of("x", b"\xef\xbb\xbf a\t1\r\n\r\nb").unwrap(), ["a\t1", "", "b"]);
    }

    #[test]
    fn truncated_and_damaged_gzip_say_so() {
        let letter = |i: u32| b'a' + (i.wrapping_mul(2_654_435_761) >> 24) as u8 % 26;
        let noise: Vec<u8> = (0..5000).map(letter).collect();
        let mut packed = gzip(&noise);
        for end in [2, 5, 12, packed.len() / 2, packed.len() - 1] {
            let text = lines_of("x.gz", &packed[..end]).unwrap_err().to_string();
            assert!(text.contains("x.gz: ") && text.contains("truncated"), "{end}: {text}");
        }
        let check_sum = packed.len() - 8;
        packed[check_sum] ^= 0xff;
        let text = lines_of("x.gz", &packed).unwrap_err().to_string();
        assert!(text.contains("damaged"), "{text}");
        let text = lines_of("x.gz", b"").unwrap_err().to_string();
        assert!(text.contains("empty, not gzip"), "{text}");
    }

    #[test]
    fn what_cannot_be_opened_is_named() {
        let error = open(Path::new("no/such/file.gsp")).err().unwrap();
        assert!(error.to_string().starts_with("no/such/file.gsp: "));
        assert!(error.is_bad_input());
        let folder = tempfile::tempdir().unwrap();
        assert!(open(folder.path()).is_err());
    }

    #[test]
    fn a_long_line_is_one_line() {
        let long = vec![b'x'; 10 << 20];
        let lines = lines_of("x", &long).unwrap();
        assert_eq!((lines.len(), lines[0].len()), (1, 10 << 20));
    }

    #[test]
    fn reading_gives_the_bytes_themselves() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, gzip(b"\xff\xfe")).unwrap();
        let mut all = Vec::new();
        open(&path).unwrap().read_to_end(&mut all).unwrap();
        assert_eq!(all, b"\xff\xfe");
        assert!(text(b"ab\xff").unwrap_err().contains("byte 3"));
    }
}
