//! Molecules and patterns as SVG.
//!
//! The toolkit places the atoms; lines and texts are ours, because a pattern is no molecule: its
//! atoms may leave bonds, hydrogens or charges open. What is drawn is what the pattern says:
//! - every atom of a pattern is written out, with hydrogens and charge where its label names them,
//!   in small letters if it must be aromatic;
//! - a dotted stub is a neighbour that the atom has outside the pattern;
//! - a highlighted atom or bond must lie in a ring; a plain grey line is a bond of any kind.
//!
//! **Invariant.** The same input gives the same text; atom `i` of a molecule is atom `i` of
//! [`crate::toolkit::from_smiles`]. Texts are escaped.
//!
//! **Cost.** The toolkit's layout; the rest is linear.

use std::borrow::Cow;

use chematic::core::{
    Atom, AtomIdx, BondOrder, Element, Molecule, MoleculeBuilder, apply_kekule, kekulize,
};
use chematic::depict;
use spinney::labels::Labels;
use spinney::mining::DfsCode;

use crate::highlight::Highlights;
use crate::layout::{Canvas, Point, Stroke, graph_svg, text_width};
use crate::role;
use crate::smarts::{is_atom, is_bond, smarts};
use crate::toolkit::{convert, from_smiles, parsed, symbol};

const RING: &str = "#dfe9f7";
const INK: &str = "#222";

/// An atom on paper.
#[derive(Debug, Default)]
struct Drawn {
    at: Point,
    /// Empty for a carbon that the lines show.
    symbol: String,
    hydrogens: u8,
    charge: i32,
    isotope: u16,
    element: u8,
    /// Colour behind it.
    highlight: Option<Cow<'static, str>>,
    /// Neighbours outside the picture.
    stubs: usize,
    tooltip: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Any,
    Single,
    Double,
    Triple,
    Aromatic,
    Other,
}

#[derive(Clone, Debug)]
struct Line {
    a: usize,
    b: usize,
    kind: Kind,
    highlight: Option<Cow<'static, str>>,
}

/// A molecule as SVG, with some of its atoms (and the bonds between them) highlighted.
///
/// # Errors
/// Says why the SMILES is no molecule.
pub fn molecule_svg(text: &str, highlighted: &[u32]) -> Result<String, String> {
    let mut highlights = Highlights::default();
    highlighted.iter().for_each(|&v| highlights.mark_vertex(v));
    let molecule = from_smiles(text)?;
    for bond in molecule.bonds() {
        if highlighted.contains(&bond.a) && highlighted.contains(&bond.b) {
            highlights.mark_edge(bond.a, bond.b);
        }
    }
    highlighted_svg(text, &highlights)
}

/// A molecule as SVG, with its atoms coloured by weight: see [`Highlights::weigh_vertex`]. Atoms
/// without a weight stay plain.
///
/// # Errors
/// Says why the SMILES is no molecule.
pub fn weighted_svg(text: &str, weights: &[f64]) -> Result<String, String> {
    let largest = weights.iter().filter(|w| w.is_finite()).fold(0.0, |a: f64, w| a.max(w.abs()));
    let mut highlights = Highlights::default();
    for (v, &weight) in weights.iter().enumerate() {
        highlights.weigh_vertex(v as u32, weight / largest);
    }
    highlighted_svg(text, &highlights)
}

/// A molecule with a highlight behind some atoms and bonds.
///
/// # Errors
/// Says why the SMILES is no molecule.
pub fn highlighted_svg(text: &str, highlights: &Highlights) -> Result<String, String> {
    let read = parsed(text)?;
    let fragments = convert(&read).fragments();
    let shown = kekulize(&read).map_or_else(|_| read.clone(), |found| apply_kekule(&read, &found));
    let layout = depict::compute_layout(&shown);
    let mut places: Vec<Point> =
        read.atoms().map(|(v, _)| layout.get(v)).map(|p| Point::new(p.x, p.y)).collect();
    side_by_side(&mut places, &fragments);
    let atoms = read.atoms().map(|(v, atom)| {
        let element = if atom.wildcard { 0 } else { atom.element.atomic_number() };
        let plain = element == 6 && atom.charge == 0 && atom.isotope.is_none();
        let hidden = plain && read.degree(v) > 0 && !is_straight(&shown, v);
        Drawn {
            at: places[v.0 as usize],
            symbol: if hidden { String::new() } else { symbol(element).to_owned() },
            hydrogens: if hidden { 0 } else { atom.hydrogen_count.unwrap_or(0) },
            charge: atom.charge.into(),
            isotope: atom.isotope.unwrap_or(0),
            element,
            highlight: highlights.vertex(v.0),
            ..Drawn::default()
        }
    });
    let lines = shown.bonds().map(|(_, bond)| Line {
        a: bond.atom1.0 as usize,
        b: bond.atom2.0 as usize,
        kind: kind(bond.order),
        highlight: highlights.edge(bond.atom1.0, bond.atom2.0),
    });
    Ok(picture(&atoms.collect::<Vec<_>>(), &lines.collect::<Vec<_>>(), text.trim()))
}

/// Moves the fragments of a molecule beside each other, the largest first: the toolkit lays them
/// over each other.
fn side_by_side(places: &mut [Point], fragments: &[Vec<u32>]) {
    const APART: f64 = 45.0;
    if fragments.len() < 2 {
        return;
    }
    let mut order: Vec<&Vec<u32>> = fragments.iter().collect();
    order.sort_by_key(|fragment| std::cmp::Reverse(fragment.len()));
    let mut left = 0.0;
    for fragment in order {
        let own = || fragment.iter().map(|&v| places[v as usize]);
        let low = own()
            .fold(Point::new(f64::MAX, f64::MAX), |a, p| Point::new(a.x.min(p.x), a.y.min(p.y)));
        let high = own()
            .fold(Point::new(f64::MIN, f64::MIN), |a, p| Point::new(a.x.max(p.x), a.y.max(p.y)));
        let shift = Point::new(left - low.x, -(low.y + high.y) / 2.0);
        for &v in fragment {
            places[v as usize] = places[v as usize].plus(shift, 1.0);
        }
        left += high.x - low.x + APART;
    }
}

/// Whether the bonds of `v` lie on one line, so that it would not be seen (C=C=C, C#C).
fn is_straight(molecule: &Molecule, v: AtomIdx) -> bool {
    let orders = molecule.neighbors(v).map(|(_, bond)| molecule.bond(bond).order);
    let orders: Vec<BondOrder> = orders.collect();
    orders.len() == 2 && orders.iter().all(|&o| o == BondOrder::Double)
}

fn kind(order: BondOrder) -> Kind {
    match order {
        BondOrder::Single | BondOrder::Up | BondOrder::Down => Kind::Single,
        BondOrder::Double => Kind::Double,
        BondOrder::Triple => Kind::Triple,
        BondOrder::Aromatic => Kind::Aromatic,
        _ => Kind::Other,
    }
}

/// A pattern as SVG: as a piece of a molecule if its labels are SMARTS atoms and bonds, else as a
/// graph.
#[must_use]
pub fn pattern_svg(code: &DfsCode, labels: &Labels) -> String {
    let Some(title) = smarts(code, labels) else { return graph_svg(code, labels) };
    let mut atoms: Vec<Drawn> = code
        .vertex_labels()
        .into_iter()
        .map(|label| atom_of_label(labels.vertex.name(label)))
        .collect();
    let lines: Vec<Line> = code
        .edges()
        .iter()
        .map(|e| {
            let (kind, highlight) = bond_of_label(labels.edge.name(e.edge_label));
            Line { a: e.from.into(), b: e.to.into(), kind, highlight }
        })
        .collect();
    for line in &lines {
        atoms[line.a].stubs = atoms[line.a].stubs.saturating_sub(1);
        atoms[line.b].stubs = atoms[line.b].stubs.saturating_sub(1);
    }
    place_pattern(&mut atoms, &lines);
    picture(&atoms, &lines, &title)
}

/// Lets the toolkit place the atoms of a pattern, wider apart than a molecule's: all have texts.
fn place_pattern(atoms: &mut [Drawn], lines: &[Line]) {
    const WIDER: f64 = 1.35;
    let mut builder = MoleculeBuilder::new();
    for atom in &*atoms {
        let element = Element::from_atomic_number(atom.element);
        builder.add_atom(element.map_or_else(Atom::wildcard, Atom::new));
    }
    for line in lines {
        let order = match line.kind {
            Kind::Double => BondOrder::Double,
            Kind::Triple => BondOrder::Triple,
            _ => BondOrder::Single,
        };
        // The code was checked: the ends are atoms, and different.
        let _ = builder.add_bond(AtomIdx(line.a as u32), AtomIdx(line.b as u32), order);
    }
    let layout = depict::compute_layout(&builder.build());
    for (v, atom) in atoms.iter_mut().enumerate() {
        let place = layout.get(AtomIdx(v as u32));
        atom.at = Point::new(place.x * WIDER, place.y * WIDER);
    }
}

/// What a label of [`crate::chemistry::atom_label`] says.
fn atom_of_label(label: &str) -> Drawn {
    debug_assert!(is_atom(label), "{label}");
    if let Some(role) = role::of_label(label) {
        let highlight = role.in_ring.then_some(Cow::Borrowed(RING));
        let symbol = role.name.to_owned();
        let tooltip = label.to_owned();
        return Drawn { symbol, highlight, tooltip, ..Drawn::default() };
    }
    if let Some(charge) = role::charge_of_label(label) {
        let symbol = symbol(0).to_owned();
        let tooltip = label.to_owned();
        return Drawn { symbol, charge: charge.into(), tooltip, ..Drawn::default() };
    }
    let inner = label.trim_start_matches("[#").trim_end_matches(']');
    let mut parts = inner.split('&');
    let element = parts.next().and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut atom = Drawn { element, symbol: symbol(element).to_owned(), ..Drawn::default() };
    let mut connections = 0;
    for part in parts {
        let (first, rest) = part.split_at(1);
        let number = rest.parse().unwrap_or(0);
        match first {
            "a" => atom.symbol = atom.symbol.to_lowercase(),
            "R" => atom.highlight = Some(Cow::Borrowed(RING)),
            "d" => atom.stubs = number,
            "X" => connections = number,
            "H" => atom.hydrogens = u8::try_from(number).unwrap_or(u8::MAX),
            "+" | "-" => atom.charge = part.parse().unwrap_or(0),
            _ => {}
        }
        if let Some(isotope) = part.strip_suffix('*') {
            atom.isotope = isotope.parse().unwrap_or(0);
        }
    }
    atom.stubs = atom.stubs.max(connections.saturating_sub(atom.hydrogens.into())).min(8);
    label.clone_into(&mut atom.tooltip);
    atom
}

/// What a label of [`crate::chemistry::bond_label`] says.
fn bond_of_label(label: &str) -> (Kind, Option<Cow<'static, str>>) {
    debug_assert!(is_bond(label), "{label}");
    let highlight = (label.ends_with("&@")).then_some(Cow::Borrowed(RING));
    let kind = match label.trim_end_matches("&@").trim_end_matches("&!@") {
        "~" => Kind::Any,
        "-" => Kind::Single,
        "=" => Kind::Double,
        "#" => Kind::Triple,
        ":" => Kind::Aromatic,
        _ => Kind::Other,
    };
    (kind, highlight)
}

fn picture(atoms: &[Drawn], lines: &[Line], title: &str) -> String {
    let mut canvas = Canvas::new();
    let mut around: Vec<Vec<Point>> = vec![Vec::new(); atoms.len()];
    for line in lines {
        around[line.a].push(atoms[line.b].at);
        around[line.b].push(atoms[line.a].at);
        if let Some(highlight) = &line.highlight {
            canvas.line(atoms[line.a].at, atoms[line.b].at, Stroke::solid(highlight, 13.0));
        }
    }
    for atom in atoms {
        if let Some(highlight) = &atom.highlight {
            canvas.disk(atom.at, 13.0, highlight, "none");
        }
    }
    for (atom, around) in atoms.iter().zip(&mut around) {
        draw_stubs(&mut canvas, atom, around);
    }
    for line in lines {
        draw_bond(&mut canvas, atoms, line, &around);
    }
    for (atom, around) in atoms.iter().zip(&around) {
        draw_text(&mut canvas, atom, around);
    }
    canvas.finish(title)
}

/// Dotted stubs in the middle of the widest gaps; their ends are added to what is around the atom.
fn draw_stubs(canvas: &mut Canvas, atom: &Drawn, around: &mut Vec<Point>) {
    const LENGTH: f64 = 25.0;
    for _ in 0..atom.stubs {
        let angle = widest_gap(atom.at, around);
        let way = Point::new(angle.cos(), angle.sin());
        let start = atom.at.plus(way, gap(atom));
        let end = atom.at.plus(way, LENGTH);
        let stroke = Stroke { colour: "#999", width: 1.6, dash: Some((0.5, 4.0)) };
        canvas.line(start, end, stroke);
        around.push(end);
    }
}

/// The direction farthest from all neighbours.
fn widest_gap(at: Point, around: &[Point]) -> f64 {
    use std::f64::consts::TAU;
    let angle = |p: &Point| (p.y - at.y).atan2(p.x - at.x).rem_euclid(TAU);
    let mut angles: Vec<f64> = around.iter().map(angle).collect();
    angles.sort_by(f64::total_cmp);
    let Some((&first, &last)) = angles.first().zip(angles.last()) else { return 0.0 };
    let mut start = last;
    let mut width = first + TAU - last;
    for pair in angles.windows(2) {
        if pair[1] - pair[0] > width + 1e-6 {
            (start, width) = (pair[0], pair[1] - pair[0]);
        }
    }
    start + width / 2.0
}

/// How far from an atom's centre its bonds begin: outside the letter, if it has one.
fn gap(atom: &Drawn) -> f64 {
    if atom.symbol.is_empty() { 0.0 } else { 10.0 }
}

fn draw_bond(canvas: &mut Canvas, atoms: &[Drawn], line: &Line, around: &[Vec<Point>]) {
    let a = &atoms[line.a];
    let b = &atoms[line.b];
    let way = a.at.towards(b.at);
    let from = a.at.plus(way, gap(a));
    let to = b.at.plus(way, -gap(b));
    let across = Point::new(-way.y, way.x);
    let solid = Stroke::solid(INK, 1.6);
    let mut draw = |shift: f64, shorter: f64, stroke: Stroke<'_>| {
        let from = from.plus(across, shift);
        let to = to.plus(across, shift);
        canvas.line(from.plus(way, shorter), to.plus(way, -shorter), stroke);
    };
    // The second line of a double bond goes to the side where the neighbours are.
    let inner = |atom: &Drawn| if atom.symbol.is_empty() { 5.0_f64 } else { 1.0 };
    let shorter = inner(a).min(inner(b));
    let side = side(a.at, across, around[line.a].iter().chain(&around[line.b]));
    match (line.kind, side) {
        (Kind::Any, _) => draw(0.0, 0.0, Stroke::solid("#888", 1.6)),
        (Kind::Single, _) => draw(0.0, 0.0, solid),
        (Kind::Double, 0.0) => [-2.4, 2.4].iter().for_each(|&s| draw(s, 0.0, solid)),
        (Kind::Triple, _) => [-4.0, 0.0, 4.0].iter().for_each(|&s| draw(s, 0.0, solid)),
        (Kind::Double, _) => {
            draw(0.0, 0.0, solid);
            draw(5.0 * side, shorter, solid);
        }
        (Kind::Aromatic, _) => {
            draw(0.0, 0.0, solid);
            let side = if side == 0.0 { 1.0 } else { side };
            draw(5.0 * side, shorter, Stroke { dash: Some((4.0, 4.0)), ..solid });
        }
        (Kind::Other, _) => draw(0.0, 0.0, Stroke { dash: Some((7.0, 5.0)), ..solid }),
    }
}

/// On which side of a line most of `points` lie: -1, 1, or 0 if none wins.
fn side<'a>(at: Point, across: Point, points: impl Iterator<Item = &'a Point>) -> f64 {
    let mut balance = 0;
    for p in points {
        let height = (p.x - at.x) * across.x + (p.y - at.y) * across.y;
        balance += i32::from(height > 1.0) - i32::from(height < -1.0);
    }
    f64::from(balance.signum())
}

/// The symbol in its place; hydrogens on the side with fewer neighbours.
fn draw_text(canvas: &mut Canvas, atom: &Drawn, around: &[Point]) {
    if atom.symbol.is_empty() {
        return;
    }
    let hydrogens = match atom.hydrogens {
        0 => String::new(),
        1 => "H".to_owned(),
        n => format!("H{}", raised(&n.to_string(), LOW)),
    };
    let isotope =
        if atom.isotope > 0 { raised(&atom.isotope.to_string(), HIGH) } else { String::new() };
    let charge = match atom.charge {
        0 => String::new(),
        1 => "⁺".to_owned(),
        -1 => "⁻".to_owned(),
        n if n > 0 => raised(&format!("{n}+"), HIGH),
        n => raised(&format!("{}-", -n), HIGH),
    };
    let lean: f64 = around.iter().map(|p| atom.at.towards(*p).x).sum();
    let (before, after) = if lean > 0.3 {
        (format!("{hydrogens}{isotope}"), charge)
    } else {
        (isotope, format!("{hydrogens}{charge}"))
    };
    let shift = (text_width(&after) - text_width(&before)) / 2.0;
    let text = format!("{before}{}{after}", atom.symbol);
    canvas.text(
        atom.at.plus(Point::new(shift, 0.0), 1.0),
        &text,
        colour(atom.element),
        &atom.tooltip,
    );
}

const LOW: [char; 12] = ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉', '₊', '₋'];
const HIGH: [char; 12] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹', '⁺', '⁻'];

fn raised(text: &str, letters: [char; 12]) -> String {
    let letter = |c: char| match c {
        '+' => letters[10],
        '-' => letters[11],
        c => c.to_digit(10).map_or(c, |d| letters[d as usize]),
    };
    text.chars().map(letter).collect()
}

/// The usual colours of the elements, dark enough for text.
fn colour(element: u8) -> &'static str {
    match element {
        7 => "#2144c4",
        8 => "#d0210c",
        9 | 17 => "#1a8a1a",
        15 => "#c46200",
        16 => "#94790a",
        35 => "#8f2b1d",
        53 => "#7b1fa2",
        _ => INK,
    }
}

#[cfg(test)]
mod tests {
    use super::{atom_of_label, molecule_svg, pattern_svg, weighted_svg};
    use crate::{AtomView, BondView, Chemistry};
    use spinney::labels::Labels;
    use spinney::mining::{Canonizer, DfsCode};

    fn pattern(smiles: &str, atoms: AtomView, bonds: BondView) -> (DfsCode, Labels) {
        let chemistry = Chemistry { atoms: vec![atoms], bonds, ..Chemistry::default() };
        let mut labels = Labels::default();
        let molecule = crate::toolkit::from_smiles(smiles).unwrap();
        let graph = chemistry.graph(&molecule, &mut labels);
        (Canonizer::new().canonical(&graph).code, labels)
    }

    #[test]
    fn molecules_show_hetero_atoms_with_hydrogens() {
        let svg = molecule_svg("NCc1ccccc1[N+](=O)[O-]", &[0, 1]).unwrap();
        for text in [">N⁺<", ">O<", ">O⁻<"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        assert!(svg.contains(">H₂N<") || svg.contains(">NH₂<"), "{svg}");
        assert_eq!(svg.matches("#ffd866").count(), 3);
        assert_eq!(svg.matches("<text").count(), 4);
        assert!(molecule_svg("C1CC", &[]).is_err());
        let written_twice = molecule_svg(r"C/C=C\\C", &[]).unwrap();
        // The drawing is named by its SMILES as written.
        let written_twice = written_twice.replace(r"\\", r"\");
        assert_eq!(written_twice, molecule_svg(r"C/C=C\C", &[]).unwrap());
        let weighted = weighted_svg("CCO", &[1.0, 0.0, -0.5]).unwrap();
        assert!(weighted.contains("#e27523") && weighted.contains("#94bedd"), "{weighted}");
        assert!(!weighted_svg("CCO", &[0.0, f64::NAN]).unwrap().contains("<circle"));
        assert!(molecule_svg("C", &[7]).unwrap().contains("CH₄"));
    }

    #[test]
    fn fragments_lie_beside_each_other() {
        let svg = molecule_svg("O.CC(=O)Nc1ccccc1.[Na+].[Cl-]", &[]).unwrap();
        let place = |text: &str| -> f64 {
            let end = svg.find(&format!(">{text}<")).unwrap_or_else(|| panic!("{text}: {svg}"));
            let start = svg[..end].rfind("<text x=\"").unwrap() + 9;
            svg[start..].split('"').next().unwrap().parse().unwrap()
        };
        let far = [place("OH₂"), place("Na⁺"), place("Cl⁻")];
        assert!(far.windows(2).all(|w| w[1] - w[0] > 35.0), "{far:?}");
        assert!(
            ["O", "NH", "HN"]
                .iter()
                .filter(|t| svg.contains(&format!(">{t}<")))
                .all(|t| place(t) < far[0] - 35.0)
        );
    }

    #[test]
    fn patterns_show_what_they_say() {
        let (code, labels) = pattern("CC(=O)O", AtomView::Rdkit, BondView::Order);
        let svg = pattern_svg(&code, &labels);
        assert!(svg.contains("H₃") && svg.matches("<text").count() == 4);
        assert!(!svg.contains("stroke-dasharray"), "nothing lies outside: {svg}");
        let (code, labels) = pattern("c1ccccc1", AtomView::ElementAromatic, BondView::OrderRing);
        let svg = pattern_svg(&code, &labels);
        assert_eq!(svg.matches("</title>c</text>").count(), 6);
        assert_eq!(svg.matches("stroke-dasharray=\"4,4\"").count(), 6);
    }

    #[test]
    fn stubs_are_neighbours_outside() {
        let labels = Labels {
            vertex: ["[#6&X4&H1&+0&0*&!R]".to_owned()].into_iter().collect(),
            ..Labels::default()
        };
        let svg = pattern_svg(&DfsCode::vertex(0), &labels);
        assert_eq!(svg.matches("stroke-dasharray").count(), 3);
        let atom = atom_of_label("[#7&d4&H0&+1&15*&R]");
        assert_eq!((atom.stubs, atom.charge, atom.isotope), (4, 1, 15));
        assert_eq!(atom_of_label("[#8&d1&H0&-1&0*&!R]").charge, -1);
    }

    #[test]
    fn other_graphs_are_drawn_as_graphs() {
        let labels = Labels { vertex: ["A".to_owned()].into_iter().collect(), ..Labels::default() };
        assert!(pattern_svg(&DfsCode::vertex(0), &labels).contains("<circle"));
    }
}
