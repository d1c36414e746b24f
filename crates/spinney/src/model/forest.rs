//! A model's trees as one flat array, walked eight at a time.
//!
//! A *question* is a pattern with a threshold; a graph's answers are a row of bytes, one a
//! question. A node is a question and where its children stand, the one for *no* before the one for
//! *yes*, so that a step adds the answer to a number: no branch to predict, and the walks of eight
//! trees overlap.
//!
//! A *stump* is a tree of one question that adds nothing for *no*, as those of a linear member are.
//! Scores need only the stumps whose question is answered *yes*: few of thousands.
//!
//! **Invariant.** Question 0 is always answered *no*, and a leaf is its own child for *no*: a walk
//! may take more steps than its tree is deep. Answers are all *no* between graphs. Values are added
//! tree after tree; to leave a zero out changes no bit of a sum, unless that is −0.
//!
//! **Cost.** The depth of each tree that is no stump, and the stumps that add something.

use super::{Node, Tree};

/// Trees walked at a time.
const LANES: usize = 8;

/// All trees of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Forest {
    steps: Vec<Step>,
    values: Vec<f64>,
    /// Each node's number in its own tree.
    nodes: Vec<u32>,
    roots: Vec<u32>,
    /// The roots of the trees that are no stumps, and their numbers.
    tall: Vec<u32>,
    tall_trees: Vec<u32>,
    /// The stumps' numbers, question after question.
    stumps: Vec<u32>,
    /// Where each question's stumps start; one more entry at the end.
    stump_starts: Vec<u32>,
    /// The thresholds asked for, ascending for each pattern, and their questions' numbers.
    questions: Vec<(u32, u32)>,
    /// Where each pattern's questions start; one more entry at the end.
    starts: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    question: u32,
    next: u32,
}

/// The answers of one graph; reusable.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    row: Vec<u8>,
    yes: Vec<u32>,
    /// The leaf of each tree that is no stump.
    leaves: Vec<u32>,
    /// One bit a tree: stumps that add something; all 0 between graphs.
    stumps: Vec<u64>,
}

impl Forest {
    pub(super) fn new(trees: &[Tree], patterns: usize) -> Forest {
        let mut asked: Vec<Vec<u32>> = vec![Vec::new(); patterns];
        for node in trees.iter().flat_map(Tree::nodes) {
            if let Node::Split { pattern, at_least, .. } = *node {
                asked[pattern].push(at_least);
            }
        }
        let mut forest = Forest { starts: vec![0], ..Forest::default() };
        for thresholds in &mut asked {
            thresholds.sort_unstable();
            thresholds.dedup();
            for &at_least in thresholds.iter() {
                let question = forest.questions.len() as u32 + 1;
                forest.questions.push((at_least, question));
            }
            forest.starts.push(forest.questions.len() as u32);
        }
        for tree in trees {
            forest.plant(tree);
        }
        forest.sort_stumps();
        forest
    }

    /// Tells stumps from other trees.
    fn sort_stumps(&mut self) {
        let mut stumps: Vec<(u32, u32)> = Vec::new();
        for (tree, &root) in (0..).zip(&self.roots) {
            let Step { question, next } = self.steps[root as usize];
            let is_leaf = |at: u32| self.steps.get(at as usize).is_some_and(|s| s.next == at);
            let is_stump = question > 0 && is_leaf(next) && is_leaf(next + 1);
            if is_stump && self.values[next as usize] == 0.0 {
                stumps.push((question, tree));
            } else {
                self.tall.push(root);
                self.tall_trees.push(tree);
            }
        }
        stumps.sort_unstable();
        self.stump_starts = vec![0; self.questions.len() + 2];
        for (question, tree) in stumps {
            self.stump_starts[question as usize + 1] += 1;
            self.stumps.push(tree);
        }
        for question in 0..=self.questions.len() {
            self.stump_starts[question + 1] += self.stump_starts[question];
        }
    }

    fn stumps_of(&self, question: u32) -> &[u32] {
        let start = self.stump_starts[question as usize];
        let end = self.stump_starts[question as usize + 1];
        &self.stumps[start as usize..end as usize]
    }

    /// Adds a tree, level by level.
    fn plant(&mut self, tree: &Tree) {
        let root = self.steps.len();
        self.roots.push(root as u32);
        let mut level = vec![0];
        let mut at = 0;
        while let Some(&node) = level.get(at) {
            let here = (root + at) as u32;
            let step = match tree.nodes().get(node) {
                Some(&Node::Split { pattern, at_least, yes, no, .. }) => {
                    let next = (root + level.len()) as u32;
                    level.extend([no, yes]);
                    Step { question: self.question(pattern, at_least), next }
                }
                _ => Step { question: 0, next: here },
            };
            self.steps.push(step);
            self.values.push(tree.value(node));
            self.nodes.push(node as u32);
            at += 1;
        }
    }

    fn question(&self, pattern: usize, at_least: u32) -> u32 {
        let of_pattern = self.of_pattern(pattern);
        let at = of_pattern.partition_point(|q| q.0 < at_least);
        of_pattern[at].1
    }

    fn of_pattern(&self, pattern: usize) -> &[(u32, u32)] {
        &self.questions[self.starts[pattern] as usize..self.starts[pattern + 1] as usize]
    }

    /// Adds each tree's value to its output's score, tree after tree.
    pub(super) fn add_to(&self, scores: &mut [f64], found: &[(u32, u32)], answers: &mut Answers) {
        self.answer(found, answers);
        if scores.iter().any(|s| *s == 0.0 && s.is_sign_negative()) {
            self.add_all(scores, answers);
        } else {
            self.add_some(scores, answers);
        }
        answers.forget();
    }

    /// Adds the values of all trees.
    fn add_all(&self, scores: &mut [f64], answers: &Answers) {
        let outputs = scores.len();
        let mut output = 0;
        self.for_each_leaf(&self.roots, &answers.row, |leaf| {
            scores[output] += self.values[leaf as usize];
            output = if output + 1 == outputs { 0 } else { output + 1 };
        });
    }

    /// Adds the values of all trees but the stumps that add nothing.
    fn add_some(&self, scores: &mut [f64], answers: &mut Answers) {
        let Answers { row, yes, leaves, stumps } = answers;
        leaves.clear();
        self.for_each_leaf(&self.tall, row, |leaf| leaves.push(leaf));
        stumps.resize(self.roots.len().div_ceil(64), 0);
        for &tree in yes.iter().flat_map(|&question| self.stumps_of(question)) {
            stumps[tree as usize / 64] |= 1 << (tree % 64);
        }
        let outputs = scores.len();
        let mut add = |tree: usize, leaf: u32| {
            let output = if outputs == 1 { 0 } else { tree % outputs };
            scores[output] += self.values[leaf as usize];
        };
        let mut tall = self.tall_trees.iter().zip(leaves.iter()).peekable();
        for (number, word) in stumps.iter_mut().enumerate() {
            let mut left = std::mem::take(word);
            while left != 0 {
                let tree = number * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                while let Some((&before, &leaf)) = tall.next_if(|t| (*t.0 as usize) < tree) {
                    add(before as usize, leaf);
                }
                add(tree, self.steps[self.roots[tree] as usize].next + 1);
            }
        }
        tall.for_each(|(&tree, &leaf)| add(tree as usize, leaf));
    }

    /// The leaf of each tree, as a node of that tree.
    pub(super) fn leaves(&self, found: &[(u32, u32)], answers: &mut Answers) -> Vec<usize> {
        let mut leaves = Vec::with_capacity(self.roots.len());
        self.answer(found, answers);
        self.for_each_leaf(&self.roots, &answers.row, |leaf| {
            leaves.push(self.nodes[leaf as usize] as usize);
        });
        answers.forget();
        leaves
    }

    /// Walks the trees with these roots by a graph's answers; `each` gets the leaves, tree after
    /// tree.
    fn for_each_leaf(&self, roots: &[u32], row: &[u8], mut each: impl FnMut(u32)) {
        let (groups, rest) = roots.as_chunks::<LANES>();
        for roots in groups {
            self.walk(*roots, row).into_iter().for_each(&mut each);
        }
        for &root in rest {
            let [leaf] = self.walk([root], row);
            each(leaf);
        }
    }

    fn walk<const N: usize>(&self, mut at: [u32; N], row: &[u8]) -> [u32; N] {
        loop {
            let mut moved = 0;
            for here in &mut at {
                let Step { question, next } = self.steps[*here as usize];
                let next = next + u32::from(row[question as usize]);
                moved |= next ^ *here;
                *here = next;
            }
            if moved == 0 {
                return at;
            }
        }
    }

    fn answer(&self, found: &[(u32, u32)], answers: &mut Answers) {
        answers.row.resize(self.questions.len() + 1, 0);
        for &(pattern, times) in found {
            for &(at_least, question) in self.of_pattern(pattern as usize) {
                if times < at_least {
                    break;
                }
                answers.row[question as usize] = 1;
                answers.yes.push(question);
            }
        }
    }
}

impl Answers {
    fn forget(&mut self) {
        for question in self.yes.drain(..) {
            self.row[question as usize] = 0;
        }
    }
}
