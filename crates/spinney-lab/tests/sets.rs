//! The data sets of the QSAR experiment, where the paper's files are there; else each test says
//! `skipped` and passes.

use std::collections::HashMap;
use std::path::PathBuf;

use spinney::io::ReadOptions;
use spinney_lab::qsar::sets::{SOURCES, derived};

fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("SPINNEY_DATA").map(PathBuf::from);
    let near = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let folder = named.unwrap_or_else(near);
    if !folder.join("paper").exists() {
        eprintln!("skipped: no data in {}", folder.display());
        return None;
    }
    Some(folder)
}

#[test]
fn sets_have_the_papers_sizes_and_ten_folds() {
    let Some(folder) = folder() else { return };
    let expected = [
        ("CPDB", 602, 13.8),
        ("CPDB types", 684, 25.2),
        ("Mutag", 187, 17.9),
        ("Mutag types", 188, 26.3),
        ("NCI1", 4252, 30.3),
        ("NCI47", 4202, 30.5),
    ];
    for (source, (name, graphs, vertices)) in SOURCES.iter().zip(expected) {
        let set = source.read(&folder).unwrap();
        let sizes = set.data.graphs().iter().map(spinney::graph::Graph::vertex_count);
        let mean: usize = sizes.sum();
        let mean = mean as f64 / set.data.len() as f64;
        assert_eq!((source.name, set.data.len(), set.folds.count()), (name, graphs, 10));
        assert!((mean - vertices).abs() < 0.06, "{name}: {mean}");
        // Every graph is tested once, and no inner training part meets either tested fold.
        let mut tested = vec![0; set.data.len()];
        for fold in 0..10 {
            let [_, inner, test, next] = set.parts(fold);
            test.iter().for_each(|&g| tested[g as usize] += 1);
            assert!(inner.iter().all(|g| !test.contains(g) && !next.contains(g)));
            assert_eq!(inner.len() + test.len() + next.len(), set.data.len());
        }
        assert!(tested.iter().all(|&times| times == 1), "{name}");
    }
}

#[test]
fn derived_labels_stand_for_rdkits_invariants() {
    let Some(folder) = folder() else { return };
    let read = |name: &str| {
        spinney::io::read(&folder.join("paper").join(name), &ReadOptions::default()).unwrap().data
    };
    let (ours, rdkits) = (derived(&read("nci1_comp.gsp.gz")).unwrap(), read("nci1_ecfp.gsp.gz"));
    let mut together: HashMap<u32, HashMap<u32, usize>> = HashMap::new();
    for (a, b) in ours.graphs().iter().zip(rdkits.graphs()) {
        for (&derived, &invariant) in a.labels().iter().zip(b.labels()) {
            *together.entry(derived).or_default().entry(invariant).or_default() += 1;
        }
    }
    let atoms: usize = together.values().flat_map(|counts| counts.values()).sum();
    let agreeing: usize = together.values().filter_map(|counts| counts.values().max()).sum();
    // Every label but its commonest invariant counts as a difference.
    assert!(agreeing as f64 > 0.994 * atoms as f64, "{agreeing} of {atoms}");
}
