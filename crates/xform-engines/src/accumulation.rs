use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use xform_core::{Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::{
    LocalPose, Reason,
    decomposition::shepperd,
    fold::{lengths, unscaled},
    is_non_uniform,
};

/// World transforms that differ by less than this fraction of their largest entry are equal up to rounding.
const SAME: f64 = 1e-9;

/// The same fraction for poses that an exporter decomposed and wrote in 32 bits: rounding makes a mirror that was
/// meant to be uniform slightly non-uniform.
const ROUNDED: f64 = 1e-5;

// A rule that needs only a node's pose and its parent's world transform is an `Accumulation`. Rules that need more
// have a fold of their own (`fbx`, `blender`, `houdini`, …), so the trait `Transform` stays as it is.
//
// The importer of a matrix engine yields an affine map and not a pose: for example, a quaternion that is too short
// also shrinks the node, which no pose can express (`QuaternionRule::AsItComes`).

/// How an engine computes a node's world transform from its parent's.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Accumulation {
    /// Multiplies matrices: [`AccumulatedMatrix`].
    Matrix,
    /// Combines scales, rotations and positions separately: [`CombinedTrs`].
    CombinedTrs,
    /// Like [`CombinedTrs`](Self::CombinedTrs), but if a scale of the parent or the child is negative, the rotation
    /// is that of the matrix product: its columns made unit, with the signs of the combined scale.
    CombinedTrsByMatrix,
    /// Like [`CombinedTrsByMatrix`](Self::CombinedTrsByMatrix), for a file whose importer was not seen.
    ///
    /// If the product of a mirror is sheared, its rotation depends on the axes of the world and on which scale has
    /// the negative sign, so on how the importer turns the roots and decomposes poses. In that case the result is not
    /// known.
    CombinedTrsMirrorNotSeen,
    /// Like [`CombinedTrs`](Self::CombinedTrs), but a [non-uniform scale](is_non_uniform) affects its own node only:
    /// descendants neither inherit it nor are placed by it.
    UniformTrs,
    /// The rule was not seen. A result is known only if matrices and combined TRS agree on it.
    NotSeen,
}

/// A world transform as an engine stores it. It maps the node's own space to the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum World {
    /// A matrix.
    Matrix(AccumulatedMatrix<f64>),
    /// Scale, rotation and position.
    Trs(CombinedTrs<f64>),
    /// Scale, rotation and position, and a scale applied before these that children do not inherit.
    UniformTrs {
        /// The transform that children inherit.
        inherited: CombinedTrs<f64>,
        /// The scale of this node only.
        own: Vector3<f64>,
    },
}

impl World {
    /// Returns this world transform as a matrix for column vectors.
    #[must_use]
    pub fn to_homogeneous(&self) -> Matrix4<f64> {
        match self {
            Self::Matrix(matrix) => *matrix.matrix(),
            Self::Trs(trs) => trs.to_homogeneous(),
            Self::UniformTrs { inherited, own } => {
                inherited.to_homogeneous() * Matrix4::new_nonuniform_scaling(own)
            }
        }
    }

    fn finite(self) -> Result<Self, Reason> {
        let is_finite = self.to_homogeneous().iter().all(|entry| entry.is_finite());
        is_finite.then_some(self).ok_or(Reason::Overflow)
    }
}

impl Accumulation {
    /// Returns the rule as far as it is known for FBX files.
    ///
    /// glTF importers change the axes at every node, which has no effect here. FBX importers change them at the
    /// roots.
    #[must_use]
    pub fn of_fbx(self) -> Self {
        match self {
            Self::CombinedTrsByMatrix => Self::CombinedTrsMirrorNotSeen,
            rule => rule,
        }
    }

    /// Returns the world transform of a root.
    ///
    /// # Errors
    ///
    /// - [`Reason::ShearedMatrix`] if the rule stores no matrices and `local` is one.
    /// - [`Reason::Overflow`] if a number is not finite.
    pub fn root(self, local: &LocalPose) -> Result<World, Reason> {
        match (self, local) {
            (Self::Matrix, local) => World::Matrix(local.to_affine()).finite(),
            (Self::UniformTrs, LocalPose::Trs(local)) => uniform(None, local).finite(),
            (_, LocalPose::Trs(trs)) => World::Trs((*trs).into()).finite(),
            (_, LocalPose::Matrix(_)) => Err(Reason::ShearedMatrix),
        }
    }

    /// Returns the world transform of a child of `parent`.
    ///
    /// # Errors
    ///
    /// - As for [`root`](Self::root).
    /// - [`Reason::ZeroScale`] if the rule divides by the length of an axis that has none.
    /// - [`Reason::NonUniformScale`] if the rule was not seen and matters here.
    /// - [`Reason::MirroredMatrix`] if the importer was not seen and the product of a mirror is sheared.
    ///
    /// # Panics
    ///
    /// If `parent` was computed by a rule that stores another variant of [`World`].
    pub fn concat(self, parent: &World, local: &LocalPose) -> Result<World, Reason> {
        match (self, parent, local) {
            (Self::Matrix, World::Matrix(parent), LocalPose::Trs(local)) => {
                World::Matrix(parent.concat(local)).finite()
            }
            (Self::Matrix, World::Matrix(parent), LocalPose::Matrix(local)) => {
                let product = AccumulatedMatrix::from_matrix(parent.matrix() * local.matrix());
                World::Matrix(product.ok_or(Reason::Overflow)?).finite()
            }
            (Self::CombinedTrs, World::Trs(parent), LocalPose::Trs(local)) => {
                World::Trs(parent.concat(local)).finite()
            }
            (Self::CombinedTrsByMatrix, World::Trs(parent), LocalPose::Trs(local)) => {
                World::Trs(combined_by_matrix(parent, local)?).finite()
            }
            (Self::CombinedTrsMirrorNotSeen, World::Trs(parent), LocalPose::Trs(local)) => {
                let combined = combined_by_matrix(parent, local)?;
                if mirrors(parent, local) {
                    unless_sheared(combined, parent, local, ROUNDED, Reason::MirroredMatrix)
                } else {
                    World::Trs(combined).finite()
                }
            }
            (Self::NotSeen, World::Trs(parent), LocalPose::Trs(local)) => {
                let combined = parent.concat(local);
                unless_sheared(combined, parent, local, SAME, Reason::NonUniformScale)
            }
            (Self::UniformTrs, World::UniformTrs { inherited, .. }, LocalPose::Trs(local)) => {
                uniform(Some(inherited), local).finite()
            }
            (
                Self::CombinedTrs
                | Self::CombinedTrsByMatrix
                | Self::CombinedTrsMirrorNotSeen
                | Self::NotSeen,
                World::Trs(_),
                LocalPose::Matrix(_),
            )
            | (Self::UniformTrs, World::UniformTrs { .. }, LocalPose::Matrix(_)) => {
                Err(Reason::ShearedMatrix)
            }
            _ => panic!("the world transform of the parent is of another kind"),
        }
    }
}

/// One step of [`Accumulation::UniformTrs`].
fn uniform(parent: Option<&CombinedTrs<f64>>, local: &Trs<f64>) -> World {
    let (uniform, own) = if is_non_uniform(&local.scale) {
        (Trs { scale: Vector3::repeat(1.0), ..*local }, local.scale)
    } else {
        (*local, Vector3::repeat(1.0))
    };
    let inherited = parent.map_or_else(|| uniform.into(), |parent| parent.concat(&uniform));
    World::UniformTrs { inherited, own }
}

/// Whether a scale of the parent or the child is negative.
fn mirrors(parent: &CombinedTrs<f64>, local: &Trs<f64>) -> bool {
    let scales = [parent.to_trs().scale, local.scale];
    scales.iter().flatten().any(|&factor| factor < 0.0)
}

/// Returns the combined transform if it equals the product of the matrices, up to the tolerance.
fn unless_sheared(
    combined: CombinedTrs<f64>,
    parent: &CombinedTrs<f64>,
    local: &Trs<f64>,
    tolerance: f64,
    else_why: Reason,
) -> Result<World, Reason> {
    let combined = World::Trs(combined).finite()?;
    let product = parent.to_homogeneous() * local.to_homogeneous();
    let apart = (combined.to_homogeneous() - product).amax();
    if apart <= tolerance * product.amax() { Ok(combined) } else { Err(else_why) }
}

/// One step of [`Accumulation::CombinedTrsByMatrix`].
fn combined_by_matrix(
    parent: &CombinedTrs<f64>,
    local: &Trs<f64>,
) -> Result<CombinedTrs<f64>, Reason> {
    let combined = parent.concat(local);
    if !mirrors(parent, local) {
        return Ok(combined);
    }
    let product = parent.to_trs().to_linear() * local.to_linear();
    let Trs { translation, scale, .. } = combined.to_trs();
    if scale.iter().any(|&factor| factor == 0.0) {
        return Err(Reason::ZeroScale);
    }
    let signs: Vector3<f64> = scale.map(f64::signum);
    let turned = unscaled(&product, &lengths(&product)?.component_mul(&signs));
    let rotation = UnitQuaternion::new_normalize(shepperd(&turned));
    Ok(CombinedTrs::from_parts(translation, rotation, scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_without_matrices_takes_none() {
        let sheared = Matrix4::new_nonuniform_scaling(&Vector3::new(2.0, 1.0, 1.0))
            * UnitQuaternion::from_euler_angles(0.0, 0.0, 0.7).to_homogeneous();
        let sheared = LocalPose::Matrix(AccumulatedMatrix::from_matrix(sheared).expect("affine"));
        for rule in [
            Accumulation::CombinedTrs,
            Accumulation::CombinedTrsByMatrix,
            Accumulation::UniformTrs,
            Accumulation::NotSeen,
        ] {
            assert_eq!(rule.root(&sheared), Err(Reason::ShearedMatrix));
            let root = rule.root(&LocalPose::Trs(Trs::identity())).expect("a pose");
            assert_eq!(rule.concat(&root, &sheared), Err(Reason::ShearedMatrix));
        }
        assert!(Accumulation::Matrix.root(&sheared).is_ok());
    }

    #[test]
    fn a_rule_that_was_not_seen_is_known_until_it_matters() {
        let rule = Accumulation::NotSeen;
        let root = rule.root(&Trs::from_scale(Vector3::new(2.0, 1.0, 1.0)).into()).expect("a pose");
        let moved = Trs::from_translation(Vector3::new(1.0, 1.0, 1.0));
        let child = rule.concat(&root, &moved.into()).expect("nothing is turned");
        assert_eq!(child.to_homogeneous().column(3).xyz(), Vector3::new(2.0, 1.0, 1.0));
        let turn = Trs::from_rotation(UnitQuaternion::from_euler_angles(0.0, 0.0, 0.7));
        assert_eq!(rule.concat(&child, &turn.into()), Err(Reason::NonUniformScale));
    }

    #[test]
    fn a_non_uniform_scale_is_of_its_node_alone() {
        let rule = Accumulation::UniformTrs;
        let pose = |scale: [f64; 3]| {
            let turn = UnitQuaternion::from_euler_angles(0.0, 0.0, std::f64::consts::FRAC_PI_2);
            LocalPose::from(Trs::from_parts(Vector3::x(), turn, scale.into()))
        };
        let root = rule.root(&pose([2.0, 2.0, 2.0])).expect("a pose");
        let stretched = rule.concat(&root, &pose([3.0, 1.0, 1.0])).expect("a pose");
        // The position is scaled by 2 and turned. The axes are 2 long, but x is 6.
        assert!(
            (stretched.to_homogeneous().column(3).xyz() - Vector3::new(1.0, 2.0, 0.0)).amax()
                < 1e-12
        );
        assert!(
            (stretched.to_homogeneous().column(0).xyz() - Vector3::new(-6.0, 0.0, 0.0)).amax()
                < 1e-12
        );
        let below = rule.concat(&stretched, &pose([1.0; 3])).expect("a pose").to_homogeneous();
        assert!((below.column(3).xyz() - Vector3::new(-1.0, 2.0, 0.0)).amax() < 1e-12);
        assert!((below.column(0).norm() - 2.0).abs() < 1e-12);
    }

    #[test]
    fn below_a_mirror_that_was_not_seen_nothing_is_known_of_what_is_sheared() {
        let rule = Accumulation::CombinedTrsMirrorNotSeen;
        let root =
            |scale: [f64; 3]| rule.root(&Trs::from_scale(scale.into()).into()).expect("a pose");
        let turned =
            Trs { rotation: UnitQuaternion::from_euler_angles(0.0, 0.0, 0.7), ..Trs::identity() };
        let step = |scale| rule.concat(&root(scale), &turned.into());
        assert_eq!(step([-2.0, 1.0, 1.0]), Err(Reason::MirroredMatrix));
        // A uniform negative scale, a mirror through the origin, shears nothing. Neither does one with rounding
        // errors.
        assert!(step([-2.0; 3]).is_ok());
        assert!(step([-1.000_000_1, -1.0, -0.999_999_9]).is_ok());
        assert_eq!(
            step([2.0, 1.0, 1.0]),
            Accumulation::CombinedTrs.concat(&root([2.0, 1.0, 1.0]), &turned.into())
        );
    }

    #[test]
    fn a_mirror_with_a_scale_of_zero_has_no_rotation() {
        let rule = Accumulation::CombinedTrsByMatrix;
        let flat = Trs::from_scale(Vector3::new(-1.0, 0.0, 1.0));
        let root = rule.root(&flat.into()).expect("roots are taken as they are");
        assert_eq!(rule.concat(&root, &Trs::identity().into()), Err(Reason::ZeroScale));
    }
}
