//! `.smi`: a SMILES and, after white space, a name on each line.
//!
//! Blank lines and lines that start with `#` are ignored, and so is a header, which is a first line
//! whose first word is `smiles`. The name is the rest of the line, so it may hold blanks.
//!
//! **Cost.** One pass, one line in memory.

use std::path::Path;

use csv::ByteRecord;
use spinney::Result;

use super::lines::{LONGEST_LINE, Lines};
use super::{ReadError, Row, Table, bad};

pub(super) struct Smi {
    lines: Lines,
    columns: [String; 2],
    started: bool,
    stopped: bool,
}

impl Smi {
    pub(super) fn open(path: &Path) -> Result<Smi> {
        let columns = ["smiles", "name"].map(str::to_owned);
        Ok(Smi { lines: Lines::open(path)?, columns, started: false, stopped: false })
    }
}

impl Table for Smi {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn next_row(&mut self) -> Option<std::result::Result<Row, ReadError>> {
        while !self.stopped {
            match self.lines.advance() {
                Ok(true) => {}
                Ok(false) => self.stopped = true,
                Err(e) => {
                    self.stopped = true;
                    return Some(Err(ReadError::Stop(e)));
                }
            }
            let text = self.lines.bytes().trim_ascii_start();
            if self.stopped || text.is_empty() || text.starts_with(b"#") {
                continue;
            }
            let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
            let (smiles, name) = text.split_at(end);
            if !std::mem::replace(&mut self.started, true) && smiles.eq_ignore_ascii_case(b"smiles")
            {
                continue;
            }
            let line = self.lines.number();
            if self.lines.too_long() {
                return Some(Err(bad(line, format!("a line of more than {LONGEST_LINE} bytes"))));
            }
            let fields = ByteRecord::from(vec![smiles, name.trim_ascii()]);
            return Some(Ok(Row { line, fields, block: None }));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{named, records};
    use super::super::{Columns, Structure};

    #[test]
    fn names_comments_header() {
        let content = b"SMILES name\r\n# none\n\nCCO ethanol, pure \n  C\tmethane\nsmiles x\nO\n\n\
              C\0 nul\nC \xff\n";
        let all = records("a.smi", content, &Columns::default()).unwrap();
        let found: Vec<String> = all
            .into_iter()
            .map(|r| match r {
                Ok(r) => match r.structure {
                    Structure::Smiles(s) => format!("{} {s} {:?}", r.line, r.id),
                    Structure::MolBlock(_) => unreachable!(),
                },
                Err(e) => e,
            })
            .collect();
        assert_eq!(
            found[..5],
            [
                "4 CCO \"ethanol, pure\"",
                "5 C \"methane\"",
                "6 smiles \"x\"",
                "7 O \"4\"",
                "9: nul: a NUL byte in the SMILES"
            ]
        );
        assert!(found[5].starts_with("10: 6: column \"name\" is not UTF-8"), "{}", found[5]);
        let message = records("a.smi", b"C 1\n", &named("active")).unwrap_err().to_string();
        assert!(message.contains("its columns are \"smiles\", \"name\""), "{message}");
    }

    #[test]
    fn a_huge_line_spoils_itself_alone() {
        let content = format!("C a\n{}\nO b\n", "C".repeat(10 << 20));
        let all = records("a.smi", content.as_bytes(), &Columns::default()).unwrap();
        assert_eq!(all[1], Err("2: 2: a line of more than 1048576 bytes".into()));
        assert_eq!(all[2].clone().unwrap().id, "b");
    }
}
