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

/// The largest difference of poses that is rounding, as a fraction of the largest entry.
const SAME: f64 = 1e-9;

/// One of the two strategies, whose world transforms every audit has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::measure) enum Strategy {
    Matrices,
    Trs,
}

/// The show of one or more engines whose rules agree on a scene.
pub(in crate::measure) struct Show {
    /// The engines. Empty if this is the file's own definition and no engine follows it.
    pub(in crate::measure) engines: Vec<&'static Engine>,
    /// The strategy that the rules reduce to. If set, the other fields do not matter.
    pub(in crate::measure) strategy: Option<Strategy>,
    accumulation: Accumulation,
    /// The poses that differ from those of the strategies: of nodes with a matrix, or with a rotation whose
    /// length is not 1. In ascending order of the nodes.
    imported: Vec<(usize, Result<LocalPose, Reason>)>,
    /// The treatment of such a rotation.
    quaternion: QuaternionRule,
    /// The import rule for an FBX file with a node that does not inherit its parent's scale as matrices do.
    fbx: Option<FbxImport>,
    /// The rule that moves vertices with their joints, if it may matter.
    skin: SkinRule,
    /// The inverse bind matrices of joints, in ascending order of the joints. Empty if the rule does not
    /// matter.
    binds: Vec<(usize, Matrix4<f64>)>,
    /// The first node whose world transform is unknown.
    pub(in crate::measure) unknown: Option<CannotSay>,
    /// The world transforms at rest, as far as they are known. Empty for a strategy.
    at_rest: Vec<Option<World>>,
}

impl Show {
    /// Returns the shows of a choice of engines, with their world transforms at rest. The reference comes
    /// first, then the order of the registry, then the strategies.
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

    /// Returns the show of each group of engines.
    pub(in crate::measure) fn of_groups(
        scene: &Scene,
        worlds: &Worlds,
        engines: &EngineAudit,
    ) -> Vec<Self> {
        let others = engines.others().iter().map(|group| group.engines.first().copied());
        let firsts = [engines.reference].into_iter().chain(others);
        firsts.map(|first| Self::of_engine(scene, worlds, first)).collect()
    }

    /// Returns the show of an engine; `None` stands for the file's own definition.
    pub(in crate::measure) fn of_engine(
        scene: &Scene,
        worlds: &Worlds,
        engine: Option<&'static Engine>,
    ) -> Self {
        let mut show = Self::of(scene, worlds, engine, has_negative_scale(scene, worlds));
        show.place(scene, worlds);
        show
    }

    /// Whether the rules of both agree on this scene.
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
            // The signs of scales matter to rules that keep the parts separate. A zero scale matters to rules
            // that divide by it.
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

    /// Sets the strategy that it reduces to, if any.
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

    /// Returns the strategy that its rules reduce to in this scene.
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

    /// Whether it imports every translation, rotation and scale unchanged and has no special rule for
    /// anything else.
    pub(in crate::measure) fn takes_poses_as_they_are(&self) -> bool {
        let is_plain = self.imported.is_empty() && self.fbx.is_none();
        self.strategy.is_some() || is_plain && self.skin == SkinRule::Matrices
    }

    /// Returns the first node, from `node` up to its root, that the other show imports differently.
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

    /// Whether it imports a node with a pose other than the file's.
    pub(in crate::measure) fn imports_otherwise(&self, node: usize) -> bool {
        self.imported(node).is_some()
    }

    fn imported(&self, node: usize) -> Option<&Result<LocalPose, Reason>> {
        let place = self.imported.binary_search_by_key(&node, |&(node, _)| node);
        place.ok().map(|place| &self.imported[place].1)
    }

    /// Returns the world transform of a node at rest; `None` if it is unknown.
    pub(in crate::measure) fn world(&self, worlds: &Worlds, node: usize) -> Option<World> {
        match self.strategy {
            Some(Strategy::Matrices) => Some(World::Matrix(worlds.by_matrix[node])),
            Some(Strategy::Trs) => Some(World::Trs(worlds.by_trs[node])),
            None => self.at_rest[node],
        }
    }

    /// The same as a matrix. A node whose world transform is unknown is at the origin.
    pub(in crate::measure) fn matrix(&self, worlds: &Worlds, node: usize) -> Matrix4<f64> {
        self.world(worlds, node).map_or_else(Matrix4::identity, |world| world.to_homogeneous())
    }

    /// Computes the world transforms at rest.
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

    /// Returns the world transforms of an FBX file by the rule of an importer; `None` if the usual rules
    /// apply.
    pub(super) fn by_type(
        &self,
        scene: &Scene,
        pose: impl Fn(usize) -> Trs<f64>,
    ) -> Option<Vec<Result<World, CannotSay>>> {
        let (file, import) = (scene.fbx.as_ref()?, self.fbx?);
        Some(from_fbx::worlds(scene, file, import, |node| file.nodes[node].inherit, pose))
    }

    /// Returns the world transforms of an FBX file at rest with other inherit types, by the rule of the
    /// importer. A strategy uses the file's own rule.
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

    /// Returns the world transform of a node below its parent's, with its pose at rest or with another one.
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
            // A node whose rotation does not move keeps the length of that rotation.
            (Some(LocalPose::Trs(moved)), Some(length), _) if moved.rotation == rest.rotation => {
                self.quaternion.imported(self.accumulation, &moved, length)?
            }
            (Some(moved), ..) => moved,
            (None, _, Some(imported)) => (*imported)?,
            (None, _, None) => (*rest).into(),
        };
        self.below(scene, worlds, node, &local, parent)
    }

    /// The same with this pose, regardless of the file.
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

    /// Checks that an engine moves vertices as the joints' matrices do. Figures and pictures of skinned
    /// meshes assume that; otherwise the result is unknown.
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
    /// Returns the entry of the registry that stands for the strategy.
    pub(in crate::measure) fn engine(self) -> &'static Engine {
        let [matrices, trs] = Engine::strategies();
        if self == Self::Matrices { matrices } else { trs }
    }

    /// Returns the world transform of a node below its parent's, with its pose at rest or with another one.
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
