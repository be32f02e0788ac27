//! The rules of the registry's engines, one for each way to query an engine, and their predictions for a scene.

use nalgebra::{Matrix3, Matrix4, Point3, Vector3};
use xform_core::{Trs, linear::axis_lengths};
use xform_engines::{
    Accumulation, DecompositionRule, Engine, Getters, Import, KeepWorld, LocalPose, Reason,
    SourceNode, Switch, SwitchRule, World,
    fbx::{FbxImport, InheritType},
};
use xform_matrix::AccumulatedMatrix;
use xform_scene::{Node, Scene};

use crate::{
    answers::Asked,
    scenes::{AskedScene, Found},
};

/// An engine and the way in which it was queried.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) engine: &'static Engine,
    way: Way,
    /// The time in the first animation that the importer shows instead of the rest pose, if it does.
    shows_at_rest: Option<f64>,
}

/// The engine that shows an animation instead of the rest pose, and the time: its importer leaves the scene at frame 1
/// of 24 per second.
const SHOWS_ANIMATION: (&str, f64) = ("blender", 1.0 / 24.0);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// The file was imported.
    Imported,
    /// The nodes were created by calls.
    Given,
    /// The file was imported, and then each node alone was moved below the root of the world.
    Kept(KeepWorld),
    /// The same for nodes created by calls, where a node may keep the matrix that it was given.
    GivenAndKept,
    /// A switch was set on nodes.
    Switched(&'static Switch, SwitchRule, Set),
    /// The world rotation was set to the identity.
    Unrotated(DecompositionRule),
}

/// The nodes on which a switch was set.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Set {
    All,
    Odd,
    EveryThird,
    /// Each node alone, in a query of its own.
    Alone,
}

impl Set {
    const EACH: [Self; 4] = [Self::All, Self::Odd, Self::EveryThird, Self::Alone];

    fn has(self, node: usize) -> bool {
        match self {
            Self::All | Self::Alone => true,
            Self::Odd => node % 2 == 1,
            Self::EveryThird => node % 3 == 1,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::All => "on all nodes",
            Self::Odd => "on every other node",
            Self::EveryThird => "on every third node",
            Self::Alone => "on each node alone",
        }
    }
}

/// The world transforms that a rule predicts for a scene at a time, by node. `None` if unknown.
pub(crate) struct Said(Vec<Option<World>>);

/// The vertices of a node in the world.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Vertices {
    pub(crate) points: Vec<Point3<f64>>,
    /// Whether they are in the order of the file.
    pub(crate) are_in_order: bool,
}

impl Rule {
    /// Returns all rules that apply to this kind of query.
    pub(crate) fn all(asked: Asked) -> Vec<Self> {
        let engines = Engine::all().iter().chain(Engine::strategies());
        let each = engines.flat_map(|engine| {
            ways(engine, asked).into_iter().map(|way| Self { engine, way, shows_at_rest: None })
        });
        each.collect()
    }

    /// Returns the same rules for the importer that shows a time of the first animation instead of the rest pose.
    pub(crate) fn all_in_motion(asked: Asked) -> Vec<Self> {
        if !matches!(asked, Asked::Gltf | Asked::Roundtrip) {
            return Vec::new();
        }
        let (engine, seconds) = SHOWS_ANIMATION;
        let plain = Self::all(asked).into_iter().filter(|rule| rule.engine.id == engine);
        plain.map(|rule| Self { shows_at_rest: Some(seconds), ..rule }).collect()
    }

    /// Whether the rule is that of importing a file or creating nodes, without anything else.
    pub(crate) fn is_import(&self) -> bool {
        matches!(self.way, Way::Imported | Way::Given)
    }

    /// Whether the rule is what glTF defines.
    pub(crate) fn is_defined(&self) -> bool {
        let [matrices, _] = Engine::strategies();
        self.engine.id == matrices.id && self.is_import() && self.shows_at_rest.is_none()
    }

    /// Returns the words that follow the engine's name if the rule is more than its usual one.
    pub(crate) fn words(&self) -> Option<String> {
        let way = match self.way {
            Way::Switched(switch, rule, set) => {
                let without = match rule {
                    SwitchRule::Bone { rotation: false, .. } => " and no inherited rotation",
                    _ => "",
                };
                Some(format!("with {}{without} {}", switch.setting, set.words()))
            }
            Way::Kept(rule) if rule != self.engine.keep_world.rule => {
                Some("with the rotation set again".to_owned())
            }
            Way::Imported | Way::Given | Way::Kept(_) | Way::GivenAndKept | Way::Unrotated(_) => {
                None
            }
        };
        let Some(seconds) = self.shows_at_rest else { return way };
        let frame = format!("with its animation at {seconds:.3} s instead of the rest pose");
        Some(way.map_or(frame.clone(), |way| format!("{way}, {frame}")))
    }

    /// Returns the prediction for a scene, as imported or at a time of its first animation.
    pub(crate) fn said(&self, found: &Found<'_>, seconds: Option<f64>) -> Said {
        let AskedScene { scene, order, .. } = found.scene;
        let posed = seconds
            .or(self.shows_at_rest)
            .filter(|_| !scene.animations.is_empty())
            .map(|seconds| scene.posed(0, seconds));
        let scene = posed.as_ref().unwrap_or(scene);
        Said(match self.way {
            Way::Imported => match &found.types {
                Some(types) if self.is_by_type(types) => {
                    let nodes: Vec<_> = as_they_are(scene).collect();
                    self.engine.fbx.rule.worlds(&nodes, |node| types[node]).map_or_else(
                        |_| vec![None; nodes.len()],
                        |worlds| worlds.into_iter().map(|world| matrix(world.ok()?)).collect(),
                    )
                }
                _ => self.accumulated(scene, order, self.engine.import.rule),
            },
            Way::Given => self.accumulated(scene, order, self.engine.given),
            Way::Kept(rule) => {
                let before = self.accumulated(scene, order, self.engine.import.rule);
                kept(rule, scene, before, |_| false)
            }
            Way::GivenAndKept => {
                let before = self.accumulated(scene, order, self.engine.given);
                let keeps = self.engine.given == Import::Kept;
                kept(self.engine.keep_world.rule, scene, before, |node| {
                    keeps && matches!(node.local, LocalPose::Matrix(_))
                })
            }
            Way::Switched(_, rule, set) => self.switched(scene, rule, set),
            Way::Unrotated(rule) => {
                let before = self.accumulated(scene, order, self.engine.import.rule);
                before.into_iter().map(|world| unrotated(rule, world?)).collect()
            }
        })
    }

    /// Whether the importer treats an FBX file with these inherit types by a rule of their own.
    fn is_by_type(&self, types: &[InheritType]) -> bool {
        self.engine.fbx.rule == FbxImport::ThreeLoader
            || types.iter().any(|kind| *kind != InheritType::Matrix)
    }

    /// Returns the world transforms of a scene after its matrices were imported by `import`.
    fn accumulated(&self, scene: &Scene, order: &[usize], import: Import) -> Vec<Option<World>> {
        let rule = self.engine.accumulation.rule;
        let mut worlds: Vec<Option<World>> = vec![None; scene.nodes.len()];
        for &node in order {
            let found = &scene.nodes[node];
            let parent = match found.parent.map(|parent| worlds[parent]) {
                Some(None) => continue,
                Some(parent) => parent,
                None => None,
            };
            let world = self.local(found, import).and_then(|local| match &parent {
                Some(parent) => rule.concat(parent, &local),
                None => rule.root(&local),
            });
            worlds[node] = world.ok();
        }
        worlds
    }

    fn local(&self, node: &Node, import: Import) -> Result<LocalPose, Reason> {
        let rule = self.engine.accumulation.rule;
        match (&node.local, node.rotation_length) {
            (LocalPose::Matrix(matrix), _) => import.imported(rule, matrix),
            (LocalPose::Trs(pose), Some(length)) => {
                self.engine.quaternion.rule.imported(rule, pose, length)
            }
            (local, None) => Ok(*local),
        }
    }

    fn switched(&self, scene: &Scene, rule: SwitchRule, set: Set) -> Vec<Option<World>> {
        let nodes = scene.nodes.iter().map(|node| {
            let local = self.local(node, self.engine.import.rule).unwrap_or(node.local);
            SourceNode { parent: node.parent, local }
        });
        let nodes: Vec<_> = nodes.collect();
        let worlds = |is_set: &dyn Fn(usize) -> bool| {
            rule.worlds(&nodes, is_set).unwrap_or_default().into_iter().map(Result::ok)
        };
        let found: Vec<_> = if set == Set::Alone {
            let one = |node: usize| worlds(&|set| set == node).nth(node).flatten();
            (0..nodes.len()).map(one).collect()
        } else {
            worlds(&|node| set.has(node)).collect()
        };
        found.into_iter().map(|world| matrix(world?)).collect()
    }

    /// Returns the vertices that a node shows, in the world.
    pub(crate) fn vertices(
        &self,
        said: &Said,
        scene: &AskedScene,
        node: usize,
        seconds: Option<f64>,
    ) -> Option<Vertices> {
        let shown = scene.vertices(node)?;
        if seconds.is_some() && scene.is_morphed_in_motion(node) {
            return None;
        }
        let joints = shown.joints.iter().map(|(joint, inverse_bind)| {
            let world = said.0[*joint].as_ref()?;
            self.engine.skin.rule.world_from_mesh(world, inverse_bind).ok()
        });
        let joints: Vec<Option<Matrix4<f64>>> = joints.collect();
        let of_node = said.world(node);
        let vertices = shown.vertices.iter().map(|(at, follows)| {
            if joints.is_empty() {
                return Some(of_node?.transform_point(at));
            }
            let mut sum = Vector3::zeros();
            for &(joint, weight) in follows {
                sum += joints[joint]?.transform_point(at).coords * weight;
            }
            Some(sum.into())
        });
        let points: Option<Vec<_>> = vertices.collect();
        Some(Vertices { points: points?, are_in_order: shown.are_in_order })
    }
}

impl Said {
    pub(crate) fn world(&self, node: usize) -> Option<Matrix4<f64>> {
        self.0[node].as_ref().map(World::to_homogeneous)
    }
}

fn ways(engine: &'static Engine, asked: Asked) -> Vec<Way> {
    match asked {
        Asked::Gltf | Asked::Fbx | Asked::Roundtrip => vec![Way::Imported],
        Asked::Skin => vec![Way::Imported, Way::Given],
        Asked::Api => vec![Way::Given],
        Asked::Trs => {
            let product = switches(engine).filter(|(_, rule)| {
                matches!(rule, SwitchRule::Accumulation(Accumulation::CombinedTrs))
            });
            let product = product.map(|(switch, rule)| Way::Switched(switch, rule, Set::All));
            std::iter::once(Way::Given).chain(product).collect()
        }
        Asked::KeepWorld => {
            let own = engine.keep_world.rule;
            if matches!(own, KeepWorld::NoCall | KeepWorld::NotSeen) {
                return Vec::new();
            }
            let again = match engine.getters.rule {
                Getters::Decomposed(rule) if own == KeepWorld::Exact => {
                    Some(Way::Kept(KeepWorld::Decomposed(rule)))
                }
                _ => None,
            };
            [Way::Kept(own), Way::GivenAndKept].into_iter().chain(again).collect()
        }
        Asked::Inherit | Asked::Flatten => {
            let sets: &[Set] = if asked == Asked::Flatten { &[Set::All] } else { &Set::EACH };
            let each = switches(engine).flat_map(|(switch, rule)| {
                sets.iter().map(move |&set| Way::Switched(switch, rule, set))
            });
            each.collect()
        }
        Asked::Setter => match engine.getters.rule {
            Getters::Decomposed(rule) => vec![Way::Unrotated(rule)],
            _ => Vec::new(),
        },
    }
}

/// Returns the switches of an engine. A bone may also leave out its parent's rotation.
fn switches(engine: &'static Engine) -> impl Iterator<Item = (&'static Switch, SwitchRule)> {
    engine.switches.iter().flat_map(|switch| {
        let without = match switch.rule {
            SwitchRule::Bone { scale, rotation: true } => {
                Some(SwitchRule::Bone { scale, rotation: false })
            }
            _ => None,
        };
        std::iter::once(switch.rule).chain(without).map(move |rule| (switch, rule))
    })
}

fn as_they_are(scene: &Scene) -> impl Iterator<Item = SourceNode> {
    scene.nodes.iter().map(|node| SourceNode { parent: node.parent, local: node.local })
}

fn matrix(world: Matrix4<f64>) -> Option<World> {
    AccumulatedMatrix::from_matrix(world).map(World::Matrix)
}

/// Returns the world transform of each node after it was moved below the root of the world. `is_exact` selects the
/// nodes that lose nothing.
fn kept(
    rule: KeepWorld,
    scene: &Scene,
    before: Vec<Option<World>>,
    is_exact: impl Fn(&Node) -> bool,
) -> Vec<Option<World>> {
    let root = AccumulatedMatrix::from(Trs::identity());
    let kept = before.into_iter().zip(&scene.nodes).map(|(world, node)| {
        let world = AccumulatedMatrix::from_matrix(world?.to_homogeneous())?;
        let rule = if is_exact(node) { KeepWorld::Exact } else { rule };
        let scale = match node.local {
            LocalPose::Trs(pose) => pose.scale,
            LocalPose::Matrix(matrix) => axis_lengths(&matrix.linear()),
        };
        rule.kept(&root, &world, &scale).ok().map(World::Matrix)
    });
    kept.collect()
}

/// Returns a world transform without its rotation: only the scale and position remain.
fn unrotated(rule: DecompositionRule, world: World) -> Option<World> {
    let mut world = world.to_homogeneous();
    let linear: Matrix3<f64> = world.fixed_view::<3, 3>(0, 0).into();
    let scale = rule.parts(&linear).ok()?.scale;
    world.fixed_view_mut::<3, 3>(0, 0).copy_from(&Matrix3::from_diagonal(&scale));
    matrix(world)
}
