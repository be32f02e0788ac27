//! The page about two scenes, against closed forms.

use xform_scene::{BuiltIn, Scene};

use crate::page::{Page, Setting, owned, scene};

/// Two triangles, of which the second is at a place and has a key 1 s later at another.
fn triangles([x, y]: [f32; 2], later: f32) -> Scene {
    let keys = [0.0, 1.0, x, y, 0.0, later, y, 0.0];
    let triangle: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let bytes: Vec<u8> =
        triangle.iter().chain(&keys).flat_map(|number| number.to_le_bytes()).collect();
    let uri = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
    let file = format!(
        r#"{{ "asset": {{ "version": "2.0" }},
            "nodes": [{{ "name": "Still", "mesh": 0 }}, {{ "name": "Second", "translation": [{x}, {y}, 0], "mesh": 1 }}],
            "meshes": [{{ "primitives": [{{ "attributes": {{ "POSITION": 0 }} }}] }}, {{ "primitives": [{{ "attributes": {{ "POSITION": 0 }} }}] }}],
            "animations": [{{ "channels": [{{ "sampler": 0, "target": {{ "node": 1, "path": "translation" }} }}],
                              "samplers": [{{ "input": 1, "output": 2 }}] }}],
            "accessors": [
                {{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] }},
                {{ "bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] }},
                {{ "bufferView": 1, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "VEC3" }}],
            "bufferViews": [{{ "buffer": 0, "byteLength": 36 }}, {{ "buffer": 0, "byteOffset": 36, "byteLength": 32 }}],
            "buffers": [{{ "byteLength": 68, "uri": "data:application/octet-stream;base64,{uri}" }}] }}"#
    );
    scene(&file, "triangles.gltf")
}

/// The middle of a triangle that is at this place.
fn middle(at: [f32; 2]) -> [f64; 3] {
    let [x, y] = at.map(f64::from);
    [x + 0.3, y + 0.3, 0.0]
}

const DISTANCE: f64 = 3.0;

fn look(page: &Page, mode: &str) {
    page.click(&format!("input[value={mode}]"));
    page.run("look.select(null)");
    page.look_along_z(DISTANCE);
}

#[derive(Debug, PartialEq)]
enum Seen {
    Nothing,
    Solid,
    Ghost,
    /// In a colour of the scale from blue to yellow.
    Near,
    Far,
}

fn seen(page: &Page, at: [f64; 3]) -> Seen {
    let [r, g, b, opacity] = page.pixel(page.shown_at(DISTANCE, at));
    match opacity {
        0 => Seen::Nothing,
        1..=200 => Seen::Ghost,
        _ if r.abs_diff(b) < 30 && r.abs_diff(g) < 30 => Seen::Solid,
        _ if b > r => Seen::Near,
        _ => Seen::Far,
    }
}

#[test]
fn before_is_solid_after_is_a_ghost_and_colours_say_how_far() {
    let [before, after] = [[2.0, 0.0], [2.0, 1.5]];
    let page = Page::of_diff([triangles(before, 2.0), triangles(after, 2.0)], Setting::default());
    assert_eq!(page.noticed().len(), 1, "{:?}", page.noticed());
    page.run("look.rest()");
    use Seen::{Far, Ghost, Near, Nothing, Solid};
    for (mode, expected) in [
        ("ghost", [Solid, Solid, Ghost]),
        ("a", [Solid, Solid, Nothing]),
        ("b", [Solid, Nothing, Solid]),
        ("apart", [Near, Nothing, Far]),
    ] {
        look(&page, mode);
        let found = [[0.0, 0.0], before, after].map(|at| seen(&page, middle(at)));
        assert_eq!(found, expected, "{mode}");
    }
    assert!(page.text("[data-legend] output").ends_with("% of the scene"));
    // What is clicked is told of, in either scene.
    for (mode, at) in [("a", before), ("b", after)] {
        look(&page, mode);
        page.click_view(page.shown_at(DISTANCE, middle(at)));
        assert_eq!(page.text("[data-tell=name]"), "Second");
        assert!(
            page.text("[data-tell=told]").starts_with("moved: 1.5 units ("),
            "{}",
            page.text("[data-tell=told]")
        );
    }
    page.click_view(page.shown_at(DISTANCE, middle([0.0, 0.0])));
    assert_eq!(page.text("[data-tell=told]"), "It did not move visibly.");
}

#[test]
fn both_play_together_and_a_link_goes_to_the_worst_moment() {
    // Alike at rest and at the first key; at the second one is at x = 4, the other at x = 3.
    let at = [2.0, 0.0];
    let page = Page::of_diff([triangles(at, 4.0), triangles(at, 3.0)], Setting::default());
    page.run("look.rest()");
    look(&page, "ghost");
    assert_eq!(seen(&page, middle(at)), Seen::Solid, "a ghost in the same place is hidden");
    page.click("a[data-node]");
    assert_eq!(page.text("[data-time=told]"), "1.00 s");
    assert_eq!(page.text("[data-tell=told]").split(" (").next(), Some("moved: 1 unit"));
    look(&page, "ghost");
    let found = [[4.0, 0.0], [3.0, 0.0], at].map(|at| seen(&page, middle(at)));
    assert_eq!(found, [Seen::Solid, Seen::Ghost, Seen::Nothing]);
    // Half of the way, where it is interpolated.
    page.run("look.seek(0, 0.5)");
    look(&page, "a");
    let (before, after) = (middle([3.0, 0.0]), middle([2.4, 0.0]));
    assert_eq!([seen(&page, before), seen(&page, after)], [Seen::Solid, Seen::Nothing]);
    look(&page, "b");
    assert_eq!(seen(&page, middle([2.5, 0.0])), Seen::Solid);
}

#[test]
fn what_has_no_meshes_is_boxes() {
    let pistons =
        [1.0, 2.0].map(|k| BuiltIn::named("piston").unwrap().scene(&owned(&[("k", k)])).unwrap());
    let page = Page::of_diff(pistons, Setting::default());
    assert_eq!(page.noticed().len(), 1, "{:?}", page.noticed());
    let mut pictures: Vec<_> = ["ghost", "a", "b", "apart"]
        .map(|mode| {
            page.click(&format!("input[value={mode}]"));
            page.picture()
        })
        .into();
    pictures.sort();
    pictures.dedup();
    assert_eq!(pictures.len(), 4, "each shows something else");
}

#[test]
fn two_that_are_the_same_have_no_ghost() {
    let scene = triangles([2.0, 0.0], 3.0);
    let page = Page::of_diff([scene.clone(), scene], Setting::default());
    assert!(page.text("header").contains("The shape is the same"));
    let picture = |mode: &str| {
        page.click(&format!("input[value={mode}]"));
        page.picture()
    };
    assert_eq!(picture("ghost"), picture("a"));
    assert_eq!(page.count("a[data-node]"), 0);
}
