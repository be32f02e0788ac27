//! The pictures of docs/gallery.md, from scenes that are built in or made here.

use std::path::Path;

use xform_scene::BuiltIn;

use crate::{
    colliders::level,
    index::index,
    page::{Page, Setting, owned},
};

const SETTING: Setting =
    Setting { width: 960, height: 640, is_dark: false, has_scripts: true, has_webgl: true };

/// Writes the pictures: `cargo test -p xform-page-tests --features browser --test browser -- --ignored gallery`.
#[test]
#[ignore = "writes the pictures of docs/gallery.md"]
fn pictures_of_the_gallery() {
    let save = |page: &Page, name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gallery");
        page.save_screenshot(&folder.join(format!("{name}.png")));
    };
    for scene in ["skewed-child", "piston", "levels"] {
        save(&Page::of(scene, &[], SETTING), scene);
    }
    let arm = |bend| BuiltIn::named("arm").unwrap().scene(&owned(&[("bend", bend)])).unwrap();
    save(&Page::of_diff([arm(100.0), arm(80.0)], SETTING), "diff");
    save(&Page::of_colliders(&level(), &["godot-jolt", "unreal"], SETTING), "colliders");
    let (page, _folder) = index(SETTING);
    save(&page, "index");
}
