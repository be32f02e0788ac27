use mint::{ColumnMatrix4, Quaternion, Vector3};
use nalgebra::Matrix4;

use crate::{Real, Trs, world_matrix::WorldMatrix};

/// Translation, rotation and scale.
type Parts<T> = (Vector3<T>, Quaternion<T>, Vector3<T>);

impl<T: Real> From<Trs<T>> for Parts<T> {
    fn from(pose: Trs<T>) -> Self {
        let [x, y, z, w] = pose.rotation.coords.into();
        let rotation = Quaternion { v: [x, y, z].into(), s: w };
        let vector = |v: nalgebra::Vector3<T>| Vector3::from(<[T; 3]>::from(v));
        (vector(pose.translation), rotation, vector(pose.scale))
    }
}

impl<T: Real> From<Parts<T>> for Trs<T> {
    /// The rotation is taken as it is; [`Trs::check`] reports whether it has unit length.
    fn from((translation, rotation, scale): Parts<T>) -> Self {
        let vector = |v: Vector3<T>| nalgebra::Vector3::from(<[T; 3]>::from(v));
        let imaginary = vector(rotation.v);
        let rotation = nalgebra::Quaternion::from_parts(rotation.s, imaginary);
        let rotation = nalgebra::UnitQuaternion::new_unchecked(rotation);
        Self::from_parts(vector(translation), rotation, vector(scale))
    }
}

impl<T: Real> From<WorldMatrix<T>> for ColumnMatrix4<T> {
    fn from(matrix: WorldMatrix<T>) -> Self {
        <[[T; 4]; 4]>::from(matrix.0).into()
    }
}

impl<T: Real> From<ColumnMatrix4<T>> for WorldMatrix<T> {
    fn from(matrix: ColumnMatrix4<T>) -> Self {
        Self(Matrix4::from(<[[T; 4]; 4]>::from(matrix)))
    }
}
