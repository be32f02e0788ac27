//! What entities inherit, by the definitions of `xform_core::Inherit` in `f64`.

use bevy_ecs::hierarchy::ChildOf;
use bevy_transform::components::Transform;
use glam::{Affine3A, DMat3, DQuat, DVec3, Mat3A, Quat, Vec3};
use xform_bevy::Inherit;
use xform_core::nalgebra::Matrix3;

use crate::{ARM, Matrices, Trs, app, assert_near, hand, world_of};

/// A world transform, as a matrix and as parts.
#[derive(Clone, Copy)]
pub(crate) struct World64 {
    linear: DMat3,
    origin: DVec3,
    rotation: DQuat,
    scale: DVec3,
}

impl World64 {
    pub(crate) const IDENTITY: Self = Self {
        linear: DMat3::IDENTITY,
        origin: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        scale: DVec3::ONE,
    };

    pub(crate) fn rounded(&self) -> Affine3A {
        let matrix3: Mat3A = self.linear.as_mat3().into();
        Affine3A { matrix3, translation: self.origin.as_vec3().into() }
    }
}

fn origin(world: &World64, pose: &Transform, inherit: Inherit) -> DVec3 {
    let local = pose.translation.as_dvec3();
    if inherit == Inherit::Nothing { local } else { world.origin + world.linear * local }
}

/// The rotation nearest to a matrix, the x axis of a mirroring one reversed first.
fn nearest_rotation(matrix: DMat3) -> DMat3 {
    let sign = DVec3::new(matrix.determinant().signum(), 1.0, 1.0);
    let svd = Matrix3::from(matrix.mul_mat3(&DMat3::from_diagonal(sign)).to_cols_array_2d());
    let svd = svd.svd(true, true);
    let rotation = svd.u.expect("asked for") * svd.v_t.expect("asked for");
    DMat3::from_cols_array_2d(&rotation.into())
}

pub(crate) fn by_matrices(world: &World64, pose: &Transform, inherit: Inherit) -> World64 {
    let frame = match inherit {
        Inherit::All => world.linear,
        Inherit::NoScale => nearest_rotation(world.linear),
        Inherit::NoRotation => nearest_rotation(world.linear).transpose() * world.linear,
        Inherit::PositionOnly | Inherit::Nothing => DMat3::IDENTITY,
    };
    let rotation = DMat3::from_quat(pose.rotation.as_dquat());
    let linear = frame * rotation * DMat3::from_diagonal(pose.scale.as_dvec3());
    World64 { linear, origin: origin(world, pose, inherit), ..World64::IDENTITY }
}

pub(crate) fn by_parts(world: &World64, pose: &Transform, inherit: Inherit) -> World64 {
    let (mut rotation, mut scale) = (world.rotation, world.scale);
    if matches!(inherit, Inherit::NoRotation | Inherit::PositionOnly | Inherit::Nothing) {
        rotation = DQuat::IDENTITY;
    }
    if matches!(inherit, Inherit::NoScale | Inherit::PositionOnly | Inherit::Nothing) {
        scale = DVec3::ONE;
    }
    rotation *= pose.rotation.as_dquat();
    scale *= pose.scale.as_dvec3();
    let linear = DMat3::from_quat(rotation) * DMat3::from_diagonal(scale);
    World64 { linear, origin: origin(world, pose, inherit), rotation, scale }
}

#[test]
fn a_hand_without_its_arms_scale_is_not_skewed() {
    let mut app = app::<Matrices>();
    let arm = app.world_mut().spawn(ARM).id();
    let hand = app.world_mut().spawn((hand(), Inherit::NoScale, ChildOf(arm))).id();
    app.update();
    let origin = Vec3::new(3.0, 0.0, 0.0);
    let turn = Quat::from_rotation_z(std::f32::consts::FRAC_PI_4);
    let alone = Affine3A::from_rotation_translation(turn, origin);
    assert_near(world_of(app.world(), hand), alone, 1e-6, "its origin is where the arm takes it");
}

#[test]
fn it_can_be_inserted_changed_and_removed() {
    let mut app = app::<Trs>();
    let arm = app.world_mut().spawn(ARM).id();
    let hand = app.world_mut().spawn((hand(), ChildOf(arm))).id();
    let mut length = |inherit: Option<Inherit>| {
        let mut entity = app.world_mut().entity_mut(hand);
        match inherit {
            Some(inherit) => entity.insert(inherit),
            None => entity.remove::<Inherit>(),
        };
        app.update();
        world_of(app.world(), hand).matrix3.x_axis.length()
    };
    assert!((length(None) - 4.0).abs() < 1e-6);
    assert!((length(Some(Inherit::NoScale)) - 1.0).abs() < 1e-6);
    assert!((length(Some(Inherit::NoRotation)) - 4.0).abs() < 1e-6);
    assert!((length(Some(Inherit::Nothing)) - 1.0).abs() < 1e-6);
    assert!((length(None) - 4.0).abs() < 1e-6);
}

#[cfg(all(feature = "bevy_reflect", feature = "serialize"))]
#[test]
fn it_is_reflected_and_serialised() {
    use bevy_reflect::{TypePath, serde::ReflectSerializer};

    let app = app::<Matrices>();
    let registry = app.world().resource::<bevy_ecs::reflect::AppTypeRegistry>().read();
    assert_eq!(Inherit::type_path(), "xform_bevy::inherit::Inherit");
    let text = serde_json::to_string(&ReflectSerializer::new(&Inherit::NoScale, &registry));
    assert_eq!(text.expect("it can be"), r#"{"xform_bevy::inherit::Inherit":"NoScale"}"#);
    let read: Inherit = serde_json::from_str(r#""PositionOnly""#).expect("it is one");
    assert_eq!(read, Inherit::PositionOnly);
}
