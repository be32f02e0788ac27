//! Cursors over random edits and propagations, against what each propagation says of itself.

use std::collections::{HashMap, HashSet};

use nalgebra::Vector3;
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{Hierarchy, NodeId, Trs, changes::ChangeCursor};
use xform_trs::CombinedTrs;

#[derive(Clone, Debug)]
enum Step {
    Insert(usize),
    Move(usize, f32),
    Reparent(usize, usize),
    Remove(usize),
    Propagate,
    Ask(usize),
    /// One more cursor.
    Begin,
}

fn step() -> impl Strategy<Value = Step> {
    let node = 0_usize..1000;
    prop_oneof![
        2 => node.clone().prop_map(Step::Insert),
        6 => (node.clone(), -9.0_f32..9.0).prop_map(|(node, to)| Step::Move(node, to)),
        1 => (node.clone(), node.clone()).prop_map(|(node, to)| Step::Reparent(node, to)),
        1 => node.prop_map(Step::Remove),
        4 => Just(Step::Propagate),
        4 => (0_usize..8).prop_map(Step::Ask),
        1 => Just(Step::Begin),
    ]
}

/// A cursor, and what it must see when it is asked.
struct Asked {
    cursor: ChangeCursor,
    /// The nodes that propagations changed since it was asked, in slots that no later order changed.
    unseen: HashSet<NodeId>,
    /// What was told while an edit was pending, to be read when none is.
    unread: HashSet<NodeId>,
    /// The worlds that it saw.
    known: HashMap<NodeId, CombinedTrs<f32>>,
    /// Whether all slots may be told: it is new, or the order has changed.
    all: bool,
}

fn nodes_in(
    hierarchy: &Hierarchy<CombinedTrs<f32>>,
    ranges: &[std::ops::Range<usize>],
) -> HashSet<NodeId> {
    ranges.iter().cloned().flatten().filter_map(|slot| hierarchy.node_in(slot)).collect()
}

fn cursors_see_all(steps: &[Step]) {
    let mut hierarchy = Hierarchy::<CombinedTrs<f32>>::new();
    let mut ids: Vec<NodeId> = Vec::new();
    let mut asked: Vec<Asked> = Vec::new();
    let mut order = hierarchy.order_generation();
    for step in steps {
        let id = |node: usize| ids.get(node % ids.len().max(1)).copied();
        match *step {
            Step::Insert(parent) => {
                // More than one, so that the layout is put in order now and then.
                let pose = Trs::from_translation(Vector3::x());
                let parent = id(parent);
                for _ in 0..5 {
                    ids.push(hierarchy.insert(parent, pose).unwrap());
                }
            }
            Step::Move(node, x) => {
                let Some(node) = id(node) else { continue };
                hierarchy.set_translation(node, Vector3::new(x, 0.0, 0.0)).unwrap();
            }
            Step::Reparent(node, parent) => {
                let (Some(node), Some(parent)) = (id(node), id(parent)) else { continue };
                let _ = hierarchy.reparent(node, parent);
            }
            Step::Remove(node) => {
                let Some(node) = id(node) else { continue };
                hierarchy.remove(node).unwrap();
                ids.retain(|&id| hierarchy.contains(id));
            }
            Step::Propagate => {
                hierarchy.propagate();
                let changed = nodes_in(&hierarchy, hierarchy.changed());
                for asked in &mut asked {
                    asked.unseen.extend(changed.iter().copied());
                }
            }
            Step::Begin => {
                let (unseen, unread, known) = Default::default();
                let cursor = hierarchy.change_cursor();
                asked.push(Asked { cursor, unseen, unread, known, all: true });
            }
            Step::Ask(which) => {
                let count = asked.len().max(1);
                let Some(asked) = asked.get_mut(which % count) else { continue };
                let ranges = hierarchy.changed_since(&mut asked.cursor);
                assert!(ranges.windows(2).all(|pair| pair[0].end < pair[1].start));
                assert!(ranges.iter().all(|range| range.end <= hierarchy.locals().len()));
                let told = nodes_in(&hierarchy, &ranges);
                let unseen = std::mem::take(&mut asked.unseen);
                let live: HashSet<_> =
                    unseen.into_iter().filter(|&id| hierarchy.contains(id)).collect();
                // One that was moved since then is told once that is propagated.
                let is_pending = hierarchy.worlds().is_none();
                assert!(is_pending || live.is_subset(&told));
                asked.unseen.extend(live.difference(&told));
                assert!(asked.all || told.is_subset(&live), "more than changed");
                asked.all = false;
                asked.unread.extend(told);
                if !is_pending {
                    for id in asked.unread.drain().filter(|&id| hierarchy.contains(id)) {
                        asked.known.insert(id, hierarchy.world(id).unwrap());
                    }
                    for &id in &ids {
                        assert_eq!(asked.known.get(&id), Some(&hierarchy.world(id).unwrap()));
                    }
                }
                assert!(hierarchy.changed_since(&mut asked.cursor).is_empty());
            }
        }
        if hierarchy.order_generation() != order {
            order = hierarchy.order_generation();
            asked.iter_mut().for_each(|asked| asked.all = true);
        }
    }
}

/// The first slots, as one range.
fn first(slots: usize) -> Vec<std::ops::Range<usize>> {
    std::iter::once(0..slots).collect()
}

/// As where a scene is loaded, or play mode is left.
#[test]
fn of_another_hierarchy_a_cursor_tells_everything_once() {
    let mut hierarchy = Hierarchy::<CombinedTrs<f32>>::new();
    let node = hierarchy.insert(None, Trs::identity()).unwrap();
    hierarchy.propagate();
    let mut cursor = hierarchy.change_cursor();
    assert_eq!(hierarchy.changed_since(&mut cursor), first(1));
    let backup = hierarchy.clone();
    hierarchy.set_translation(node, Vector3::x()).unwrap();
    hierarchy.propagate();
    assert_eq!(hierarchy.changed_since(&mut cursor), first(1));
    let mut hierarchy = backup;
    assert_eq!(hierarchy.changed_since(&mut cursor), first(1));
    assert!(hierarchy.changed_since(&mut cursor).is_empty());
    hierarchy.set_translation(node, Vector3::y()).unwrap();
    hierarchy.propagate();
    assert_eq!(hierarchy.changed_since(&mut cursor), first(1));
    let mut loaded = Hierarchy::<CombinedTrs<f32>>::new();
    loaded.insert_forest(None, &[None; 3], &[Trs::identity(); 3]).unwrap();
    loaded.propagate();
    assert_eq!(loaded.changed_since(&mut cursor), first(3));
    let mut empty = Hierarchy::<CombinedTrs<f32>>::new();
    let mut cursor = empty.change_cursor();
    assert!(empty.changed_since(&mut cursor).is_empty());
}

properties! {
    #[test]
    fn each_cursor_sees_what_changed_since_it_was_asked(
        steps in proptest::collection::vec(step(), 0..200)
    ) {
        cursors_see_all(&steps);
    }
}
