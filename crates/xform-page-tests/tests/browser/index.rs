//! The index of many scenes: what is chosen, and in which order it comes.

use std::fs::File;

use nalgebra::{UnitQuaternion, Vector3};
use serde_json::Value;
use xform_compare::{audit::EngineChoice, compare_engines};
use xform_core::Trs;
use xform_report::{IndexEntry, write_index};
use xform_scene::{Node, Scene};

use crate::page::{Page, Setting};

/// More than are shown at once. The tenth of each ten stretches by its number, and belongs to Anna.
const SCENES: usize = 250;

fn entry(number: usize) -> IndexEntry {
    let stretch = if number % 10 == 9 { 1.0 + number as f64 } else { 1.0 };
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.7);
    let nodes = vec![
        Node::new(None, Trs::from_scale(Vector3::new(stretch, 1.0, 1.0))),
        Node::new(Some(0), Trs::from_rotation(turn)),
        Node::new(Some(1), Trs::from_translation(Vector3::x())),
    ];
    let scene = Scene::new(format!("asset-{number}.glb"), nodes);
    let audit = compare_engines(&scene, &EngineChoice::usual()).unwrap();
    let owner = if number % 10 == 9 { "Anna" } else { "Ben" };
    IndexEntry::new(&audit).with_owner(Some(owner.to_owned()))
}

pub(crate) fn index(setting: Setting) -> (Page, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("index.html");
    let entries: Vec<_> = (0..SCENES).map(entry).collect();
    write_index(&entries, &[], &mut File::create(&file).unwrap()).unwrap();
    (Page::at(&file, setting), folder)
}

/// The names of the rows that are shown, in order.
fn shown(page: &Page) -> Vec<String> {
    let rows = "[...document.querySelectorAll('tbody tr')].filter((row) => row.offsetParent)";
    let names = page
        .value(&format!("JSON.stringify({rows}.map((row) => row.cells[0].textContent.trim()))"));
    serde_json::from_str(names.as_str().unwrap()).unwrap()
}

fn search(page: &Page, text: &str) {
    page.run(&format!(
        "const search = document.querySelector('#search'); search.value = {text:?}; search.dispatchEvent(new Event('input'))"
    ));
}

#[test]
fn rows_are_chosen_searched_and_sorted() {
    let (page, _folder) = index(Setting::default());
    assert_eq!(shown(&page).len(), 100);
    // The worst first.
    assert_eq!(shown(&page)[0], "asset-249.glb");
    page.click("#more");
    assert_eq!(shown(&page).len(), 200);
    page.click("#more");
    assert_eq!(
        (shown(&page).len(), page.value("document.querySelector('#more').hidden")),
        (SCENES, Value::Bool(true))
    );

    page.click("[data-filter=engine][data-value=unreal]");
    assert_eq!(page.text("#shown"), "25 of 250 scenes");
    let ben = "[data-filter=owner][data-value=Ben]";
    assert_eq!(page.text(&format!("{ben} small")), "0");
    page.click(ben);
    assert_eq!(shown(&page), [""; 0]);
    assert_eq!(page.text("#shown"), "No scene matches.");
    page.click("[data-filter=owner][data-value=Anna]");
    // Either owner, and different in Unreal.
    assert_eq!(shown(&page).len(), 25);
    search(&page, "asset-9 anna");
    assert_eq!(shown(&page), ["asset-99.glb", "asset-9.glb"]);
    // By name, with numbers as numbers; then the other way around.
    page.click("thead th:first-child button");
    assert_eq!(shown(&page), ["asset-9.glb", "asset-99.glb"]);
    page.click("thead th:first-child button");
    assert_eq!(shown(&page), ["asset-99.glb", "asset-9.glb"]);
    assert_eq!(page.value("document.querySelector('thead th').ariaSort"), "descending");
    page.click("#clear");
    assert_eq!((shown(&page).len(), &*shown(&page)[0]), (100, "asset-249.glb"));
    let noticed = page.noticed();
    assert_eq!(noticed.len(), 1, "{noticed:?}");
}

#[test]
fn a_link_keeps_what_was_chosen() {
    let (page, folder) = index(Setting::default());
    page.click("[data-filter=grade][data-value=severe]");
    search(&page, "19");
    page.click("thead th:nth-child(3) button");
    let chosen = shown(&page);
    assert!(!chosen.is_empty());
    let hash = page.value("location.hash");
    let again = Page::at(
        &folder.path().join(format!("index.html{}", hash.as_str().unwrap())),
        Setting::default(),
    );
    assert_eq!(shown(&again), chosen);
    assert_eq!(again.value("document.querySelector('#search').value"), "19");
}

#[test]
fn an_index_fits_a_phone_and_can_be_read_without_scripts() {
    let (page, _folder) = index(Setting { width: 390, height: 844, ..Setting::default() });
    assert_eq!(page.value("document.documentElement.scrollWidth").as_u64(), Some(390));
    let (page, _folder) = index(Setting { has_scripts: false, ..Setting::default() });
    assert_eq!(shown(&page).len(), SCENES);
    assert_eq!(page.value("document.querySelector('.filters').offsetParent"), Value::Null);
}
