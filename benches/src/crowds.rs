//! A frame of a crowd, end to end: the input is poses from an animation system, the output skinning matrices.

use std::slice::from_ref;

use nalgebra::Matrix4;
use ultraviolet::{Mat4x4, Vec3x4, Vec4x4, f32x4};
use xform_core::{
    Topology, Transform, Trs,
    crowd::{Crowd, CrowdTransform, InverseBinds, LANES, TrsBlock},
};

/// The first three rows of a skinning matrix.
pub type Rows = [f32; 12];

/// Many instances of one skeleton, each with poses of its own.
#[derive(Clone, Debug)]
pub struct Frame {
    skeleton: Topology,
    /// All instances as a single forest.
    pub forest: Topology,
    /// The poses of all joints of the first instance, then of the next, and so on.
    pub poses: Vec<Trs<f32>>,
    /// The same poses as a structure of arrays.
    blocks: Vec<TrsBlock>,
    /// For each joint, the transform from the mesh's space to the joint's.
    pub inverse_binds: Vec<Matrix4<f32>>,
}

impl Frame {
    /// Creates as many instances of the skeleton as there are poses for.
    ///
    /// # Panics
    ///
    /// If parents do not come before their children, or a pose is refused.
    #[must_use]
    pub fn new(parents: &[Option<usize>], poses: &[Trs<f32>]) -> Self {
        let skeleton = Topology::from_parents(parents).expect("parents first");
        let joints = parents.len();
        let instances = poses.len() / joints;
        let poses = poses[..joints * instances].to_vec();
        let of_instance = |instance| {
            let shifted =
                move |parent: &Option<usize>| parent.map(|parent| parent + instance * joints);
            parents.iter().map(shifted)
        };
        let parents: Vec<_> = (0..instances).flat_map(of_instance).collect();
        let forest = Topology::from_parents(&parents).expect("parents first");
        let mut crowd =
            Crowd::<xform_matrix::AccumulatedMatrix<f32>>::new(skeleton.clone(), instances);
        crowd.set_all_locals(&poses);
        let blocks = crowd.blocks_mut().to_vec();
        let unmoved = poses[..joints].iter();
        let inverse_binds =
            unmoved.map(|pose| pose.with_translation(-pose.translation).to_homogeneous());
        Self { skeleton, forest, blocks, inverse_binds: inverse_binds.collect(), poses }
    }

    /// The number of joints of a skeleton.
    #[must_use]
    pub fn joints(&self) -> usize {
        self.skeleton.len()
    }

    /// Returns memory for the result.
    #[must_use]
    pub fn palettes(&self) -> Vec<Rows> {
        vec![[0.0; 12]; self.poses.len()]
    }
}

/// Uses [`Crowd`].
#[derive(Clone, Debug)]
pub struct Ours<X: CrowdTransform> {
    crowd: Crowd<X>,
    inverse_binds: InverseBinds,
}

impl<X: CrowdTransform> Ours<X> {
    /// Creates a crowd for frames like this one.
    #[must_use]
    pub fn new(frame: &Frame) -> Self {
        let instances = frame.poses.len() / frame.joints();
        let mut crowd = Crowd::new(frame.skeleton.clone(), instances);
        crowd.set_all_locals(&frame.poses);
        let inverse_binds = InverseBinds::new(frame.inverse_binds.iter().copied().enumerate());
        Self { crowd, inverse_binds }
    }

    /// Skins poses from a sampler's memory, given as a structure of arrays.
    pub fn skin_blocks(&mut self, frame: &Frame, palettes: &mut [Rows]) {
        self.crowd.blocks_mut().copy_from_slice(&frame.blocks);
        self.skin_in_place(palettes);
    }

    /// Skins poses from a sampler's memory, given one by one.
    pub fn skin_poses(&mut self, frame: &Frame, palettes: &mut [Rows]) {
        self.crowd.set_all_locals(&frame.poses);
        self.skin_in_place(palettes);
    }

    /// Skins poses that the sampler has written into the crowd's own memory.
    ///
    /// # Panics
    ///
    /// If a pose is refused.
    pub fn skin_in_place(&mut self, palettes: &mut [Rows]) {
        self.crowd.propagate().expect("generated poses are valid");
        self.crowd.skin_into(&self.inverse_binds, palettes);
    }

    /// Computes the world transforms of poses from a sampler's memory, given one by one.
    ///
    /// # Panics
    ///
    /// If a pose is refused.
    pub fn copy_worlds(&mut self, frame: &Frame, worlds: &mut [X]) {
        self.crowd.set_all_locals(&frame.poses);
        self.crowd.propagate().expect("generated poses are valid");
        self.crowd.copy_all_worlds_to(worlds);
    }
}

/// Uses slices and [`Transform::accumulate`], with all instances as a single forest.
#[derive(Clone, Debug)]
pub struct Slices<X: Transform<Scalar = f32>> {
    locals: Vec<Trs<f32>>,
    worlds: Vec<X>,
}

impl<X: Transform<Scalar = f32>> Slices<X> {
    /// Creates the slices for frames like this one.
    #[must_use]
    pub fn new(frame: &Frame) -> Self {
        Self { locals: frame.poses.clone(), worlds: vec![X::identity(); frame.poses.len()] }
    }

    /// Computes the world transforms of poses from a sampler's memory.
    pub fn propagate(&mut self, frame: &Frame) -> &[X] {
        self.locals.copy_from_slice(&frame.poses);
        self.propagate_in_place(frame)
    }

    /// Computes the world transforms of poses that the sampler has written in place.
    pub fn propagate_in_place(&mut self, frame: &Frame) -> &[X] {
        let everything = 0..self.locals.len();
        X::accumulate(&frame.forest, &self.locals, &mut self.worlds, from_ref(&everything));
        &self.worlds
    }

    /// Computes skinning matrices with nalgebra.
    pub fn skin_by_nalgebra(&mut self, frame: &Frame, palettes: &mut [Rows]) {
        self.propagate(frame);
        let joints = frame.joints();
        for (worlds, palettes) in
            self.worlds.chunks_exact(joints).zip(palettes.chunks_exact_mut(joints))
        {
            for ((world, bind), rows) in worlds.iter().zip(&frame.inverse_binds).zip(palettes) {
                let matrix = world.to_homogeneous() * bind;
                *rows = std::array::from_fn(|i| matrix[(i / 4, i % 4)]);
            }
        }
    }
}

/// Uses ultraviolet's wide matrices, with an instance in each lane, as one would by hand.
#[derive(Clone, Debug)]
pub struct Ultraviolet {
    locals: Vec<TrsBlock>,
    worlds: Vec<Mat4x4>,
    inverse_binds: Vec<Mat4x4>,
}

impl Ultraviolet {
    /// Creates the matrices for frames like this one.
    #[must_use]
    pub fn new(frame: &Frame) -> Self {
        let spread = |matrix: &Matrix4<f32>| {
            let column = |i| {
                let [x, y, z, w] = [0, 1, 2, 3].map(|row| f32x4::from(matrix[(row, i)]));
                Vec4x4::new(x, y, z, w)
            };
            Mat4x4::new(column(0), column(1), column(2), column(3))
        };
        Self {
            locals: frame.blocks.clone(),
            worlds: vec![Mat4x4::identity(); frame.blocks.len()],
            inverse_binds: frame.inverse_binds.iter().map(spread).collect(),
        }
    }

    /// Skins poses from a sampler's memory, given as a structure of arrays.
    pub fn skin_blocks(&mut self, frame: &Frame, palettes: &mut [Rows]) {
        self.locals.copy_from_slice(&frame.blocks);
        let joints = frame.joints();
        let groups = self.locals.chunks_exact(joints).zip(self.worlds.chunks_exact_mut(joints));
        for ((locals, worlds), palettes) in groups.zip(palettes.chunks_mut(LANES * joints)) {
            for (joint, block) in locals.iter().enumerate() {
                let local = matrix(block);
                worlds[joint] = match frame.skeleton.parent(joint) {
                    Some(parent) => worlds[parent] * local,
                    None => local,
                };
                let [x, y, z, origin] = (worlds[joint] * self.inverse_binds[joint]).cols;
                let rows = [
                    [x.x, y.x, z.x, origin.x],
                    [x.y, y.y, z.y, origin.y],
                    [x.z, y.z, z.z, origin.z],
                ];
                let rows = rows.map(f32x4::transpose);
                for lane in 0..palettes.len() / joints {
                    let palette = &mut palettes[lane * joints + joint];
                    for (row, lanes) in rows.iter().enumerate() {
                        palette[4 * row..][..4].copy_from_slice(&lanes[lane].to_array());
                    }
                }
            }
        }
    }
}

fn matrix(block: &TrsBlock) -> Mat4x4 {
    let [x, y, z, w] = block.rotation.map(f32x4::from);
    let [[tx, ty, tz], [sx, sy, sz]] = [block.translation, block.scale].map(|v| v.map(f32x4::from));
    let (zero, one, two) = (f32x4::from(0.0), f32x4::from(1.0), f32x4::from(2.0));
    let column = |v: Vec3x4, by: f32x4| Vec4x4::new(v.x * by, v.y * by, v.z * by, zero);
    Mat4x4::new(
        column(
            Vec3x4::new(one - two * (y * y + z * z), two * (x * y + w * z), two * (x * z - w * y)),
            sx,
        ),
        column(
            Vec3x4::new(two * (x * y - w * z), one - two * (x * x + z * z), two * (y * z + w * x)),
            sy,
        ),
        column(
            Vec3x4::new(two * (x * z + w * y), two * (y * z - w * x), one - two * (x * x + y * y)),
            sz,
        ),
        Vec4x4::new(tx, ty, tz, one),
    )
}
