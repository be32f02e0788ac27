//! What the view in 3D draws, against closed forms: pixels, picking, times, modes, and the link to what is seen.

use std::f64::consts::PI;

use xform_compare::judge::Report;
use xform_scene::BuiltIn;

use crate::page::{Page, Setting};

/// A stretch by (2, 1, 1), and below it a triangle that is turned by 38° about z.
const TRIANGLE: &str = r#"{ "asset": { "version": "2.0" },
    "nodes": [
        { "name": "Parent", "scale": [2, 1, 1], "children": [1] },
        { "name": "Child", "rotation": [0, 0, 0.32556815445715664, 0.9455185755993168], "mesh": 0 }
    ],
    "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
    "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] }],
    "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
    "buffers": [{ "byteLength": 36,
        "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA" }] }"#;

/// Its corners by matrices, S · R · p, and by combined TRS, R · S · p.
fn corners() -> [[[f64; 3]; 3]; 2] {
    let (sine, cosine) = (38.0 * PI / 180.0).sin_cos();
    let turned = |[x, y]: [f64; 2]| [cosine * x - sine * y, sine * x + cosine * y];
    let local = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    let by_matrix = local.map(|at| {
        let [x, y] = turned(at);
        [2.0 * x, y, 0.0]
    });
    let by_trs = local.map(|[x, y]| {
        let [x, y] = turned([2.0 * x, y]);
        [x, y, 0.0]
    });
    [by_matrix, by_trs]
}

/// A point so far on the way from the middle of a triangle to one of its corners.
fn towards(corners: &[[f64; 3]; 3], corner: usize, part: f64) -> [f64; 3] {
    std::array::from_fn(|i| {
        let middle = corners.iter().map(|corner| corner[i]).sum::<f64>() / 3.0;
        middle + part * (corners[corner][i] - middle)
    })
}

fn is_there([.., opacity]: [u8; 4]) -> bool {
    opacity > 128
}

#[test]
fn a_triangle_is_where_each_strategy_has_it() {
    let page = Page::of_file(TRIANGLE);
    page.run("choose(null)");
    let distance = 3.0;
    for (mode, corners) in ["a", "b"].into_iter().zip(corners()) {
        page.click(&format!("input[value={mode}]"));
        page.look_along_z(distance);
        for corner in 0..3 {
            let inside = page.shown_at(distance, towards(&corners, corner, 0.93));
            let outside = page.shown_at(distance, towards(&corners, corner, 1.06));
            assert!(is_there(page.pixel(inside)), "{mode}: corner {corner} is filled");
            assert!(!is_there(page.pixel(outside)), "{mode}: beyond corner {corner} is nothing");
        }
    }
}

#[test]
fn meshes_that_are_drawn_together_are_where_each_node_has_them() {
    let other = r#""mesh": 0 }, { "name": "Other", "translation": [-0.5, -1.25, 0], "mesh": 1 }
    ]"#;
    let two = TRIANGLE.replacen("\"mesh\": 0 }\n    ]", other, 1);
    let mesh = r#"{ "primitives": [{ "attributes": { "POSITION": 0 } }] }"#;
    let page = Page::of_file(&two.replacen(mesh, &format!("{mesh}, {mesh}"), 1));
    assert_eq!(page.value("look.renderer.batches.length").as_u64(), Some(1));
    let distance = 2.5;
    let still = [[-0.5, -1.25, 0.0], [0.5, -1.25, 0.0], [-0.5, -0.25, 0.0]];
    for (mode, child) in ["a", "b"].into_iter().zip(corners()) {
        page.click(&format!("input[value={mode}]"));
        for (name, corners) in [("Parent/Child", child), ("Other", still)] {
            page.run("choose(null)");
            page.look_along_z(distance);
            for corner in 0..3 {
                let inside = page.shown_at(distance, towards(&corners, corner, 0.93));
                let outside = page.shown_at(distance, towards(&corners, corner, 1.06));
                assert!(is_there(page.pixel(inside)), "{mode}: corner {corner} of {name}");
                assert!(!is_there(page.pixel(outside)), "{mode}: beyond corner {corner} of {name}");
            }
            page.click_view(page.shown_at(distance, towards(&corners, 0, 0.2)));
            assert_eq!(page.text("[data-tell=name]"), name);
        }
    }
}

#[test]
fn the_ghost_is_where_the_other_show_is_and_colours_say_how_far() {
    let page = Page::of_file(TRIANGLE);
    page.run("choose(null)");
    let distance = 3.0;
    let [by_matrix, by_trs] = corners();
    page.click("input[value=ghost]");
    page.look_along_z(distance);
    // The corner on the turned x axis is moved, and its neighbourhood belongs to one of the two alone.
    let [r, g, b, opacity] = page.pixel(page.shown_at(distance, towards(&by_trs, 1, 0.93)));
    assert!(r > g && g > b && opacity > 80 && opacity < 200, "a ghost: {r} {g} {b} {opacity}");
    let [r, g, b, opacity] = page.pixel(page.shown_at(distance, towards(&by_matrix, 1, 0.93)));
    assert!(opacity == 255 && r.abs_diff(b) < 30 && r.abs_diff(g) < 30, "solid: {r} {g} {b}");
    page.click("input[value=apart]");
    page.look_along_z(distance);
    let near = page.pixel(page.shown_at(distance, towards(&by_matrix, 0, 0.93)));
    let far = page.pixel(page.shown_at(distance, towards(&by_matrix, 1, 0.93)));
    assert!(near[2] > near[0], "what stays is dark blue: {near:?}");
    assert!(
        far[0] > far[2] && u16::from(far[0]) > 2 * u16::from(near[0]),
        "what moves most is yellow: {far:?}"
    );
    assert!(page.text("[data-legend] output").ends_with("% of the scene"));
}

#[test]
fn a_skinned_hand_is_where_the_closed_form_has_it_at_three_times() {
    let report = Report::of_built_in(BuiltIn::named("arm").unwrap(), &[]).unwrap();
    let page = Page::open(&report, Setting::default());
    page.run("choose(null)");
    let distance = 4.0;
    let (stretch, bend) = (1.4, 100.0 * PI / 180.0);
    let samples = report.playback.animations[0].seconds.iter();
    let at_first: Vec<f64> = samples.copied().filter(|&seconds| seconds <= 1.0).collect();
    for part in [2, 4, 1].map(|part| at_first.len() * part / 5) {
        let seconds = at_first[part];
        page.run(&format!("look.seek(0, {seconds})"));
        let shown = page.value("stage.moment.seconds").as_f64().unwrap();
        assert!((shown - seconds).abs() < 1e-8, "{shown} {seconds}");
        // The middle of the hand, 1.2 from the elbow, which is 1 from the shoulder.
        let (sine, cosine) = (bend * seconds).sin_cos();
        let by_matrix = [stretch + stretch * cosine * 1.2, sine * 1.2, 0.0];
        let by_trs = [stretch + stretch * 1.2 * cosine, stretch * 1.2 * sine, 0.0];
        let tip = 1.52 / 1.2;
        let beyond = |hand: [f64; 3]| [stretch + (hand[0] - stretch) * tip, hand[1] * tip, 0.0];
        for (mode, hand) in [("a", by_matrix), ("b", by_trs)] {
            page.click(&format!("input[value={mode}]"));
            page.look_along_z(distance);
            let there = page.pixel(page.shown_at(distance, hand));
            let beyond = page.pixel(page.shown_at(distance, beyond(hand)));
            assert!(is_there(there), "{mode} at {seconds} s: the hand");
            assert!(!is_there(beyond), "{mode} at {seconds} s: beyond the tip");
        }
    }
}

#[test]
fn a_click_selects_what_is_there_wherever_it_is_listed() {
    let page = Page::of_file(TRIANGLE);
    page.look_along_z(3.0);
    let [by_matrix, _] = corners();
    page.click_view([-0.95, -0.95]);
    assert_eq!(page.text("[data-tell=name]"), "nothing");
    page.click_view(page.shown_at(3.0, towards(&by_matrix, 0, 0.2)));
    assert_eq!(page.text("[data-tell=name]"), "Parent/Child");
    assert!(page.text("[role=treeitem][aria-selected=true]").starts_with("Child"));
    assert_eq!(page.count(".card.chosen"), 1);
    page.press("canvas", "Escape");
    assert_eq!(page.text("[data-tell=name]"), "nothing");
    assert_eq!(page.count(".card.chosen"), 0);
    page.click("header a.named");
    assert_eq!(page.text("[data-tell=name]"), "Parent");
    assert!(page.text("[role=treeitem][aria-selected=true]").ends_with("cause"));
    page.click("#worst a[data-node='1']");
    assert_eq!(page.text("[data-tell=name]"), "Parent/Child");
}

#[test]
fn scrubbing_shows_the_librarys_figures() {
    let report = Report::of_built_in(BuiltIn::named("arm").unwrap(), &[]).unwrap();
    let page = Page::open(&report, Setting::default());
    let played = &report.playback.animations[0];
    let figures = played.figures.iter().find(|figures| figures.node == 0).unwrap();
    for sample in [3, played.seconds.len() / 2, played.seconds.len() - 4] {
        let seconds = played.seconds[sample];
        page.run(&format!(
            "const bar = document.querySelector('[data-time=seconds]');
             bar.value = {seconds} + 1e-4; bar.dispatchEvent(new Event('input'));"
        ));
        let shown: f64 = page.text("[data-tell=displacement]").parse().unwrap();
        let expected = figures.apart[0][sample].displacement.unwrap();
        assert!((shown - expected).abs() <= 1e-5 * expected, "{seconds}: {shown} {expected}");
        assert_eq!(page.text("[data-time=told]"), format!("{seconds:.2} s"));
    }
    page.click("[data-do=before]");
    assert_eq!(page.value("stage.moment.seconds").as_f64(), Some(1.0), "the key in the middle");
    page.run(
        "const rest = document.querySelector('[data-time=animation]');
              rest.value = -1; rest.dispatchEvent(new Event('change'));",
    );
    assert_eq!(page.text("[data-tell=displacement]"), "0");
    assert_eq!(page.text("[data-time=told]"), "at rest");
}

#[test]
fn a_click_into_a_chart_shows_that_moment() {
    let report = Report::of_built_in(BuiltIn::named("arm").unwrap(), &[]).unwrap();
    let page = Page::open(&report, Setting::default());
    page.run(
        "const svg = document.querySelector('svg[data-timeline]');
         const [, from, to, left, right] = svg.dataset.timeline.split(',').map(Number);
         const box = svg.getBoundingClientRect();
         const x = box.left + (left + 0.75 * (right - left)) / svg.viewBox.baseVal.width * box.width;
         svg.dispatchEvent(new MouseEvent('click', { clientX: x, clientY: box.top + 20, bubbles: true }));",
    );
    let seconds = page.value("stage.moment.seconds").as_f64().unwrap();
    assert!((seconds - 1.5).abs() < 0.04, "{seconds}");
    assert!(
        page.value("document.querySelector('.cursor').getAttribute('d')")
            .as_str()
            .unwrap()
            .starts_with('M')
    );
}

#[test]
fn a_link_shows_what_was_seen() {
    let page = Page::of_file(TRIANGLE);
    page.click("input[value=b]");
    page.click("#worst a[data-node='1']");
    page.press("canvas", "ArrowLeft");
    page.value("new Promise((done) => setTimeout(done, 500))");
    let hash = page.value("location.hash");
    let camera = page.value("look.camera.toText()");
    let picture = page.picture();
    page.run(
        "look.camera.turn(1, 0.3); look.setMode('a'); look.select(null); look.hasMoved = false;",
    );
    assert!(page.picture() != picture);
    page.run(&format!("history.replaceState(null, '', '#'); location.hash = {hash}"));
    page.value("new Promise((done) => setTimeout(done, 100))");
    assert_eq!(page.value("look.camera.toText()"), camera);
    assert_eq!(page.value("look.mode").as_str(), Some("b"));
    assert_eq!(page.text("[data-tell=name]"), "Parent/Child");
}

#[test]
fn a_lost_context_is_told_and_comes_back() {
    let page = Page::of_file(TRIANGLE);
    let before = page.picture();
    page.run(
        "window.loss = look.renderer.gl.getExtension('WEBGL_lose_context'); loss.loseContext();",
    );
    // The graphics process reports both, in its own time.
    let trouble = "document.querySelector('[data-trouble]').textContent";
    page.until(&format!("{trouble}.startsWith('The graphics context was lost')"));
    page.run("loss.restoreContext();");
    page.until(&format!("{trouble} === ''"));
    page.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    assert!(page.picture() == before);
}
