//! Mining within limits: the best patterns are the first of the whole list, and a list that a limit
//! has cut short is right as far as it goes.

mod oracle;

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use oracle::random::{Random, random_graphs};
use proptest::prelude::*;
use spinney::boosting::TrainingLimits;
use spinney::graph::{Graph, GraphBuilder};
use spinney::mining::mine::{
    MineRequest, MinedPatterns, RankBy, ReachedLimit, Top, best, count_within, mine_within,
};
use spinney::mining::{InterruptFlag, Mined, PatternCounts, PatternLimits, Wanted, mine};

/// All patterns, by the walk without limits.
fn whole(graphs: &[Graph], wanted: Wanted) -> Vec<Mined> {
    let mut all = Vec::new();
    assert!(mine(graphs, wanted, |mined| {
        all.push(mined);
        true
    }));
    all
}

/// The first of the whole list, sorted here.
fn first(all: &[Mined], top: Top) -> Vec<Mined> {
    let mut sorted = all.to_vec();
    sorted.sort_by_key(|m| {
        let support = Reverse(m.graphs.len());
        let edges = m.code.edge_count();
        match top.by {
            RankBy::Support => (support, Reverse(usize::MAX - edges), m.code.clone()),
            RankBy::Edges => (Reverse(edges), support, m.code.clone()),
        }
    });
    sorted.truncate(top.count);
    sorted
}

fn clique(vertices: u32) -> Graph {
    let mut builder = GraphBuilder::new();
    (0..vertices).for_each(|_| {
        builder.add_vertex(0);
    });
    for u in 0..vertices {
        (0..u).for_each(|v| assert!(builder.add_edge(u, v, 0).is_ok()));
    }
    builder.build()
}

/// Every pattern of a list is one of all, with all its graphs; none that is said to be there is
/// missing.
fn check(found: &MinedPatterns, all: &[Mined]) {
    found.all.iter().for_each(|mined| assert!(all.contains(mined), "{:?}", mined.code));
    let open = found.incomplete.map_or(0, |incomplete| incomplete.open_support);
    let claimed = all.iter().filter(|mined| mined.graphs.len() > open);
    claimed.for_each(|mined| assert!(found.all.contains(mined), "{:?} is missing", mined.code));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The best are the first of the whole list, however patterns are chosen.
    #[test]
    fn the_best_are_the_first_of_all(
        seed in 0u64..u64::MAX,
        count in 1usize..40,
        by_edges in any::<bool>(),
        closed in any::<bool>(),
        vertices in any::<bool>(),
        min_support in 1usize..4,
        max_edges in prop::option::of(1usize..6),
    ) {
        let mut random = Random::new(seed);
        let graphs = random_graphs(&mut random, 9, 7);
        let wanted = Wanted { limits: PatternLimits { min_support, max_edges }, vertices, closed };
        let by = if by_edges { RankBy::Edges } else { RankBy::Support };
        let top = Top { count, by };
        let all = whole(&graphs, wanted);
        let request = MineRequest { wanted, top: Some(top), limits: TrainingLimits::default() };
        let found = mine_within(&graphs, &request);
        prop_assert_eq!(found.incomplete, None);
        prop_assert_eq!(&found.all, &first(&all, top));
        prop_assert_eq!(best(top, all), found.all);
    }

    /// Whatever memory there is, what is listed is right, and what is claimed is there.
    #[test]
    fn a_list_that_is_cut_short_is_right(seed in 0u64..u64::MAX, memory in 1000usize..400_000) {
        let mut random = Random::new(seed);
        let graphs = random_graphs(&mut random, 9, 7);
        let limits = TrainingLimits { memory: Some(memory), ..TrainingLimits::default() };
        let wanted = Wanted::default();
        let all = whole(&graphs, wanted);
        let found = mine_within(&graphs, &MineRequest { wanted, top: None, limits });
        check(&found, &all);
        if found.incomplete.is_none() {
            prop_assert_eq!(found.all.len(), all.len());
        }
        let counted = count_within(&graphs, wanted, &limits);
        prop_assert!(counted.counts.patterns <= all.len());
        prop_assert!(counted.incomplete.is_some() || counted.counts.patterns == all.len());
    }
}

#[test]
fn the_best_of_cliques_are_found_though_all_cannot_be() {
    let graphs: Vec<Graph> = vec![clique(30); 5];
    let limits = TrainingLimits { memory: Some(1 << 30), ..TrainingLimits::default() };
    let top = Some(Top { count: 4, by: RankBy::Support });
    let found = mine_within(&graphs, &MineRequest { wanted: Wanted::default(), top, limits });
    assert_eq!(found.incomplete, None);
    // An edge, two, and two of three edges: all in all graphs.
    let edges: Vec<usize> = found.all.iter().map(|mined| mined.code.edge_count()).collect();
    assert_eq!(edges, [1, 2, 3, 3]);
    assert!(found.all.iter().all(|mined| mined.graphs.len() == 5));
}

#[test]
fn memory_ends_a_walk_that_would_not_end() {
    let graphs: Vec<Graph> = vec![clique(40); 3];
    let limits = TrainingLimits { memory: Some(64 << 20), ..TrainingLimits::default() };
    let request = MineRequest { limits, ..MineRequest::default() };
    let found = mine_within(&graphs, &request);
    let incomplete = found.incomplete.unwrap();
    assert_eq!(incomplete.limit, ReachedLimit::Memory);
    assert_eq!(incomplete.open_support, 3);
    assert!(!found.all.is_empty());
    let counted = count_within(&graphs, Wanted::default(), &limits);
    assert_eq!(counted.incomplete.map(|one| one.limit), Some(ReachedLimit::Memory));
    let counts = |patterns: &PatternCounts| patterns.by_edges.iter().sum::<usize>();
    assert_eq!(counts(&counted.counts), counted.counts.patterns);
}

#[test]
fn time_and_interrupts_end_a_walk() {
    static FLAG: InterruptFlag = InterruptFlag::new();
    let graphs: Vec<Graph> = vec![clique(40); 3];
    let until = Some(Instant::now() + Duration::from_millis(50));
    let limits = TrainingLimits { until, ..TrainingLimits::default() };
    let found = mine_within(&graphs, &MineRequest { limits, ..MineRequest::default() });
    assert_eq!(found.incomplete.map(|one| one.limit), Some(ReachedLimit::Time));
    FLAG.stop();
    let limits = TrainingLimits { interrupt: Some(&FLAG), ..TrainingLimits::default() };
    let found = mine_within(&graphs, &MineRequest { limits, ..MineRequest::default() });
    assert_eq!(found.incomplete.map(|one| one.limit), Some(ReachedLimit::Interrupt));
    assert!(found.all.is_empty());
}
