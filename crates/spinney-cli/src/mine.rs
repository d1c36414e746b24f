//! `spinney mine`: the connected patterns of graphs, listed or counted.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};
use spinney::mining::exploration::{Exploration, check_census};
use spinney::mining::mine::{
    CountedPatterns, Incomplete, MineRequest, MinedPatterns, PatternCounter, RankBy, Top, best,
    bytes_of_list, count_within, from_census, mine_within,
};
use spinney::mining::{PatternCounts, PatternLimits, Wanted};
use spinney::{Dataset, Engine, Error, Result};

use crate::args::{CommonArgs, InputArgs, Limit};
use crate::budget::MiningBudgetArgs;
use crate::listing::{Form, Listing};
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
    /// Only the K best patterns, the best first
    #[arg(long, value_name = "K")]
    top: Option<NonZeroUsize>,
    /// What the best patterns have most of: support (then the smallest come first) or edges (then
    /// those in the most graphs)
    #[arg(long, value_name = "support|edges", default_value = "support", requires = "top")]
    by: RankBy,
    /// Count the patterns, list none
    #[arg(long, conflicts_with_all = ["output", "occurrences", "top"])]
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
    budget: MiningBudgetArgs,
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

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    let form = Form::of(args.output.as_deref())?;
    let outputs = [args.output.as_deref(), args.common.json.as_deref()];
    output::check(&outputs, &[&args.input.input])?;
    let data = input::read_plain(&args.input.input, &args.input.reading, &args.common)?.data;
    let request = request(args, data.len(), started);
    let wanted = request.wanted;
    if wanted.limits.min_support == 1
        && args.top.is_none()
        && input::edge_sets(&data, args.max_edges.0) > EDGE_SETS_WORTH_A_WARNING
    {
        args.common
            .note("spinney: note: this may take long; limit it by --min-support or --max-edges");
    }
    let wait = progress::spinner(&args.common, "exploring patterns");
    let counted = if args.count_only {
        count(args, &data, &request)?
    } else {
        list(args, &data, &request, form)?
    };
    wait.finish_and_clear();
    let CountedPatterns { counts, incomplete } = counted;
    if args.count_only || args.output.is_some() {
        let by_edges = counts.by_edges.iter().enumerate().filter(|(_, n)| **n > 0);
        let lines: String =
            by_edges.map(|(e, n)| format!("  {}: {n}\n", output::count(e, "edge"))).collect();
        output::print(&(summary(args, &request, &counts) + &lines))?;
    } else {
        args.common.note(summary(args, &request, &counts).trim_end());
    }
    if let Some(incomplete) = &incomplete {
        output::complain(&format!("spinney: {}", in_words(incomplete, data.len())));
    }
    let params = json!({
        "min_support": wanted.limits.min_support,
        "max_edges": args.max_edges.0,
        "closed": args.closed,
        "vertices": args.vertices,
        "top": args.top,
        "by": args.top.map(|_| by_name(args.by)),
        "time": args.budget.time.map(|time| time.0.as_secs_f64()),
        "memory": args.budget.memory.map(|bytes| bytes.0),
        "engine": args.engine,
        "input": args.input.input.display().to_string(),
        "output": args.output.as_ref().map(|p| p.display().to_string()),
    });
    let mut results = json!({
        "patterns": counts.patterns,
        "classes": counts.classes,
        "by_edges": counts.by_edges.iter().enumerate().map(|(e, n)| (e.to_string(), json!(n)))
            .collect::<serde_json::Map<_, _>>(),
    });
    if let Some(incomplete) = &incomplete {
        results["incomplete"] = to_json(incomplete, data.len());
    }
    output::write_json(args.common.json.as_deref(), "mine", &params, started, &results)
}

/// What is mined in `graphs` graphs.
fn request(args: &Args, graphs: usize, started: Instant) -> MineRequest {
    let limits =
        PatternLimits { min_support: args.min_support.of(graphs), max_edges: args.max_edges.0 };
    MineRequest {
        wanted: Wanted { limits, vertices: args.vertices, closed: args.closed },
        top: args.top.map(|count| Top { count: count.get(), by: args.by }),
        limits: args.budget.limits(started),
    }
}

fn by_name(by: RankBy) -> &'static str {
    match by {
        RankBy::Support => "support",
        RankBy::Edges => "edges",
    }
}

/// What was found, in words.
fn summary(args: &Args, request: &MineRequest, counts: &PatternCounts) -> String {
    let best = |top: Top| format!(", the first {} by {}", top.count, by_name(top.by));
    format!(
        "{} in {} (minimum support {}, {}{})\n",
        output::count(counts.patterns, "pattern"),
        if counts.classes == 1 { "1 class".into() } else { format!("{} classes", counts.classes) },
        request.wanted.limits.min_support,
        args.max_edges.0.map_or("any size".into(), |x| format!("at most {x} edges")),
        request.top.map_or_else(String::new, best),
    )
}

/// Why patterns are missing, and which are not.
fn in_words(incomplete: &Incomplete, graphs: usize) -> String {
    let mut text = format!(
        "incomplete: {}; what is there is right, each pattern with all its graphs",
        incomplete.limit.text()
    );
    if incomplete.open_support < graphs {
        text += &format!("; none in more than {} graphs is missing", incomplete.open_support);
    }
    if let Some(edges) = incomplete.whole_edges.filter(|&edges| edges > 0) {
        text += &format!("; none of at most {} is missing", output::count(edges, "edge"));
    }
    text
}

/// The same for programs.
fn to_json(incomplete: &Incomplete, graphs: usize) -> Value {
    json!({
        "reason": incomplete.limit.text(),
        "complete_above_support": incomplete.open_support.min(graphs),
        "complete_up_to_edges": incomplete.whole_edges,
    })
}

/// The census, if it may be used: it knows nothing of closedness, and must count out everything
/// before the support threshold can cut anything.
fn explore<'d>(
    args: &Args,
    data: &'d Dataset,
    request: &MineRequest,
) -> Result<Option<Exploration<'d>>> {
    let MineRequest { wanted, top, limits } = *request;
    let max_edges = wanted.limits.max_edges;
    // By support, the tree is walked no further than the best patterns reach.
    let is_pruned = top.is_some_and(|top| top.by == RankBy::Support);
    let engine = match args.engine {
        Engine::Census if wanted.closed => {
            return Err(Error::parameter("engine", "--closed needs the bound engine"));
        }
        Engine::Auto if wanted.closed || max_edges.is_none() || is_pruned => Engine::Bound,
        engine => engine,
    };
    if engine == Engine::Bound {
        return Ok(None);
    }
    check_census(data, max_edges, engine)?;
    let exploration = Exploration::with_limits(data, max_edges, engine, limits);
    Ok(exploration.census().is_some().then_some(exploration))
}

fn count(args: &Args, data: &Dataset, request: &MineRequest) -> Result<CountedPatterns> {
    let MineRequest { wanted, limits, .. } = *request;
    let exploration = explore(args, data, request)?;
    if let Some(census) = exploration.as_ref().and_then(Exploration::census) {
        let counts = PatternCounts::of_census(census, wanted);
        return Ok(CountedPatterns { counts, incomplete: None });
    }
    Ok(count_within(data.graphs(), wanted, &limits))
}

fn list(args: &Args, data: &Dataset, request: &MineRequest, form: Form) -> Result<CountedPatterns> {
    let MinedPatterns { all, incomplete } = mined(args, data, request)?;
    let mut counter = PatternCounter::default();
    all.iter().for_each(|m| counter.add(m.code.edge_count(), &m.graphs));
    let told = incomplete.as_ref().map(|one| to_json(one, data.len()));
    let listing = Listing::new(data, all, args.occurrences, told);
    listing.write(args.output.as_deref(), form)?;
    Ok(CountedPatterns { counts: counter.finish(), incomplete })
}

/// The patterns, from a census where one fits, else from the enumeration tree.
fn mined(args: &Args, data: &Dataset, request: &MineRequest) -> Result<MinedPatterns> {
    let MineRequest { wanted, top, limits } = *request;
    let exploration = explore(args, data, request)?;
    if let Some(census) = exploration.as_ref().and_then(Exploration::census) {
        let left = limits.left(census.bytes());
        if left.is_none_or(|left| bytes_of_list(census, wanted) <= left) {
            let all = from_census(data.graphs(), census, wanted);
            let all = match top {
                Some(top) => best(top, all),
                None => all,
            };
            return Ok(MinedPatterns { all, incomplete: None });
        }
    }
    drop(exploration);
    Ok(mine_within(data.graphs(), request))
}
