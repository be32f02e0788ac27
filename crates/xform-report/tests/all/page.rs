//! The page as it was when somebody looked at it: its words, tables, charts and what its script is given.

use insta::assert_snapshot;
use xform_compare::judge::Report;
use xform_report::write_html;
use xform_scene::{BuiltIn, Scene, read_gltf};

/// The page of a scene without its style and script, and without the strategies in general, which are measured in `f32`
/// by the best kernel of the processor. An element a line, and a value a line of the data.
fn page(scene: &Scene) -> String {
    let mut page = Vec::new();
    write_html(&Report::of_scene(scene).unwrap(), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let body = page.split_once("<body>").unwrap().1;
    let (body, data) =
        body.split_once("<script type=\"application/json\" id=\"xform-data\">").unwrap();
    let data = data.split_once("</script>").unwrap().0;
    let (specific, _) = body.split_once("<details id=\"charts\">").unwrap_or((body, ""));
    format!("{}\n\n{}\n", specific.replace("><", ">\n<"), data.replace(",\"", ",\n\""))
}

#[test]
fn a_page_is_as_it_was() {
    let piston = BuiltIn::named("piston").unwrap().scene(&[]).unwrap();
    assert_snapshot!("piston", page(&piston));
    let file = |text: &str, name| read_gltf(text.as_bytes(), name).unwrap();
    assert_snapshot!("moving", page(&file(include_str!("../scenes/moving.gltf"), "moving.gltf")));
    assert_snapshot!("odd", page(&file(include_str!("../scenes/odd.gltf"), "odd.gltf")));
}
