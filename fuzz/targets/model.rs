//! Model files and checkpoints, of trainings and of cross-validations: the text as it is, and as
//! the content under a right checksum.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};
use spinney::Model;
use spinney::boosting::Checkpoint;
use spinney::training::FoldStore;

fn sealed(format: &str, part: &str, body: &str) -> String {
    let sum: String = Sha256::digest(body.as_bytes()).iter().map(|b| format!("{b:02x}")).collect();
    format!("{{\"format\":\"{format}\",\"version\":1,\"sha256\":\"{sum}\",\"{part}\":{body}}}")
}

fuzz_target!(|content: &[u8]| {
    let Ok(text) = std::str::from_utf8(content) else { return };
    let _ = Model::from_json(text);
    if let Ok(model) = Model::from_json(&sealed("spinney-model", "model", text)) {
        // What is accepted can be used, and comes back the same.
        let _ = model.importance();
        let again = Model::from_json(&model.to_json());
        assert_eq!(again.as_ref(), Ok(&model));
        let _ = model.predict(&spinney::demo::graph_xor().subset(&[0, 500]));
    }
    if let Ok(kept) = Checkpoint::from_json(&sealed("spinney-checkpoint", "checkpoint", text)) {
        assert!(Checkpoint::from_json(&kept.to_json()).is_ok());
    }
    if let Ok(kept) = FoldStore::from_json(&sealed("spinney-folds", "folds", text)) {
        assert!(FoldStore::from_json(&kept.to_json()).is_ok());
    }
});
