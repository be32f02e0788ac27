use xform_core::TopologyError;

use crate::{
    Accumulation, DecompositionRule, LocalPose, Reason, SourceNode, World,
    blender::{self, Bone, InheritScale},
    decomposition::gram_schmidt,
    fbx::{self, InheritType},
    fold::{Affine, WorldMatrices, fold, trs, world_matrices},
    houdini::{self, ScaleInheritance},
    ogre::{self, InheritFlags},
    playcanvas, usd,
};

/// A setting of an engine, or a call beside its propagation, that makes nodes inherit in another way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Switch {
    /// Its name in the engine.
    pub setting: &'static str,
    /// Its effect, in a sentence.
    pub effect: &'static str,
    /// The rule.
    pub rule: SwitchRule,
    /// How it is known.
    pub known: crate::Known,
}

/// How nodes with a switch set inherit. The others inherit as with accumulated matrices, or like OGRE's nodes by
/// default.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SwitchRule {
    /// All nodes accumulate by another rule, no matter for which nodes it is set.
    Accumulation(Accumulation),
    /// The world transform of a node is decomposed before its children use it.
    DecomposedAtEveryLevel(DecompositionRule),
    /// See [`ogre::worlds`].
    Ogre(InheritFlags),
    /// A node ignores everything above it, like a root: [`usd::worlds`].
    Root,
    /// A node keeps the world transform that it had when the switch was set.
    WorldKept,
    /// The axes of a node in the world are made unit and perpendicular, beginning with x.
    Perpendicular,
    /// See [`playcanvas::worlds`].
    ScaleCompensation,
    /// See [`houdini::worlds`]. Nodes without the switch have the default mode.
    Houdini(ScaleInheritance),
    /// See [`fbx::worlds`]. Nodes without the switch have the type `RSrs`.
    FbxType(InheritType),
    /// See [`fbx::three_loader_worlds`]. Nodes without the switch have the type `RSrs`.
    FbxTypeByThreeLoader(InheritType),
    /// See [`blender::bone_worlds`]. Rest poses are the identity, and bones without the switch inherit everything.
    Bone {
        /// How a bone inherits its parent's scale.
        scale: InheritScale,
        /// Whether it inherits its parent's rotation.
        rotation: bool,
    },
}

impl SwitchRule {
    /// Returns the world transforms of a hierarchy in which the switch is set for some nodes.
    ///
    /// # Errors
    ///
    /// [`TopologyError`] if the parents do not form a forest.
    pub fn worlds(
        self,
        nodes: &[SourceNode],
        is_set: impl Fn(usize) -> bool,
    ) -> Result<WorldMatrices, TopologyError> {
        let or =
            |kind: InheritType| move |is_set: bool| if is_set { kind } else { InheritType::Matrix };
        match self {
            Self::Accumulation(accumulation) => accumulated(accumulation, nodes),
            Self::DecomposedAtEveryLevel(decomposition) => each_changed(nodes, |node, affine| {
                if is_set(node) {
                    let linear = decomposition.parts(&affine.linear)?.linear();
                    Ok(Affine { linear, ..affine })
                } else {
                    Ok(affine)
                }
            }),
            Self::Ogre(flags) => {
                let all = InheritFlags { scale: true, orientation: true };
                ogre::worlds(nodes, |node| if is_set(node) { flags } else { all })
            }
            Self::Root => usd::worlds(nodes, is_set),
            Self::WorldKept => usd::worlds(nodes, |_| false),
            Self::Perpendicular => each_changed(nodes, |node, affine| {
                if is_set(node) {
                    Ok(Affine { linear: gram_schmidt(&affine.linear, [0, 1, 2])?, ..affine })
                } else {
                    Ok(affine)
                }
            }),
            Self::ScaleCompensation => playcanvas::worlds(nodes, is_set),
            Self::Houdini(mode) => {
                houdini::worlds(
                    nodes,
                    |node| {
                        if is_set(node) { mode } else { ScaleInheritance::Default }
                    },
                )
            }
            Self::FbxType(kind) => fbx::worlds(nodes, |node| or(kind)(is_set(node))),
            Self::FbxTypeByThreeLoader(kind) => {
                fbx::three_loader_worlds(nodes, |node| or(kind)(is_set(node)))
            }
            Self::Bone { scale, rotation } => bones(nodes, |node, bone| {
                if is_set(node) {
                    Bone { inherit_scale: scale, inherits_rotation: rotation, ..bone }
                } else {
                    bone
                }
            }),
        }
    }
}

fn accumulated(
    accumulation: Accumulation,
    nodes: &[SourceNode],
) -> Result<WorldMatrices, TopologyError> {
    let step = |node: usize, parent: Option<&World>| {
        let local: &LocalPose = &nodes[node].local;
        match parent {
            Some(parent) => accumulation.concat(parent, local),
            None => accumulation.root(local),
        }
    };
    world_matrices(nodes, step, |world| world.to_homogeneous())
}

/// Multiplies matrices, changing the product of each node before its children use it. Roots are unchanged.
fn each_changed(
    nodes: &[SourceNode],
    change: impl Fn(usize, Affine) -> Result<Affine, Reason>,
) -> Result<WorldMatrices, TopologyError> {
    let step = |node: usize, parent: Option<&Affine>| {
        let local = Affine::of(&nodes[node].local);
        parent.map_or(Ok(local), |parent| change(node, *parent * local))
    };
    world_matrices(nodes, step, Affine::to_homogeneous)
}

/// Poses the nodes as bones that inherit everything, except for the changes by `set`.
fn bones(
    nodes: &[SourceNode],
    set: impl Fn(usize, Bone) -> Bone,
) -> Result<WorldMatrices, TopologyError> {
    let identity = xform_core::Trs::identity();
    let poses: Vec<_> = nodes.iter().map(trs).collect();
    let bones = nodes.iter().zip(&poses).enumerate().map(|(index, (node, pose))| {
        let bone = Bone {
            parent: node.parent,
            rest: identity.into(),
            pose: pose.unwrap_or(identity),
            inherit_scale: InheritScale::Full,
            inherits_rotation: true,
            has_local_location: true,
        };
        set(index, bone)
    });
    let worlds = blender::bone_worlds(&bones.collect::<Vec<_>>())?;
    // A bone has no matrix: a node that has one, and all its descendants, are not known.
    let known = fold(nodes, |node, _: Option<&()>| poses[node].map(|_| ()))?;
    let both = known.into_iter().zip(worlds);
    Ok(both.map(|(known, world)| known.and(world)).collect())
}
