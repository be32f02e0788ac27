use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};
use xform_core::Trs;
use xform_engines::QuaternionRule;
use xform_matrix::AccumulatedMatrix;

use super::{GltfError, document::NodeEntry, errors::Defects, field::Number};
use crate::{LocalPose, Warning, WarningCode, text::significant};

/// The largest deviation of a rotation's length from 1 that causes no warning. This is glTF-Validator's threshold,
/// slightly more than the rounding of components to signed bytes.
const UNIT_TOLERANCE: f64 = 0.00769;

/// The local pose of a node. A `matrix` takes precedence over translation, rotation and scale.
pub(super) fn local(
    index: usize,
    node: &NodeEntry,
    defects: &mut Defects,
    warnings: &mut Vec<Warning>,
) -> LocalPose {
    let Some(columns) = in_range(index, "matrix", node.matrix, defects) else {
        let translation = in_range(index, "translation", node.translation, defects);
        let turn = in_range(index, "rotation", node.rotation, defects);
        let scale = in_range(index, "scale", node.scale, defects);
        return LocalPose::Trs(Trs::from_parts(
            translation.map_or(Vector3::zeros(), Vector3::from),
            rotation(index, turn, warnings),
            scale.map_or(Vector3::repeat(1.0), Vector3::from),
        ));
    };
    if node.translation.is_some() || node.rotation.is_some() || node.scale.is_some() {
        let message =
            "the node has a matrix and also a translation, rotation or scale; the matrix was used";
        warnings.push(Warning::of_node(WarningCode::MatrixAndTrs, index, "", message));
    }
    let matrix = AccumulatedMatrix::from_matrix(Matrix4::from_column_slice(&columns));
    matrix.map_or_else(
        || {
            let row = [3, 7, 11, 15].map(|i| columns[i]);
            defects.push(GltfError::NotAffine { node: index, row });
            LocalPose::Trs(Trs::identity())
        },
        LocalPose::Matrix,
    )
}

/// The numbers of a member. Each one beyond the range of `f64` is an error.
fn in_range<const N: usize>(
    node: usize,
    field: &str,
    numbers: Option<[Number; N]>,
    defects: &mut Defects,
) -> Option<[f64; N]> {
    let numbers = numbers?.map(|Number(number)| number);
    for (i, _) in numbers.iter().enumerate().filter(|(_, number)| !number.is_finite()) {
        let pointer = format!("/nodes/{node}/{field}/{i}");
        defects.push(GltfError::NumberOutOfRange { pointer });
    }
    Some(numbers)
}

/// The length of a quaternion, if it is not a unit quaternion.
pub(super) fn odd_length(components: &[f64; 4]) -> Option<f64> {
    Some(length(components)).filter(|length| (length - 1.0).abs() > UNIT_TOLERANCE)
}

pub(super) fn length(components: &[f64; 4]) -> f64 {
    components.iter().fold(0.0, |length: f64, component| length.hypot(*component))
}

/// The length of a node's rotation, if it can make a difference between engines.
pub(super) fn rotation_length(node: &NodeEntry) -> Option<f64> {
    let rotation = node.rotation.filter(|_| node.matrix.is_none())?;
    let length = length(&rotation.map(|Number(number)| number));
    let is_told = length > 0.0 && (length - 1.0).abs() > QuaternionRule::TOLD;
    is_told.then_some(length).filter(|length| length.is_finite())
}

fn rotation(
    index: usize,
    components: Option<[f64; 4]>,
    warnings: &mut Vec<Warning>,
) -> UnitQuaternion<f64> {
    let Some(components) = components else {
        return UnitQuaternion::identity();
    };
    let mut warn =
        |code, message| warnings.push(Warning::of_node(code, index, "/rotation", message));
    let Some(unit) = unit(Quaternion::from(nalgebra::Vector4::from(components))) else {
        let message = "the rotation has length 0; it was read as no rotation".to_owned();
        warn(WarningCode::ZeroQuaternion, message);
        return UnitQuaternion::identity();
    };
    if let Some(length) = odd_length(&components) {
        let message =
            format!("the rotation has length {}; it was normalised", significant(length, 4));
        warn(WarningCode::UnitQuaternion, message);
    }
    unit
}

/// Normalises a quaternion. `None` if its length is zero.
pub(super) fn unit(quaternion: Quaternion<f64>) -> Option<UnitQuaternion<f64>> {
    // Divided by the largest component first, so that the squares neither overflow nor vanish.
    let largest = quaternion.coords.amax();
    (largest > 0.0).then(|| UnitQuaternion::new_normalize(quaternion / largest))
}
