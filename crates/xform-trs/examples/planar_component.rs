//! The 2D component of the article "Transform Components" (2020): a position and an angle in the
//! parent's space, converted to parent, root and local space. Rotations about z stay in the plane, so the 3D
//! hierarchy needs no changes for it.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Point2, Point3, UnitQuaternion, Vector3};
use xform_trs::{
    CombinedTrs, Hierarchy, HierarchyError, Space, Trs,
    spaces::{Conversion, EulerOrder, RotationConversion},
};

fn component(x: f64, y: f64, angle: f64) -> Trs<f64> {
    Trs::from_parts(Vector3::new(x, y, 0.0), turn(angle), Vector3::repeat(1.0))
}

fn turn(angle: f64) -> UnitQuaternion<f64> {
    EulerOrder::XYZ.rotation(&Vector3::new(0.0, 0.0, angle))
}

fn position(conversion: &Conversion<f64>, position: Point2<f64>) -> Point2<f64> {
    conversion.point(&Point3::new(position.x, position.y, 0.0)).xy()
}

fn angle(conversion: &RotationConversion<f64>, angle: f64) -> f64 {
    EulerOrder::XYZ.angles(&conversion.rotation(&turn(angle))).z
}

fn main() -> Result<(), HierarchyError> {
    let mut hierarchy = Hierarchy::<CombinedTrs<f64>>::new();
    let ship = hierarchy.insert(None, component(10.0, 5.0, FRAC_PI_2))?;
    let gun = hierarchy.insert(ship, component(2.0, 1.0, 0.5))?;
    let muzzle = Point2::new(3.0, 0.0);

    // TR_PosToParentSpace, TR_RotToParentSpace: x + R(α)·x₀ and α + α₀
    let to_parent = hierarchy.conversion(gun, Space::Parent(gun))?;
    let turned_to_parent = hierarchy.rotation_conversion(gun, Space::Parent(gun))?;
    let on_ship = Point2::new(2.0 + 3.0 * 0.5_f64.cos(), 1.0 + 3.0 * 0.5_f64.sin());
    assert!((position(&to_parent, muzzle) - on_ship).norm() < 1e-14);
    assert!((angle(&turned_to_parent, 0.25) - 0.75).abs() < 1e-14);

    // TR_PosToRootSpace, TR_RotToRootSpace: the same up to the root
    let to_root = hierarchy.conversion(gun, Space::World)?;
    let turned_to_root = hierarchy.rotation_conversion(gun, Space::World)?;
    let in_world = Point2::new(10.0 - on_ship.y, 5.0 + on_ship.x);
    assert!((position(&to_root, muzzle) - in_world).norm() < 1e-14);
    assert!((angle(&turned_to_root, 0.25) - (0.75 + FRAC_PI_2)).abs() < 1e-14);

    // TR_PosToLocalSpace, TR_RotToLocalSpace: R(−α)·(x₀ − x) and α₀ − α
    let to_local = hierarchy.conversion(Space::World, gun)?;
    let turned_to_local = hierarchy.rotation_conversion(Space::World, gun)?;
    assert!((position(&to_local, in_world) - muzzle).norm() < 1e-14);
    assert!((angle(&turned_to_local, FRAC_PI_2) + 0.5).abs() < 1e-14);
    Ok(())
}

#[test]
fn runs() -> Result<(), HierarchyError> {
    main()
}
