//! What the getters of engines answer for the world rotation and the world scale of a node.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use xform_core::Trs;
use xform_engines::{CannotSay, Engine, Getters, Import, LocalPose, World, WorldParts};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::{
    answers::{ANSWERS, Getter, Scene, answered, nodes},
    runs::claimed,
};

/// Each run that getters were asked in, of how many nodes, and how far off the rule is: the worst component divided by one
/// more than the largest.
pub(crate) fn checked() -> Vec<(String, usize, f64)> {
    let found = claimed(|engine| engine.getters.known, " getters").map(|(engine, run)| {
        let (nodes, off) = of_run(engine, run);
        (run.to_owned(), nodes, off)
    });
    found.collect()
}

/// The engines that were given matrices by calls which keep them.
const KEEPS: [&str; 4] = ["three", "godot", "panda3d", "usd"];
/// The engines whose products of rotations are not known where a node has a matrix, or that were given none.
const WITHOUT_MATRICES: [&str; 2] = ["playcanvas", "galacean"];

fn of_run(engine: &Engine, run: &str) -> (usize, f64) {
    let mut found = (0, 0.0);
    for (scene, nodes) in &ANSWERS.scenes {
        if WITHOUT_MATRICES.contains(&engine.id) && scene.starts_with("matrix") {
            continue;
        }
        let answered = answered(run, scene, nodes);
        for ((node, said), answered) in nodes.iter().zip(said(engine, run, nodes)).zip(answered) {
            let answered = answered.and_then(|answer| answer.getters.as_ref());
            let (Ok(said), Some(answered)) = (said, answered) else { continue };
            // Panda3D answers with the parts that a root was given.
            if engine.id == "panda3d" && node.is_root() {
                continue;
            }
            let off = apart(&said, answered, engine.getters.rule);
            found = (found.0 + 1, if off > found.1 || off.is_nan() { off } else { found.1 });
        }
    }
    found
}

fn said(engine: &Engine, run: &str, scene: &Scene) -> Vec<Result<WorldParts, CannotSay>> {
    let nodes = nodes(scene);
    let mut engine = *engine;
    if run.ends_with("/api") && KEEPS.contains(&engine.id) {
        engine.import.rule = Import::Kept;
    }
    let worlds = engine.worlds(&nodes).expect("a forest");
    // The products of local rotations and scales are what combined TRS has.
    let products: Vec<CombinedTrs<f64>> = nodes.iter().fold(Vec::new(), |mut known, node| {
        let local = match engine.imported(&node.local) {
            Ok(LocalPose::Trs(trs)) => trs,
            _ => Trs::identity(),
        };
        let parent = node.parent.map_or(Trs::identity().into(), |parent| known[parent]);
        known.push(xform_core::Transform::concat(&parent, &local));
        known
    });
    let parts = worlds.into_iter().zip(products).enumerate().map(|(node, (world, product))| {
        let World::Matrix(world) = world? else { panic!("a matrix engine") };
        let product = product.to_trs();
        let parts = engine.getters.rule.world_parts(&world, &product.rotation, &product.scale);
        parts.map_err(|reason| CannotSay { node, reason })
    });
    parts.collect()
}

fn apart(said: &WorldParts, answered: &Getter, rule: Getters) -> f64 {
    let off = |a: &Vector3<f64>, b: &Vector3<f64>| (a - b).amax() / (1.0 + a.amax());
    let mut scale = Vector3::from(answered.scale);
    if rule == Getters::PolarAndSingular {
        // OpenUSD gives them in no order.
        let mut sorted: [f64; 3] = scale.into();
        sorted.sort_by(|a, b| b.abs().total_cmp(&a.abs()));
        scale = sorted.into();
    }
    let [x, y, z, w] = answered.rotation.map(|component| component.unwrap_or(f64::NAN));
    let turned = Quaternion::new(w, x, y, z);
    // A quaternion and its negative are one rotation.
    let turned = (said.rotation - turned).norm().min((said.rotation + turned).norm());
    off(&said.position, &answered.position.into()).max(off(&said.scale, &scale)).max(turned)
}

#[test]
fn the_products_of_ogre_are_its_world_parts() {
    let world = AccumulatedMatrix::from(Trs::identity());
    let (turn, scale) =
        (UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3), Vector3::new(1.0, 2.0, -3.0));
    let ogre = Engine::named("ogre").expect("known").getters.rule;
    let parts = ogre.world_parts(&world, &turn, &scale).expect("no axis without length");
    assert_eq!((parts.rotation, parts.scale), (turn.into_inner(), scale));
}
