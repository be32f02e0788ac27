//! The transform class of the article "Making a Game Engine: Transform Hierarchy", with its camera and its mine.
//! No dirty flag is needed: a world transform that is read before `propagate` is computed on the spot.

use nalgebra::{Point3, UnitQuaternion, Vector3};
use xform_matrix::{AccumulatedMatrix, Hierarchy, HierarchyError, NodeId, Space, Trs};

type Scene = Hierarchy<AccumulatedMatrix<f32>>;

/// Mine.update: returns whether the player is within the sensor's range, measured in the mine's own space.
fn detonates(
    scene: &Scene,
    mine: NodeId,
    player: NodeId,
    range: f32,
) -> Result<bool, HierarchyError> {
    let player = scene.conversion(player, mine)?.point(&Point3::origin());
    Ok(player.coords.norm_squared() < range * range)
}

fn main() -> Result<(), HierarchyError> {
    let mut scene = Scene::new();
    let stretched = Trs::from_scale(Vector3::new(1.0, 0.5, 1.0));
    let ball = scene.insert(None, stretched.with_translation(Vector3::new(4.0, 1.0, 0.0)))?;
    let worm = scene.insert(ball, Trs::from_translation(Vector3::new(0.0, 1.0, 0.0)))?;
    let camera = scene.insert(None, Trs::from_translation(Vector3::new(4.0, 0.0, 10.0)))?;

    // transformPoint, inverseTransformPoint: the worm follows the ball.
    let from_worm = scene.conversion(worm, Space::World)?;
    assert_eq!(from_worm.point(&Point3::origin()), Point3::new(4.0, 1.5, 0.0));
    scene.set_translation(ball, Vector3::new(4.0, 3.0, 0.0))?;
    let to_worm = scene.conversion(Space::World, worm)?;
    assert_eq!(to_worm.point(&Point3::new(4.0, 3.5, 0.0)), Point3::origin());

    // transformDirection with the inverse transpose: the normal stays perpendicular to the squashed ball.
    let from_ball = scene.conversion(ball, Space::World)?;
    let (normal, tangent) = (Vector3::new(1.0, 1.0, 0.0), Vector3::new(1.0, -1.0, 0.0));
    let (normal, tangent) = (from_ball.normal(&normal)?, from_ball.vector(&tangent));
    assert!(normal.dot(&tangent).abs() < 1e-6);

    // The matrix to draw with: camera.getWorldToLocalMatrix() * gameObject.getLocalToWorldMatrix().
    let camera_from_ball = scene.conversion(ball, camera)?;
    let matrix = camera_from_ball.to_homogeneous();
    assert_eq!(matrix.transform_point(&Point3::origin()), Point3::new(0.0, 3.0, -10.0));

    // The mine is turned and scaled by 2, so its range of 3 reaches 6 in the world.
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 1.0);
    let mine = Trs::from_rotation(turn).with_scale(Vector3::repeat(2.0));
    let mine = scene.insert(None, mine)?;
    let player = scene.insert(None, Trs::from_translation(Vector3::new(0.0, 5.9, 0.0)))?;
    assert!(detonates(&scene, mine, player, 3.0)?);
    scene.set_translation(player, Vector3::new(0.0, 6.1, 0.0))?;
    assert!(!detonates(&scene, mine, player, 3.0)?);
    Ok(())
}

#[test]
fn runs() -> Result<(), HierarchyError> {
    main()
}
