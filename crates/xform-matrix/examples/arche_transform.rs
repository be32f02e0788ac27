//! Arche's Transform component: separate operations for points and vectors, local and world position, and a cast from
//! `float` for rendering to `double` for simulation.

use nalgebra::{Point3, UnitQuaternion, Vector3};
use xform_matrix::{
    AccumulatedMatrix, Hierarchy, HierarchyError, Kept, Space, Trs, spaces::WorldScale,
};

fn main() -> Result<(), HierarchyError> {
    let mut drawn = Hierarchy::<AccumulatedMatrix<f32>>::new();
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.5);
    let ship = drawn.insert(None, Trs::from_rotation(turn).with_scale(Vector3::repeat(2.0)))?;
    let turret = drawn.insert(ship, Trs::from_translation(Vector3::new(0.0, 1.0, 0.0)))?;

    // setWorldPosition, worldPosition
    let kept = drawn.set_world_translation(turret, Vector3::new(6.0, 2.0, 0.0))?;
    assert_eq!(kept, Kept::Exact);
    let to_world = drawn.conversion(turret, Space::World)?;
    let position = to_world.point(&Point3::origin());
    assert!((position - Point3::new(6.0, 2.0, 0.0)).norm() < 1e-5);

    // A point is moved, a vector is not. Point plus vector gives a point, point minus point a vector.
    let muzzle = to_world.point(&Point3::new(0.0, 0.0, -1.0));
    let barrel = to_world.vector(&Vector3::new(0.0, 0.0, -1.0));
    assert!((muzzle - (position + barrel)).norm() < 1e-5);
    assert!((barrel.norm() - 2.0).abs() < 1e-6);

    // worldRotationQuaternion, lossyWorldScale
    assert!(drawn.world_rotation(turret)?.angle_to(&turn) < 1e-3);
    let scale = drawn.world_scale(turret, WorldScale::Projected)?;
    assert!((scale - Vector3::repeat(2.0)).norm() < 1e-5);

    // castTo<double>(): the same nodes under the same ids
    let simulated: Hierarchy<AccumulatedMatrix<f64>> = drawn.cast()?;
    let difference = simulated.world(turret)?.translation() - position.coords.cast::<f64>();
    assert!(difference.norm() < 1e-5);
    Ok(())
}

#[test]
fn runs() -> Result<(), HierarchyError> {
    main()
}
