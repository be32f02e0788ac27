//! A strategy of your own, in the same `Hierarchy`: FBX's inherit type "Rrs", which leaves out the parent's scale.

use nalgebra::{Matrix4, Point3, Quaternion, UnitQuaternion, Vector3};
use xform_core::{Hierarchy, HierarchyError, Space, Transform, Trs};

/// FBX's inherit type "Rrs", which ignores the parent's scale: the axes are R_P·r·s, while the parent still scales
/// the position.
#[derive(Clone, Copy, Debug, PartialEq)]
struct IgnoreParentScale {
    translation: Vector3<f64>,
    rotation: UnitQuaternion<f64>,
    own_scale: Vector3<f64>,
}

impl IgnoreParentScale {
    fn trs(&self) -> Trs<f64> {
        Trs::from_parts(self.translation, self.rotation, self.own_scale)
    }
}

impl Transform for IgnoreParentScale {
    type Scalar = f64;

    fn identity() -> Self {
        Self {
            translation: Vector3::zeros(),
            rotation: UnitQuaternion::identity(),
            own_scale: Vector3::repeat(1.0),
        }
    }

    fn concat(&self, local: &Trs<f64>) -> Self {
        Self {
            translation: self.trs().transform_point(&local.translation.into()).coords,
            rotation: self.rotation * local.rotation,
            own_scale: local.scale,
        }
    }

    fn transform_point(&self, point: &Point3<f64>) -> Point3<f64> {
        self.trs().transform_point(point)
    }

    fn transform_vector(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        self.trs().transform_vector(vector)
    }

    fn inverse_transform_point(&self, point: &Point3<f64>) -> Option<Point3<f64>> {
        self.trs().inverse_transform_point(point)
    }

    fn inverse_transform_vector(&self, vector: &Vector3<f64>) -> Option<Vector3<f64>> {
        self.trs().inverse_transform_vector(vector)
    }

    fn to_homogeneous(&self) -> Matrix4<f64> {
        self.trs().to_homogeneous()
    }

    /// The parts stay separate at any depth, so edits in the world rotate and scale the node correctly.
    fn parts(&self) -> Option<Trs<f64>> {
        Some(self.trs())
    }
}

fn main() -> Result<(), HierarchyError> {
    let cycle = UnitQuaternion::new_unchecked(Quaternion::new(0.5, 0.5, 0.5, 0.5)); // x → y → z
    let stretched = Trs::from_scale(Vector3::new(4.0, 1.0, 1.0));
    let turned = Trs::from_parts(Vector3::x(), cycle, Vector3::new(2.0, 3.0, 5.0));
    let mut hierarchy = Hierarchy::<IgnoreParentScale>::new();
    let parent = hierarchy.insert(None, stretched)?;
    let child = hierarchy.insert(parent, turned)?;
    let grandchild = hierarchy.insert(child, Trs::from_translation(Vector3::x()))?;
    hierarchy.propagate();

    // The parent's 4 moves the child's origin and does not stretch the child.
    let tip = hierarchy.conversion(child, Space::World)?.point(&Point3::new(1.0, 0.0, 0.0));
    assert_eq!(tip, Point3::new(4.0, 2.0, 0.0));
    // The child's 2 moves the grandchild's origin along y and does not stretch the grandchild.
    let tip = hierarchy.conversion(grandchild, Space::World)?.point(&Point3::new(1.0, 0.0, 0.0));
    assert_eq!(tip, Point3::new(4.0, 3.0, 0.0));
    let back = hierarchy.conversion(Space::World, grandchild)?.point(&tip);
    assert_eq!(back, Point3::new(1.0, 0.0, 0.0));

    // Its −z axis points at the target, and nothing is lost.
    let target = Point3::new(7.0, -2.0, 1.0);
    assert!(hierarchy.look_at(grandchild, target, Vector3::y())?.is_exact());
    let world = hierarchy.world(grandchild)?;
    let forward = world.transform_vector(&-Vector3::z());
    assert!(forward.cross(&(target.coords - world.translation)).norm() < 1e-12);
    assert!(hierarchy.set_world_scale(grandchild, Vector3::new(2.0, 3.0, 4.0))?.is_exact());

    hierarchy.set_scale(parent, Vector3::new(0.0, 1.0, 1.0))?;
    assert!(hierarchy.conversion(Space::World, parent).is_err());
    assert!(hierarchy.conversion(Space::World, child).is_ok());
    Ok(())
}

#[test]
fn runs() -> Result<(), HierarchyError> {
    main()
}
