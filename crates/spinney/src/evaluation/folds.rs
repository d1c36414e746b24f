//! Which graphs are in which fold.
//!
//! **Invariant.** Random folds are a function of strata, number and seed alone.

use crate::error::{Error, Result};
use crate::random::shuffled;

/// The graphs of one training, and those held out of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// The graphs to train on, ascending.
    pub train: Vec<u32>,
    /// The graphs held out, ascending.
    pub held_out: Vec<u32>,
}

impl Split {
    /// All of a number of graphs to train on, none held out.
    #[must_use]
    pub fn whole(graphs: usize) -> Split {
        Split { train: (0..graphs as u32).collect(), held_out: Vec::new() }
    }
}

/// The test fold of each graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    fold_of: Vec<u32>,
    count: u32,
}

impl Folds {
    /// From the fold of each graph, as read from a file. Folds may have any numbers.
    ///
    /// # Errors
    /// If there are fewer than two folds or not one entry a graph.
    pub fn from_numbers(numbers: &[i64], graphs: usize) -> Result<Folds> {
        if numbers.len() != graphs {
            return Err(Error::data(format!(
                "the folds file has {} entries for {graphs} graphs: it must have one line a graph, \
                 in the order of the graphs",
                numbers.len()
            )));
        }
        let mut distinct = numbers.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() < 2 {
            return Err(Error::data("cross-validation needs at least two folds"));
        }
        let of = |n: &i64| distinct.partition_point(|d| d < n) as u32;
        Ok(Folds { fold_of: numbers.iter().map(of).collect(), count: distinct.len() as u32 })
    }

    /// Folds by the name that each graph's fold has.
    ///
    /// # Errors
    /// If there are fewer than two names.
    pub fn named<G: Ord>(names: &[G]) -> Result<Folds> {
        let distinct: std::collections::BTreeSet<&G> = names.iter().collect();
        let numbers: std::collections::BTreeMap<&G, i64> = distinct.into_iter().zip(0..).collect();
        let numbers: Vec<i64> = names.iter().map(|n| numbers[n]).collect();
        Folds::from_numbers(&numbers, names.len())
    }

    /// Random folds of even size; with classes, each class is dealt out evenly.
    ///
    /// # Errors
    /// If there are fewer than two folds or fewer graphs than folds.
    pub fn random(strata: &[u32], count: usize, seed: u64) -> Result<Folds> {
        if count < 2 || count > strata.len() {
            return Err(Error::parameter(
                "folds",
                format!(
                    "{count} folds of {} graphs: take 2 or more, at most one a graph",
                    strata.len()
                ),
            ));
        }
        let mut order = shuffled(strata.len(), seed, 0xf01d);
        order.sort_by_key(|&i| strata[i as usize]);
        let mut fold_of = vec![0; strata.len()];
        for (dealt, &i) in order.iter().enumerate() {
            fold_of[i as usize] = (dealt % count) as u32;
        }
        Ok(Folds { fold_of, count: count as u32 })
    }

    /// Folds that keep groups together (scaffolds, for example): the groups, largest first, go to
    /// the fold that is smallest so far.
    ///
    /// # Errors
    /// If there are fewer than two folds or fewer groups than folds.
    pub fn grouped<G: Ord>(groups: &[G], count: usize) -> Result<Folds> {
        let mut members: std::collections::BTreeMap<&G, Vec<usize>> = Default::default();
        for (i, group) in groups.iter().enumerate() {
            members.entry(group).or_default().push(i);
        }
        if count < 2 || count > members.len() {
            return Err(Error::parameter(
                "folds",
                format!(
                    "{count} folds of {} groups: take 2 or more, at most one a group",
                    members.len()
                ),
            ));
        }
        let mut members: Vec<Vec<usize>> = members.into_values().collect();
        members.sort_by_key(|m| (std::cmp::Reverse(m.len()), m[0]));
        let mut sizes = vec![0usize; count];
        let mut fold_of = vec![0; groups.len()];
        for group in members {
            let fold = (0..count).min_by_key(|&f| sizes[f]).unwrap_or(0);
            sizes[fold] += group.len();
            group.into_iter().for_each(|i| fold_of[i] = fold as u32);
        }
        Ok(Folds { fold_of, count: count as u32 })
    }

    /// The number of folds.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// The fold of each graph.
    #[must_use]
    pub fn numbers(&self) -> &[u32] {
        &self.fold_of
    }

    /// The graphs outside and inside a fold: to train on, to test on.
    #[must_use]
    pub fn split(&self, fold: usize) -> Split {
        let (train, held_out) =
            (0..self.fold_of.len() as u32).partition(|&i| self.fold_of[i as usize] != fold as u32);
        Split { train, held_out }
    }

    /// The same of folds that were dealt to some `graphs` alone, by position.
    #[must_use]
    pub fn split_of(&self, graphs: &[u32], fold: usize) -> Split {
        let pick =
            |positions: Vec<u32>| positions.into_iter().map(|p| graphs[p as usize]).collect();
        let Split { train, held_out } = self.split(fold);
        Split { train: pick(train), held_out: pick(held_out) }
    }
}

/// Folds dealt to some graphs of a data set, those that have a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphFolds {
    folds: Folds,
    graphs: Vec<u32>,
}

impl GraphFolds {
    /// Folds by position in `graphs`, ascending.
    ///
    /// # Errors
    /// If there is not one fold a graph.
    pub fn new(folds: Folds, graphs: Vec<u32>) -> Result<GraphFolds> {
        if folds.fold_of.len() != graphs.len() {
            let dealt = folds.fold_of.len();
            return Err(Error::data(format!("folds of {dealt} graphs for {}", graphs.len())));
        }
        Ok(GraphFolds { folds, graphs })
    }

    /// The number of folds.
    #[must_use]
    pub fn count(&self) -> usize {
        self.folds.count()
    }

    /// The graphs.
    #[must_use]
    pub fn graphs(&self) -> &[u32] {
        &self.graphs
    }

    /// The fold of each graph, in their order.
    #[must_use]
    pub fn numbers(&self) -> &[u32] {
        self.folds.numbers()
    }

    /// The graphs outside and inside a fold.
    #[must_use]
    pub fn split(&self, fold: usize) -> Split {
        self.folds.split_of(&self.graphs, fold)
    }
}

impl From<Folds> for GraphFolds {
    /// Folds of all graphs.
    fn from(folds: Folds) -> GraphFolds {
        let graphs = (0..folds.fold_of.len() as u32).collect();
        GraphFolds { folds, graphs }
    }
}

#[cfg(test)]
mod tests {
    use super::{Folds, Split};

    #[test]
    fn random_folds_are_stratified_and_whole() {
        let strata: Vec<u32> = (0..100).map(|i| u32::from(i % 5 == 0)).collect();
        let folds = Folds::random(&strata, 10, 1).unwrap();
        for fold in 0..10 {
            let Split { train, held_out: test } = folds.split(fold);
            assert_eq!((train.len(), test.len()), (90, 10));
            assert_eq!(test.iter().filter(|&&i| strata[i as usize] == 1).count(), 2);
        }
        assert_ne!(folds, Folds::random(&strata, 10, 2).unwrap());
        assert!(Folds::random(&strata, 1, 0).is_err());
        assert!(Folds::random(&strata, 101, 0).is_err());
    }

    #[test]
    fn groups_stay_together_and_folds_stay_even() {
        let groups = ["a", "b", "a", "c", "b", "a", "d", "e", "f"];
        let folds = Folds::grouped(&groups, 3).unwrap();
        for fold in 0..3 {
            let Split { train, held_out: test } = folds.split(fold);
            assert_eq!(test.len(), 3);
            let apart = |t: &u32| test.iter().all(|s| groups[*s as usize] != groups[*t as usize]);
            assert!(train.iter().all(apart));
        }
        assert!(Folds::grouped(&groups, 7).is_err());
        assert!(Folds::grouped(&groups, 1).is_err());
    }

    #[test]
    fn numbered_folds() {
        let folds = Folds::from_numbers(&[7, 3, 7, -1], 4).unwrap();
        assert_eq!(folds.count(), 3);
        assert_eq!(folds.split(2), Split { train: vec![1, 3], held_out: vec![0, 2] });
        assert!(
            Folds::from_numbers(&[1, 2], 3).unwrap_err().to_string().contains("2 entries for 3")
        );
        assert!(Folds::from_numbers(&[1, 1], 2).is_err());
    }
}
