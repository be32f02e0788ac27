//! What engines make of quaternions that are not of unit length: the scene `quaternions` of the kit.

use std::fmt::Write;

use nalgebra::{Matrix3, Matrix4, Quaternion, Rotation3, Unit, UnitQuaternion, Vector3};
use xform_core::Trs;
use xform_engines::{Import, SourceNode};

use crate::{
    answers::{ANSWERS, all_answers},
    runs::claimed,
};

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

/// Each run that engines are said to read quaternions by, of how many nodes, and how far off the rule is.
pub(crate) fn checked() -> Vec<(String, usize, f64)> {
    let claims = claimed(|engine| engine.quaternion.known, " quaternions");
    let found = claims.map(|(engine, name)| {
        let run = &ANSWERS.runs[name];
        let answers = run.at_rest("quaternions").expect("it was asked");
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 40_f64.to_radians());
        let (mut count, mut worst) = (0, 0.0_f64);
        for (place, (name, length)) in NODES.into_iter().enumerate() {
            let up = f64::from(u32::try_from(3 * place).expect("few"));
            let scale = Vector3::new(2.0, 1.0, 1.0);
            let pose = Trs::from_parts(Vector3::new(0.0, up, 0.0), turn, scale);
            let (accumulation, rule) = (engine.accumulation.rule, engine.quaternion.rule);
            let local = rule.imported(accumulation, &pose, length).expect("it is known");
            let child = Trs::from_translation(Vector3::x());
            let nodes = [
                SourceNode { parent: None, local },
                SourceNode { parent: Some(0), local: child.into() },
            ];
            let mut engine = *engine;
            engine.import.rule = Import::Kept;
            let worlds = engine.worlds(&nodes).expect("a forest");
            for (path, said) in [name.to_owned(), format!("{name}/{name}Child")].iter().zip(worlds)
            {
                let Some(world) = answers.nodes[path].world() else { continue };
                let world: Vec<f64> = world.iter().map(|e| e.unwrap_or(f64::NAN)).collect();
                let world = Matrix4::from_column_slice(&world);
                let said = said.expect("it is known").to_homogeneous();
                let off =
                    (run.axes.convention().world(&said) - world).amax() / (1.0 + world.amax());
                count += 1;
                worst = if off > worst || off.is_nan() { off } else { worst };
            }
        }
        (name.to_owned(), count, worst)
    });
    found.collect()
}

#[test]
fn every_engine_makes_something_known_of_a_quaternion() {
    let table = table();
    assert!(table.lines().count() > 15 && !table.contains("otherwise"), "{table}");
}
