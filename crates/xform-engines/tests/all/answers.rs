//! What the engines answered: `tests/witnesses/README.md`.

use std::{collections::BTreeMap, io::Read, path::Path, sync::LazyLock};

use flate2::read::GzDecoder;
use nalgebra::{Matrix4, Quaternion, UnitQuaternion};
use serde::Deserialize;
use xform_core::Trs;
use xform_engines::{CannotSay, LocalPose, SourceNode};
use xform_matrix::AccumulatedMatrix;

#[derive(Deserialize)]
pub(crate) struct Answers {
    pub(crate) runs: BTreeMap<String, Run>,
    pub(crate) scenes: BTreeMap<String, Scene>,
    pub(crate) worlds: BTreeMap<String, BTreeMap<String, Vec<World>>>,
    pub(crate) getters: BTreeMap<String, BTreeMap<String, BTreeMap<String, Getter>>>,
    pub(crate) bones: Bones,
}

#[derive(Deserialize)]
pub(crate) struct Run {
    pub(crate) version: String,
}

pub(crate) type Scene = Vec<SceneNode>;

#[derive(Deserialize)]
pub(crate) struct SceneNode {
    pub(crate) name: String,
    parent: Option<String>,
    #[serde(flatten)]
    pose: Pose,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Pose {
    Matrix { m: Vec<f64> },
    Trs { t: [f64; 3], r: [f64; 4], s: [f64; 3] },
}

#[derive(Deserialize)]
pub(crate) struct World {
    pub(crate) runs: Vec<String>,
    world: Vec<Option<f64>>,
}

#[derive(Deserialize)]
pub(crate) struct Getter {
    pub(crate) p: [f64; 3],
    pub(crate) r: [Option<f64>; 4],
    pub(crate) s: [f64; 3],
}

#[derive(Deserialize)]
pub(crate) struct Bones {
    nodes: Vec<RestNode>,
    pub(crate) modes: BTreeMap<String, BTreeMap<String, Vec<f64>>>,
    pub(crate) mix: BTreeMap<String, (String, bool)>,
}

#[derive(Deserialize)]
struct RestNode {
    #[serde(flatten)]
    node: SceneNode,
    rest: Vec<f64>,
}

/// A bone of the armature: its name, the parent's index, its rest pose in that of the parent, its pose.
pub(crate) struct RestBone<'a> {
    pub(crate) name: &'a str,
    pub(crate) parent: Option<usize>,
    pub(crate) rest: AccumulatedMatrix<f64>,
    pub(crate) pose: Trs<f64>,
}

pub(crate) static ANSWERS: LazyLock<Answers> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/witnesses/answers.json.gz");
    let mut text = String::new();
    let packed = std::fs::read(path).expect("the answers");
    GzDecoder::new(&packed[..]).read_to_string(&mut text).expect("packed by gzip");
    serde_json::from_str(&text).expect("as the README beside them says")
});

/// What rules say of each node of a scene.
pub(crate) type Said = Vec<Result<Matrix4<f64>, CannotSay>>;

/// The nodes of a scene as the crate takes them.
pub(crate) fn nodes(scene: &Scene) -> Vec<SourceNode> {
    scene
        .iter()
        .map(|node| SourceNode { parent: node.parent(scene.iter()), local: node.local() })
        .collect()
}

impl SceneNode {
    fn parent<'a>(&self, mut nodes: impl Iterator<Item = &'a Self>) -> Option<usize> {
        let parent = self.parent.as_ref()?;
        Some(nodes.position(|node| node.name == *parent).expect("a parent in the scene"))
    }

    pub(crate) fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// Whether it has a `matrix`.
    pub(crate) fn has_matrix(&self) -> bool {
        matches!(self.pose, Pose::Matrix { .. })
    }

    fn local(&self) -> LocalPose {
        match &self.pose {
            Pose::Matrix { m } => affine(m).into(),
            &Pose::Trs { t, r: [x, y, z, w], s } => {
                let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
                Trs::from_parts(t.into(), rotation, s.into()).into()
            }
        }
    }
}

fn affine(columns: &[f64]) -> AccumulatedMatrix<f64> {
    let matrix = Matrix4::from_column_slice(columns);
    AccumulatedMatrix::from_matrix(matrix).expect("the last row is 0 0 0 1")
}

impl Bones {
    pub(crate) fn bones(&self) -> Vec<RestBone<'_>> {
        let bone = |bone: &'_ RestNode| {
            let parent = bone.node.parent(self.nodes.iter().map(|bone| &bone.node));
            let above = parent.map_or(Matrix4::identity(), |parent| {
                Matrix4::from_column_slice(&self.nodes[parent].rest)
            });
            let inverse = above.try_inverse().expect("rest poses have an inverse");
            let mut rest = inverse * Matrix4::from_column_slice(&bone.rest);
            rest.set_row(3, &nalgebra::RowVector4::new(0.0, 0.0, 0.0, 1.0));
            let rest = AccumulatedMatrix::from_matrix(rest).expect("affine");
            let LocalPose::Trs(pose) = bone.node.local() else { panic!("bones have poses") };
            (parent, rest, pose)
        };
        let bones = self.nodes.iter().map(|rest| {
            let (parent, inverse, pose) = bone(rest);
            RestBone { name: &rest.node.name, parent, rest: inverse, pose }
        });
        bones.collect()
    }
}

/// How far what was said is from what was answered: the worst entry, divided by one more than the largest said; and of
/// how many nodes. Nodes that the run left out, or that nothing was said of, do not count.
pub(crate) fn residual<'a>(
    said: impl IntoIterator<Item = (Matrix4<f64>, &'a [Option<f64>])>,
) -> (usize, f64) {
    let off = said.into_iter().map(|(said, answered)| {
        let entries = said.iter().zip(answered);
        let off = entries.map(|(said, answered)| (said - answered.unwrap_or(f64::NAN)).abs());
        let worst =
            off.fold(0.0, |worst: f64, off| if off > worst || off.is_nan() { off } else { worst });
        worst / (1.0 + said.amax())
    });
    off.fold((0, 0.0), |(count, worst), off: f64| {
        (count + 1, if off > worst || off.is_nan() { off } else { worst })
    })
}

/// The answer of a run for a node.
pub(crate) fn answer<'a>(run: &str, scene: &str, node: &str) -> Option<&'a [Option<f64>]> {
    let worlds = ANSWERS.worlds.get(scene)?.get(node)?;
    let world = worlds.iter().find(|world| world.runs.iter().any(|name| name == run))?;
    Some(&world.world)
}
