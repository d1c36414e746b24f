//! A TUDataset folder: the input is its files, separated by zero bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spinney::io::{Format, OnError, ReadOptions, read};
use spinney_fuzz::folder;

const FILES: [&str; 5] = ["A", "graph_indicator", "graph_labels", "node_labels", "edge_labels"];

fuzz_target!(|content: &[u8]| {
    let place = folder().join("X");
    let _ = std::fs::create_dir_all(&place);
    let mut parts = content.split(|&byte| byte == 0);
    for name in FILES {
        let path = place.join(format!("X_{name}.txt"));
        match parts.next() {
            Some(part) => std::fs::write(&path, part).expect("room for a small file"),
            None => drop(std::fs::remove_file(&path)),
        }
    }
    for on_error in [OnError::Fail, OnError::Skip] {
        let _ = read(&place, &ReadOptions { format: Some(Format::TuDataset), on_error });
    }
});
