//! Reports of trainings show the numbers that the program prints, and take what the program may
//! take.

mod support;

use std::fmt::Write;

use serde_json::Value;
use support::{Place, counts, path};

/// Paths of three letters of which those with an `a` are active, but for every fourth, which is
/// turned round: what tuning finds is far from the defaults.
fn noisy(graphs: usize) -> String {
    let mut text = String::new();
    for id in 0..graphs {
        let letter = |place: usize| ["a", "b", "c"][(id / 3usize.pow(place as u32)) % 3];
        let labels = [letter(0), letter(1), letter(2)].concat();
        let is_active = labels.contains('a') != (id * 7 % 4 == 3 || id % 9 == 1);
        text += &path(id, if is_active { "1" } else { "0" }, &labels);
    }
    text
}

/// Molecules with a number that is missing now and then.
fn molecules(count: usize) -> String {
    let mut text = String::from("smiles,active,size\n");
    for i in 0..count {
        let chain: String = (0..5).map(|at| ["C", "N", "O"][i * (at + 3) / (at + 1) % 3]).collect();
        let oxygens = chain.matches('O').count();
        let size = if i % 5 == 2 { String::new() } else { format!("{}.{}", oxygens, i * 7 % 10) };
        let is_active = (oxygens > 1) != (i % 6 == 4);
        writeln!(text, "C{chain}C,{},{size}", u8::from(is_active)).unwrap();
    }
    text
}

/// A metric's name in the JSON file and on the page.
const NAMES: [(&str, &str); 6] = [
    ("accuracy", "accuracy"),
    ("auc", "area under the ROC curve"),
    ("log_loss", "log loss"),
    ("rmse", "root mean squared error"),
    ("mae", "mean absolute error"),
    ("r2", "R²"),
];

/// A mean with its standard deviation, at so many digits; accuracy is in percent.
fn spread(metric: &str, value: &Value, digits: usize) -> String {
    let [mean, sd] = ["mean", "sd"].map(|key| value[key].as_f64().unwrap());
    match metric {
        "accuracy" => {
            let digits = digits - 2;
            format!("{:.digits$} ± {:.digits$} %", 100.0 * mean, 100.0 * sd)
        }
        _ => format!("{mean:.digits$} ± {sd:.digits$}"),
    }
}

/// Holds a page and a printed table against the headline of a JSON file.
fn check_numbers(page: &str, table: &str, headline: &Value) {
    let metrics = headline.as_object().unwrap();
    assert_eq!(metrics.len(), 3);
    for (metric, value) in metrics {
        let printed = spread(metric, value, 4);
        assert!(table.contains(&printed), "{metric}: {printed} is not in\n{table}");
        let name = NAMES.iter().find(|name| name.0 == metric).unwrap().1;
        let shown = format!("<th scope=\"row\">{name}</th><td>{}</td>", spread(metric, value, 3));
        let row = page.split("<tr>").find(|row| row.contains(&format!("\"row\">{name}</th>")));
        assert!(page.contains(&shown), "{metric}: {shown} against {row:?}");
    }
}

/// The fault that this once had: the page was made of the parameters as they were before tuning.
#[test]
fn the_page_the_table_and_the_json_file_of_cv_show_the_same_numbers() {
    let place = Place::new();
    place.write("g.gsp", noisy(330));
    let table = place.ok("cv g.gsp --folds 3 --report page.html --json cv.json");
    let entry = place.json("cv.json")["results"][0].clone();
    check_numbers(&place.text("page.html"), &table, &entry["headline"]);
    let folds = entry["folds"].as_array().unwrap();
    assert!(folds.iter().all(|fold| fold["tuning"]["parts"].as_u64() > Some(0)), "all are tuned");
    // The headline is the mean of the folds, each measured after its last round.
    let rounds = |fold: &Value| fold["rounds"].as_u64().unwrap();
    assert!(folds.iter().any(|fold| rounds(fold) != 150), "tuning found nothing");
    for (metric, value) in entry["headline"].as_object().unwrap() {
        let all: Vec<f64> =
            folds.iter().map(|fold| fold["metrics"][metric].as_f64().unwrap()).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        assert!((mean - value["mean"].as_f64().unwrap()).abs() < 1e-12, "{metric}");
        let squares = all.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        let sd = (squares / (all.len() - 1) as f64).sqrt();
        assert!((sd - value["sd"].as_f64().unwrap()).abs() < 1e-12, "{metric}");
        // The curves go on to the last round of the longest fold, where they meet the headline.
        let curve = entry[metric]["mean"].as_array().unwrap();
        assert_eq!(curve.len() as u64, folds.iter().map(rounds).max().unwrap());
        assert_eq!(curve.last(), Some(&value["mean"]));
    }
}

#[test]
fn the_best_of_a_grid_is_what_the_page_shows() {
    let place = Place::new();
    place.write("g.gsp", noisy(240));
    let table = place.ok(
        "cv g.gsp --folds 3 --grid depth=1,2,5 --max-edges 2 --report page.html --json cv.json",
    );
    let lines: Vec<&str> = table.lines().collect();
    let best = lines.iter().find(|line| line.ends_with("  best")).expect("a best setting");
    let depth: u64 = best.split_whitespace().next().unwrap().parse().unwrap();
    let results = place.json("cv.json")["results"].clone();
    let entry = results.as_array().unwrap().iter().find(|e| e["params"]["depth"] == depth).unwrap();
    check_numbers(&place.text("page.html"), best, &entry["headline"]);
}

#[test]
fn pages_of_several_targets_show_the_numbers_of_their_tables() {
    let place = Place::new();
    place.write("m.csv", molecules(260));
    let flags = "--target active,size --folds 3 --max-edges 2";
    let said = place.ok(&format!("cv m.csv {flags} --report page.html --json cv.json"));
    let results = place.json("cv.json")["results"].clone();
    for (number, target) in ["active", "size"].into_iter().enumerate() {
        let entry = &results[number];
        assert_eq!(entry["target"], target);
        let table = said.split(&format!("{target}: ")).nth(1).unwrap();
        check_numbers(&place.text(&format!("page.{target}.html")), table, &entry["headline"]);
    }
    // Writing models changes no number.
    std::fs::create_dir(place.path("folds")).unwrap();
    place.ok(&format!("cv m.csv {flags} --models folds --json again.json"));
    let again = place.json("again.json")["results"].clone();
    for number in 0..2 {
        for key in ["headline", "folds", "best_round", "params"] {
            assert_eq!(results[number][key], again[number][key], "{key}");
        }
    }
}

/// Where nothing is held out, a report on a training cross-validates: as `cv` does on five folds.
#[test]
fn the_page_of_a_training_shows_the_numbers_of_cv() {
    let place = Place::new();
    place.write("g.gsp", noisy(270));
    place.ok("train g.gsp -o m.json --report page.html");
    let table = place.ok("cv g.gsp --folds 5 --json cv.json");
    let headline = place.json("cv.json")["results"][0]["headline"].clone();
    check_numbers(&place.text("page.html"), &table, &headline);
    // The model is that of a training without a report.
    place.ok("train g.gsp -o plain.json");
    assert!(place.text("plain.json") == place.text("m.json"));
}

/// What a page says if all patterns were counted.
const COUNTED: &str = "The graphs contain";

#[test]
fn reports_take_no_census_beyond_the_limits() {
    let place = Place::new();
    place.write("g.gsp", counts(60));
    let page = |flags: &str| {
        place.ok(&format!(
            "train g.gsp -o m.json --loss squared --trees 5 --max-edges 4 --report p.html {flags}"
        ));
        place.text("p.html")
    };
    assert!(page("").contains(COUNTED));
    let by_bound = page("--engine bound");
    assert!(by_bound.contains(COUNTED), "quickly counted where nothing is limited");
    for limit in ["--max-patterns 5", "--time 1ms", "--time 1h --engine bound", "--memory 1MB"] {
        assert!(!page(limit).contains(COUNTED), "{limit}: the report took a census");
    }
    // What was not searched is not said to be proven.
    let limited = page("--max-patterns 5");
    assert!(!limited.contains("bounds proved that no other could be better"));
    assert!(by_bound.contains("bounds proved that no other could be better"));
}

/// The folds of a report keep to the limits, too: where they cannot, the page goes without, and
/// that is said.
#[test]
fn a_report_whose_folds_reach_a_limit_goes_without_them() {
    let place = Place::new();
    place.write("g.gsp", counts(60));
    let args = "train g.gsp -o m.json --loss squared --trees 5 --max-edges 4 --report p.html";
    let output = place.run(&format!("{args} --max-patterns 5"));
    assert_eq!(output.status.code(), Some(0));
    assert!(!place.text("p.html").contains("root mean squared error</th>"));
    place.ok(args);
    assert!(place.text("p.html").contains("root mean squared error</th>"));
}
