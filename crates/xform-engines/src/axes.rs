use nalgebra::{Matrix3, Matrix4, Point3, Vector3};

/// The axes and the unit of an engine's import from glTF. In glTF x is right, y up and z towards the viewer, and the
/// unit is a metre.
///
/// A change of axes is not a difference between engines, so it is undone before world transforms are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxesConvention {
    /// The matrix from glTF's axes to the engine's, row by row.
    pub from_gltf: [[f64; 3]; 3],
    /// Whether every node gets the new axes, `C·W·Cᵀ`. Otherwise a node above all others converts them, `C·W`.
    pub of_every_node: bool,
    /// The number of the engine's units in a metre.
    pub units_per_metre: f64,
}

impl AxesConvention {
    /// The axes and the unit of glTF.
    pub const GLTF: Self = Self {
        from_gltf: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        of_every_node: false,
        units_per_metre: 1.0,
    };

    /// Converts a point from glTF's axes to the engine's.
    #[must_use]
    pub fn point(&self, point: &Point3<f64>) -> Point3<f64> {
        let [x, y, z] = self.from_gltf.map(Vector3::from);
        let place = Vector3::new(x.dot(&point.coords), y.dot(&point.coords), z.dot(&point.coords));
        Point3::from(place * self.units_per_metre)
    }

    /// Converts a world transform from glTF's axes to the engine's.
    #[must_use]
    pub fn world(&self, world: &Matrix4<f64>) -> Matrix4<f64> {
        let [x, y, z] = self.from_gltf;
        let change = Matrix3::from_rows(&[x.into(), y.into(), z.into()]);
        let after = if self.of_every_node { change.transpose() } else { Matrix3::identity() };
        let mut world = change.to_homogeneous() * world * after.to_homogeneous();
        world.fixed_view_mut::<3, 1>(0, 3).scale_mut(self.units_per_metre);
        world
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;

    #[test]
    fn a_metre_up_is_a_hundred_units_along_z_in_unreal() {
        let axes = Engine::named("unreal").expect("listed").axes;
        let world = axes.world(&Matrix4::new_translation(&Vector3::new(1.0, 2.0, 3.0)));
        assert_eq!(world.transform_point(&Point3::origin()), Point3::new(100.0, 300.0, 200.0));
        // The axes of the node are the engine's too.
        assert_eq!(world.fixed_view::<3, 3>(0, 0), Matrix3::identity());
    }

    #[test]
    fn a_point_goes_where_the_world_transform_of_a_node_there_goes() {
        let place = Vector3::new(1.0, 2.0, 3.0);
        for engine in Engine::all() {
            let world = engine.axes.world(&Matrix4::new_translation(&place));
            let moved = engine.axes.point(&place.into());
            assert!(
                (world.fixed_view::<3, 1>(0, 3) - moved.coords).amax() < 1e-12,
                "{}",
                engine.id
            );
        }
    }
}
