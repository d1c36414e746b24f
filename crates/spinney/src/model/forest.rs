//! A model's trees as one flat array, walked eight at a time.
//!
//! A *question* is a pattern with a threshold; a graph's answers are a row of bytes, one a
//! question. A node is a question and where its children stand, the one for *no* before the one for
//! *yes*, so that a step adds the answer to a number: no branch to predict, and the walks of eight
//! trees overlap.
//!
//! **Invariant.** Question 0 is always answered *no*, and a leaf is its own child for *no*: a walk
//! may take more steps than its tree is deep. Answers are all *no* between graphs.

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
        forest
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
        let outputs = scores.len();
        let mut output = 0;
        self.for_each_leaf(found, answers, |leaf| {
            scores[output] += self.values[leaf];
            output = if output + 1 == outputs { 0 } else { output + 1 };
        });
    }

    /// The leaf of each tree, as a node of that tree.
    pub(super) fn leaves(&self, found: &[(u32, u32)], answers: &mut Answers) -> Vec<usize> {
        let mut leaves = Vec::with_capacity(self.roots.len());
        self.for_each_leaf(found, answers, |leaf| leaves.push(self.nodes[leaf] as usize));
        leaves
    }

    /// Walks every tree by the patterns found in a graph; `each` gets the leaves, tree after tree.
    fn for_each_leaf(
        &self,
        found: &[(u32, u32)],
        answers: &mut Answers,
        mut each: impl FnMut(usize),
    ) {
        self.answer(found, answers);
        let (groups, rest) = self.roots.as_chunks::<LANES>();
        for roots in groups {
            self.walk(*roots, &answers.row).into_iter().for_each(|leaf| each(leaf as usize));
        }
        for &root in rest {
            let [leaf] = self.walk([root], &answers.row);
            each(leaf as usize);
        }
        answers.forget();
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
