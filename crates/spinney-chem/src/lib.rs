//! Molecules to labelled graphs and back, for Spinney.
//!
//! [`toolkit`] reads SMILES and MOL blocks as RDKit does (the `chematic` crate behind it),
//! [`molecule`] is what a molecule is here, [`chemistry`] says which atoms and bonds count as the
//! same.
//!
//! **Architecture Invariant:** no other file than `toolkit.rs` and `draw.rs` names the toolkit; and
//! this crate knows nothing of learning.

pub mod chemistry;
pub mod draw;
mod fast_smiles;
pub mod highlight;
pub mod layout;
pub mod molecule;
pub mod read;
mod role;
pub mod scaffold;
pub mod smarts;
pub mod toolkit;

pub use chemistry::{AtomView, BondView, Chemistry};
pub use molecule::Molecule;
