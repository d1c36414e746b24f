//! The stumps that violate the dual most: the patterns with the largest |Σ v_i y_i (2 I_i − 1)|.
//!
//! Explored classes are scanned; a frontier pattern is expanded while its bound (Saigo et al. 2009,
//! theorem 1) promises more than the worst stump kept. Both engines give the same answer.
//!
//! **Bound.** With s = Σ v_i y_i, an extension of a pattern that occurs in D occurs in a part of D,
//! so 2 Σ_part v_i y_i − s ≤ 2 Σ_{D, y = +1} v_i − s, and its negative ≤ 2 Σ_{D, y = −1} v_i + s.

use crate::mining::classes::{ClassId, ClassTable};
use crate::search::space::PatternSpace;
use rustc_hash::FxHashSet;

/// A class and its edge over chance, with a sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Priced {
    pub(super) class: ClassId,
    /// Σ v_i y_i (2 I_i − 1).
    pub(super) edge: f64,
    /// Of the class: settles ties alike in both engines.
    pub(super) signature: u128,
}

impl Priced {
    fn is_better_than(&self, other: &Priced) -> bool {
        let (a, b) = (self.edge.abs(), other.edge.abs());
        a > b || a == b && self.signature < other.signature
    }
}

/// Signed weights of the training graphs, v_i y_i.
pub(super) struct Prices<'p> {
    pub(super) signed: &'p [f64],
    pub(super) sum: f64,
    /// Stumps that have joined: class, and whether ω is positive.
    pub(super) known: &'p FxHashSet<(ClassId, bool)>,
}

impl Prices<'_> {
    fn price(&self, table: &ClassTable, class: ClassId) -> Priced {
        let mut with = 0.0;
        table.graphs(class).for_each(|p| with += self.signed[p as usize]);
        Priced { class, edge: 2.0 * with - self.sum, signature: table.signature(class) }
    }

    fn bound(&self, table: &ClassTable, class: ClassId) -> f64 {
        let (mut positive, mut negative) = (0.0, 0.0);
        table.graphs(class).for_each(|p| {
            let signed = self.signed[p as usize];
            if signed > 0.0 {
                positive += signed;
            } else {
                negative -= signed;
            }
        });
        (2.0 * positive - self.sum).max(2.0 * negative + self.sum)
    }
}

/// Of the stumps that have not joined, the `most` with the largest edge above `least`, largest first.
pub(super) fn most_violating(
    space: &mut dyn PatternSpace,
    prices: &Prices<'_>,
    (least, most): (f64, usize),
) -> Vec<Priced> {
    let mut best = Best { least, most, kept: Vec::new() };
    let table = space.classes();
    let all = (0..table.len() as ClassId).filter(|&c| table.has_member(c));
    all.for_each(|class| best.offer(prices, prices.price(table, class)));
    let Some(space) = space.growing_mut() else { return best.kept };
    let mut waiting: Vec<usize> = (0..space.frontier().len()).collect();
    while let Some(group) = waiting.pop() {
        let open = &space.frontier()[group];
        if !open.is_open() || prices.bound(space.classes(), open.class) < best.bar() {
            continue;
        }
        let changed = space.expand(group);
        let table = space.classes();
        for class in changed.classes.into_iter().filter(|&c| table.has_member(c)) {
            if !best.kept.iter().any(|kept| kept.class == class) {
                best.offer(prices, prices.price(table, class));
            }
        }
        waiting.extend(changed.groups);
    }
    best.kept
}

/// The best so far, best first.
struct Best {
    least: f64,
    most: usize,
    kept: Vec<Priced>,
}

impl Best {
    /// What must be reached.
    fn bar(&self) -> f64 {
        match self.kept.last() {
            Some(last) if self.kept.len() == self.most => last.edge.abs(),
            _ => self.least,
        }
    }

    fn offer(&mut self, prices: &Prices<'_>, priced: Priced) {
        if priced.edge.abs() <= self.least || priced.edge.abs() < self.bar() {
            return;
        }
        if prices.known.contains(&(priced.class, priced.edge > 0.0)) {
            return;
        }
        let at = self.kept.partition_point(|kept| kept.is_better_than(&priced));
        self.kept.insert(at, priced);
        self.kept.truncate(self.most);
    }
}
