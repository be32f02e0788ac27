use nalgebra::Matrix4;
use xform_core::{Inherit, Transform, Trs};
use xform_engines::{
    Accumulation, CannotSay, Engine, LocalPose, QuaternionRule, Reason, SkinRule, World,
    fbx::FbxImport,
};
use xform_matrix::AccumulatedMatrix;
use xform_scene::{
    Scene,
    fbx::{FbxHierarchy, InheritType},
};
use xform_trs::CombinedTrs;

use super::{
    from_fbx,
    questions::{binds, has_negative_scale, has_turned_bind, is_by_type},
};
use crate::{
    audit::{EngineAudit, EngineChoice},
    measure::worlds::Worlds,
};

/// Poses that differ by less, as a fraction of the largest entry, are the same but for rounding.
const SAME: f64 = 1e-9;

/// One of the two strategies, whose worlds an audit has anyway.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::measure) enum Strategy {
    Matrices,
    Trs,
}

/// What one or more engines show of a scene, whose rules come to the same there.
pub(in crate::measure) struct Show {
    /// None of them where it is what the file defines, and no engine does so.
    pub(in crate::measure) engines: Vec<&'static Engine>,
    /// The strategy that it comes to; none of the rest matters then.
    pub(in crate::measure) strategy: Option<Strategy>,
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
    pub(in crate::measure) unknown: Option<CannotSay>,
    /// The world transforms at rest, as far as they are known; none of a strategy.
    at_rest: Vec<Option<World>>,
}

impl Show {
    /// That of the reference first, then in the order of the registry, the strategies last; each with what it shows at rest.
    pub(in crate::measure) fn all(
        scene: &Scene,
        worlds: &Worlds,
        choice: &EngineChoice,
    ) -> Vec<Self> {
        let mirrors = has_negative_scale(scene, worlds);
        let mut all = vec![Self::of(scene, worlds, choice.reference, mirrors)];
        for engine in Engine::all().iter().chain(Engine::strategies()) {
            let is_named = |named: &&Engine| named.id == engine.id;
            if choice.reference.as_ref().is_some_and(is_named)
                || !choice.engines.iter().any(is_named)
            {
                continue;
            }
            let own = Self::of(scene, worlds, Some(engine), mirrors);
            match all.iter_mut().find(|known| known.is_same(&own)) {
                Some(same) => same.engines.push(engine),
                None => all.push(own),
            }
        }
        all.iter_mut().for_each(|show| show.place(scene, worlds));
        all
    }

    /// What each group of engines shows.
    pub(in crate::measure) fn of_groups(
        scene: &Scene,
        worlds: &Worlds,
        engines: &EngineAudit,
    ) -> Vec<Self> {
        let others = engines.others().iter().map(|group| group.engines.first().copied());
        let firsts = [engines.reference].into_iter().chain(others);
        firsts.map(|first| Self::of_engine(scene, worlds, first)).collect()
    }

    /// What an engine shows; `None` for what the file defines.
    pub(in crate::measure) fn of_engine(
        scene: &Scene,
        worlds: &Worlds,
        engine: Option<&'static Engine>,
    ) -> Self {
        let mut show = Self::of(scene, worlds, engine, has_negative_scale(scene, worlds));
        show.place(scene, worlds);
        show
    }

    /// Whether the rules of both come to the same.
    fn is_same(&self, other: &Self) -> bool {
        match (self.strategy, other.strategy) {
            (None, None) => {
                self.accumulation == other.accumulation
                    && self.imported == other.imported
                    && self.fbx == other.fbx
                    && self.skin == other.skin
            }
            (own, other) => own == other,
        }
    }

    fn of(scene: &Scene, worlds: &Worlds, engine: Option<&'static Engine>, mirrors: bool) -> Self {
        if let Some(engine) = engine.filter(|_| is_by_type(scene)) {
            let fbx = Some(engine.fbx.rule).filter(|&rule| rule != FbxImport::AsWritten);
            let by_type = Self {
                engines: vec![engine],
                strategy: None,
                accumulation: Accumulation::Matrix,
                imported: Vec::new(),
                quaternion: QuaternionRule::Unit,
                fbx,
                skin: SkinRule::Matrices,
                binds: Vec::new(),
                unknown: None,
                at_rest: Vec::new(),
            };
            return by_type.or_strategy(scene, worlds);
        }
        let accumulation =
            match engine.map_or(Accumulation::Matrix, |engine| engine.accumulation.rule) {
                Accumulation::CombinedTrsByMatrix if !mirrors => Accumulation::CombinedTrs,
                rule if scene.fbx.is_some() => rule.of_fbx(),
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
        let show = Self {
            engines: engine.into_iter().collect(),
            strategy: None,
            accumulation,
            imported: imported.collect(),
            quaternion,
            fbx: None,
            skin,
            binds: if skin == SkinRule::Matrices { Vec::new() } else { binds(scene) },
            unknown: None,
            at_rest: Vec::new(),
        };
        show.or_strategy(scene, worlds)
    }

    /// As one of the two strategies, where it comes to that.
    fn or_strategy(self, scene: &Scene, worlds: &Worlds) -> Self {
        let [matrices, trs] = Engine::strategies().map(|strategy| strategy.id);
        let strategy = match self.engines.first() {
            None => Some(Strategy::Matrices),
            Some(engine) if engine.id == matrices => Some(Strategy::Matrices),
            Some(engine) if engine.id == trs => Some(Strategy::Trs),
            Some(_) => self.comes_to(scene, worlds),
        };
        Self { strategy, ..self }
    }

    /// The strategy that its rules come to in this scene.
    fn comes_to(&self, scene: &Scene, worlds: &Worlds) -> Option<Strategy> {
        let is_kept = |(node, pose): &(usize, Result<LocalPose, Reason>)| {
            *pose == Ok(scene.nodes[*node].local)
        };
        let is_plain = self.fbx.is_none()
            && self.skin == SkinRule::Matrices
            && worlds.poses.all_inherit_everything();
        match self.accumulation {
            _ if !is_plain => None,
            Accumulation::Matrix if self.imported.iter().all(is_kept) => Some(Strategy::Matrices),
            Accumulation::CombinedTrs if self.imported.is_empty() => Some(Strategy::Trs),
            _ => None,
        }
    }

    /// Whether it has every translation, rotation and scale as the file does, and no rule of its own for anything else.
    pub(in crate::measure) fn takes_poses_as_they_are(&self) -> bool {
        let is_plain = self.imported.is_empty() && self.fbx.is_none();
        self.strategy.is_some() || is_plain && self.skin == SkinRule::Matrices
    }

    /// The first node, from one up to its root, that the other imports in another way.
    pub(in crate::measure) fn first_other(
        &self,
        other: &Self,
        scene: &Scene,
        node: usize,
    ) -> Option<usize> {
        let mut upwards = std::iter::successors(Some(node), |&node| scene.nodes[node].parent);
        upwards.find(|&node| match (self.imported(node), other.imported(node)) {
            (Some(Ok(own)), Some(Ok(other))) => {
                let (own, other) = (own.to_affine(), other.to_affine());
                (own.linear() - other.linear()).amax() > SAME * own.linear().amax()
            }
            (own, other) => own.is_some() || other.is_some(),
        })
    }

    /// Whether it has another pose of a node than the file.
    pub(in crate::measure) fn imports_otherwise(&self, node: usize) -> bool {
        self.imported(node).is_some()
    }

    fn imported(&self, node: usize) -> Option<&Result<LocalPose, Reason>> {
        let place = self.imported.binary_search_by_key(&node, |&(node, _)| node);
        place.ok().map(|place| &self.imported[place].1)
    }

    /// The world transform of a node at rest; `None` where nothing can be said of it.
    pub(in crate::measure) fn world(&self, worlds: &Worlds, node: usize) -> Option<World> {
        match self.strategy {
            Some(Strategy::Matrices) => Some(World::Matrix(worlds.by_matrix[node])),
            Some(Strategy::Trs) => Some(World::Trs(worlds.by_trs[node])),
            None => self.at_rest[node],
        }
    }

    /// The same as a matrix; what nothing can be said of stands at the origin.
    pub(in crate::measure) fn matrix(&self, worlds: &Worlds, node: usize) -> Matrix4<f64> {
        self.world(worlds, node).map_or_else(Matrix4::identity, |world| world.to_homogeneous())
    }

    /// Finds the world transforms at rest.
    fn place(&mut self, scene: &Scene, worlds: &Worlds) {
        if self.strategy.is_some() {
            return;
        }
        if let Some(found) = self.by_type(scene, |node| worlds.poses.locals[node]) {
            self.unknown = found.iter().find_map(|world| world.err());
            self.at_rest = found.into_iter().map(Result::ok).collect();
            return;
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
        self.at_rest = shown;
    }

    /// The world transforms of an FBX file by the rule of an importer; `None` where the usual rules hold.
    pub(super) fn by_type(
        &self,
        scene: &Scene,
        pose: impl Fn(usize) -> Trs<f64>,
    ) -> Option<Vec<Result<World, CannotSay>>> {
        let (file, import) = (scene.fbx.as_ref()?, self.fbx?);
        Some(from_fbx::worlds(scene, file, import, |node| file.nodes[node].inherit, pose))
    }

    /// The world transforms of an FBX file at rest whose nodes have other types, by the rule of the importer; of a strategy as the file
    /// says.
    pub(in crate::measure) fn with_types(
        &self,
        scene: &Scene,
        worlds: &Worlds,
        file: &FbxHierarchy,
        kind: impl Fn(usize) -> InheritType,
    ) -> Vec<Result<World, CannotSay>> {
        let import = self.fbx.unwrap_or(FbxImport::AsWritten);
        from_fbx::worlds(scene, file, import, kind, |node| worlds.poses.locals[node])
    }

    /// The world transform of a node below its parent's, with the pose that it has at rest or another one.
    pub(in crate::measure) fn step(
        &self,
        scene: &Scene,
        worlds: &Worlds,
        node: usize,
        moved: Option<LocalPose>,
        parent: Option<&World>,
    ) -> Result<World, Reason> {
        if let Some(strategy) = self.strategy {
            return Ok(strategy.step(scene, worlds, node, moved, parent));
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
        self.below(scene, worlds, node, &local, parent)
    }

    /// The same with this pose, whatever the file has.
    pub(in crate::measure) fn below(
        &self,
        scene: &Scene,
        worlds: &Worlds,
        node: usize,
        local: &LocalPose,
        parent: Option<&World>,
    ) -> Result<World, Reason> {
        if let Some(strategy) = self.strategy {
            return Ok(strategy.step(scene, worlds, node, Some(*local), parent));
        }
        if scene.nodes[node].inherit != Inherit::All {
            return Err(Reason::Inheritance);
        }
        let world = match parent {
            Some(parent) => self.accumulation.concat(parent, local)?,
            None => self.accumulation.root(local)?,
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

impl Strategy {
    /// The entry of the registry that stands for it.
    pub(in crate::measure) fn engine(self) -> &'static Engine {
        let [matrices, trs] = Engine::strategies();
        if self == Self::Matrices { matrices } else { trs }
    }

    /// The world transform of a node below its parent's, with the pose that it has at rest or another one.
    fn step(
        self,
        scene: &Scene,
        worlds: &Worlds,
        node: usize,
        moved: Option<LocalPose>,
        parent: Option<&World>,
    ) -> World {
        let (inherit, poses) = (scene.nodes[node].inherit, &worlds.poses);
        match (self, parent) {
            (Self::Trs, parent) => {
                let parent = match parent {
                    Some(World::Trs(parent)) => *parent,
                    _ => CombinedTrs::identity(),
                };
                World::Trs(match moved {
                    Some(LocalPose::Trs(moved)) => parent.concat_inheriting(&moved, inherit),
                    _ => poses.trs_below(node, &parent),
                })
            }
            (Self::Matrices, parent) => {
                let parent = match parent {
                    Some(World::Matrix(parent)) => *parent,
                    _ => AccumulatedMatrix::identity(),
                };
                World::Matrix(match moved {
                    Some(LocalPose::Trs(moved)) => parent.concat_inheriting(&moved, inherit),
                    _ => poses.matrix_below(node, &parent),
                })
            }
        }
    }
}
