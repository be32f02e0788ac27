//! The words and pictures of the page, of figures that are given.

use nalgebra::{Point3, UnitQuaternion, Vector3};
use serde_json::{Value, json};
use xform_compare::{
    Audit,
    audit::Problem,
    compare,
    judge::{RepairOutcome, Report},
};
use xform_core::Trs;
use xform_matrix::AccumulatedMatrix;
use xform_report::{IndexEntry, TextStyle, write_html, write_index, write_text};
use xform_scene::{
    Animation, Bounds, BuiltIn, LocalPose, Node, Scene,
    animation::{Channel, Curve, Interpolation, Track},
};

use crate::support::skinned::{file, read};

fn about_z(degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians())
}

/// An arm stretched by 2, and a hand turned by 30° below it.
fn arm() -> Scene {
    let stretch = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0));
    let nodes = vec![
        Node::new(None, stretch).with_name("Arm"),
        Node::new(Some(0), Trs::from_rotation(about_z(30.0))).with_name("Hand"),
    ];
    Scene::new("arm", nodes)
}

fn page(report: &Report) -> String {
    let mut page = Vec::new();
    write_html(report, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

/// What the page says of the only card, its first tip included, where its first repair leaves and changes this.
fn tip(change: impl FnOnce(&mut Report)) -> String {
    let mut report = Report::of_scene(&arm()).unwrap();
    change(&mut report);
    let page = page(&report);
    let tips = page.split_once("What can be done:").unwrap().1;
    tips.split_once("</li>").unwrap().0.to_owned()
}

fn outcome(report: &mut Report) -> &mut RepairOutcome {
    report.advice[0].advice[0].outcome.as_mut().unwrap()
}

#[track_caller]
fn assert_says(text: &str, part: &str) {
    assert!(text.contains(part), "{part}: {text}");
}

#[test]
fn what_remains_is_told_of_what_there_was() {
    let says = |displacement, skew_degrees| {
        tip(|report| {
            let node = &mut report.audit.nodes[1];
            (node.displacement, node.skew_difference_degrees) = (Some(1.5), Some(20.0));
            let outcome = outcome(report);
            (outcome.displacement, outcome.skew_degrees) = (Some(displacement), Some(skew_degrees));
        })
    };
    assert_says(&says(0.0, 0.0), ": no difference remains, and no difference of skew remains.");
    assert_says(
        &says(0.25, 5.0),
        ": 0.25 of 1.5 units remains, and 5° of the skew difference of 20°.",
    );
    assert_says(
        &says(0.25, 20.0),
        ": 0.25 of 1.5 units remains, and 20° of the skew difference of 20°.",
    );
    assert_says(
        &says(0.0, 30.0),
        ": no difference remains, and the difference of skew grows from 20° to 30°.",
    );
}

#[test]
fn what_is_rounding_beside_the_scene_is_nothing_whatever_the_size() {
    for size in [1e-6, 1.0, 1e6] {
        let says = |left: f64| {
            tip(|report| {
                report.audit.summary.diagonal = size;
                report.audit.nodes[1].displacement = Some(0.5 * size);
                outcome(report).displacement = Some(left * size);
            })
        };
        assert_says(&says(1e-10), ": no difference remains");
        assert_says(&says(0.25), " remains");
        assert!(!says(1e-8).contains("no difference remains"), "{size}");
    }
}

#[test]
fn what_would_remain_in_motion_is_told() {
    let mut scene = arm();
    scene.nodes[1].local = Trs::identity().into();
    let turns = [0.0, 90.0].map(|degrees| about_z(degrees).into_inner().coords.into());
    let turns = Curve::new([0.0, 1.0], turns.to_vec(), Interpolation::Linear).unwrap();
    let channels = vec![Channel { node: 1, track: Track::Rotation(turns) }];
    scene.animations = vec![Animation::new(0, channels)];
    let mut report = Report::of_scene(&scene).unwrap();
    report.audit.at_worst[0].node.displacement = Some(1.5);
    for (left, told) in [(0.0, "none"), (0.25, "0.25")] {
        report.advice_in_motion[0].as_mut().unwrap().displacement = Some(left);
        let told = format!("Of the shift of 1.5 units at the worst moment, {told} would remain.");
        assert_says(&page(&report), &told);
    }
}

#[test]
fn rounding_moves_nothing() {
    let mut report = Report::of_scene(&arm()).unwrap();
    let node = &mut report.audit.nodes[1];
    (node.displacement, node.displacement_percent) = (Some(1e-6), Some(1e-5));
    assert_says(&page(&report), "<p>It does not move; its skew differs by");
}

#[test]
fn of_a_skinned_mesh_the_vertices_shift_and_its_own_axes_are_not_told() {
    let mut report = Report::of_scene(&arm()).unwrap();
    report.audit.nodes[1].is_skinned = true;
    report.audit.nodes[1].skew_difference_degrees = None;
    let page = page(&report);
    assert_says(&page, "<p>In combined TRS its farthest vertex shifts by up to ");
    let effect = page.split_once("its farthest vertex shifts").unwrap().1;
    let effect = effect.split_once("</p>").unwrap().0;
    assert!(effect.ends_with("of the scene).") && !effect.contains("skewed"), "{effect}");
    assert!(!page.contains("class=\"picture\""));
}

#[test]
fn where_no_cause_was_found_no_reason_is_given() {
    let mut report = Report::of_scene(&arm()).unwrap();
    assert_says(&page(&report), "<strong>Why:</strong> <code>Arm</code>");
    report.audit.nodes[1].cause = None;
    assert!(!page(&report).contains("<strong>Why:</strong>"));
}

#[test]
fn a_scene_of_which_nothing_is_drawn_has_no_view() {
    let mut scene = Scene::new("one", vec![Node::new(None, Trs::identity())]);
    let has_view = |scene: &Scene| page(&Report::of_scene(scene).unwrap()).contains("<canvas");
    assert!(has_view(&scene));
    scene.nodes[0].bounds = Bounds::Nothing;
    assert!(!has_view(&scene));
}

#[test]
fn a_box_without_extent_still_has_a_picture() {
    let mut scene = arm();
    scene.nodes[1].bounds = Bounds::Box(Point3::origin(), Point3::origin());
    let page = page(&Report::of_scene(&scene).unwrap());
    assert_says(&page, "class=\"picture\"");
    let markup = page.split_once("<script").unwrap().0;
    assert!(!markup.contains("NaN") && !markup.contains("inf,"));
}

#[test]
fn no_page_tells_where_the_sender_keeps_the_files() {
    let in_folder = |source: &str| {
        let mut scene = arm();
        source.clone_into(&mut scene.source);
        scene
    };
    let sources =
        ["/home/me/secret/a.glb", "/home/me/secret/more/b.glb", "/home/me/secret/more/c.glb"];
    for source in sources {
        let page = page(&Report::of_scene(&in_folder(source)).unwrap());
        assert!(!page.contains("secret") && page.contains(&source[source.len() - 5..]), "{source}");
    }
    let entry = |source: &&str| {
        IndexEntry::new(&compare(&in_folder(source)).unwrap()).with_page("page.html")
    };
    let entries: Vec<_> = sources[..2].iter().map(entry).collect();
    let errors = [Problem::new(sources[2], "json", "", format!("{}: it is bad", sources[2]))];
    let mut index = Vec::new();
    write_index(&entries, &errors, &mut index).unwrap();
    let index = String::from_utf8(index).unwrap();
    assert!(!index.contains("secret"), "{index}");
    for name in [">a.glb</a>", ">more/b.glb</a>", "<li>more/c.glb: it is bad</li>"] {
        assert_says(&index, name);
    }
}

#[test]
fn the_page_says_what_a_repair_takes_along() {
    let mut scene = BuiltIn::named("piston").unwrap().scene(&[]).unwrap();
    let leaf = "and multiply the translations of its other children by that scale, so that they stay in place";
    assert!(page(&Report::of_scene(&scene).unwrap()).contains(leaf));
    scene.source = "folder/my piston.glb".to_owned();
    let command = "<code>xform fix &#39;my piston.glb&#39; -o &#39;my piston-repaired.glb&#39; --engine trs</code> does this.";
    let tried = |scene: &Scene, baked: &[usize]| {
        let mut audit = compare(scene).unwrap();
        audit.repairs.baked = baked.to_vec();
        page(&Report::of_audit(scene, audit))
    };
    assert!(tried(&scene, &[0]).contains(command));
    // Nobody has tried, or it would do nothing.
    assert!(!tried(&scene, &[]).contains("xform fix"));
    // Of what a shell could take for something else there is no command.
    for source in ["piston", "standard input", "it's.glb", "a`b`.glb", "a\nb.glb", "-o.glb"] {
        scene.source = source.to_owned();
        assert!(!tried(&scene, &[0]).contains("xform fix"), "{source}");
    }
}

/// A mirror on the root of the piston, as a pose or as a matrix.
#[test]
fn the_page_says_that_a_matrix_must_become_a_pose() {
    let mut scene = BuiltIn::named("piston").unwrap().scene(&[]).unwrap();
    let mirror = Trs::from_scale(Vector3::new(-1.0, 1.0, 1.0));
    let matrix = AccumulatedMatrix::from_matrix(mirror.to_homogeneous()).unwrap();
    let words = "as translation, rotation and scale first: programs do not all decompose a matrix";
    for (local, is_matrix) in [(mirror.into(), false), (LocalPose::Matrix(matrix), true)] {
        scene.nodes[0].local = local;
        assert_eq!(page(&Report::of_scene(&scene).unwrap()).contains(words), is_matrix);
    }
}

/// A head with parts turned below it.
fn head(parts: usize) -> Scene {
    let turned = |i: usize| {
        let turn =
            UnitQuaternion::from_axis_angle(&Vector3::y_axis(), (20.0 + i as f64).to_radians());
        Trs::from_rotation(turn).with_translation(Vector3::new(1.0, 0.0, 2.0))
    };
    let part = |i: usize| Node::new(Some(0), turned(i)).with_name(format!("Part {i}"));
    let head = Node::new(None, Trs::identity()).with_name("Head");
    Scene::new("head", std::iter::once(head).chain((0..parts).map(part)).collect())
}

#[test]
fn in_motion_too_one_card_says_what_one_scale_does() {
    let mut scene = head(3);
    let values = vec![[1.0; 3], [1.0, 1.0, 1.5], [1.0; 3]];
    let curve = Curve::new([0.0, 1.0, 2.0], values, Interpolation::Linear).unwrap();
    let channels = vec![Channel { node: 0, track: Track::Scale(curve) }];
    scene.animations = vec![Animation::new(0, channels)];
    let page = page(&Report::of_scene(&scene).unwrap());
    let motion = page.split_once("<h2>In motion</h2>").unwrap().1;
    let motion = motion.split_once("The full answer and all figures").unwrap().0;
    assert_eq!(motion.matches("<article").count(), 1);
    assert!(motion.contains("The same cause affects 2 more nodes in this animation"), "{motion}");
    assert!(motion.contains("at key 1 (1 s) from (1, 1, 1.5) to "), "{motion}");
}

#[test]
fn nothing_is_called_safe_whose_vertices_could_not_be_read() {
    let mut file = file();
    file["nodes"][0].as_object_mut().unwrap().remove("scale");
    let words = |file: &Value| {
        let audit = Audit::new(vec![compare(&read(file)).unwrap()]);
        let mut text = Vec::new();
        write_text(&audit, TextStyle::default(), &mut text).unwrap();
        [String::from_utf8(text).unwrap(), page(&Report::of_scene(&read(file)).unwrap())]
    };
    let [text, page] = words(&file);
    assert!(
        text.contains("The scene looks the same in accumulated matrices")
            && page.contains("There is nothing to do.")
    );
    file["buffers"][0] = json!({ "byteLength": 216 });
    let [text, page] = words(&file);
    assert!(text.contains("No difference found in accumulated matrices"), "{text}");
    assert!(text.contains("The vertices of skinned meshes could not be read"), "{text}");
    assert!(
        !text.contains("looks the same")
            && page.contains("<strong>Unknown.</strong>")
            && !page.contains("There is nothing to do.")
    );
}
