//! After any error the hierarchy is as it was before, whatever was asked for and of whom.

use std::{collections::HashSet, fmt::Debug};

use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use xform_cases::properties;
use xform_core::{HierarchyError, strategy::RelativeTransform};
use xform_trs::CombinedTrs;

use crate::support::{
    every_strategy::for_every_strategy,
    misused::{Call, Step, Subject, steps},
};

/// What became of a call.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
enum End {
    Done,
    UnknownNode,
    OtherwiseRefused,
}

fn perform_all<X: RelativeTransform + Debug>(steps: &[Step]) -> Vec<(Call, End)> {
    let mut subject = Subject::<X>::new();
    let mut ends = Vec::new();
    for step in steps {
        let (state, inside) = (subject.state(), format!("{:?}", subject.hierarchy));
        let outcome = subject.perform(step);
        if let Err(error) = outcome {
            assert_eq!(subject.state(), state, "{error}");
            assert_eq!(format!("{:?}", subject.hierarchy), inside, "{error}");
        }
        let end = match outcome {
            Ok(_) => End::Done,
            Err(HierarchyError::UnknownNode(_)) => End::UnknownNode,
            Err(_) => End::OtherwiseRefused,
        };
        ends.push((step.call, end));
    }
    subject.assert_as_if_new();
    for (number, &id) in subject.ids.iter().enumerate() {
        let found = subject.numbers.get(id);
        let is_live = subject.hierarchy.contains(id);
        assert!(if is_live { found == Some(&number) } else { found.is_none_or(|&n| n == number) });
    }
    ends
}

properties! {
    #[test]
    fn after_an_error_everything_is_as_it_was(steps in steps()) {
        for_every_strategy!(perform_all(&steps));
    }
}

/// Else the test above would be worth less than it looks.
#[test]
fn every_call_is_made_with_success_and_refused_for_each_kind_of_reason() {
    let mut runner = TestRunner::deterministic();
    let mut seen = HashSet::new();
    for _ in 0..300 {
        let steps = steps().new_tree(&mut runner).unwrap().current();
        seen.extend(perform_all::<CombinedTrs<f64>>(&steps));
    }
    let of_no_node = [Call::TrackChanges, Call::KeepMatrices, Call::Propagate];
    let of_any_node = [Call::Remove, Call::SetInherit, Call::Watch];
    for call in Call::EACH {
        let needs_node = !of_no_node.contains(&call);
        let needs_more = needs_node && !of_any_node.contains(&call);
        assert!(seen.contains(&(call, End::Done)), "{call:?} is never done");
        assert_eq!(seen.contains(&(call, End::UnknownNode)), needs_node, "{call:?}");
        assert_eq!(seen.contains(&(call, End::OtherwiseRefused)), needs_more, "{call:?}");
    }
}
