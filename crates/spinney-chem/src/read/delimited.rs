//! `.csv` and `.tsv`: rows of fields under a header.
//!
//! Fields may be quoted (a quote inside is doubled) and then hold the separator and line ends.
//! Blank lines are ignored.
//!
//! **Invariant.** A row has as many fields as the header, or is bad. A row's line is the one where
//! it starts, whatever blank lines and line ends come before it: the text is handed to the parser
//! with a line end after its last line, so that each row ends in exactly one, and the row's first
//! line is the parser's less the line ends inside the row.
//!
//! **Cost.** One pass. A row (an unclosed quote may swallow many lines) takes at most
//! [`LONGEST_ROW`] bytes; then reading stops.

use std::fmt::{self, Display};
use std::io::{self, BufRead, Cursor, Read};
use std::path::{Path, PathBuf};

use csv::ByteRecord;
use spinney::io::source::read_error;
use spinney::{Error, Result};

use super::lines::{self, BYTE_ORDER_MARK};
use super::{ReadError, Row, Table, bad};

/// The longest row that is read.
const LONGEST_ROW: usize = 32 << 20;
const BUFFER: usize = 1 << 16;

pub(super) struct Delimited {
    reader: csv::Reader<Rationed>,
    path: PathBuf,
    columns: Vec<String>,
    stopped: bool,
}

impl Delimited {
    pub(super) fn open(path: &Path, separator: u8) -> Result<Delimited> {
        let text = Rationed::new(lines::open(path)?).map_err(|e| read_error(path, e))?;
        let reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .terminator(csv::Terminator::Any(b'\n'))
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(BUFFER)
            .from_reader(text);
        let mut table =
            Delimited { reader, path: path.to_owned(), columns: Vec::new(), stopped: false };
        let Some((_, header)) = table.read()? else {
            return Err(Error::file(path, "the file is empty: it lacks a header of column names"));
        };
        let name = |field| String::from_utf8_lossy(field).trim().to_owned();
        table.columns = header.iter().map(name).collect();
        table.check_separator(separator)?;
        Ok(table)
    }

    /// A header of one column that holds another separator is most likely of the other kind.
    fn check_separator(&self, separator: u8) -> Result<()> {
        let [only] = &self.columns[..] else { return Ok(()) };
        let found = match separator {
            b',' if only.contains('\t') => "tabs: say --format tsv",
            b'\t' if only.contains(',') => "commas: say --format csv",
            _ if only.contains(';') => "semicolons: convert it to commas or tabs",
            _ => return Ok(()),
        };
        Err(Error::line(&self.path, 1, format!("the columns seem to be separated by {found}")))
    }

    /// The next row that is not blank, and the line where it starts.
    fn read(&mut self) -> Result<Option<(usize, ByteRecord)>> {
        let mut row = ByteRecord::new();
        loop {
            let from = self.reader.position().line();
            self.reader.get_mut().left = LONGEST_ROW + BUFFER;
            match self.reader.read_byte_record(&mut row) {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(e) => return Err(self.explained(e, from)),
            }
            let mut inside = row.as_slice().iter().filter(|&&b| b == b'\n').count();
            if self.reader.get_ref().ended && row.as_slice().ends_with(b"\n") {
                inside -= 1; // An unclosed quote took the last line end too.
            }
            let line = (self.reader.position().line() as usize).saturating_sub(1 + inside);
            if row.as_slice().ends_with(b"\r") {
                row = without_carriage_return(&row);
            }
            if row.len() > 1 || row.get(0).is_some_and(|f| !f.trim_ascii().is_empty()) {
                return Ok(Some((line.max(1), row)));
            }
        }
    }

    fn explained(&self, error: csv::Error, line: u64) -> Error {
        match error.into_kind() {
            csv::ErrorKind::Io(e) => match e.get_ref().and_then(|e| e.downcast_ref::<TooLong>()) {
                Some(reason) => Error::line(&self.path, line as usize, reason),
                None => read_error(&self.path, e),
            },
            other => Error::line(&self.path, line as usize, format!("{other:?}")),
        }
    }
}

/// The row without the `\r` that ends its last field.
fn without_carriage_return(row: &ByteRecord) -> ByteRecord {
    let last = row.len() - 1;
    let cut = |(i, field): (usize, &[u8])| match field.strip_suffix(b"\r") {
        Some(rest) if i == last => rest.to_vec(),
        _ => field.to_vec(),
    };
    row.iter().enumerate().map(cut).collect::<Vec<_>>().into()
}

impl Table for Delimited {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn next_row(&mut self) -> Option<std::result::Result<Row, ReadError>> {
        if self.stopped {
            return None;
        }
        match self.read() {
            Ok(None) => None,
            Ok(Some((line, fields))) if fields.len() == self.columns.len() => {
                Some(Ok(Row { line, fields, block: None }))
            }
            Ok(Some((line, fields))) => {
                let has = fields.len();
                let wants = self.columns.len();
                let reason = format!(
                    "{has} field{} where the header has {wants} (a missing or extra separator, \
                     or an unclosed quote?)",
                    if has == 1 { "" } else { "s" }
                );
                Some(Err(bad(line, reason)))
            }
            Err(e) => {
                self.stopped = true;
                Some(Err(ReadError::Stop(e)))
            }
        }
    }
}

/// A text that gives a limited number of bytes a row, and a line end after its last line.
struct Rationed {
    inner: Box<dyn Read + Send>,
    left: usize,
    ended: bool,
}

impl Rationed {
    /// The text without its byte order mark.
    fn new(mut text: Box<dyn BufRead + Send>) -> io::Result<Rationed> {
        let mut start = Vec::new();
        text.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut start)?;
        if start == BYTE_ORDER_MARK {
            start.clear();
        }
        let inner = Box::new(Cursor::new(start).chain(text));
        Ok(Rationed { inner, left: 0, ended: false })
    }
}

impl Read for Rationed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended || buffer.is_empty() {
            return Ok(0);
        }
        if self.left == 0 {
            return Err(io::Error::other(TooLong));
        }
        let room = buffer.len().min(self.left);
        let read = self.inner.read(&mut buffer[..room])?;
        self.left -= read;
        if read == 0 {
            self.ended = true;
            buffer[0] = b'\n';
            return Ok(1);
        }
        Ok(read)
    }
}

#[derive(Debug)]
struct TooLong;

impl Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a row of more than {} MB (an unclosed quote?)", LONGEST_ROW >> 20)
    }
}

impl std::error::Error for TooLong {}

#[cfg(test)]
mod tests {
    use super::super::tests::{named, records};
    use super::super::{Columns, RawRecord, Structure};
    use super::LONGEST_ROW;

    fn found(name: &str, content: &[u8], columns: &Columns) -> Vec<String> {
        let all = records(name, content, columns).unwrap();
        all.into_iter().map(|r| r.map_or_else(|e| e, |r| line_of(&r))).collect()
    }

    fn line_of(r: &RawRecord) -> String {
        let Structure::Smiles(smiles) = &r.structure else { unreachable!() };
        let targets: Vec<&str> = r.targets.iter().map(|t| t.as_deref().unwrap_or("?")).collect();
        format!("{} {} {smiles} {}", r.line, r.id, targets.join(","))
    }

    #[test]
    fn quotes_order_blank_lines_and_line_ends() {
        let content =
            "\u{feff}Name,y,\"SMILES\"\n\n\"a, \"\"b\"\"\nc\",1, CC \n\nd,,O\ne,NaN,\"N\"";
        let columns = Columns { id: Some("name".into()), ..named("y") };
        let expected = ["3 a, \"b\"\nc CC 1", "6 d O ?", "7 e N ?"];
        assert_eq!(found("a.csv", content.as_bytes(), &columns), expected);
        let crlf = content.replace('\n', "\r\n");
        let expected = ["3 a, \"b\"\r\nc CC 1", "6 d O ?", "7 e N ?"];
        assert_eq!(found("a.csv", crlf.as_bytes(), &columns), expected);
        let expected = ["2 1 C 1", "3 2 O 0"];
        assert_eq!(found("a.tsv", b"y\tsmiles\n1\tC\r\n0\tO\n", &named("y")), expected);
    }

    #[test]
    fn bad_rows_spoil_themselves_alone() {
        let content = b"smiles,y\nC,1\nC\nC,1,2\n,1\nC\0C,1\n\xff\xfe,1\nCC,\xff\nO,0\n";
        let all = found("a.csv", content, &named("y"));
        let expected = [
            "2 1 C 1",
            "3: 2: 1 field where the header has 2",
            "4: 3: 3 fields where the header has 2",
            "5: 4: empty SMILES",
            "6: 5: a NUL byte in the SMILES",
            "7: 6: column \"smiles\" is not UTF-8 text (byte 1 of the field)",
            "8: 7: column \"y\" is not UTF-8 text (byte 1 of the field)",
            "9 8 O 0",
        ];
        assert_eq!(all.len(), expected.len());
        for (is, should) in all.iter().zip(expected) {
            assert!(is.starts_with(should), "{is}");
        }
    }

    #[test]
    fn files_that_are_no_tables() {
        let message = |content: &[u8]| {
            records("a.csv", content, &Columns::default()).unwrap_err().to_string()
        };
        assert!(message(b"").contains("lacks a header"));
        assert!(message(b"\n\r\n").contains("lacks a header"));
        assert!(message(b"smiles\ty\nC\t1\n").contains("say --format tsv"));
        assert!(message(b"smiles;y\nC;1\n").contains("semicolons"));
    }

    #[test]
    fn an_unclosed_quote_does_not_swallow_memory() {
        let short = found("a.csv", b"smiles,y\n\"C,1\nO,0\n", &named("y"));
        assert!(short.len() == 1 && short[0].starts_with("2: 1: 1 field where"), "{short:?}");
        let long = format!("smiles,y\n\"C,1\n{}", "O,0\n".repeat(LONGEST_ROW / 4 + 100_000));
        let all = found("a.csv", long.as_bytes(), &named("y"));
        assert!(all.len() == 1 && all[0].contains("a row of more than 32 MB"), "{}", all[0]);
        assert!(all[0].contains("a.csv:2: "), "{}", all[0]);
    }
}
