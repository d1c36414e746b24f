//! What Spinney reads, for comparison with another toolkit.
//!
//! `atoms < lines.smi` reads a SMILES a line, `atoms --sdf < file.sdf` the records of an SDF file.
//! Each becomes one JSON line: `{"ok": true, "atoms": [[element, heavy degree, hydrogens, charge,
//! isotope, in ring, aromatic], ...], "bonds": [[a, b, kind], ...], "scaffold": key}`, or
//! `{"ok": false, "error": why}`.

use std::io::{self, BufWriter, Read, Write};

use serde_json::{Value, json};
use spinney_chem::Molecule;
use spinney_chem::scaffold::scaffold_key;
use spinney_chem::toolkit::{from_mol_block, from_smiles};

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let mut out = BufWriter::new(io::stdout().lock());
    if std::env::args().any(|arg| arg == "--sdf") {
        for record in text.split_inclusive("$$$$\n").filter(|r| r.contains("M  END")) {
            writeln!(out, "{}", line(from_mol_block(record)))?;
        }
    } else {
        for smiles in text.lines() {
            writeln!(out, "{}", line(from_smiles(smiles)))?;
        }
    }
    out.flush()
}

fn line(read: Result<Molecule, String>) -> Value {
    let molecule = match read {
        Ok(molecule) => molecule,
        Err(error) => return json!({ "ok": false, "error": error }),
    };
    let atoms = molecule.atoms().iter().map(|a| {
        json!([a.element, a.degree, a.hydrogens, a.charge, a.isotope, a.in_ring, a.aromatic])
    });
    let bonds = molecule.bonds().iter().map(|b| json!([b.a, b.b, format!("{:?}", b.kind)]));
    json!({
        "ok": true,
        "atoms": atoms.collect::<Vec<_>>(),
        "bonds": bonds.collect::<Vec<_>>(),
        "scaffold": scaffold_key(&molecule),
    })
}
