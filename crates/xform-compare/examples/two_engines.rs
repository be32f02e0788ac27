//! Compares a scene made in code between the two kinds of engine: where it looks different, and why.

use nalgebra::{UnitQuaternion, Vector3};
use xform_compare::{CompareError, compare, explain};
use xform_core::Trs;
use xform_scene::{Node, Scene};

fn main() -> Result<(), CompareError> {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 38_f64.to_radians());
    let hand = Trs::from_rotation(turn).with_translation(Vector3::new(2.0, 2.0, 0.0));
    let nodes = vec![
        Node::new(None, Trs::from_scale(Vector3::new(2.0, 1.0, 1.0))).with_name("arm"),
        Node::new(Some(0), hand).with_name("hand"),
    ];
    let audit = compare(&Scene::new("arm", nodes))?;
    assert_eq!(audit.summary.differing_nodes, 1);
    let hand = &audit.nodes[1];
    assert!((hand.skew_degrees.expect("it has axes") - 36.0442).abs() < 1e-4);
    assert!((hand.displacement.expect("it has bounds") - 0.435_338).abs() < 1e-6);
    let why = explain(&audit, 1).expect("it differs");
    assert!(why.contains("`arm` scales X by 2"), "{why}");
    Ok(())
}

#[test]
fn runs() -> Result<(), CompareError> {
    main()
}
