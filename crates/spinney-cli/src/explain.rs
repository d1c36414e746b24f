//! `spinney explain`: why a model predicts what it predicts.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;
use spinney::{Error, Result};
use spinney_report::Explanation;

use crate::args::{CommonArgs, ReadingArgs};
use crate::input::Input;
use crate::report::sample;
use crate::{input, output};

/// Explain a prediction.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A model file
    model: PathBuf,
    /// Graphs, or molecules if the model was trained on molecules
    input: PathBuf,
    /// The record to explain, counted from 1 among those read [default: the only one]
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "record",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    row: Option<u64>,
    /// The record to explain, by its identifier
    #[arg(long = "id", value_name = "ID")]
    record: Option<String>,
    /// Training data, to show the nearest examples for each pattern from
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// The class whose score is explained, of more than two [default: the predicted one]
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// Where to write: .html, .svg or .json [default: a table on standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    common: CommonArgs,
}

/// Reasons shown in the table.
const SHOWN: usize = 20;

pub(crate) fn run(args: &Args) -> Result<()> {
    let started = Instant::now();
    args.common.start()?;
    let mut inputs = vec![args.model.as_path(), &args.input];
    inputs.extend(args.data.as_deref());
    output::check(&[args.output.as_deref(), args.common.json.as_deref()], &inputs)?;
    let form = args.output.as_deref().map(Form::of).transpose()?;
    let model = input::model(&args.model)?;
    let input = input::read_for(&model, &args.input, &args.reading, &args.common)?;
    let input = with_targets(input)?;
    let row = row(args, &input)?;
    let training = args
        .data
        .as_ref()
        .map(|path| with_targets(input::read_for(&model, path, &args.reading, &args.common)?));
    let training = training.transpose()?;
    let target = args.reading.molecules.target.first().cloned();
    let explanation = Explanation::new(&model, sample(&input), row, args.class.as_deref())?;
    let mut explanation = explanation.with_target(target);
    if let Some(training) = &training {
        explanation = explanation.with_training(sample(training));
    }
    let text = match form {
        None => table(&explanation, &input.data.ids()[row]),
        Some(Form::Html) => explanation.html(),
        Some(Form::Svg) => explanation.svg()?,
        Some(Form::Json) => format!("{:#}\n", explanation.json()),
    };
    output::write_to(args.output.as_deref(), |out| out.write_all(text.as_bytes()))?;
    if let Some(path) = &args.output {
        args.common.note(&format!("wrote {}", path.display()));
    }
    let params = json!({
        "model": args.model.display().to_string(),
        "input": args.input.display().to_string(),
        "row": row + 1,
        "data": args.data.as_ref().map(|p| p.display().to_string()),
        "class": args.class,
        "output": args.output.as_ref().map(|p| p.display().to_string()),
    });
    let results = explanation.json();
    output::write_json(args.common.json.as_deref(), "explain", &params, started, &results)
}

/// The targets of the first target column, where they are known; molecules without one stay.
fn with_targets(mut input: Input) -> Result<Input> {
    if !input.targets.is_empty() {
        let targets = input.targets.swap_remove(0);
        input.data = input.data.with_targets(targets)?;
    }
    Ok(input)
}

/// What to write, by the name of the file.
enum Form {
    Html,
    Svg,
    Json,
}

impl Form {
    fn of(path: &Path) -> Result<Form> {
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("html" | "htm") => Ok(Form::Html),
            Some("svg") => Ok(Form::Svg),
            Some("json") => Ok(Form::Json),
            _ => Err(Error::parameter("output", "name a file that ends in .html, .svg or .json")),
        }
    }
}

/// The record that is asked for.
fn row(args: &Args, input: &Input) -> Result<usize> {
    let ids = input.data.ids();
    let count = input.data.len();
    if let Some(row) = args.row {
        let row = row as usize;
        return if row <= count {
            Ok(row - 1)
        } else {
            Err(Error::parameter("row", format!("{row}, but there are {count} records")))
        };
    }
    if let Some(record) = &args.record {
        let mut same = (0..count).filter(|&i| &ids[i] == record);
        return match (same.next(), same.next()) {
            (Some(row), None) => Ok(row),
            (Some(a), Some(b)) => {
                let reason = format!("{record:?} names records {} and {}: use --row", a + 1, b + 1);
                Err(Error::parameter("id", reason))
            }
            _ => {
                let first = ids.first().map_or("", String::as_str);
                let reason = format!(
                    "no record is called {record:?} (the first is {first:?}); --id-column names \
                     the column of identifiers"
                );
                Err(Error::parameter("id", reason))
            }
        };
    }
    if count == 1 {
        return Ok(0);
    }
    Err(Error::parameter("row", format!("say which of the {count} records: --row N or --id ID")))
}

/// The strongest reasons, for the terminal.
fn table(explanation: &Explanation<'_>, id: &str) -> String {
    let row = |r: &spinney_report::explanation::Reason| {
        let state = if r.count > 0 { format!("{} ×", r.count) } else { "missing".into() };
        vec![format!("{:+.4}", r.contribution), state, r.text.clone()]
    };
    let shown = explanation.reasons.iter().take(SHOWN);
    let rest: f64 = explanation.reasons.iter().skip(SHOWN).map(|r| r.contribution).sum();
    let mut rows = vec![vec![format!("{:+.4}", explanation.start), String::new(), "start".into()]];
    rows.extend(shown.map(row));
    if explanation.reasons.len() > SHOWN {
        let more = format!("{} more patterns", explanation.reasons.len() - SHOWN);
        rows.push(vec![format!("{rest:+.4}"), String::new(), more]);
    }
    rows.push(vec![format!("{:+.4}", explanation.score()), String::new(), "score".into()]);
    format!(
        "{id}: predicted {}\n{}",
        explanation.verdict(),
        output::table(&["contribution", "here", "pattern"], &rows)
    )
}
