//! Draws molecules and patterns, for the eye.
//!
//! `draw DIR` reads lines from standard input: a SMILES, then (after spaces) the atoms to
//! highlight. Writes `DIR/N.svg`, the molecule, and `DIR/N-VIEW.svg`: the highlighted atoms as a
//! pattern under some labellings (if they are connected).

use std::fs;
use std::io::{self, BufRead};
use std::path::Path;

use spinney::labels::Labels;
use spinney::mining::Canonizer;
use spinney_chem::draw::{molecule_svg, pattern_svg};
use spinney_chem::toolkit::from_smiles;
use spinney_chem::{AtomView, BondView, Chemistry};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args().nth(1).ok_or("usage: draw DIR < lines")?;
    for (n, line) in io::stdin().lock().lines().enumerate() {
        let line = line?;
        let mut words = line.split_whitespace();
        let smiles = words.next().unwrap_or_default();
        let mut atoms: Vec<u32> = words.map(str::parse).collect::<Result<_, _>>()?;
        atoms.sort_unstable();
        fs::write(Path::new(&dir).join(format!("{n}.svg")), molecule_svg(smiles, &atoms)?)?;
        let part = from_smiles(smiles)?.part(&atoms);
        if part.fragments().len() != 1 {
            continue;
        }
        for (name, view, bonds) in [
            ("rdkit", AtomView::Rdkit, BondView::Any),
            ("element", AtomView::Element, BondView::Order),
            ("aromatic", AtomView::ElementAromatic, BondView::OrderRing),
        ] {
            let chemistry = Chemistry { atoms: vec![view], bonds, ..Chemistry::default() };
            let mut labels = Labels::default();
            let graph = chemistry.graph(&part, &mut labels);
            let code = Canonizer::new().canonical(&graph).code;
            let file = Path::new(&dir).join(format!("{n}-{name}.svg"));
            fs::write(file, pattern_svg(&code, &labels))?;
        }
    }
    Ok(())
}
