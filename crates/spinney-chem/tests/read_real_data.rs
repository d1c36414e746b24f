//! The readers on real files, counted against RDKit 2026.9.1 (`MolFromSmiles`, `SDMolSupplier`).
//!
//! The files are those of `$SPINNEY_DATA`, or of `shared/data` beside the project; where they are
//! absent each test says that it is skipped.

use std::path::{Path, PathBuf};
use std::time::Instant;

use spinney::graph::Graph;
use spinney::io::OnError;
use spinney_chem::Chemistry;
use spinney_chem::read::{Columns, Loaded, Request, Targets, for_each_batch, load};

fn data(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("SPINNEY_DATA").map_or(beside, PathBuf::from);
    let path = folder.join(name);
    if !path.exists() {
        eprintln!("skipped: {} is not here", path.display());
        return None;
    }
    Some(path)
}

fn request(path: PathBuf, targets: Targets) -> Request {
    let columns = Columns { targets, ..Columns::default() };
    Request { path, columns, on_error: OnError::Skip, ..Request::default() }
}

fn named(target: &str) -> Targets {
    Targets::Named(vec![target.to_owned()])
}

/// Loads `name` and checks how many records were kept and left out.
fn counted(name: &str, targets: Targets, kept: usize, skipped: usize) -> Option<Loaded> {
    let request = request(data(name)?, targets);
    let loaded = load(&request, &Chemistry::default()).unwrap();
    let faults: Vec<String> = loaded.skipped.iter().map(ToString::to_string).collect();
    let counts = (loaded.data.len(), loaded.skipped.len());
    assert_eq!(counts, (kept, skipped), "{name}: {faults:#?}");
    assert_eq!(loaded.structures.len(), kept);
    assert!(loaded.targets.iter().all(|column| column.len() == kept));
    Some(loaded)
}

#[test]
fn tables_of_smiles() {
    if let Some(bbbp) = counted("moleculenet/BBBP.csv", named("p_np"), 2039, 11) {
        let positive = bbbp.data.targets().iter().filter(|t| t.as_deref() == Some("1")).count();
        assert_eq!(positive, 1560);
        assert_eq!(bbbp.skipped[0].id, "60");
    }
    let measured = named("measured log solubility in mols per litre");
    if let Some(esol) = counted("moleculenet/ESOL_delaney-processed.csv", measured, 1128, 0) {
        assert_eq!(esol.data.numbers().unwrap()[0], -0.77);
    }
    let mutag = counted("mutag/mutag.csv", named("label"), 186, 2);
    if let Some(mutag) = mutag {
        let places: Vec<&str> = mutag.skipped.iter().map(|s| s.id.as_str()).collect();
        assert_eq!(places, ["83", "188"]);
        assert!(mutag.skipped[0].place.ends_with("mutag.csv:84"));
    }
}

#[test]
fn twelve_targets_with_gaps() {
    let Some(tox21) = counted("moleculenet/tox21.csv", Targets::All, 7823, 8) else { return };
    assert_eq!(tox21.target_names.len(), 12);
    assert_eq!(
        (tox21.target_names[0].as_str(), tox21.target_names[11].as_str()),
        ("NR-AR", "SR-p53")
    );
    let given = |column: &Vec<Option<String>>| column.iter().flatten().count();
    let given: Vec<usize> = tox21.targets.iter().map(given).collect();
    assert_eq!((given[0], given[11]), (7258, 6767));
    assert_eq!(tox21.data.targets(), tox21.targets[0]);
}

#[test]
fn hiv_and_its_speed() {
    let start = Instant::now();
    let Some(hiv) = counted("moleculenet/HIV.csv", named("HIV_active"), 41_120, 7) else { return };
    let seconds = start.elapsed().as_secs_f64();
    let threads = rayon::current_num_threads();
    eprintln!("HIV: {:.0} molecules a second on {threads} threads", 41_127.0 / seconds);
    assert_eq!(hiv.data.targets().iter().filter(|t| t.as_deref() == Some("1")).count(), 1443);
}

#[test]
fn structure_files() {
    let cpdb = counted("paper/cpdb.sdf.gz", named("activity"), 602, 82);
    if let Some(cpdb) = cpdb {
        assert_eq!(cpdb.data.ids()[0], "100-40-3");
        assert_eq!(cpdb.data.class_names().unwrap(), ["Active", "Inactive"]);
    }
    counted("paper/mutag.sdf.gz", named("activity"), 187, 1);
    counted("nci/aid1.sdf.gz", named("value"), 3506, 80);
    counted("nci/aid47.sdf.gz", named("value"), 3418, 52);
}

#[test]
fn batches_are_the_whole() {
    let Some(path) = data("moleculenet/BBBP.csv") else { return };
    let request = request(path, named("p_np"));
    let whole = load(&request, &Chemistry::default()).unwrap();
    let (mut ids, mut structures, mut skipped, mut atoms) = (vec![], vec![], vec![], 0);
    for_each_batch(&request, &Chemistry::default(), 100, |batch| {
        assert!(batch.data.len() + batch.skipped.len() <= 100);
        ids.extend_from_slice(batch.data.ids());
        structures.extend(batch.structures);
        skipped.extend(batch.skipped);
        atoms += batch.data.graphs().iter().map(Graph::vertex_count).sum::<usize>();
        Ok(())
    })
    .unwrap();
    assert_eq!(ids, whole.data.ids());
    assert_eq!(structures, whole.structures);
    assert_eq!(skipped, whole.skipped);
    assert_eq!(atoms, whole.data.graphs().iter().map(Graph::vertex_count).sum::<usize>());
}

#[test]
fn lenient_reading_keeps_what_lacks_a_charge() {
    for (name, kept, corrected) in [
        ("paper/cpdb.sdf.gz", 684, 82),
        ("paper/mutag.sdf.gz", 188, 1),
        ("moleculenet/BBBP.csv", 2039, 0),
    ] {
        let Some(path) = data(name) else { continue };
        let request = Request { lenient: true, ..request(path, Targets::None) };
        let loaded = load(&request, &Chemistry::default()).unwrap();
        let faults: Vec<String> = loaded.skipped.iter().map(ToString::to_string).collect();
        let counts = (loaded.data.len(), loaded.corrected);
        assert_eq!(counts, (kept, corrected), "{name}: {faults:#?}");
    }
}
