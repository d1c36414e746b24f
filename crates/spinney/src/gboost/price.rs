//! The stumps that violate the dual most: the patterns with the largest |Σ v_i y_i (2 I_i − 1)|.
//!
//! Explored classes are scanned; a frontier pattern is expanded while its bound (Saigo et al. 2009,
//! theorem 1) is above the worst stump kept. Both engines give the same answer.
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
    pub(super) fn key(&self) -> StumpKey {
        StumpKey { class: self.class, positive: self.edge > 0.0 }
    }

    fn is_better_than(&self, other: &Priced) -> bool {
        let a = self.edge.abs();
        let b = other.edge.abs();
        a > b || a == b && self.signature < other.signature
    }
}

/// Signed weights of the training graphs, v_i y_i.
pub(super) struct Prices<'p> {
    pub(super) signed: &'p [f64],
    pub(super) sum: f64,
    /// Stumps that have joined.
    pub(super) known: &'p FxHashSet<StumpKey>,
}

/// What distinguishes stumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct StumpKey {
    pub(super) class: ClassId,
    /// Whether ω is positive.
    pub(super) positive: bool,
}

/// Which stumps join.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColumnRule {
    /// Their edges are larger than this.
    pub(super) min_edge: f64,
    /// How many there may be.
    pub(super) max_columns: usize,
}

impl Prices<'_> {
    fn price(&self, table: &ClassTable, class: ClassId) -> Priced {
        let mut with = 0.0;
        table.graphs(class).for_each(|p| with += self.signed[p as usize]);
        Priced { class, edge: 2.0 * with - self.sum, signature: table.signature(class) }
    }

    fn bound(&self, table: &ClassTable, class: ClassId) -> f64 {
        let mut positive = 0.0;
        let mut negative = 0.0;
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

/// The stumps that have not joined and may, largest edge first.
pub(super) fn most_violating(
    space: &mut dyn PatternSpace,
    prices: &Prices<'_>,
    rule: ColumnRule,
) -> Vec<Priced> {
    let mut best = BestColumns { rule, kept: Vec::new() };
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
struct BestColumns {
    rule: ColumnRule,
    kept: Vec<Priced>,
}

impl BestColumns {
    /// What must be reached.
    fn bar(&self) -> f64 {
        match self.kept.last() {
            Some(last) if self.kept.len() == self.rule.max_columns => last.edge.abs(),
            _ => self.rule.min_edge,
        }
    }

    fn offer(&mut self, prices: &Prices<'_>, priced: Priced) {
        if priced.edge.abs() <= self.rule.min_edge || priced.edge.abs() < self.bar() {
            return;
        }
        if prices.known.contains(&priced.key()) {
            return;
        }
        let at = self.kept.partition_point(|kept| kept.is_better_than(&priced));
        self.kept.insert(at, priced);
        self.kept.truncate(self.rule.max_columns);
    }
}
