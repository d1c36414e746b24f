//! The paper's figure of feature importance and search space for CPDB: patterns searched and
//! selected against all, by size, and what the selected ones are worth.

use spinney::mining::Census;
use spinney::{Dataset, Engine, Error, Model, Outcome, Params, Request, Result, fit};
use spinney_chem::smarts::pattern_text;

use crate::page::Page;
use crate::table::Table;
use spinney_report::plot::{Line, Plot};

const MAX_EDGES: usize = 8;
/// The paper's best rounds and rate for CPDB.
const TREES: usize = 120;
const RATE: f64 = 0.1;
const DEPTH: usize = 5;
const SHOWN: usize = 20;

/// How many patterns of each size there are, by number of edges from 0.
struct Sizes {
    all: [usize; MAX_EDGES + 1],
    searched: [usize; MAX_EDGES + 1],
    selected: [usize; MAX_EDGES + 1],
}

/// Adds the figure, and its numbers as tables, to a page.
///
/// # Errors
/// If training fails.
pub(super) fn add(data: &Dataset, page: &mut Page) -> Result<()> {
    let outcome = trained(data)?;
    let sizes = sizes(data, &outcome)?;
    let setting = format!("x{MAX_EDGES} d{DEPTH} η{RATE} k{TREES}, trained on all graphs");
    let importance = outcome.model.importance();
    let total: f64 = importance.iter().map(|i| i.gain).sum();
    let ranks = importance.iter().enumerate();
    let ranked = ranks.map(|(i, of)| ((i + 1) as f64, 100.0 * of.gain / total)).collect();
    let lines = vec![
        size_line("all", &sizes.all),
        size_line("searched", &sizes.searched),
        size_line("selected", &sizes.selected),
    ];
    page.figures.push((
        format!("Feature importance and search space for CPDB, {setting}."),
        vec![
            plot("Patterns by size", "edges", "patterns", lines),
            plot(
                "Importance of the selected patterns",
                "rank",
                "share of gain (%)",
                vec![Line { name: "patterns".into(), points: ranked, ..Line::default() }],
            ),
        ],
    ));
    page.tables.extend([
        ("search_space".into(), size_table(&sizes, &setting)),
        ("importance".into(), importance_table(&outcome.model, &setting)),
    ]);
    Ok(())
}

fn trained(data: &Dataset) -> Result<Outcome> {
    let params = Params {
        max_edges: Some(MAX_EDGES).into(),
        depth: DEPTH.into(),
        learning_rate: RATE,
        trees: TREES.into(),
        ..Params::paper()
    };
    // The bound engine searches as the paper does: what cannot win is not enumerated.
    let request = Request { engine: Engine::Bound, ..Request::paper().with_params(params) };
    fit(data, &request)
}

fn sizes(data: &Dataset, outcome: &Outcome) -> Result<Sizes> {
    let no_trees = || Error::failed("the training has no record of trees");
    let record = outcome.record.trees().ok_or_else(no_trees)?;
    let mut all = [0; MAX_EDGES + 1];
    let census = Census::take(data.graphs(), MAX_EDGES);
    (0..census.len() as u32).for_each(|pattern| all[census.edges(pattern)] += 1);
    let mut selected = [0; MAX_EDGES + 1];
    outcome.model.patterns().iter().for_each(|p| selected[p.code.edge_count()] += 1);
    let searched = |size| record.explored_by_edges.get(size).copied().unwrap_or(0);
    Ok(Sizes { all, searched: std::array::from_fn(searched), selected })
}

/// The sizes that occur, without the single vertices.
fn size_line(name: &str, counts: &[usize]) -> Line {
    let sizes = counts.iter().enumerate().skip(1).filter(|&(_, &count)| count > 0);
    let points = sizes.map(|(size, &count)| (size as f64, count as f64)).collect();
    Line { name: name.into(), points, ..Line::default() }
}

fn size_table(sizes: &Sizes, setting: &str) -> Table {
    let mut table = Table::new(
        "CPDB: patterns by number of edges",
        &["edges", "all", "searched", "selected", "searched of all (%)"],
    );
    table.note = format!("Searched by the bound engine at {setting}.");
    for size in 1..=MAX_EDGES {
        let Sizes { all, searched, selected } = sizes;
        let share = 100.0 * searched[size] as f64 / all[size].max(1) as f64;
        let numbers = [size, all[size], searched[size], selected[size]].map(|n| n.to_string());
        table.row(numbers.into_iter().chain([format!("{share:.1}")]));
    }
    table
}

fn importance_table(model: &Model, setting: &str) -> Table {
    let importance = model.importance();
    let total: f64 = importance.iter().map(|i| i.gain).sum();
    let mut table = Table::new(
        "CPDB: the most important patterns",
        &["rank", "pattern (SMARTS)", "importance (%)", "graphs"],
    );
    table.note = format!("Importance: the share of all gain of splits, at {setting}.");
    for (rank, of) in importance.iter().take(SHOWN).enumerate() {
        let pattern = &model.patterns()[of.pattern];
        let text = pattern_text(&pattern.code, model.labels());
        let share = format!("{:.2}", 100.0 * of.gain / total);
        table.row([(rank + 1).to_string(), text, share, pattern.total_support().to_string()]);
    }
    table
}

fn plot(title: &str, x: &str, y: &str, lines: Vec<Line>) -> Plot {
    Plot { title: title.into(), x: x.into(), y: y.into(), lines, log: true, ..Plot::default() }
}
