//! `spinney mine`: the connected patterns of graphs, listed or counted.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use serde_json::json;
use spinney::dataset::GraphRecord;
use spinney::mining::exploration::{Exploration, check_census};
use spinney::mining::mine::PatternCounter;
use spinney::mining::{DfsCode, Mined, PatternCounts, PatternLimits, Wanted, mine};
use spinney::{Dataset, Engine, Error, Result, io};
use spinney_chem::smarts::pattern_text;

use crate::args::{CommonArgs, InputArgs, Limit};
use crate::npz::{Matrix, Values};
use crate::{input, output, progress};

/// List or count the connected patterns that occur in graphs.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// Least number (or share) of graphs that contain a pattern
    #[arg(long, value_name = "N|P%", default_value = "1", allow_negative_numbers = true)]
    min_support: Support,
    /// Most edges of a pattern
    #[arg(long, value_name = "N|none", default_value = "none", allow_negative_numbers = true)]
    max_edges: Limit,
    /// Only patterns to which no edge can be added without losing a graph
    #[arg(long)]
    closed: bool,
    /// Single vertices are patterns too
    #[arg(long)]
    vertices: bool,
    /// Count the patterns, list none
    #[arg(long, conflicts_with_all = ["output", "occurrences"])]
    count_only: bool,
    /// Count how often a pattern occurs in each graph (distinct edge sets)
    #[arg(long)]
    occurrences: bool,
    /// Where to write: .jsonl, .csv, .gsp, or .npz, a matrix for scipy.sparse.load_npz with a row
    /// for each graph and a column for each pattern [default: JSON lines on standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How to explore patterns: auto, census or bound (the enumeration tree)
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    engine: Engine,
    #[command(flatten)]
    common: CommonArgs,
}

/// More edge sets (estimated) than this are worth a warning.
const EDGE_SETS_WORTH_A_WARNING: f64 = 1e8;

/// A number of graphs, or a share of them.
#[derive(Clone, Copy, Debug)]
enum Support {
    Count(usize),
    Percent(f64),
}

impl std::str::FromStr for Support {
    type Err = String;

    fn from_str(s: &str) -> std::result::Result<Self, String> {
        let wrong = || format!("{s:?} is neither a number of graphs nor a percentage such as 5%");
        let support = match s.strip_suffix('%') {
            Some(share) => Support::Percent(share.trim().parse().map_err(|_| wrong())?),
            None => Support::Count(s.parse().map_err(|_| wrong())?),
        };
        match support {
            Support::Count(0) => Err("a pattern must occur in at least 1 graph".into()),
            Support::Percent(p) if !(p > 0.0 && p <= 100.0) => Err(wrong()),
            _ => Ok(support),
        }
    }
}

impl Support {
    fn of(self, graphs: usize) -> usize {
        match self {
            Support::Count(n) => n,
            // Rounding errors must not make 7 % of 100 graphs 8 graphs.
            Support::Percent(p) => ((p * graphs as f64 / 100.0 - 1e-9).ceil() as usize).max(1),
        }
    }
}

/// How the patterns are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Lines,
    Csv,
    Graphs,
    Matrix,
}

impl Form {
    fn of(path: Option<&Path>) -> Result<Form> {
        let Some(path) = path else { return Ok(Form::Lines) };
        let name = path.to_string_lossy().to_ascii_lowercase();
        let whole = name.rsplit('.').next();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit('.').next() {
            Some("npz") if whole == Some("npz") => Ok(Form::Matrix),
            Some("jsonl") => Ok(Form::Lines),
            Some("csv") => Ok(Form::Csv),
            Some("gsp" | "gspan") => Ok(Form::Graphs),
            _ => Err(Error::parameter(
                "output",
                format!("{}: name a .jsonl, .csv, .gsp or .npz file", path.display()),
            )),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    let form = Form::of(args.output.as_deref())?;
    let outputs = [args.output.as_deref(), args.common.json.as_deref()];
    output::check(&outputs, &[&args.input.input])?;
    let data = input::read_plain(&args.input.input, &args.input.reading, &args.common)?.data;
    let wanted = Wanted {
        limits: PatternLimits {
            min_support: args.min_support.of(data.len()),
            max_edges: args.max_edges.0,
        },
        vertices: args.vertices,
        closed: args.closed,
    };
    if wanted.limits.min_support == 1
        && input::edge_sets(&data, args.max_edges.0) > EDGE_SETS_WORTH_A_WARNING
    {
        args.common
            .note("spinney: note: this may take long; limit it by --min-support or --max-edges");
    }
    let wait = progress::spinner(&args.common, "exploring patterns");
    let counts = if args.count_only {
        count(args, &data, wanted)?
    } else {
        list(args, &data, wanted, form)?
    };
    wait.finish_and_clear();
    let summary = format!(
        "{} in {} (minimum support {}, {})\n",
        output::count(counts.patterns, "pattern"),
        if counts.classes == 1 { "1 class".into() } else { format!("{} classes", counts.classes) },
        wanted.limits.min_support,
        args.max_edges.0.map_or("any size".into(), |x| format!("at most {x} edges")),
    );
    if args.count_only || args.output.is_some() {
        let by_edges = counts.by_edges.iter().enumerate().filter(|(_, n)| **n > 0);
        let lines: String =
            by_edges.map(|(e, n)| format!("  {}: {n}\n", output::count(e, "edge"))).collect();
        output::print(&(summary + &lines))?;
    } else {
        args.common.note(summary.trim_end());
    }
    let params = json!({
        "min_support": wanted.limits.min_support,
        "max_edges": args.max_edges.0,
        "closed": args.closed,
        "vertices": args.vertices,
        "engine": args.engine,
        "input": args.input.input.display().to_string(),
        "output": args.output.as_ref().map(|p| p.display().to_string()),
    });
    let results = json!({
        "patterns": counts.patterns,
        "classes": counts.classes,
        "by_edges": counts.by_edges.iter().enumerate().map(|(e, n)| (e.to_string(), json!(n)))
            .collect::<serde_json::Map<_, _>>(),
    });
    output::write_json(args.common.json.as_deref(), "mine", &params, started, &results)
}

/// The census, if it may be used: it knows nothing of closedness, and must count out everything
/// before the support threshold can cut anything.
fn explore<'d>(args: &Args, data: &'d Dataset, wanted: Wanted) -> Result<Option<Exploration<'d>>> {
    let engine = match args.engine {
        Engine::Census if wanted.closed => {
            return Err(Error::parameter("engine", "--closed needs the bound engine"));
        }
        Engine::Auto if wanted.closed || wanted.limits.max_edges.is_none() => Engine::Bound,
        engine => engine,
    };
    if engine == Engine::Bound {
        return Ok(None);
    }
    check_census(data, wanted.limits.max_edges, engine)?;
    let exploration = Exploration::new(data, wanted.limits.max_edges, engine);
    Ok(exploration.census().is_some().then_some(exploration))
}

fn count(args: &Args, data: &Dataset, wanted: Wanted) -> Result<PatternCounts> {
    if let Some(exploration) = explore(args, data, wanted)? {
        let census = exploration.census();
        return Ok(
            census.map_or_else(PatternCounts::default, |c| PatternCounts::of_census(c, wanted))
        );
    }
    Ok(spinney::mining::mine::count(data.graphs(), wanted))
}

fn list(args: &Args, data: &Dataset, wanted: Wanted, form: Form) -> Result<PatternCounts> {
    let mut all: Vec<Mined> = Vec::new();
    if let Some(exploration) = explore(args, data, wanted)? {
        if let Some(census) = exploration.census() {
            all = spinney::mining::mine::from_census(data.graphs(), census, wanted);
        }
    } else {
        mine(data.graphs(), wanted, |mined| {
            all.push(mined);
            true
        });
    }
    let mut counter = PatternCounter::default();
    all.iter().for_each(|m| counter.add(m.code.edge_count(), &m.graphs));
    let listing = Listing { data, parents: parents(&all), all, occurrences: args.occurrences };
    output::write_to(args.output.as_deref(), |out| match form {
        Form::Lines => listing.write_lines(out),
        Form::Csv => output::write_csv(out, |csv| listing.write_rows(csv)),
        Form::Graphs => listing.write_graphs(out),
        Form::Matrix => listing.write_matrix(out),
    })?;
    Ok(counter.finish())
}

/// The number of each pattern's parent among those listed: its code without the last edge.
fn parents(all: &[Mined]) -> Vec<Option<usize>> {
    let find = |code: DfsCode| all.binary_search_by(|m| m.code.cmp(&code)).ok();
    all.into_par_iter().map(|m| m.code.parent().and_then(find)).collect()
}

/// The patterns to write.
struct Listing<'d> {
    data: &'d Dataset,
    all: Vec<Mined>,
    parents: Vec<Option<usize>>,
    /// Whether to write how often each occurs.
    occurrences: bool,
}

impl Listing<'_> {
    /// The graphs that contain a pattern.
    fn ids(&self, mined: &Mined) -> Vec<&str> {
        mined.graphs.iter().map(|&g| self.data.ids()[g as usize].as_str()).collect()
    }

    fn write_lines(&self, out: &mut dyn Write) -> std::io::Result<()> {
        for (i, (mined, parent)) in self.all.iter().zip(&self.parents).enumerate() {
            let mut line = json!({
                "id": i,
                "pattern": pattern_text(&mined.code, self.data.labels()),
                "code": output::code_json(&mined.code, self.data.labels()),
                "edges": mined.code.edge_count(),
                "support": mined.graphs.len(),
                "parent": parent,
                "graphs": self.ids(mined),
            });
            if self.occurrences {
                line["occurrences"] = json!(mined.occurrences);
            }
            writeln!(out, "{line}")?;
        }
        Ok(())
    }

    fn write_rows(&self, csv: &mut csv::Writer<&mut dyn Write>) -> csv::Result<()> {
        let mut header = vec!["id", "pattern", "edges", "support", "parent", "graphs"];
        header.extend(self.occurrences.then_some("occurrences"));
        csv.write_record(&header)?;
        for (i, (mined, parent)) in self.all.iter().zip(&self.parents).enumerate() {
            let mut row = vec![
                i.to_string(),
                pattern_text(&mined.code, self.data.labels()),
                mined.code.edge_count().to_string(),
                mined.graphs.len().to_string(),
                parent.map_or(String::new(), |p| p.to_string()),
                self.ids(mined).join(" "),
            ];
            if self.occurrences {
                let counts: Vec<String> = mined.occurrences.iter().map(u64::to_string).collect();
                row.push(counts.join(" "));
            }
            csv.write_record(&row)?;
        }
        Ok(())
    }

    /// The patterns as graphs, with the support in the place of the target.
    fn write_graphs(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let record = |(i, mined): (usize, &Mined)| {
            let graph = mined.code.to_graph().map_err(std::io::Error::other)?;
            Ok(GraphRecord {
                graph,
                id: i.to_string(),
                target: Some(mined.graphs.len().to_string()),
            })
        };
        let records =
            self.all.iter().enumerate().map(record).collect::<std::io::Result<Vec<_>>>()?;
        io::gspan::write(&Dataset::new(self.data.labels(), records), out)
    }

    /// Which graph contains which pattern, or how often.
    fn write_matrix(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let mut rows = vec![Vec::new(); self.data.len()];
        for (column, mined) in (0..).zip(&self.all) {
            for (&graph, &times) in mined.graphs.iter().zip(&mined.occurrences) {
                rows[graph as usize].push((column, times));
            }
        }
        let mut starts = vec![0];
        let (mut indices, mut counts): (Vec<u32>, Vec<u64>) = (Vec::new(), Vec::new());
        for row in rows {
            indices.extend(row.iter().map(|entry| entry.0));
            counts.extend(row.iter().map(|entry| entry.1));
            starts.push(indices.len() as u64);
        }
        let values = if self.occurrences { Values::Counts(&counts) } else { Values::Ones };
        Matrix { starts: &starts, indices: &indices, values, columns: self.all.len() }.write(out)
    }
}
