use super::{CrowdError, CrowdTransform, LANES, TrsBlock, lanes::TrsLanes};
use crate::{Inherit, Topology};

/// One pass over all joints of groups of [`LANES`] instances, that recomputes their world transforms and checks their
/// poses.
#[derive(Debug)]
pub struct GroupSweep<'a, X: CrowdTransform> {
    pub(super) topology: &'a Topology,
    /// The number of the first group.
    pub(super) first: usize,
    /// All joints of the first group, then of the next. There is at least one joint.
    pub(super) locals: &'a [TrsBlock],
    /// As `locals`, and room for one more group if their number is odd.
    pub(super) worlds: &'a mut [X::Block],
    /// For each group, whether its instances take part.
    pub(super) active: &'a [[bool; LANES]],
}

impl<X: CrowdTransform> GroupSweep<'_, X> {
    /// Runs the pass with [`concat_block`](CrowdTransform::concat_block) as its step.
    ///
    /// # Errors
    ///
    /// The first refused pose of the first active instance that has one.
    pub fn run_plain(self) -> Result<(), CrowdError> {
        let joints = self.topology.len();
        let groups = self.locals.chunks_exact(joints).zip(self.worlds.chunks_exact_mut(joints));
        let mut refused = Ok(());
        for (group, ((locals, worlds), active)) in (self.first..).zip(groups.zip(self.active)) {
            let propagated = propagate_group::<X>(self.topology, group, locals, worlds, *active);
            refused = refused.and(propagated);
        }
        refused
    }
}

/// Recomputes all joints of a group, and checks their poses.
fn propagate_group<X: CrowdTransform>(
    topology: &Topology,
    group: usize,
    locals: &[TrsBlock],
    worlds: &mut [X::Block],
    active: [bool; LANES],
) -> Result<(), CrowdError> {
    if active == [false; LANES] {
        return Ok(());
    }
    let mut refused = None;
    let inherits = topology.inherits();
    if inherits.is_empty() {
        each_joint::<X>(topology, locals, worlds, active, &mut refused, |_, parent, local| {
            X::concat_block(parent, local)
        });
    } else {
        each_joint::<X>(topology, locals, worlds, active, &mut refused, |joint, parent, local| {
            match inherits[joint] {
                Inherit::All => X::concat_block(parent, local),
                inherit => concat_inheriting::<X>(parent, inherit, local),
            }
        });
    }
    refused_in(group, refused)
}

/// Returns the error of a group, whose `instance` was the number of its lane.
pub(super) fn refused_in(group: usize, refused: Option<CrowdError>) -> Result<(), CrowdError> {
    refused.map_or(Ok(()), |refused| {
        Err(CrowdError { instance: group * LANES + refused.instance, ..refused })
    })
}

/// Takes a step at each joint. If poses in active lanes are refused, `refused` becomes the first one of the first
/// such lane, and its `instance` is the number of the lane.
#[inline]
fn each_joint<X: CrowdTransform>(
    topology: &Topology,
    locals: &[TrsBlock],
    worlds: &mut [X::Block],
    active: [bool; LANES],
    refused: &mut Option<CrowdError>,
    step: impl Fn(usize, &X::Block, &TrsBlock) -> X::Block,
) {
    // Hidden from the compiler, which would otherwise select between it and a parent scalar by scalar.
    let identity = std::hint::black_box(X::IDENTITY_BLOCK);
    let mut made_unit;
    for (joint, (&parent, mut local)) in topology.parents().iter().zip(locals).enumerate() {
        if !TrsLanes::load(local).is_clearly_valid() {
            made_unit = normalized(local, joint, active, refused);
            local = &made_unit;
        }
        let parent = worlds.get(parent as usize).unwrap_or(&identity);
        worlds[joint] = step(joint, parent, local);
    }
}

/// Returns a block with each pose as [`Trs::normalized`](crate::Trs::normalized) returns it, or unchanged if that
/// refuses it.
#[cold]
pub(super) fn normalized(
    block: &TrsBlock,
    joint: usize,
    active: [bool; LANES],
    refused: &mut Option<CrowdError>,
) -> TrsBlock {
    let mut normalized = *block;
    for (lane, is_active) in active.into_iter().enumerate() {
        match block.lane(lane).normalized() {
            Ok(pose) => normalized.set_lane(lane, &pose),
            Err(error) if is_active && refused.is_none_or(|before| lane < before.instance) => {
                *refused = Some(CrowdError { instance: lane, joint, error });
            }
            Err(_) => {}
        }
    }
    normalized
}

/// Takes the step of a joint that inherits less than everything, lane by lane.
fn concat_inheriting<X: CrowdTransform>(
    parent: &X::Block,
    inherit: Inherit,
    local: &TrsBlock,
) -> X::Block {
    X::block(
        [0, 1, 2, 3].map(|lane| {
            world_of_lane::<X>(parent, lane).concat_inheriting(&local.lane(lane), inherit)
        }),
    )
}

/// Returns the world transform of one lane.
pub(super) fn world_of_lane<X: CrowdTransform>(worlds: &X::Block, lane: usize) -> X {
    let mut found = X::identity();
    X::each_world(worlds, |number, world| {
        if number == lane {
            found = world;
        }
    });
    found
}
