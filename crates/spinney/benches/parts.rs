//! Benchmarks of the parts, each with the answer that it must give.
//!
//! `make bench` runs them. Data is read from `../shared/data` or `$SPINNEY_DATA`; a set that is not
//! there is skipped, visibly. The built-in Graph-XOR data always runs.

use std::hint::black_box;
use std::path::PathBuf;

use criterion::{Criterion, criterion_group, criterion_main};
use spinney::boosting::{Booster, Exploration, Trained};
use spinney::mining::{Census, Next, PatternLimits, visit};
use spinney::params::FixedParams;
use spinney::{Dataset, Engine, demo, io};

/// A data set, `max_edges`, and the number of patterns of at least one edge.
const CASES: [(&str, usize, usize); 3] =
    [("paper/cpdb.gsp.gz", 6, 26_350), ("tu/MUTAG", 8, 14_363), ("tu/NCI1", 4, 1_679)];

fn load(path: &str) -> Option<Dataset> {
    let home = std::env::var("SPINNEY_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into());
    let path = PathBuf::from(home).join(path);
    if !path.exists() {
        eprintln!("skipped: no {}", path.display());
        return None;
    }
    io::read(&path, &io::ReadOptions::default()).ok().map(|outcome| outcome.data)
}

fn census(c: &mut Criterion) {
    for (path, max_edges, expected) in CASES {
        let Some(data) = load(path) else { continue };
        let count = || {
            let census = Census::take(data.graphs(), max_edges);
            (0..census.len() as u32).filter(|&p| census.edges(p) > 0).count()
        };
        assert_eq!(count(), expected);
        c.bench_function(&format!("census {path} x={max_edges}"), |b| b.iter(count));
    }
}

fn tree(c: &mut Criterion) {
    for (path, max_edges, expected) in CASES {
        let Some(data) = load(path) else { continue };
        let limits = PatternLimits { min_support: 1, max_edges: Some(max_edges) };
        let count = || {
            let mut count = 0;
            visit(data.graphs(), limits, |found| {
                count += usize::from(found.code.edge_count() > 0);
                Next::Descend
            });
            count
        };
        assert_eq!(count(), expected);
        c.bench_function(&format!("enumeration tree {path} x={max_edges}"), |b| b.iter(count));
    }
}

fn boosting(c: &mut Criterion) {
    let sets = [("Graph-XOR", Some(demo::graph_xor())), ("paper/cpdb", load("paper/cpdb.gsp.gz"))];
    for (name, data) in sets {
        let Some(data) = data else { continue };
        let params = FixedParams { max_edges: Some(6), trees: 20, ..FixedParams::paper() };
        let Ok(params) = params.check() else { continue };
        let train: Vec<u32> = (0..data.len() as u32).collect();
        let exploration = Exploration::new(&data, params.max_edges, Engine::Census);
        let boost = || {
            let booster = Booster::new(&exploration, &params, &train, &[]).expect("valid data");
            booster.run(|_| true).expect("finite scores").record().rounds.len()
        };
        assert_eq!(boost(), 20);
        c.bench_function(&format!("20 trees of depth 5 on {name}"), |b| b.iter(boost));
        let model = Booster::new(&exploration, &params, &train, &[])
            .and_then(|booster| booster.run(|_| true))
            .and_then(Trained::into_model)
            .expect("valid data")
            .model;
        c.bench_function(&format!("predict {name}"), |b| {
            b.iter(|| black_box(model.predict(&data)).len());
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = census, tree, boosting
}
criterion_main!(benches);
