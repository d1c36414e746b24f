//! `spinney explain`, `spinney report`, `predict --contrib` and the `--report` flags: what they
//! write.
//!
//! How pages behave in a browser is tested in `tests/python/test_report.py`.

mod support;

use std::process::Output;

use support::Place;

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Alcohols are active, alkanes and ethers are not; some names are hostile.
fn place() -> Place {
    let place = Place::new();
    let mut text = String::from("name,smiles,activity,logs,kind\n");
    for n in 1..=14 {
        let chain = "C".repeat(n);
        text += &format!("<script>alert({n})</script>,{chain}O,active,-{n}.5,alcohol\n");
        text += &format!("alkane{n},{chain}C,inactive,{n}.25,alkane\n");
        text += &format!("\"ether \"\"{n}\"\" & co\",C{chain}OC,inactive,0.5,ether\n");
    }
    place.write("table.csv", text);
    place
}

const TRAIN: &str = "train table.csv --id name --trees 15 --max-edges 3 --depth 3 \
                     --pattern-sample 1 --count-levels 1 --vertices false";

#[test]
fn contributions_sum_to_the_score() {
    let place = place();
    for (target, score) in [("activity", "score"), ("logs", "prediction")] {
        place.ok(&format!("{TRAIN} --target {target} -o model.json"));
        place.ok("predict model.json table.csv --id name --contrib -o out.csv");
        let mut reader = csv::Reader::from_path(place.path("out.csv")).unwrap();
        let header = reader.headers().unwrap().clone();
        let column = |name: &str| header.iter().position(|h| h == name).unwrap();
        let (start, score) = (column("start"), column(score));
        let patterns = place.json("model.json")["model"]["patterns"].as_array().unwrap().len();
        assert_eq!(header.len() - start - 1, patterns);
        let mut rows = 0;
        for row in reader.records().map(Result::unwrap) {
            let numbers: Vec<f64> = row.iter().skip(start).map(|v| v.parse().unwrap()).collect();
            let score: f64 = row[score].parse().unwrap();
            assert!((numbers.iter().sum::<f64>() - score).abs() < 1e-9, "{row:?}");
            rows += 1;
        }
        assert_eq!(rows, 42);
    }
    place.ok(&format!("{TRAIN} --target kind -o model.json"));
    let head = place.ok("predict model.json table.csv --contrib");
    for class in ["alcohol", "alkane", "ether"] {
        assert!(head.contains(&format!(",{class}: start,")), "{head}");
    }
}

#[test]
fn a_prediction_is_explained_in_four_forms() {
    let place = place();
    place.ok(&format!("{TRAIN} --target activity --atoms rdkit,element -o model.json"));
    let table = place.ok("explain model.json table.csv --row 7");
    assert!(table.starts_with("7: predicted active") && table.contains("missing"), "{table}");
    let named = "--id-column name --id alkane3 --target activity --data table.csv";
    place.ok(&format!("explain model.json table.csv {named} -o why.json"));
    let why = place.json("why.json");
    assert_eq!((&why["id"], &why["prediction"]), (&"alkane3".into(), &"inactive".into()));
    let of = |key: &str| why[key].as_f64().unwrap();
    let reasons = why["patterns"].as_array().unwrap();
    let sum: f64 = reasons.iter().map(|r| r["contribution"].as_f64().unwrap()).sum();
    assert!((of("start") + sum - of("score")).abs() < 1e-9);
    let is = |count: bool| reasons.iter().any(|r| (r["count"].as_u64() > Some(0)) == count);
    assert!(is(true) && is(false), "present and absent patterns: {why:#}");
    let atoms = why["atoms"].as_array().unwrap();
    assert_eq!((atoms.len(), why["bonds"].as_array().unwrap().len()), (4, 3));
    let present: f64 = reasons
        .iter()
        .filter(|r| r["count"].as_u64() > Some(0))
        .map(|r| r["contribution"].as_f64().unwrap())
        .sum();
    let shared: f64 = atoms.iter().map(|a| a.as_f64().unwrap()).sum();
    assert!((present - shared).abs() < 1e-9, "atoms carry what present patterns add");
    let near = &reasons.iter().find(|r| r["count"].as_u64() > Some(0)).unwrap()["nearest"];
    assert!(near[0]["similarity"].as_f64().unwrap() > 0.0 && near[0]["id"] != "alkane3", "{near}");
    place.ok(&format!("explain model.json table.csv {named} -o why.svg"));
    assert!(
        place.text("why.svg").starts_with("<svg")
            && place.text("why.svg").contains("orange: for active")
    );
    place.ok(&format!("explain model.json table.csv {named} -o why.html"));
    let page = place.text("why.html");
    for part in [
        "Patterns that are there",
        "Patterns that are missing",
        "Nearest training examples",
        "Known: <b>inactive</b>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    place.ok("explain model.json table.csv --id-column name --row 7 -o evil.html");
    let page = place.text("evil.html");
    assert!(
        page.contains("&lt;script&gt;alert(3)&lt;/script&gt;") && !page.contains("<script>alert")
    );
}

#[test]
fn a_class_of_several_can_be_asked_for() {
    let place = place();
    place.ok(&format!("{TRAIN} --target kind -o model.json"));
    let args = "explain model.json table.csv --row 7";
    place.ok(&format!("{args} -o own.json"));
    assert_eq!(place.json("own.json")["explains"], "alcohol");
    place.ok(&format!("{args} --class ether -o other.json"));
    assert_eq!(place.json("other.json")["explains"], "ether");
    for (wrong, reason) in [
        ("--class wine", "none of the model's classes: alcohol, alkane, ether"),
        ("-o why.txt", "ends in .html, .svg or .json"),
    ] {
        let refused = place.run(&format!("{args} {wrong}"));
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains(reason), "{}", stderr(&refused));
    }
    for (wrong, reason) in [
        ("", "say which of the 42 records"),
        ("--row 43", "there are 42 records"),
        ("--id wine --id-column name", "no record is called \"wine\""),
    ] {
        let refused = place.run(&format!("explain model.json table.csv {wrong}"));
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains(reason), "{}", stderr(&refused));
    }
}

/// The sections of a report, and nothing that leaves the page.
fn check_page(page: &str) {
    for section in ["card", "quality", "patterns", "interactions", "trees", "space", "terms"] {
        assert!(page.contains(&format!("<section id=\"{section}\"")), "{section}");
    }
    assert!(
        page.contains("Content-Security-Policy") && page.contains("default-src &#39;none&#39;")
            || page.contains("default-src 'none'")
    );
    let without_names = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!without_names.contains("http://") && !without_names.contains("https://"));
    assert!(
        !page.contains("<script>alert") && !page.contains("NaN"),
        "escaped, and no number missing"
    );
}

#[test]
fn reports_of_classes_numbers_and_several_classes() {
    let place = place();
    place.ok(&format!("{TRAIN} --target activity -o model.json --report page.html"));
    let page = place.text("page.html");
    check_page(&page);
    assert!(
        page.contains("5-fold cross-validation over 42 molecules") && page.contains("ROC curve")
    );
    assert!(page.contains("&lt;script&gt;alert(") && page.contains("Confusion table"));
    place.ok("report model.json --data table.csv --id name --target activity -o own.html");
    check_page(&place.text("own.html"));
    assert!(
        place.text("own.html").contains("too good to be true"),
        "the training data is known by its hash"
    );
    place.ok("report model.json -o alone.html");
    assert!(place.text("alone.html").contains("Give data with known targets"));
    place.ok(&format!("{TRAIN} --target logs -o model.json --valid 0.3 --report page.html"));
    let page = place.text("page.html");
    check_page(&page);
    assert!(
        page.contains("held out of training")
            && page.contains("Residuals")
            && page.contains("predicts logs")
    );
    place.ok("cv table.csv --id name --target kind --trees 8 --max-edges 2 --folds 3 \
         --grid depth=1,2 --report page.html");
    let page = place.text("page.html");
    check_page(&page);
    assert!(
        page.contains("3-fold cross-validation") && page.contains("Each class against the rest")
    );
    place.ok("train table.csv --target activity,kind --trees 5 --max-edges 2 -o all.json \
         --report all.html");
    check_page(&place.text("all.activity.html"));
    check_page(&place.text("all.kind.html"));
}

#[test]
fn graphs_get_the_same_page_and_stumps_have_no_interactions() {
    let place = Place::with_graphs();
    place.ok("train good.gsp --trees 10 --max-edges 2 --depth 1 --pattern-sample 1 -o model.json \
         --report page.html");
    let page = place.text("page.html");
    check_page(&page);
    assert!(page.contains("No pattern matters for another"), "{page}");
    place.ok("explain model.json good.gsp --row 1 -o why.svg");
    assert!(place.text("why.svg").contains("<circle"));
}

#[test]
fn the_demo_writes_a_report_with_the_pairs_of_the_exclusive_or() {
    let place = Place::new();
    place.ok("demo");
    let page = place.text("spinney-demo.html");
    check_page(&page);
    assert_eq!(page.matches("class=\"pair\"").count(), 12);
}
