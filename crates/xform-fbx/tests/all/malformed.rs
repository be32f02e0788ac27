//! Files that are broken in one way each, with the code of their error; none where what is broken does not matter.

use xform_compare::{compare, findings, judge::Limits};
use xform_fbx::{Converted, MemoryLimit, convert, read_fbx};
use xform_scene::{ErrorCode, Scene, WarningCode};

use crate::{
    binary::{Record, double, doubles, file, int, long, text},
    text::{Fbx, Model},
};

fn property(name: &str, values: [f64; 3]) -> Record {
    let kinds = [text(name), text("Vector3D"), text("Vector"), text("A")];
    Record::new("P", kinds.into_iter().chain(values.map(double)).collect(), Vec::new())
}

fn model(id: i64, properties: Vec<Record>) -> Record {
    let properties = Record::new("Properties70", Vec::new(), properties);
    Record::new("Model", vec![long(id), text("A\0\x01Model"), text("Mesh")], vec![properties])
}

fn connection(from: i64, to: i64) -> Record {
    Record::new("C", vec![text("OO"), long(from), long(to)], Vec::new())
}

fn geometry(vertices: Vec<u8>) -> Record {
    let name = vec![long(9), text("A\0\x01Geometry"), text("Mesh")];
    let corners = [0_i32, 1, -3].iter().flat_map(|index| index.to_le_bytes()).collect::<Vec<_>>();
    let mut indices = doubles(3, 0, &corners);
    indices[0] = b'i';
    let parts = vec![
        Record::new("Vertices", vec![vertices], Vec::new()),
        Record::new("PolygonVertexIndex", vec![indices], Vec::new()),
    ];
    Record::new("Geometry", name, parts)
}

fn header() -> Record {
    Record::new(
        "FBXHeaderExtension",
        Vec::new(),
        vec![Record::new("FBXVersion", vec![int(7400)], Vec::new())],
    )
}

fn with_objects(objects: Vec<Record>, connections: Vec<Record>) -> Vec<u8> {
    let parts = [
        header(),
        Record::new("Objects", Vec::new(), objects),
        Record::new("Connections", Vec::new(), connections),
    ];
    file(7400, &parts)
}

fn triangle() -> Vec<u8> {
    let corners = [0.0_f64, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    corners.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn good() -> Vec<u8> {
    let objects = vec![
        model(1, vec![property("Lcl Scaling", [2.0, 1.0, 1.0])]),
        geometry(doubles(9, 0, &triangle())),
    ];
    with_objects(objects, vec![connection(1, 0), connection(9, 1)])
}

fn good_text() -> String {
    let mut fbx = Fbx::default();
    let a = fbx.add(&Model { name: "A", scale: [2.0, 1.0, 1.0], ..Model::default() });
    fbx.add(&Model { name: "B", parent: Some(a), rotation: [0.0, 0.0, 30.0], ..Model::default() });
    fbx.text()
}

fn code(bytes: &[u8]) -> Option<ErrorCode> {
    match convert(bytes, &MemoryLimit::bytes(64 << 20)) {
        Err(error) => Some(error.code),
        Ok(converted) => {
            let scene = converted.scene("test").unwrap();
            converted.drawing().unwrap();
            compare(&scene).err().map(|error| error.code())
        }
    }
}

#[test]
fn the_files_that_are_broken_below_are_whole_before() {
    assert_eq!(code(&good()), None);
    let scene = read_fbx(&good(), "good").unwrap();
    assert_eq!((scene.nodes.len(), scene.drawing.meshes.len()), (2, 1));
    assert_eq!(code(good_text().as_bytes()), None);
}

/// The nodes of a file with a broken mesh are read, and a limit fails, since what they show was not.
#[test]
fn of_a_file_with_a_broken_mesh_the_nodes_are_read_and_not_judged() {
    let whole = good_text();
    let a_corner = "a: 0,1,3,-3,4";
    assert!(whole.contains(a_corner));
    for corner in ["99", "-300", "3000000000"] {
        let broken = whole.replacen(a_corner, &format!("a: 0,{corner},3,-3,4"), 1);
        let [whole, broken] =
            [&whole, &broken].map(|text| read_fbx(text.as_bytes(), "broken").unwrap());
        let codes: Vec<_> = broken.warnings.iter().map(|warning| warning.code).collect();
        assert_eq!((codes, whole.warnings.len()), (vec![WarningCode::BrokenMeshes], 0));
        let poses = |scene: &Scene| -> Vec<_> {
            scene.nodes.iter().map(|node| (node.parent, node.local)).collect()
        };
        assert_eq!(poses(&broken), poses(&whole));
        let audit = compare(&broken).unwrap();
        let mut limits = Limits::default();
        limits.max_skew_degrees = Some(90.0);
        let found = findings(&audit, &limits);
        assert!(found.iter().any(|finding| finding.rule == "not-judged" && finding.fails));
        // From another process, too.
        let text = good_text().replacen(a_corner, "a: 0,99,3,-3,4", 1);
        let converted = convert(text.as_bytes(), &MemoryLimit::default()).unwrap();
        let sent = Converted::from_bytes(&converted.to_bytes()).unwrap();
        assert_eq!(sent.scene("sent").unwrap().warnings.len(), 1);
    }
}

/// Broken binary files by name, each with the code that is expected.
fn binary() -> Vec<(&'static str, Vec<u8>, Option<ErrorCode>)> {
    use ErrorCode::{FbxTruncated, InvalidFbx, NotFbx, OutOfMemory, UnsupportedVersion};
    let at = |place: usize, bytes: &[u8]| {
        let mut broken = good();
        broken[place..place + bytes.len()].copy_from_slice(bytes);
        broken
    };
    let cut = |len: usize| good()[..len].to_vec();
    let all = good().len();
    let object = |object: Record| with_objects(vec![object], vec![connection(1, 0)]);
    let mesh = |vertices: Vec<u8>| {
        with_objects(
            vec![model(1, Vec::new()), geometry(vertices)],
            vec![connection(1, 0), connection(9, 1)],
        )
    };
    let scaled = |scale: [f64; 3]| object(model(1, vec![property("Lcl Scaling", scale)]));
    let mut deep = Record::new("Deep", Vec::new(), Vec::new());
    for _ in 0..200 {
        deep = Record::new("Deep", Vec::new(), vec![deep]);
    }
    vec![
        ("the mark alone", cut(23), Some(UnsupportedVersion)),
        ("half of the mark", cut(12), Some(NotFbx)),
        ("no record", cut(27), Some(InvalidFbx)),
        ("half of the first record", cut(33), Some(FbxTruncated)),
        ("half of a name", cut(45), Some(FbxTruncated)),
        ("half of the objects", cut(all / 2), Some(FbxTruncated)),
        ("all but the last record", cut(all - 13), Some(FbxTruncated)),
        ("all but a byte", cut(all - 1), Some(FbxTruncated)),
        ("another mark", at(0, b"Kaydara FBY"), Some(NotFbx)),
        ("version 0", at(23, &0_u32.to_le_bytes()), Some(UnsupportedVersion)),
        ("version 2000", at(23, &2000_u32.to_le_bytes()), Some(UnsupportedVersion)),
        ("version of 64 bits", at(23, &7500_u32.to_le_bytes()), Some(InvalidFbx)),
        ("version without end", at(23, &u32::MAX.to_le_bytes()), Some(UnsupportedVersion)),
        ("a record that ends beyond the file", at(27, &u32::MAX.to_le_bytes()), None),
        ("a record that ends before it begins", at(27, &1_u32.to_le_bytes()), None),
        ("a record with too many properties", at(31, &u32::MAX.to_le_bytes()), Some(InvalidFbx)),
        (
            "a record whose properties are too long",
            at(35, &u32::MAX.to_le_bytes()),
            Some(FbxTruncated),
        ),
        ("records in records", file(7400, &[header(), deep]), Some(InvalidFbx)),
        (
            "a property of an unknown type",
            object(Record::new("Model", vec![b"?abc".to_vec()], Vec::new())),
            Some(InvalidFbx),
        ),
        (
            "a text that ends beyond the file",
            object(Record::new("Model", vec![b"S\xff\xff\xff\xff".to_vec()], Vec::new())),
            Some(FbxTruncated),
        ),
        (
            "an array that ends beyond the file",
            mesh([&b"d"[..], &[0xff; 12]].concat()),
            Some(OutOfMemory),
        ),
        ("an array in an unknown encoding", mesh(doubles(9, 7, &triangle())), None),
        ("an array that does not inflate", mesh(doubles(9, 1, &triangle())), None),
        ("an array that inflates to nothing", mesh(doubles(9, 1, &[])), None),
        ("an array with more numbers than bytes", mesh(doubles(1000, 0, &triangle())), None),
        ("a mesh whose corners lead nowhere", mesh(doubles(3, 0, &triangle()[..24])), None),
        ("a mesh without vertices", mesh(doubles(0, 0, &[])), None),
        (
            "a scale that is not a number",
            scaled([f64::NAN, 1.0, 1.0]),
            Some(ErrorCode::ValuesOverflow),
        ),
        ("a scale without end", scaled([f64::INFINITY, 1.0, 1.0]), Some(ErrorCode::ValuesOverflow)),
        ("a scale of nothing", scaled([0.0; 3]), None),
        ("a scale beyond all measure", scaled([1e308; 3]), None),
        ("a model without a name", object(Record::new("Model", vec![long(1)], Vec::new())), None),
        ("a model without an id", object(Record::new("Model", Vec::new(), Vec::new())), None),
        ("nothing but a header", file(7400, &[header()]), None),
        (
            "a node below itself",
            with_objects(vec![model(1, Vec::new())], vec![connection(1, 1)]),
            Some(ErrorCode::Cycle),
        ),
        (
            "two nodes below one another",
            with_objects(
                vec![model(1, Vec::new()), model(2, Vec::new())],
                vec![connection(1, 2), connection(2, 1)],
            ),
            Some(ErrorCode::Cycle),
        ),
        (
            "a node below two others",
            with_objects(
                vec![model(1, Vec::new()), model(2, Vec::new()), model(3, Vec::new())],
                vec![connection(1, 0), connection(2, 0), connection(3, 1), connection(3, 2)],
            ),
            None,
        ),
        (
            "two nodes of one id",
            with_objects(vec![model(1, Vec::new()), model(1, Vec::new())], vec![connection(1, 0)]),
            None,
        ),
        (
            "a connection to nothing",
            with_objects(vec![model(1, Vec::new())], vec![connection(1, 77), connection(78, 79)]),
            None,
        ),
    ]
}

/// Broken files of text.
fn of_text() -> Vec<(&'static str, Vec<u8>, Option<ErrorCode>)> {
    use ErrorCode::{FbxTruncated, InvalidFbx};
    let with = |old: &str, new: &str| {
        assert!(good_text().contains(old), "{old}");
        good_text().replacen(old, new, 1).into_bytes()
    };
    let cut = |part: &str| good_text().as_bytes()[..good_text().find(part).unwrap()].to_vec();
    vec![
        ("text that ends in the objects", cut("\tModel: 1001"), Some(FbxTruncated)),
        ("text that ends in an array", cut("-0.5,0.5,-0.5"), Some(InvalidFbx)),
        ("text that ends before the connections", cut("Connections:"), None),
        ("a brace too many", with("Objects:  {", "Objects:  { {"), Some(InvalidFbx)),
        ("a word in place of a number", with("2.0,1.0,1.0", "two,1.0,1.0"), None),
        ("an array with more numbers than it says", with("Vertices: *24", "Vertices: *3"), None),
        (
            "an array with fewer numbers than it says",
            with("Vertices: *24", "Vertices: *99999"),
            None,
        ),
        (
            "an array with as many numbers as there are none",
            with("Vertices: *24", "Vertices: *99999999999999999999"),
            None,
        ),
        ("a quote that does not end", with("\"Model::A\"", "\"Model::A"), Some(InvalidFbx)),
        ("another version", with("FBXVersion: 7400", "FBXVersion: 999999"), None),
        (
            "a type of inheritance that there is not",
            with(
                "\"InheritType\", \"enum\", \"\", \"\",1",
                "\"InheritType\", \"enum\", \"\", \"\",99",
            ),
            None,
        ),
        (
            "a rotation without end",
            with("0.0,0.0,30.0", "1e999,0.0,30.0"),
            Some(ErrorCode::ValuesOverflow),
        ),
        ("a unit of nothing", with("\"\",100.0", "\"\",0.0"), None),
        ("a unit below nothing", with("\"\",100.0", "\"\",-5.0"), None),
        (
            "axes that are none",
            with(
                "\"UpAxis\", \"int\", \"Integer\", \"\",1",
                "\"UpAxis\", \"int\", \"Integer\", \"\",0",
            ),
            None,
        ),
        (
            "bytes that are no text",
            [good_text().as_bytes(), &[0xff; 64]].concat(),
            Some(InvalidFbx),
        ),
        (
            "a megabyte of braces",
            [good_text().as_bytes(), "a: {".repeat(1 << 18).as_bytes()].concat(),
            Some(InvalidFbx),
        ),
        (
            "a long array of a name that nobody knows",
            [
                good_text().as_bytes(),
                b"A: *9000000 { a: ",
                "1,".repeat(9_000_000).as_bytes(),
                b"1 }",
            ]
            .concat(),
            None,
        ),
    ]
}

#[test]
fn each_broken_file_has_its_code() {
    let all: Vec<_> = binary().into_iter().chain(of_text()).collect();
    assert!(all.len() >= 40);
    let mut wrong = Vec::new();
    for (name, bytes, expected) in all {
        let found = code(&bytes);
        if found != expected {
            wrong.push(format!("{name}: {found:?} and not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every cut of a file, and every byte of it changed.
#[test]
fn no_cut_and_no_byte_makes_it_panic() {
    for bytes in [good(), good_text().into_bytes()] {
        for len in (0..bytes.len()).step_by(3) {
            code(&bytes[..len]);
        }
        for place in (0..bytes.len()).step_by(7) {
            for with in [0, 0x7f, 0xff] {
                let mut broken = bytes.clone();
                broken[place] = with;
                code(&broken);
            }
        }
    }
}

/// A chain of nodes, each below the one before.
fn chain(count: usize) -> Vec<u8> {
    let mut text =
        "; FBX 7.4.0 project file\nFBXHeaderExtension: {\nFBXVersion: 7400\n}\nObjects: {\n"
            .to_owned();
    let mut connections = String::new();
    for id in 1..=count {
        text.push_str(&format!("Model: {id}, \"Model::\", \"Null\" {{\n}}\n"));
        connections.push_str(&format!("C: \"OO\",{id},{}\n", id - 1));
    }
    format!("{text}}}\nConnections: {{\n{connections}}}\n").into_bytes()
}

#[test]
fn nodes_hang_as_deep_as_they_may() {
    let limits = MemoryLimit::default();
    assert_eq!(convert(&chain(120_000), &limits).unwrap_err().code, ErrorCode::FbxTooDeep);
    let deep = convert(&chain(20_000), &limits).unwrap().scene("deep").unwrap();
    assert_eq!(compare(&deep).unwrap().summary.max_depth, 19_999);
}
