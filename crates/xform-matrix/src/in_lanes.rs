use nalgebra::Matrix4;
use xform_core::crowd::{CrowdTransform, Lanes, LanesPose, LanesVec3, set_vector};

use crate::AccumulatedMatrix;

/// The world matrices of several instances, without the last row: the axes x, y, z and the origin.
#[derive(Clone, Copy, Debug)]
pub struct MatrixInLanes([LanesVec3; 4]);

impl CrowdTransform for AccumulatedMatrix<f32> {
    type InLanes = MatrixInLanes;

    fn identity_in_lanes() -> MatrixInLanes {
        let (zero, one) = (Lanes::from(0.0), Lanes::from(1.0));
        let vector = LanesVec3::new;
        let (x, y, z) = (vector(one, zero, zero), vector(zero, one, zero), vector(zero, zero, one));
        MatrixInLanes([x, y, z, vector(zero, zero, zero)])
    }

    #[inline]
    fn concat_in_lanes(parent: &MatrixInLanes, local: &LanesPose) -> MatrixInLanes {
        let [x, y, z, origin] = parent.0;
        let add = |axis: LanesVec3, by: Lanes, to| axis.mul_add(LanesVec3::new(by, by, by), to);
        let turned = |v: LanesVec3| add(z, v.z, add(y, v.y, x * v.x));
        let [local_x, local_y, local_z] = axes(local.rotation);
        let scale = local.scale;
        MatrixInLanes([
            turned(local_x * scale.x),
            turned(local_y * scale.y),
            turned(local_z * scale.z),
            origin + turned(local.translation),
        ])
    }

    fn of_lane(worlds: &MatrixInLanes, lane: usize) -> Self {
        let scalar = |lanes: Lanes| lanes.to_array()[lane];
        let mut matrix = Matrix4::identity();
        for (mut column, vector) in matrix.column_iter_mut().zip(worlds.0) {
            column[0] = scalar(vector.x);
            column[1] = scalar(vector.y);
            column[2] = scalar(vector.z);
        }
        Self::from_matrix(matrix).expect("the last row is that of the identity")
    }

    fn set_lane(&self, worlds: &mut MatrixInLanes, lane: usize) {
        for (vector, column) in worlds.0.iter_mut().zip(self.matrix().column_iter()) {
            set_vector(vector, lane, &column.xyz());
        }
    }
}

/// The columns of the rotation matrix, with 2/|q|² to first order instead of its factor 2.
#[inline]
fn axes([x, y, z, w]: [Lanes; 4]) -> [LanesVec3; 3] {
    let one = Lanes::from(1.0);
    let twice = Lanes::from(4.0) - Lanes::from(2.0) * (x * x + y * y + z * z + w * w);
    let (x2, y2, z2) = (x * twice, y * twice, z * twice);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [
        LanesVec3::new(one - (yy + zz), xy + wz, xz - wy),
        LanesVec3::new(xy - wz, one - (xx + zz), yz + wx),
        LanesVec3::new(xz + wy, yz - wx, one - (xx + yy)),
    ]
}
