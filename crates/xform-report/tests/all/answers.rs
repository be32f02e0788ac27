//! What engines answered has the form that its schema says. Here, since this crate's tests have what reads schemas.

use std::{fs, io::Read, path::Path};

use flate2::read::GzDecoder;
use serde_json::Value;

#[test]
fn recorded_answers_are_valid_by_their_schema() {
    let kit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../xform-engines/kit");
    let schema = fs::read_to_string(kit.join("answers.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let mut documents = 0;
    for entry in fs::read_dir(kit.join("answers")).unwrap() {
        let path = entry.unwrap().path();
        let mut text = String::new();
        GzDecoder::new(&fs::read(&path).unwrap()[..]).read_to_string(&mut text).unwrap();
        for line in text.lines() {
            let mut document: Value = serde_json::from_str(line).unwrap();
            // A hundred nodes of one form say no more than ten.
            document["scenes"].as_object_mut().unwrap().retain(|name, _| !name.starts_with("rand"));
            let errors: Vec<_> = validator.iter_errors(&document).map(|e| e.to_string()).collect();
            assert!(errors.is_empty(), "{} {}: {errors:?}", path.display(), document["run"]);
            documents += 1;
        }
    }
    assert!(documents >= 60, "{documents}");
    let wrong = serde_json::json!({"schema": "xform-answers/1", "run": "three/gltf"});
    assert!(!validator.is_valid(&wrong));
}
