//! Grades: how much of a difference a person sees, of what is drawn and of what is not.

use nalgebra::{Point3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_compare::{
    Grade, NodeAudit, SceneAudit, compare, findings,
    judge::{Limits, Severity},
};
use xform_core::Trs;
use xform_report::{TextStyle, write_text};
use xform_scene::{Bounds, Node, Scene};

use crate::support::given::read;

/// Half a turn's sine and cosine for 45° about z.
const TURN: &str = "[0, 0, 0.3826834323650898, 0.9238795325112867]";

fn audit(members: &str) -> SceneAudit {
    compare(&read(members).unwrap()).unwrap()
}

/// What `xform audit` says.
pub(crate) fn text(audit: &SceneAudit) -> String {
    let mut text = Vec::new();
    let audit = xform_compare::Audit::new(vec![audit.clone()]);
    write_text(&audit, TextStyle::default(), &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// What it says first.
pub(crate) fn verdict(audit: &SceneAudit) -> String {
    let text = text(audit);
    let verdict = text.lines().skip(1).take_while(|line| !line.contains("diagonal"));
    verdict.map(str::trim).collect::<Vec<_>>().join(" ")
}

/// A large mesh, and a stretch by 1 + `stretch` with a turned child that has what `more` says.
fn stretched(stretch: f64, more: &str) -> SceneAudit {
    let stretch = 1.0 + stretch;
    audit(&format!(
        r#""nodes": [
            {{ "name": "Ground", "mesh": 0 }},
            {{ "name": "Arm", "scale": [{stretch}, 1, 1], "children": [2] }},
            {{ "name": "Hand", "rotation": {TURN} {more} }}
        ],
        "meshes": [
            {{ "primitives": [{{ "attributes": {{ "POSITION": 0 }} }}] }},
            {{ "primitives": [{{ "attributes": {{ "POSITION": 1 }} }}] }}
        ],
        "accessors": [
            {{ "componentType": 5126, "count": 8, "type": "VEC3", "min": [-100, -1, -100], "max": [100, 1, 100] }},
            {{ "componentType": 5126, "count": 8, "type": "VEC3", "min": [-1, -1, -1], "max": [1, 1, 1] }}
        ]"#
    ))
}

#[test]
fn noise_is_safe_to_the_eye_and_a_large_stretch_is_not() {
    // The Hand's corner moves by about its stretch, beside a ground of 283.
    let cases = [
        (
            1e-5,
            Grade::Identical,
            "The scene looks the same in accumulated matrices and combined TRS.",
        ),
        (
            0.01,
            Grade::Negligible,
            "Negligible in combined TRS compared with accumulated matrices: 1 of 3 nodes differs,",
        ),
        (
            0.2,
            Grade::Visible,
            "Visible in combined TRS compared with accumulated matrices: 1 of 3 nodes looks different,",
        ),
        (
            9.0,
            Grade::Severe,
            "Severe in combined TRS compared with accumulated matrices: 1 of 3 nodes looks different,",
        ),
    ];
    for (stretch, grade, words) in cases {
        let audit = stretched(stretch, r#", "mesh": 1"#);
        let found = audit.nodes[2].grade();
        assert_eq!(found, grade, "{stretch}: {:?}", audit.nodes[2].displacement_percent);
        assert_eq!(audit.summary.grade, grade);
        assert!(verdict(&audit).starts_with(words), "{}", verdict(&audit));
        let severity = match grade {
            Grade::Identical => None,
            Grade::Negligible => Some(Severity::Note),
            Grade::Visible => Some(Severity::Warning),
            Grade::Severe => Some(Severity::Error),
        };
        let findings = findings(&audit, &Limits::default());
        let worst = findings.iter().map(|finding| finding.severity).max();
        assert_eq!(worst, severity, "{stretch}");
        assert!(findings.iter().all(|finding| !finding.fails));
    }
}

#[test]
fn a_small_part_that_moves_by_a_twentieth_of_itself_is_seen() {
    // 0.07 % of the scene is nothing on something large, and 5.8 % of this box.
    let audit = stretched(0.2, r#", "mesh": 1"#);
    let node = &audit.nodes[2];
    assert!(node.displacement_percent < Some(0.1) && node.displacement_percent > Some(0.01));
    assert!(node.displacement_percent_of_itself > Some(5.0));
    assert_eq!(node.grade(), Grade::Visible);
    let less = stretched(0.15, r#", "mesh": 1"#);
    assert!(less.nodes[2].displacement_percent > Some(0.01));
    assert!(less.nodes[2].displacement_percent_of_itself < Some(5.0));
    assert_eq!(less.nodes[2].grade(), Grade::Negligible);
}

#[test]
fn what_draws_nothing_is_told_in_a_sentence_and_does_not_count() {
    // The empty's child stands ten away, where combined TRS puts it elsewhere.
    let empty =
        stretched(9.0, r#", "children": [3] }, { "name": "Socket", "translation": [10, 0, 0]"#);
    assert!(!empty.nodes[3].counts && empty.nodes[3].grade() == Grade::Severe);
    assert_eq!(empty.summary.grade, Grade::Identical);
    assert_eq!(empty.summary.undrawn.severe, 1);
    let verdict = verdict(&empty);
    assert!(
        verdict.starts_with("The scene looks the same in accumulated matrices and combined TRS."),
        "{verdict}"
    );
    let socket = "Not counted: in combined TRS the empty node \"Arm/Hand/Socket\", which a mesh may be attached to, has a skew that differs by ";
    assert!(verdict.contains(socket), "{verdict}");
    assert!(verdict.ends_with("% of the scene."), "{verdict}");
    let mut limits = Limits::default();
    limits.fail_on = Some(Grade::Negligible);
    let findings = findings(&empty, &limits);
    assert!(findings.iter().all(|finding| !finding.fails && finding.severity <= Severity::Note));
}

#[test]
fn with_undrawn_everything_counts() {
    let members = format!(
        r#""nodes": [
            {{ "mesh": 0 }}, {{ "scale": [10, 1, 1], "children": [2] }},
            {{ "rotation": {TURN}, "children": [3] }}, {{ "translation": [10, 0, 0] }}
        ],
        "meshes": [{{ "primitives": [{{ "attributes": {{ "POSITION": 0 }} }}] }}],
        "accessors": [{{ "componentType": 5126, "count": 8, "type": "VEC3", "min": [-1, -1, -1], "max": [1, 1, 1] }}]"#
    );
    let mut scene = read(&members).unwrap();
    let apart = compare(&scene).unwrap();
    scene.counts_undrawn = true;
    let counted = compare(&scene).unwrap();
    assert_eq!(apart.summary.grade, Grade::Identical);
    assert_eq!(counted.summary.grade, Grade::Severe);
    assert_eq!((counted.summary.undrawn.all(), counted.summary.grades.all()), (0, 4));
    // What is measured is the same.
    assert_eq!(apart.summary.diagonal, counted.summary.diagonal);
    let measured =
        |audit: &SceneAudit| audit.nodes.iter().map(|n| n.displacement).collect::<Vec<_>>();
    assert_eq!(measured(&apart), measured(&counted));
    // The summary is of what counts.
    assert_eq!(apart.summary.max_displacement, 0.0);
    assert_eq!(Some(counted.summary.max_displacement), counted.nodes[3].displacement);
}

#[test]
fn the_diagonal_is_that_of_the_meshes() {
    // A camera far away, which draws nothing.
    let audit = audit(
        r#""nodes": [{ "mesh": 0 }, { "translation": [0, 0, 1000] }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "componentType": 5126, "count": 8, "type": "VEC3", "min": [0, 0, 0], "max": [3, 4, 12] }]"#,
    );
    assert_eq!(audit.summary.diagonal, 13.0);
    assert_eq!(audit.nodes.iter().map(|node| node.counts).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn joints_stand_in_for_a_skinned_mesh_that_cannot_be_read_and_other_bones_do_not() {
    let audit = audit(
        r#""nodes": [{ "mesh": 0, "skin": 0 }, { "translation": [0, 5, 0] }, { "translation": [0, 9, 0] }],
        "skins": [{ "joints": [1] }, { "joints": [2] }],
        "accessors": [{ "componentType": 5126, "count": 3, "type": "VEC3" }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }]"#,
    );
    assert_eq!(
        audit.nodes.iter().map(|node| node.counts).collect::<Vec<_>>(),
        [false, true, false]
    );
}

#[test]
fn what_a_scale_of_zero_hides_does_not_count() {
    let hidden = |scale: &str| {
        audit(&format!(
            r#""nodes": [{{ "scale": {scale}, "mesh": 0 }}],
            "meshes": [{{ "primitives": [{{ "attributes": {{ "POSITION": 0 }} }}] }}],
            "accessors": [{{ "componentType": 5126, "count": 8, "type": "VEC3", "min": [-1, -1, -1], "max": [1, 1, 1] }}]"#
        ))
    };
    assert!(!hidden("[0, 0, 0]").nodes[0].counts_at_rest());
    assert!(hidden("[1, 0, 1]").nodes[0].counts_at_rest(), "flat, but to be seen");
    let nothing = verdict(&hidden("[0, 0, 0]"));
    assert_eq!(nothing, "Nothing is drawn, so nothing looks different.");
}

#[test]
fn a_file_without_meshes_draws_all_its_nodes() {
    let audit = audit(r#""nodes": [{}, { "translation": [1, 2, 3] }]"#);
    assert!(audit.nodes.iter().all(|node| node.counts));
    assert_eq!(audit.summary.grades.all(), 2);
}

#[test]
fn a_grade_can_be_a_limit() {
    for stretch in [1e-5, 0.01, 0.2, 9.0] {
        let audit = stretched(stretch, r#", "mesh": 1"#);
        for limit in [Grade::Negligible, Grade::Visible, Grade::Severe] {
            let mut limits = Limits::default();
            limits.fail_on = Some(limit);
            let findings = findings(&audit, &limits);
            let failing: Vec<_> = findings.iter().filter(|finding| finding.fails).collect();
            let expected = usize::from(audit.summary.grade >= limit);
            assert_eq!(failing.len(), expected, "{stretch}, {limit:?}: {failing:?}");
        }
    }
}

properties! {
    #[test]
    fn grades_are_monotonic(
        [a, b] in [[0.0..3.0, 0.0..10.0, 0.0..0.02], [0.0..3.0_f64, 0.0..10.0_f64, 0.0..0.02_f64]],
    ) {
        let grade = |[scene, itself, skew]: [f64; 3]| Grade::new(Some(scene), Some(itself), Some(skew));
        let worse = [a[0].max(b[0]), a[1].max(b[1]), a[2].max(b[2])];
        prop_assert!(grade(worse) >= grade(a).max(grade(b)));
    }

    #[test]
    fn the_grade_of_a_scene_is_that_of_its_worst_node(
        stretch in 1.0..3.0_f64, size in 0.001..100.0_f64, turn in -3.0..3.0_f64, is_box in any::<bool>(),
    ) {
        let half = Point3::from(Vector3::repeat(size));
        let bounds = if is_box { Bounds::Box(-half, half) } else { Bounds::Origin };
        let turned = Trs::from_rotation(UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn))
            .with_translation(Vector3::new(0.1, 0.2, 0.3));
        let stretched = Trs::from_scale(Vector3::new(stretch, 1.0, 1.0));
        let audit = compare(&Scene::new("given", vec![
            Node::new(None, Trs::from_scale(Vector3::repeat(50.0))),
            Node::new(None, stretched),
            Node::new(Some(1), turned).with_bounds(bounds),
        ]))
        .unwrap();
        let counting = audit.nodes.iter().filter(|node| node.counts);
        let worst = counting.map(NodeAudit::grade).max().unwrap();
        prop_assert_eq!(audit.summary.grade, worst);
        prop_assert_eq!(audit.summary.grades.all() + audit.summary.undrawn.all(), 3);
        prop_assert_eq!(audit.nodes[2].counts, is_box);
    }
}
