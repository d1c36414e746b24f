//! Views of graphs against what is meant by them: degrees counted, cycles found by taking each edge
//! away.

mod boosted;
mod oracle;

use boosted::request;
use oracle::random::{Random, Shape, dataset, graph, random_graph};
use spinney::fit;
use spinney::graph::Graph;
use spinney::params::FixedParams;
use spinney::representation::Representation;
use spinney::representation::views::{VertexView, Views};

/// Whether two vertices are connected without one of the edges.
fn connected_without(graph: &Graph, (u, v): (u32, u32), without: usize) -> bool {
    let mut reached = vec![false; graph.vertex_count()];
    reached[u as usize] = true;
    for _ in 0..graph.vertex_count() {
        for (i, e) in graph.edges().iter().enumerate().filter(|(i, _)| *i != without) {
            let either = reached[e.u as usize] || reached[e.v as usize];
            reached[e.u as usize] |= either && i != without;
            reached[e.v as usize] |= either && i != without;
        }
    }
    reached[v as usize]
}

#[test]
fn surroundings_are_degree_and_cycles() {
    let mut random = Random::new(11);
    let shape = Shape { vertices: 9, edges: 11, vertex_labels: 3, edge_labels: 2 };
    for _ in 0..500 {
        let given = random_graph(&mut random, shape);
        let data = dataset(std::slice::from_ref(&given), &["1".to_owned()]);
        let viewed = Views::both().viewed(&data);
        let both = &viewed.graphs()[0];
        let n = given.vertex_count();
        assert_eq!((both.vertex_count(), both.edge_count()), (2 * n, 2 * given.edge_count()));
        let name = |v: usize| viewed.labels().vertex.name(both.labels()[v]);
        for v in 0..n as u32 {
            let own = given.edges().iter().enumerate().filter(|(_, e)| e.u == v || e.v == v);
            let degree = own.clone().count();
            let cyclic = own.clone().any(|(i, e)| connected_without(&given, (e.u, e.v), i));
            let label = data.labels().vertex.name(given.labels()[v as usize]);
            assert_eq!(name(v as usize), label);
            let mark = if cyclic { 'r' } else { 'd' };
            assert_eq!(name(n + v as usize), format!("{label}:{mark}{degree}"));
        }
        let first = Views::both().copies().first(both);
        assert_eq!((first.vertex_count(), first.edge_count()), (n, given.edge_count()));
        let ends = |g: &Graph| g.edges().iter().map(|e| (e.u, e.v)).collect::<Vec<_>>();
        assert_eq!(ends(&first), ends(&given));
        assert_eq!(
            ends(both)[given.edge_count()..]
                .iter()
                .map(|(u, v)| (u - n as u32, v - n as u32))
                .collect::<Vec<_>>(),
            ends(&given)
        );
    }
}

#[test]
fn names_of_views_never_coincide() {
    use spinney::dataset::GraphRecord;
    let given = graph(&[0, 1, 2, 3], &[(0, 1, 0), (1, 2, 0), (2, 3, 0)]);
    let mut labels = spinney::labels::Labels::default();
    for name in ["C", "C:d1", "C:d1:", "C:"] {
        labels.vertex.intern(name);
    }
    labels.edge.intern("-");
    let record = GraphRecord { graph: given, id: "g".into(), target: None };
    let data = spinney::Dataset::new(&labels, vec![record]);
    let viewed = Views::both().viewed(&data);
    let labels = viewed.graphs()[0].labels();
    let (plain, marked) = labels.split_at(4);
    assert!(plain.iter().all(|label| !marked.contains(label)), "{:?}", viewed.labels());
    let different: std::collections::BTreeSet<_> = labels.iter().collect();
    assert_eq!(different.len(), 8);
}

#[test]
fn one_view_of_labels_changes_nothing_and_models_keep_theirs() {
    let data = spinney::demo::graph_xor();
    let same = Views::default().viewed(&data);
    assert_eq!(same.labels().vertex.names(), data.labels().vertex.names());
    assert_eq!(Views::default().to_json(), None);
    let small = FixedParams { trees: 3, max_edges: Some(2), ..FixedParams::default() };
    let model = fit(&Views::both().viewed(&data), &request(small)).expect("a model").model;
    assert_eq!(Views::of_model(&model), Some(Views::default()));
    let model = model.with_representation(Views::both().to_json().expect("two views"));
    assert_eq!(Views::of_model(&model), Some(Views::both()));
    let read = spinney::Model::from_json(&model.to_json()).expect("a model");
    assert_eq!(Views::of_model(&read), Some(Views::both()));
    assert!("degree".parse::<VertexView>().is_err());
    let label = "label";
    for hostile in
        [serde_json::json!([]), serde_json::json!([label, label]), serde_json::json!(["x"])]
    {
        let model = read.clone().with_representation(serde_json::json!({"vertices": hostile}));
        assert_eq!(Views::of_model(&model), None);
    }
}
