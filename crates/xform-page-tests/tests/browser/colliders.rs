//! The lines of colliders in the view, against closed forms.

use nalgebra::Vector3;

use crate::page::{Page, Setting};

/// A ball of radius 0.5 below a scale of (2, 1, 1), beside a box that turns by a quarter below one of (1, 3, 1) in a second.
pub(crate) fn level() -> String {
    let times = "AAAAAAAAgD8";
    // From no turn to a quarter about z.
    let turns = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAA8wQ1P/MENT8";
    format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [
            {{ "name": "Ball", "translation": [1, 2, 3], "scale": [2, 1, 1],
               "extensions": {{ "OMI_physics_body": {{ "collider": {{ "shape": 0 }} }} }} }},
            {{ "name": "Stretch", "translation": [-4, 0, 0], "scale": [1, 3, 1], "children": [2] }},
            {{ "name": "Turning", "extensions": {{ "OMI_physics_body": {{ "collider": {{ "shape": 1 }} }} }} }} ],
          "extensions": {{ "OMI_physics_shape": {{ "shapes": [{{ "type": "sphere" }}, {{ "type": "box", "box": {{ "size": [1, 1, 1] }} }}] }} }},
          "animations": [{{ "name": "turn", "samplers": [{{ "input": 0, "output": 1 }}],
            "channels": [{{ "sampler": 0, "target": {{ "node": 2, "path": "rotation" }} }}] }}],
          "accessors": [
            {{ "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] }},
            {{ "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC4" }}],
          "bufferViews": [{{ "buffer": 0, "byteLength": 8 }}, {{ "buffer": 0, "byteOffset": 8, "byteLength": 32 }}],
          "buffers": [{{ "byteLength": 40, "uri": "data:application/octet-stream;base64,{}" }}] }}"#,
        joined(times, turns)
    )
}

/// The bytes of both, as base64.
fn joined(a: &str, b: &str) -> String {
    use base64::{
        Engine,
        engine::general_purpose::{STANDARD, STANDARD_NO_PAD},
    };
    let [mut all, more] = [a, b].map(|part| STANDARD_NO_PAD.decode(part).unwrap());
    all.extend(more);
    STANDARD.encode(all)
}

/// The points in the world of all lines that are seen of a node: of its collider, or of the shape as it is drawn.
fn points(page: &Page, node: usize, part: &str) -> Vec<Vector3<f64>> {
    let text = page.value(&format!(
        "look.seenWires().filter((wire) => wire.node === {node}).flatMap((wire) => [...stage.lines(wire.{part})])
           .map((number, i) => number * data.view.unit + data.view.middle[i % 3]).join(' ')"
    ));
    let numbers: Vec<f64> =
        text.as_str().unwrap().split_whitespace().map(|number| number.parse().unwrap()).collect();
    numbers.chunks_exact(3).map(Vector3::from_column_slice).collect()
}

fn choose(page: &Page, engine: i32) {
    page.run(&format!(
        "look.wires.value = {engine}; look.wires.dispatchEvent(new Event('change'));"
    ));
}

#[test]
fn the_lines_of_a_ball_are_where_each_engine_has_it() {
    let page = Page::of_colliders(
        &level(),
        &["godot-jolt", "rapier-r3/component", "godot-physics"],
        Setting::default(),
    );
    page.run("look.rest()");
    let place = Vector3::new(1.0, 2.0, 3.0);
    // Jolt takes the mean of the three scales; a component of react-three-rapier the scale along x, and its place twice.
    let (mean, along_x) = (0.5 * 4.0 / 3.0, 0.5 * 2.0);
    for (engine, radius) in [(0, mean), (1, along_x)] {
        choose(&page, engine);
        let found = points(&page, 0, "collider");
        assert!(found.len() > 200, "{}", found.len());
        let centre = found.iter().sum::<Vector3<f64>>() / found.len() as f64;
        if engine == 0 {
            assert!((centre - place).norm() < 1e-5, "{centre}");
        }
        for at in found {
            assert!(((at - centre).norm() - radius).abs() < 1e-5, "{engine}: {at}");
        }
    }
    // As it is drawn it is an ellipsoid, and GodotPhysics collides with that.
    choose(&page, 2);
    for part in ["drawn", "collider"] {
        for at in points(&page, 0, part) {
            let own = (at - place).component_div(&Vector3::new(2.0, 1.0, 1.0));
            assert!((own.norm() - 0.5).abs() < 1e-5, "{part}: {at}");
        }
    }
    choose(&page, -1);
    assert!(points(&page, 0, "collider").is_empty());
    assert_eq!(page.noticed().len(), 1, "{:?}", page.noticed());
}

/// A box on its way: at rest it is where it is drawn, and at its worst time Jolt drops its skew. At other times nothing is claimed.
#[test]
fn the_lines_of_what_moves_are_at_rest_and_at_its_worst() {
    let page = Page::of_colliders(&level(), &["godot-jolt"], Setting::default());
    page.run("look.rest()");
    let is_same = |page: &Page| {
        let [own, drawn] = ["collider", "drawn"].map(|part| points(page, 2, part));
        assert_eq!(own.len(), 24);
        own.iter().zip(&drawn).all(|(a, b)| (a - b).norm() < 1e-5)
    };
    assert!(is_same(&page));
    page.click("#colliders a[data-node='2'][data-engine='0']");
    assert_eq!(page.text("[data-tell=name]"), "Stretch/Turning");
    assert!(!is_same(&page));
    // Opposite edges of what Jolt has are perpendicular to their neighbours; what is drawn is skewed.
    let angles = |part: &str| {
        let lines: Vec<_> = points(&page, 2, part)
            .chunks_exact(2)
            .map(|ends| (ends[1] - ends[0]).normalize())
            .collect();
        let across = |a: &Vector3<f64>, b: &Vector3<f64>| a.dot(b).abs();
        let between = lines.iter().flat_map(|a| lines.iter().map(move |b| across(a, b)));
        between.filter(|cosine| *cosine < 1.0 - 1e-6).fold(0.0, f64::max)
    };
    assert!(angles("collider") < 1e-5, "{}", angles("collider"));
    assert!(angles("drawn") > 0.3, "{}", angles("drawn"));
    page.run("stage.play(0, 0.123); look.update()");
    assert!(points(&page, 2, "collider").is_empty());
    assert_eq!(page.noticed().len(), 1, "{:?}", page.noticed());
}

/// Lines are seen in every mode, with what is drawn around them.
#[test]
fn lines_are_seen_in_every_mode() {
    let page = Page::of_colliders(&level(), &["godot-jolt"], Setting::default());
    page.run("look.rest(); choose(null)");
    // Magenta, of which there is more than of anything else in such a pixel.
    let is_magenta = "(() => {
        look.drawNow();
        const { gl, canvas } = look.renderer;
        const pixels = new Uint8Array(4 * canvas.width * canvas.height);
        gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
        let count = 0;
        for (let i = 0; i < pixels.length; i += 4) if (pixels[i] > 150 && pixels[i] > 2 * pixels[i + 1] && pixels[i + 2] > 2 * pixels[i + 1]) count += 1;
        return count;
      })()";
    for mode in ["a", "b", "ghost", "apart"] {
        page.run(&format!("look.setMode('{mode}'); look.frameAll()"));
        choose(&page, 0);
        let seen = page.value(is_magenta).as_u64().unwrap();
        assert!(seen > 50, "{mode}: {seen}");
        choose(&page, -1);
        assert_eq!(page.value(is_magenta).as_u64(), Some(0), "{mode}");
    }
}

/// The axes of the selected node are seen beside a ghost, which is drawn only where it is apart.
#[test]
fn axes_are_seen_beside_a_ghost() {
    let page = Page::of_colliders(&level(), &["godot-jolt"], Setting::default());
    page.run("look.rest(); look.setMode('ghost'); choose(0); look.frameAll()");
    choose(&page, -1);
    let with = page.picture();
    page.run("choose(null)");
    assert!(with != page.picture());
}
