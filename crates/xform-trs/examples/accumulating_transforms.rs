//! The functions of "Accumulating Transforms", on its piston: a transform is combined with its parent's, up to the
//! root, and the world matrix is made from the result alone.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Point3, UnitQuaternion, Vector3};
use xform_trs::{CombinedTrs, Hierarchy, HierarchyError, Transform, Trs};

/// CombineTransforms: multiplies scales and rotations. The child's position is scaled by
/// the parent's scale, rotated by its rotation and added.
fn combine_transforms(parent: &Trs<f64>, child: &Trs<f64>) -> Trs<f64> {
    CombinedTrs::from(*parent).concat(child).to_trs()
}

/// GetWorldTransform, with the path given from the root down.
fn world_transform(path: &[Trs<f64>]) -> Trs<f64> {
    path.iter().fold(Trs::identity(), |world, local| combine_transforms(&world, local))
}

fn main() -> Result<(), HierarchyError> {
    let still = UnitQuaternion::identity();
    let quarter = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_2);
    let at = Vector3::new;
    let piston = [
        Trs::from_parts(at(3.0, 3.0, 3.0), still, at(2.0, 1.0, 1.0)), // the slider is at 2
        Trs::from_parts(at(0.0, 0.0, 1.5), quarter, at(0.25, 0.25, 2.0)),
        Trs::from_parts(at(0.0, 0.0, 0.5), still, at(4.0, 4.0, 0.5)),
    ];
    let mut hierarchy = Hierarchy::<CombinedTrs<f64>>::new();
    let root = hierarchy.insert(None, piston[0])?;
    let a = hierarchy.insert(root, piston[1])?;
    let b = hierarchy.insert(a, piston[2])?;
    hierarchy.propagate();
    assert_eq!(hierarchy.world(b)?.to_trs(), world_transform(&piston));

    // GetWorldMatrix. The page's artifact: the slider stretches B along B's own axis, which is turned
    // to the world's z. With matrices, B would be at (5, 3, 4.5) and stretched along the world's x.
    let world_from_b = hierarchy.world_matrix(b)?;
    assert_eq!(world_from_b.transform_point(&Point3::origin()), Point3::new(4.0, 3.0, 4.5));
    let own_x = world_from_b.transform_vector(&Vector3::x());
    assert!((own_x - at(0.0, 0.0, -2.0)).norm() < 1e-15);
    Ok(())
}

#[test]
fn runs() -> Result<(), HierarchyError> {
    main()
}
