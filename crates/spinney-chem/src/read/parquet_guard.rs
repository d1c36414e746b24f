//! A parquet file whose descriptions are looked over before the crate reads them.
//!
//! Page headers and the footer are written in Thrift's compact protocol. The crate skips fields
//! that it does not know, and believes a list's length there: a few bytes can claim 2³¹ elements
//! that take no bytes, or lie beyond the end of the file, and lists of such lists; it would be busy
//! for hours. It also takes a field that it knows for what it should be, whatever kind the file
//! says. Such descriptions are refused here.
//!
//! **Invariant.** Page headers that pass have the kinds that the format gives their fields and no
//! list anywhere, as the format has none there. A footer that passes holds at most [`PER_BYTE`]
//! values for each byte of the file.
//!
//! **Cost.** Descriptions are read twice; they are small beside the data.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;

/// How many values a description may hold for each byte of the file; one takes a byte or more,
/// except for truth values.
const PER_BYTE: u64 = 4;
/// As deep as the crate goes.
const DEEPEST: usize = 64;
/// The length of the footer's description, and the four letters at the end.
const END: u64 = 8;

/// A file that checks descriptions when they are asked for.
pub(super) struct GuardedFile(File);

impl GuardedFile {
    /// The footer is checked at once.
    pub(super) fn new(file: File) -> Result<GuardedFile> {
        let length = file.len();
        if length >= END {
            let mut end = [0; 4];
            file.get_read(length - END)?.read_exact(&mut end)?;
            if let Some(start) = (length - END).checked_sub(u64::from(u32::from_le_bytes(end))) {
                check(file.get_read(start)?.take(length - start), ThriftRecord::Any, length)?;
            }
        }
        Ok(GuardedFile(file))
    }
}

impl Length for GuardedFile {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for GuardedFile {
    type T = BufReader<File>;

    /// The crate reads page headers, and the last eight bytes, from here.
    fn get_read(&self, start: u64) -> Result<BufReader<File>> {
        let length = self.len();
        if start.saturating_add(END) != length {
            check(self.0.get_read(start)?, ThriftRecord::Page, length)?;
        }
        self.0.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.0.get_bytes(start, length)
    }
}

/// The kinds of value that page headers have; a truth value is its kind.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const RECORD: u8 = 12;

/// What a record describes; `Any` is not looked into.
#[derive(Clone, Copy, PartialEq)]
enum ThriftRecord {
    Any,
    Page,
    Data,
    DataV2,
    Dictionary,
    Statistics,
}

impl ThriftRecord {
    /// The kind of a field and what it describes, where the format defines it.
    fn field(self, number: u64) -> Option<(u8, ThriftRecord)> {
        use ThriftRecord::{Any, Data, DataV2, Dictionary, Page, Statistics};
        Some(match (self, number) {
            (Page | Data, 1..=4) | (DataV2, 1..=6) | (Dictionary, 1..=2) => (I32, Any),
            (Page, 5) => (RECORD, Data),
            (Page, 6) => (RECORD, Any),
            (Page, 7) => (RECORD, Dictionary),
            (Page, 8) => (RECORD, DataV2),
            (Data, 5) | (DataV2, 8) => (RECORD, Statistics),
            (DataV2, 7) | (Dictionary, 3) | (Statistics, 7..=8) => (TRUE, Any),
            (Statistics, 1 | 2 | 5 | 6) => (BINARY, Any),
            (Statistics, 3..=4) => (I64, Any),
            _ => return None,
        })
    }
}

fn check(description: impl BufRead, record: ThriftRecord, length: u64) -> Result<()> {
    let lists = record == ThriftRecord::Any;
    let mut walk = Walk { bytes: description.bytes(), left: PER_BYTE * length, lists };
    walk.record(record, DEEPEST)
}

/// A walk over a description that counts what it passes.
struct Walk<R: BufRead> {
    bytes: std::io::Bytes<R>,
    left: u64,
    /// Whether lists, maps and fields out of order may occur.
    lists: bool,
}

impl<R: BufRead> Walk<R> {
    fn byte(&mut self) -> Result<u8> {
        let byte = self.bytes.next().ok_or_else(|| broken("ends in a description"))?;
        Ok(byte?)
    }

    /// A number of seven bits a byte.
    fn number(&mut self) -> Result<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(broken("a number of too many bytes in a description"))
    }

    fn pass(&mut self, bytes: u64) -> Result<()> {
        for _ in 0..bytes {
            self.byte()?;
        }
        Ok(())
    }

    /// Fields up to the stop.
    fn record(&mut self, record: ThriftRecord, depth: usize) -> Result<()> {
        let mut number = 0u64;
        loop {
            let head = self.byte()?;
            let kind = head & 0x0f;
            if kind == 0 {
                return Ok(());
            }
            number = match head >> 4 {
                0 if self.lists => self.number()?,
                0 => return Err(broken("a page header with fields out of order")),
                step => number.wrapping_add(u64::from(step)),
            };
            let (wanted, inner) = record.field(number).unwrap_or((kind, ThriftRecord::Any));
            if wanted != kind && (wanted, kind) != (TRUE, FALSE) {
                return Err(broken("a page header with a field of another kind"));
            }
            self.value(kind, inner, depth)?;
        }
    }

    fn value(&mut self, kind: u8, inner: ThriftRecord, depth: usize) -> Result<()> {
        if self.left == 0 || depth == 0 {
            return Err(broken("a description of more values than the file has room for"));
        }
        self.left -= 1;
        match kind {
            TRUE | FALSE => Ok(()),
            3 => self.pass(1),
            4..=6 => self.number().map(drop),
            7 => self.pass(8),
            BINARY => {
                let length = self.number()?;
                self.pass(length)
            }
            9..=11 if !self.lists => Err(broken("a page header with a list")),
            9 | 10 => {
                let head = self.byte()?;
                let short = u64::from(head >> 4);
                let size = if short == 15 { self.number()? } else { short };
                (0..size).try_for_each(|_| self.value(head & 0x0f, inner, depth - 1))
            }
            11 => {
                let size = self.number()?;
                let kinds = if size > 0 { self.byte()? } else { 0 };
                (0..size).try_for_each(|_| {
                    self.value(kinds >> 4, inner, depth - 1)?;
                    self.value(kinds & 0x0f, inner, depth - 1)
                })
            }
            RECORD => self.record(inner, depth - 1),
            13 => self.pass(16),
            _ => Err(broken("an unknown kind of value in a description")),
        }
    }
}

fn broken(reason: &str) -> ParquetError {
    ParquetError::General(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{ThriftRecord, check};

    const LENGTH: u64 = 1000;

    #[test]
    fn plain_descriptions_pass() {
        // An i32, a list of two strings, a map from a byte to a truth value, an empty record.
        let good = [0x15, 0x02, 0x19, 0x28, 1, b'a', 0, 0x1b, 1, 0x31, 7, 0x1c, 0, 0];
        check(&good[..], ThriftRecord::Any, LENGTH).unwrap();
        // An empty list may have no kind of element; a field may have a number of its own.
        check(&[0x09, 0x40, 0x00, 0x00][..], ThriftRecord::Any, LENGTH).unwrap();
    }

    #[test]
    fn page_headers_are_as_the_format_has_them() {
        // A dictionary page: kind, two sizes, and in field 7 a number of values, an encoding,
        // sorted.
        let good = [0x15, 4, 0x15, 20, 0x15, 20, 0x4c, 0x15, 6, 0x15, 0, 0x12, 0, 0];
        check(&good[..], ThriftRecord::Page, LENGTH).unwrap();
        for (place, kind) in [(0, 0x16), (6, 0x48), (7, 0x18), (11, 0x15), (11, 0x19), (0, 0x05)] {
            let mut bad = good;
            bad[place] = kind;
            check(&bad[..], ThriftRecord::Page, LENGTH).unwrap_err();
        }
    }

    #[test]
    fn lists_of_nothing_are_refused() {
        let huge = [0xff, 0xff, 0xff, 0xff, 0x07];
        for kind in [1, 2, 7, 13] {
            let list = [&[0x19, 0xf0 | kind][..], &huge, &[0]].concat();
            check(&list[..], ThriftRecord::Any, LENGTH).unwrap_err();
        }
        let map = [&[0x1b][..], &huge, &[0x11, 0]].concat();
        check(&map[..], ThriftRecord::Any, LENGTH).unwrap_err();
        // Fourteen lists of fourteen lists of fourteen lists of fourteen truth values.
        let nested: Vec<u8> = (0..200).map(|_| 0xe9).collect();
        check(&[&[0x19][..], &nested].concat()[..], ThriftRecord::Any, LENGTH).unwrap_err();
    }
}
