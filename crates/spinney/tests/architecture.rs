//! The module table of the design, held by reading the source.
//!
//! Each module at the top of the library may use some of the others and must never know the rest
//! (prediction works without the training code, mining knows no targets, boosting reads no files).
//! The compiler cannot say so; this test reads every path that leaves a module, `crate::x` or
//! `super::…` up to the root, outside comments and test code. It also holds that the library
//! prints nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A module of the library, what it may use, and the words of the design on it.
struct Rule {
    module: &'static str,
    may_use: &'static [&'static str],
}

/// A path allowed is a module, or a part of one (`mining::dfs_code`); `file.rs: io` is allowed in
/// that file alone.
const TABLE: [Rule; 19] = [
    Rule { module: "error", may_use: &[] },
    Rule { module: "labels", may_use: &[] },
    Rule { module: "math", may_use: &[] },
    Rule { module: "random", may_use: &[] },
    Rule { module: "graph", may_use: &["labels", "error"] },
    Rule { module: "dataset", may_use: &["graph", "labels", "error"] },
    Rule { module: "demo", may_use: &["dataset", "graph", "labels"] },
    Rule { module: "io", may_use: &["dataset", "graph", "labels", "error"] },
    Rule {
        module: "mining",
        may_use: &["graph", "labels", "random", "exploration.rs: dataset", "exploration.rs: error"],
    },
    Rule {
        module: "search",
        may_use: &["mining", "math", "random", "bound_space.rs: graph", "census_space.rs: graph"],
    },
    Rule {
        module: "model",
        may_use: &[
            "graph",
            "labels",
            "dataset",
            "math",
            "error",
            "mining::dfs_code",
            "mining::canonical",
            "file.rs: io",
        ],
    },
    Rule {
        module: "evaluation",
        may_use: &[
            "metrics.rs: math",
            "folds.rs: error",
            "folds.rs: random",
            "predictions.rs: dataset",
            "predictions.rs: error",
            "predictions.rs: model",
        ],
    },
    Rule {
        module: "params",
        may_use: &[
            "error",
            "random",
            "evaluation::Metric",
            "mining::Engine",
            "mining::dfs_code",
            "mining::levels",
        ],
    },
    Rule {
        module: "representation",
        may_use: &[
            "dataset",
            "graph",
            "labels",
            "error",
            "views.rs: model",
            "views.rs: params::Preset",
        ],
    },
    Rule {
        module: "boosting",
        may_use: &[
            "search",
            "model",
            "mining",
            "params",
            "evaluation",
            "dataset",
            "graph",
            "labels",
            "math",
            "error",
            "random",
        ],
    },
    Rule {
        module: "gboost",
        may_use: &[
            "boosting::Exploration",
            "boosting::loss",
            "boosting::stumps",
            "search",
            "model",
            "mining",
            "evaluation",
            "error",
        ],
    },
    Rule {
        module: "stacking",
        may_use: &[
            "boosting", "search", "model", "mining", "params", "dataset", "graph", "math", "error",
            "random",
        ],
    },
    Rule {
        module: "tuning",
        may_use: &[
            "stacking",
            "boosting",
            "search",
            "model",
            "mining",
            "params",
            "evaluation",
            "dataset",
            "math",
            "error",
        ],
    },
    Rule {
        module: "training",
        may_use: &[
            "tuning",
            "stacking",
            "boosting",
            "gboost",
            "representation",
            "model",
            "mining",
            "params",
            "evaluation",
            "dataset",
            "error",
            "checkpoint_file.rs: io",
        ],
    },
];

/// The files below these may call the booster, besides the booster's own.
const BOOSTER_USERS: [&str; 3] = ["training/", "tuning/", "stacking/linear_booster.rs"];

const PRINTING: [&str; 5] = ["println!", "print!", "eprintln!", "eprint!", "dbg!"];

/// A source file: its path below `src` and its text.
struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    /// The module's path: `search/gain.rs` is `[search, gain]`, `search/mod.rs` is `[search]`.
    fn module(&self) -> Vec<String> {
        let parts = self.path.with_extension("");
        let parts = parts.iter().map(|p| p.to_string_lossy().into_owned());
        parts.filter(|p| p != "mod" && p != "lib").collect()
    }

    fn file_name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// The sources of a crate beside this one.
fn sources(of_crate: &str) -> Vec<Source> {
    fn collect(folder: &Path, root: &Path, all: &mut Vec<Source>) {
        for entry in std::fs::read_dir(folder).expect("the source folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(&path, root, all);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).expect("readable source");
                let below = path.strip_prefix(root).expect("a file below the root");
                all.push(Source { path: below.to_owned(), text });
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(of_crate).join("src");
    let mut all = Vec::new();
    collect(&root, &root, &mut all);
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all
}

fn library() -> Vec<Source> {
    sources("spinney")
}

/// The code without comments and without its test module (which stands last in a file).
fn production_code(text: &str) -> String {
    let end = text.find("#[cfg(test)]").unwrap_or(text.len());
    let lines = text[..end].lines();
    let bare = lines.map(|line| line.find("//").map_or(line, |at| &line[..at]));
    bare.collect::<Vec<_>>().join("\n")
}

/// Whether a name may end just before `at`.
fn starts_word(code: &str, at: usize) -> bool {
    !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$')
}

/// All paths in `code` that start with `start` (`crate` or `super`), groups in braces spelled out.
fn paths_from(code: &str, start: &str) -> Vec<Vec<String>> {
    let whole = format!("{start}::");
    let places = code.match_indices(&whole).filter(|(at, _)| starts_word(code, *at));
    places
        .flat_map(|(at, _)| {
            let mut paths = Vec::new();
            read_path(&code[at..], &mut Vec::new(), &mut paths);
            paths
        })
        .collect()
}

/// Reads one path, or a group in braces, at the front of `text`; gives back what follows it.
fn read_path<'t>(text: &'t str, before: &mut Vec<String>, paths: &mut Vec<Vec<String>>) -> &'t str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix('}') {
                return after;
            }
            rest = read_path(rest, before, paths).trim_start();
            // Names may be given by `as`; what counts is what they stand for.
            let next = rest.find([',', '}']).unwrap_or(rest.len());
            rest = rest[next..].strip_prefix(',').unwrap_or(&rest[next..]);
            if rest.is_empty() {
                return rest;
            }
        }
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    before.push(text[..end].to_owned());
    let rest = match text[end..].strip_prefix("::") {
        Some(rest) if rest.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '{') => {
            read_path(rest, before, paths)
        }
        _ => {
            paths.push(before.clone());
            &text[end..]
        }
    };
    before.pop();
    rest
}

/// The paths of a file that lead into another module of the library, from the root.
fn uses(source: &Source) -> BTreeSet<Vec<String>> {
    let code = production_code(&source.text);
    let module = source.module();
    let from_root = paths_from(&code, "crate").into_iter().map(|p| p[1..].to_vec());
    let from_here = paths_from(&code, "super").into_iter().map(|path| {
        let up = path.iter().take_while(|p| *p == "super").count();
        let kept = module.len().saturating_sub(up);
        [&module[..kept], &path[up..]].concat()
    });
    from_root.chain(from_here).filter(|path| path.first() != module.first()).collect()
}

fn is_allowed(allowed: &str, path: &[String], file: &str) -> bool {
    let (only_in, allowed) = allowed.split_once(": ").unwrap_or((file, allowed));
    let wanted: Vec<&str> = allowed.split("::").collect();
    only_in == file && path.len() >= wanted.len() && path.iter().zip(&wanted).all(|(p, w)| p == w)
}

/// What a file uses against the table, one line each.
fn offences(source: &Source) -> Vec<String> {
    let module = source.module();
    let Some(top) = module.first() else { return Vec::new() };
    let Some(rule) = TABLE.iter().find(|rule| rule.module == top) else {
        return vec![format!("{}: module {top} is not in the table", source.path.display())];
    };
    let file = source.file_name();
    let wrong = uses(source)
        .into_iter()
        .filter(|path| !rule.may_use.iter().any(|allowed| is_allowed(allowed, path, &file)));
    wrong.map(|p| format!("{}: must not use {}", source.path.display(), p.join("::"))).collect()
}

fn prints(source: &Source) -> Vec<String> {
    let code = production_code(&source.text);
    let found = PRINTING
        .iter()
        .filter(|word| code.match_indices(**word).any(|(at, _)| starts_word(&code, at)));
    found.map(|word| format!("{}: {word}", source.path.display())).collect()
}

/// Which top-level modules each of them uses.
type ModuleGraph = BTreeMap<String, BTreeSet<String>>;

fn module_graph(sources: &[Source]) -> ModuleGraph {
    let mut graph = ModuleGraph::new();
    for source in sources {
        let Some(top) = source.module().into_iter().next() else { continue };
        let used = uses(source).into_iter().filter_map(|path| path.into_iter().next());
        graph.entry(top).or_default().extend(used);
    }
    graph
}

/// Modules that use each other, perhaps by way of others: what is left when modules that use no
/// others left are taken away, and those that no others left use.
fn in_cycles(mut graph: ModuleGraph) -> Vec<String> {
    loop {
        let left: BTreeSet<String> = graph.keys().cloned().collect();
        let used: BTreeSet<String> = graph.values().flatten().cloned().collect();
        graph.retain(|module, uses| used.contains(module) && !uses.is_disjoint(&left));
        if graph.len() == left.len() {
            let uses = |all: &BTreeSet<String>| {
                all.intersection(&left).cloned().collect::<Vec<_>>().join(", ")
            };
            return graph
                .iter()
                .map(|(module, all)| format!("{module} -> {}", uses(all)))
                .collect();
        }
    }
}

/// Whether a file calls the booster, itself or as one with a linear member.
fn calls_booster(source: &Source) -> bool {
    let code = production_code(&source.text);
    let is_call = |name: &str| {
        code.match_indices(name).any(|(at, _)| {
            !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$')
        })
    };
    is_call("Booster::") || is_call("LinearBooster::") || is_call("booster::space(")
}

#[test]
fn modules_use_only_what_the_table_allows() {
    let wrong: Vec<String> = library().iter().flat_map(offences).collect();
    assert!(wrong.is_empty(), "against the module table:\n{}", wrong.join("\n"));
}

#[test]
fn modules_use_each_other_in_no_circle() {
    let circle = in_cycles(module_graph(&library()));
    assert!(circle.is_empty(), "modules in a circle:\n{}", circle.join("\n"));
}

/// There is one way from data to model: nothing but training, and the tuning that it does, calls
/// the booster.
#[test]
fn the_booster_is_called_by_training_and_tuning_alone() {
    let may_call = |path: &Path| {
        let path = path.to_string_lossy();
        path.starts_with("boosting/") || BOOSTER_USERS.iter().any(|user| path.starts_with(user))
    };
    let mut wrong: Vec<String> = (library().iter())
        .filter(|source| calls_booster(source) && !may_call(&source.path))
        .map(|source| source.path.display().to_string())
        .collect();
    let others = ["chem", "cli", "lab", "python", "report"].map(|name| format!("spinney-{name}"));
    for other in others {
        let sources = sources(&other);
        assert!(!sources.is_empty(), "{other} has no sources");
        let calling = sources.iter().filter(|source| calls_booster(source));
        wrong.extend(calling.map(|source| format!("{other}: {}", source.path.display())));
    }
    assert!(wrong.is_empty(), "call the booster:\n{}", wrong.join("\n"));
    for user in BOOSTER_USERS {
        let calls = |source: &Source| {
            source.path.starts_with(user.trim_end_matches('/')) && calls_booster(source)
        };
        assert!(library().iter().any(calls), "{user} does not call the booster any more");
    }
}

#[test]
fn the_library_does_not_print() {
    let wrong: Vec<String> = library().iter().flat_map(prints).collect();
    assert!(wrong.is_empty(), "a library prints nothing:\n{}", wrong.join("\n"));
}

/// The table is about something: every module is there, and the reader finds known uses.
#[test]
fn the_reader_sees_the_library() {
    let library = library();
    for rule in &TABLE {
        assert!(library.iter().any(|s| s.module().first().is_some_and(|m| m == rule.module)));
        assert!(rule.may_use.iter().all(|u| TABLE.iter().any(|r| {
            let path = u.split_once(": ").map_or(*u, |u| u.1);
            path.split("::").next() == Some(r.module)
        })));
    }
    let known = library.iter().find(|s| s.path.ends_with("boosting/booster.rs")).expect("a file");
    let found: Vec<String> = uses(known).into_iter().map(|p| p.join("::")).collect();
    for known in ["mining::exploration::Exploration", "params::ValidParams", "error::Error"] {
        assert!(found.iter().any(|f| f == known), "{known} not in {found:?}");
    }
}

fn sample(path: &str, text: &str) -> Source {
    Source { path: path.into(), text: text.into() }
}

#[test]
fn the_reader_follows_every_kind_of_path() {
    let source = sample(
        "model/deep/mod.rs",
        "//! crate::comment::X\n\
         use crate::graph::{Edge as E, inner::{A, B}, Graph};\n\
         use super::tree::Node; // crate::io\n\
         use super::super::mining::{self, dfs_code::DfsCode};\n\
         pub(crate) use super::{super::labels::Label, file};\n\
         fn f() { crate::io::read(super::super::error::Error::new()) }\n\
         macro_rules! m { () => { $crate::evaluation::metrics::x } }\n\
         #[cfg(test)]\nmod tests { use crate::boosting::booster; }\n",
    );
    let found: Vec<String> = uses(&source).into_iter().map(|p| p.join("::")).collect();
    let expected = [
        "error::Error::new",
        "graph::Edge",
        "graph::Graph",
        "graph::inner::A",
        "graph::inner::B",
        "io::read",
        "labels::Label",
        "mining::dfs_code::DfsCode",
        "mining::self",
    ];
    assert_eq!(found, expected);
}

#[test]
fn offences_are_found() {
    let bad = |path: &str, text: &str| offences(&sample(path, text)).len();
    assert_eq!(bad("mining/visit.rs", "use crate::graph::Graph;"), 0);
    assert_eq!(bad("mining/visit.rs", "use crate::{graph::Graph, dataset::Dataset};"), 1);
    assert_eq!(bad("mining/census/walk.rs", "use super::super::super::model::Model;"), 1);
    assert_eq!(bad("model/tree.rs", "use crate::mining::dfs_code::DfsCode;"), 0);
    assert_eq!(bad("model/tree.rs", "use crate::mining::{Census, canonical::Canonizer};"), 1);
    assert_eq!(bad("model/file.rs", "fn f() { crate::io::atomic::write_whole(p) }"), 0);
    assert_eq!(bad("model/tree.rs", "fn f() { crate::io::atomic::write_whole(p) }"), 1);
    assert_eq!(bad("search/gain.rs", "use crate::graph::Graph;"), 1);
    assert_eq!(bad("boosting/fit.rs", "use crate::io::read;\nuse crate::demo;"), 2);
    assert_eq!(bad("novelty.rs", ""), 1);
    assert_eq!(bad("lib.rs", "pub use crate::io::read;"), 0);
    let circle = |files: [(&str, &str); 4]| {
        in_cycles(module_graph(&files.map(|(path, text)| sample(path, text))))
    };
    let files = [
        ("error.rs", ""),
        ("graph.rs", "use crate::error::Error;"),
        ("mining/mod.rs", "use crate::{graph::Graph, search::x};"),
        ("search/a.rs", "fn f() { super::super::graph::g() }"),
    ];
    assert!(circle(files).is_empty());
    let mut round = files;
    round[1].1 = "use crate::mining::m;";
    assert_eq!(circle(round).len(), 3);
    let calls = |text: &str| calls_booster(&sample("io/mod.rs", text));
    assert!(calls("fn f() { Booster::new(x) }") && calls("crate::boosting::Booster::new(x)"));
    assert!(calls("linear_booster::LinearBooster::new()"));
    assert!(!calls("use crate::boosting::booster::GraphSplit; // Booster::new"));
    let printing = |text: &str| prints(&sample("graph.rs", text)).len();
    assert_eq!(printing("fn f() { println!(\"x\"); eprint!(\"y\") }"), 2);
    assert_eq!(printing("// println!\nfn f() { fingerprint!() }\n#[cfg(test)] dbg!()"), 0);
}

const ARCHITECTURE: &str = include_str!("../../../ARCHITECTURE.md");

/// The module table as ARCHITECTURE.md has it, without `error`, which nearly all use.
fn table_as_markdown() -> String {
    let row = |rule: &Rule| {
        let everywhere: Vec<&str> = (rule.may_use.iter().copied())
            .filter(|used| !used.contains(": ") && *used != "error")
            .collect();
        let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (file, used) in rule.may_use.iter().filter_map(|used| used.split_once(": ")) {
            if used != "error" {
                files.entry(file.trim_end_matches(".rs")).or_default().push(used);
            }
        }
        let own = if everywhere.is_empty() { "–".to_owned() } else { everywhere.join(" ") };
        let of_files = files.iter().map(|(file, used)| format!("{file}: {}", used.join(" ")));
        let parts: Vec<String> = std::iter::once(own).chain(of_files).collect();
        format!("|{}|{}|\n", rule.module, parts.join("; "))
    };
    let rows: String = TABLE.iter().map(row).collect();
    format!("|module|may use|\n|---|---|\n{rows}")
}

#[test]
fn the_page_has_the_table_of_modules() {
    let table = table_as_markdown();
    assert!(ARCHITECTURE.contains(&table), "ARCHITECTURE.md must have this table:\n{table}");
}

/// Whatever the page names between backticks and looks like a file or a folder is there.
#[test]
fn the_page_names_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = ARCHITECTURE.split('`').skip(1).step_by(2);
    let looks_like_one = |name: &&str| {
        let is_path = name.contains('/') && !name.contains(' ');
        is_path || [".rs", ".py", ".md"].iter().any(|end| name.ends_with(end))
    };
    let exists = |name: &&str| {
        root.join(name).exists() || root.join("crates/spinney/src").join(name).exists()
    };
    let missing: Vec<&str> = named.filter(looks_like_one).filter(|name| !exists(name)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names what is not there: {missing:?}");
}

#[test]
fn rows_of_tables_fit_a_screen() {
    let long: Vec<&str> = ARCHITECTURE
        .lines()
        .filter(|line| line.starts_with('|') && line.chars().count() > 120)
        .collect();
    assert!(long.is_empty(), "rows of more than 120 columns:\n{}", long.join("\n"));
}
