//! Repairs of random scenes: the proof holds by an independent computation, nothing is left where it says that it was
//! repaired, and every refusal is true.

use std::{env, fs, path::Path};

use nalgebra::Vector3;
use proptest::prelude::*;
use xform_cases::properties;
use xform_compare::{Grade, SceneAudit, compare};
use xform_fix::{Fix, Options, Refusal, RepairKind, Why};
use xform_scene::{Scene, read_gltf};

use crate::{
    file::{File, fixed, fixed_with},
    oracle::{Moment, Shown, Vertex},
    random::file,
};

properties! {
    #![cases(150)]

    #[test]
    fn a_repaired_scene_shows_the_same_and_differs_no_more(seed in any::<u64>(), size in 1_usize..14) {
        check(&file(seed, size))?;
    }
}

/// A joint below a mirror, whose origin is where it is: its axes alone differ, and with them the vertices that follow it.
#[test]
fn joints_of_which_the_axes_alone_differ_are_repaired() -> Result<(), TestCaseError> {
    check(&file(16_928_098_658_088_984_921, 1))
}

fn check(before: &File) -> Result<(), TestCaseError> {
    let glb = before.glb();
    let fix = fixed(&glb);
    let after = File::of_glb(&fix.file);
    assert_shown_alike(before, &after)?;
    prop_assert_eq!(before.fronts().len(), after.fronts().len());
    for (old, new) in before.fronts().iter().zip(after.fronts()) {
        prop_assert_eq!(old.len(), new.len());
        for (old, new) in old.iter().zip(new) {
            let is_same = |by: usize| (0..3).all(|i| (old[i] - new[(i + by) % 3]).norm() < 1e-4);
            prop_assert!((0..3).any(is_same), "{old:?} {new:?}");
        }
    }
    // Nothing is lost.
    prop_assert!(after.bytes.starts_with(&before.bytes));
    prop_assert_eq!(&after.json["extras"], &before.json["extras"]);
    for name in ["accessors", "bufferViews"] {
        let old = before.json[name].as_array().unwrap();
        prop_assert_eq!(&old[..], &after.json[name].as_array().unwrap()[..old.len()]);
    }
    for (old, new) in
        before.json["nodes"].as_array().unwrap().iter().zip(after.json["nodes"].as_array().unwrap())
    {
        for name in ["name", "children", "rotation", "skin", "camera", "extensions", "extras"] {
            prop_assert_eq!(&old[name], &new[name]);
        }
    }
    // What differs is below what was refused.
    let scene = read_gltf(&fix.file, "after").unwrap();
    let audit = compare(&scene).unwrap();
    let refused: Vec<_> =
        fix.groups.iter().filter(|group| !group.is_fixed()).map(|group| group.top).collect();
    for node in differing(&audit) {
        let mut upwards = std::iter::successors(Some(node), |&at: &usize| scene.nodes[at].parent);
        let is_skinned = scene.nodes[node].skin.is_some();
        prop_assert!(
            is_skinned && !refused.is_empty() || upwards.any(|at| refused.contains(&at)),
            "{node}: {:?}",
            fix.groups
        );
    }
    let old_scene = read_gltf(&glb, "before").unwrap();
    assert_refusals_are_true(before, &old_scene, &fix)?;
    prop_assert_eq!(&fixed(&fix.file).file, &fix.file, "repaired twice");
    if fix.proof.is_none() {
        prop_assert_eq!(&fix.file, &glb);
    }
    Ok(())
}

pub(crate) fn differing(audit: &SceneAudit) -> Vec<usize> {
    if audit.summary.diagonal == 0.0 {
        return Vec::new();
    }
    let at_rest = audit.nodes.iter().filter(|node| node.grade() > Grade::Identical);
    let in_motion = audit.animations.iter().flat_map(|animation| &animation.nodes);
    let in_motion = in_motion.filter(|node| node.grade() > Grade::Identical);
    let all = at_rest.map(|node| node.index).chain(in_motion.map(|node| node.index));
    all.filter(|&node| audit.nodes[node].counts).collect()
}

fn assert_shown_alike(before: &File, after: &File) -> Result<(), TestCaseError> {
    assert_alike(before, |moment, target| after.shown(moment, target))
}

/// What a file shows is shown at all times, with morph targets by any weight.
pub(crate) fn assert_alike(
    before: &File,
    after: impl Fn(Moment, Option<(usize, f64)>) -> Shown,
) -> Result<(), TestCaseError> {
    let animations = before.len("animations");
    let moved = |animation| {
        [0.0, 0.2, 0.5, 0.8, 1.1, 1.25, 9.0]
            .into_iter()
            .map(move |seconds| Some((animation, seconds)))
    };
    let moments: Vec<Moment> =
        std::iter::once(None).chain((0..animations).flat_map(moved)).collect();
    let size = size(before);
    for moment in moments {
        for target in [None, Some((0, 1.0)), Some((0, 0.4)), Some((1, -0.7))] {
            let shown = before.shown(moment, target).into_iter().zip(after(moment, target));
            for (node, (old, new)) in shown.enumerate() {
                prop_assert_eq!(old.len(), new.len());
                for (old, new) in old.iter().zip(&new) {
                    let moved = (old.position - new.position).norm();
                    prop_assert!(
                        moved <= 2e-6 * size,
                        "node {node} at {moment:?}: {moved} of {size}"
                    );
                    assert_same_direction(old.normal, new.normal)?;
                    assert_same_direction(old.tangent, new.tangent)?;
                }
            }
        }
    }
    Ok(())
}

fn assert_same_direction(
    old: Option<Vector3<f64>>,
    new: Option<Vector3<f64>>,
) -> Result<(), TestCaseError> {
    if let (Some(old), Some(new)) = (old, new) {
        // What nearly vanishes points anywhere.
        if old.norm() > 1e-3 {
            prop_assert!(old.angle(&new).to_degrees() < 0.02, "{old} {new}");
        }
    }
    Ok(())
}

/// The greatest distance of a vertex from the middle of all, at rest.
pub(crate) fn size(file: &File) -> f64 {
    let shown = file.shown(None, None);
    let all: Vec<&Vertex> = shown.iter().flatten().collect();
    let middle =
        all.iter().map(|vertex| vertex.position).sum::<Vector3<f64>>() / all.len().max(1) as f64;
    all.iter().map(|vertex| (vertex.position - middle).norm()).fold(1e-3, f64::max)
}

fn assert_refusals_are_true(file: &File, scene: &Scene, fix: &Fix) -> Result<(), TestCaseError> {
    for (_, Refusal { node, why, .. }) in fix.groups.iter().flat_map(|group| &group.refusals) {
        let entry = &file.json["nodes"][*node];
        let is_keyed = |path: &str| {
            let channels = file.json["animations"].as_array().into_iter().flatten();
            let mut channels =
                channels.flat_map(|animation| animation["channels"].as_array().unwrap());
            channels.any(|channel| {
                channel["target"]["path"] == path && channel["target"]["node"] == *node
            })
        };
        let is_true = match why {
            Why::MovingScale => is_keyed("scale"),
            Why::MovingRotation => is_keyed("rotation") && scene.nodes[*node].parent.is_some(),
            Why::Camera => !entry["camera"].is_null(),
            Why::Light => !entry["extensions"]["KHR_lights_punctual"].is_null(),
            Why::Extension(name) => !entry["extensions"][name].is_null(),
            _ => false,
        };
        prop_assert!(is_true, "{why:?} at {node}");
    }
    Ok(())
}

/// Of these scenes many can be repaired, else the test above would show little.
#[test]
fn many_random_scenes_are_repaired() {
    let (mut repaired, mut refused) = (0, 0);
    for seed in 0..200 {
        let fix = fixed(&file(seed, 10).glb());
        repaired += fix.groups.iter().filter(|group| group.is_fixed()).count();
        refused += fix.groups.iter().filter(|group| !group.is_fixed()).count();
    }
    assert!(repaired > 80 && refused > 30, "{repaired} {refused}");
}

/// Writes random scenes before and after their repair into the folder that `XFORM_FIX_PAIRS` names, for other programs to
/// compare them.
#[test]
#[ignore = "writes files for other programs"]
fn write_pairs() {
    let folder = env::var("XFORM_FIX_PAIRS").unwrap();
    let folder = Path::new(&folder);
    for (kind, compact) in
        [(RepairKind::Bake, false), (RepairKind::Leaf, false), (RepairKind::Bake, true)]
    {
        let mut options = Options::default();
        (options.repair, options.compact) = (kind, compact);
        let mut written = 0;
        for seed in 0.. {
            let before = file(seed, 12);
            let nodes = before.json["nodes"].as_array().unwrap();
            // three.js takes matrices apart, and has no shear.
            let is_sheared = nodes.iter().any(|node| node["matrix"].is_array());
            let before = before.glb();
            let fix = fixed_with(&before, &options).unwrap();
            if fix.proof.is_none() || fix.not_compacted.is_some() || is_sheared {
                continue;
            }
            let name = |which: &str| {
                folder.join(format!("{}.{compact}.{written}.{which}.glb", kind.name()))
            };
            fs::write(name("before"), before).unwrap();
            fs::write(name("after"), fix.file).unwrap();
            written += 1;
            if written == 60 {
                break;
            }
        }
    }
}
