//! The column that stands for a class in a split.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::mining::DfsCode;
use crate::mining::classes::{ClassId, Column};

/// A class's simplest column: fewest edges, then smallest code, then lowest threshold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Simplest {
    /// The pattern's smallest DFS code.
    pub code: DfsCode,
    /// Its number in the engine, and the threshold.
    pub column: Column,
}

impl Simplest {
    fn key(&self) -> (usize, &DfsCode, u32) {
        (self.code.edge_count(), &self.code, self.column.at_least)
    }

    /// Whether this is the simpler of two.
    #[must_use]
    pub(crate) fn is_simpler_than(&self, other: &Simplest) -> bool {
        self.key() < other.key()
    }
}

/// The simplest columns found so far, by class.
#[derive(Debug, Default)]
pub(super) struct SimplestColumns(Mutex<FxHashMap<ClassId, Arc<Simplest>>>);

impl SimplestColumns {
    /// The simplest column of a class, found and remembered if it is not known.
    pub(super) fn get(&self, class: ClassId, find: impl FnOnce() -> Simplest) -> Arc<Simplest> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().get(&class).cloned();
        found.unwrap_or_else(|| {
            let simplest = Arc::new(find());
            known().insert(class, Arc::clone(&simplest));
            simplest
        })
    }

    /// Forgets a class whose members changed.
    pub(super) fn forget(&mut self, class: ClassId) {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).remove(&class);
    }
}

/// The simplest of some columns, at least one; `code` decodes a pattern.
pub(super) fn simplest_of(
    columns: impl Iterator<Item = Column>,
    mut code: impl FnMut(u32) -> DfsCode,
) -> Simplest {
    let mut best: Option<Simplest> = None;
    for column in columns {
        let candidate = Simplest { code: code(column.pattern), column };
        if best.as_ref().is_none_or(|b| candidate.is_simpler_than(b)) {
            best = Some(candidate);
        }
    }
    best.expect("a class that is scored has members")
}
