//! The page that lists many scenes.

use std::collections::HashMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use scraper::{ElementRef, Html, Selector};
use sha2::{Digest, Sha256};
use xform_compare::{
    audit::{EngineChoice, Problem},
    compare, compare_engines,
    judge::Report,
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
    let mut entries = vec![IndexEntry::new(&compare(&flat).unwrap()).with_page("a b/#1%41.html")];
    entries.extend(
        [golden(), moving()]
            .iter()
            .flat_map(|audit| &audit.scenes)
            .map(|scene| IndexEntry::new(scene).with_page("page.html")),
    );
    let errors = [Problem::new("x", "json", "", "<b>.glb: it is \"bad\"")];
    let index = written(|out| write_index(&entries, &errors, out));
    let places = ["levels", "moving.gltf", "piston", "skewed-child", "&#60;script&#62;.glb"];
    let places = places.map(|scene| index.find(&format!(">{scene}</a>")).expect(scene));
    assert!(places.is_sorted(), "{places:?}");
    assert!(index.contains("<a href=\"a%20b/%231%2541.html\">&#60;script&#62;.glb</a>"));
    let row = row(&index, "moving.gltf");
    assert_eq!(row["nodes that look different"], "2 of 3", "in motion alone counts: {row:?}");
    assert_eq!(row["warnings"], "animation-not-sampled");
    assert!(index.contains("<li>&#60;b&#62;.glb: it is &#34;bad&#34;</li>"));
    assert!(index.contains("<strong>No.</strong> 4 of 5 scenes look different"));
    assert!(index.contains("4 severe, 0 visible, 0 negligible, 1 identical; 1 not audited."));
    assert_eq!(index.matches("<script").count(), 1);
    assert!(index.contains("default-src 'none'"));

    let one = written(|out| write_index(&entries[..1], &[], out));
    assert!(one.contains("class=\"verdict identical\">0 of 1 scene looks different"), "{one}");
    assert!(!one.contains("Not audited") && !one.contains("not audited"));
}

/// The cells of the row of a scene, by their headings.
pub(crate) fn row(index: &str, scene: &str) -> HashMap<String, String> {
    let page = Html::parse_document(index);
    let select = |selector: &str| Selector::parse(selector).unwrap();
    let text = |element: ElementRef<'_>| element.text().collect::<String>();
    let headings: Vec<_> = page.select(&select("#scenes thead th")).map(text).collect();
    let is_of = |row: &ElementRef<'_>| text(*row).contains(scene);
    let row = page.select(&select("#scenes tbody tr")).find(is_of).expect(scene);
    let cells: Vec<_> = row.select(&select("td")).collect();
    assert_eq!(cells.len(), headings.len());
    for (cell, heading) in cells.iter().zip(&headings).skip(1) {
        assert_eq!(cell.attr("data-label"), Some(&**heading));
    }
    headings.into_iter().zip(cells.into_iter().map(text)).collect()
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
        written(|out| write_index(&[IndexEntry::new(&audit).with_page("page.html")], &[], out))
    };
    let usual = index(&EngineChoice::usual());
    let question = "the same in three.js, Babylon.js, Godot, Unity, Unreal and Blender?";
    assert!(usual.contains(question), "{usual}");
    assert!(usual.contains("verdict identical\">0 of 1 scene looks different:"), "{usual}");
    assert_eq!(row(&usual, "mirrored.gltf")["nodes that look different"], "0 of 2");
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
    assert!(
        one.contains("<h1>Do these scenes look in OGRE as their files define them?</h1>"),
        "{one}"
    );
    assert!(one.contains("<strong>No.</strong> 1 of 1 scene looks different:"), "{one}");
    let two = named(&["ogre", "godot"]);
    assert!(two.contains("<h1>Do these scenes look the same in Godot and OGRE?</h1>"), "{two}");
    let two = row(&two, "mirrored.gltf");
    assert_eq!(two["nodes that look different"], "1 of 2");
    assert_eq!((&*two["different in"], &*two["cause"]), ("OGRE", "mirrored scale"));
}

#[test]
fn a_row_has_the_figures_between_engines_and_those_that_nobody_sees_are_not_counted() {
    let figures = |far: f64| {
        let mut scene = BuiltIn::named("skewed-child").unwrap().scene(&[]).unwrap();
        scene.nodes.push(Node::new(None, Trs::from_translation(Vector3::x() * far)));
        let audit = compare_engines(&scene, &EngineChoice::usual()).unwrap();
        let index =
            written(|out| write_index(&[IndexEntry::new(&audit).with_page("page.html")], &[], out));
        let row = row(&index, "skewed-child");
        let cells = ["grade", "% of scene", "skew °", "nodes that look different"];
        cells.map(|heading| row[heading].clone())
    };
    // By matrices the skew is 36.04° and in Unreal none; the shift is 0.4353.
    assert_eq!(figures(0.0)[2..], ["36", "1 of 3"]);
    assert_eq!(figures(1000.0)[1..3], ["0.0435", "36"]);
    assert_eq!(figures(1e5), ["negligible", "0.000435", "36", "0 of 3"]);
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
        written(|out| write_index(&[IndexEntry::new(&audit).with_page("page.html")], &[], out))
    };
    let unknown = index(["realitykit", "godot"]);
    let question = "<h1>Do these scenes look the same in Godot and RealityKit?</h1>";
    assert!(unknown.contains(question), "{unknown}");
    assert!(unknown.contains("0 negligible, 1 identical. 1 of these could not be fully judged."));
    assert!(unknown.contains("identical, not fully judged</td>") && !unknown.contains("<strong>"));
    assert!(!index(["three", "godot"]).contains("not fully judged"));
}

/// An arm that is skewed, and one below a mirror.
fn two_rows() -> [IndexEntry; 2] {
    let skewed = BuiltIn::named("skewed-child").unwrap().scene(&[]).unwrap();
    [skewed, mirrored()].map(|scene| {
        let audit = compare_engines(&scene, &EngineChoice::usual()).unwrap();
        IndexEntry::new(&audit)
    })
}

#[test]
fn rows_are_chosen_by_what_some_of_them_have() {
    let [skewed, mirrored] = two_rows();
    let entries = [skewed.with_owner(Some("Anna & \"co\"".to_owned())), mirrored];
    let index = written(|out| write_index(&entries, &[], out));
    let page = Html::parse_document(&index);
    let chips = Selector::parse("[data-filter]").unwrap();
    let chips: Vec<_> = page.select(&chips).collect();
    let told = chips.iter().map(|chip| {
        let text = chip.text().collect::<String>();
        format!("{}: {text}", chip.attr("data-filter").unwrap())
    });
    let expected = [
        "grade: severe 1",
        "grade: identical 1",
        "engine: Unreal 1",
        "cause: non-uniform scale 1",
        "repair: no 1",
        "owner: Anna & \"co\" 1",
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    // Each has so many rows as it says.
    let rows = Selector::parse("#scenes tbody tr").unwrap();
    for chip in chips {
        let [filter, value] = ["data-filter", "data-value"].map(|name| chip.attr(name).unwrap());
        let name = format!("data-{filter}");
        let has = |row: &ElementRef<'_>| {
            row.attr(&name).is_some_and(|own| own.split('\n').any(|own| own == value))
        };
        assert_eq!(page.select(&rows).filter(has).count(), 1, "{filter} {value}");
    }
    assert_eq!(row(&index, "skewed-child")["owner"], "Anna & \"co\"");
    // A scene without a page has no link, and the index says why.
    assert!(!index.contains("<a href") && index.contains("<code>xform report --all-pages</code>"));
}

#[test]
fn a_row_has_a_picture_of_the_worst_moment_where_something_looks_different() {
    let report = |scene: &str| Report::of_built_in(BuiltIn::named(scene).unwrap(), &[]).unwrap();
    let picture = |report: &Report| {
        let index = written(|out| write_index(&[IndexEntry::of_report(report)], &[], out));
        let page = Html::parse_document(&index);
        let picture = Selector::parse(".scene img, .scene svg").unwrap();
        page.select(&picture).map(|picture| picture.html()).next()
    };
    assert!(picture(&report("skewed-child")).is_some());
    let flat = Scene::new("flat.glb", vec![Node::new(None, Trs::identity())]);
    assert_eq!(picture(&Report::of_scene(&flat).unwrap()), None);
}

/// The policy of the page names its one script by its hash, so that no other runs.
#[test]
fn an_index_allows_its_own_script_alone() {
    let index = written(|out| write_index(&two_rows(), &[], out));
    let (_, rest) = index.split_once("<script>").unwrap();
    let hash = STANDARD.encode(Sha256::digest(rest.split_once("</script>").unwrap().0));
    let policy = index.split_once("script-src ").unwrap().1.split_once('"').unwrap().0;
    assert_eq!(policy, format!("'sha256-{hash}'"), "SCRIPT_HASH in html/index.rs");
}
