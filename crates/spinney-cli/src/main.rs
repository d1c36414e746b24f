//! The program `spinney`: one file a subcommand.
//!
//! Results go to standard output, progress and notes to standard error, both in lines that say what
//! was done. Exit codes: 0 done, 1 failed, 2 wrong usage or bad input, 128 + n stopped by signal n
//! (what was done until then is kept and said).

mod args;
mod budget;
mod checkpoint;
mod cv;
mod cv_output;
mod demo;
mod evaluate;
mod explain;
mod features;
mod gboost;
mod input;
mod inspect;
mod listing;
mod mine;
mod molecules;
mod npz;
mod output;
mod patterns;
mod predict;
mod profile;
mod progress;
mod renamed;
mod report;
mod reporting;
mod reproduce;
mod signals;
mod stacking;
mod train;
mod validation;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

/// Gradient-boosted trees over all connected subgraphs of labelled graphs.
#[derive(Parser)]
#[command(name = "spinney", version, propagate_version = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show the method on the built-in Graph-XOR data: depth 1 fails, depth 2 succeeds
    Demo(demo::Args),
    /// Describe a data set or a model file
    Inspect(inspect::Args),
    /// Train a model
    Train(train::Args),
    /// Predict with a model
    Predict(predict::Args),
    /// Measure a model on data with known targets
    Evaluate(evaluate::Args),
    /// Cross-validate a grid of settings
    Cv(cv::Args),
    /// List or count the connected patterns that occur in graphs
    Mine(mine::Args),
    /// List a model's patterns, the most important first
    Patterns(patterns::Args),
    /// Write which graph contains which of a model's patterns, as a 0/1 matrix
    Features(features::Args),
    /// Explain a prediction: the patterns that decided, present and absent, and where they lie
    Explain(explain::Args),
    /// Write a report on a model: one HTML page
    Report(report::Args),
    /// Carry out the paper's experiments, its numbers beside ours
    Reproduce(reproduce::Args),
}

/// Reads the command line. `explain` asks for a record by `--id`, so there the column of
/// identifiers is named by `--id-column`.
fn command() -> Command {
    let cli = Cli::command()
        .mut_subcommand("explain", |explain| explain.mut_arg("id", |arg| arg.long("id-column")));
    match Cli::from_arg_matches(&cli.get_matches_from(renamed::arguments(std::env::args_os()))) {
        Ok(read) => read.command,
        Err(wrong) => wrong.exit(),
    }
}

fn main() -> ExitCode {
    signals::install();
    let done = match command() {
        Command::Demo(args) => demo::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Cv(args) => cv::run(&args),
        Command::Mine(args) => mine::run(&args),
        Command::Patterns(args) => patterns::run(&args),
        Command::Features(args) => features::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
    };
    match done {
        Ok(()) => signals::exit_code().map_or(ExitCode::SUCCESS, ExitCode::from),
        Err(error) => {
            output::complain(&format!("spinney: {error}"));
            if error.is_interrupted() {
                signals::obey();
                return signals::exit_code().map_or(ExitCode::FAILURE, ExitCode::from);
            }
            if error.is_bad_input() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}
