//! The best split of a node, over all patterns (paper, Alg. 3).
//!
//! First the explored classes are scanned in the node's histogram. Then, if the space can grow,
//! the groups of its frontier are searched (`frontier_search`).
//!
//! **Invariant.** The result is the optimum over the whole space: the largest gain (to
//! [`tie_rounded`] digits), then fewest edges, then smallest DFS code, then lowest threshold. What
//! was explored before, in which order, and by which engine, changes nothing.
//!
//! **Deviation from the paper.** The paper starts each search at the root of the enumeration tree;
//! here what earlier searches explored is scored by histogram, and only the rest is searched.

use std::sync::Arc;

use crate::mining::classes::{ClassId, ClassTable, Divided};
use crate::search::bound::by_order;
use crate::search::class_sample::{ClassSample, SampledCells, SampledRows, View};
use crate::search::frontier_search::FrontierSearch;
use crate::search::gain::{Rule, Sums, tie_rounded};
use crate::search::histogram::{Adds, Cell, Contenders, Histogram, NodeSums};
use crate::search::node_rows::{NodeRows, RowGraphs};
use crate::search::samples::Samples;
use crate::search::simplest::Simplest;
use crate::search::small::{self, SmallNode, SmallNodeScratch, WholeNode};
use crate::search::space::{FrontierGroup, PatternSpace};
use crate::search::stop::StopToken;

/// A split and what it is worth.
#[derive(Clone, Debug)]
pub(crate) struct Split {
    /// The class of graphs that go to the "yes" side.
    pub class: ClassId,
    /// The column that stands for the class.
    pub simplest: Arc<Simplest>,
    /// The gain, rounded for comparison, in units of [`Samples::gain_unit`].
    pub gain: f64,
}

/// A split of a small node.
#[derive(Clone, Debug)]
pub(crate) struct SmallSplit {
    /// The split.
    pub split: Split,
    /// The node's graphs that have the class, as bits.
    pub word: u64,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub(crate) struct BestSplit {
    /// The best split, if one is valid and gains anything.
    pub split: Option<Split>,
    /// What a pattern that was not looked at could gain at most, if that is more than the split
    /// gains; `None` if the split is the optimum.
    pub open: Option<f64>,
}

/// The sums over a node's graphs, exact and as cells hold them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Totals<C> {
    all: Sums,
    total: C,
}

impl<C: Adds> Totals<C> {
    /// Without those of a part.
    #[must_use]
    pub(crate) fn minus(&self, part: &Totals<C>) -> Totals<C> {
        let mut total = self.total;
        total.sub(&part.total);
        Totals { all: self.all.minus(part.all), total }
    }
}

/// Finds best splits for the nodes of one tree.
#[derive(Debug)]
pub(crate) struct Search<'a, C> {
    pub(super) samples: &'a Samples,
    pub(super) cells: &'a [C],
    pub(super) rule: Rule,
    pub(super) sample: ClassSample,
    sampled: Option<SampledCells>,
    /// The rows of the node that is searched, if some were made.
    node_rows: Option<&'a NodeRows>,
    pub(super) stop_token: Option<&'a StopToken>,
}

/// The best gain so far and the fewest edges among the patterns that reach it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BestGain {
    pub(super) gain: f64,
    pub(super) edges: u32,
}

/// The classes that reach the best gain.
#[derive(Debug, Default, PartialEq)]
struct Leaders {
    gain: f64,
    classes: Vec<ClassId>,
}

impl<'a, C: Cell> Search<'a, C> {
    /// A search over `cells` (one a training position, made of `samples`), for a tree of the
    /// classes in `sample`.
    pub(crate) fn new(
        space: &dyn PatternSpace,
        samples: &'a Samples,
        cells: &'a [C],
        rule: Rule,
        sample: ClassSample,
    ) -> Self {
        // A space that can still grow is scanned whole, and sampled while scanning.
        let sampled = sample.cells(space.classes());
        Search { samples, cells, rule, sample, sampled, node_rows: None, stop_token: None }
    }

    /// The same search, to end when a limit is reached.
    #[must_use]
    pub(crate) fn with_stop_token(mut self, stop_token: &'a StopToken) -> Self {
        self.stop_token = Some(stop_token);
        self
    }

    /// Brings a node's histogram up to the classes known by now.
    pub(crate) fn cover(
        &self,
        space: &dyn PatternSpace,
        histogram: &mut Histogram<C>,
        positions: &[u32],
    ) {
        histogram.cover(&self.view(space), positions, self.cells);
    }

    /// Fills the histogram of the part of a node with the graphs at `positions`, and takes them
    /// away from the histogram of the `whole`, which covers all classes known by now.
    pub(crate) fn cover_part(
        &self,
        space: &dyn PatternSpace,
        histogram: &mut Histogram<C>,
        positions: &[u32],
        whole: &mut Histogram<C>,
    ) {
        histogram.cover_part(&self.view(space), positions, self.cells, whole);
    }

    /// The same search within a node that rows were made for.
    #[must_use]
    pub(crate) fn within<'b>(&'b self, rows: &'b NodeRows) -> Search<'b, C> {
        let Search { sample, sampled, .. } = self;
        let (sample, sampled) = (sample.clone(), sampled.clone());
        Search { sample, sampled, node_rows: Some(rows), ..*self }
    }

    /// Rows for the node of the graphs `fitted`, whose histogram this is, and for all below it;
    /// `left_out` are led there, too. The histogram is cut down to them.
    pub(crate) fn node_rows(
        &self,
        space: &dyn PatternSpace,
        histogram: &mut Histogram<C>,
        fitted: &[u32],
        left_out: &[u32],
    ) -> Option<NodeRows> {
        let view = self.view(space);
        if !matches!(view, View::Sampled(_) | View::Node(_)) {
            return None;
        }
        let least = self.rule.min_leaf.max(1);
        let most = (fitted.len() as u32).checked_sub(least)?;
        let divides = |cell: &C| (least..=most).contains(&cell.count());
        if histogram.cells().iter().filter(|cell| divides(cell)).count() > NodeRows::MAX_CELLS {
            return None;
        }
        let wanted = histogram.keep(divides);
        let entries: usize = histogram.cells().iter().map(|cell| cell.count() as usize).sum();
        let graphs = RowGraphs { fitted, left_out, all: self.samples.len(), entries };
        Some(NodeRows::new(&view, &wanted, &graphs))
    }

    /// Divides lists of training graphs by whether they have a class. `marks` are all false before
    /// and after.
    pub(crate) fn divide<const N: usize>(
        &self,
        space: &dyn PatternSpace,
        class: ClassId,
        lists: [&[u32]; N],
        marks: &mut Vec<bool>,
    ) -> [Divided; N] {
        match self.node_rows.and_then(|rows| rows.members(class)) {
            Some(has) => lists.map(|list| Divided::new(list, &has)),
            None => space.classes().divide(class, lists, marks),
        }
    }

    fn view<'s>(&'s self, space: &'s dyn PatternSpace) -> View<'s> {
        if let Some(rows) = self.node_rows {
            return View::Node(rows);
        }
        let rows = space.classes().rows();
        let sampled = self.sampled.as_ref().zip(rows);
        let sampled = sampled.map(|(cells, rows)| View::Sampled(SampledRows { rows, cells }));
        sampled.or_else(|| space.view()).expect("without a sample there is a view of the whole")
    }

    /// The best split of the node with the graphs at `positions` and their histogram.
    pub(crate) fn best_split(
        &self,
        space: &mut dyn PatternSpace,
        histogram: &mut Histogram<C>,
        positions: &[u32],
    ) -> BestSplit {
        let mut open = None;
        let totals = self.totals(positions);
        let is_left = |group: &FrontierGroup| group.is_open() || group.is_stuck();
        let growing = space.growing_mut().filter(|space| space.frontier().iter().any(is_left));
        if let Some(growing) = growing {
            let Some(node) = self.node(&totals) else { return BestSplit::default() };
            self.cover(growing, histogram, positions);
            open = FrontierSearch::new(self, positions, &node).run(growing, histogram);
            self.cover(growing, histogram, positions);
        }
        let split = self.best_known_split(space, histogram, positions, &totals);
        let gain = split.as_ref().map_or(self.rule.min_gain.max(0.0), |split| split.gain);
        BestSplit { open: open.map(tie_rounded).filter(|&open| open > gain), split }
    }

    /// What no split of the node with the graphs at `positions` can exceed, whatever patterns there
    /// are.
    pub(crate) fn max_gain(&self, positions: &[u32]) -> Option<f64> {
        let node = self.node(&self.totals(positions))?;
        let mut members = positions.iter().map(|&p| self.samples.one(p)).collect();
        let most = by_order(&mut members, node.all, &self.rule);
        (most > self.rule.min_gain.max(0.0)).then_some(most)
    }

    /// The same over the explored classes only.
    pub(crate) fn best_known_split(
        &self,
        space: &dyn PatternSpace,
        histogram: &mut Histogram<C>,
        positions: &[u32],
        totals: &Totals<C>,
    ) -> Option<Split> {
        let node = self.node(totals)?;
        self.cover(space, histogram, positions);
        let leaders = self.leaders(space, histogram, positions, &node)?;
        simplest_of(space, leaders.classes.into_iter(), leaders.gain)
    }

    /// The sums over the graphs at `positions`.
    pub(crate) fn totals(&self, positions: &[u32]) -> Totals<C> {
        Totals { all: self.samples.sums(positions), total: C::sum(self.cells, positions) }
    }

    /// The sums of a node, if it is large enough for a split.
    fn node(&self, &Totals { all, total }: &Totals<C>) -> Option<NodeSums<C>> {
        let node = NodeSums { all, total, rule: self.rule };
        (all.n >= 2 * self.rule.min_leaf.max(1)).then_some(node)
    }

    /// Whether a node with this number of graphs is searched as a small one.
    #[must_use]
    pub(crate) fn is_small(&self, space: &dyn PatternSpace, graphs: usize) -> bool {
        graphs <= small::MAX_GRAPHS && !matches!(self.view(space), View::Growing(_))
    }

    /// The node with the graphs at `positions`, if it is small and all classes are known; they are
    /// taken away from the histogram of the `whole`, if that is given.
    pub(crate) fn small(
        &self,
        space: &dyn PatternSpace,
        positions: &[u32],
        whole: Option<&mut Histogram<C>>,
        scratch: &mut SmallNodeScratch,
    ) -> Option<SmallNode> {
        if !self.is_small(space, positions.len()) {
            return None;
        }
        let whole = whole.map(|histogram| WholeNode { histogram, samples: self.cells });
        Some(SmallNode::new(&self.view(space), positions, self.samples, scratch, whole))
    }

    /// The best split of a small node.
    pub(crate) fn best_small_split(
        &self,
        space: &dyn PatternSpace,
        node: &SmallNode,
    ) -> Option<SmallSplit> {
        let best = node.best(&self.rule)?;
        let classes = best.leaders.iter().map(|leader| leader.class);
        let split = simplest_of(space, classes, best.gain)?;
        let word = best.leaders.iter().find(|leader| leader.class == split.class)?.word;
        Some(SmallSplit { split, word })
    }

    /// The classes that reach the best gain over the explored ones.
    fn leaders(
        &self,
        space: &dyn PatternSpace,
        histogram: &Histogram<C>,
        positions: &[u32],
        node: &NodeSums<C>,
    ) -> Option<Leaders> {
        let view = self.view(space);
        let mut exact = ExactSums::new(self.samples, positions);
        let mut best = Leaders::default();
        for cell in self.close(space, histogram, positions, node) {
            let Some(class) = view.class_at(cell) else { continue };
            let held = histogram.cells()[cell].sums();
            let sums = held.unwrap_or_else(|| exact.sums(space, class));
            let Some(gain) = self.rule.gain(sums, node.all) else {
                continue;
            };
            if gain < best.gain || !self.rule.accepts(gain) {
                continue;
            }
            if gain > best.gain {
                best = Leaders { gain, classes: Vec::new() };
            }
            best.classes.push(class);
        }
        (!best.classes.is_empty()).then_some(best)
    }

    /// The cells of the view whose classes may have the best gain.
    fn close(
        &self,
        space: &dyn PatternSpace,
        histogram: &Histogram<C>,
        positions: &[u32],
        node: &NodeSums<C>,
    ) -> Vec<usize> {
        let view = self.view(space);
        let table = space.classes();
        let all = !matches!(view, View::Growing(_));
        let usable = |cell: usize| all || self.may_use(table, cell as ClassId);
        let mut found = histogram.scan(node, usable);
        if let Some(cells) = C::refine(self.samples, positions, &found) {
            let mut finer = Histogram::default();
            finer.cover(&view, positions, &cells);
            let total = C::sum(&cells, positions);
            found = finer.scan(&NodeSums { total, ..*node }, usable);
        }
        if !C::settles(&found) {
            return (0..view.cells()).filter(|&cell| usable(cell)).collect();
        }
        let Contenders { close, min_gain } = found;
        close.into_iter().filter(|c| c.gain >= min_gain).map(|c| c.cell).collect()
    }

    /// Whether a class has a pattern and belongs to the tree's sample.
    pub(super) fn may_use(&self, table: &ClassTable, class: ClassId) -> bool {
        table.has_member(class) && self.sample.has(table.signature(class))
    }

    /// The best gain over the explored classes.
    pub(super) fn best_gain(
        &self,
        space: &dyn PatternSpace,
        histogram: &Histogram<C>,
        positions: &[u32],
        node: &NodeSums<C>,
    ) -> Option<BestGain> {
        let leaders = self.leaders(space, histogram, positions, node)?;
        let edges = leaders.classes.iter().map(|&c| space.classes().edges(c)).min()?;
        Some(BestGain { gain: leaders.gain, edges })
    }
}

/// The split by the simplest of the classes that reach `gain`.
fn simplest_of(
    space: &dyn PatternSpace,
    leaders: impl Iterator<Item = ClassId> + Clone,
    gain: f64,
) -> Option<Split> {
    let fewest = leaders.clone().map(|c| space.classes().edges(c)).min()?;
    let mut best: Option<Split> = None;
    for class in leaders {
        if space.classes().edges(class) > fewest {
            continue;
        }
        let simplest = space.simplest(class);
        if best.as_ref().is_none_or(|b| simplest.is_simpler_than(&b.simplest)) {
            best = Some(Split { class, simplest, gain });
        }
    }
    best
}

/// Exact sums over a node's graphs, where cells do not hold them.
struct ExactSums<'a> {
    samples: &'a Samples,
    positions: &'a [u32],
    inside: Vec<bool>,
}

impl<'a> ExactSums<'a> {
    fn new(samples: &'a Samples, positions: &'a [u32]) -> Self {
        ExactSums { samples, positions, inside: Vec::new() }
    }

    fn sums(&mut self, space: &dyn PatternSpace, class: ClassId) -> Sums {
        if let Some(rows) = space.classes().rows() {
            let members = rows.members(class);
            let with = self.positions.iter().filter(|&&p| members.has(p));
            return with.fold(Sums::default(), |mut sums, &p| {
                sums.add(&self.samples.one(p));
                sums
            });
        }
        if self.inside.is_empty() {
            self.inside = vec![false; self.samples.len()];
            self.positions.iter().for_each(|&p| self.inside[p as usize] = true);
        }
        let mut sums = Sums::default();
        space.classes().graphs(class).for_each(|p| {
            if self.inside[p as usize] {
                sums.add(&self.samples.one(p));
            }
        });
        sums
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::{prop, prop_assert, prop_assert_eq, proptest};

    use super::{
        ClassId, ClassSample, ClassTable, Leaders, PatternSpace, Rule, Search, Simplest, View,
    };
    use crate::mining::classes::Column;
    use crate::random::random;
    use crate::search::blocks::Blocks;
    use crate::search::gain::Sums;
    use crate::search::histogram::{Cell, Histogram, NodeSums};
    use crate::search::packed::Packed;
    use crate::search::samples::Samples;
    use crate::search::space::NumberedPattern;

    const GRAPHS: u32 = 150;

    /// Classes without patterns.
    struct Bare {
        table: ClassTable,
        blocks: Blocks,
    }

    impl PatternSpace for Bare {
        fn classes(&self) -> &ClassTable {
            &self.table
        }
        fn view(&self) -> Option<View<'_>> {
            Some(View::Blocks(&self.blocks))
        }
        fn simplest(&self, _: ClassId) -> Arc<Simplest> {
            unreachable!("only gains are compared")
        }
        fn has(&self, _: u32, _: Column) -> bool {
            false
        }
        fn graphs_with(&self, _: &[u32]) -> Vec<Vec<u32>> {
            Vec::new()
        }
        fn numbers(&mut self, _: &[NumberedPattern]) -> Option<Vec<u32>> {
            None
        }
        fn patterns(&self) -> usize {
            0
        }
        fn edges(&self, _: u32) -> usize {
            0
        }
    }

    fn bare(seed: u64) -> Bare {
        let mut table = ClassTable::new(GRAPHS as usize);
        for pattern in 0..200 {
            let often = 1 + random(seed, 1, pattern) % 40;
            let has = |p: &u32| random(seed, 2 + pattern, (*p).into()) % 41 < often;
            let set: Vec<u32> = (0..GRAPHS).filter(has).collect();
            if !set.is_empty() {
                table.add(Column { pattern: pattern as u32, at_least: 1 }, 1, &set);
            }
        }
        let blocks = Blocks::new(&table);
        Bare { table, blocks }
    }

    fn leaders<C: Cell>(
        space: &Bare,
        samples: &Samples,
        node: &[u32],
        rule: Rule,
    ) -> Option<Leaders> {
        let cells: Vec<C> = (0..GRAPHS).map(|p| C::of(samples, p)).collect();
        let search = Search::new(space, samples, &cells, rule, ClassSample::all());
        let mut histogram = Histogram::default();
        search.cover(space, &mut histogram, node);
        let total = C::sum(&cells, node);
        let sums = NodeSums { all: samples.sums(node), total, rule };
        search.leaders(space, &histogram, node, &sums)
    }

    proptest! {
        /// Coarse cells find what exact ones find, however the gradients lie: spread, nearly equal
        /// but for an outlier elsewhere, or in a few values only.
        #[test]
        fn packed_cells_find_the_exact_leaders(
            seed in 0u64..u64::MAX,
            kind in 0usize..4,
            some in 70u32..150,
            min_leaf in prop::sample::select(vec![1u32, 5]),
        ) {
            let space = bare(seed);
            let value = |p: u32| {
                let unit = (random(seed, 0, p.into()) >> 11) as f64 / 2f64.powi(53) - 0.5;
                match kind {
                    0 => unit,
                    1 if p == GRAPHS - 1 => 1e9,
                    1 => 3.0 + 1e-3 * unit,
                    2 => (4.0 * unit).round(),
                    _ => 7.0,
                }
            };
            let values: Vec<f64> = (0..GRAPHS).map(value).collect();
            let samples = Samples::new(&values, None).unwrap();
            let node: Vec<u32> = (0..some).collect();
            let rule = Rule { l2: 0.0, min_leaf, min_gain: samples.noise() };
            let exact = leaders::<Sums>(&space, &samples, &node, rule);
            prop_assert_eq!(&leaders::<Packed>(&space, &samples, &node, rule), &exact);
            prop_assert!(exact.is_some() || kind == 1 || kind == 3);
        }
    }
}
