//! Crowds: many instances of one topology, several of which take each step together.

mod lanes;

use crate::{Inherit, PoseError, Topology, Transform, Trs};
pub use lanes::{LANES, Lanes, LanesPose, LanesVec3, set_scalar, set_vector};

/// A strategy that can take a step for [`LANES`] instances at once, one in each lane of a vector.
pub trait CrowdTransform: Transform<Scalar = f32> {
    /// The world transforms of a joint in [`LANES`] instances.
    type InLanes: Copy + Send + Sync + std::fmt::Debug;

    /// The identity in every lane.
    fn identity_in_lanes() -> Self::InLanes;

    /// Takes the step of [`concat`](Transform::concat) in every lane, with the same result to within
    /// rounding.
    #[must_use]
    fn concat_in_lanes(parent: &Self::InLanes, local: &LanesPose) -> Self::InLanes;

    /// The world transform of one lane.
    #[must_use]
    fn of_lane(worlds: &Self::InLanes, lane: usize) -> Self;

    /// Sets the world transform of one lane.
    fn set_lane(&self, worlds: &mut Self::InLanes, lane: usize);
}

/// Many instances of one topology, each with poses of its own, such as the skeletons of a crowd.
///
/// The instances lie side by side in the lanes of vectors: four in a default build, eight if the program is
/// compiled for AVX2. So there is nothing to gather, a step is plain arithmetic, and no instance waits for
/// another. This is the fastest way to propagate skeletons that are all animated in each frame. For nodes
/// that mostly rest, and for any topology that changes, use [`Hierarchy`](crate::Hierarchy).
///
/// A joint is a slot of the topology. Joints and instances are given by index, as in a slice: one that is
/// out of range is a mistake in the program.
///
/// # Examples
///
/// See the first page of the crate of a strategy.
#[derive(Clone, Debug)]
pub struct Crowd<X: CrowdTransform> {
    topology: Topology,
    instances: usize,
    /// All joints of the first [`LANES`] instances, then of the next, and so on.
    locals: Vec<LanesPose>,
    worlds: Vec<X::InLanes>,
}

impl<X: CrowdTransform> Crowd<X> {
    /// A crowd in which every local pose and every world transform is the identity.
    #[must_use]
    pub fn new(topology: Topology, instances: usize) -> Self {
        let len = topology.len() * instances.div_ceil(LANES);
        let locals = vec![LanesPose::identity(); len];
        Self { topology, instances, locals, worlds: vec![X::identity_in_lanes(); len] }
    }

    /// The topology that all instances share.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// How many instances there are.
    #[must_use]
    pub fn instances(&self) -> usize {
        self.instances
    }

    fn place(&self, joint: usize, instance: usize) -> (usize, usize) {
        assert!(joint < self.topology.len(), "a joint of the topology");
        assert!(instance < self.instances, "an instance of the crowd");
        (instance / LANES * self.topology.len() + joint, instance % LANES)
    }

    /// The local pose of a joint.
    ///
    /// # Panics
    ///
    /// If the joint or the instance is out of range.
    #[must_use]
    pub fn local(&self, joint: usize, instance: usize) -> Trs<f32> {
        let (position, lane) = self.place(joint, instance);
        self.locals[position].of_lane(lane)
    }

    /// Sets the local pose of a joint.
    ///
    /// # Panics
    ///
    /// If the joint or the instance is out of range.
    ///
    /// # Errors
    ///
    /// A pose that [`Trs::normalized`] refuses.
    pub fn set_local(
        &mut self,
        joint: usize,
        instance: usize,
        local: Trs<f32>,
    ) -> Result<(), PoseError> {
        let local = local.normalized()?;
        let (position, lane) = self.place(joint, instance);
        self.locals[position].set_lane(lane, &local);
        Ok(())
    }

    /// Sets the local poses of all joints of an instance.
    ///
    /// # Panics
    ///
    /// If the instance is out of range or `locals` is not as long as the topology.
    ///
    /// # Errors
    ///
    /// The first pose that [`Trs::normalized`] refuses; none is set then.
    pub fn set_locals(&mut self, instance: usize, locals: &[Trs<f32>]) -> Result<(), PoseError> {
        assert_eq!(locals.len(), self.topology.len(), "one pose a joint");
        locals.iter().try_for_each(|local| local.normalized().map(drop))?;
        for (joint, local) in locals.iter().enumerate() {
            let (position, lane) = self.place(joint, instance);
            self.locals[position].set_lane(lane, &local.normalized()?);
        }
        Ok(())
    }

    /// Recomputes the world transforms of all joints of all instances.
    pub fn propagate(&mut self) {
        let joints = self.topology.len();
        if joints == 0 {
            return;
        }
        // Hidden from the compiler, which would otherwise select between it and a parent scalar by scalar.
        let identity = std::hint::black_box(X::identity_in_lanes());
        let (parents, inherits) = (self.topology.parents(), self.topology.inherits());
        let groups = self.locals.chunks_exact(joints).zip(self.worlds.chunks_exact_mut(joints));
        for (locals, worlds) in groups {
            let joints = parents.iter().zip(locals).enumerate();
            if inherits.is_empty() {
                for (joint, (&parent, local)) in joints {
                    let parent = worlds.get(parent as usize).unwrap_or(&identity);
                    worlds[joint] = X::concat_in_lanes(parent, local);
                }
                continue;
            }
            for ((joint, (&parent, local)), &inherit) in joints.zip(inherits) {
                let parent = worlds.get(parent as usize).unwrap_or(&identity);
                worlds[joint] = concat_inheriting::<X>(parent, inherit, local);
            }
        }
    }

    /// The world transform of a joint as of the last [`propagate`](Self::propagate).
    ///
    /// # Panics
    ///
    /// If the joint or the instance is out of range.
    #[must_use]
    pub fn world(&self, joint: usize, instance: usize) -> X {
        let (position, lane) = self.place(joint, instance);
        X::of_lane(&self.worlds[position], lane)
    }

    /// Writes the world transforms of all joints of an instance to a slice, as of the last
    /// [`propagate`](Self::propagate).
    ///
    /// # Panics
    ///
    /// If the instance is out of range or the slice is not as long as the topology.
    pub fn copy_worlds_to(&self, instance: usize, worlds: &mut [X]) {
        assert_eq!(worlds.len(), self.topology.len(), "one world transform a joint");
        for (joint, world) in worlds.iter_mut().enumerate() {
            *world = self.world(joint, instance);
        }
    }
}

/// Takes the step of a joint; lane by lane if it inherits less than everything.
fn concat_inheriting<X: CrowdTransform>(
    parent: &X::InLanes,
    inherit: Inherit,
    local: &LanesPose,
) -> X::InLanes {
    if inherit == Inherit::All {
        return X::concat_in_lanes(parent, local);
    }
    let mut worlds = *parent;
    for lane in 0..LANES {
        let parent = X::of_lane(parent, lane);
        parent.concat_inheriting(&local.of_lane(lane), inherit).set_lane(&mut worlds, lane);
    }
    worlds
}
