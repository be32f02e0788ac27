//! Any bytes as the answers of an importer, and answers to scenes of the kit that are any numbers: an error of one line, or a verdict that
//! every format writes.

#![no_main]

use std::{io, sync::LazyLock};

use arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::{Map, Value, json};
use xform_report::{
    TextStyle, write_verification_html, write_verification_json, write_verification_markdown,
    write_verification_text,
};
use xform_verify::{Answers, Question, Scenes, kit, verify};

static SCENES: LazyLock<Scenes> = LazyLock::new(Scenes::kit);

/// The names of the nodes of each scene of the kit.
static NODES: LazyLock<Vec<(&str, Vec<String>)>> = LazyLock::new(|| {
    let names = |scene: &kit::KitScene| {
        let json: Value = serde_json::from_str(scene.gltf).unwrap();
        let nodes = json["nodes"].as_array().unwrap().iter();
        nodes.map(|node| node["name"].as_str().unwrap_or("").to_owned()).collect()
    };
    kit::SCENES.iter().map(|scene| (scene.name, names(scene))).collect()
});

fn number(u: &mut Unstructured<'_>) -> Result<Value> {
    const USUAL: [f64; 8] = [0.0, 1.0, -1.0, 2.0, 0.5, 1e300, 5e-324, std::f64::consts::SQRT_2];
    Ok(match u.int_in_range(0..=9)? {
        0 => json!(f64::arbitrary(u)?),
        1 => json!(null),
        _ => json!(u.choose(&USUAL)?),
    })
}

fn numbers(u: &mut Unstructured<'_>, count: usize) -> Result<Value> {
    (0..count).map(|_| number(u)).collect::<Result<Vec<_>>>().map(Value::from)
}

fn node(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut node = Map::new();
    if u.ratio(7, 8)? {
        let mut world = numbers(u, 16)?;
        if u.ratio(15, 16)? {
            [(3, 0), (7, 0), (11, 0), (15, 1)].into_iter().for_each(|(at, is)| world[at] = is.into());
        }
        node.insert("world".to_owned(), world);
    }
    if u.ratio(1, 4)? {
        let getters = json!({
            "position": numbers(u, 3)?, "rotation": numbers(u, 4)?, "scale": numbers(u, 3)?
        });
        node.insert("getters".to_owned(), getters);
    }
    Ok(node.into())
}

fn answers(u: &mut Unstructured<'_>) -> Result<String> {
    let mut scenes = Map::new();
    for _ in 0..u.int_in_range(1..=3)? {
        let (scene, names) = u.choose(&NODES)?;
        let mut nodes = Map::new();
        for name in names {
            if u.ratio(7, 8)? {
                nodes.insert(name.clone(), node(u)?);
            }
        }
        let seconds = if u.ratio(1, 8)? { number(u)? } else { json!(null) };
        scenes.insert((*scene).to_owned(), json!([{ "seconds": seconds, "nodes": nodes }]));
    }
    let engine = if u.ratio(1, 8)? { <&str>::arbitrary(u)? } else { "mine" };
    let answers = json!({
        "schema": "xform-answers/1", "engine": engine, "version": "1", "scenes": scenes
    });
    Ok(answers.to_string())
}

fn run(bytes: &[u8]) -> Result<()> {
    let mut u = Unstructured::new(bytes);
    let bytes = if u.ratio(1, 4)? { u.take_rest().to_vec() } else { answers(&mut u)?.into_bytes() };
    let answers = match Answers::read(&bytes) {
        Ok(answers) => answers,
        Err(error) => {
            let line = error.to_string();
            assert!(!line.is_empty() && !line.contains('\n'), "{line}");
            return Ok(());
        }
    };
    let named = answers.is_empty().then(Vec::new).unwrap_or_else(|| vec![("a".to_owned(), answers)]);
    let found = verify(&named, &SCENES, &Question::default());
    let mut json = Vec::new();
    write_verification_json(&found, &mut json).unwrap();
    serde_json::from_slice::<Value>(&json).unwrap();
    write_verification_text(&found, TextStyle::default(), &mut io::sink()).unwrap();
    write_verification_markdown(&found, &mut io::sink()).unwrap();
    write_verification_html(&found, &mut io::sink()).unwrap();
    Ok(())
}

fuzz_target!(|bytes: &[u8]| -> Corpus {
    match run(bytes) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
