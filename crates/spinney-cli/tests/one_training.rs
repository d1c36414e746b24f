//! The same request gives the same model to every caller.
//!
//! The program's `train`, the library, and the folds of `cv` are held against each other, byte for
//! byte: molecules with presets, losses, covariates and several targets, and graphs. Nothing that
//! is held out decides anything, except where early stopping is given graphs to watch.

mod support;

use std::fmt::Write;

use spinney::evaluation::{Folds, Split};
use spinney::representation::CovariateColumns;
use spinney::representation::views::Views;
use spinney::training::targets::{TrainedTarget, stack_targets};
use spinney::training::{Explored, Job, Prepared, Silent, train};
use spinney::{Dataset, Preset, Request, fit, io};
use spinney_chem::Chemistry;
use spinney_chem::read::{Columns, Targets, load};
use support::{Place, Random, counts, two_classes};

/// A request in the words of the program and in those of the library.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    preset: Preset,
    /// Parameters with their values.
    settings: &'static [(&'static str, &'static str)],
    /// Whether the column `dose` stands beside the molecules.
    covariates: bool,
}

impl Wanted {
    fn new(preset: Preset, settings: &'static [(&'static str, &'static str)]) -> Wanted {
        Wanted { preset, settings, covariates: false }
    }

    fn flags(&self) -> String {
        let mut flags = format!("--preset {}", self.preset.name());
        for (name, value) in self.settings {
            write!(flags, " --{} {value}", name.replace('_', "-")).unwrap();
        }
        if self.covariates {
            flags += " --covariates dose";
        }
        flags
    }

    fn request(&self) -> Request {
        let mut params = self.preset.params();
        self.settings.iter().for_each(|(name, value)| params.set(name, value).unwrap());
        Request { params, ..self.preset.into() }
    }
}

/// The parts of the molecules, held out in turn.
const PARTS: [&str; 3] = ["one", "three", "two"];

/// Chains of atoms with targets of every kind, which follow from neighbouring atoms, more or less;
/// every seventh molecule has no `active`.
fn table(molecules: usize) -> String {
    let mut text = String::from("smiles,id,active,kind,size,count,dose,part\n");
    let mut random = Random(99);
    let mut below = |n| random.below(n);
    for i in 0..molecules {
        let chain: Vec<usize> = (0..4 + below(5)).map(|_| below(4)).collect();
        let worth = [[0, 3, -2, 1], [3, -1, 4, -3], [-2, 4, -3, 2], [1, -3, 2, 0]];
        let sum: i32 = chain.windows(2).map(|pair| worth[pair[0]][pair[1]]).sum();
        let atoms: String = chain.iter().map(|&atom| ["C", "N", "O", "S"][atom]).collect();
        let dose = below(40) as f64 / 4.0;
        let is_active = (sum > 1) != (below(9) == 0);
        let active =
            if i % 7 == 3 { String::new() } else { u8::from(is_active || dose > 9.0).to_string() };
        let kind = ["low", "middle", "high"][usize::from(sum > 0) + usize::from(sum > 3)];
        let size = f64::from(sum) + dose + below(100) as f64 / 50.0;
        let count = (sum.unsigned_abs() / 2) as usize + below(2);
        let part = PARTS[below(3)];
        writeln!(text, "C{atoms}C,m{i},{active},{kind},{size},{count},{dose},{part}").unwrap();
    }
    text
}

fn place(molecules: usize) -> Place {
    let place = Place::new();
    place.write("m.csv", table(molecules));
    std::fs::create_dir(place.path("folds")).unwrap();
    place
}

/// The molecules of the table as the library prepares them.
struct Molecules {
    prepared: Prepared,
    /// By target.
    targets: Vec<Vec<Option<String>>>,
    parts: Vec<String>,
}

impl Molecules {
    fn new(place: &Place, wanted: Wanted, targets: &[&str]) -> Molecules {
        let mut chemistry = match wanted.preset {
            Preset::Default => Chemistry::best(),
            Preset::Paper => Chemistry::default(),
        };
        let columns = Columns {
            targets: Targets::Named(targets.iter().map(|&name| name.to_owned()).collect()),
            covariates: if wanted.covariates { vec!["dose".to_owned()] } else { Vec::new() },
            split: Some("part".to_owned()),
            ..Columns::default()
        };
        let path = place.path("m.csv");
        let request = spinney_chem::read::Request { path, columns, ..Default::default() };
        let loaded = load(&request, &chemistry).unwrap();
        let measures = wanted.request().measures();
        let columns = loaded.covariate_columns();
        let prepared = Prepared::new(&loaded.data, &columns, measures, &mut chemistry).unwrap();
        Molecules { prepared, targets: loaded.targets, parts: loaded.splits.unwrap() }
    }

    fn with_target(&self, target: usize) -> Prepared {
        self.prepared.with_targets(self.targets[target].clone()).unwrap()
    }

    /// The labelled molecules, those of one part held out.
    fn split(&self, prepared: &Prepared, held_out: Option<&str>) -> Split {
        let is_out = |graph: &u32| Some(&self.parts[*graph as usize][..]) == held_out;
        let (held_out, train) = prepared.data.with_target().into_iter().partition(is_out);
        Split { train, held_out }
    }

    /// The model file of a training by the library.
    fn model(&self, target: usize, request: &Request, held_out: Option<&str>) -> String {
        let prepared = self.with_target(target);
        let requests = std::slice::from_ref(request);
        let shared = Explored::new(&self.prepared, requests, &Silent).unwrap();
        let explored = shared.with_targets(&prepared);
        let split = self.split(&prepared, held_out);
        train(&explored, request, &Job::new(&split), &Silent).unwrap().model.to_json()
    }
}

/// Says which of two model files are not the same, without printing them.
fn assert_same(one: &str, other: &str, what: &str) {
    assert!(one == other, "{what}: another model");
}

/// Whole trainings and folds of molecules: by the program, by the library, and by `cv`.
fn check_molecules(place: &Place, wanted: Wanted, target: &str) {
    let flags = wanted.flags();
    let what = format!("--target {target} {flags}");
    let molecules = Molecules::new(place, wanted, &[target]);
    let request = wanted.request();
    place.ok(&format!("train m.csv --target {target} -o whole.json {flags}"));
    assert_same(&place.text("whole.json"), &molecules.model(0, &request, None), &what);
    place.ok(&format!("cv m.csv --target {target} --split part --models folds {flags}"));
    for (fold, part) in (1..).zip(PARTS) {
        let what = format!("{what}, without part {part}");
        let of_fold = place.text(&format!("folds/fold-{fold}.json"));
        assert_same(&of_fold, &molecules.model(0, &request, Some(part)), &what);
        place.ok(&format!(
            "train m.csv --target {target} --split part --valid {part} -o part.json {flags}"
        ));
        assert_same(&of_fold, &place.text("part.json"), &what);
        assert!(of_fold != place.text("whole.json"), "{what}: it held nothing out");
    }
}

/// A loss, and a target that suits it.
const LOSSES: [(&str, &str); 5] = [
    ("logistic", "active"),
    ("softmax", "kind"),
    ("squared", "size"),
    ("huber", "size"),
    ("poisson", "count"),
];

/// Few rounds of small patterns with a loss.
macro_rules! few_rounds {
    ($loss:literal) => {
        &[("loss", $loss), ("trees", "5"), ("max_edges", "3")]
    };
}

#[test]
fn all_losses_of_both_presets_give_one_model() {
    let place = place(90);
    let settings: [&'static [(&str, &str)]; 5] = [
        few_rounds!("logistic"),
        few_rounds!("softmax"),
        few_rounds!("squared"),
        few_rounds!("huber"),
        few_rounds!("poisson"),
    ];
    for ((loss, target), settings) in LOSSES.into_iter().zip(settings) {
        assert_eq!(settings[0], ("loss", loss));
        for preset in [Preset::Default, Preset::Paper] {
            check_molecules(&place, Wanted::new(preset, settings), target);
        }
    }
}

#[test]
fn covariates_give_one_model() {
    let place = place(90);
    let few = &[("trees", "5"), ("max_edges", "2")];
    let with_vertices = &[("trees", "5"), ("max_edges", "2"), ("vertices", "true")];
    for (preset, settings) in [(Preset::Default, &few[..]), (Preset::Paper, with_vertices)] {
        for target in ["active", "size"] {
            let wanted = Wanted { covariates: true, ..Wanted::new(preset, settings) };
            check_molecules(&place, wanted, target);
            assert!(place.text("whole.json").contains("dose >= "), "no cut of the dose is used");
        }
    }
}

/// Nothing is given but the sizes that keep it short: everything else is tuned.
#[test]
fn tuned_trainings_give_one_model() {
    let place = place(420);
    for target in ["active", "size"] {
        let wanted = Wanted::new(Preset::Default, &[("max_edges", "2"), ("depth", "4")]);
        check_molecules(&place, wanted, target);
        place.ok(&format!(
            "train m.csv --target {target} -o whole.json --json train.json {}",
            wanted.flags()
        ));
        let tuning = place.json("train.json")["results"]["tuning"].clone();
        assert!(tuning["parts"].as_u64().is_some_and(|parts| parts > 0), "{target} is not tuned");
    }
}

#[test]
fn several_targets_give_one_model_each() {
    let place = place(90);
    let targets = ["active", "size", "kind"];
    for preset in [Preset::Default, Preset::Paper] {
        let wanted = Wanted::new(preset, &[("trees", "5"), ("max_edges", "3")]);
        let flags = wanted.flags();
        let all = format!("m.csv --target {}", targets.join(","));
        let molecules = Molecules::new(&place, wanted, &targets);
        place.ok(&format!("train {all} -o whole.json --share false {flags}"));
        place.ok(&format!("cv {all} --split part --models folds {flags}"));
        for (number, target) in targets.iter().enumerate() {
            let what = format!("{target} of several, {flags}");
            let model = |held_out| molecules.model(number, &wanted.request(), held_out);
            assert_same(&place.text(&format!("whole.{target}.json")), &model(None), &what);
            // Alone it is the same, too.
            place.ok(&format!("train m.csv --target {target} -o alone.json {flags}"));
            assert_same(&place.text("alone.json"), &model(None), &what);
            for (fold, part) in (1..).zip(PARTS) {
                let file = format!("folds/target-{}-fold-{fold}.json", number + 1);
                assert_same(&place.text(&file), &model(Some(part)), &what);
            }
        }
        for part in PARTS {
            place.ok(&format!("train {all} --split part --valid {part} -o part.json {flags}"));
            for (number, target) in targets.iter().enumerate() {
                let model = molecules.model(number, &wanted.request(), Some(part));
                let what = format!("{target} of several without {part}, {flags}");
                assert_same(&place.text(&format!("part.{target}.json")), &model, &what);
            }
        }
    }
}

#[test]
fn stacked_targets_give_one_model_each() {
    let place = place(300);
    let targets = ["active", "size"];
    let wanted = Wanted::new(Preset::Default, &[("trees", "6"), ("max_edges", "2")]);
    let flags = wanted.flags();
    place.ok(&format!("train m.csv --target active,size -o whole.json {flags}"));
    let molecules = Molecules::new(&place, wanted, &targets);
    let request = wanted.request();
    let requests = std::slice::from_ref(&request);
    let shared = Explored::new(&molecules.prepared, requests, &Silent).unwrap();
    let trained = |number: usize| {
        let prepared = molecules.with_target(number);
        let split = molecules.split(&prepared, None);
        let job = Job { out_of_fold: true, ..Job::new(&split) };
        let outcome = train(&shared.with_targets(&prepared), &request, &job, &Silent).unwrap();
        let name = targets[number].to_owned();
        TrainedTarget { name, prepared, train: split.train, outcome }
    };
    let trained: Vec<TrainedTarget> = (0..2).map(trained).collect();
    let mut stacked = 0;
    stack_targets(&trained, |one| {
        let alone = &one.target.outcome.model;
        let model = one.model.as_ref().unwrap_or(alone).to_json();
        let name = &one.target.name;
        assert_same(&place.text(&format!("whole.{name}.json")), &model, name);
        stacked += usize::from(one.model.is_some());
        Ok(true)
    })
    .unwrap();
    assert!(stacked > 0, "nothing was stacked");
}

/// Graphs, their file and a loss that suits them.
const GRAPHS: [(&str, &str); 4] = [
    ("classes.gsp", "logistic"),
    ("counts.gsp", "softmax"),
    ("counts.gsp", "squared"),
    ("counts.gsp", "poisson"),
];

fn graphs() -> Place {
    let place = Place::new();
    place.write("classes.gsp", two_classes(20));
    place.write("counts.gsp", counts(60));
    std::fs::create_dir(place.path("folds")).unwrap();
    place
}

fn read(place: &Place, file: &str) -> Dataset {
    io::read(&place.path(file), &io::ReadOptions::default()).unwrap().data
}

/// The fold of every graph, of three.
fn dealt(graphs: usize) -> Vec<i64> {
    (0..graphs).map(|graph| (graph * 7 / 4 % 3) as i64).collect()
}

fn write_folds(place: &Place, numbers: &[i64]) {
    place.write("folds.txt", numbers.iter().map(|n| format!("{n}\n")).collect::<String>());
}

#[test]
fn graphs_give_one_model() {
    let place = graphs();
    for (file, loss) in GRAPHS {
        let data = read(&place, file);
        let numbers = dealt(data.len());
        write_folds(&place, &numbers);
        let folds = Folds::from_numbers(&numbers, data.len()).unwrap();
        for preset in [Preset::Default, Preset::Paper] {
            let wanted = Wanted::new(preset, &[("trees", "5"), ("max_edges", "3")]);
            let flags = format!("{} --loss {loss}", wanted.flags());
            let mut request = wanted.request();
            request.params.set("loss", loss).unwrap();
            place.ok(&format!("train {file} -o whole.json {flags}"));
            let whole = fit(&data, &request).unwrap().model.to_json();
            assert_same(&place.text("whole.json"), &whole, &flags);
            place.ok(&format!("cv {file} --folds-file folds.txt --models folds {flags}"));
            let mut views = Views::of_preset(preset);
            let none = CovariateColumns::default();
            let prepared = Prepared::new(&data, &none, request.measures(), &mut views).unwrap();
            let requests = std::slice::from_ref(&request);
            let explored = Explored::new(&prepared, requests, &Silent).unwrap();
            for fold in 0..3 {
                let split = folds.split(fold);
                let own = train(&explored, &request, &Job::new(&split), &Silent).unwrap();
                let of_fold = place.text(&format!("folds/fold-{}.json", fold + 1));
                assert_same(&of_fold, &own.model.to_json(), &format!("fold {fold}, {flags}"));
            }
        }
    }
}

/// The records of a gSpan file of which the fold is, or is not, the one given.
fn part_of(text: &str, numbers: &[i64], is_kept: impl Fn(i64) -> bool) -> String {
    let records = text.split("t # ").skip(1).zip(numbers);
    let kept = records.filter(|(_, number)| is_kept(**number));
    kept.map(|(record, _)| format!("t # {record}")).collect()
}

/// `--valid FILE`: the graphs of another file are measured and decide nothing. Without measures of
/// the whole graph, whose cuts come from the first file, this is the fold of the whole file.
#[test]
fn a_file_of_held_out_graphs_is_a_fold() {
    let place = graphs();
    let text = counts(60);
    let numbers = dealt(60);
    write_folds(&place, &numbers);
    for preset in ["default --measures false", "paper"] {
        let flags = format!("--preset {preset} --loss squared --trees 5 --max-edges 3");
        place.ok(&format!("cv counts.gsp --folds-file folds.txt --models folds {flags}"));
        for fold in 0..3 {
            place.write("t.gsp", part_of(&text, &numbers, |number| number != fold));
            place.write("v.gsp", part_of(&text, &numbers, |number| number == fold));
            place.ok(&format!("train t.gsp --valid v.gsp -o part.json {flags}"));
            let of_fold = place.text(&format!("folds/fold-{}.json", fold + 1));
            assert_same(&of_fold, &place.text("part.json"), &format!("fold {fold}, {flags}"));
        }
    }
}

/// `cv --early-stopping` holds out inside the training part: the model of a fold is that of `train
/// --early-stopping` on a file without the fold's graphs, given none to watch. (All labels are in
/// that file: of two views or of measures, the dictionary and the cuts come from the whole file.)
/// `train --valid` does watch what it is given.
#[test]
fn early_stopping_does_not_watch_the_test_fold() {
    let place = graphs();
    let text = counts(90);
    place.write("counts.gsp", &text);
    let numbers = dealt(90);
    write_folds(&place, &numbers);
    let flags = "--loss squared --trees 60 --max-edges 3 --learning-rate 0.5 --early-stopping 3";
    let mut watched = 0;
    for preset in ["default --measures false --nodes label", "paper"] {
        let flags = format!("--preset {preset} {flags}");
        let cv = format!("cv counts.gsp --folds-file folds.txt --models folds {flags}");
        place.ok(&format!("{cv} --json cv.json"));
        let folds = place.json("cv.json")["results"][0]["folds"].clone();
        for fold in 0..3 {
            let of_fold = place.text(&format!("folds/fold-{}.json", fold + 1));
            let tuning = &folds[fold as usize]["tuning"];
            assert_eq!(tuning["method"], "early_stopping");
            assert_eq!(tuning["trees"], folds[fold as usize]["rounds"]);
            let params = &folds[fold as usize]["params"];
            assert_eq!(params["early_stopping"], serde_json::Value::Null);
            place.write("t.gsp", part_of(&text, &numbers, |number| number != fold));
            place.write("v.gsp", part_of(&text, &numbers, |number| number == fold));
            place.ok(&format!("train t.gsp -o part.json {flags}"));
            assert_same(&of_fold, &place.text("part.json"), &format!("fold {fold}, {flags}"));
            place.ok(&format!("train t.gsp --valid v.gsp -o watched.json {flags}"));
            watched += usize::from(of_fold != place.text("watched.json"));
        }
    }
    assert!(watched > 0, "graphs that are given are to be watched");
}

/// The targets of a fold's test graphs change neither what tuning finds nor the fold's model.
#[test]
fn folds_do_not_see_the_targets_of_their_test_graphs() {
    let place = place(420);
    let turned = |text: &str| -> String {
        let line = |line: &str| {
            let mut fields: Vec<&str> = line.split(',').collect();
            if fields[7] == PARTS[0] {
                fields[2] = match fields[2] {
                    "0" => "1",
                    "1" => "0",
                    other => other,
                };
            }
            fields.join(",") + "\n"
        };
        text.lines().map(line).collect()
    };
    let flags = "--target active --split part --models folds --max-edges 2 --depth 4";
    for more in ["", "--early-stopping 3 --trees 40"] {
        place.write("m.csv", table(420));
        place.ok(&format!("cv m.csv {flags} {more} --json cv.json"));
        let model = place.text("folds/fold-1.json");
        let others = [2, 3].map(|fold| place.text(&format!("folds/fold-{fold}.json")));
        let fold = place.json("cv.json")["results"][0]["folds"][0].clone();
        place.write("m.csv", turned(&table(420)));
        place.ok(&format!("cv m.csv {flags} {more} --json cv.json"));
        assert_same(&model, &place.text("folds/fold-1.json"), more);
        let again = place.json("cv.json")["results"][0]["folds"][0].clone();
        assert_eq!(fold["tuning"], again["tuning"]);
        assert!(fold["tuning"] != serde_json::Value::Null, "{more}: nothing is tuned");
        assert_ne!(fold["metrics"], again["metrics"]);
        for (fold, other) in [2, 3].into_iter().zip(others) {
            let other_now = place.text(&format!("folds/fold-{fold}.json"));
            assert!(other != other_now, "fold {fold} was trained on other targets");
        }
    }
}
