//! The other repairs of random scenes, by the independent computation of what every vertex shows.

use std::collections::BTreeSet;

use proptest::prelude::*;
use xform_cases::properties;
use xform_compare::compare;
use xform_fix::{Fix, RepairKind, Why};
use xform_scene::{Scene, read_gltf};

use crate::{
    file::File,
    generated::{assert_alike, differing, size},
    kinds::fixed_by,
    oracle::{Moment, Shown},
    random::file,
};

properties! {
    #![cases(100)]

    #[test]
    fn leaves_and_helpers_show_the_same(seed in any::<u64>(), size in 1_usize..14, helps in any::<bool>()) {
        let kind = if helps { RepairKind::Helper } else { RepairKind::Leaf };
        let before = file(seed, size);
        let fix = fixed_by(kind, &before.glb());
        let after = File::of_glb(&fix.file);
        assert_alike(&before, |moment, target| shown_by_old_nodes(&before, &after, moment, target))?;
        prop_assert_eq!(&fixed_by(kind, &fix.file).file, &fix.file, "repaired twice");
        prop_assert!(after.bytes.starts_with(&before.bytes));
        if helps {
            let scene = read_gltf(&fix.file, "after").unwrap();
            let audit = compare(&scene).unwrap();
            let sheared = audit.nodes.iter().filter(|node| node.local_residual.is_some());
            prop_assert_eq!(sheared.count(), fix.groups.iter().filter(|group| !group.is_fixed()).count());
        } else {
            assert_what_differs_was_refused(&fix)?;
        }
    }

    #[test]
    fn uniform_scales_and_nearest_poses_change_what_they_say(seed in any::<u64>(), size in 1_usize..14, is_nearest in any::<bool>()) {
        let kind = if is_nearest { RepairKind::Nearest } else { RepairKind::Uniform };
        let before = file(seed, size);
        let glb = before.glb();
        let fix = fixed_by(kind, &glb);
        let after = File::of_glb(&fix.file);
        assert_change_is_true(&before, &after, &read_gltf(&glb, "before").unwrap(), &fix)?;
        prop_assert_eq!(&fixed_by(kind, &fix.file).file, &fix.file, "repaired twice");
        if kind == RepairKind::Uniform {
            assert_what_differs_was_refused(&fix)?;
        }
        for (_, refusal) in fix.groups.iter().flat_map(|group| &group.refusals) {
            let entry = &before.json["nodes"][refusal.node];
            let is_true = match &refusal.why {
                Why::Sheared => entry["matrix"].is_array(),
                Why::ThroughZero => before.len("animations") > 0,
                Why::Camera => !entry["camera"].is_null(),
                Why::Light => !entry["extensions"]["KHR_lights_punctual"].is_null(),
                Why::Extension(name) => !entry["extensions"][name].is_null(),
                _ => false,
            };
            prop_assert!(is_true, "{refusal:?}");
        }
    }
}

/// What the nodes of the file before show after: themselves, or a new node below them.
fn shown_by_old_nodes(
    before: &File,
    after: &File,
    moment: Moment,
    target: Option<(usize, f64)>,
) -> Shown {
    let mut shown = after.shown(moment, target);
    for node in 0..before.len("nodes") {
        let children = after.json["nodes"][node]["children"].as_array().into_iter().flatten();
        let mut children = children.map(|child| usize::try_from(child.as_u64().unwrap()).unwrap());
        let had_mesh = !before.json["nodes"][node]["mesh"].is_null();
        if had_mesh && after.json["nodes"][node]["mesh"].is_null() {
            let leaf = children.next_back().unwrap();
            assert!(leaf >= before.len("nodes"));
            shown[node] = std::mem::take(&mut shown[leaf]);
        }
    }
    shown.truncate(before.len("nodes"));
    shown
}

fn assert_what_differs_was_refused(fix: &Fix) -> Result<(), TestCaseError> {
    let scene = read_gltf(&fix.file, "after").unwrap();
    let audit = compare(&scene).unwrap();
    let refused: BTreeSet<_> =
        fix.groups.iter().filter(|group| !group.is_fixed()).map(|group| group.top).collect();
    for node in differing(&audit) {
        let mut upwards = std::iter::successors(Some(node), |&at: &usize| scene.nodes[at].parent);
        let is_skinned = scene.nodes[node].skin.is_some() && !refused.is_empty();
        prop_assert!(
            is_skinned || upwards.any(|at| refused.contains(&at)),
            "{node}: {:?}",
            fix.groups
        );
    }
    Ok(())
}

/// Nothing moves farther than is said, at rest and at keyframes, and something as far.
fn assert_change_is_true(
    before: &File,
    after: &File,
    scene: &Scene,
    fix: &Fix,
) -> Result<(), TestCaseError> {
    let fixed: Vec<_> = fix.groups.iter().filter(|group| group.is_fixed()).collect();
    let is_below = |node: usize, top: usize| {
        std::iter::successors(Some(node), |&at: &usize| scene.nodes[at].parent).any(|at| at == top)
    };
    let follows = |node: usize, top: usize| match &scene.nodes[node].skin {
        Some(skin) => skin.joints.iter().any(|joint| is_below(joint.node, top)),
        None => is_below(node, top),
    };
    let animations = before.len("animations");
    let keyframes =
        (0..animations).flat_map(|animation| [0.0, 0.5, 1.25].map(|at| Some((animation, at))));
    let mut moved = vec![0.0_f64; fixed.len()];
    let size = size(before);
    for moment in std::iter::once(None).chain(keyframes) {
        for target in [None, Some((0, 1.0)), Some((1, 1.0))] {
            let shown = before.shown(moment, target).into_iter().zip(after.shown(moment, target));
            for (node, (old, new)) in shown.enumerate() {
                let far =
                    old.iter().zip(&new).map(|(old, new)| (old.position - new.position).norm());
                let far = far.fold(0.0, f64::max);
                let groups: Vec<_> =
                    (0..fixed.len()).filter(|&group| follows(node, fixed[group].top)).collect();
                groups.iter().for_each(|&group| moved[group] = moved[group].max(far));
                prop_assert!(
                    !groups.is_empty() || far <= 2e-6 * size,
                    "{node} is not said to move"
                );
            }
        }
    }
    // Where two channels move one property programs differ, and the repair has looked at both ways.
    let is_played_in_two_ways =
        scene.animations.iter().any(|animation| animation.takes_first_channels);
    for (group, moved) in fixed.iter().zip(moved) {
        let said = group.change.as_ref().map_or(0.0, |change| change.largest_move);
        let tolerance = 1e-5 * (size + said);
        prop_assert!(moved <= said + tolerance, "{moved} {said}");
        prop_assert!(is_played_in_two_ways || said <= moved + tolerance, "{moved} {said}");
    }
    Ok(())
}

/// Of these scenes many can be repaired in each way, else the tests above would show little.
#[test]
fn many_random_scenes_are_repaired_by_each_kind() {
    for kind in RepairKind::ALL {
        let fixed = (0..150).map(|seed| {
            let fix = fixed_by(kind, &file(seed, 10).glb());
            fix.groups.iter().filter(|group| group.is_fixed()).count()
        });
        let fixed: usize = fixed.sum();
        assert!(fixed > 20, "{kind:?}: {fixed}");
    }
}
