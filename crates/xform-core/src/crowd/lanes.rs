use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::Trs;

/// A scalar for each of [`LANES`] instances.
#[cfg(target_feature = "avx2")]
pub type Lanes = ultraviolet::f32x8;
/// A scalar for each of [`LANES`] instances.
#[cfg(not(target_feature = "avx2"))]
pub type Lanes = ultraviolet::f32x4;

/// A vector for each of [`LANES`] instances.
#[cfg(target_feature = "avx2")]
pub type LanesVec3 = ultraviolet::Vec3x8;
/// A vector for each of [`LANES`] instances.
#[cfg(not(target_feature = "avx2"))]
pub type LanesVec3 = ultraviolet::Vec3x4;

/// The number of instances that take a step together: 8 if the program is compiled for AVX2, else 4.
pub const LANES: usize = size_of::<Lanes>() / size_of::<f32>();

/// The local poses of a joint in [`LANES`] instances: scale first, then rotation, then translation.
#[derive(Clone, Copy, Debug)]
pub struct LanesPose {
    /// The quaternions: x, y, z and w.
    pub rotation: [Lanes; 4],
    /// The positions of the origins in the parents' spaces.
    pub translation: LanesVec3,
    /// The scale factors along the joints' own axes.
    pub scale: LanesVec3,
}

impl LanesPose {
    /// The identity pose in every lane.
    #[must_use]
    pub fn identity() -> Self {
        let (zero, one) = (Lanes::from(0.0), Lanes::from(1.0));
        Self {
            rotation: [zero, zero, zero, one],
            translation: LanesVec3::new(zero, zero, zero),
            scale: LanesVec3::new(one, one, one),
        }
    }

    /// The pose of one lane.
    ///
    /// # Panics
    ///
    /// If `lane` is not below [`LANES`].
    #[must_use]
    pub fn of_lane(&self, lane: usize) -> Trs<f32> {
        let scalar = |lanes: Lanes| lanes.to_array()[lane];
        let vector = |v: LanesVec3| Vector3::new(scalar(v.x), scalar(v.y), scalar(v.z));
        let [x, y, z, w] = self.rotation.map(scalar);
        Trs::from_parts(
            vector(self.translation),
            UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)),
            vector(self.scale),
        )
    }

    /// Sets the pose of one lane.
    ///
    /// # Panics
    ///
    /// If `lane` is not below [`LANES`].
    pub fn set_lane(&mut self, lane: usize, pose: &Trs<f32>) {
        for (lanes, &value) in self.rotation.iter_mut().zip(&pose.rotation.coords) {
            set_scalar(lanes, lane, value);
        }
        set_vector(&mut self.translation, lane, &pose.translation);
        set_vector(&mut self.scale, lane, &pose.scale);
    }
}

/// Sets the scalar of one lane.
///
/// # Panics
///
/// If `lane` is not below [`LANES`].
pub fn set_scalar(lanes: &mut Lanes, lane: usize, value: f32) {
    let mut scalars = lanes.to_array();
    scalars[lane] = value;
    *lanes = scalars.into();
}

/// Sets the vector of one lane.
///
/// # Panics
///
/// If `lane` is not below [`LANES`].
pub fn set_vector(lanes: &mut LanesVec3, lane: usize, value: &Vector3<f32>) {
    set_scalar(&mut lanes.x, lane, value.x);
    set_scalar(&mut lanes.y, lane, value.y);
    set_scalar(&mut lanes.z, lane, value.z);
}
