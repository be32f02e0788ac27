//! Random scenes of the tests with something odd in them: values replaced, taken out, put elsewhere and doubled.

use arbitrary::{Arbitrary, Result, Unstructured};
use serde_json::{Value, json};

use crate::{file::File, random};

/// How many edits a scene has at most: with more, little of it is left.
const MOST: usize = 6;

/// A scene that follows from a seed, before and after some edits of its JSON.
pub fn scenes(u: &mut Unstructured<'_>) -> Result<[File; 2]> {
    let seed = u64::from(u8::arbitrary(u)?);
    let [before, mut after] = [(); 2].map(|()| random::file(seed, 6));
    for _ in 0..u.int_in_range(0..=MOST)? {
        edit(&mut after.json, u)?;
    }
    Ok([before, after])
}

fn edit(json: &mut Value, u: &mut Unstructured<'_>) -> Result<()> {
    let mut places = Vec::new();
    collect(json, &mut String::new(), &mut places);
    // The document itself stays an object.
    let [at, from] = [u.choose(&places[1..])?.clone(), u.choose(&places)?.clone()];
    let copied = json.pointer(&from).cloned().unwrap_or_default();
    let odd = [
        json!(null),
        json!(true),
        json!({}),
        json!([]),
        json!(""),
        json!(0),
        json!(0.0),
        json!(-0.0),
        json!(1.0),
        json!(-1),
        json!(3),
        json!(0.5),
        json!(1e30),
        json!(-1e300),
        json!(u64::MAX),
        json!("data:,"),
    ];
    let Some(value) = json.pointer_mut(&at) else { return Ok(()) };
    match u.int_in_range(0..=5)? {
        0 => *value = copied,
        1 => *value = u.choose(&odd)?.clone(),
        2 => *value = json!(f32::arbitrary(u)?),
        3 => *value = json!(u8::arbitrary(u)?),
        4 => match value {
            Value::Array(elements) => {
                elements.pop();
            }
            Value::Object(members) => {
                let name = u.int_in_range(0..=members.len())?;
                members.retain({
                    let mut at = 0..;
                    move |_, _| at.next() != Some(name)
                });
            }
            _ => *value = json!(null),
        },
        _ => match value {
            Value::Array(elements) => elements.push(copied),
            Value::Object(members) => {
                let name = from.rsplit('/').next().unwrap_or_default().to_owned();
                members.insert(name, copied);
            }
            _ => *value = copied,
        },
    }
    Ok(())
}

/// The JSON pointers of all values.
fn collect(value: &Value, at: &mut String, places: &mut Vec<String>) {
    places.push(at.clone());
    let len = at.len();
    let mut inside = |name: &str, value: &Value| {
        at.push('/');
        *at += name;
        collect(value, at, places);
        at.truncate(len);
    };
    match value {
        Value::Array(elements) => {
            elements.iter().enumerate().for_each(|(i, value)| inside(&i.to_string(), value));
        }
        Value::Object(members) => members.iter().for_each(|(name, value)| inside(name, value)),
        _ => {}
    }
}
