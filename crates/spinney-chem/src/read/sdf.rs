//! `.sdf` and `.mol`: MOL blocks (V2000 or V3000), each followed by property tags.
//!
//! ```text
//! title                     the identifier, unless a tag is named as such
//! …                         the block, up to `M  END`
//! > <name>                  a tag: a column of the table
//! value                     its lines, up to a blank one
//!
//! $$$$                      the end of the record; the last record may lack it
//! ```
//!
//! The columns are the tags of the first [`LOOKED_AT`] records. A tag that comes later is not a
//! column; a record that lacks a tag has an empty field.
//!
//! **Invariant.** A record ends at `$$$$` or at the end of the file, so a fault spoils only the
//! record in which it lies. A file that ends within a block or a value is truncated, and its last
//! record is bad.
//!
//! **Cost.** One pass. A record takes at most [`LONGEST_RECORD`] bytes: of a longer one the rest is
//! dropped, and it is bad.

use std::collections::VecDeque;
use std::path::Path;

use csv::ByteRecord;
use spinney::Result;

use super::lines::Lines;
use super::{Block, ReadError, Row, Table, bad};

const LOOKED_AT: usize = 1000;
const LOOKED_AT_BYTES: usize = 32 << 20;
const LONGEST_RECORD: usize = 4 << 20;

pub(super) struct Sdf {
    lines: Lines,
    columns: Vec<String>,
    ahead: VecDeque<std::result::Result<SdfRecord, ReadError>>,
    stopped: bool,
}

impl Sdf {
    pub(super) fn open(path: &Path) -> Result<Sdf> {
        let lines = Lines::open(path)?;
        let mut sdf = Sdf { lines, columns: Vec::new(), ahead: VecDeque::new(), stopped: false };
        let mut bytes = 0;
        while sdf.ahead.len() < LOOKED_AT && bytes < LOOKED_AT_BYTES {
            let Some(record) = sdf.read() else { break };
            if let Ok(record) = &record {
                bytes += record.bytes;
                for (name, _) in &record.tags {
                    if !sdf.columns.contains(name) {
                        sdf.columns.push(name.clone());
                    }
                }
            }
            sdf.ahead.push_back(record);
        }
        Ok(sdf)
    }

    fn read(&mut self) -> Option<std::result::Result<SdfRecord, ReadError>> {
        let mut record = SdfRecord { line: self.lines.number() + 1, ..SdfRecord::default() };
        while !self.stopped {
            match self.lines.advance() {
                Ok(true) if self.lines.bytes() == b"$$$$" => return Some(record.closed()),
                Ok(true) => record.take(self.lines.bytes(), self.lines.too_long()),
                Ok(false) => {
                    self.stopped = true;
                    return record.at_end_of_file();
                }
                Err(e) => {
                    self.stopped = true;
                    return Some(Err(ReadError::Stop(e)));
                }
            }
        }
        None
    }

    fn row(&self, record: &SdfRecord) -> Row {
        let value = |column| record.tags.iter().find(|t| &t.0 == column);
        let fields = self.columns.iter().map(|c| value(c).map_or(&b""[..], |t| &t.1));
        let fields = fields.collect::<ByteRecord>();
        let title = record.block.split(|&b| b == b'\n').next().unwrap_or_default();
        let title = String::from_utf8_lossy(title).trim().to_owned();
        let text = String::from_utf8_lossy(&record.block).into_owned();
        Row { line: record.line, fields, block: Some(Block { title, text }) }
    }
}

impl Table for Sdf {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn next_row(&mut self) -> Option<std::result::Result<Row, ReadError>> {
        let record = self.ahead.pop_front().or_else(|| self.read())?;
        Some(record.map(|record| self.row(&record)))
    }
}

/// A record being read.
#[derive(Default)]
struct SdfRecord {
    line: usize,
    /// The MOL block, lines ended by `\n`.
    block: Vec<u8>,
    tags: Vec<(String, Vec<u8>)>,
    state: State,
    fault: Option<String>,
    bytes: usize,
}

#[derive(Default, PartialEq, Eq)]
enum State {
    #[default]
    InBlock,
    BetweenTags,
    /// In the value of the last tag.
    InValue,
}

impl SdfRecord {
    fn take(&mut self, line: &[u8], too_long: bool) {
        self.bytes += line.len() + 1;
        if too_long || self.bytes > LONGEST_RECORD {
            let reason = format!("a record of more than {} MB", LONGEST_RECORD >> 20);
            self.fault.get_or_insert(reason);
            return;
        }
        match self.state {
            State::InBlock => {
                self.block.extend_from_slice(line);
                self.block.push(b'\n');
                if line == b"M  END" {
                    self.state = State::BetweenTags;
                }
            }
            _ if line.starts_with(b">") && line.contains(&b'<') => self.start_tag(line),
            State::InValue if line.is_empty() => self.state = State::BetweenTags,
            State::InValue => {
                let Some((_, value)) = self.tags.last_mut() else { return };
                if !value.is_empty() {
                    value.push(b'\n');
                }
                value.extend_from_slice(line);
            }
            State::BetweenTags => {}
        }
    }

    /// `> <name>`, `>  25 <name> (id)`: the name is what stands between the first `<` and the last
    /// `>` after it.
    fn start_tag(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        let (_, name) = line.split_once('<').unwrap_or_default();
        let name = name.rsplit_once('>').map_or(name, |(name, _)| name);
        self.tags.push((name.trim().to_owned(), Vec::new()));
        self.state = State::InValue;
    }

    /// The record at its `$$$$`.
    fn closed(mut self) -> std::result::Result<SdfRecord, ReadError> {
        if self.state == State::InBlock {
            let reason = "the MOL block lacks its last line, `M  END`";
            self.fault.get_or_insert(reason.to_owned());
        }
        match self.fault.take() {
            Some(reason) => Err(bad(self.line, reason)),
            None => Ok(self),
        }
    }

    /// The record where the file ends, if there is any.
    fn at_end_of_file(mut self) -> Option<std::result::Result<SdfRecord, ReadError>> {
        if self.block.iter().all(u8::is_ascii_whitespace) && self.fault.is_none() {
            return None;
        }
        let place = match (&self.state, self.tags.last()) {
            (State::InBlock, _) => Some("the MOL block".to_owned()),
            (State::InValue, Some((name, _))) => Some(format!("the value of <{name}>")),
            _ => None,
        };
        if let Some(place) = place {
            let reason = format!("the file ends within {place}: it is truncated");
            self.fault.get_or_insert(reason);
        }
        Some(self.closed())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{named, records};
    use super::super::{Columns, Structure, Targets};

    const ETHANE: &str = concat!(
        "ethane\n  x\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n",
        "    0.0000    0.0000    0.0000 C   0  0\n",
        "    0.0000    0.0000    0.0000 C   0  0\n",
        "  1  2  1  0\nM  END\n"
    );

    #[test]
    fn tags_are_columns() {
        let content = format!(
            "{ETHANE}>  <y>\n1\nsecond line\n\n> 25 <Id> (4)\nE1\n\n$$$$\n\
             {ETHANE}$$$$\n{ETHANE}> <y>\nNaN\n\n\n"
        )
        .replace('\n', "\r\n");
        let columns = Columns { id: Some("id".into()), ..named("y") };
        let all: Vec<_> =
            records("a.sdf", content.as_bytes(), &columns).unwrap().into_iter().flatten().collect();
        let found: Vec<_> =
            all.iter().map(|r| (r.line, r.id.as_str(), r.targets[0].as_deref())).collect();
        assert_eq!(found, [(1, "E1", Some("1")), (17, "2", None), (26, "3", None)]);
        let Structure::MolBlock(block) = &all[0].structure else { unreachable!() };
        assert_eq!(block, ETHANE);
        let all = records("a.sdf", content.as_bytes(), &Columns::default()).unwrap();
        assert_eq!(all[0].clone().unwrap().id, "ethane");
        let message = records("a.sdf", content.as_bytes(), &named("yy")).unwrap_err().to_string();
        assert!(message.contains("its columns are \"y\", \"Id\""), "{message}");
        let numeric = Columns { targets: Targets::All, ..Columns::default() };
        let all = records("a.sdf", content.as_bytes(), &numeric).unwrap();
        assert_eq!(all[0].clone().unwrap().targets, [Some("1".to_owned())]);
    }

    #[test]
    fn a_mol_file_is_one_record() {
        let all = records("a.mol", ETHANE.as_bytes(), &Columns::default()).unwrap();
        assert_eq!((all.len(), all[0].clone().unwrap().id.as_str()), (1, "ethane"));
        assert!(records("a.sdf", b"\n\n", &Columns::default()).unwrap().is_empty());
    }

    #[test]
    fn truncated_and_broken_records_are_bad() {
        let whole = format!("{ETHANE}> <y>\n1\n\n$$$$\n");
        let found = |content: String| {
            let all = records("a.sdf", content.as_bytes(), &Columns::default()).unwrap();
            all.into_iter().map(|r| r.map_or_else(|e| e, |r| r.id)).collect::<Vec<_>>()
        };
        let cut = ETHANE.replace("M  END\n", "");
        assert_eq!(
            found(format!("{cut}$$$$\n{whole}{cut}")),
            [
                "1: 1: the MOL block lacks its last line, `M  END`",
                "ethane",
                "21: 3: the file ends within the MOL block: it is truncated"
            ]
        );
        assert_eq!(
            found(format!("{whole}{ETHANE}> <y>\n1")),
            ["ethane", "13: 2: the file ends within the value of <y>: it is truncated"]
        );
        let long = "y".repeat(5 << 20);
        let many = "some text\n".repeat(1 << 19);
        assert_eq!(
            found(format!("{long}\n{cut}M  END\n$$$$\n{ETHANE}> <z>\n{many}\n$$$$\n{whole}")),
            ["1: 1: a record of more than 4 MB", "11: 2: a record of more than 4 MB", "ethane"]
        );
    }
}
