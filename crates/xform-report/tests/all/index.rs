//! The page that lists many scenes.

use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use xform_compare::{
    audit::{EngineChoice, Problem},
    compare, compare_engines,
};
use xform_core::Trs;
use xform_engines::Engine;
use xform_matrix::AccumulatedMatrix;
use xform_report::{IndexEntry, write_index};
use xform_scene::{BuiltIn, LocalPose, Node, Scene};

use crate::formats::{golden, moving, written};

#[test]
fn an_index_has_the_worst_first_and_its_names_are_names() {
    let flat = Scene::new("<script>.glb", vec![Node::new(None, Trs::identity())]);
    let mut entries = vec![IndexEntry::new(&compare(&flat).unwrap(), "a b/#1%41.html")];
    entries.extend(
        [golden(), moving()]
            .iter()
            .flat_map(|audit| &audit.scenes)
            .map(|scene| IndexEntry::new(scene, "page.html")),
    );
    let errors = [Problem::new("x", "json", "", "<b>.glb: it is \"bad\"")];
    let index = written(|out| write_index(&entries, &errors, out));
    let places = ["levels", "moving.gltf", "piston", "skewed-child", "&#60;script&#62;.glb"];
    let places = places.map(|scene| index.find(&format!(">{scene}</a>")).expect(scene));
    assert!(places.is_sorted(), "{places:?}");
    assert!(index.contains("<a href=\"a%20b/%231%2541.html\">&#60;script&#62;.glb</a>"));
    let row = index.lines().find(|line| line.contains("moving.gltf")).unwrap();
    assert!(row.contains("<td>2 of 3</td>"), "what looks different in motion alone counts: {row}");
    assert!(row.contains("<td>animation-not-sampled</td>"), "{row}");
    assert!(index.contains("<li>&#60;b&#62;.glb: it is &#34;bad&#34;</li>"));
    assert!(index.contains("<strong>No.</strong> 4 of 5 scenes look different"));
    assert!(index.contains("4 severe, 0 visible, 0 negligible, 1 identical; 1 not audited."));
    assert!(!index.contains("<script") && index.contains("default-src 'none'"));

    let one = written(|out| write_index(&entries[..1], &[], out));
    assert!(one.contains("class=\"verdict identical\">0 of 1 scene looks different"), "{one}");
    assert!(!one.contains("Not audited") && !one.contains("not audited"));
}

/// A child that is turned below a mirror: OGRE combines the two in another way than the others do.
fn mirrored() -> Scene {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 45.0_f64.to_radians());
    let mirror = Trs::from_scale(Vector3::new(-1.0, 1.0, 1.0));
    let nodes = vec![Node::new(None, mirror), Node::new(Some(0), Trs::from_rotation(turn))];
    Scene::new("mirrored.gltf", nodes)
}

#[test]
fn an_index_says_of_engines_what_the_pages_say() {
    let index = |engines: &EngineChoice| {
        let audit = compare_engines(&mirrored(), engines).unwrap();
        written(|out| write_index(&[IndexEntry::new(&audit, "page.html")], &[], out))
    };
    let usual = index(&EngineChoice::usual());
    let question = "the same in three.js, Babylon.js, Godot, Unity, Unreal and Blender?";
    assert!(usual.contains(question), "{usual}");
    assert!(usual.contains("verdict identical\">0 of 1 scene looks different:"), "{usual}");
    assert!(usual.contains("<td>0 of 2</td>"), "{usual}");
    // Of the file: a reference is among those that are shown.
    let beside = EngineChoice::named(vec![Engine::named("godot").unwrap()], Engine::named("ogre"));
    let beside = index(&beside);
    assert!(
        beside.contains("<h1>Do these scenes look the same in Godot and OGRE?</h1>"),
        "{beside}"
    );
    let named = |names: &[&str]| {
        let engines = names.iter().map(|name| Engine::named(name).unwrap()).collect();
        index(&EngineChoice::named(engines, None))
    };
    let one = named(&["ogre"]);
    assert!(one.contains("<h1>Do these scenes look in OGRE as their files say?</h1>"), "{one}");
    assert!(one.contains("<strong>No.</strong> 1 of 1 scene looks different:"), "{one}");
    let two = named(&["ogre", "godot"]);
    assert!(two.contains("<h1>Do these scenes look the same in Godot and OGRE?</h1>"), "{two}");
    assert!(two.contains("<td>1 of 2</td>"), "{two}");
}

#[test]
fn a_row_has_the_figures_between_engines_and_those_that_nobody_sees_are_not_counted() {
    let row = |far: f64| {
        let mut scene = BuiltIn::named("skewed-child").unwrap().scene(&[]).unwrap();
        scene.nodes.push(Node::new(None, Trs::from_translation(Vector3::x() * far)));
        let audit = compare_engines(&scene, &EngineChoice::usual()).unwrap();
        let index = written(|out| write_index(&[IndexEntry::new(&audit, "page.html")], &[], out));
        index.lines().find(|line| line.contains("page.html")).unwrap().to_owned()
    };
    // By matrices the skew is 36.04° and in Unreal none; the shift is 0.4353.
    let near = row(0.0);
    assert!(near.contains("<td>36</td><td>1 of 3</td>"), "{near}");
    let far = row(1000.0);
    assert!(far.contains("<td>0.0435</td><td>36</td>"), "{far}");
    let farther = row(1e5);
    assert!(
        farther.contains("negligible</td><td>0.000435</td><td>36</td><td>0 of 3</td>"),
        "{farther}"
    );
}

#[test]
fn engines_of_which_nothing_is_known_are_asked_about_too() {
    let sheared = Matrix4::new(
        1.0, 0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    );
    let matrix = AccumulatedMatrix::from_matrix(sheared).unwrap();
    let scene = Scene::new("sheared.gltf", vec![Node::new(None, LocalPose::Matrix(matrix))]);
    let index = |engines: [&str; 2]| {
        let engines = engines.map(|name| Engine::named(name).unwrap());
        let audit = compare_engines(&scene, &EngineChoice::named(engines.into(), None)).unwrap();
        written(|out| write_index(&[IndexEntry::new(&audit, "page.html")], &[], out))
    };
    let unknown = index(["realitykit", "godot"]);
    let question = "<h1>Do these scenes look the same in Godot and RealityKit?</h1>";
    assert!(unknown.contains(question), "{unknown}");
    assert!(unknown.contains("0 negligible, 1 identical. Not all is known of 1 of these."));
    assert!(unknown.contains("identical, not all is known</td>") && !unknown.contains("<strong>"));
    assert!(!index(["three", "godot"]).contains("not all is known"));
}
