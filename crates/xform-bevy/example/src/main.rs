//! Two arms that stretch and bend. The hand of the upper arm inherits the arm's scale; the hand of the lower arm does
//! not.
//!
//! The space bar switches the strategy between accumulated matrices, as in Bevy, and combined TRS, as in Unreal.
//!
//! Run with `cargo run -p xform-bevy-example`. With `-- --picture FILE.png` it saves a picture and exits; with `--trs`
//! it starts with combined TRS.

use std::{env, path::PathBuf};

use bevy::{
    color::palettes::css::{CORAL, SANDY_BROWN, STEEL_BLUE},
    prelude::*,
    render::view::screenshot::{Screenshot, save_to_disk},
    transform::TransformPlugin,
    window::PrimaryWindow,
};
use xform_bevy::{Inherit, XformHierarchy, propagate_transforms};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

type Matrices = AccumulatedMatrix<f32>;
type Parts = CombinedTrs<f32>;

/// The strategy for propagating transforms.
#[derive(Clone, Copy, Default, Eq, PartialEq, Resource)]
enum Strategy {
    #[default]
    Matrices,
    Parts,
}

impl Strategy {
    fn title(self) -> &'static str {
        match self {
            Self::Matrices => {
                "Accumulated matrices: the upper hand is skewed (space: combined TRS)"
            }
            Self::Parts => "Combined TRS: the upper hand is long (space: accumulated matrices)",
        }
    }
}

#[derive(Component)]
struct Arm;

#[derive(Component)]
struct Hand;

/// The path of the requested picture.
#[derive(Resource)]
struct Picture(PathBuf);

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let is_trs = arguments.iter().any(|argument| argument == "--trs");
    let picture = arguments.iter().position(|argument| argument == "--picture");
    let picture = picture.and_then(|place| arguments.get(place + 1));

    let mut app = App::new();
    app.add_plugins(DefaultPlugins.build().disable::<TransformPlugin>())
        // An app with a single strategy adds `XformPlugin`, which does all of this.
        .init_resource::<XformHierarchy<Matrices>>()
        .init_resource::<XformHierarchy<Parts>>()
        .insert_resource(if is_trs { Strategy::Parts } else { Strategy::Matrices })
        .add_systems(
            PostUpdate,
            (
                propagate_transforms::<Matrices>().run_if(resource_equals(Strategy::Matrices)),
                propagate_transforms::<Parts>().run_if(resource_equals(Strategy::Parts)),
            )
                .in_set(TransformSystems::Propagate),
        )
        .add_systems(Startup, spawn)
        .add_systems(Update, (switch, bend, say));
    if let Some(file) = picture {
        app.insert_resource(Picture(file.into())).add_systems(Update, take_picture);
    }
    app.run();
}

fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    commands.spawn((Camera3d::default(), Transform::from_xyz(0.9, 0.0, 7.5)));
    commands.spawn((
        DirectionalLight { illuminance: 4_000.0, ..default() },
        Transform::from_xyz(1.0, 2.0, 4.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    // Extends from its joint, at the origin, along x.
    let limb = Mesh::from(Cuboid::new(1.0, 0.5, 0.5)).translated_by(Vec3::X * 0.5);
    let finger = Mesh::from(Cuboid::new(0.5, 0.1, 0.4)).translated_by(Vec3::X * 0.25);
    let [limb, finger] = [limb, finger].map(|mesh| meshes.add(mesh));
    let [skin, other_skin, blue] =
        [CORAL, SANDY_BROWN, STEEL_BLUE].map(|color| materials.add(Color::from(color)));
    for (y, inherit, skin) in [(0.3, Inherit::All, skin), (-1.9, Inherit::NoScale, other_skin)] {
        let arm = (Arm, Mesh3d(limb.clone()), MeshMaterial3d(blue.clone()));
        commands.spawn((arm, Transform::from_xyz(-1.6, y, 0.0))).with_children(|arm| {
            let at_the_end = Transform::from_xyz(1.0, 0.0, 0.0);
            let hand = (Hand, inherit, Mesh3d(limb.clone()), MeshMaterial3d(skin.clone()));
            arm.spawn((hand, at_the_end)).with_children(|hand| {
                for turn in [-0.4, 0.0, 0.4] {
                    let rotation = Quat::from_rotation_z(turn);
                    let pose = at_the_end.with_rotation(rotation);
                    hand.spawn((Mesh3d(finger.clone()), MeshMaterial3d(skin.clone()), pose));
                }
            });
        });
    }
}

fn bend(
    time: Res<Time>,
    picture: Option<Res<Picture>>,
    mut arms: Query<&mut Transform, (With<Arm>, Without<Hand>)>,
    mut hands: Query<&mut Transform, With<Hand>>,
) {
    // A saved picture is always the same.
    let swing = if picture.is_some() { 1.0 } else { time.elapsed_secs().sin() };
    for mut arm in &mut arms {
        arm.scale.x = 2.0 + 0.5 * swing;
    }
    for mut hand in &mut hands {
        hand.rotation = Quat::from_rotation_z(0.9 * swing);
    }
}

fn switch(keys: Res<ButtonInput<KeyCode>>, mut strategy: ResMut<Strategy>) {
    if keys.just_pressed(KeyCode::Space) {
        *strategy = match *strategy {
            Strategy::Matrices => Strategy::Parts,
            Strategy::Parts => Strategy::Matrices,
        };
    }
}

fn say(strategy: Res<Strategy>, mut window: Single<&mut Window, With<PrimaryWindow>>) {
    if strategy.is_changed() {
        window.title = strategy.title().to_owned();
    }
}

/// Takes the picture after a second, when the pipelines have been compiled.
fn take_picture(
    mut commands: Commands,
    picture: Res<Picture>,
    mut frame: Local<u32>,
    mut exit: MessageWriter<AppExit>,
) {
    *frame += 1;
    match *frame {
        60 => {
            commands.spawn(Screenshot::primary_window()).observe(save_to_disk(picture.0.clone()));
        }
        120 => {
            exit.write(AppExit::Success);
        }
        _ => {}
    }
}
