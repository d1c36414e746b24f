//! Shows the rounds of a training, ends it after a second, and says what it did.
//!
//! `cargo run --release -p spinney --example observe`

use std::time::{Duration, Instant};

use spinney::boosting::record::Round;
use spinney::evaluation::Split;
use spinney::representation::CovariateColumns;
use spinney::representation::views::Views;
use spinney::training::{Budget, Explored, Job, Observer, Phase, Prepared, train};
use spinney::{Request, Result, demo};

struct Printed;

impl Observer for Printed {
    fn phase(&self, phase: Phase) {
        println!("{phase:?}");
    }

    fn round(&self, round: &Round) {
        println!("  training loss {:.4}", round.train_loss);
    }
}

fn main() -> Result<()> {
    let raw = demo::graph_xor();
    let budget = Budget { time: Some(Duration::from_secs(1)), ..Budget::default() };
    let request = Request { limits: budget.limits(Instant::now()), ..Request::default() };
    let mut views = Views::of_preset(request.preset);
    let columns = CovariateColumns::default();
    let prepared = Prepared::new(&raw, &columns, request.measures(), &mut views)?;
    let explored = Explored::new(&prepared, std::slice::from_ref(&request), &Printed)?;
    let split = Split::whole(raw.len());
    let outcome = train(&explored, &request, &Job::new(&split), &Printed)?;
    if let Some(record) = outcome.record.trees() {
        println!("{} after {} rounds", record.stopped.text(), record.rounds.len());
    }
    println!("{:?}", outcome.params);
    Ok(())
}
