//! What predicts: laid out when it is first asked for, and kept with its model.
//!
//! **Invariant.** A model never changes, so what was laid out for it holds as long as it does; a
//! training makes a new model. Threads may ask at once: whoever is first past the post is kept, and
//! nobody waits, since a wait inside a pool's thread could be for work of that same thread.
//!
//! **Cost.** Laying out takes a tenth of a second for a model of ten thousand patterns, so a first
//! prediction takes that long and the next ones do not.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use spinney::mining::DfsCode;
use spinney::model::{Matcher, Node, Predictor, Tree};
use spinney::representation::covariates::{Covariates, NumberedCovariates};
use spinney_chem::smarts::pattern_text;

/// The predictor of a model.
#[derive(Clone)]
pub(crate) struct SharedPredictor {
    model: Arc<spinney::Model>,
    built: Arc<Built>,
}

/// What is made of a model when it is first needed.
#[derive(Default)]
struct Built {
    predictor: OnceLock<Predictor<Arc<spinney::Model>>>,
    covariates: OnceLock<NumberedCovariates>,
    questions: OnceLock<Vec<(usize, u32)>>,
    texts: OnceLock<Vec<String>>,
}

/// What `cell` holds; `make` makes it where nobody has yet.
fn kept<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    if let Some(known) = cell.get() {
        return known;
    }
    let own = make();
    cell.get_or_init(|| own)
}

impl SharedPredictor {
    pub(crate) fn new(model: Arc<spinney::Model>) -> SharedPredictor {
        SharedPredictor { model, built: Arc::default() }
    }

    /// The predictor; builds it where nobody has yet.
    pub(crate) fn get(&self) -> &Predictor<Arc<spinney::Model>> {
        kept(&self.built.predictor, || Predictor::new(Arc::clone(&self.model)))
    }

    /// The model's covariates in its labels.
    pub(crate) fn numbered(&self, covariates: &Covariates) -> &NumberedCovariates {
        let labels = self.model.labels();
        kept(&self.built.covariates, || NumberedCovariates::new(covariates, labels))
    }

    /// The questions that trees ask: a pattern with a threshold, ascending.
    pub(crate) fn questions(&self) -> &[(usize, u32)] {
        kept::<Vec<_>>(&self.built.questions, || questions(&self.model))
    }

    /// The patterns in words.
    pub(crate) fn texts(&self) -> &[String] {
        let labels = self.model.labels();
        let text = || self.model.patterns().iter().map(|p| pattern_text(&p.code, labels)).collect();
        kept::<Vec<_>>(&self.built.texts, text)
    }
}

fn questions(model: &spinney::Model) -> Vec<(usize, u32)> {
    let mut asked = std::collections::BTreeSet::new();
    for node in model.trees().iter().flat_map(Tree::nodes) {
        if let Node::Split { pattern, at_least, .. } = *node {
            asked.insert((pattern, at_least));
        }
    }
    asked.into_iter().collect()
}

/// The matcher of a set of patterns, for the number of occurrences asked for last.
#[derive(Default)]
pub(crate) struct LastMatcher {
    built: Mutex<Option<Counting>>,
}

/// A matcher, and how far it counts.
#[derive(Clone)]
struct Counting {
    most: u32,
    matcher: Arc<Matcher>,
}

impl LastMatcher {
    /// A matcher of `codes` that counts up to `most`.
    pub(crate) fn get(&self, codes: &[DfsCode], most: u32) -> Arc<Matcher> {
        let known = self.last().as_ref().filter(|last| last.most == most).cloned();
        if let Some(last) = known {
            return last.matcher;
        }
        let matcher = Arc::new(Matcher::new(codes.iter().map(|code| (code, most))));
        *self.last() = Some(Counting { most, matcher: Arc::clone(&matcher) });
        matcher
    }

    fn last(&self) -> std::sync::MutexGuard<'_, Option<Counting>> {
        self.built.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
