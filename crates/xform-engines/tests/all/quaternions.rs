//! What engines make of quaternions that are not of unit length: the scene `quaternions` of the kit.

use std::fmt::Write;

use nalgebra::{Matrix3, Matrix4, Quaternion, Rotation3, Unit, UnitQuaternion, Vector3};

use crate::answers::all_answers;

/// The nodes of the scene, and how long their quaternions are.
const NODES: [(&str, f64); 3] = [("Half", 0.5), ("Near", 0.995), ("Double", 2.0)];

type Way = fn(&Quaternion<f64>) -> Matrix3<f64>;

/// What becomes of such a quaternion q.
const WAYS: [(&str, Way); 4] = [
    ("made unit", |q| *UnitQuaternion::new_normalize(*q).to_rotation_matrix().matrix()),
    ("as it comes", as_it_comes),
    ("scaled by the square of its length", |q| {
        UnitQuaternion::new_normalize(*q).to_rotation_matrix().matrix() * q.norm_squared()
    }),
    ("another angle, 2 acos w", |q| {
        let axis = Unit::new_normalize(q.imag());
        *Rotation3::from_axis_angle(&axis, 2.0 * q.w.clamp(-1.0, 1.0).acos()).matrix()
    }),
];

/// The formula for unit quaternions, whatever the length.
fn as_it_comes(q: &Quaternion<f64>) -> Matrix3<f64> {
    let v = Matrix3::new(0.0, -q.k, q.j, q.k, 0.0, -q.i, -q.j, q.i, 0.0);
    Matrix3::identity() + (v * q.w + v * v) * 2.0
}

/// A row for each run: what it makes of each length.
pub(crate) fn table() -> String {
    let mut table =
        "| run | version | length 0.5 | 0.995 | 2 |\n|---|---|---|---|---|\n".to_owned();
    for (run, answers) in all_answers("quaternions") {
        let mut row = format!("| {} | {} |", run.run, run.version);
        for (name, length) in NODES {
            let world = answers.nodes.get(name).and_then(|answer| answer.world());
            let world: Option<Vec<f64>> = world.and_then(|world| world.iter().copied().collect());
            // Where an engine has no world of the node, as VTK has of what draws nothing.
            let Some(world) = world else {
                row.push_str(" – |");
                continue;
            };
            let world = Matrix4::from_column_slice(&world);
            let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 40_f64.to_radians());
            let q = turn.into_inner() * length;
            let is = |way: Way| {
                let local = way(&q) * Matrix3::from_diagonal(&Vector3::new(2.0, 1.0, 1.0));
                let said = run.axes.convention().world(&local.to_homogeneous());
                let off = said.fixed_view::<3, 3>(0, 0) - world.fixed_view::<3, 3>(0, 0);
                off.amax() < 1e-5
            };
            let way = WAYS.iter().find(|(_, way)| is(*way)).map_or("otherwise", |(words, _)| words);
            write!(row, " {way} |").expect("a string");
        }
        if !row.ends_with("| – | – | – |") {
            writeln!(table, "{row}").expect("a string");
        }
    }
    table
}

#[test]
fn every_engine_makes_something_known_of_a_quaternion() {
    let table = table();
    assert!(table.lines().count() > 15 && !table.contains("otherwise"), "{table}");
}
