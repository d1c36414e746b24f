//! Patterns as SMARTS and the molecules that contain them, for comparison with another toolkit.
//!
//! `pattern_smarts ATOMS BONDS MAX_EDGES MIN_SUPPORT [--sdf]` reads SMILES (or SDF) from standard
//! input, mines all patterns and writes a JSON line for each: `{"smarts": text, "edges": n,
//! "rows": [...]}`; rows count from 0 and include those that are no molecule.

use std::io::{self, BufWriter, Read, Write};

use serde_json::json;
use spinney::labels::Labels;
use spinney::mining::{PatternLimits, Wanted, mine};
use spinney_chem::smarts::smarts;
use spinney_chem::toolkit::{from_mol_block, from_smiles};
use spinney_chem::{Chemistry, Molecule};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [atoms, bonds, max_edges, min_support, rest @ ..] = &args[..] else {
        return Err("usage: pattern_smarts ATOMS BONDS MAX_EDGES MIN_SUPPORT [--sdf]".into());
    };
    let chemistry =
        Chemistry { atoms: vec![atoms.parse()?], bonds: bonds.parse()?, ..Chemistry::default() };
    let limits =
        PatternLimits { min_support: min_support.parse()?, max_edges: Some(max_edges.parse()?) };
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let mut labels = Labels::default();
    let graphs: Vec<_> = molecules(&text, rest.iter().any(|a| a == "--sdf"))
        .map(|molecule| chemistry.graph(&molecule, &mut labels))
        .collect();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut failed = None;
    mine(&graphs, Wanted { limits, vertices: true, closed: false }, |found| {
        let text = smarts(&found.code, &labels);
        let line =
            json!({ "smarts": text, "edges": found.code.edge_count(), "rows": found.graphs });
        failed = writeln!(out, "{line}").err();
        failed.is_none()
    });
    failed.map_or_else(|| out.flush(), Err)?;
    Ok(())
}

/// The molecules; an empty one for each record that is none, so that rows keep their numbers.
fn molecules(text: &str, is_sdf: bool) -> Box<dyn Iterator<Item = Molecule> + '_> {
    if is_sdf {
        let records = text.split_inclusive("$$$$\n").filter(|r| r.contains("M  END"));
        Box::new(records.map(|record| from_mol_block(record).unwrap_or_default()))
    } else {
        Box::new(text.lines().map(|smiles| from_smiles(smiles).unwrap_or_default()))
    }
}
