//! FBX files on the command line.

use std::fs;

use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::program::{names, stderr, stdout, xform};

/// A stretch above a turn, of an inherit type.
fn arm(scale: &str, inherit: u8) -> String {
    let model = |id: usize, name: &str, properties: &str| {
        format!(
            "\tModel: {id}, \"Model::{name}\", \"Mesh\" {{\n\t\tProperties70:  {{\n{properties}\t\t}}\n\t}}\n"
        )
    };
    let mesh = |id: usize| {
        format!(
            "\tGeometry: {id}, \"Geometry::\", \"Mesh\" {{\n\t\tVertices: *9 {{\n\t\t\ta: 0,0,0,1,0,0,0,1,0\n\t\t}}\n\
             \t\tPolygonVertexIndex: *3 {{\n\t\t\ta: 0,1,-3\n\t\t}}\n\t}}\n"
        )
    };
    let above = model(
        1,
        "Arm",
        &format!("\t\t\tP: \"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",{scale}\n"),
    );
    let below = model(
        2,
        "Hand",
        &format!(
            "\t\t\tP: \"InheritType\", \"enum\", \"\", \"\",{inherit}\n\
             \t\t\tP: \"Lcl Rotation\", \"Lcl Rotation\", \"\", \"A\",0,0,38\n"
        ),
    );
    format!(
        "; FBX 7.4.0 project file\nFBXHeaderExtension:  {{\n\tFBXVersion: 7400\n}}\nObjects:  {{\n{above}{below}{}{}}}\n\
         Connections:  {{\n\tC: \"OO\",1,0\n\tC: \"OO\",2,1\n\tC: \"OO\",3,1\n\tC: \"OO\",4,2\n}}\n",
        mesh(3),
        mesh(4)
    )
}

const NON_UNIFORM: &str = "2,1,1";
const EVEN: &str = "2,2,2";

fn folder(files: &[(&str, String)]) -> TempDir {
    let folder = tempdir().unwrap();
    files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
    folder
}

#[test]
fn an_fbx_file_is_audited_as_any_other() {
    let folder = folder(&[("arm.fbx", arm(NON_UNIFORM, 1)), ("even.FBX", arm(EVEN, 1))]);
    let audit = xform(folder.path(), &["audit", "arm.fbx"]);
    let told = stdout(&audit);
    assert!(told.contains("Severe in Unreal"), "{told}{}", stderr(&audit));
    assert!(
        told.contains("As the FBX file defines it, 1 node is sheared, by up to 36.04°."),
        "{told}"
    );
    assert!(
        xform(folder.path(), &["audit", "even.FBX", "--fail-on", "negligible"]).status.success()
    );
    let limited = xform(folder.path(), &["audit", ".", "--fail-on", "visible"]);
    assert_eq!(limited.status.code(), Some(1));
    let diff = xform(folder.path(), &["diff", "even.FBX", "arm.fbx"]);
    assert_eq!(diff.status.code(), Some(1), "{}", stderr(&diff));
    for format in ["json", "csv", "markdown", "sarif"] {
        let output = xform(folder.path(), &["audit", "arm.fbx", "--format", format]);
        assert!(output.status.success() && stdout(&output).contains("Hand"), "{format}");
    }
    let report = xform(folder.path(), &["report", "arm.fbx"]);
    assert!(report.status.success(), "{}", stderr(&report));
    let page = fs::read_to_string(folder.path().join("xform-report.html")).unwrap();
    assert!(page.contains("Hand") && page.contains("Unreal"));
    // It is not repaired, so nobody is told to.
    assert!(!page.contains("xform fix") && !told.contains("xform fix"));
}

#[test]
fn an_inherit_type_that_makes_no_difference_leaves_nothing_unknown() {
    for kind in [0, 2] {
        let folder = folder(&[("arm.fbx", arm("1,1,1", kind))]);
        let audit = xform(folder.path(), &["audit", "--fail-on", "visible", "arm.fbx"]);
        let same =
            "The scene looks the same in three.js, Babylon.js, Godot, Unity*, Unreal* and Blender.";
        assert!(stdout(&audit).contains(same), "{}", stdout(&audit));
        assert!(audit.status.success(), "{}", stderr(&audit));
    }
}

#[test]
fn engines_that_ignore_the_inherit_type_are_told() {
    let folder = folder(&[("arm.fbx", arm(NON_UNIFORM, 2))]);
    let told = stdout(&xform(folder.path(), &["audit", "arm.fbx"])).to_owned();
    assert!(
        told.contains("No engine with a known result shows what the FBX file defines."),
        "{told}"
    );
    assert!(told.contains("Severe in Unity* and Blender"), "{told}");
    assert!(told.contains("how they handle an InheritType other than RSrs is unknown"), "{told}");
    assert!(xform(folder.path(), &["report", "arm.fbx"]).status.success());
    let page = fs::read_to_string(folder.path().join("xform-report.html")).unwrap();
    assert!(page.contains(" in three.js, Unity and Blender than in the FBX file."));
    assert!(page.contains(">what the FBX file defines</option>") && !page.contains("glTF viewers"));
    let gate =
        ["audit", "arm.fbx", "--engine", "blender", "--engine", "maya", "--fail-on", "visible"];
    assert_eq!(xform(folder.path(), &gate).status.code(), Some(1));
    // They show the same, and not what the file says.
    let alike = ["audit", "arm.fbx", "--engine", "assimp", "--fail-on", "visible"];
    assert_eq!(xform(folder.path(), &alike).status.code(), Some(1));
    let alike = [&alike[..], &["--reference", "blender"]].concat();
    assert_eq!(xform(folder.path(), &alike).status.code(), Some(0));
}

#[test]
fn a_repair_of_fbx_is_refused_with_a_way() {
    let folder = folder(&[("arm.fbx", arm(NON_UNIFORM, 1))]);
    let output = xform(folder.path(), &["fix", "arm.fbx", "-o", "out.glb"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("xform fix repairs only glTF; export it as glTF first"));
    assert_eq!(names(folder.path()), ["arm.fbx"]);
    // No report takes the place of an asset.
    let output = xform(folder.path(), &["audit", "arm.fbx", "-o", "arm.fbx"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

/// A thousand good files and ten that are none: each has its row, and the bad ones stop nothing.
#[test]
fn a_folder_with_broken_files_is_audited_to_the_end() {
    let folder = tempdir().unwrap();
    let whole = arm(NON_UNIFORM, 1);
    for place in 0..1000 {
        fs::write(folder.path().join(format!("{place:04}.fbx")), &whole).unwrap();
    }
    for place in 0..10 {
        let mut broken = whole[..whole.len() - 20 * (place + 5)].to_owned();
        broken.push_str(&"{ a: \"".repeat(1 + 1000 * place));
        fs::write(folder.path().join(format!("{:04}-broken.fbx", 100 * place)), broken).unwrap();
    }
    let output = xform(folder.path(), &["audit", ".", "--format", "jsonl"]);
    let rows = stdout(&output).lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rows: Vec<_> = rows.collect();
    let count = |kind: &str| rows.iter().filter(|row| row["row"] == kind).count();
    assert_eq!((count("file"), count("error")), (1000, 10), "{}", stderr(&output));
    assert!(
        rows.iter().filter(|row| row["row"] == "error").all(|row| row["code"] == "invalid-fbx")
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn fbx_comes_through_standard_input_too() {
    use std::{
        io::Write,
        process::{Command, Stdio},
    };

    let mut child = Command::new(env!("CARGO_BIN_EXE_xform"))
        .args(["audit", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(arm(NON_UNIFORM, 1).as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(stdout(&output).contains("Severe in Unreal"));
}
