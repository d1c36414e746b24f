//! Which column is what: finding columns by name, and making records of rows.
//!
//! A name is found exactly, or else as the only one that equals it regardless of case. A name that
//! is not there is an error that suggests the nearest one and lists what is there.
//!
//! **Cost.** A record costs its own fields; finding columns, the first rows times the columns.

use std::path::Path;

use spinney::{Error, Result};

use super::{BadRecord, Columns, MoleculeFormat, RawRecord, Row, Structure, Targets};
use crate::toolkit::LONGEST_SMILES;

/// How many rows decide whether a column holds numbers.
pub(super) const SAMPLED_ROWS: usize = 100;

/// What the column of SMILES is usually called, first choice first.
const USUAL_NAMES: [&str; 5] = ["smiles", "canonical_smiles", "structure", "mol", "molecule"];

/// The place of each column that is used.
pub(super) struct Layout {
    /// `None` where structures are MOL blocks.
    smiles: Option<usize>,
    targets: Vec<usize>,
    target_names: Vec<String>,
    id: Option<usize>,
    weight: Option<usize>,
    covariates: Vec<usize>,
    split: Option<usize>,
    /// The name of every column, for messages.
    names: Vec<String>,
}

impl Layout {
    pub(super) fn find(
        path: &Path,
        format: MoleculeFormat,
        names: &[String],
        columns: &Columns,
        sample: &[&Row],
    ) -> Result<Layout> {
        let find = |name: &Option<String>| {
            name.as_deref().map(|n| find(names, n)).transpose().map_err(|e| Error::file(path, e))
        };
        let smiles = match (format, &columns.smiles) {
            (MoleculeFormat::Sdf, None) => None,
            (MoleculeFormat::Sdf, Some(_)) => {
                let reason = "an SDF holds structures; it has no column of SMILES to name";
                return Err(Error::parameter("smiles", reason));
            }
            (_, None) => Some(usual(names).map_err(|e| Error::file(path, e))?),
            (_, name) => find(name)?,
        };
        let is_smi = format == MoleculeFormat::Smi;
        let mut layout = Layout {
            smiles,
            targets: Vec::new(),
            target_names: Vec::new(),
            id: find(&columns.id)?.or(is_smi.then_some(1)),
            weight: find(&columns.weight)?,
            covariates: Vec::new(),
            split: find(&columns.split)?,
            names: names.to_vec(),
        };
        layout.covariates =
            layout.find_covariates(&columns.covariates).map_err(|e| Error::file(path, e))?;
        layout.targets = layout.find_targets(columns, sample).map_err(|e| Error::file(path, e))?;
        layout.target_names = layout.targets.iter().map(|&i| names[i].clone()).collect();
        Ok(layout)
    }

    fn find_targets(
        &self,
        columns: &Columns,
        sample: &[&Row],
    ) -> std::result::Result<Vec<usize>, String> {
        match &columns.targets {
            Targets::None => Ok(Vec::new()),
            Targets::Named(names) => names.iter().map(|name| self.find_target(name)).collect(),
            Targets::All => {
                let taken = [self.smiles, self.id, self.weight, self.split];
                let is_free =
                    |i: &usize| !taken.contains(&Some(*i)) && !self.covariates.contains(i);
                let free = (0..self.names.len()).filter(is_free);
                let numeric: Vec<usize> = free.filter(|&i| is_numeric(sample, i)).collect();
                if numeric.is_empty() {
                    return Err(format!(
                        "no column holds numbers, so none can be a target; {}",
                        listed(&self.names)
                    ));
                }
                Ok(numeric)
            }
        }
    }

    /// The column of a target; one that is a covariate as well would leak the answer.
    fn find_target(&self, name: &str) -> std::result::Result<usize, String> {
        let at = find(&self.names, name)?;
        if self.covariates.contains(&at) {
            let name = &self.names[at];
            return Err(format!("column {name:?} is a target and cannot be a covariate, too"));
        }
        Ok(at)
    }

    fn find_covariates(&self, names: &[String]) -> std::result::Result<Vec<usize>, String> {
        let mut found = Vec::new();
        for name in names {
            let at = find(&self.names, name)?;
            if found.contains(&at) {
                return Err(format!("column {:?} is named twice among covariates", self.names[at]));
            }
            found.push(at);
        }
        Ok(found)
    }

    pub(super) fn target_names(&self) -> &[String] {
        &self.target_names
    }

    pub(super) fn covariate_names(&self) -> Vec<String> {
        self.covariates.iter().map(|&i| self.names[i].clone()).collect()
    }

    /// The record that a row holds; `number` counts records from 1.
    pub(super) fn record(
        &self,
        row: Row,
        number: usize,
    ) -> std::result::Result<RawRecord, BadRecord> {
        let line = row.line;
        let title = row.block.as_ref().map(|b| b.title.clone());
        let id = match self.id {
            Some(i) => self.text(&row, i).map(str::to_owned),
            None => Ok(title.unwrap_or_default()),
        };
        let id_or_number = id.as_deref().ok().filter(|id| !id.is_empty());
        let id_or_number = id_or_number.map_or_else(|| number.to_string(), str::to_owned);
        let bad = |reason| BadRecord { line, id: id_or_number.clone(), reason };
        id.map_err(bad)?;
        let targets = self.targets.iter().map(|&i| Ok(present(self.text(&row, i)?)));
        let targets = targets.collect::<std::result::Result<_, String>>().map_err(bad)?;
        let weight = self.weight.map(|i| self.weight(&row, i)).transpose().map_err(bad)?;
        let covariates = self.covariates.iter().map(|&i| self.covariate(&row, i));
        let covariates = covariates.collect::<std::result::Result<_, String>>().map_err(bad)?;
        let split = self.split.map(|i| self.split(&row, i)).transpose().map_err(bad)?;
        let structure = self.structure(row).map_err(bad)?;
        Ok(RawRecord { line, id: id_or_number, structure, targets, weight, covariates, split })
    }

    fn structure(&self, row: Row) -> std::result::Result<Structure, String> {
        if let Some(block) = row.block {
            return Ok(Structure::MolBlock(block.text));
        }
        let text = self.smiles.map_or(Ok(""), |i| self.text(&row, i))?;
        match text.bytes().find(u8::is_ascii_control) {
            _ if text.is_empty() => Err("empty SMILES".to_owned()),
            _ if text.len() > LONGEST_SMILES => {
                Err(format!("a SMILES of {} characters (at most {LONGEST_SMILES})", text.len()))
            }
            Some(0) => Err("a NUL byte in the SMILES".to_owned()),
            Some(byte) => Err(format!("a control character (byte {byte}) in the SMILES")),
            None => Ok(Structure::Smiles(text.to_owned())),
        }
    }

    fn weight(&self, row: &Row, column: usize) -> std::result::Result<f64, String> {
        let text = self.text(row, column)?;
        match text.parse::<f64>() {
            Ok(weight) if weight.is_finite() && weight >= 0.0 => Ok(weight),
            _ => Err(format!(
                "weight {} in column {:?}: weights must be finite numbers, not negative",
                shown(text),
                self.names[column]
            )),
        }
    }

    fn covariate(&self, row: &Row, column: usize) -> std::result::Result<f64, String> {
        let Some(text) = present(self.text(row, column)?) else { return Ok(f64::NAN) };
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(format!(
                "covariate {} in column {:?}: covariates must be finite numbers, or empty",
                shown(&text),
                self.names[column]
            )),
        }
    }

    fn split(&self, row: &Row, column: usize) -> std::result::Result<String, String> {
        match self.text(row, column)? {
            "" => Err(format!("column {:?} does not say which part", self.names[column])),
            part => Ok(part.to_owned()),
        }
    }

    /// A field without white space around it.
    fn text<'r>(&self, row: &'r Row, column: usize) -> std::result::Result<&'r str, String> {
        let bytes = row.fields.get(column).unwrap_or_default();
        std::str::from_utf8(bytes).map(str::trim).map_err(|e| {
            format!(
                "column {:?} is not UTF-8 text (byte {} of the field); save the file as UTF-8",
                self.names[column],
                e.valid_up_to() + 1
            )
        })
    }
}

/// A target, unless it is missing. Only its first line counts (in SDF it may have several).
fn present(text: &str) -> Option<String> {
    let text = text.lines().next().unwrap_or_default().trim();
    let missing = text.is_empty() || ["nan", "na"].iter().any(|m| text.eq_ignore_ascii_case(m));
    (!missing).then(|| text.to_owned())
}

fn is_numeric(sample: &[&Row], column: usize) -> bool {
    sample.iter().all(|row| {
        let text = std::str::from_utf8(row.fields.get(column).unwrap_or_default());
        text.is_ok_and(|t| present(t).is_none_or(|t| t.parse::<f64>().is_ok()))
    })
}

fn usual(names: &[String]) -> std::result::Result<usize, String> {
    let called = |usual: &&str| names.iter().position(|n| n.eq_ignore_ascii_case(usual));
    let known = USUAL_NAMES.iter().find(|usual| called(usual).is_some());
    // `find` once more: it refuses a name that several columns have.
    known.map_or_else(
        || Err(format!("no column is called smiles: name it with --smiles; {}", listed(names))),
        |name| find(names, name),
    )
}

fn find(names: &[String], name: &str) -> std::result::Result<usize, String> {
    let exact: Vec<usize> = (0..names.len()).filter(|&i| names[i] == name).collect();
    let alike = || (0..names.len()).filter(|&i| names[i].to_lowercase() == name.to_lowercase());
    let found = if exact.is_empty() { alike().collect() } else { exact };
    match found[..] {
        [one] => Ok(one),
        [] => Err(match nearest(names, name) {
            Some(near) => {
                format!("no column is called {name:?}; did you mean {near:?}? {}", listed(names))
            }
            None => format!("no column is called {name:?}; {}", listed(names)),
        }),
        _ => Err(format!("{} columns are called {name:?}; {}", found.len(), listed(names))),
    }
}

fn nearest<'n>(names: &'n [String], name: &str) -> Option<&'n str> {
    let name = name.to_lowercase();
    let most = match name.chars().count() {
        0 | 1 => 0,
        2 | 3 => 1,
        n => (n / 3).max(2),
    };
    let distances = names.iter().map(|n| (distance(&n.to_lowercase(), &name), n));
    distances.filter(|d| d.0 <= most).min_by_key(|d| d.0).map(|d| d.1.as_str())
}

/// How many characters must be changed, added or taken away to turn `a` into `b` (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

fn listed(names: &[String]) -> String {
    const SHOWN: usize = 20;
    if names.is_empty() {
        return "it has no columns".to_owned();
    }
    let list: Vec<String> = names.iter().take(SHOWN).map(|n| shown(n)).collect();
    let more = names.len().saturating_sub(SHOWN);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("its columns are {}{more}", list.join(", "))
}

fn shown(word: &str) -> String {
    const LONGEST: usize = 60;
    match word.char_indices().nth(LONGEST) {
        None => format!("{word:?}"),
        Some((end, _)) => format!("{:?}…", &word[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{named, records};
    use super::super::{Columns, RawRecord, Structure, Targets};
    use super::{distance, find, nearest};

    fn names(all: &[&str]) -> Vec<String> {
        all.iter().map(|&n| n.to_owned()).collect()
    }

    #[test]
    fn names_are_found_exactly_or_regardless_of_case() {
        let all = names(&["Smiles", "SMILES", "Active", "x", "x"]);
        assert_eq!(find(&all, "SMILES"), Ok(1));
        assert_eq!(find(&all, "active"), Ok(2));
        assert!(find(&all, "smiles").unwrap_err().starts_with("2 columns are called \"smiles\""));
        assert!(find(&all, "x").unwrap_err().starts_with("2 columns"));
        assert_eq!(
            find(&all[1..3], "activ").unwrap_err(),
            "no column is called \"activ\"; did you mean \"Active\"? \
             its columns are \"SMILES\", \"Active\""
        );
        assert!(
            find(&all, "toxicity")
                .unwrap_err()
                .starts_with("no column is called \"toxicity\"; its")
        );
        assert!(find(&names(&["y"; 30]), "z").unwrap_err().ends_with("\"y\" and 10 more"));
    }

    #[test]
    fn distances() {
        for (a, b, d) in [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("p_np", "pnp", 1)]
        {
            assert_eq!((distance(a, b), distance(b, a)), (d, d), "{a} {b}");
        }
        assert_eq!(nearest(&names(&["smiles", "label"]), "Lable"), Some("label"));
        assert_eq!(nearest(&names(&["x", "label"]), "y"), None);
        assert_eq!(nearest(&names(&["smiles", "label"]), "labels"), Some("label"));
    }

    #[test]
    fn all_numeric_columns_are_targets() {
        let content = b"w,a,name,smiles,b,c\n1,1,x,C,,0.5\n2,NA,3,CC,nan,-1e3\n1,0,4,CO,1,x\n";
        let columns =
            Columns { targets: Targets::All, weight: Some("W".into()), ..Columns::default() };
        let all = records("a.csv", content, &columns).unwrap();
        let RawRecord { id, targets, weight, line, .. } = all[1].clone().unwrap();
        assert_eq!((id.as_str(), weight, line), ("2", Some(2.0), 3));
        assert_eq!(targets, [None, None]);
        assert_eq!(all[2].clone().unwrap().targets, [Some("0".into()), Some("1".into())]);
        let none = records("a.csv", b"smiles,name\nC,x\n", &columns).unwrap_err().to_string();
        assert!(none.contains("no column is called \"W\""), "{none}");
        let columns = Columns { weight: None, ..columns };
        let none = records("a.csv", b"smiles,name\nC,x\n", &columns).unwrap_err().to_string();
        assert!(none.contains("no column holds numbers"), "{none}");
    }

    #[test]
    fn the_smiles_column_has_a_usual_name_or_is_asked_for() {
        for header in ["SMILES,y", "y,Mol", "canonical_smiles,mol", "structure"] {
            let content = format!("{header}\nC,C\n");
            let content = if header.contains(',') { content } else { "structure\nC\n".into() };
            let all = records("a.csv", content.as_bytes(), &Columns::default()).unwrap();
            assert_eq!(all[0].clone().unwrap().structure, Structure::Smiles("C".into()));
        }
        let message = records("a.csv", b"CCO\nCCC\n", &Columns::default()).unwrap_err().to_string();
        assert!(message.ends_with("name it with --smiles; its columns are \"CCO\""), "{message}");
    }

    #[test]
    fn bad_weights_and_parts() {
        let columns = Columns {
            weight: Some("w".into()),
            split: Some("part".into()),
            id: Some("name".into()),
            ..named("y")
        };
        let content = b"smiles,name,y,w,part\nC,a,1,1,train\nC,b,1,,test\n\
                        C,c,1,-1,test\nC,d,1,1,\nC,,1,1,x\n";
        let all = records("a.csv", content, &columns).unwrap();
        assert_eq!(all[0].clone().unwrap().split.as_deref(), Some("train"));
        let faults: Vec<String> = all[1..4].iter().map(|r| r.clone().unwrap_err()).collect();
        assert!(faults[0].starts_with("3: b: weight \"\" in column \"w\""), "{faults:?}");
        assert!(faults[1].starts_with("4: c: weight \"-1\""), "{faults:?}");
        assert_eq!(faults[2], "5: d: column \"part\" does not say which part");
        assert_eq!(all[4].clone().unwrap().id, "5");
    }
}
