//! What an importer may have got wrong: steps from a parent to its child that are no engine's.

use std::{collections::HashMap, f64::consts::TAU};

use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};
use xform_core::Trs;
use xform_scene::{LocalPose, Scene};

use crate::distance::off;

/// A step that importers get wrong.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Mistake {
    /// The rotation is its inverse: a matrix is transposed, or a quaternion conjugated.
    RotationInverted,
    /// The quaternion x y z w is read as w x y z.
    QuaternionOrder,
    /// An angle in radians is taken for degrees, or the other way round.
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
    /// Nothing of the parent's scale is taken.
    ParentScaleDropped,
    /// Nothing of the parent is taken.
    ParentDropped,
    /// Local and parent are multiplied the other way round.
    ProductReversed,
    /// An axis is mirrored in the translation or in the rotation, and not in both.
    AxisMirrored,
    /// The translation is in another unit than its parent's.
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

    /// What was done, as a clause.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::RotationInverted => {
                "the rotation is turned the other way (a matrix transposed, or a quaternion conjugated)"
            }
            Self::QuaternionOrder => "the quaternion is read as w x y z in place of x y z w",
            Self::AngleUnit => "an angle is in degrees in place of radians, or the other way round",
            Self::ScaleAfterRotation => {
                "the scale is applied after the rotation (T·S·R in place of T·R·S)"
            }
            Self::TranslationFirst => {
                "the node's own rotation and scale act on its translation (R·S·T in place of T·R·S)"
            }
            Self::ScaleSignLost => {
                "the scale has lost its sign, so that a node that mirrors does not"
            }
            Self::ScaleDropped => "the scale is left out",
            Self::RotationDropped => "the rotation is left out",
            Self::TranslationDropped => "the translation is left out",
            Self::TranslationUnscaled => "the parent's scale does not act on the translation",
            Self::ParentScaleDropped => "nothing of the parent's scale is inherited",
            Self::ParentDropped => {
                "the node does not hang below its parent: the local transform stands in the world"
            }
            Self::ProductReversed => "the product is the other way round (local · parent)",
            Self::AxisMirrored => {
                "an axis is mirrored in the translation or in the rotation, and not in both"
            }
            Self::TranslationUnit => "the translation is in another unit than that of the parent",
        }
    }

    /// The world transforms that come of it; some have several forms.
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
                // A quaternion and its negative are one rotation, by an angle and by the rest of the turn the other way.
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
                // The factor is whatever the answer says.
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

/// A matrix whose axes are of length 1; one of length 0 stays.
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

/// A step that was answered: the worlds of a node and of its parent.
pub(crate) struct Step {
    parent: Matrix4<f64>,
    /// The node below its parent, as the file has it.
    local: LocalPose,
    answered: Matrix4<f64>,
    pub(crate) has_parent: bool,
}

impl Step {
    /// Those of a scene, whose worlds were answered as these say, with the node of each. One whose parent was not answered is none.
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

    /// Whether the step is this mistake, and not right.
    pub(crate) fn is_by(&self, mistake: Mistake, bound: f64) -> bool {
        let LocalPose::Trs(pose) = &self.local else { return false };
        let is = |world: &Matrix4<f64>| off(world, &self.answered) <= bound;
        !self.is_right(bound) && mistake.steps(&self.parent, pose, &self.answered).iter().any(is)
    }
}

/// How many steps are right or come out by one mistake, whichever explains most.
pub(crate) fn explained(all: &[Step], bound: f64) -> usize {
    let right = all.iter().filter(|step| step.is_right(bound)).count();
    let by = Mistake::EACH
        .into_iter()
        .map(|mistake| all.iter().filter(|step| step.is_by(mistake, bound)).count());
    right + by.max().unwrap_or(0)
}

/// The mistake that a wrong step is: of several the one that is most of all.
pub(crate) fn likely(wrong: &Step, all: &[Step], bound: f64) -> Option<Mistake> {
    let each = Mistake::EACH.into_iter().filter(|mistake| wrong.is_by(*mistake, bound));
    let counted =
        each.map(|mistake| (mistake, all.iter().filter(|step| step.is_by(mistake, bound)).count()));
    // Of several that are as many, the first.
    let most = counted.reduce(|best, next| if next.1 > best.1 { next } else { best });
    most.map(|(mistake, _)| mistake)
}

/// The node that a node hangs below in place of its parent.
pub(crate) fn other_parent(
    wrong: &Step,
    worlds: &[(usize, Matrix4<f64>)],
    bound: f64,
) -> Option<usize> {
    let local = *wrong.local.to_affine().matrix();
    let found = worlds.iter().find(|(_, world)| off(&(world * local), &wrong.answered) <= bound);
    found.map(|(node, _)| *node)
}
