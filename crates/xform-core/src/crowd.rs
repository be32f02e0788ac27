//! Crowds: many instances of one topology, such as the skeletons of a game, that are all animated.
//!
//! [`LANES`] instances are side by side in *blocks*, as structure of arrays: each component of a joint is an array
//! with one number for each instance. So nothing has to be gathered, a step is plain arithmetic, and no instance
//! waits for another.
//!
//! In each frame, write the poses with [`blocks_mut`](Crowd::blocks_mut), directly from a sampler, or with
//! [`set_all_locals`](Crowd::set_all_locals). Then call [`propagate`](Crowd::propagate). Read the results as
//! skinning matrices with [`skin_into`](Crowd::skin_into), as [`worlds`](Crowd::copy_worlds_to) or as
//! [`world_blocks`](Crowd::world_blocks). A crowd has one skeleton: make a crowd for each skeleton, and let them
//! write to parts of one buffer.

// Crowds have a layout of their own: all joints of the first four instances, then all joints of the next four, and
// so on.
#[cfg(target_arch = "x86_64")]
#[doc(hidden)]
pub mod avx2;
mod blocks;
#[doc(hidden)]
pub mod lanes;
mod skin;
mod step;

use std::{error::Error, fmt};

use crate::{InstructionSet, PoseError, Topology, Transform, Trs};
pub use blocks::{LANES, MatrixBlock, TrsBlock};
use lanes::MatrixLanes;
use skin::InverseBind;
pub use skin::InverseBinds;
#[doc(hidden)]
pub use skin::Skinning;
#[doc(hidden)]
pub use step::GroupSweep;
use step::world_of_lane;

/// The number of joints below which one thread is faster, or hardly slower.
#[cfg(feature = "rayon")]
const WORTH_THREADS: usize = 32_768;

/// A strategy that can take a step for [`LANES`] instances at once.
pub trait CrowdTransform: Transform<Scalar = f32> {
    /// The world transforms of a joint in [`LANES`] instances.
    type Block: Copy + Send + Sync + fmt::Debug;

    /// The identity in every lane.
    const IDENTITY_BLOCK: Self::Block;

    /// Takes the step of [`concat`](Transform::concat) in every lane. The result is the same to within rounding for
    /// each pose that [`Trs::check`] accepts.
    #[must_use]
    fn concat_block(parent: &Self::Block, local: &TrsBlock) -> Self::Block;

    /// Returns the world transforms as matrices.
    #[must_use]
    fn matrices(worlds: &Self::Block) -> MatrixLanes;

    /// Calls `give` with the number and the world transform of each lane, one after another.
    fn each_world(worlds: &Self::Block, give: impl FnMut(usize, Self));

    /// Creates a block from a world transform for each lane.
    #[must_use]
    fn block(worlds: [Self; LANES]) -> Self::Block;

    /// Runs a pass over joints by AVX2, if the strategy has a kernel for it.
    ///
    /// # Errors
    ///
    /// As for [`Crowd::propagate`].
    ///
    /// # Panics
    ///
    /// May panic if the processor lacks AVX2 or FMA.
    #[doc(hidden)]
    fn sweep_avx2(sweep: GroupSweep<'_, Self>) -> Result<(), CrowdError> {
        sweep.run_plain()
    }

    /// Writes skinning matrices by AVX2, if the strategy has a kernel for it.
    ///
    /// # Panics
    ///
    /// May panic if the processor lacks AVX2 or FMA.
    #[doc(hidden)]
    fn skin_avx2(skinning: Skinning<'_, Self>) {
        skinning.run_plain();
    }
}

/// The error for an invalid local pose of a [`Crowd`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrowdError {
    /// The instance.
    pub instance: usize,
    /// Its joint.
    pub joint: usize,
    /// The reason why the pose is invalid.
    pub error: PoseError,
}

impl fmt::Display for CrowdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "joint {} of instance {}: {}", self.joint, self.instance, self.error)
    }
}

impl Error for CrowdError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.error)
    }
}

/// Many instances of one topology, each with poses of its own, such as the skeletons of a crowd.
///
/// This is the fastest way from poses to skinning matrices if all skeletons are animated in each frame. For world
/// transforms alone, [`Transform::accumulate`] over slices takes about as long, and half of the time if there are so
/// many joints that both wait for memory. For nodes that mostly rest, and for a topology that changes, use
/// [`Hierarchy`](crate::Hierarchy).
///
/// A joint is a slot of the topology. Joints and instances are given by index, as in a slice. A function panics if
/// an index is out of range or a buffer has the wrong length.
///
/// # Examples
///
/// See the first page of the documentation of a strategy's crate.
#[derive(Clone, Debug)]
pub struct Crowd<X: CrowdTransform> {
    topology: Topology,
    instances: usize,
    /// All joints of the first [`LANES`] instances, then of the next, and so on.
    locals: Vec<TrsBlock>,
    /// As `locals`, and room for one more group if their number is odd: a kernel writes two groups at a time.
    worlds: Vec<X::Block>,
    /// Whether each instance of each block is active; false for lanes without an instance.
    active: Vec<[bool; LANES]>,
}

impl<X: CrowdTransform> Crowd<X> {
    /// Creates a crowd in which every local pose and every world transform is the identity, and every instance is
    /// active.
    #[must_use]
    pub fn new(topology: Topology, instances: usize) -> Self {
        let groups = instances.div_ceil(LANES);
        let (locals, worlds) =
            (topology.len() * groups, topology.len() * groups.next_multiple_of(2));
        let is_there = |group: usize| [0, 1, 2, 3].map(|lane| group * LANES + lane < instances);
        Self {
            topology,
            instances,
            locals: vec![TrsBlock::IDENTITY; locals],
            worlds: vec![X::IDENTITY_BLOCK; worlds],
            active: (0..groups).map(is_there).collect(),
        }
    }

    /// Returns the topology that all instances share.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Returns the number of instances.
    #[must_use]
    pub fn instances(&self) -> usize {
        self.instances
    }

    /// Returns whether an instance takes part in [`propagate`](Self::propagate) and [`skin_into`](Self::skin_into).
    ///
    /// # Panics
    ///
    /// If the instance is out of range.
    #[must_use]
    pub fn is_active(&self, instance: usize) -> bool {
        self.check_instance(instance);
        self.active[instance / LANES][instance % LANES]
    }

    /// Includes an instance, or leaves it out, for example because it is out of sight or not in use.
    ///
    /// The skinning matrices of an inactive instance stay as they were, its world transforms are unspecified, and
    /// its poses are not checked. This saves time only if all instances of a block are inactive, or with AVX2 all of
    /// two blocks, such as instances 0 to 7. So keep inactive instances next to each other.
    ///
    /// # Panics
    ///
    /// If the instance is out of range.
    pub fn set_active(&mut self, instance: usize, is_active: bool) {
        self.check_instance(instance);
        self.active[instance / LANES][instance % LANES] = is_active;
    }

    fn check_instance(&self, instance: usize) {
        assert!(instance < self.instances, "an instance of the crowd");
    }

    fn place(&self, joint: usize, instance: usize) -> (usize, usize) {
        assert!(joint < self.topology.len(), "a joint of the topology");
        self.check_instance(instance);
        (instance / LANES * self.topology.len() + joint, instance % LANES)
    }

    /// Returns the local poses in blocks: first those of all joints in instances 0 to 3, then in 4 to 7, and so on.
    /// The pose of a joint in an instance is in the block `instance / LANES * joints + joint`, in the lane `instance
    /// % LANES`.
    ///
    /// [`propagate`](Self::propagate) checks the poses. Lanes beyond the last instance may hold anything.
    #[must_use]
    pub fn blocks_mut(&mut self) -> &mut [TrsBlock] {
        &mut self.locals
    }

    /// Returns the local pose of a joint.
    ///
    /// # Panics
    ///
    /// If the joint or the instance is out of range.
    #[must_use]
    pub fn local(&self, joint: usize, instance: usize) -> Trs<f32> {
        let (position, lane) = self.place(joint, instance);
        self.locals[position].lane(lane)
    }

    /// Sets the local pose of a joint. [`propagate`](Self::propagate) checks it.
    ///
    /// # Panics
    ///
    /// If the joint or the instance is out of range.
    pub fn set_local(&mut self, joint: usize, instance: usize, local: Trs<f32>) {
        let (position, lane) = self.place(joint, instance);
        self.locals[position].set_lane(lane, &local);
    }

    /// Sets the local poses of all joints of an instance. [`propagate`](Self::propagate) checks them.
    ///
    /// # Panics
    ///
    /// If the instance is out of range or `locals` is not as long as the topology.
    pub fn set_locals(&mut self, instance: usize, locals: &[Trs<f32>]) {
        self.check_instance(instance);
        assert_eq!(locals.len(), self.topology.len(), "one pose per joint");
        let first = instance / LANES * self.topology.len();
        for (block, local) in self.locals[first..].iter_mut().zip(locals) {
            block.set_lane(instance % LANES, local);
        }
    }

    /// Sets the local poses of all joints of the first instance, then of the next, and so on.
    /// [`propagate`](Self::propagate) checks them.
    ///
    /// # Panics
    ///
    /// If the length of `locals` is not the number of joints times the number of instances.
    pub fn set_all_locals(&mut self, locals: &[Trs<f32>]) {
        let joints = self.topology.len();
        assert_eq!(locals.len(), joints * self.instances, "one pose per joint and instance");
        if joints == 0 {
            return;
        }
        let groups = self.locals.chunks_exact_mut(joints).zip(locals.chunks(LANES * joints));
        for (blocks, locals) in groups {
            if locals.len() == LANES * joints {
                let [a, b, c, d] = [0, 1, 2, 3].map(|lane| &locals[lane * joints..][..joints]);
                for (joint, block) in blocks.iter_mut().enumerate() {
                    *block = TrsBlock::of([&a[joint], &b[joint], &c[joint], &d[joint]]);
                }
                continue;
            }
            for (lane, locals) in locals.chunks_exact(joints).enumerate() {
                let joints = blocks.iter_mut().zip(locals);
                joints.for_each(|(block, local)| block.set_lane(lane, local));
            }
        }
    }

    /// Recomputes the world transforms of all joints of the active instances.
    ///
    /// A rotation whose length is off by at most [`NEAR_UNIT`](Trs::NEAR_UNIT) is made unit length for the
    /// computation; the pose stays as it is. With the feature `rayon`, this runs on several threads if there are
    /// enough joints.
    ///
    /// # Errors
    ///
    /// The first pose of an active instance that [`Trs::normalized`] refuses. The world transforms of that joint,
    /// and of its descendants in the same instance, are then meaningless. All others are right.
    pub fn propagate(&mut self) -> Result<(), CrowdError> {
        self.propagate_by(InstructionSet::best())
    }

    /// As [`propagate`](Self::propagate), by a given instruction set.
    ///
    /// # Panics
    ///
    /// If the processor lacks it.
    #[doc(hidden)]
    pub fn propagate_by(&mut self, instruction_set: InstructionSet) -> Result<(), CrowdError> {
        assert!(instruction_set.is_available(), "an instruction set that this processor has");
        let joints = self.topology.len();
        if joints == 0 {
            return Ok(());
        }
        let topology = &self.topology;
        let run = |sweep: GroupSweep<'_, X>| match instruction_set {
            InstructionSet::Avx2 => X::sweep_avx2(sweep),
            _ => sweep.run_plain(),
        };
        #[cfg(feature = "rayon")]
        if self.is_worth_threads() {
            use rayon::prelude::*;
            let locals = self.locals.par_chunks(2 * joints);
            let pairs = locals.zip(self.worlds.par_chunks_exact_mut(2 * joints));
            let pairs = pairs.zip(self.active.par_chunks(2)).enumerate();
            let refused = pairs.filter_map(|(pair, ((locals, worlds), active))| {
                run(GroupSweep { topology, first: 2 * pair, locals, worlds, active }).err()
            });
            return refused.min_by_key(|refused| refused.instance).map_or(Ok(()), Err);
        }
        let Self { locals, worlds, active, .. } = self;
        run(GroupSweep { topology, first: 0, locals, worlds, active })
    }

    #[cfg(feature = "rayon")]
    fn is_worth_threads(&self) -> bool {
        self.topology.len() * self.instances >= WORTH_THREADS && rayon::current_num_threads() > 1
    }

    /// Returns the world transforms in blocks, in the order of [`blocks_mut`](Self::blocks_mut), as of the last
    /// [`propagate`](Self::propagate).
    #[must_use]
    pub fn world_blocks(&self) -> &[X::Block] {
        &self.worlds[..self.locals.len()]
    }

    /// Returns the world transform of a joint as of the last [`propagate`](Self::propagate).
    ///
    /// # Panics
    ///
    /// If the joint or the instance is out of range.
    #[must_use]
    pub fn world(&self, joint: usize, instance: usize) -> X {
        let (position, lane) = self.place(joint, instance);
        world_of_lane(&self.worlds[position], lane)
    }

    /// Writes the world transforms of all joints of an instance to a slice, as of the last
    /// [`propagate`](Self::propagate).
    ///
    /// # Panics
    ///
    /// If the instance is out of range or the slice is not as long as the topology.
    pub fn copy_worlds_to(&self, instance: usize, worlds: &mut [X]) {
        self.check_instance(instance);
        assert_eq!(worlds.len(), self.topology.len(), "one world transform per joint");
        let first = instance / LANES * self.topology.len();
        for (world, block) in worlds.iter_mut().zip(&self.worlds[first..]) {
            *world = world_of_lane(block, instance % LANES);
        }
    }

    /// Writes the world transforms of all joints of the first instance, then of the next, and so on, as of the last
    /// [`propagate`](Self::propagate).
    ///
    /// # Panics
    ///
    /// If the length of the slice is not the number of joints times the number of instances.
    pub fn copy_all_worlds_to(&self, worlds: &mut [X]) {
        let joints = self.topology.len();
        assert_eq!(worlds.len(), joints * self.instances, "one per joint and instance");
        if joints == 0 {
            return;
        }
        let groups = self.worlds.chunks_exact(joints).zip(worlds.chunks_mut(LANES * joints));
        for (blocks, worlds) in groups {
            for (joint, block) in blocks.iter().enumerate() {
                X::each_world(block, |lane, world| {
                    // The last block may have fewer instances.
                    if let Some(to) = worlds.get_mut(lane * joints + joint) {
                        *to = world;
                    }
                });
            }
        }
    }

    /// Writes the skinning matrices of a mesh, world × inverse bind.
    ///
    /// For the first instance it writes one matrix for each element of `inverse_binds`, then the same for the next
    /// instance, and so on. World transforms are those of the last [`propagate`](Self::propagate).
    ///
    /// A skinning matrix consists of its first three rows, four numbers each; the last row is 0 0 0 1. The matrices
    /// of an instance that is not [active](Self::is_active) are left unchanged. With the feature `rayon`, this runs
    /// on several threads if there are enough joints.
    ///
    /// # Panics
    ///
    /// If a joint is out of range, or if the length of `palettes` is not the number of inverse binds times the
    /// number of instances.
    pub fn skin_into(&self, inverse_binds: &InverseBinds, palettes: &mut [[f32; 12]]) {
        self.skin_into_by(InstructionSet::best(), inverse_binds, palettes);
    }

    /// As [`skin_into`](Self::skin_into), by a given instruction set.
    ///
    /// # Panics
    ///
    /// Also if the processor lacks it.
    #[doc(hidden)]
    pub fn skin_into_by(
        &self,
        instruction_set: InstructionSet,
        inverse_binds: &InverseBinds,
        palettes: &mut [[f32; 12]],
    ) {
        assert!(instruction_set.is_available(), "an instruction set that this processor has");
        let (joints, binds) = (self.topology.len(), inverse_binds.len());
        let is_there = |bind: &InverseBind| bind.joint < joints;
        assert!(inverse_binds.0.iter().all(is_there), "joints of the topology");
        assert_eq!(
            palettes.len(),
            binds * self.instances,
            "one for each inverse bind and instance"
        );
        if binds == 0 {
            return;
        }
        let inverse_binds = inverse_binds.0.as_slice();
        let skin = |worlds, active, palettes| {
            let skinning = Skinning { joints, worlds, active, inverse_binds, palettes };
            match instruction_set {
                InstructionSet::Avx2 => X::skin_avx2(skinning),
                _ => skinning.run_plain(),
            }
        };
        #[cfg(feature = "rayon")]
        if self.is_worth_threads() {
            use rayon::prelude::*;
            let pairs = self.worlds.par_chunks_exact(2 * joints).zip(self.active.par_chunks(2));
            let pairs = pairs.zip(palettes.par_chunks_mut(2 * LANES * binds));
            pairs.for_each(|((worlds, active), palettes)| skin(worlds, active, palettes));
            return;
        }
        skin(&self.worlds, &self.active, palettes);
    }
}
