//! What the engines answered: `kit/README.md`.

use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use flate2::read::GzDecoder;
use nalgebra::{Matrix4, Quaternion, UnitQuaternion};
use serde::Deserialize;
use serde_json::{Value, json};
use xform_core::Trs;
use xform_engines::{AxesConvention, CannotSay, LocalPose, SourceNode};
use xform_matrix::AccumulatedMatrix;

/// All that was recorded: `kit/README.md`.
pub(crate) struct Answers {
    /// By their names.
    pub(crate) runs: BTreeMap<String, Run>,
    pub(crate) scenes: BTreeMap<String, Scene>,
    pub(crate) bones: Bones,
}

/// What an engine answered in one way of asking it.
#[derive(Deserialize)]
pub(crate) struct Run {
    pub(crate) run: String,
    pub(crate) version: String,
    asked: String,
    pub(crate) axes: Axes,
    pub(crate) scenes: BTreeMap<String, Vec<Moment>>,
}

#[derive(Clone, Copy, Deserialize)]
pub(crate) struct Axes {
    from_gltf: [[f64; 3]; 3],
    of_every_node: bool,
    units_per_metre: f64,
}

#[derive(Deserialize)]
pub(crate) struct Moment {
    seconds: Option<f64>,
    /// By their paths.
    pub(crate) nodes: BTreeMap<String, Answer>,
    /// In the world, by the path of what shows them.
    #[serde(default)]
    pub(crate) vertices: BTreeMap<String, Vec<[Option<f64>; 3]>>,
}

#[derive(Deserialize)]
pub(crate) struct Answer {
    world: Option<Vec<Option<f64>>>,
    pub(crate) getters: Option<Getter>,
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
pub(crate) struct Getter {
    pub(crate) position: [f64; 3],
    pub(crate) rotation: [Option<f64>; 4],
    pub(crate) scale: [f64; 3],
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
    let poses = fs::read_to_string(file("kit/poses.json")).expect("the poses of the scenes");
    let bones = unpacked(&file("tests/witnesses/bones.json.gz"));
    let mut runs = BTreeMap::new();
    for entry in fs::read_dir(file("kit/answers")).expect("a folder") {
        for line in unpacked(&entry.expect("a file").path()).lines() {
            let run: Run = serde_json::from_str(line).expect("as kit/answers.schema.json says");
            for run in run.by_inherit_type() {
                let again = runs.insert(run.run.clone(), run);
                assert!(again.is_none(), "a run has one name");
            }
        }
    }
    let scenes = serde_json::from_str(&poses).expect("as the README beside them says");
    let bones = serde_json::from_str(&bones).expect("as the README beside them says");
    Answers { runs, scenes, bones }
});

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn unpacked(path: &Path) -> String {
    let mut text = String::new();
    let packed = fs::read(path).expect("a file of the repository");
    GzDecoder::new(&packed[..]).read_to_string(&mut text).expect("packed by gzip");
    text
}

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
    pub(crate) fn parent<'a>(&self, mut nodes: impl Iterator<Item = &'a Self>) -> Option<usize> {
        let parent = self.parent.as_ref()?;
        Some(nodes.position(|node| node.name == *parent).expect("a parent in the scene"))
    }

    pub(crate) fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// The names from the root to it.
    fn path(&self, scene: &Scene) -> String {
        match self.parent(scene.iter()) {
            Some(parent) => format!("{}/{}", scene[parent].path(scene), self.name),
            None => self.name.clone(),
        }
    }

    /// Whether it has a `matrix`.
    pub(crate) fn has_matrix(&self) -> bool {
        matches!(self.pose, Pose::Matrix { .. })
    }

    fn local(&self) -> LocalPose {
        match &self.pose {
            Pose::Matrix { m } => affine(m).into(),
            &Pose::Trs { t, r, s } => pose(t, r, s),
        }
    }

    /// It as a glTF file has it.
    pub(crate) fn entry(&self) -> Value {
        match &self.pose {
            Pose::Matrix { m } => json!({"name": self.name, "matrix": m}),
            Pose::Trs { t, r, s } => {
                json!({"name": self.name, "translation": t, "rotation": r, "scale": s})
            }
        }
    }
}

/// A pose from a translation, a rotation x y z w and a scale.
pub(crate) fn pose(t: [f64; 3], [x, y, z, w]: [f64; 4], s: [f64; 3]) -> LocalPose {
    let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
    Trs::from_parts(t.into(), rotation, s.into()).into()
}

pub(crate) fn affine(columns: &[f64]) -> AccumulatedMatrix<f64> {
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

/// What a run answered of the nodes of a scene at rest, in their order; nothing where it was not asked.
pub(crate) fn answered<'a>(run: &str, name: &str, scene: &Scene) -> Vec<Option<&'a Answer>> {
    let moments = ANSWERS.runs.get(run).and_then(|run| run.scenes.get(name));
    let at_rest = moments.and_then(|moments| moments.iter().find(|one| one.seconds.is_none()));
    let answer = |node: &SceneNode| at_rest?.nodes.get(&node.path(scene));
    scene.iter().map(answer).collect()
}

impl Run {
    /// FBX files of a scene differ by their inherit types: `skew38-i0` of one run is `skew38` of another here.
    fn by_inherit_type(self) -> Vec<Self> {
        if self.asked != "fbx" {
            return vec![self];
        }
        let mut by_type: BTreeMap<String, BTreeMap<_, _>> = BTreeMap::new();
        for (file, moments) in self.scenes {
            let (scene, kind) = file.rsplit_once('-').expect("an inherit type");
            by_type.entry(kind.to_owned()).or_default().insert(scene.to_owned(), moments);
        }
        let (version, asked, axes) = (self.version, self.asked, self.axes);
        let of_type = by_type.into_iter().map(|(kind, scenes)| Self {
            run: format!("{}/{kind}", self.run),
            version: version.clone(),
            asked: asked.clone(),
            axes,
            scenes,
        });
        of_type.collect()
    }
}

impl Axes {
    pub(crate) fn convention(&self) -> AxesConvention {
        let Self { from_gltf, of_every_node, units_per_metre } = *self;
        AxesConvention { from_gltf, of_every_node, units_per_metre }
    }
}

/// What every run of an importer, or of nodes made by calls, answered of a scene at rest, by path.
pub(crate) fn all_answers<'a>(scene: &str) -> impl Iterator<Item = (&'a Run, &'a Moment)> {
    let runs = ANSWERS.runs.values();
    let runs = runs.filter(|run| ["gltf", "api", "trs"].contains(&run.asked.as_str()));
    runs.filter_map(move |run| Some((run, run.at_rest(scene)?)))
}

impl Run {
    /// What it answered of a scene as that was imported.
    pub(crate) fn at_rest(&self, scene: &str) -> Option<&Moment> {
        self.scenes.get(scene)?.iter().find(|moment| moment.seconds.is_none())
    }
}

impl Answer {
    /// The world matrix, column-major; `None` where the getters alone were asked.
    pub(crate) fn world(&self) -> Option<&[Option<f64>]> {
        self.world.as_deref()
    }
}
