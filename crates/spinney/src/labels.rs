//! The dictionary between label names and the small integers that graphs hold.
//!
//! **Invariant.** In a finished dictionary, ids follow the natural order of the names: integers by
//! value, then words by bytes. So ids, and with them DFS codes and tie-breaks, depend on which
//! labels occur, not on the order in which graphs were read.

use rustc_hash::FxHashMap;

/// A label: an index into one side of a [`Labels`] dictionary.
pub type Label = u32;

/// The label of something that training never saw. It equals no label of any pattern.
pub const UNSEEN: Label = Label::MAX;

/// The names of vertex labels and of edge labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// Names of vertex labels.
    pub vertex: Names,
    /// Names of edge labels.
    pub edge: Names,
}

/// One side of the dictionary: names to ids and back.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: Vec<String>,
    ids: FxHashMap<String, Label>,
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.names == other.names
    }
}

impl Eq for Names {}

impl Names {
    /// The id of `name`, given a new one if it has none yet.
    pub fn intern(&mut self, name: &str) -> Label {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.names.len() as Label;
        self.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }

    /// The id of `name`, or [`UNSEEN`].
    #[must_use]
    pub fn id(&self, name: &str) -> Label {
        self.ids.get(name).copied().unwrap_or(UNSEEN)
    }

    /// The name of `label`; `"?"` for [`UNSEEN`] and anything else outside the dictionary.
    #[must_use]
    pub fn name(&self, label: Label) -> &str {
        self.names.get(label as usize).map_or("?", String::as_str)
    }

    /// All names, by id.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many names there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no name at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// For each id here, the id of the same name in `other` (or [`UNSEEN`]).
    #[must_use]
    pub fn translation(&self, other: &Names) -> Vec<Label> {
        self.names.iter().map(|name| other.id(name)).collect()
    }

    /// The same names in natural order.
    #[must_use]
    pub fn sorted(&self) -> Names {
        let mut names: Vec<&String> = self.names.iter().collect();
        names.sort_by(|a, b| natural_order(a, b));
        names.into_iter().cloned().collect()
    }
}

impl FromIterator<String> for Names {
    fn from_iter<I: IntoIterator<Item = String>>(iter: I) -> Self {
        let mut names = Names::default();
        for name in iter {
            names.intern(&name);
        }
        names
    }
}

/// Integers by value, before words by bytes.
#[must_use]
pub fn natural_order(a: &str, b: &str) -> std::cmp::Ordering {
    let key = |s: &str| s.parse::<i128>().map_or((1, 0), |value| (0, value));
    key(a).cmp(&key(b)).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::{Names, UNSEEN};

    #[test]
    fn order_is_natural_and_unknown_names_are_unseen() {
        let names: Names = ["C", "10", "9", "-1", "Br"].map(String::from).into_iter().collect();
        let sorted = names.sorted();
        assert_eq!(sorted.names(), ["-1", "9", "10", "Br", "C"]);
        assert_eq!(names.translation(&sorted), [4, 2, 1, 0, 3]);
        assert_eq!(sorted.id("Cl"), UNSEEN);
        assert_eq!(sorted.name(UNSEEN), "?");
    }
}
