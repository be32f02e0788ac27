//! Runs, and rules that are claimed to say what they answered.

mod claims;

pub(crate) use claims::rules;

use nalgebra::{Matrix3, Matrix4, Vector3};
use xform_core::{Trs, linear::axis_lengths};
use xform_engines::{
    CannotSay, DecompositionRule, Engine, KeepWorld, Known, LocalPose, SourceNode, SwitchRule,
    World,
    blender::{Bone, InheritScale, bone_worlds},
};
use xform_matrix::AccumulatedMatrix;

use crate::answers::{ANSWERS, Said, Scene, SceneNode, answered, nodes, residual};

/// A run, and a rule for the nodes of a scene.
pub(crate) struct Rule {
    pub(crate) run: String,
    /// The rule in a few words.
    pub(crate) words: &'static str,
    pub(crate) says: Box<dyn Fn(&Scene) -> Said>,
    /// The scenes in which it does something that is no rule about hierarchies.
    skips: &'static [&'static str],
    /// The largest residual that is rounding: that of the engine, in `f32` but for a few.
    pub(crate) bound: f64,
}

/// What the rounding of `f32` comes to in these scenes.
const F32: f64 = 3e-6;

pub(crate) fn engine(id: &str) -> &'static Engine {
    Engine::named(id).unwrap_or_else(|| panic!("no engine {id}"))
}

/// How each thing is known that the profiles claim.
pub(crate) fn all_known() -> impl Iterator<Item = Known> {
    Engine::all().iter().flat_map(|engine| {
        let Engine {
            accumulation,
            import,
            keep_world,
            getters,
            fbx,
            skin,
            quaternion,
            switches,
            ..
        } = engine;
        let claims = [
            accumulation.known,
            import.known,
            keep_world.known,
            getters.known,
            fbx.known,
            skin.known,
            quaternion.known,
        ];
        claims.into_iter().chain(switches.iter().map(|switch| switch.known))
    })
}

/// Each engine of which something is claimed by a run that ends like this, and the name of the run without the end.
pub(crate) fn claimed(
    known: impl Fn(&Engine) -> Known,
    end: &str,
) -> impl Iterator<Item = (&'static Engine, &'static str)> {
    Engine::all().iter().filter_map(move |engine| match known(engine) {
        Known::Run { run, .. } => Some((engine, run.strip_suffix(end)?)),
        _ => None,
    })
}

impl Rule {
    fn new(
        run: impl Into<String>,
        words: &'static str,
        says: impl Fn(&Scene) -> Said + 'static,
    ) -> Self {
        Self { run: run.into(), words, says: Box::new(says), skips: &[], bound: F32 }
    }

    /// The same run, of which something else is claimed.
    pub(crate) fn saying(&self, says: impl Fn(&Scene) -> Said + 'static) -> Self {
        let Self { run, words, skips, bound, .. } = self;
        let (run, says) = (run.clone(), Box::new(says));
        Self { run, words, says, skips, bound: *bound }
    }

    fn without(self, skips: &'static [&'static str]) -> Self {
        Self { skips, ..self }
    }

    fn within(self, bound: f64) -> Self {
        Self { bound, ..self }
    }
}

/// What an engine shows of a scene that it imports.
fn imported(id: &str) -> impl Fn(&Scene) -> Said + use<> {
    let engine = engine(id);
    move |scene| matrices(engine.worlds(&nodes(scene)).expect("a forest"))
}

/// What an engine shows of a scene whose matrices it was given by calls.
fn given(id: &str) -> impl Fn(&Scene) -> Said + use<> {
    let mut engine = *engine(id);
    engine.import.rule = engine.given;
    move |scene| matrices(engine.worlds(&nodes(scene)).expect("a forest"))
}

fn matrices(worlds: Vec<Result<World, CannotSay>>) -> Said {
    worlds.into_iter().map(|world| world.map(|world| world.to_homogeneous())).collect()
}

/// What is left of each node, which stood as `before` says, below the root of the world; `is_exact` says of which nothing
/// is lost.
fn kept(
    keep: KeepWorld,
    before: impl Fn(&Scene) -> Said + 'static,
    is_exact: impl Fn(&SceneNode) -> bool + 'static,
) -> impl Fn(&Scene) -> Said {
    move |scene| {
        let nodes = nodes(scene);
        let kept = before(scene).into_iter().zip(&nodes).zip(scene).enumerate();
        let kept = kept.map(|(node, ((world, pose), named))| {
            let world = AccumulatedMatrix::from_matrix(world?).expect("affine");
            let keep = if is_exact(named) { KeepWorld::Exact } else { keep };
            let root = AccumulatedMatrix::from(Trs::identity());
            let kept = keep.kept(&root, &world, &scale(pose));
            kept.map(|kept| *kept.matrix()).map_err(|reason| CannotSay { node, reason })
        });
        kept.collect()
    }
}

/// The scale of a local pose, of a matrix as engines take it apart.
fn scale(node: &SourceNode) -> Vector3<f64> {
    match node.local {
        LocalPose::Trs(trs) => trs.scale,
        _ => axis_lengths(&node.local.to_affine().linear()),
    }
}

/// What an engine shows with a switch set on some nodes, of what it imports.
fn switched(
    (id, setting): (&'static str, &'static str),
    is_set: impl Fn(usize) -> bool + Copy + 'static,
) -> impl Fn(&Scene) -> Said {
    let (engine, rule) = (engine(id), switch(id, setting));
    move |scene| {
        let imported = |node: SourceNode| {
            let local = engine.imported(&node.local).unwrap_or(node.local);
            SourceNode { local, ..node }
        };
        let nodes: Vec<_> = nodes(scene).into_iter().map(imported).collect();
        rule.worlds(&nodes, is_set).expect("a forest")
    }
}

/// What an engine shows of each node if the switch is set on that alone.
fn switched_one_by_one(id: &str, setting: &str) -> impl Fn(&Scene) -> Said + use<> {
    let rule = switch(id, setting);
    move |scene| {
        let nodes = nodes(scene);
        let one = |node: usize| rule.worlds(&nodes, |set| set == node).expect("a forest")[node];
        (0..nodes.len()).map(one).collect()
    }
}

/// The switch of an engine that has this setting.
fn switch(id: &str, setting: &str) -> SwitchRule {
    let switch = engine(id).switches.iter().find(|switch| switch.setting == setting);
    switch.unwrap_or_else(|| panic!("{id} has no switch {setting}")).rule
}

/// Each node with the rotation of its world transform taken out: its scale remains.
fn unrotated(taken_apart: DecompositionRule) -> impl Fn(&Scene) -> Said {
    let before = imported("godot");
    move |scene| {
        let worlds = before(scene).into_iter().enumerate();
        let unrotated = worlds.map(|(node, world)| {
            let mut world = world?;
            let linear = world.fixed_view::<3, 3>(0, 0).into_owned();
            let parts = taken_apart.parts(&linear).map_err(|reason| CannotSay { node, reason })?;
            let scale = Matrix3::from_diagonal(&parts.scale);
            world.fixed_view_mut::<3, 3>(0, 0).copy_from(&scale);
            Ok(world)
        });
        unrotated.collect()
    }
}

const MODES: [(&str, InheritScale); 6] = [
    ("FULL", InheritScale::Full),
    ("FIX_SHEAR", InheritScale::FixShear),
    ("ALIGNED", InheritScale::Aligned),
    ("AVERAGE", InheritScale::Average),
    ("NONE", InheritScale::None),
    ("NONE_LEGACY", InheritScale::NoneLegacy),
];

/// How many nodes a run answered for, of which a rule says something, and how far off that is.
pub(crate) fn checked(rule: &Rule) -> (usize, f64) {
    let scenes = ANSWERS.scenes.iter().filter(|(name, _)| !rule.skips.contains(&name.as_str()));
    scenes.fold((0, 0.0), |(nodes, worst), (name, scene)| {
        let (more, off) = checked_in(rule, name, scene);
        (nodes + more, if off > worst || off.is_nan() { off } else { worst })
    })
}

/// The same in one scene.
pub(crate) fn checked_in(rule: &Rule, name: &str, scene: &Scene) -> (usize, f64) {
    let axes = ANSWERS.runs[&rule.run].axes.convention();
    let answered = answered(&rule.run, name, scene).into_iter().zip((rule.says)(scene));
    residual(
        answered.filter_map(|(answered, said)| Some((axes.world(&said.ok()?), answered?.world()?))),
    )
}

/// An armature with general rest poses, whose bones inherit as the name of a mode says.
pub(crate) fn bones_checked(mode: &str) -> (usize, f64) {
    let inherits = |name: &str| {
        let (scale, rotation) = match mode {
            "MIX" => ANSWERS.bones.mix[name].clone(),
            _ => (mode.replace("_NOROT", "").replace("_NOLOC", ""), !mode.contains("_NOROT")),
        };
        let scale = MODES.iter().find(|(name, _)| **name == scale).expect("a mode").1;
        (scale, rotation, !mode.contains("_NOLOC"))
    };
    let named = ANSWERS.bones.bones();
    let bones = named.iter().map(|bone| {
        let (inherit_scale, inherits_rotation, has_local_location) = inherits(bone.name);
        let (parent, rest, pose) = (bone.parent, bone.rest, bone.pose);
        Bone { parent, rest, pose, inherit_scale, inherits_rotation, has_local_location }
    });
    let said = bone_worlds(&bones.collect::<Vec<_>>()).expect("a forest");
    let answered: Vec<(&str, Vec<Option<f64>>)> = named
        .iter()
        .map(|bone| {
            (bone.name, ANSWERS.bones.modes[mode][bone.name].iter().copied().map(Some).collect())
        })
        .collect();
    let both = said
        .into_iter()
        .zip(&answered)
        .filter_map(|(said, (_, answered))| Some((said.ok()?, answered.as_slice())));
    residual(both.collect::<Vec<(Matrix4<f64>, &[Option<f64>])>>())
}
