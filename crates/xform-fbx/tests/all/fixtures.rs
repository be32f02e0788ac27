//! Cameras and lights of a file: they point along the axes that FBX gives them.

use xform_compare::{audit::Role, compare};
use xform_fbx::{Converted, MemoryLimit, convert};
use xform_scene::{FixtureKind, Scene};

use crate::{
    support::{named, read},
    text::{Fbx, Model},
};

/// A camera or a light below a bar that is three times as long along y, turned about z there.
fn file(attribute: &str) -> Fbx {
    let mut fbx = Fbx::default();
    let bar = fbx.add(&Model { name: "Bar", scale: [1.0, 3.0, 1.0], ..Model::default() });
    let turned = fbx.add(&Model {
        name: "It",
        parent: Some(bar),
        rotation: [0.0, 0.0, TURN],
        has_cube: false,
        ..Model::default()
    });
    let (kind, properties) = attribute.split_once(' ').unwrap_or((attribute, ""));
    let text = format!(
        "\tNodeAttribute: 9000, \"NodeAttribute::\", \"{kind}\" {{\n\t\tTypeFlags: \"{kind}\"\n\t\tProperties70:  {{\n{properties}\t\t}}\n\t}}\n"
    );
    fbx.object(9000, &text, 1000 + turned);
    fbx
}

const TURN: f64 = 40.0;

fn light(kind: usize) -> String {
    format!("Light \t\t\tP: \"LightType\", \"enum\", \"\", \"\",{kind}\n")
}

fn turned(scene: &Scene) -> (Role, Option<f64>) {
    let audit = compare(scene).unwrap();
    let node = &audit.nodes[named(scene, "It")];
    assert!(!node.counts);
    (node.role, node.turned_degrees)
}

#[test]
fn cameras_and_lights_point_where_fbx_says() {
    let tangent = TURN.to_radians().tan();
    // A camera looks along x, which turns towards y; a light shines along −y, which turns towards x.
    let by_camera = (3.0 * tangent).atan().to_degrees() - TURN;
    let by_light = TURN - (tangent / 3.0).atan().to_degrees();
    for (attribute, kind, expected) in [
        ("Camera".to_owned(), FixtureKind::Camera, Some(by_camera)),
        (light(0), FixtureKind::PointLight, None),
        (light(1), FixtureKind::DirectionalLight, Some(by_light)),
        (light(2), FixtureKind::SpotLight, Some(by_light)),
        // What is up for a surface is z, which does not turn here.
        (light(3), FixtureKind::AreaLight, Some(by_light)),
    ] {
        let fbx = file(&attribute);
        let (role, degrees) = turned(&read(&fbx));
        assert_eq!(role, Role::Fixture(kind), "{attribute}");
        assert_eq!(degrees.is_some(), expected.is_some(), "{attribute}");
        let [degrees, expected] = [degrees, expected].map(|figure| figure.unwrap_or(0.0));
        assert!((degrees - expected).abs() < 1e-9, "{attribute}: {degrees}, not {expected}");
        // From another process.
        let converted = convert(fbx.text().as_bytes(), &MemoryLimit::default()).unwrap();
        let sent = Converted::from_bytes(&converted.to_bytes()).unwrap();
        assert_eq!(turned(&sent.scene("sent").unwrap()).0, role);
    }
    assert_eq!(turned(&read(&file("Null"))).0, Role::Socket);
}
