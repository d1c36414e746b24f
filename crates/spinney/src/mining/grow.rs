//! Growing a family: the extensions of a child, joined from its parent's and read from the graphs.
//!
//! See [`extend`](crate::mining::extend) for what a family is and why the joins are complete.
//!
//! **Cost.** Lists that can no longer come to the minimum support are given up as soon as that is
//! known, and a pattern that cannot be extended gets no rows. Buffers are kept.

use crate::graph::Graph;
use crate::mining::collect::{CollectedStep, Collector, NewRow};
use crate::mining::dfs_code::{DfsCode, DfsEdge};
use crate::mining::embedding_budget::{EmbeddingBudget, RemainingBudget};
use crate::mining::extend::{CodeStep, Extension, Family, Shape};
use crate::mining::flat::{Flat, StepId};
use crate::mining::join::{Embeddings, Gathered, Hit, JoinedLists, join};
use crate::mining::minimal::{MinimalityTest, Verdict};
use crate::mining::visit::PatternLimits;

/// What must be known of patterns that are not extended further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    /// The graphs that contain them.
    Graphs,
    /// How often, too.
    Counts,
    /// Their embeddings, too.
    Rows,
}

/// Grows families of patterns within limits.
#[derive(Debug)]
pub(crate) struct Grower {
    pub(crate) flat: Flat,
    min_support: usize,
    max_edges: usize,
    detail: Detail,
    test: MinimalityTest,
    collector: Collector,
    budget: EmbeddingBudget,
    left: RemainingBudget,
}

/// A child to be grown: its parent, the extension that makes it and the hits that become its rows.
#[derive(Clone, Copy)]
struct Birth<'a> {
    parent: &'a Family,
    at: usize,
    by: &'a Extension,
    found: &'a Embeddings,
    /// What is kept of its extensions, and whether they are never extended.
    keep: Detail,
    is_last: bool,
}

/// An extension that was met at least once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    from: u16,
    to: u16,
    pub(crate) labelled: StepId,
    slot: usize,
    pub(crate) in_order: bool,
}

impl Candidate {
    fn edge(&self, flat: &Flat) -> DfsEdge {
        let labels = flat.labels(self.labelled);
        DfsEdge {
            from: self.from,
            to: self.to,
            from_label: labels.from,
            edge_label: labels.edge,
            to_label: labels.to,
        }
    }
}

impl Grower {
    /// For the patterns of `graphs` within `limits`; `counting` says for each graph whether it
    /// counts towards the minimum support.
    pub(crate) fn new(
        graphs: &[Graph],
        counting: Vec<bool>,
        limits: PatternLimits,
        detail: Detail,
    ) -> Self {
        let min_support = limits.min_support.max(1);
        Grower {
            flat: Flat::new(graphs, counting, min_support),
            min_support,
            max_edges: limits.max_edges(),
            detail,
            test: MinimalityTest::default(),
            collector: Collector::default(),
            budget: EmbeddingBudget::default(),
            left: RemainingBudget::default(),
        }
    }

    /// Holds growths within a budget from now on.
    pub(crate) fn set_budget(&mut self, budget: EmbeddingBudget) {
        self.budget = budget;
        self.test.set_step_limit(budget.steps);
    }

    /// Raises the minimum support: from now on nothing is found in fewer graphs.
    pub(crate) fn set_min_support(&mut self, min_support: usize) {
        self.min_support = self.min_support.max(min_support);
    }

    /// Whether the last growth ended because a test of a code took too many steps.
    pub(crate) fn gave_up_testing(&self) -> bool {
        self.test.gave_up()
    }

    pub(crate) fn budget(&self) -> &EmbeddingBudget {
        &self.budget
    }

    /// The family of the empty pattern: its extensions are the single vertices, by label.
    pub(crate) fn origin(&self) -> Family {
        self.origin_where(|_| true)
    }

    /// The same in some graphs (ascending) only.
    pub(crate) fn origin_in(&self, graphs: &[u32]) -> Family {
        self.origin_where(|graph| graphs.binary_search(&graph).is_ok())
    }

    fn origin_where(&self, includes: impl Fn(u32) -> bool) -> Family {
        let mut origin = Family::default();
        for alike in self.flat.vertices().chunk_by(|a, b| a.label == b.label) {
            let mut gathered = Gathered::default();
            for v in alike.iter().filter(|v| includes(v.graph)) {
                gathered.add(v.graph, Hit { row: 0, vertex: v.vertex });
            }
            if self.is_frequent(gathered.graphs()) {
                origin.extensions.push(Extension {
                    step: CodeStep::Root(alike[0].label),
                    is_child: true,
                    symmetry: 1,
                    found: gathered.finish(),
                    labelled: 0,
                    in_order: false,
                });
            }
        }
        origin
    }

    fn is_frequent(&self, graphs: &[u32]) -> bool {
        graphs.iter().filter(|g| self.flat.counts(**g)).count() >= self.min_support
    }

    /// The family of the pattern that extension `at` of `parent` makes, whose code is `code`;
    /// `None` if it does not fit into the budget.
    pub(crate) fn grow(&mut self, parent: &Family, at: usize, code: &DfsCode) -> Option<Family> {
        self.grow_where(parent, at, code, &mut |_| true)
    }

    /// The same with the extensions whose graphs are `wanted` only.
    pub(crate) fn grow_where(
        &mut self,
        parent: &Family,
        at: usize,
        code: &DfsCode,
        wanted: &mut dyn FnMut(&[u32]) -> bool,
    ) -> Option<Family> {
        if self.budget.is_late() {
            return None;
        }
        let by = &parent.extensions[at];
        let ordered = parent.in_order(&self.flat, by);
        let is_last = code.edge_count() + 1 >= self.max_edges;
        let birth = Birth {
            parent,
            at,
            by,
            found: ordered.as_ref().unwrap_or(&by.found),
            keep: if is_last { self.detail } else { Detail::Rows },
            is_last,
        };
        let shape = parent.shape.extended(&self.flat, by);
        let mut child = Family { shape, ..Family::default() };
        self.collector.clear(&self.flat);
        self.left = RemainingBudget::all(self.budget, birth.keep == Detail::Rows);
        let joined = self.join_siblings(birth, &child.shape);
        if !self.left.is_out() {
            self.read_rows(birth, &mut child, !joined.is_empty());
        }
        if self.left.is_out() {
            self.collector = Collector::default();
            return None;
        }
        let mut candidates = self.read_candidates(&child.shape);
        candidates.extend(joined);
        candidates.retain(|c| wanted(self.collector.gathered(c.slot).graphs()));
        if !candidates.is_empty() {
            self.test.load(code.root(), code.edges());
        }
        for candidate in candidates {
            child.extensions.extend(self.judged(candidate, &child.shape, is_last));
            if self.test.gave_up() {
                return None;
            }
        }
        if child.extensions.is_empty() {
            child.rows = Vec::new();
        }
        Some(child)
    }

    /// Joins the extensions of the parent that may come after the child's own.
    fn join_siblings(&mut self, birth: Birth<'_>, shape: &Shape) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let forward = birth.by.step.is_forward();
        // A backward edge cannot be added twice.
        let first = birth.at + usize::from(!forward);
        for (i, other) in birth.parent.extensions.iter().enumerate().skip(first) {
            let CodeStep::Edge(edge) = other.step else { break };
            if edge.from == 0 && shape.root_ordered {
                continue;
            }
            // A second twin leaf is listed in order where it comes next or never.
            let twin = i == birth.at && forward;
            let in_order = twin && (birth.is_last || birth.parent.shape.is_twin(birth.by));
            let slot = self.collector.slot();
            if self.join(birth, other, in_order, slot) {
                let to = if edge.is_forward() { shape.width } else { edge.to };
                let labelled = other.labelled;
                candidates.push(Candidate { from: edge.from, to, labelled, slot, in_order });
            } else {
                self.collector.discard();
            }
        }
        candidates
    }

    /// Joins one extension into `slot`. Returns whether it occurs in enough graphs.
    fn join(&mut self, birth: Birth<'_>, other: &Extension, in_order: bool, slot: usize) -> bool {
        let out = self.collector.gathered_mut(slot);
        let left = &mut self.left;
        let counts = |graph| self.flat.counts(graph);
        let lists = JoinedLists { a: birth.found, b: &other.found };
        let gather = |graph, hit| {
            if !left.take(1) {
                return false;
            }
            if birth.keep == Detail::Rows {
                out.add(graph, hit);
                return true;
            }
            out.count_one(graph);
            birth.keep == Detail::Counts
        };
        if !birth.by.step.is_forward() {
            join(lists, self.min_support, counts, |_, _| true, gather)
        } else if in_order {
            join(lists, self.min_support, counts, |v, w| v < w, gather)
        } else {
            join(lists, self.min_support, counts, |v, w| v != w, gather)
        }
    }

    /// Writes the rows and reads what their new vertices see. If no rows are `needed` yet, they
    /// are given up when nothing frequent can be found.
    fn read_rows(&mut self, birth: Birth<'_>, child: &mut Family, needed: bool) {
        let words = self.flat.packing.words(child.shape.width.into());
        let keeps = birth.keep == Detail::Rows;
        // A second twin leaf gets no edge of its own.
        if !birth.by.step.is_forward() || birth.parent.shape.is_twin(birth.by) {
            if keeps && needed {
                child.rows.reserve_exact(words * birth.found.hits().len());
                for &hit in birth.found.hits() {
                    birth.parent.push_row(&self.flat, hit, birth.by.step, &mut child.rows);
                }
            }
            return;
        }
        if keeps {
            child.rows.reserve_exact(words * birth.found.hits().len());
        }
        match words {
            1 => self.read_words::<1>(birth, child, needed),
            2 => self.read_words::<2>(birth, child, needed),
            3 => self.read_words::<3>(birth, child, needed),
            4 => self.read_words::<4>(birth, child, needed),
            _ => self.read_words::<0>(birth, child, needed),
        }
    }

    /// The same for rows of `W` words; of any number of words, if `W` is 0.
    fn read_words<const W: usize>(&mut self, birth: Birth<'_>, child: &mut Family, needed: bool) {
        let flat = &self.flat;
        let collector = &mut self.collector;
        let packing = flat.packing;
        let width = usize::from(birth.parent.shape.width);
        let before = packing.words(width);
        let words = packing.words(width + 1);
        let mut fixed = [u64::MAX; W];
        let mut any = vec![u64::MAX; if W == 0 { words } else { 0 }];
        let row: &mut [u64] = if W == 0 { &mut any } else { &mut fixed };
        let from = birth.by.forward_from().map(|p| packing.lane(p.into()));
        let last = packing.lane(width);
        let keep = birth.keep == Detail::Rows;
        let mut left = birth.found.support();
        let mut reads = true;
        for (graph, range) in birth.found.parts() {
            reads = reads && collector.give_up(left, self.min_support);
            left -= 1;
            if !(reads || needed && keep) {
                return;
            }
            let base = flat.base(graph);
            for (number, &hit) in range.clone().zip(&birth.found.hits()[range]) {
                copy(&birth.parent.rows[hit.row as usize * before..][..before], row);
                last.set(row, hit.vertex);
                if keep {
                    child.rows.extend_from_slice(row);
                }
                if reads {
                    let new = NewRow {
                        graph,
                        number: number as u32,
                        row,
                        around: flat.around(base, hit.vertex),
                        from: from.map_or(u32::MAX, |from| from.get(row)),
                    };
                    if !self.left.take(collector.read(flat, &child.shape, new, keep)) {
                        return;
                    }
                }
            }
        }
    }

    /// The frequent ones of the extensions that were read.
    fn read_candidates(&self, shape: &Shape) -> Vec<Candidate> {
        let from = shape.width - 1;
        let candidate = |CollectedStep { to, step, slot }: CollectedStep| {
            let to = to.unwrap_or(shape.width);
            Candidate { from, to, labelled: step, slot, in_order: false }
        };
        let found = self.collector.found().into_iter();
        let is_frequent =
            |f: &CollectedStep| self.is_frequent(self.collector.gathered(f.slot).graphs());
        found.filter(is_frequent).map(candidate).collect()
    }

    /// The extension, if it may lead to smallest codes. The code that it extends is
    /// loaded into the test.
    fn judged(&mut self, candidate: Candidate, shape: &Shape, is_last: bool) -> Option<Extension> {
        let edge = candidate.edge(&self.flat);
        let verdict = self.test.judge_next(edge);
        let is_child = verdict == Verdict::Smallest;
        (is_child || (verdict == Verdict::BeatenAtTheEnd && !is_last)).then(|| Extension {
            step: CodeStep::Edge(edge),
            is_child,
            symmetry: self.test.rows_per_occurrence(shape.unordered(edge, &candidate)),
            found: self.collector.gathered_mut(candidate.slot).finish(),
            labelled: candidate.labelled,
            in_order: candidate.in_order,
        })
    }
}

/// Copies a row into one that may be a word longer.
#[inline(always)]
fn copy(old: &[u64], row: &mut [u64]) {
    if let Some((last, rest)) = row.split_last_mut() {
        let (common, more) = old.split_at(rest.len());
        for (to, from) in rest.iter_mut().zip(common) {
            *to = *from;
        }
        *last = more.first().copied().unwrap_or(u64::MAX);
    }
}
