//! What a page embeds for its view in 3D is what the scene has, within what it is rounded to.

use std::{f64::consts::PI, iter};

use nalgebra::{Matrix4, Point3, Vector3};
use proptest::{collection::vec, prelude::*};
use serde_json::Value;
use xform_cases::properties;
use xform_compare::{compare, judge::Report};
use xform_core::{Transform, Trs};
use xform_scene::{
    Bounds, BuiltIn, Drawing, Node, Scene,
    drawing::{MeshPart, PartKind, ShownMesh, Undrawn},
};

use crate::support::read_page::{ReadPage, count, number};

fn about_z(degrees: f64) -> nalgebra::UnitQuaternion<f64> {
    nalgebra::UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians())
}

/// A turned child below a stretch, which shows these meshes in turn.
fn scene(meshes: Vec<Result<Vec<MeshPart>, Undrawn>>) -> Scene {
    let child = Trs::from_rotation(about_z(30.0)).with_translation(Vector3::new(3.0, 1.0, 0.0));
    let mut nodes = vec![
        Node::new(None, Trs::from_scale(Vector3::new(2.0, 1.0, 1.0))).with_bounds(Bounds::Origin),
    ];
    nodes.extend(meshes.iter().map(|_| Node::new(Some(0), child)));
    let shown = (0..meshes.len()).map(|mesh| ShownMesh {
        node: mesh + 1,
        mesh,
        joints: None,
        weights: Vec::new(),
    });
    let mut scene = Scene::new("meshes", nodes);
    scene.drawing = Drawing::default();
    scene.drawing.shown = shown.collect();
    scene.drawing.meshes = meshes;
    scene
}

fn page(scene: &Scene) -> ReadPage {
    ReadPage::of(&Report::of_scene(scene).unwrap())
}

/// A sheet of so many squares on each side.
fn sheet(squares: u32) -> MeshPart {
    let mut part = MeshPart::default();
    for y in 0..=squares {
        for x in 0..=squares {
            let [x, y] = [x, y].map(|at| f32::from(u16::try_from(at).unwrap()));
            part.positions.push([x, y, (x * y).sin()]);
        }
    }
    for y in 0..squares {
        for x in 0..squares {
            let a = y * (squares + 1) + x;
            let b = a + squares + 1;
            part.indices.extend([a, a + 1, b, b, a + 1, b + 1]);
        }
    }
    part
}

/// Whether what is read of an octahedron's fold is a direction, to its steps.
fn unfolded(bytes: &[u8]) -> Vector3<f64> {
    let [x, y] = [0, 1].map(|i| f64::from(i8::from_le_bytes([bytes[i]])) / 127.0);
    let z = 1.0 - x.abs() - y.abs();
    let sign = |value: f64| if value < 0.0 { -1.0 } else { 1.0 };
    let (x, y) =
        if z < 0.0 { ((1.0 - y.abs()) * sign(x), (1.0 - x.abs()) * sign(y)) } else { (x, y) };
    Vector3::new(x, y, z).normalize()
}

properties! {
    #![cases(24)]

    #[test]
    fn triangles_come_back_corner_by_corner(
        corners in vec((vec(-100.0_f32..100.0, 3), vec(-1.0_f32..1.0, 3)), 1..40),
        indices in vec(0..1000_u32, 3..90),
        target in vec(0.1_f32..5.0, 3),
    ) {
        let len = u32::try_from(corners.len()).unwrap();
        let triple = |numbers: &[f32]| [numbers[0], numbers[1], numbers[2]];
        let mut part = MeshPart {
            kind: PartKind::Triangles,
            colour: [0.5, 0.25, 1.0, 1.0],
            positions: corners.iter().map(|(at, _)| triple(at)).collect(),
            normals: corners.iter().map(|(_, normal)| triple(normal)).collect(),
            indices: indices.iter().map(|index| index % len).collect(),
            targets: vec![Vec::new(), vec![triple(&target); corners.len()]],
            ..MeshPart::default()
        };
        part.indices.truncate(part.indices.len() / 3 * 3);
        let page = page(&scene(vec![Ok(vec![part.clone()])]));
        let [embedded] = &page.view["parts"].as_array().unwrap()[..] else { panic!("one") };
        let (places, found) = (page.positions(embedded), page.indices(embedded));
        prop_assert_eq!(found.len(), part.indices.len());
        let normals = page.octets(&embedded["normals"], 2 * places.len());
        let moved = page.shorts(&embedded["targets"][1]["at"], 3 * places.len());
        let scale = number(&embedded["targets"][1]["scale"]) / 32_767.0;
        prop_assert!(embedded["targets"][0].is_null());
        for (&own, &found) in part.indices.iter().zip(&found) {
            for i in 0..3 {
                let size = number(&embedded["size"][i]);
                let off = places[found][i] - f64::from(part.positions[own as usize][i]);
                // A step, and the digits of single precision.
                prop_assert!(off.abs() <= size / 65_535.0 + 2e-5, "{}", off);
                let moved = f64::from(moved[3 * found + i]) * scale;
                prop_assert!((moved - f64::from(target[i])).abs() < 5.0 / 32_767.0);
            }
            let normal = Vector3::from(part.normals[own as usize].map(f64::from));
            if normal.norm() > 1e-3 {
                let angle = unfolded(&normals[2 * found..]).angle(&normal);
                prop_assert!(angle < 0.03, "{}", angle);
            }
        }
    }

    #[test]
    fn weights_add_up_and_joints_are_the_heaviest(weights in vec(0.0_f32..1.0, 1..12)) {
        let sum: f32 = weights.iter().sum();
        prop_assume!(sum > 0.01);
        let follows: Vec<_> = (0..300).step_by(40).zip(weights.iter().map(|weight| weight / sum)).collect();
        let total: f32 = follows.iter().map(|(_, weight)| weight).sum();
        let follows: Vec<(u32, f32)> = follows.iter().map(|(joint, by)| (*joint, by / total)).collect();
        let mut part = sheet(1);
        part.follows = vec![follows.clone(); 4];
        let page = page(&scene(vec![Ok(vec![part])]));
        let embedded = &page.view["parts"][0]["follows"];
        let each = count(&embedded["each"]);
        let joints: Vec<u32> = if embedded["is_wide"].as_bool().unwrap() { page.words(&embedded["joints"], each).into_iter().map(u32::from).collect() } else { page.octets(&embedded["joints"], each).into_iter().map(u32::from).collect() };
        let parts = page.octets(&embedded["weights"], each);
        prop_assert_eq!(parts.iter().map(|&part| u32::from(part)).sum::<u32>(), 255);
        for (joint, weight) in follows {
            let place = joints.iter().zip(&parts).position(|(&own, &part)| own == joint && part > 0);
            let found = place.map_or(0.0, |place| f32::from(parts[place]) / 255.0);
            // Rounding each of twelve by half a step, the heaviest takes what is left.
            prop_assert!((found - weight).abs() <= 6.0 / 255.0, "{}: {} {}", joint, found, weight);
        }
    }
}

#[test]
fn what_looks_the_same_is_one_vertex() {
    let mut part = sheet(1);
    let doubled: Vec<_> = part.indices.iter().map(|&i| part.positions[i as usize]).collect();
    part.positions = doubled;
    part.indices = (0..6).collect();
    let page = page(&scene(vec![Ok(vec![part])]));
    assert_eq!(count(&page.view["parts"][0]["vertices"]), 4);
}

#[test]
fn what_is_too_much_becomes_boxes_the_largest_first_and_what_differs_last() {
    // The root shows the largest and does not differ.
    let mut scene = scene([4, 40, 10].map(|squares| Ok(vec![sheet(squares)])).to_vec());
    scene.drawing.shown[1].node = 0;
    let report = |budget: u64| {
        let mut report = Report::of_scene(&scene).unwrap();
        report.mesh_budget = budget;
        report
    };
    let shown = |budget: u64| {
        let page = ReadPage::of(&report(budget));
        let mut shown: Vec<_> =
            page.view["shown"].as_array().unwrap().iter().map(|one| count(&one["place"])).collect();
        let nodes = page.view["nodes"].as_array().unwrap();
        shown.iter_mut().for_each(|place| *place = count(&nodes[*place]));
        (shown, page.html)
    };
    let all = shown(5_000_000).0;
    assert_eq!(all, [1, 0, 3]);
    assert_eq!(shown(10_000).0, [1, 3], "the largest, which does not differ");
    let (left, html) = shown(1000);
    assert_eq!(left, [1]);
    assert!(html.contains(
        "2 meshes are shown as boxes or by their joints: with them, the meshes would exceed 0.001 MB."
    ));
    assert!(shown(0).0.is_empty());
}

#[test]
fn why_a_mesh_is_a_box_is_said_once_for_each_reason() {
    let lost = || Err(Undrawn { why: "it has no POSITION".to_owned() });
    let page = page(&scene(vec![lost(), Ok(vec![sheet(1)]), lost()]));
    assert!(
        page.html.contains("2 meshes are shown as boxes or by their joints: it has no POSITION.")
    );
    assert_eq!(page.view["shown"].as_array().unwrap().len(), 1);
}

/// The world matrix of a node in the page, of a show at rest.
fn at_rest(page: &ReadPage, show: usize, node: usize) -> Matrix4<f64> {
    let view = &page.view;
    let nodes = view["nodes"].as_array().unwrap();
    let place = nodes.iter().position(|own| count(own) == node).unwrap();
    let of_show = |show: usize| {
        let places = view["shows"][show]["places"].as_array();
        let row = match places {
            Some(places) => places.iter().position(|own| count(own) == place)?,
            None => place,
        };
        let len = places.map_or(nodes.len(), Vec::len);
        let all = page.floats(&view["shows"][show]["worlds"], 12 * len);
        Some(all[12 * row..12 * row + 12].to_vec())
    };
    absolute(view, &of_show(show).or_else(|| of_show(0)).unwrap())
}

/// A world matrix in units of the scene, from one in sizes of it around its middle.
fn absolute(view: &Value, rows: &[f32]) -> Matrix4<f64> {
    let (unit, middle) = (number(&view["unit"]), &view["middle"]);
    let rows: Vec<f64> = rows.iter().map(|entry| f64::from(*entry) * unit).collect();
    Matrix4::from_fn(|row, column| match (row, column) {
        (3, 3) => 1.0,
        (3, _) => 0.0,
        (_, 3) => rows[4 * row + 3] + number(&middle[row]),
        _ => rows[4 * row + column],
    })
}

#[test]
fn world_transforms_at_rest_are_the_audits() {
    let scene = scene(vec![Ok(vec![sheet(1)])]);
    let (page, audit) = (page(&scene), compare(&scene).unwrap());
    for node in &audit.nodes {
        let expected = [*node.by_matrix.matrix(), node.by_trs.to_homogeneous()];
        for (show, expected) in expected.into_iter().enumerate() {
            let off = (at_rest(&page, show, node.index) - expected).amax();
            assert!(off < 1e-6, "{off}");
        }
    }
}

/// What the page has of a node at a sample of its only animation, in a show.
fn played(page: &ReadPage, show: usize, node: usize, sample: usize) -> Matrix4<f64> {
    let view = &page.view;
    let place =
        view["nodes"].as_array().unwrap().iter().position(|own| count(own) == node).unwrap();
    let of_show = |show: usize| {
        let worlds = &view["animations"][0]["worlds"][show];
        let nodes = worlds["nodes"].as_array().unwrap();
        let row = nodes.iter().position(|own| count(own) == place)?;
        let samples = view["animations"][0]["seconds"].as_array().unwrap().len();
        let steps = page.shorts(&worlds["steps"], 12 * nodes.len() * samples);
        let range = page.floats(&worlds["ranges"], 5 * nodes.len())[5 * row..5 * row + 5].to_vec();
        let steps = &steps[12 * (sample * nodes.len() + row)..][..12];
        let entry = |i: usize| {
            let part = f32::from(steps[i]) / 32_767.0;
            if i % 4 == 3 { range[i / 4] + range[3] * (part + 1.0) / 2.0 } else { range[4] * part }
        };
        Some((0..12).map(entry).collect::<Vec<_>>())
    };
    absolute(view, &of_show(show).or_else(|| of_show(0)).unwrap())
}

/// The hand of the built-in arm in closed form: by matrices, and by combined TRS. The elbow is 1 from the shoulder and the
/// wrist 0.9 from it; a stretch by `s` of the upper arm, the elbow turned by `t`.
fn hand(s: f64, t: f64) -> [Point3<f64>; 2] {
    let (sine, cosine) = (t.sin(), t.cos());
    [
        Point3::new(s + s * cosine * 0.9, sine * 0.9, 0.0),
        Point3::new(s + s * 0.9 * cosine, s * 0.9 * sine, 0.0),
    ]
}

#[test]
fn a_played_arm_is_where_the_closed_form_has_it() {
    let built_in = BuiltIn::named("arm").unwrap();
    let settings = [("stretch".to_owned(), 1.6), ("bend".to_owned(), 120.0)];
    let report = Report::of_built_in(built_in, &settings).unwrap();
    let page = ReadPage::of(&report);
    let animation = &page.view["animations"][0];
    let seconds = animation["seconds"].as_array().unwrap();
    assert!(seconds.len() > 20);
    let share = number(&page.view["unit"]) / 30_000.0;
    for (sample, seconds) in seconds.iter().map(number).enumerate() {
        let turn = (1.0 - (seconds - 1.0).abs()) * 120.0 * PI / 180.0;
        for (show, expected) in hand(1.6, turn).into_iter().enumerate() {
            let found = played(&page, show, 3, sample).transform_point(&Point3::origin());
            assert!((found - expected).norm() < 2.0 * share, "{seconds}: {found} {expected}");
        }
    }
    // At the worst time there is a sample, and its figure is the audit's.
    let worst = &report.audit.at_worst[0];
    let sample =
        seconds.iter().position(|time| (number(time) - worst.seconds).abs() < 1e-8).unwrap();
    let figured = animation["figured"].as_array().unwrap();
    let row = figured.iter().position(|node| count(node) == worst.node.index).unwrap();
    let all = page.floats(&animation["displacement"], figured.len() * seconds.len());
    let found = f64::from(all[row * seconds.len() + sample]);
    assert!((found - worst.node.displacement.unwrap()).abs() < 1e-6 * found);
}

#[test]
fn figures_of_every_sample_are_those_of_the_scene_posed_so() {
    let built_in = BuiltIn::named("arm").unwrap();
    let (scene, report) =
        (built_in.scene(&[]).unwrap(), Report::of_built_in(built_in, &[]).unwrap());
    let [played] = &report.playback.animations[..] else { panic!("one") };
    assert!(played.is_keyframe.iter().filter(|is_keyframe| **is_keyframe).count() == 3);
    for (sample, &seconds) in played.seconds.iter().enumerate().step_by(7) {
        let posed = compare(&scene.posed(0, seconds)).unwrap();
        for figures in &played.figures {
            let node = &posed.nodes[figures.node];
            let apart = figures.apart[0][sample];
            let [found, expected] = [apart.displacement, node.displacement];
            assert_eq!(found.is_some(), expected.is_some());
            for (found, expected) in iter::zip(found, expected) {
                assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
            let skew = node.skew_difference_degrees;
            for (found, expected) in iter::zip(apart.skew_difference_degrees, skew) {
                assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
        }
    }
}

#[test]
fn the_page_opens_with_the_reference_as_the_first_card_shows_it() {
    let mut scene = scene(vec![Ok(vec![sheet(3)])]);
    // What a picture is about has a size.
    scene.nodes[1] = scene.nodes[1]
        .clone()
        .with_bounds(Bounds::Box(Point3::origin(), Point3::new(3.0, 3.0, 1.0)));
    let html = page(&scene).html;
    let images: Vec<_> = html.split("href=\"data:image/png;base64,").skip(1).collect();
    let images: Vec<_> = images.iter().map(|rest| rest.split('"').next().unwrap()).collect();
    // On top, then in the card the reference, and the engines that differ.
    let [opening, reference, other] = images[..] else { panic!("{} images", images.len()) };
    assert!(opening == reference && reference != other);
}
