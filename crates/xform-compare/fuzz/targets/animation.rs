//! Animations of a few nodes, with any data: what comes of them, and what curves do between keyframes.

#![no_main]

mod audited;

use std::fmt::Write;

use arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::{Corpus, fuzz_target};

#[derive(Arbitrary, Debug)]
struct Accessor {
    view: Option<u8>,
    offset: u8,
    count: u8,
    component: u8,
    shape: u8,
    is_normalized: bool,
    sparse: Option<(u8, u8, u8, u8)>,
}

#[derive(Arbitrary, Debug)]
struct View {
    offset: u8,
    len: u8,
    stride: Option<u8>,
}

#[derive(Arbitrary, Debug)]
struct Channel {
    sampler: u8,
    node: u8,
    path: u8,
}

#[derive(Arbitrary, Debug)]
struct Sampler {
    input: u8,
    output: u8,
    interpolation: u8,
}

/// A value of a list by any number.
fn pick<'a>(from: &[&'a str], by: u8) -> &'a str {
    from[usize::from(by) % from.len()]
}

/// Three nodes below one another, and what moves them.
fn document(u: &mut Unstructured<'_>) -> Result<String> {
    let animations: [Vec<(Channel, Sampler)>; 2] = u.arbitrary()?;
    let accessors: Vec<Accessor> = u.arbitrary()?;
    let views: Vec<View> = u.arbitrary()?;
    let data: Vec<u8> = u.arbitrary()?;
    let mut json = r#"{"asset":{"version":"2.0"},"nodes":[{"children":[1],"scale":[2,1,1]},
        {"children":[2],"rotation":[0,0,0.6,0.8]},{"translation":[1,2,3]}],"animations":["#
        .to_owned();
    for (i, parts) in animations.iter().enumerate() {
        json += if i > 0 { "," } else { "" };
        let channels = parts.iter().map(|(channel, _)| {
            let Channel { sampler, node, path } = channel;
            let path = pick(&["translation", "rotation", "scale", "weights", "rotation"], *path);
            let (sampler, node) = (sampler % 8, node % 4);
            format!(r#"{{"sampler":{sampler},"target":{{"node":{node},"path":"{path}"}}}}"#)
        });
        let samplers = parts.iter().map(|(_, sampler)| {
            let Sampler { input, output, interpolation } = sampler;
            let interpolation = pick(&["LINEAR", "STEP", "CUBICSPLINE"], *interpolation);
            let (input, output) = (input % 8, output % 8);
            format!(r#"{{"input":{input},"output":{output},"interpolation":"{interpolation}"}}"#)
        });
        let (channels, samplers) = (joined(channels), joined(samplers));
        write!(json, r#"{{"channels":[{channels}],"samplers":[{samplers}]}}"#).unwrap();
    }
    let accessors = accessors.iter().map(|accessor| {
        let Accessor { view, offset, count, component, shape, is_normalized, sparse } = accessor;
        let component = pick(&["5126", "5120", "5121", "5122", "5123", "5125", "5126"], *component);
        let shape = pick(&["SCALAR", "VEC3", "VEC4", "VEC2"], *shape);
        let view = view.map_or(String::new(), |view| format!(r#""bufferView":{},"#, view % 8));
        let sparse = sparse.map_or(String::new(), |(count, indices, at, values)| {
            format!(
                r#","sparse":{{"count":{count},"indices":{{"bufferView":{},"byteOffset":{at},
                   "componentType":5121}},"values":{{"bufferView":{}}}}}"#,
                indices % 8,
                values % 8
            )
        });
        format!(
            r#"{{{view}"byteOffset":{offset},"count":{count},"componentType":{component},
               "type":"{shape}","normalized":{is_normalized}{sparse}}}"#
        )
    });
    let views = views.iter().map(|View { offset, len, stride }| {
        let stride = stride.map_or(String::new(), |stride| format!(r#","byteStride":{stride}"#));
        format!(r#"{{"buffer":0,"byteOffset":{offset},"byteLength":{len}{stride}}}"#)
    });
    let data = data.iter().map(|byte| format!("%{byte:02x}")).collect::<String>();
    write!(
        json,
        r#"],"accessors":[{}],"bufferViews":[{}],"buffers":[{{"uri":"data:,{data}"}}]}}"#,
        joined(accessors),
        joined(views)
    )
    .unwrap();
    Ok(json)
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(",")
}

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(document) = document(&mut Unstructured::new(bytes)) else { return Corpus::Reject };
    let Some(audit) = audited::audited(document.as_bytes()) else { return Corpus::Keep };
    for animation in &audit.animations {
        let is_in_time = |peak: &xform_compare::audit::Peak| {
            let from = animation.start_seconds.unwrap();
            (from..=animation.end_seconds.unwrap()).contains(&peak.seconds)
        };
        for node in &animation.nodes {
            let peaks = [node.skew_difference_degrees, node.linear_difference, node.displacement];
            assert!(peaks.iter().flatten().all(is_in_time), "{animation:?}");
        }
    }
    Corpus::Keep
});
