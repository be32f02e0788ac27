use nalgebra::{Matrix3, Matrix4};
use xform_core::{Inherit, Trs};
use xform_engines::{
    Accumulation, CannotSay, Engine, LocalPose, QuaternionRule, Reason, SkinRule, World,
    fbx::FbxImport,
};
use xform_scene::{Scene, animation::Track, skin::Joint};

use super::from_fbx;

use crate::{
    audit::EngineChoice,
    measure::{motion::MovedNodes, worlds::Worlds},
};

/// Poses that differ by less, as a fraction of the largest entry, are the same but for rounding.
const SAME: f64 = 1e-9;

/// What one or more engines show of a scene, whose rules come to the same there.
pub(in crate::measure) struct Showing {
    /// None of them where it is what glTF defines, and no engine does so.
    pub(super) engines: Vec<&'static Engine>,
    accumulation: Accumulation,
    /// The poses that are not those of the strategies, of nodes with a matrix or a rotation of another length than 1, in ascending order.
    imported: Vec<(usize, Result<LocalPose, Reason>)>,
    /// What becomes of such a rotation.
    quaternion: QuaternionRule,
    /// How an FBX file is imported in which a node does not take its parent's scale as matrices do.
    fbx: Option<FbxImport>,
    /// How it moves the vertices that follow joints, where that may matter.
    skin: SkinRule,
    /// The inverse bind matrices of joints, in ascending order of these; none where the rule does not matter.
    binds: Vec<(usize, Matrix4<f64>)>,
    /// The first node that nothing can be said of.
    pub(super) unknown: Option<CannotSay>,
}

impl Showing {
    /// That of the reference first, then in the order of the registry.
    pub(super) fn all(scene: &Scene, worlds: &Worlds, choice: &EngineChoice) -> Vec<Self> {
        let mirrors = has_negative_scale(scene, worlds);
        let mut all = vec![Self::of(scene, worlds, choice.reference, mirrors)];
        for engine in Engine::all() {
            let is_named = |named: &&Engine| named.id == engine.id;
            if choice.reference.as_ref().is_some_and(is_named)
                || !choice.engines.iter().any(is_named)
            {
                continue;
            }
            let own = Self::of(scene, worlds, Some(engine), mirrors);
            let is_same = |known: &&mut Self| {
                known.accumulation == own.accumulation
                    && known.imported == own.imported
                    && known.fbx == own.fbx
                    && known.skin == own.skin
            };
            match all.iter_mut().find(is_same) {
                Some(same) => same.engines.push(engine),
                None => all.push(own),
            }
        }
        all
    }

    /// What an engine shows; `None` for what glTF defines.
    pub(in crate::measure) fn of_engine(
        scene: &Scene,
        worlds: &Worlds,
        engine: Option<&'static Engine>,
    ) -> Self {
        Self::of(scene, worlds, engine, has_negative_scale(scene, worlds))
    }

    fn of(scene: &Scene, worlds: &Worlds, engine: Option<&'static Engine>, mirrors: bool) -> Self {
        if let Some(engine) = engine.filter(|_| is_by_type(scene)) {
            let fbx = Some(engine.fbx.rule).filter(|&rule| rule != FbxImport::AsWritten);
            let (accumulation, imported) = (Accumulation::Matrix, Vec::new());
            return Self {
                engines: vec![engine],
                accumulation,
                imported,
                quaternion: QuaternionRule::Unit,
                fbx,
                skin: SkinRule::Matrices,
                binds: Vec::new(),
                unknown: None,
            };
        }
        let accumulation =
            match engine.map_or(Accumulation::Matrix, |engine| engine.accumulation.rule) {
                Accumulation::CombinedTrsByMatrix if !mirrors => Accumulation::CombinedTrs,
                rule => rule,
            };
        let quaternion = engine.map_or(QuaternionRule::Unit, |engine| engine.quaternion.rule);
        let imported = scene.nodes.iter().enumerate().filter_map(|(node, entry)| {
            let matrix = match (&entry.local, entry.rotation_length) {
                (LocalPose::Matrix(matrix), _) => matrix,
                (LocalPose::Trs(pose), Some(length)) => {
                    let is_unit = quaternion == QuaternionRule::Unit;
                    let imported = quaternion.imported(accumulation, pose, length);
                    return (!is_unit).then_some((node, imported));
                }
                (LocalPose::Trs(_), None) => return None,
            };
            let is_pose = worlds.poses.residual(node).is_none();
            let scale = worlds.poses.locals[node].scale;
            // Which of its scales is negative matters to rules that keep parts, and one of zero to those that divide by it.
            let is_plain = match accumulation {
                Accumulation::Matrix => scale.iter().all(|&factor| factor != 0.0),
                _ => scale.iter().all(|&factor| factor > 0.0),
            };
            if is_pose && is_plain {
                return None;
            }
            let imported = engine
                .map_or(Ok(entry.local), |engine| engine.imported(&LocalPose::Matrix(*matrix)));
            Some((node, imported))
        });
        let skin = engine
            .map(|engine| engine.skin.rule)
            .filter(|&rule| rule != SkinRule::Matrices && has_turned_bind(scene))
            .unwrap_or(SkinRule::Matrices);
        Self {
            engines: engine.into_iter().collect(),
            accumulation,
            imported: imported.collect(),
            quaternion,
            fbx: None,
            skin,
            binds: if skin == SkinRule::Matrices { Vec::new() } else { binds(scene) },
            unknown: None,
        }
    }

    /// Whether it is one of the two strategies, as the audit has it.
    pub(in crate::measure) fn is_strategy(
        &self,
        scene: &Scene,
        worlds: &Worlds,
        by_matrix: bool,
    ) -> bool {
        let all_inherit = || worlds.poses.all_inherit_everything();
        let is_kept = |(node, pose): &(usize, Result<LocalPose, Reason>)| {
            *pose == Ok(scene.nodes[*node].local)
        };
        if self.fbx.is_some() || self.skin != SkinRule::Matrices {
            return false;
        }
        match (by_matrix, self.accumulation) {
            (true, Accumulation::Matrix) => self.imported.iter().all(is_kept) && all_inherit(),
            (false, Accumulation::CombinedTrs) => self.imported.is_empty() && all_inherit(),
            _ => false,
        }
    }

    /// The first node, from one up to its root, that the other imports in another way.
    pub(super) fn first_other(&self, other: &Self, scene: &Scene, node: usize) -> Option<usize> {
        let mut upwards = std::iter::successors(Some(node), |&node| scene.nodes[node].parent);
        upwards.find(|&node| match (self.imported(node), other.imported(node)) {
            (Some(Ok(own)), Some(Ok(other))) => {
                let (own, other) = (own.to_affine(), other.to_affine());
                (own.linear() - other.linear()).amax() > SAME * own.linear().amax()
            }
            (own, other) => own.is_some() || other.is_some(),
        })
    }

    fn imported(&self, node: usize) -> Option<&Result<LocalPose, Reason>> {
        let place = self.imported.binary_search_by_key(&node, |&(node, _)| node);
        place.ok().map(|place| &self.imported[place].1)
    }

    /// The world transforms at rest, as far as they are known.
    pub(in crate::measure) fn at_rest(
        &mut self,
        scene: &Scene,
        worlds: &Worlds,
    ) -> Vec<Option<World>> {
        if let Some(found) = self.by_type(scene, |node| worlds.poses.locals[node]) {
            self.unknown = self.unknown.or(found.iter().find_map(|world| world.err()));
            return found.into_iter().map(Result::ok).collect();
        }
        let mut shown: Vec<Option<World>> = vec![None; scene.nodes.len()];
        for &node in &worlds.order {
            let parent = match scene.nodes[node].parent {
                Some(parent) => match &shown[parent] {
                    None => continue,
                    known => known.as_ref(),
                },
                None => None,
            };
            match self.step(scene, worlds, node, None, parent) {
                Ok(world) => shown[node] = Some(world),
                Err(reason) => {
                    self.unknown = self.unknown.or(Some(CannotSay { node, reason }));
                }
            }
        }
        shown
    }

    /// The world transforms of an FBX file by the rule of an importer; `None` where the usual rules hold.
    fn by_type(
        &self,
        scene: &Scene,
        pose: impl Fn(usize) -> Trs<f64>,
    ) -> Option<Vec<Result<World, CannotSay>>> {
        let (file, import) = (scene.fbx.as_ref()?, self.fbx?);
        Some(from_fbx::worlds(scene, file, import, pose))
    }

    /// The world transform of a node below its parent's, with the pose that it has at rest or another one.
    fn step(
        &self,
        scene: &Scene,
        worlds: &Worlds,
        node: usize,
        moved: Option<LocalPose>,
        parent: Option<&World>,
    ) -> Result<World, Reason> {
        if scene.nodes[node].inherit != Inherit::All {
            return Err(Reason::Inheritance);
        }
        let rest = &worlds.poses.locals[node];
        let local = match (moved, scene.nodes[node].rotation_length, self.imported(node)) {
            // What moves otherwise than by its rotation keeps that.
            (Some(LocalPose::Trs(moved)), Some(length), _) if moved.rotation == rest.rotation => {
                self.quaternion.imported(self.accumulation, &moved, length)?
            }
            (Some(moved), ..) => moved,
            (None, _, Some(imported)) => (*imported)?,
            (None, _, None) => (*rest).into(),
        };
        let world = match parent {
            Some(parent) => self.accumulation.concat(parent, &local)?,
            None => self.accumulation.root(&local)?,
        };
        self.check_skin(node, &world).map(|()| world)
    }

    /// Figures and pictures of skinned meshes are by the matrices of joints: nothing is said where an engine moves vertices otherwise.
    fn check_skin(&self, node: usize, world: &World) -> Result<(), Reason> {
        let first = self.binds.partition_point(|(joint, _)| *joint < node);
        for (_, inverse_bind) in self.binds[first..].iter().take_while(|(joint, _)| *joint == node)
        {
            let found = self.skin.world_from_mesh(world, inverse_bind)?;
            let defined = SkinRule::Matrices.world_from_mesh(world, inverse_bind)?;
            if (found - defined).amax() > SAME * defined.amax() {
                return Err(Reason::BindPose);
            }
        }
        Ok(())
    }
}

fn joints(scene: &Scene) -> impl Iterator<Item = &Joint> {
    let skins = scene.nodes.iter().filter_map(|node| node.skin.as_ref());
    skins.flat_map(|skin| skin.joints.iter())
}

/// Of each joint, in ascending order.
fn binds(scene: &Scene) -> Vec<(usize, Matrix4<f64>)> {
    let mut binds: Vec<_> = joints(scene).map(|joint| (joint.node, joint.inverse_bind)).collect();
    binds.sort_by_key(|(node, _)| *node);
    binds
}

/// Whether a joint was turned, scaled or sheared when a mesh was bound to it.
fn has_turned_bind(scene: &Scene) -> bool {
    joints(scene).any(|joint| joint.inverse_bind.fixed_view::<3, 3>(0, 0) != Matrix3::identity())
}

/// Whether a scene is of an FBX file in which a node does not take its parent's scale as matrices do.
fn is_by_type(scene: &Scene) -> bool {
    scene.fbx.as_ref().is_some_and(|file| !file.inherits_all())
}

/// Whether any scale may be negative, at rest or in motion.
fn has_negative_scale(scene: &Scene, worlds: &Worlds) -> bool {
    let is_negative = |scale: &[f64; 3]| scale.iter().any(|&factor| factor < 0.0);
    let at_rest = worlds.poses.locals.iter().any(|pose| is_negative(&pose.scale.into()));
    let tracks = || scene.animations.iter().flat_map(|animation| &animation.channels);
    at_rest
        || tracks().any(|channel| match &channel.track {
            Track::Scale(curve) => curve.least() < 0.0,
            Track::Translation(_) | Track::Rotation(_) => false,
        })
}

/// A showing while an animation moves it.
pub(in crate::measure) struct Placed<'a> {
    showing: &'a Showing,
    at_rest: &'a [Option<World>],
    /// By place among the nodes that are moved.
    moved: Vec<World>,
    pub(in crate::measure) matrices: Vec<Matrix4<f64>>,
    pub(super) unknown: Option<CannotSay>,
}

impl<'a> Placed<'a> {
    pub(in crate::measure) fn new(showing: &'a Showing, at_rest: &'a [Option<World>]) -> Self {
        Self { showing, at_rest, moved: Vec::new(), matrices: Vec::new(), unknown: showing.unknown }
    }

    /// Whether something is known of every node.
    pub(super) fn is_known(&self) -> bool {
        self.unknown.is_none()
    }

    /// Finds the world transforms at a time.
    pub(in crate::measure) fn pose(
        &mut self,
        scene: &Scene,
        worlds: &Worlds,
        nodes: &MovedNodes<'_>,
        seconds: f64,
    ) {
        self.moved.clear();
        self.matrices.clear();
        let rest = &worlds.poses.locals;
        let moved = |node: usize| {
            let pose = nodes.place(node).and_then(|at| nodes.pose(at, &rest[node], seconds));
            pose.unwrap_or(rest[node])
        };
        if let Some(found) = self.showing.by_type(scene, moved) {
            for place in 0..nodes.len() {
                match found[nodes.node(place)] {
                    Ok(world) => self.matrices.push(world.to_homogeneous()),
                    Err(unknown) => self.unknown = self.unknown.or(Some(unknown)),
                }
            }
            return;
        }
        for place in 0..nodes.len() {
            if !self.is_known() {
                return;
            }
            let (node, parent) = (nodes.node(place), nodes.parent(place));
            let parent = match (parent, scene.nodes[node].parent) {
                (Some(place), _) => Some(&self.moved[place]),
                (None, Some(parent)) => self.at_rest[parent].as_ref(),
                (None, None) => None,
            };
            let pose = nodes.pose(place, &worlds.poses.locals[node], seconds).map(LocalPose::from);
            match self.showing.step(scene, worlds, node, pose, parent) {
                Ok(world) => {
                    self.moved.push(world);
                    self.matrices.push(world.to_homogeneous());
                }
                Err(reason) => self.unknown = Some(CannotSay { node, reason }),
            }
        }
    }

    /// The world matrix of a node at the time.
    pub(super) fn matrix(&self, nodes: &MovedNodes<'_>, node: usize) -> Matrix4<f64> {
        match nodes.place(node) {
            Some(place) => self.matrices[place],
            None => {
                self.at_rest[node].map_or_else(Matrix4::identity, |world| world.to_homogeneous())
            }
        }
    }
}
