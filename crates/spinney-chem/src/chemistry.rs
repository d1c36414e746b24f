//! From molecules to labelled graphs: which properties make two atoms, two bonds, the same.
//!
//! A *view* is one way to label atoms. With several views a molecule becomes one graph with a
//! component for each (two for a salt of two ions), so that the search picks the resolution of
//! every pattern by itself. A vertex label's name is an atom in SMARTS, an edge label's name a bond
//! in SMARTS: a pattern read aloud is its SMARTS.
//!
//! **Invariant.** Label names of different views never coincide (each ends in its view's mark), so
//! no pattern mixes views, and a name alone says what it matches.

use std::borrow::Cow;
use std::str::FromStr;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use spinney::Dataset;
use spinney::graph::{Copies, Edge, Graph};
use spinney::labels::{Label, Labels};
use spinney::representation::Representation;
use spinney::representation::covariates::Covariates;

use crate::molecule::{Atom, Bond, BondKind, Molecule};
use crate::role;
use crate::toolkit::{self, symbol};

/// What makes two atoms the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AtomView {
    /// The paper's, RDKit's default invariants: atomic number, heavy-atom degree, hydrogens,
    /// charge, isotope, in a ring or not.
    #[serde(rename = "rdkit")]
    Rdkit,
    /// The element.
    #[serde(rename = "element")]
    Element,
    /// The element, and whether the atom is aromatic.
    #[serde(rename = "element+aromatic")]
    ElementAromatic,
    /// What the atom can do: halogens are alike, so are donors, acceptors, atoms of one charge;
    /// carbon is saturated or not.
    #[serde(rename = "role")]
    Role,
}

/// What makes two bonds the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BondView {
    /// Nothing: all bonds are alike (the paper).
    #[default]
    #[serde(rename = "none")]
    Any,
    /// Single, double, triple, aromatic.
    #[serde(rename = "order")]
    Order,
    /// The order, and whether the bond is in a ring.
    #[serde(rename = "order+ring")]
    OrderRing,
}

impl FromStr for AtomView {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "rdkit" => Ok(AtomView::Rdkit),
            "element" => Ok(AtomView::Element),
            "element+aromatic" => Ok(AtomView::ElementAromatic),
            "role" => Ok(AtomView::Role),
            _ => {
                let all = "rdkit, element, element+aromatic or role";
                Err(format!("{s:?} is no atom labelling: {all}"))
            }
        }
    }
}

impl FromStr for BondView {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "none" => Ok(BondView::Any),
            "order" => Ok(BondView::Order),
            "order+ring" => Ok(BondView::OrderRing),
            _ => Err(format!("{s:?} is no bond labelling: none, order or order+ring")),
        }
    }
}

/// How molecules become graphs. Saved with a model and applied at prediction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chemistry {
    /// The views; each is a component of its own.
    pub atoms: Vec<AtomView>,
    /// How bonds are labelled, in every view.
    pub bonds: BondView,
    /// Whether only the largest fragment of a mixture is kept.
    pub largest_fragment: bool,
    /// Whether hydrogens are atoms of the graph, not just counts.
    pub hydrogens: bool,
    /// Columns of numbers beside the molecules.
    #[serde(default, skip_serializing_if = "Covariates::is_empty")]
    pub covariates: Covariates,
}

impl Default for Chemistry {
    fn default() -> Self {
        Chemistry {
            atoms: vec![AtomView::Rdkit],
            bonds: BondView::Any,
            largest_fragment: false,
            hydrogens: false,
            covariates: Covariates::default(),
        }
    }
}

impl Chemistry {
    /// What works best: atoms as in RDKit's default invariants, by element alone, and by what they
    /// can do.
    #[must_use]
    pub fn best() -> Self {
        let atoms = vec![AtomView::Rdkit, AtomView::Element, AtomView::Role];
        Chemistry { atoms, ..Chemistry::default() }
    }

    /// The settings kept in a model, if it was trained on molecules.
    ///
    /// # Errors
    /// If the model keeps something that this version does not understand.
    pub fn of_model(model: &spinney::Model) -> spinney::Result<Option<Chemistry>> {
        if spinney::representation::views::Views::of_model(model).is_some() {
            return Ok(None);
        }
        let Some(kept) = model.representation() else { return Ok(None) };
        let strange = |reason: &str| {
            let what = "the model's chemistry settings are not understood";
            spinney::Error::data(format!("{what}: {reason}"))
        };
        let kept: Chemistry =
            serde_json::from_value(kept.clone()).map_err(|e| strange(&e.to_string()))?;
        // A stranger's model must not make a graph a million times as large.
        let repeats = (1..kept.atoms.len()).any(|i| kept.atoms[..i].contains(&kept.atoms[i]));
        if kept.atoms.is_empty() || repeats {
            return Err(strange("views of atoms are missing or repeat"));
        }
        if !kept.covariates.are_sound() {
            return Err(strange("cuts of covariates are too many or do not ascend"));
        }
        Ok(Some(kept))
    }

    /// Reads a SMILES as RDKit would, with hydrogens as atoms if they are wanted.
    ///
    /// # Errors
    /// Says why it is no molecule.
    pub fn molecule(&self, smiles: &str) -> Result<Molecule, String> {
        if self.hydrogens { toolkit::with_hydrogens(smiles) } else { toolkit::from_smiles(smiles) }
    }

    /// The graph of a molecule, without covariates; new labels are added to `labels`.
    #[must_use]
    pub fn graph(&self, molecule: &Molecule, labels: &mut Labels) -> Graph {
        let mut scribe = Scribe { labels: std::mem::take(labels), ..Scribe::default() };
        let graph = self.graph_by(molecule, &mut scribe);
        *labels = scribe.labels;
        graph
    }

    /// The same, by a scribe who remembers the labels of atoms seen before.
    pub(crate) fn graph_by(&self, molecule: &Molecule, scribe: &mut Scribe) -> Graph {
        let largest;
        let molecule = if self.largest_fragment {
            largest = molecule.largest_fragment();
            &largest
        } else {
            molecule
        };
        let atoms = molecule.atoms();
        let bonds = molecule.bonds();
        let mut vertices = Vec::with_capacity(atoms.len() * self.atoms.len());
        let mut edges = Vec::with_capacity(bonds.len() * self.atoms.len());
        for &view in &self.atoms {
            let start = vertices.len() as u32;
            vertices.extend(atoms.iter().map(|atom| scribe.atom(view, atom)));
            edges.extend(bonds.iter().map(|bond| {
                let label = scribe.bond(self.bonds, bond);
                Edge { u: start + bond.a, v: start + bond.b, label }
            }));
        }
        Graph::new(vertices, edges)
    }

    /// Whether labels look at aromaticity or bond orders.
    pub(crate) fn looks_at_orders(&self) -> bool {
        self.bonds != BondView::Any || self.atoms.contains(&AtomView::ElementAromatic)
    }

    /// The atoms of the molecule that the vertices of one view of [`Chemistry::graph`] stand for.
    #[must_use]
    pub fn atoms_of_vertices(&self, molecule: &Molecule) -> Vec<u32> {
        if self.largest_fragment {
            molecule.largest_fragment_atoms()
        } else {
            (0..molecule.atoms().len() as u32).collect()
        }
    }

    /// What of a molecule's graph, covariates included, is copies of it: one a view.
    #[must_use]
    pub fn copies(&self) -> Copies {
        Copies { count: Representation::copies(self), apart: self.covariates.vertices() }
    }
}

impl Representation for Chemistry {
    /// Molecules are in their views as soon as they are read.
    fn views<'d>(&self, data: &'d Dataset) -> Cow<'d, Dataset> {
        Cow::Borrowed(data)
    }

    fn copies(&self) -> usize {
        self.atoms.len().max(1)
    }

    fn covariates(&self) -> &Covariates {
        &self.covariates
    }

    fn set_covariates(&mut self, covariates: Covariates) {
        self.covariates = covariates;
    }

    fn to_json(&self) -> Option<serde_json::Value> {
        Some(serde_json::json!(self))
    }
}

/// Writes labels; each kind of atom and bond is spelled out only once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scribe {
    pub(crate) labels: Labels,
    atoms: FxHashMap<(AtomView, u64), Label>,
    bonds: FxHashMap<(BondView, BondKind, bool), Label>,
}

impl Scribe {
    fn atom(&mut self, view: AtomView, atom: &Atom) -> Label {
        let names = &mut self.labels.vertex;
        let new = || names.intern(&atom_label(view, atom));
        *self.atoms.entry((view, kind_of(atom))).or_insert_with(new)
    }

    fn bond(&mut self, view: BondView, bond: &Bond) -> Label {
        let names = &mut self.labels.edge;
        let new = || names.intern(bond_label(view, bond));
        *self.bonds.entry((view, bond.kind, bond.in_ring)).or_insert_with(new)
    }
}

/// All of an atom's properties as one number.
fn kind_of(atom: &Atom) -> u64 {
    let Atom { element, degree, hydrogens, charge, isotope, in_ring, aromatic } = *atom;
    let bytes = [element, degree, hydrogens, charge.cast_unsigned()];
    let flags = u16::from(in_ring) | u16::from(aromatic) << 1;
    u64::from(u32::from_le_bytes(bytes)) | u64::from(isotope) << 32 | u64::from(flags) << 48
}

/// An atom as a SMARTS atom.
#[must_use]
pub fn atom_label(view: AtomView, atom: &Atom) -> String {
    match view {
        AtomView::Rdkit => {
            let Atom { element, degree, hydrogens, charge, isotope, .. } = *atom;
            let ring = if atom.in_ring { "R" } else { "!R" };
            // All neighbours, hydrogens included: with H this fixes the heavy ones. (RDKit's own
            // `d` would count deuterium as heavy.)
            let total = u16::from(degree) + u16::from(hydrogens);
            format!("[#{element}&X{total}&H{hydrogens}&{charge:+}&{isotope}*&{ring}]")
        }
        AtomView::Element => format!("[#{}]", atom.element),
        AtomView::ElementAromatic => {
            let kind = if atom.aromatic { "a" } else { "A" };
            format!("[#{}&{kind}]", atom.element)
        }
        AtomView::Role => role::label(atom),
    }
}

/// A bond as a SMARTS bond.
#[must_use]
pub fn bond_label(view: BondView, bond: &Bond) -> &'static str {
    match (view, bond.kind, bond.in_ring) {
        (BondView::Any, _, _) => "~",
        (BondView::Order, BondKind::Single, _) => "-",
        (BondView::Order, BondKind::Double, _) => "=",
        (BondView::Order, BondKind::Triple, _) => "#",
        (BondView::Order, BondKind::Aromatic, _) => ":",
        (BondView::Order, BondKind::Dative | BondKind::Other, _) => "!-&!=&!#&!:",
        (BondView::OrderRing, BondKind::Single, true) => "-&@",
        (BondView::OrderRing, BondKind::Single, false) => "-&!@",
        (BondView::OrderRing, BondKind::Double, true) => "=&@",
        (BondView::OrderRing, BondKind::Double, false) => "=&!@",
        (BondView::OrderRing, BondKind::Triple, true) => "#&@",
        (BondView::OrderRing, BondKind::Triple, false) => "#&!@",
        (BondView::OrderRing, BondKind::Aromatic, true) => ":&@",
        (BondView::OrderRing, BondKind::Aromatic, false) => ":&!@",
        (BondView::OrderRing, BondKind::Dative | BondKind::Other, true) => "!-&!=&!#&!:&@",
        (BondView::OrderRing, BondKind::Dative | BondKind::Other, false) => "!-&!=&!#&!:&!@",
    }
}

/// A short name of a label for people: `C`, `c`, `N+`, `Hal`; other names as they are.
#[must_use]
pub fn short_name(label: &str) -> String {
    if let Some(role) = role::of_label(label) {
        return role.name.to_owned();
    }
    if let Some(charge) = role::charge_of_label(label) {
        return match charge {
            1 => "*+".to_owned(),
            -1 => "*-".to_owned(),
            _ => format!("*{charge:+}"),
        };
    }
    let Some(inner) = label.strip_prefix("[#").and_then(|l| l.strip_suffix(']')) else {
        return label.to_owned();
    };
    let mut parts = inner.split('&');
    let element = parts.next().and_then(|n| n.parse().ok()).map_or("*", symbol);
    let mut name = element.to_owned();
    for part in parts {
        match part {
            "a" => name = name.to_lowercase(),
            "+0" => {}
            "+1" => name.push('+'),
            "-1" => name.push('-'),
            _ if part.starts_with(['+', '-']) => name += part,
            _ => {}
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::{AtomView, BondView, Chemistry, short_name};
    use crate::toolkit::from_smiles;
    use spinney::labels::Labels;
    use spinney::representation::Representation;

    #[test]
    fn labels_are_smarts_atoms() {
        let molecule = from_smiles("C[N+](C)(C)Cc1ccccc1").unwrap();
        let mut labels = Labels::default();
        let graph = Chemistry::default().graph(&molecule, &mut labels);
        assert_eq!(graph.vertex_count(), 11);
        let name = |v| labels.vertex.name(graph.label(v));
        assert_eq!(name(0), "[#6&X4&H3&+0&0*&!R]");
        assert_eq!(name(1), "[#7&X4&H0&+1&0*&!R]");
        assert_eq!(name(5), "[#6&X3&H0&+0&0*&R]");
        assert_eq!(labels.edge.names(), ["~"]);
    }

    #[test]
    fn views_are_components_of_their_own() {
        let molecule = from_smiles("CC=O").unwrap();
        let mut labels = Labels::default();
        let chemistry = Chemistry {
            atoms: vec![AtomView::Rdkit, AtomView::Element],
            bonds: BondView::Order,
            ..Chemistry::default()
        };
        let graph = chemistry.graph(&molecule, &mut labels);
        assert_eq!((graph.vertex_count(), graph.edge_count()), (6, 4));
        assert!(graph.neighbors(2).iter().all(|n| n.vertex < 3));
        assert_eq!(chemistry.copies().count, 2);
        let salt = from_smiles("[Na+].CC(=O)[O-]").unwrap();
        assert_eq!(chemistry.atoms_of_vertices(&salt), [0, 1, 2, 3, 4]);
        let largest = Chemistry { largest_fragment: true, ..chemistry.clone() };
        assert_eq!(largest.atoms_of_vertices(&salt), [1, 2, 3, 4]);
        assert_eq!(labels.vertex.len(), 3 + 2);
    }

    #[test]
    fn hydrogens_are_atoms_if_asked_for() {
        let chemistry = Chemistry { hydrogens: true, ..Chemistry::default() };
        let methanol = chemistry.molecule("CO").unwrap();
        let graph = chemistry.graph(&methanol, &mut Labels::default());
        assert_eq!((graph.vertex_count(), graph.edge_count()), (6, 5));
        assert_eq!((methanol.atoms()[0].degree, methanol.atoms()[0].hydrogens), (1, 3));
        assert!(chemistry.molecule("C1C").is_err());
    }

    #[test]
    fn settings_survive_json_and_names_are_short() {
        let chemistry = Chemistry { bonds: BondView::OrderRing, ..Chemistry::default() };
        let back: Chemistry = serde_json::from_value(chemistry.to_json().unwrap()).unwrap();
        assert_eq!(back, chemistry);
        assert_eq!(short_name("[#7&X4&H0&+1&0*&!R]"), "N+");
        assert_eq!(short_name("[#6&a]"), "c");
        assert_eq!(short_name("D"), "D");
        assert_eq!(short_name("[#9,#17,#35,#53;+0]"), "Hal");
        assert_eq!((&*short_name("[+1]"), &*short_name("[-2]")), ("*+", "*-2"));
        assert!("rings".parse::<AtomView>().is_err());
    }
}
