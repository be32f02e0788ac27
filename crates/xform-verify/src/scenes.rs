//! The scenes that answers are about: those of the kit, or any glTF files.

use std::{collections::HashMap, ffi::OsStr, fs, io, path::Path};

use nalgebra::{Matrix4, Point3, Vector3};
use thiserror::Error;
use xform_engines::{fbx::InheritType, kit};
use xform_scene::{
    Drawing, Scene,
    gltf::{GltfErrors, gltf_buffer_files, read_gltf_drawing_with},
    read_gltf_with,
};

use crate::answers::Asked;

/// The most bytes for the paths of a scene: for a long chain they grow with the square of its length.
const MOST_PATHS: usize = 64 << 20;

/// Scenes by the names that answers use: those of their files, without the extension.
///
/// If something is wrong, the first case in the order of the scenes is reported.
#[derive(Clone, Debug, Default)]
pub struct Scenes {
    all: Vec<(String, AskedScene)>,
}

/// A scene with lookups for the nodes that answers name.
#[derive(Clone, Debug)]
pub(crate) struct AskedScene {
    pub(crate) scene: Scene,
    drawing: Drawing,
    /// All nodes, parents before children, otherwise in the order of the file.
    pub(crate) order: Vec<usize>,
    pub(crate) paths: Vec<String>,
    /// Nodes by path and by name. `None` if several nodes share it.
    by_path: HashMap<String, Option<usize>>,
    by_name: HashMap<String, Option<usize>>,
}

/// The reasons why a scene cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// It is not readable glTF.
    #[error("{0}")]
    Gltf(#[from] GltfErrors),
    /// Its paths are too long.
    #[error("the paths of its nodes come to more than 64 MiB")]
    TooDeep,
    /// Another scene has the same name.
    #[error("there are two scenes of this name")]
    Twice,
}

/// The reasons why the files of a folder cannot be used, one per line.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct FolderError(String);

/// The extensions of scene files.
const ENDINGS: [&str; 3] = ["gltf", "glb", "vrm"];

/// Reads a regular file. A pipe or a device might never end.
fn regular(path: &Path) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.is_file() {
        fs::read(path)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

impl Scenes {
    /// Returns the scenes of the kit, which xform contains.
    ///
    /// # Panics
    ///
    /// Never: a test checks that they are glTF.
    #[must_use]
    pub fn kit() -> Self {
        let mut scenes = Self::default();
        for scene in kit::SCENES {
            scenes
                .add(scene.name, scene.gltf.as_bytes(), &HashMap::new())
                .expect("the kit has glTF files");
        }
        scenes
    }

    /// Adds a glTF file from its bytes, with the files that it refers to by their relative paths, as for
    /// [`read_gltf_with`].
    ///
    /// # Errors
    ///
    /// The file cannot be read, or another scene has the name.
    pub fn add(
        &mut self,
        name: &str,
        bytes: &[u8],
        files: &HashMap<String, Vec<u8>>,
    ) -> Result<(), SceneError> {
        let scene = read_gltf_with(bytes, name, files)?;
        let drawing = read_gltf_drawing_with(bytes, files)?;
        let asked = AskedScene::new(scene, drawing)?;
        if self.place(name).is_some() {
            return Err(SceneError::Twice);
        }
        self.all.push((name.to_owned(), asked));
        Ok(())
    }

    /// Reads the `.gltf`, `.glb` and `.vrm` files of a folder, by name, with buffers from that folder or below it.
    ///
    /// # Errors
    ///
    /// A folder that cannot be read or has no such file, and every file that cannot be read, one per line.
    pub fn in_folder(folder: &Path) -> Result<Self, FolderError> {
        let at_folder = |error: io::Error| FolderError(format!("{}: {error}", folder.display()));
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).map_err(at_folder)? {
            let path = entry.map_err(at_folder)?.path();
            let ending = path.extension().and_then(OsStr::to_str).map(str::to_lowercase);
            if ending.is_some_and(|ending| ENDINGS.contains(&&*ending)) {
                files.push(path);
            }
        }
        files.sort();
        let (mut scenes, mut problems) = (Self::default(), Vec::new());
        for file in &files {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let added = regular(file).map_err(|error| error.to_string()).and_then(|bytes| {
                let named = gltf_buffer_files(&bytes).unwrap_or_default();
                // An unreadable buffer counts as missing: the reader reports it if it matters.
                let buffers = named.into_iter().filter_map(|name| {
                    let bytes = regular(&folder.join(&name)).ok()?;
                    Some((name, bytes))
                });
                let added = scenes.add(&name, &bytes, &buffers.collect());
                added.map_err(|error| error.to_string())
            });
            if let Err(why) = added {
                let lines = why.lines().map(|why| format!("{}: {why}", file.display()));
                problems.extend(lines);
            }
        }
        if files.is_empty() {
            let why = "there is no .gltf, .glb or .vrm file in it";
            problems.push(format!("{}: {why}", folder.display()));
        }
        if problems.is_empty() { Ok(scenes) } else { Err(FolderError(problems.join("\n"))) }
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.all.iter().position(|(known, _)| known == name)
    }

    /// Finds the scene that answers name, with the inherit types of its nodes if it is an FBX file of the kit.
    pub(crate) fn find(&self, name: &str, asked: Asked) -> Option<Found<'_>> {
        // The name may be that of the file, with its extension.
        let ending = |ending: &&str| name.strip_suffix(ending)?.strip_suffix('.');
        let name = ENDINGS.iter().chain(&["fbx"]).find_map(ending).unwrap_or(name);
        if asked != Asked::Fbx {
            let place = self.place(name)?;
            return Some(Found { place, scene: &self.all[place].1, types: None });
        }
        let (name, suffix) = name.rsplit_once('-')?;
        let place = self.place(name)?;
        let scene = &self.all[place].1;
        let count = scene.scene.nodes.len();
        let types = match suffix {
            "i0" => vec![InheritType::ComponentWise; count],
            "i1" => vec![InheritType::Matrix; count],
            "i2" => vec![InheritType::WithoutParent; count],
            "mix" => (0..count).map(|node| kit::MIX[node % kit::MIX.len()]).collect(),
            _ => return None,
        };
        Some(Found { place, scene, types: Some(types) })
    }

    /// Returns the names that answers may use for scenes in this kind of query.
    pub(crate) fn names_asked(&self, asked: Asked) -> impl Iterator<Item = String> {
        let suffixes: &[&str] =
            if asked == Asked::Fbx { &["-i0", "-i1", "-i2", "-mix"] } else { &[""] };
        self.names()
            .flat_map(move |name| suffixes.iter().map(move |suffix| format!("{name}{suffix}")))
    }

    /// Returns the names of all scenes, in the order in which they were added.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|(name, _)| name.as_str())
    }
}

/// A scene found by the name in answers.
#[derive(Clone)]
pub(crate) struct Found<'a> {
    /// Its index among all scenes.
    pub(crate) place: usize,
    pub(crate) scene: &'a AskedScene,
    /// The inherit type of each node, if it is an FBX file.
    pub(crate) types: Option<Vec<InheritType>>,
}

impl AskedScene {
    fn new(scene: Scene, drawing: Drawing) -> Result<Self, SceneError> {
        let order = parents_first(&scene);
        let mut paths = vec![String::new(); scene.nodes.len()];
        let (mut by_path, mut by_name, mut length) = (HashMap::new(), HashMap::new(), 0);
        for &node in &order {
            let found = &scene.nodes[node];
            // Instances are added by the reader, so nobody can be asked about them.
            if found.instance_of.is_some() {
                continue;
            }
            let name = found.name.clone().filter(|name| !name.is_empty());
            let name = name.unwrap_or_else(|| format!("#{node}"));
            let path = found.parent.map(|parent| format!("{}/{name}", paths[parent]));
            let path = path.unwrap_or_else(|| name.clone());
            length += path.len();
            if length > MOST_PATHS {
                return Err(SceneError::TooDeep);
            }
            for (nodes, key) in [(&mut by_path, &path), (&mut by_name, &name)] {
                nodes.entry(key.clone()).and_modify(|place| *place = None).or_insert(Some(node));
            }
            paths[node] = path;
        }
        Ok(Self { scene, drawing, order, paths, by_path, by_name })
    }

    /// Returns the nodes that an importer must answer for: nodes of the file without a skinned mesh, since importers
    /// move skinned nodes elsewhere.
    pub(crate) fn asked(&self) -> impl Iterator<Item = usize> {
        let nodes = &self.scene.nodes;
        let is_asked = |node: &usize| {
            let found = &nodes[*node];
            found.skin.is_none()
                && found.instance_of.is_none()
                && !self.is_ambiguous(&self.paths[*node])
        };
        self.order.iter().copied().filter(is_asked)
    }

    /// Returns the node with a path, or with a name that no other node has.
    pub(crate) fn node(&self, path: &str) -> Option<usize> {
        let found = self.by_path.get(path).or_else(|| self.by_name.get(path));
        found.copied().flatten()
    }

    /// Returns the skinned node that an unknown path stands for: importers move skinned nodes elsewhere under their
    /// names.
    pub(crate) fn skinned_elsewhere(&self, path: &str) -> Option<usize> {
        let name = path.rsplit('/').next().and_then(|name| self.by_name.get(name));
        name.copied().flatten().filter(|&node| self.scene.nodes[node].skin.is_some())
    }

    /// Returns the number of nodes whose path another node has too.
    pub(crate) fn ambiguous(&self) -> usize {
        let is_of_file = |node: &&usize| self.scene.nodes[**node].instance_of.is_none();
        let nodes = self.order.iter().filter(is_of_file);
        nodes.filter(|&&node| self.is_ambiguous(&self.paths[node])).count()
    }

    /// Whether several nodes have this path, so that it is unclear which one is meant.
    pub(crate) fn is_ambiguous(&self, path: &str) -> bool {
        self.by_path.get(path).is_some_and(Option::is_none)
    }

    /// Returns the vertices that a node shows, in the space of its mesh with morph targets applied, each with its
    /// joints.
    pub(crate) fn vertices(&self, node: usize) -> Option<ShownVertices> {
        if let Some(skin) = &self.scene.nodes[node].skin {
            let vertices = skin.vertices.iter();
            return Some(ShownVertices {
                joints: skin.joints.iter().map(|joint| (joint.node, joint.inverse_bind)).collect(),
                vertices: vertices.map(|(at, follows)| (*at, follows.to_vec())).collect(),
                are_in_order: true,
            });
        }
        let shown = self.drawing.shown.iter().find(|shown| shown.node == node)?;
        let parts = self.drawing.meshes.get(shown.mesh)?.as_ref().ok()?;
        let mut vertices = Vec::new();
        for part in parts {
            for (place, position) in part.positions.iter().enumerate() {
                let mut at = Point3::from(position.map(f64::from));
                for (target, weight) in part.targets.iter().zip(&shown.weights) {
                    let moved = target.get(place).map_or([0.0; 3], |moved| moved.map(f64::from));
                    at += Vector3::from(moved) * *weight;
                }
                vertices.push((at, Vec::new()));
            }
        }
        Some(ShownVertices { joints: Vec::new(), vertices, are_in_order: false })
    }

    /// Whether morph weights change over time, which is not supported here.
    pub(crate) fn is_morphed_in_motion(&self, node: usize) -> bool {
        self.drawing.morphs.iter().any(|track| track.node == node)
    }
}

/// The joints of a vertex, by their place in the skin, with their weights.
type Follows = Vec<(usize, f64)>;

/// The vertices that a node shows.
pub(crate) struct ShownVertices {
    /// The node and the inverse bind matrix of each joint. Empty if the mesh moves with its node.
    pub(crate) joints: Vec<(usize, Matrix4<f64>)>,
    /// The position of each vertex, and its joints with their weights.
    pub(crate) vertices: Vec<(Point3<f64>, Follows)>,
    /// Whether they are in the order of the file. Vertices read for drawing are not.
    pub(crate) are_in_order: bool,
}

/// Returns all nodes depth first, parents before children.
fn parents_first(scene: &Scene) -> Vec<usize> {
    let mut children = vec![Vec::new(); scene.nodes.len()];
    let mut pending = Vec::new();
    for (node, found) in scene.nodes.iter().enumerate().rev() {
        match found.parent {
            Some(parent) => children[parent].push(node),
            None => pending.push(node),
        }
    }
    let mut order = Vec::with_capacity(scene.nodes.len());
    while let Some(node) = pending.pop() {
        order.push(node);
        pending.extend(children[node].iter().copied());
    }
    order
}
