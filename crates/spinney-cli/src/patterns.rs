//! `spinney patterns`: what a model looks for.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use serde_json::{Value, json};
use spinney::model::Importance;
use spinney::representation::views::Views;
use spinney::{Error, Model, Result};
use spinney_chem::draw::pattern_svg;
use spinney_chem::smarts::{pattern_text, smarts};

use crate::args::CommonArgs;
use crate::{input, output};

/// List a model's patterns, the most important first.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A model file
    model: PathBuf,
    /// How many to list [default: all]
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// How to list them
    #[arg(long, value_enum, default_value_t = Form::Table)]
    format: Form,
    /// Where to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw each pattern to RANK.svg in this folder
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For reading
    Table,
    /// For spreadsheets
    Csv,
    /// For programs
    Json,
    /// One pattern a line, as SMARTS if it is of molecules; then without thresholds of numbers
    Smarts,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    output::check(&[args.output.as_deref(), args.common.json.as_deref()], &[&args.model])?;
    let model = input::model(&args.model)?;
    let mut ranked = model.importance();
    ranked.truncate(args.top.unwrap_or(usize::MAX));
    let list: Vec<Value> =
        ranked.iter().enumerate().map(|(i, r)| entry(&model, i + 1, r)).collect();
    let header = header(&model);
    let columns: Vec<&str> = header.iter().map(String::as_str).collect();
    let rows: Vec<Vec<String>> =
        ranked.iter().enumerate().map(|(i, r)| row(&model, i + 1, r)).collect();
    output::write_to(args.output.as_deref(), |out| match args.format {
        Form::Table => out.write_all(output::table(&columns, &rows).as_bytes()),
        Form::Smarts => {
            // Thresholds of numbers are no SMARTS.
            let molecular = Views::of_model(&model).is_none();
            let is_one = |r: &Importance| {
                !molecular || smarts(&model.patterns()[r.pattern].code, model.labels()).is_some()
            };
            let kept = rows.iter().zip(&ranked).filter(|(_, r)| is_one(r));
            kept.map(|(row, _)| row).try_for_each(|r| writeln!(out, "{}", r[1]))
        }
        Form::Json => writeln!(out, "{:#}", Value::from(list.clone())),
        Form::Csv => output::write_csv(out, |csv| {
            csv.write_record(&header)?;
            rows.iter().try_for_each(|r| csv.write_record(r))
        }),
    })?;
    if let Some(folder) = &args.svg {
        draw(folder, &model, &ranked)?;
    }
    let params = json!({"model": args.model.display().to_string(), "top": args.top});
    let results = json!({"patterns": list});
    output::write_json(args.common.json.as_deref(), "patterns", &params, started, &results)
}

/// Draws each pattern to `RANK.svg` in `folder`, which is made if it is not there.
fn draw(folder: &Path, model: &Model, ranked: &[Importance]) -> Result<()> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Error::failed(format!("cannot make folder {}: {e}", folder.display())))?;
    for (i, importance) in ranked.iter().enumerate() {
        let svg = pattern_svg(&model.patterns()[importance.pattern].code, model.labels());
        let path = folder.join(format!("{}.svg", i + 1));
        output::write_to(Some(&path), |out| out.write_all(svg.as_bytes()))?;
    }
    Ok(())
}

/// The columns of [`row`].
pub(crate) fn header(model: &Model) -> Vec<String> {
    let mut header: Vec<String> =
        ["rank", "pattern", "edges", "gain", "splits", "cover"].map(String::from).into();
    let classes = model.task().classes();
    if classes.is_empty() {
        header.push("support".into());
    }
    header.extend(classes.iter().map(|c| format!("support_{c}")));
    match classes {
        [_, _] | [] => header.push("effect".into()),
        _ => header.extend(classes.iter().map(|c| format!("effect_{c}"))),
    }
    header
}

/// A pattern in words: rank, pattern, gain, splits, cover, support by class, effect on the score.
pub(crate) fn row(model: &Model, rank: usize, importance: &Importance) -> Vec<String> {
    let pattern = &model.patterns()[importance.pattern];
    let mut row = vec![
        rank.to_string(),
        pattern_text(&pattern.code, model.labels()),
        pattern.code.edge_count().to_string(),
        format!("{:.3}", importance.gain),
        importance.splits.to_string(),
        importance.cover.to_string(),
    ];
    row.extend(pattern.support.iter().map(u32::to_string));
    row.extend(importance.effect.iter().map(|e| format!("{e:+.4}")));
    row
}

fn entry(model: &Model, rank: usize, importance: &Importance) -> Value {
    let pattern = &model.patterns()[importance.pattern];
    json!({
        "rank": rank,
        "pattern": pattern_text(&pattern.code, model.labels()),
        "edges": pattern.code.edge_count(),
        "code": output::code_json(&pattern.code, model.labels()),
        "gain": importance.gain,
        "splits": importance.splits,
        "cover": importance.cover,
        "at_least": importance.at_least,
        "support": pattern.support,
        "effect": importance.effect,
    })
}
