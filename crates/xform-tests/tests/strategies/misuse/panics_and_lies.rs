//! Where a strategy panics or lies, the hierarchy is still what it says it is.

use nalgebra::Vector3;
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{Space, Trs, spaces::WorldScale};

use crate::support::{
    misused::{Call, Outcome, Step, Subject, steps},
    unreliable::{Behaviour, UnreliableTransform, behaving},
};

/// Makes a call in which the strategy panics, checks that nothing came of it, and makes it again.
fn perform_again(
    subject: &mut Subject<UnreliableTransform>,
    step: &Step,
    after: u32,
) -> Outcome<UnreliableTransform> {
    let (state, inside) = (subject.state(), format!("{:?}", subject.hierarchy));
    if let Ok(outcome) = behaving(Behaviour::Panics(after), || subject.perform(step)) {
        return outcome; // so many calls of the strategy there were not
    }
    if step.call == Call::Propagate {
        assert_eq!(subject.state().lasting, state.lasting);
    } else {
        assert_eq!(subject.state(), state, "{step:?}");
        assert_eq!(format!("{:?}", subject.hierarchy), inside, "{step:?}");
    }
    subject.perform(step)
}

/// Whatever is done after a panic is done as if there had been none.
fn panic_now_and_then(steps: &[(Step, u32)]) {
    let [mut spared, mut struck] = [Subject::<UnreliableTransform>::new(), Subject::new()];
    for (step, after) in steps {
        let [expected, found] = [spared.perform(step), perform_again(&mut struck, step, *after)]
            .map(|outcome| outcome.map_err(|error| std::mem::discriminant(&error)));
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{step:?}");
        assert_eq!(struck.state(), spared.state(), "{step:?}");
    }
    struck.assert_as_if_new();
}

/// All that can be read, of nodes that are there and of others; what comes of it does not matter.
fn read_all(subject: &Subject<UnreliableTransform>) {
    let Subject { hierarchy, ids, .. } = subject;
    let base = *ids.last().unwrap();
    for &id in ids {
        let _ = (hierarchy.world(id), hierarchy.world_matrix(id), hierarchy.world_rotation(id));
        let definitions = [
            WorldScale::Product,
            WorldScale::ColumnLengths,
            WorldScale::Projected,
            WorldScale::Polar,
        ];
        let _ = definitions.map(|definition| hierarchy.collider_pose(id, definition));
        let _ = (hierarchy.world_skew(id), hierarchy.world_orientation(id));
        let _ = (hierarchy.relative_pose(id, None), hierarchy.relative_pose(id, base));
        let spaces = [Space::World, Space::Local(id), Space::Parent(id), Space::Local(base)];
        for (from, to) in spaces.iter().flat_map(|from| spaces.map(|to| (*from, to))) {
            let Ok(conversion) = hierarchy.conversion(from, to) else { continue };
            let x = Vector3::x();
            let _ = (conversion.direction(&x), conversion.normal(&x), conversion.vector(&x));
        }
    }
    let _ = hierarchy.cast::<UnreliableTransform>();
}

/// Gives every root another pose, and back, so that every node is computed once more.
fn touch(subject: &mut Subject<UnreliableTransform>) {
    let roots: Vec<_> = subject.hierarchy.roots().collect();
    for root in roots {
        let own = *subject.hierarchy.local(root).unwrap();
        for pose in [Trs::identity(), Trs::from_translation(Vector3::x()), own] {
            subject.hierarchy.set_local(root, pose).unwrap();
        }
    }
}

fn lie_now_and_then(steps: &[(Step, u64)]) {
    let mut subject = Subject::<UnreliableTransform>::new();
    for (step, seed) in steps {
        let (state, inside) = (subject.state(), format!("{:?}", subject.hierarchy));
        let outcome = behaving(Behaviour::Lies(*seed), || subject.perform(step)).unwrap();
        if let Err(error) = outcome {
            assert_eq!(subject.state(), state, "{error}");
            assert_eq!(format!("{:?}", subject.hierarchy), inside, "{error}");
        }
        behaving(Behaviour::Lies(seed ^ 1), || read_all(&subject)).unwrap();
    }
    touch(&mut subject);
    subject.assert_as_if_new();
}

properties! {
    #![cases(64)]

    #[test]
    fn after_a_panic_in_the_strategy_everything_goes_on_as_if_there_had_been_none(
        steps in steps().prop_flat_map(|steps| {
            let count = steps.len();
            (Just(steps), prop::collection::vec(0_u32..30, count))
        })
    ) {
        let (steps, panics) = steps;
        panic_now_and_then(&steps.into_iter().zip(panics).collect::<Vec<_>>());
    }

    #[test]
    fn a_strategy_that_lies_spoils_world_transforms_and_nothing_else(
        steps in steps().prop_flat_map(|steps| {
            let count = steps.len();
            (Just(steps), prop::collection::vec(any::<u64>(), count))
        })
    ) {
        let (steps, seeds) = steps;
        lie_now_and_then(&steps.into_iter().zip(seeds).collect::<Vec<_>>());
    }
}
