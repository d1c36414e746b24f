//! `spinney inspect`: what is in a data set, or in a model file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};
use spinney::mining::estimate_edge_sets;
use spinney::{Dataset, Model, Result};

use crate::args::{CommonArgs, ReadingArgs};
use crate::renamed::told_by;
use crate::{input, output};

/// Describe a data set or a model file.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Graphs, or a model file (.json)
    input: PathBuf,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    common: CommonArgs,
}

/// For how many edges the size of the pattern space is estimated.
const SIZES: [usize; 3] = [4, 6, 8];

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    output::check(&[args.common.json.as_deref()], &[&args.input])?;
    let (text, results) = if args.reading.format.is_none() && input::is_json(&args.input) {
        model(&Model::load(&args.input)?)
    } else {
        data(&input::read_plain(&args.input, &args.reading, &args.common)?.data)
    };
    output::print(&text)?;
    let params = json!({"input": args.input.display().to_string()});
    output::write_json(args.common.json.as_deref(), "inspect", &params, started, &results)
}

fn data(data: &Dataset) -> (String, Value) {
    let n = data.len() as f64;
    let sizes = |f: &dyn Fn(&spinney::graph::Graph) -> usize| {
        let all: Vec<usize> = data.graphs().iter().map(f).collect();
        let least = all.iter().min().copied();
        let most = all.iter().max().copied();
        let mean = all.iter().sum::<usize>() as f64 / n;
        (least.unwrap_or(0), mean, most.unwrap_or(0))
    };
    let vertices = sizes(&|g| g.vertex_count());
    let edges = sizes(&|g| g.edge_count());
    let targets = targets(data);
    let sets: Vec<(usize, f64)> =
        SIZES.iter().map(|&x| (x, estimate_edge_sets(data.graphs(), x))).collect();
    let mut text = format!(
        "{}\nvertices  {} to {}, mean {:.1}; {}\nedges     {} to {}, mean {:.1}; {}\n",
        output::count(data.len(), "graph"),
        vertices.0,
        vertices.2,
        vertices.1,
        output::count(data.labels().vertex.len(), "label"),
        edges.0,
        edges.2,
        edges.1,
        output::count(data.labels().edge.len(), "label"),
    );
    text += &targets.0;
    for (x, sets) in &sets {
        text += &format!("connected edge sets of up to {x} edges: about {}\n", rounded(*sets));
    }
    let edge_sets: serde_json::Map<String, Value> =
        sets.iter().map(|(x, sets)| (x.to_string(), json!(sets))).collect();
    let results = json!({
        "graphs": data.len(),
        "vertices": {"min": vertices.0, "mean": vertices.1, "max": vertices.2},
        "edges": {"min": edges.0, "mean": edges.1, "max": edges.2},
        "vertex_labels": data.labels().vertex.names(),
        "edge_labels": data.labels().edge.names(),
        "targets": targets.1,
        "edge_sets": edge_sets,
    });
    (text, results)
}

/// At most this many different targets are listed one by one.
const LISTED: usize = 20;

fn targets(data: &Dataset) -> (String, Value) {
    let missing = data.targets().iter().filter(|t| t.is_none()).count();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for target in data.targets().iter().flatten() {
        *counts.entry(target).or_default() += 1;
    }
    if counts.is_empty() {
        return ("targets   none\n".into(), Value::Null);
    }
    let mut found = json!({"distinct": counts.len(), "missing": missing});
    let mut text = format!("targets   {} different values", counts.len());
    if counts.len() <= LISTED {
        found["counts"] = json!(counts);
        let each: Vec<String> = counts.iter().map(|(t, n)| format!("{t} ({n})")).collect();
        text = format!("targets   {}", each.join(", "));
    } else if let Ok(mut numbers) =
        counts.keys().map(|t| t.parse()).collect::<std::result::Result<Vec<f64>, _>>()
    {
        numbers.sort_by(f64::total_cmp);
        let least = numbers[0];
        let most = numbers[numbers.len() - 1];
        found["min"] = json!(least);
        found["max"] = json!(most);
        text += &format!(", {least} to {most}");
    }
    let note = if missing > 0 { format!("; {missing} missing") } else { String::new() };
    (text + &note + "\n", found)
}

/// Two significant digits with thousands separated.
fn rounded(value: f64) -> String {
    let digits = (value.max(1.0).log10().floor() as i32 - 1).max(0);
    let unit = 10f64.powi(digits);
    let text = format!("{:.0}", (value / unit).round() * unit);
    let mut out = String::new();
    for (i, c) in text.chars().enumerate() {
        if i > 0 && (text.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

fn model(model: &Model) -> (String, Value) {
    let provenance = model.provenance();
    let splits = model.importance().iter().map(|i| i.splits).sum::<usize>();
    let task = json!(model.task());
    let mut text = format!(
        "model of {}\ntask      {}\n",
        provenance.program,
        match model.task().classes() {
            [] => "regression".to_owned(),
            classes => format!("classes {}", classes.join(", ")),
        }
    );
    text += &format!(
        "trained   on {} graphs, {} rounds ({})\n",
        provenance.graphs,
        model.rounds(),
        provenance.stopped
    );
    text += &format!(
        "contains  {} trees, {splits} splits, {} patterns of up to {} edges\n",
        model.trees().len(),
        model.patterns().len(),
        model.patterns().iter().map(|p| p.code.edge_count()).max().unwrap_or(0)
    );
    if model.provenance().stumps > 0 {
        let stumps = output::count(model.provenance().stumps, "tree");
        text += &format!("linear    model: {stumps} of one split, before those of the rounds\n");
    }
    if let Some(from) = &provenance.stacked_from {
        text += &format!("stacked   from other targets: {from}\n");
    }
    text += "parameters\n";
    for (name, value) in model.params() {
        text += &format!("  {name:<16} {value}\n");
    }
    let mut results = json!({
        "task": task,
        "rounds": model.rounds(),
        "trees": model.trees().len(),
        "splits": splits,
        "patterns": model.patterns().len(),
        "params": model.params(),
        "provenance": provenance,
    });
    if let Some(from) = &provenance.stacked_from {
        results["provenance"]["told_by"] = told_by(from);
    }
    (text, results)
}
