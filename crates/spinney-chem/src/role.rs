//! What an atom can do, coarsely: the atoms of the view `role`.
//!
//! Halogens are alike, and so are nitrogen, oxygen and sulphur with a hydrogen to give, and
//! without; carbon is saturated or not; rings count where electrons are shared. Charged atoms are
//! alike by their charge. It is to patterns what feature classes are to fingerprints (FCFP): what
//! is learnt of chlorine is known of bromine.
//!
//! **Invariant.** Every atom has exactly one role, and its label is a SMARTS atom that matches just
//! the atoms of that role. No role needs aromaticity or bond orders.

use crate::molecule::Atom;

/// A role: its label, what people call it, and whether it is one in a ring.
pub(crate) struct Role {
    pub(crate) label: &'static str,
    pub(crate) name: &'static str,
    pub(crate) in_ring: bool,
}

const fn role(label: &'static str, name: &'static str, in_ring: bool) -> Role {
    Role { label, name, in_ring }
}

const SATURATED: usize = 0;
const UNSATURATED: usize = 1;
const HALOGEN: usize = 3;
const DONOR: usize = 4;
const ACCEPTOR: usize = 6;
const OTHER: usize = 8;

/// The roles of neutral atoms. Where rings count, the one in a ring follows.
const ROLES: [Role; 9] = [
    role("[#6&X4&+0]", "C", false),
    role("[#6&!X4&+0&!R]", "C=", false),
    role("[#6&!X4&+0&R]", "C=", true),
    role("[#9,#17,#35,#53;+0]", "Hal", false),
    role("[#7,#8,#16;!H0;+0;!R]", "Don", false),
    role("[#7,#8,#16;!H0;+0;R]", "Don", true),
    role("[#7,#8,#16;H0;+0;!R]", "Acc", false),
    role("[#7,#8,#16;H0;+0;R]", "Acc", true),
    role("[!#6;!#7;!#8;!#9;!#16;!#17;!#35;!#53;+0]", "Oth", false),
];

/// The label of an atom's role.
pub(crate) fn label(atom: &Atom) -> String {
    if atom.charge != 0 {
        return format!("[{:+}]", atom.charge);
    }
    let ring = usize::from(atom.in_ring);
    let role = match atom.element {
        6 if u16::from(atom.degree) + u16::from(atom.hydrogens) == 4 => SATURATED,
        6 => UNSATURATED + ring,
        9 | 17 | 35 | 53 => HALOGEN,
        7 | 8 | 16 if atom.hydrogens > 0 => DONOR + ring,
        7 | 8 | 16 => ACCEPTOR + ring,
        _ => OTHER,
    };
    ROLES[role].label.to_owned()
}

/// The role of a neutral atom by its label.
pub(crate) fn of_label(label: &str) -> Option<&'static Role> {
    ROLES.iter().find(|role| role.label == label)
}

/// The label of an atom of which only the charge matters: `[+1]`.
pub(crate) fn charge_of_label(label: &str) -> Option<i8> {
    let inner = label.strip_prefix('[')?.strip_suffix(']')?;
    let charge: i8 = inner.parse().ok()?;
    (charge != 0 && inner == format!("{charge:+}")).then_some(charge)
}

#[cfg(test)]
mod tests {
    use super::{ROLES, charge_of_label, label, of_label};
    use crate::toolkit::from_smiles;

    #[test]
    fn atoms_have_the_roles_that_chemists_would_give() {
        let roles = |smiles: &str| -> Vec<String> {
            let molecule = from_smiles(smiles).unwrap();
            let name = |label: String| match of_label(&label) {
                Some(role) => format!("{}{}", role.name, if role.in_ring { "r" } else { "" }),
                None => charge_of_label(&label).unwrap().to_string(),
            };
            molecule.atoms().iter().map(label).map(name).collect()
        };
        assert_eq!(roles("CC(=O)N"), ["C", "C=", "Acc", "Don"]);
        assert_eq!(roles("ClCCBr"), ["Hal", "C", "C", "Hal"]);
        assert_eq!(roles("c1cc[nH]c1"), ["C=r", "C=r", "C=r", "Donr", "C=r"]);
        assert_eq!(roles("C1CCOC1")[3], "Accr");
        assert_eq!(roles("[O-][N+](C)=O"), ["-1", "1", "C", "Acc"]);
        assert_eq!(roles("[Na+].[SiH4].P"), ["1", "Oth", "Oth"]);
        assert_eq!(roles("[CH3]"), ["C="]);
    }

    #[test]
    fn labels_are_told_apart() {
        for (i, role) in ROLES.iter().enumerate() {
            assert!(ROLES[..i].iter().all(|before| before.label != role.label));
        }
        assert_eq!((charge_of_label("[+1]"), charge_of_label("[-2]")), (Some(1), Some(-2)));
        for other in ["[+0]", "[1]", "[++1]", "[+01]", "[#6]", "+1", "[]", "[+999]"] {
            assert_eq!(charge_of_label(other), None, "{other}");
        }
    }
}
