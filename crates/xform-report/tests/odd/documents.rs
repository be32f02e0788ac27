//! What is wrong, or odd, in a document that is JSON.

use xform_scene::{ErrorCode, WarningCode};

use super::{Comes, Odd, document, fine, odd, refused, warned};

pub(super) fn files() -> Vec<Odd> {
    let groups =
        [wrong_types(), numbers(), structure(), overflow(), tolerated(), warnings(), large()];
    groups.into_iter().flatten().collect()
}

fn with(members: &str, comes: Comes) -> Odd {
    odd(members, document(members), comes)
}

/// Every member that matters, and values it cannot have.
fn wrong_types() -> Vec<Odd> {
    const ARRAY: &[&str] = &["{}", "5", "\"text\"", "false"];
    const OBJECT: &[&str] = &["[]", "5", "\"text\"", "null"];
    const MEMBER: &[&str] = &["[]", "5", "\"text\""];
    const INDEX: &[&str] = &["-1", "1.5", "\"0\"", "[]", "true"];
    const NUMBER: &[&str] = &["null", "\"1\"", "[]"];
    let members = [
        ("/scene", r#""scene": @"#, INDEX),
        ("/scenes", r#""scenes": @"#, ARRAY),
        ("/scenes/0", r#""scenes": [@]"#, OBJECT),
        ("/scenes/0/nodes", r#""scenes": [{ "nodes": @ }]"#, ARRAY),
        ("/scenes/0/nodes/0", r#""scenes": [{ "nodes": [@] }]"#, INDEX),
        ("/nodes", r#""nodes": @"#, ARRAY),
        ("/nodes/1", r#""nodes": [{}, @]"#, OBJECT),
        ("/nodes/0/children", r#""nodes": [{ "children": @ }]"#, ARRAY),
        ("/nodes/0/children/0", r#""nodes": [{ "children": [@] }]"#, INDEX),
        ("/nodes/0/matrix", r#""nodes": [{ "matrix": @ }]"#, ARRAY),
        ("/nodes/0/translation", r#""nodes": [{ "translation": @ }]"#, ARRAY),
        ("/nodes/0/rotation", r#""nodes": [{ "rotation": @ }]"#, ARRAY),
        ("/nodes/0/scale", r#""nodes": [{ "scale": @ }]"#, ARRAY),
        ("/nodes/0/scale/1", r#""nodes": [{ "scale": [1, @, 1] }]"#, NUMBER),
        ("/nodes/0/mesh", r#""nodes": [{ "mesh": @ }]"#, INDEX),
        ("/nodes/0/skin", r#""nodes": [{ "skin": @ }]"#, INDEX),
        ("/meshes", r#""meshes": @"#, ARRAY),
        ("/meshes/0", r#""meshes": [@]"#, OBJECT),
        ("/meshes/0/primitives", r#""meshes": [{ "primitives": @ }]"#, ARRAY),
        ("/meshes/0/primitives/0", r#""meshes": [{ "primitives": [@] }]"#, OBJECT),
        (
            "/meshes/0/primitives/0/attributes",
            r#""meshes": [{ "primitives": [{ "attributes": @ }] }]"#,
            MEMBER,
        ),
        (
            "/meshes/0/primitives/0/attributes/POSITION",
            r#""meshes": [{ "primitives": [{ "attributes": { "POSITION": @ } }] }]"#,
            INDEX,
        ),
        ("/accessors", r#""accessors": @"#, ARRAY),
        ("/accessors/0", r#""accessors": [@]"#, OBJECT),
        ("/skins", r#""skins": @"#, ARRAY),
        ("/skins/0", r#""skins": [@]"#, OBJECT),
        ("/skins/0/joints", r#""skins": [{ "joints": @ }]"#, ARRAY),
        ("/skins/0/joints/0", r#""skins": [{ "joints": [@] }]"#, INDEX),
        ("/animations", r#""animations": @"#, ARRAY),
        ("/animations/0", r#""animations": [@]"#, OBJECT),
        ("/animations/0/channels", r#""animations": [{ "channels": @ }]"#, ARRAY),
        ("/animations/0/channels/0", r#""animations": [{ "channels": [@] }]"#, OBJECT),
        (
            "/animations/0/channels/0/target",
            r#""animations": [{ "channels": [{ "target": @ }] }]"#,
            MEMBER,
        ),
        ("/bufferViews", r#""bufferViews": @"#, ARRAY),
        ("/bufferViews/0", r#""bufferViews": [@]"#, OBJECT),
        ("/buffers", r#""buffers": @"#, ARRAY),
        ("/buffers/0", r#""buffers": [@]"#, OBJECT),
    ];
    let wrong = |(pointer, template, values): (&'static str, &'static str, &'static [&str])| {
        values.iter().map(move |value| {
            with(&template.replace('@', value), refused(ErrorCode::InvalidValue, pointer))
        })
    };
    let lengths = [
        ("/nodes/0/translation", r#""nodes": [{ "translation": [1, 2] }]"#),
        ("/nodes/0/translation", r#""nodes": [{ "translation": [1, 2, 3, 4] }]"#),
        ("/nodes/0/rotation", r#""nodes": [{ "rotation": [0, 0, 1] }]"#),
        ("/nodes/0/scale", r#""nodes": [{ "scale": [] }]"#),
        ("/nodes/0/matrix", r#""nodes": [{ "matrix": [1, 0, 0, 0] }]"#),
        ("/nodes/0", r#""nodes": [{ "children": [], "children": [] }]"#),
    ];
    let lengths = lengths.map(|(at, members)| with(members, refused(ErrorCode::InvalidValue, at)));
    members.into_iter().flat_map(wrong).chain(lengths).collect()
}

fn numbers() -> Vec<Odd> {
    let beyond =
        |members: &str, pointer: &str| with(members, refused(ErrorCode::NumberOutOfRange, pointer));
    let index = |index: &str, code| {
        let members = format!(r#""nodes": [{{ "children": [{index}] }}, {{}}]"#);
        with(&members, refused(code, "/nodes/0/children/0"))
    };
    let long = format!(r#""nodes": [{{ "scale": [1, 1, 1{}] }}]"#, "0".repeat(400));
    let bounds = |corner: &str| {
        with(
            &format!(
                r#""nodes": [{{ "mesh": 0 }}, {{ "translation": [1, 0, 0] }}],
                   "meshes": [{{ "primitives": [{{ "attributes": {{ "POSITION": 0 }} }}] }}],
                   "accessors": [{{ "componentType": 5126, "min": {corner}, "max": [1, 1, 1] }}]"#
            ),
            Comes::Audited(vec![WarningCode::MissingBounds, WarningCode::BrokenMeshes]),
        )
    };
    vec![
        with(r#""scene": 0.0, "scenes": [{ "nodes": [0.0, 1e0] }], "nodes": [{}, {}]"#, fine()),
        with(r#""nodes": [{ "children": [1.0, 20e-1] }, {}, {}]"#, fine()),
        with(r#""nodes": [{ "children": [1] }, {}], "scenes": [{ "nodes": [-0, -0.0] }]"#, fine()),
        with(
            r#""nodes": [{ "children": [1] }, {}], "scenes": [{ "nodes": [0, 1] }]"#,
            warned(WarningCode::NonRootNode),
        ),
        with(r#""nodes": [{ "translation": [1e-400, -0, 5e-324] }]"#, fine()),
        with(
            r#""nodes": [{ "translation": [1E+2, 1.0e-2, 100000000000000000000] }]"#,
            warned(WarningCode::Precision),
        ),
        with(r#""extras": [1e400, -1e999999999], "nodes": [{ "extras": 1e400 }]"#, fine()),
        with(
            r#""cameras": [{ "perspective": { "yfov": 1e400 } }], "nodes": [{ "camera": 1e400 }]"#,
            fine(),
        ),
        beyond(r#""nodes": [{ "scale": [1, 1, 1e400] }]"#, "/nodes/0/scale/2"),
        beyond(r#""nodes": [{}, { "translation": [-1e400, 0, 0] }]"#, "/nodes/1/translation/0"),
        beyond(r#""nodes": [{ "rotation": [0, 1e309, 0, 1] }]"#, "/nodes/0/rotation/1"),
        beyond(
            r#""nodes": [{ "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,1e999,1] }]"#,
            "/nodes/0/matrix/14",
        ),
        beyond(&long, "/nodes/0/scale/2"),
        index("2", ErrorCode::IndexOutOfRange),
        index("2.0", ErrorCode::IndexOutOfRange),
        index("4294967296", ErrorCode::IndexOutOfRange),
        index("9007199254740993", ErrorCode::IndexOutOfRange),
        index("18446744073709551615", ErrorCode::IndexOutOfRange),
        index("1e19", ErrorCode::IndexOutOfRange),
        index("18446744073709551616", ErrorCode::InvalidValue),
        index("1e400", ErrorCode::InvalidValue),
        index("-1e400", ErrorCode::InvalidValue),
        index("0.5", ErrorCode::InvalidValue),
        index("1e-400", ErrorCode::Cycle).at("/nodes/0"),
        bounds("[1e400, 0, 0]"),
        bounds("[null, null, null]"),
        bounds("[\"NaN\", 0, 0]"),
        bounds("[0, 0]"),
        bounds("{}"),
    ]
}

impl Odd {
    /// The same, refused at another place.
    fn at(mut self, place: &str) -> Self {
        if let Comes::Refused(_, pointer) = &mut self.comes {
            place.clone_into(pointer);
        }
        self
    }
}

fn structure() -> Vec<Odd> {
    let index =
        |members: &str, pointer: &str| with(members, refused(ErrorCode::IndexOutOfRange, pointer));
    let parents =
        |members: &str, pointer: &str| with(members, refused(ErrorCode::TwoParents, pointer));
    let cycle = |members: &str, pointer: &str| with(members, refused(ErrorCode::Cycle, pointer));
    // Two edges from each level to the next: a walk over all paths would take 2^60 steps.
    let level = |i: usize| format!(r#"{{ "children": [{0}, {0}] }}, "#, i + 1);
    let levels = format!(r#""nodes": [{}{{}}]"#, (0..60).map(level).collect::<String>());
    let ladder =
        |i: usize| format!(r#"{{ "children": [{}, {}] }}, "#, 2 * (i / 2) + 2, 2 * (i / 2) + 3);
    let ladder = format!(r#""nodes": [{}{{}}, {{}}]"#, (0..120).map(ladder).collect::<String>());
    let perspective = r#""nodes": [{ "matrix": [1,0,0,0.5, 0,1,0,0, 0,0,1,0, 0,0,0,1] }]"#;
    let doubled = r#""nodes": [{ "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,2] }]"#;
    vec![
        cycle(r#""nodes": [{ "children": [0] }]"#, "/nodes/0"),
        cycle(r#""nodes": [{ "children": [1] }, { "children": [0] }]"#, "/nodes/0"),
        cycle(r#""nodes": [{}, { "children": [2] }, { "children": [1, 0] }]"#, "/nodes/2"),
        parents(r#""nodes": [{ "children": [1, 1] }, {}]"#, "/nodes/0/children/1"),
        parents(
            r#""nodes": [{ "children": [2] }, { "children": [2] }, {}]"#,
            "/nodes/1/children/0",
        ),
        parents(&levels, "/nodes/0/children/1"),
        parents(&ladder, "/nodes/1/children/0"),
        index(r#""nodes": [{ "children": [7] }]"#, "/nodes/0/children/0"),
        index(r#""nodes": [{ "mesh": 0 }]"#, "/nodes/0/mesh"),
        index(r#""nodes": [{ "skin": 0 }]"#, "/nodes/0/skin"),
        index(r#""scene": 1, "scenes": [{}]"#, "/scene"),
        index(r#""scenes": [{}, { "nodes": [0] }]"#, "/scenes/1/nodes/0"),
        index(
            r#""meshes": [{ "primitives": [{ "attributes": { "POSITION": 5 } }] }]"#,
            "/meshes/0/primitives/0/attributes/POSITION",
        ),
        with(perspective, refused(ErrorCode::MatrixNotAffine, "/nodes/0/matrix")),
        with(doubled, refused(ErrorCode::MatrixNotAffine, "/nodes/0/matrix")),
    ]
}

fn overflow() -> Vec<Odd> {
    let overflow =
        |members: &str, pointer: &str| with(members, refused(ErrorCode::ValuesOverflow, pointer));
    vec![
        overflow(
            r#""nodes": [{ "scale": [1e300, 1, 1], "children": [1] }, { "scale": [1e300, 1, 1] }]"#,
            "/nodes/1",
        ),
        overflow(
            r#""nodes": [{}, { "matrix":
               [1.7e308, 1.7e308, 0, 0, 0, 1.7e308, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }]"#,
            "/nodes/1",
        ),
        with(
            r#""nodes": [{ "translation": [1e308, 0, 0] }, { "translation": [-1e308, 0, 0] }]"#,
            refused(ErrorCode::SceneTooLarge, ""),
        ),
    ]
}

/// What other readers may stumble over, and what does not matter here.
fn tolerated() -> Vec<Odd> {
    let deep =
        |open: &str, close: &str| format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
    let arrays = deep("[", "]");
    let objects = deep(r#"{"a":"#, "}");
    let wrong = r#""name": 5, "extensions": [], "extras": 1, "weights": {}, "camera": "x""#;
    let null = r#""name": null, "children": null, "matrix": null, "translation": null,
        "rotation": null, "scale": null, "mesh": null, "skin": null, "extensions": null"#;
    let draco = r#""extensionsRequired": ["KHR_draco_mesh_compression"],
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "extensions":
            { "KHR_draco_mesh_compression": { "bufferView": 7, "attributes": {} } } }] }],
        "accessors": [{ "componentType": 5126, "count": 4000000000, "type": "VEC3",
            "min": [0, 0, 0], "max": [1, 1, 1] }]"#;
    vec![
        with(&format!(r#""extras": {arrays}, "nodes": [{{ "extras": {objects} }}]"#), fine()),
        with(&format!(r#""nodes": [{{ "name": {arrays}, "extensions": {objects} }}]"#), fine()),
        with(&format!(r#""nodes": [{{ {wrong} }}]"#), fine()),
        with(&format!(r#""nodes": [{{ {null} }}]"#), fine()),
        with(
            r#""nodes": [{}], "scene": null, "scenes": null, "meshes": null, "skins": null"#,
            fine(),
        ),
        with(r#""nodes": [{}], "animations": null, "buffers": null, "bufferViews": null"#, fine()),
        with(r#""nodes": [{}], "unknown": { "nodes": 5 }, "": [], "nodes ": 1"#, fine()),
        with(
            r#""nodes": [{}], "scenes": [{}, { "nodes": [] }], "scene": 0"#,
            warned(WarningCode::NonDefaultScene),
        ),
        with(r#""extensionsRequired": ["VENDOR_unknown"], "nodes": [{}]"#, fine()),
        with(r#""\u006eodes": [{ "tr\u0061nslation": [1, 2, 3] }]"#, fine()),
        with(draco, fine()),
        with(r#""nodes": [{}], "buffers": [{ "uri": 5, "byteLength": "x" }, {}]"#, fine()),
        with(
            r#""nodes": [{}], "buffers": [{ "uri": "../../etc/passwd", "byteLength": 1e99 }]"#,
            fine(),
        ),
        with(r#""nodes": [{}], "bufferViews": [{ "buffer": 9, "byteLength": -1 }]"#, fine()),
        with(
            r#""nodes": [{}], "accessors": [{ "count": 1e18, "sparse": { "count": -5 } }, {}]"#,
            fine(),
        ),
        with(r#""nodes": [{}], "animations": [{ "channels": [], "samplers": 5 }, {}]"#, fine()),
        with(r#""nodes": [{}], "skins": [{ "joints": [0.0, 99] }]"#, fine()),
    ]
}

fn warnings() -> Vec<Odd> {
    let quarter = "0.7071067811865476";
    let not_trs = format!(
        r#""nodes": [{{ "matrix": [1,0,0,0, {quarter},{quarter},0,0, 0,0,1,0, 0,0,0,1] }}]"#
    );
    let skinned = r#""nodes": [{ "mesh": 0, "skin": 0 }, { "mesh": 0 }], "skins": [{ "joints": [0] }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "componentType": 5126, "min": [0, 0, 0], "max": [1, 1, 1] }]"#;
    let both =
        r#""nodes": [{ "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1], "scale": [2, 2, 2] }]"#;
    vec![
        with(r#""nodes": [{ "rotation": [0, 0, 0, 2] }]"#, warned(WarningCode::UnitQuaternion)),
        with(
            r#""nodes": [{ "rotation": [1e308, 1e308, 1e308, 1e308] }]"#,
            warned(WarningCode::UnitQuaternion),
        ),
        with(
            r#""nodes": [{ "rotation": [5e-324, 0, 0, 0] }]"#,
            warned(WarningCode::UnitQuaternion),
        ),
        with(r#""nodes": [{ "rotation": [0, 0, 0, 0] }]"#, warned(WarningCode::ZeroQuaternion)),
        with(
            r#""nodes": [{ "rotation": [0, 0, -0.0, 1e-400] }]"#,
            warned(WarningCode::ZeroQuaternion),
        ),
        with(
            r#""nodes": [{ "scale": [1, 0, 1] }]"#,
            Comes::Audited(vec![WarningCode::ZeroScale, WarningCode::UndefinedFigure]),
        ),
        with(r#""nodes": [{ "scale": [1, -1, 1] }]"#, warned(WarningCode::Mirrored)),
        with(both, warned(WarningCode::MatrixAndTrs)),
        with(&not_trs, warned(WarningCode::MatrixNotTrs)),
        with(skinned, warned(WarningCode::SkinnedMesh)),
        with(
            r#""nodes": [{ "mesh": 0, "extensions": { "EXT_mesh_gpu_instancing": {} } }], "meshes": [{ "primitives": [] }]"#,
            Comes::Audited(vec![
                WarningCode::MissingBounds,
                WarningCode::GpuInstancing,
                WarningCode::UndefinedFigure,
            ]),
        ),
        with(r#""nodes": []"#, warned(WarningCode::UndefinedFigure)),
    ]
}

/// Much of the same, in files that are not small.
fn large() -> Vec<Odd> {
    const COUNT: usize = 50_000;
    let repeated = |one: &str| vec![one; COUNT].join(",");
    let chain = |last: &str| {
        let link = |i: usize| format!(r#"{{"children":[{}]}},"#, i + 1);
        format!(r#""nodes": [{}{last}]"#, (0..COUNT).map(link).collect::<String>())
    };
    let children = (1..=COUNT).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    let siblings = format!(r#""nodes": [{{ "children": [{children}] }},{}]"#, repeated("{}"));
    let names = |about: &str, members: String, comes| odd(about, document(&members), comes);
    vec![
        names(
            "a megabyte of text for nodes",
            format!(r#""nodes": "{}""#, "a\u{e9}\\n".repeat(200_000)),
            refused(ErrorCode::InvalidValue, "/nodes"),
        ),
        names("nodes nested 50 000 deep", chain("{}"), fine()),
        names(
            "a ring of 50 001 nodes",
            chain(r#"{ "children": [0] }"#),
            refused(ErrorCode::Cycle, "/nodes/0"),
        ),
        names("50 000 siblings", siblings, fine()),
        names("50 000 roots", format!(r#""nodes": [{}]"#, repeated("{}")), fine()),
        names(
            "50 000 scenes",
            format!(r#""nodes": [{{}}], "scenes": [{}]"#, repeated(r#"{"nodes":[0]}"#)),
            fine(),
        ),
        names(
            "50 000 meshes without bounds",
            format!(
                r#""nodes": [{{ "mesh": 0 }}, {{ "mesh": 1, "translation": [1, 0, 0] }}], "meshes": [{}]"#,
                repeated("{}")
            ),
            warned(WarningCode::MissingBounds),
        ),
        names(
            "50 000 animations of nothing",
            format!(r#""nodes": [{{}}], "animations": [{}]"#, repeated("{}")),
            fine(),
        ),
    ]
}
