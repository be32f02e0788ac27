//! The page in a real browser, which has to be there: it is not skipped without one.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod accessible;
mod colliders;
mod diff;
mod gallery;
mod index;
mod page;
mod playground;
mod view;

use std::{fmt::Write, path::Path};

use nalgebra::{UnitQuaternion, Vector3};
use xform_compare::{
    Engine, SceneAudit,
    audit::EngineChoice,
    compare, compare_engines,
    judge::{Report, names},
};
use xform_core::Trs;
use xform_scene::{BuiltIn, Node, Scene};

use page::{Page, Setting, owned};

fn piston() -> Page {
    Page::of("piston", &[], Setting::default())
}

fn audit(name: &str, settings: &[(&str, f64)]) -> SceneAudit {
    compare(&BuiltIn::named(name).unwrap().scene(&owned(settings)).unwrap()).unwrap()
}

/// To the six digits that the page shows.
fn assert_shown(page: &Page, figure: &str, expected: f64) {
    let shown: f64 = page.text(&format!("[data-tell={figure}]")).parse().unwrap();
    assert!((shown - expected).abs() <= 1e-5 * expected.abs(), "{figure}: {shown}, not {expected}");
}

/// The numbers of a vector as the page shows it.
fn vector(page: &Page, name: &str) -> Vec<f64> {
    let text = page.text(&format!("[data-tell={name}]"));
    let numbers = text.trim_matches(['(', ')']).split(", ");
    numbers.map(|number| number.parse().unwrap()).collect()
}

#[test]
fn the_page_opens_without_an_error_and_asks_nothing_of_the_network() {
    for scene in ["arm", "piston", "skewed-child", "levels", "tree"] {
        let page = Page::of(scene, &[], Setting::default());
        let noticed = page.noticed();
        assert_eq!(noticed.len(), 1, "{scene}: {noticed:?}");
        assert!(noticed[0].starts_with("file://"), "{noticed:?}");
    }
}

/// Where one engine alone is asked about, there is nobody to compare it with.
#[test]
fn one_engine_is_compared_with_nobody() {
    let scene = BuiltIn::named("skewed-child").unwrap().scene(&[]).unwrap();
    let choice = EngineChoice::named(vec![Engine::named("godot").unwrap()], None);
    let audit = compare_engines(&scene, &choice).unwrap();
    let page = Page::open(&Report::of_audit(&scene, audit), Setting::default());
    assert_eq!(page.value("data.view.shows.length").as_u64(), Some(1));
    let seen = page.value(
        "[...document.querySelectorAll('input[name=mode]')].filter((mode) => mode.offsetParent).length",
    );
    assert_eq!(seen.as_u64(), Some(1));
}

#[test]
fn the_slider_moves_the_piston_and_the_figures_are_the_librarys() {
    let page = piston();
    page.click("a[data-node='2']");
    let values = page.value("data.view.sliders[0].values.length").as_u64().unwrap();
    let mut pictures = Vec::new();
    for position in [0, usize::try_from(values).unwrap() / 2, usize::try_from(values).unwrap() - 1]
    {
        page.slide("k", position);
        let k: f64 = page.text("#look .slider output").parse().unwrap();
        let node = &audit("piston", &[("k", k)]).nodes[2];
        assert_shown(&page, "displacement", node.displacement.unwrap());
        let verdict = page.text(".verdict");
        assert!(
            k == 1.0 || verdict.starts_with("Severe. 2 of 3 nodes look different"),
            "{verdict}"
        );
        assert!(page.text("[data-first]").contains(&format!("scales X by {k}")), "{k}");
        assert!(page.text("[data-poses]").contains(&format!("({k}, 1, 1)")), "{k}");
        assert_eq!(page.count("#worst img"), 2);
        let by_trs = node.by_trs.to_trs().to_homogeneous();
        for (strategy, world) in [("a", node.by_matrix.matrix()), ("b", &by_trs)] {
            for (axis, column) in "xyzo".chars().zip(world.column_iter()) {
                let shown = vector(&page, &format!("{strategy}-{axis}"));
                for (shown, expected) in shown.iter().zip(&column) {
                    assert!((shown - expected).abs() <= 1e-5, "{strategy}-{axis} at {k}: {shown}");
                }
            }
        }
        pictures.push(page.picture());
    }
    assert!(pictures[0] != pictures[1] && pictures[1] != pictures[2]);
}

#[test]
fn two_sliders_move_the_skewed_child() {
    let page = Page::of("skewed-child", &[], Setting::default());
    assert_shown(&page, "skew", 36.0442);
    assert_shown(&page, "displacement", 0.435338);
    page.slide("s", 5);
    page.slide("theta", 20);
    let set =
        |i: usize| page.value(&format!("document.querySelectorAll('.slider output')[{i}].value"));
    let set = |i: usize| set(i).as_str().unwrap().parse::<f64>().unwrap();
    let node = &audit("skewed-child", &[("s", set(0)), ("theta", set(1))]).nodes[1];
    assert_shown(&page, "skew", node.skew_degrees.unwrap());
    assert_shown(&page, "displacement", node.displacement.unwrap());
}

#[test]
fn golden_figures_are_in_the_data_to_the_last_digit() {
    let page = piston();
    let frame = "data.view.frames[data.view.sliders[0].values.indexOf(2)]";
    let displacement = page.value(&format!("{frame}.displacement[stage.place.get(2)]"));
    assert_eq!(displacement.as_f64(), audit("piston", &[]).nodes[2].displacement);
    assert!((displacement.as_f64().unwrap() - 2.5_f64.sqrt()).abs() < 1e-15);
    // In the file of the source, by matrices and by combined TRS.
    assert_eq!(
        (vector(&page, "a-o"), vector(&page, "b-o")),
        (vec![5.0, 3.0, 4.5], vec![4.0, 3.0, 4.5])
    );

    let page = Page::of("skewed-child", &[], Setting::default());
    let frame = "data.view.frames[data.view.sliders[0].values.indexOf(2) * data.view.sliders[1].values.length
                 + data.view.sliders[1].values.indexOf(38)]";
    for (figure, golden, digit) in [("skew", 36.0442, 1e-4), ("displacement", 0.435338, 1e-6)] {
        let found = page.value(&format!("{frame}.{figure}[stage.place.get(1)]")).as_f64().unwrap();
        assert!((found - golden).abs() <= digit / 2.0, "{figure}: {found}");
    }

    let page = Page::of("levels", &[], Setting::default());
    for (level, golden) in [(1, 36.87), (2, 43.15), (3, 13.19), (4, 7.35)] {
        page.run(&format!("choose({level})"));
        assert!((page.text("[data-tell=skew]").parse::<f64>().unwrap() - golden).abs() <= 0.005);
    }
}

#[test]
fn the_view_turns_and_zooms_by_keyboard() {
    let page = piston();
    let at_first = page.picture();
    page.press("canvas", "ArrowLeft");
    let turned = page.picture();
    page.press("canvas", "+");
    let nearer = page.picture();
    assert!(at_first != turned && turned != nearer);
    page.press("canvas", "-");
    page.press("canvas", "ArrowRight");
    let distance = || page.value("look.camera.distance").as_f64().unwrap();
    let before = distance();
    page.press("canvas", "+");
    page.click("[data-do=all]");
    assert!((distance() / before - 1.0).abs() < 1e-3, "all is framed again");
}

#[test]
fn search_finds_a_node_and_enter_picks_it_out() {
    let page = Page::of("levels", &[("n", 40.0)], Setting::default());
    let search = "const field = document.querySelector('input[type=search]');
                  field.value = 'LEVEL 17'; field.dispatchEvent(new Event('input'));";
    page.run(search);
    assert_eq!(
        page.text("#tree [role=treeitem]").split(' ').take(2).collect::<Vec<_>>(),
        ["Level", "17"]
    );
    assert_eq!(page.count("[role=treeitem]"), 1);
    page.press("[role=tree]", "Enter");
    assert!(page.text("[data-tell=name]").ends_with("Level 17"));
}

#[test]
fn without_scripts_the_verdict_the_pictures_and_the_tables_are_there() {
    let page = Page::of("piston", &[], Setting { has_scripts: false, ..Setting::default() });
    assert!(page.text(".verdict").contains("2 of 3 nodes look different"));
    page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
    assert!(page.text("#ranked tbody").contains("Root/A/B"));
    let visible = |selector: &str| {
        page.value(&format!("document.querySelector({selector:?}).offsetHeight")).as_u64().unwrap()
    };
    assert!(visible("#worst") > 200 && visible("#ranked") > 50 && visible("#charts") > 20);
    let picture =
        page.value("document.querySelector('#worst .picture').getBoundingClientRect().height");
    assert!(picture.as_f64().unwrap() > 100.0);
    assert_eq!(visible("#look"), 0);
    assert!(page.text("#worst").contains("What can be done"));
}

#[test]
fn without_webgl_the_figures_still_follow_the_slider() {
    let page = Page::of("piston", &[], Setting { has_webgl: false, ..Setting::default() });
    let trouble = page.text("[data-trouble]");
    assert!(
        trouble.starts_with("The 3D view is not available: this browser has no WebGL 2."),
        "{trouble}"
    );
    page.slide("k", 0);
    let node = &audit("piston", &[("k", 0.25)]).nodes[2];
    assert_shown(&page, "displacement", node.displacement.unwrap());
    let shown =
        page.value("[...document.querySelectorAll('.gl')].some((control) => control.offsetHeight)");
    assert_eq!(shown.as_bool(), Some(false));
}

#[test]
fn motion_has_charts_over_time_and_pictures_at_its_worst() {
    let moving = include_str!("../../../xform-report/tests/scenes/moving.gltf");
    let page = Page::of_file(moving);
    assert_eq!(page.value("document.querySelectorAll('#motion .strips svg polyline').length"), 2);
    let href =
        "document.querySelector('#motion a[download^=skew]').href.split(',').slice(1).join()";
    let csv = page.value(&format!("decodeURIComponent({href})"));
    let rows: Vec<Vec<f64>> = csv.as_str().unwrap().lines().skip(1).map(numbers).collect();
    let worst = rows.iter().max_by(|a, b| a[1].total_cmp(&b[1])).unwrap();
    // A quarter turn in 2 s below a stretch by 2: asin(3/5) halfway.
    assert!(worst[0] == 1.0 && (worst[1] - 0.6_f64.asin().to_degrees()).abs() < 1e-9, "{worst:?}");
    // One cause has one card, with a picture of the worst; the other node is named there.
    assert_eq!(page.value("document.querySelectorAll('#motion .card svg .face').length"), 12);
    assert_eq!(page.value("document.querySelectorAll('#motion .card details li').length"), 1);
    assert!(page.text("#motion .card p").starts_with("At its worst, 2 s into \"turn\": "));
    page.click("#motion a[data-node='2']");
    assert_eq!(page.text("[data-tell=name]"), "stretched/turned/leaf");
}

fn numbers(row: &str) -> Vec<f64> {
    row.split(',').map(|cell| cell.parse().unwrap()).collect()
}

#[test]
fn a_hostile_scene_executes_nothing() {
    let names = [
        "<script>window.hit = 1</script>",
        "</script><script>window.hit = 2</script>",
        "<img src=x onerror='window.hit = 3'>",
        "\\\" onmouseover=\\\"window.hit = 4",
        "`${window.hit = 5}`",
        "<!--<script>",
        "\\u2028window.hit = 6",
    ];
    let mut nodes = String::new();
    for (i, name) in names.iter().enumerate() {
        write!(nodes, r#"{{ "name": "{name}", "children": [{}], "scale": [2, 1, 1] }},"#, i + 1)
            .unwrap();
    }
    nodes += r#"{ "name": "end", "rotation": [0, 0, 0.6, 0.8] }"#;
    let scene = format!(r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{nodes}] }}"#);
    let page = Page::of_file(&scene);
    assert_eq!(page.value("typeof window.hit").as_str(), Some("undefined"));
    assert_eq!(page.noticed().len(), 1, "{:?}", page.noticed());
    assert_eq!(page.value("data.names[0]").as_str(), Some(names[0]));
    assert_eq!(page.value("document.querySelectorAll('script').length").as_u64(), Some(3));
    assert_eq!(page.value("document.querySelectorAll('img').length").as_u64(), Some(0));
}

#[test]
fn fifty_thousand_nodes_are_a_small_page_with_few_elements() {
    // Without what draws: software takes seconds for as many boxes.
    let setting = Setting { has_webgl: false, ..Setting::default() };
    let page = Page::of("random", &[("nodes", 50_000.0)], setting);
    let size = page.value("document.documentElement.outerHTML.length").as_u64().unwrap();
    assert!(size < 12_000_000, "{size} bytes");
    let elements = || page.value("document.querySelectorAll('*').length").as_u64().unwrap();
    assert!(elements() < 10_000, "{} elements", elements());
    let before = page.value("document.querySelector('#ranked').rows.length").as_u64().unwrap();
    page.run("document.querySelector('#more').click()");
    assert_eq!(
        page.value("document.querySelector('#ranked').rows.length").as_u64(),
        Some(before + 100)
    );
    page.run("document.querySelector('[role=tree]').scrollTop = 1e6");
    page.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    let first = page.value("Number(document.querySelector('[role=treeitem]').dataset.position)");
    assert!(first.as_u64().unwrap() > 30_000);
    assert!(elements() < 12_000);
    // What a frame takes besides drawing.
    let script = page.value(
        "(() => { const start = performance.now(); for (let i = 0; i < 20; i += 1) look.shown();
         return (performance.now() - start) / 20; })()",
    );
    assert!(script.as_f64().unwrap() < 100.0, "{script} ms");
}

#[test]
fn a_phone_has_nothing_to_scroll_sideways() {
    for scene in ["arm", "piston", "skewed-child"] {
        let setting = Setting { width: 390, height: 800, ..Setting::default() };
        let page = Page::of(scene, &[], setting);
        let width = page.value("document.documentElement.scrollWidth").as_u64().unwrap();
        assert!(width <= 390, "{scene}: {width}");
    }
}

/// Pictures for people: `XFORM_SCREENSHOTS=folder cargo test … -- --ignored`.
#[test]
#[ignore = "writes pictures to be looked at"]
fn screenshots() {
    let folder = std::env::var_os("XFORM_SCREENSHOTS").expect("XFORM_SCREENSHOTS names a folder");
    for (name, width, is_dark) in [
        ("light", 1100, false),
        ("dark", 1100, true),
        ("phone", 390, false),
        ("phone-dark", 390, true),
    ] {
        let setting = Setting { width, height: 900, is_dark, ..Setting::default() };
        let page = Page::of("arm", &[], setting);
        page.save_screenshot(&Path::new(&folder).join(format!("{name}.png")));
    }
}

/// A stretched arm, whose hand Unreal and OGRE show otherwise than three.js, and a mirrored one, whose hand OGRE alone does.
#[test]
fn the_choice_of_engines_changes_cards_table_and_tree_together() {
    let about_z = |degrees: f64| UnitQuaternion::from_euler_angles(0.0, 0.0, degrees.to_radians());
    let scale = |x: f64, y: f64| Trs::from_scale(Vector3::new(x, y, 1.0));
    let hand = Trs::from_parts(Vector3::x(), about_z(40.0), Vector3::repeat(1.0));
    let nodes = vec![
        Node::new(None, scale(2.0, 1.0)).with_name("Stretched"),
        Node::new(Some(0), hand).with_name("StretchedHand"),
        Node::new(None, scale(1.0, -1.0)).with_name("Mirrored"),
        Node::new(Some(2), hand).with_name("MirroredHand"),
    ];
    let scene = Scene::new("arms.glb", nodes);
    let engines = ["three", "unreal", "ogre"].map(|id| Engine::named(id).unwrap()).to_vec();
    let audit = compare_engines(&scene, &EngineChoice::named(engines, None)).unwrap();
    let groups: Vec<_> = audit.engines.groups.iter().map(|group| names(&group.engines)).collect();
    assert_eq!(groups, ["three.js", "Unreal", "OGRE"]);
    let page = Page::open(&Report::of_audit(&scene, audit), Setting::default());
    let cards = || {
        let shown = "[...document.querySelectorAll('#worst article')].filter((card) => card.checkVisibility()).map((card) => card.dataset.card).sort().join()";
        page.value(shown).as_str().unwrap().to_owned()
    };
    let table = || {
        let rows = "[...document.querySelectorAll('#ranked tbody tr')].map((row) => [0, 1, 2].map((i) => row.cells[i].textContent).join(' ')).sort().join('; ')";
        page.value(rows).as_str().unwrap().to_owned()
    };
    let marked = || {
        page.click("#tree input[type=checkbox]");
        let rows = "[...document.querySelectorAll('#tree .severe')].map((row) => row.dataset.node).sort().join()";
        let found = page.value(rows).as_str().unwrap().to_owned();
        page.click("#tree input[type=checkbox]");
        found
    };
    let pick = |show: usize| {
        let choice = "document.querySelectorAll('select[data-show]')[1]";
        page.run(&format!(
            "const choice = {choice}; choice.value = {show}; choice.dispatchEvent(new Event('change'));"
        ));
    };
    let of_all = (cards(), table(), marked());
    assert_eq!((&*of_all.0, &*of_all.2), ("1,3", "1,3"), "{of_all:?}");
    pick(1);
    assert_eq!((&*cards(), &*marked()), ("1", "1"));
    assert_eq!(table(), "Stretched/StretchedHand [1] severe Unreal");
    assert!(
        page.text("[data-chosen]").starts_with("Everything below compares three.js with Unreal.")
    );
    pick(2);
    assert_eq!((&*cards(), &*marked()), ("1,3", "1,3"));
    let both = "Mirrored/MirroredHand [3] severe OGRE; Stretched/StretchedHand [1] severe OGRE";
    assert_eq!(table(), both);
    page.click("[data-chosen] button");
    assert_eq!((cards(), table(), marked()), of_all);
    assert_eq!(page.noticed().len(), 1, "{:?}", page.noticed());
}
