//! Common mistakes of importers: wrong steps from a parent to its child that no engine makes.

use std::{collections::HashMap, f64::consts::TAU};

use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};
use xform_core::Trs;
use xform_scene::{LocalPose, Scene};

use crate::distance::off;

/// A step from a parent to its child that importers get wrong.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Mistake {
    /// The rotation is inverted: a matrix is transposed, or a quaternion conjugated.
    RotationInverted,
    /// The quaternion x y z w is read as w x y z.
    QuaternionOrder,
    /// An angle in radians is read as degrees, or the other way round.
    AngleUnit,
    /// The scale comes after the rotation: T·S·R.
    ScaleAfterRotation,
    /// The translation is turned and scaled by the node's own rotation and scale: R·S·T.
    TranslationFirst,
    /// The scale of the node is left out.
    ScaleDropped,
    /// The signs of the scale are lost: a node that mirrors does not.
    ScaleSignLost,
    /// The rotation of the node is left out.
    RotationDropped,
    /// The translation of the node is left out.
    TranslationDropped,
    /// The translation is not scaled by the parent's scale.
    TranslationUnscaled,
    /// The parent's scale is ignored.
    ParentScaleDropped,
    /// The parent is ignored.
    ParentDropped,
    /// Local and parent transforms are multiplied in reverse order.
    ProductReversed,
    /// An axis is mirrored in the translation or in the rotation, but not in both.
    AxisMirrored,
    /// The translation uses another unit than its parent's.
    TranslationUnit,
}

impl Mistake {
    const EACH: [Self; 15] = [
        Self::RotationInverted,
        Self::QuaternionOrder,
        Self::AngleUnit,
        Self::ScaleAfterRotation,
        Self::TranslationFirst,
        Self::ScaleSignLost,
        Self::ScaleDropped,
        Self::RotationDropped,
        Self::TranslationDropped,
        Self::TranslationUnscaled,
        Self::ParentScaleDropped,
        Self::ParentDropped,
        Self::ProductReversed,
        Self::AxisMirrored,
        Self::TranslationUnit,
    ];

    /// Returns the mistake as a clause.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::RotationInverted => {
                "the rotation is inverted (a matrix transposed, or a quaternion conjugated)"
            }
            Self::QuaternionOrder => "the quaternion is read as w x y z instead of x y z w",
            Self::AngleUnit => "an angle is in degrees instead of radians, or the other way round",
            Self::ScaleAfterRotation => {
                "the scale is applied after the rotation (T·S·R instead of T·R·S)"
            }
            Self::TranslationFirst => {
                "the node's own rotation and scale act on its translation (R·S·T instead of T·R·S)"
            }
            Self::ScaleSignLost => {
                "the scale has lost its sign, so that a mirroring node no longer mirrors"
            }
            Self::ScaleDropped => "the scale is left out",
            Self::RotationDropped => "the rotation is left out",
            Self::TranslationDropped => "the translation is left out",
            Self::TranslationUnscaled => "the parent's scale does not act on the translation",
            Self::ParentScaleDropped => "the parent's scale is not inherited",
            Self::ParentDropped => {
                "the parent is ignored: the local transform is used as the world transform"
            }
            Self::ProductReversed => "the product is reversed (local · parent)",
            Self::AxisMirrored => {
                "an axis is mirrored in the translation or in the rotation, but not in both"
            }
            Self::TranslationUnit => "the translation uses another unit than its parent's",
        }
    }

    /// Returns the world transforms that the mistake gives. Some mistakes have several forms.
    fn steps(
        self,
        parent: &Matrix4<f64>,
        pose: &Trs<f64>,
        answered: &Matrix4<f64>,
    ) -> Vec<Matrix4<f64>> {
        let Trs { translation: t, rotation: r, scale: s } = *pose;
        let below = |pose: Trs<f64>| parent * pose.to_homogeneous();
        let with_rotation = |rotation| below(Trs { rotation, ..*pose });
        let place = Matrix4::new_translation(&t);
        let (turn, scale) = (r.to_homogeneous(), Matrix4::new_nonuniform_scaling(&s));
        match self {
            Self::RotationInverted => vec![with_rotation(r.inverse())],
            Self::QuaternionOrder => {
                let read = Quaternion::new(r.i, r.j, r.k, r.w);
                vec![with_rotation(UnitQuaternion::new_normalize(read))]
            }
            Self::AngleUnit => {
                let Some((axis, angle)) = r.axis_angle() else { return Vec::new() };
                let turned = |angle| with_rotation(UnitQuaternion::from_axis_angle(&axis, angle));
                // A quaternion and its negative are the same rotation: by an angle, or by the rest of the full turn the
                // other way.
                let angles = [angle, angle - TAU];
                angles
                    .into_iter()
                    .flat_map(|angle| [turned(angle.to_degrees()), turned(angle.to_radians())])
                    .collect()
            }
            Self::ScaleAfterRotation => vec![parent * place * scale * turn],
            Self::TranslationFirst => {
                vec![parent * turn * scale * place, parent * turn * place * scale]
            }
            Self::ScaleSignLost => vec![below(Trs { scale: s.abs(), ..*pose })],
            Self::ScaleDropped => vec![below(Trs { scale: Vector3::repeat(1.0), ..*pose })],
            Self::RotationDropped => vec![with_rotation(UnitQuaternion::identity())],
            Self::TranslationDropped => vec![below(Trs { translation: Vector3::zeros(), ..*pose })],
            Self::TranslationUnscaled => {
                let mut world = below(*pose);
                let origin = (unscaled(parent) * place).fixed_view::<3, 1>(0, 3).into_owned();
                world.fixed_view_mut::<3, 1>(0, 3).copy_from(&origin);
                vec![world]
            }
            Self::ParentScaleDropped => vec![unscaled(parent) * pose.to_homogeneous()],
            Self::ParentDropped => vec![pose.to_homogeneous()],
            Self::ProductReversed => vec![pose.to_homogeneous() * parent],
            Self::AxisMirrored => (0..3)
                .flat_map(|axis| {
                    let mut translation = t;
                    translation[axis] = -translation[axis];
                    let mut flip = Vector3::repeat(-1.0);
                    flip[axis] = 1.0;
                    let mirrored = Quaternion::from_parts(r.w, r.imag().component_mul(&flip));
                    [
                        below(Trs { translation, ..*pose }),
                        with_rotation(UnitQuaternion::new_normalize(mirrored)),
                    ]
                })
                .collect(),
            Self::TranslationUnit => {
                // The factor is taken from the answer.
                let moved = parent.transform_vector(&t);
                let from_parent = (answered - parent).fixed_view::<3, 1>(0, 3).into_owned();
                let factor = from_parent.dot(&moved) / moved.norm_squared();
                if !factor.is_finite() {
                    return Vec::new();
                }
                vec![below(Trs { translation: t * factor, ..*pose })]
            }
        }
    }
}

/// Returns a matrix with axes of length 1. An axis of length 0 stays.
fn unscaled(world: &Matrix4<f64>) -> Matrix4<f64> {
    let mut unscaled = *world;
    for mut column in unscaled.fixed_view_mut::<3, 3>(0, 0).column_iter_mut() {
        let length = column.norm();
        if length > 0.0 {
            column /= length;
        }
    }
    unscaled
}

/// A step in answers: the world transforms of a node and of its parent.
pub(crate) struct Step {
    parent: Matrix4<f64>,
    /// The local pose of the node in the file.
    local: LocalPose,
    answered: Matrix4<f64>,
    pub(crate) has_parent: bool,
}

impl Step {
    /// Returns the steps of a scene with these answered world transforms, each with its node. A node whose parent has
    /// no answer is skipped.
    pub(crate) fn all(
        scene: &Scene,
        worlds: &[(usize, Matrix4<f64>)],
    ) -> impl Iterator<Item = (usize, Self)> {
        let by_node: HashMap<_, _> = worlds.iter().copied().collect();
        worlds.iter().filter_map(move |(node, answered)| {
            let found = &scene.nodes[*node];
            let parent = match found.parent {
                Some(parent) => *by_node.get(&parent)?,
                None => Matrix4::identity(),
            };
            let (local, answered) = (found.local, *answered);
            let has_parent = found.parent.is_some();
            Some((*node, Self { parent, local, answered, has_parent }))
        })
    }

    pub(crate) fn is_right(&self, bound: f64) -> bool {
        off(&(self.parent * self.local.to_affine().matrix()), &self.answered) <= bound
    }

    /// Whether the step shows this mistake, and is not right.
    pub(crate) fn is_by(&self, mistake: Mistake, bound: f64) -> bool {
        let LocalPose::Trs(pose) = &self.local else { return false };
        let is = |world: &Matrix4<f64>| off(world, &self.answered) <= bound;
        !self.is_right(bound) && mistake.steps(&self.parent, pose, &self.answered).iter().any(is)
    }
}

/// Returns how many steps are right or explained by one mistake, for the mistake that explains most.
pub(crate) fn explained(all: &[Step], bound: f64) -> usize {
    let right = all.iter().filter(|step| step.is_right(bound)).count();
    let by = Mistake::EACH
        .into_iter()
        .map(|mistake| all.iter().filter(|step| step.is_by(mistake, bound)).count());
    right + by.max().unwrap_or(0)
}

/// Returns the mistake that explains a wrong step. If several do, the one that explains most steps wins.
pub(crate) fn likely(wrong: &Step, all: &[Step], bound: f64) -> Option<Mistake> {
    let each = Mistake::EACH.into_iter().filter(|mistake| wrong.is_by(*mistake, bound));
    let counted =
        each.map(|mistake| (mistake, all.iter().filter(|step| step.is_by(mistake, bound)).count()));
    // The first of equally frequent ones.
    let most = counted.reduce(|best, next| if next.1 > best.1 { next } else { best });
    most.map(|(mistake, _)| mistake)
}

/// Returns a node that explains a wrong step if it takes the place of the parent.
pub(crate) fn other_parent(
    wrong: &Step,
    worlds: &[(usize, Matrix4<f64>)],
    bound: f64,
) -> Option<usize> {
    let local = *wrong.local.to_affine().matrix();
    let found = worlds.iter().find(|(_, world)| off(&(world * local), &wrong.answered) <= bound);
    found.map(|(node, _)| *node)
}
