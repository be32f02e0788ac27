use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use xform_core::crowd::{CrowdTransform, Lanes, LanesPose, LanesVec3, set_scalar, set_vector};

use crate::CombinedTrs;

/// The world transforms of several instances: all rotations, all translations, all scales.
#[derive(Clone, Copy, Debug)]
pub struct TrsInLanes {
    rotation: [Lanes; 4],
    translation: LanesVec3,
    scale: LanesVec3,
}

impl CrowdTransform for CombinedTrs<f32> {
    type InLanes = TrsInLanes;

    fn identity_in_lanes() -> TrsInLanes {
        let LanesPose { rotation, translation, scale } = LanesPose::identity();
        TrsInLanes { rotation, translation, scale }
    }

    #[inline]
    fn concat_in_lanes(parent: &TrsInLanes, local: &LanesPose) -> TrsInLanes {
        let offset = rotate(parent.rotation, parent.scale * local.translation);
        TrsInLanes {
            rotation: normalized_product(parent.rotation, local.rotation),
            translation: parent.translation + offset,
            scale: parent.scale * local.scale,
        }
    }

    fn of_lane(worlds: &TrsInLanes, lane: usize) -> Self {
        let scalar = |lanes: Lanes| lanes.to_array()[lane];
        let vector = |v: LanesVec3| Vector3::new(scalar(v.x), scalar(v.y), scalar(v.z));
        let [x, y, z, w] = worlds.rotation.map(scalar);
        Self::from_parts(
            vector(worlds.translation),
            UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)),
            vector(worlds.scale),
        )
    }

    fn set_lane(&self, worlds: &mut TrsInLanes, lane: usize) {
        for (lanes, &value) in worlds.rotation.iter_mut().zip(&self.rotation.coords) {
            set_scalar(lanes, lane, value);
        }
        set_vector(&mut worlds.translation, lane, &self.translation);
        set_vector(&mut worlds.scale, lane, &self.scale);
    }
}

/// The product of two rotations, normalised to first order.
#[inline]
fn normalized_product([px, py, pz, pw]: [Lanes; 4], [qx, qy, qz, qw]: [Lanes; 4]) -> [Lanes; 4] {
    let x = pw * qx + px * qw + py * qz - pz * qy;
    let y = pw * qy - px * qz + py * qw + pz * qx;
    let z = pw * qz + px * qy - py * qx + pz * qw;
    let w = pw * qw - px * qx - py * qy - pz * qz;
    let factor = Lanes::from(1.5) - Lanes::from(0.5) * (x * x + y * y + z * z + w * w);
    [x * factor, y * factor, z * factor, w * factor]
}

/// `v + 2 u × (w v + u × v)` for the rotation (u, w).
#[inline]
fn rotate([x, y, z, w]: [Lanes; 4], v: LanesVec3) -> LanesVec3 {
    let axis = LanesVec3::new(x, y, z);
    let moved = axis.cross(v * w + axis.cross(v));
    v + moved + moved
}
