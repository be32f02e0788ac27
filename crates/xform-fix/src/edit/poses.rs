//! Edits the poses of nodes and adds new nodes.

use std::collections::{BTreeSet, HashMap, HashSet};

use nalgebra::Vector3;
use serde_json::Value;
use xform_matrix::Trs;
use xform_scene::gltf::field::Index;

use super::Editing;
use crate::{
    bake::Baked,
    json::{Members, array, elements},
    non_uniform::matrix,
    repose::Reposed,
};

impl Editing<'_, '_, '_> {
    /// Removes the scales of baked nodes and transforms their translations by the maps lost above them.
    pub(super) fn bake_poses(&mut self, all: &[&Baked]) -> serde_json::Result<()> {
        for one in all {
            if let Some(leaf) = &one.leaf {
                self.add_leaf(one.node, leaf)?;
            }
            let node = &self.source.document.nodes[one.node];
            let old = matrix(&self.source.scene.nodes[one.node].local);
            if node.is.matrix.is_some() {
                let mut new = one.rotation.to_homogeneous();
                new.fixed_view_mut::<3, 1>(0, 3).copy_from(&one.translation);
                if new != old {
                    self.edits.set(node.raw, "matrix", array(new.as_slice()))?;
                }
                continue;
            }
            let is_scaled =
                node.is.scale.is_some_and(|scale| scale.map(|factor| factor.0) != [1.0; 3]);
            if is_scaled && !one.keeps_scale {
                self.edits.set(node.raw, "scale", array(&[1.0; 3]))?;
            }
            if old.fixed_view::<3, 1>(0, 3) != one.translation {
                self.edits.set(node.raw, "translation", array(one.translation.as_slice()))?;
            }
        }
        Ok(())
    }

    /// Moves the mesh of a node, with its morph target weights, to a new child node.
    fn add_leaf(&mut self, node: usize, pose: &Trs<f64>) -> serde_json::Result<()> {
        let raw = self.source.document.nodes[node].raw;
        let is_moved = |name: &str| matches!(name, "mesh" | "weights");
        let members = Members::of(raw)?;
        let mut moved = Vec::new();
        for name in members.names().filter(|name| is_moved(name)) {
            let value = members.get(name)?;
            moved.extend(value.map(|value| format!(r#""{name}":{}"#, value.get())));
        }
        moved.extend(pose_members(pose));
        let leaf = self.add_node(node, "shape", moved);
        self.leaves.insert(node, leaf);
        self.edits.remove(raw, is_moved)?;
        self.edits.push(raw, "children", &[leaf.to_string()])
    }

    pub(super) fn repose(&mut self, all: &[&Reposed]) -> serde_json::Result<()> {
        let mut above = HashMap::new();
        for one in all {
            let node = &self.source.document.nodes[one.node];
            if let Some(helper) = &one.helper {
                above.insert(one.node, self.add_above(one.node, helper));
            }
            if node.is.matrix.is_none() {
                self.edits.set(node.raw, "scale", array(one.pose.scale.as_slice()))?;
                if one.half_turn.is_some() {
                    let turn = array(one.pose.rotation.coords.as_slice());
                    self.edits.set(node.raw, "rotation", turn)?;
                }
                continue;
            }
            // The new pose is written as translation, rotation and scale, because programs decompose matrices
            // differently.
            self.edits.remove(node.raw, |name| name == "matrix")?;
            let members = Members::of(node.raw)?;
            for (is_needed, name, value) in parts(&one.pose) {
                if is_needed || members.get(name)?.is_some() {
                    self.edits.set(node.raw, name, value)?;
                }
            }
        }
        self.name_helpers(&above)
    }

    /// Inserts a new node between a node and its parent, or makes it the root in the node's place.
    fn add_above(&mut self, node: usize, pose: &Trs<f64>) -> usize {
        let mut members: Vec<_> = pose_members(pose).collect();
        members.push(format!(r#""children":[{node}]"#));
        self.add_node(node, "helper", members)
    }

    /// Writes helpers in place of their child wherever that was listed: as a child of a node, or as a root of a scene.
    fn name_helpers(&mut self, above: &HashMap<usize, usize>) -> serde_json::Result<()> {
        let (document, scene) = (self.source.document, self.source.scene);
        let parents: BTreeSet<_> =
            above.keys().filter_map(|&node| scene.nodes[node].parent).collect();
        let parents = parents.into_iter().map(|parent| (document.nodes[parent].raw, "children"));
        let scenes = document.scenes.iter().map(|scene| (scene.raw, "nodes"));
        for (raw, name) in parents.chain(scenes) {
            let Some(list) = Members::of(raw)?.get(name)? else { continue };
            for entry in elements(list)? {
                let Index(node) = serde_json::from_str(entry.get())?;
                if let Some(helper) = above.get(&node) {
                    self.edits.replace(entry, helper.to_string());
                }
            }
        }
        Ok(())
    }

    /// Adds a node whose name is derived from that of another node, and returns its index.
    fn add_node(&mut self, after: usize, what: &str, mut members: Vec<String>) -> usize {
        if let Some(name) = &self.source.scene.nodes[after].name {
            let name = self.free_name(&format!("{name}_{what}"));
            members.insert(0, format!(r#""name":{}"#, Value::from(name.as_str())));
            self.names.insert(name);
        }
        self.nodes.push(format!("{{{}}}", members.join(",")));
        self.source.document.nodes.len() + self.nodes.len() - 1
    }

    /// Returns a name that no node has, because programs look up nodes by name.
    fn free_name(&mut self, wanted: &str) -> String {
        loop {
            let count = self.wanted.entry(wanted.to_owned()).or_default();
            *count += 1;
            let name = if *count == 1 { wanted.to_owned() } else { format!("{wanted}_{count}") };
            if !self.names.contains(&name) {
                return name;
            }
        }
    }
}

/// The names of all nodes.
pub(super) fn names(scene: &xform_scene::Scene) -> HashSet<String> {
    scene.nodes.iter().filter_map(|node| node.name.clone()).collect()
}

/// Returns the JSON members of a pose, each with whether it differs from the default and so must be written.
fn parts(pose: &Trs<f64>) -> [(bool, &'static str, String); 3] {
    let turn = pose.rotation.coords;
    let (translation, scale) = (pose.translation, pose.scale);
    [
        (translation != Vector3::zeros(), "translation", array(translation.as_slice())),
        (turn.xyz() != Vector3::zeros(), "rotation", array(turn.as_slice())),
        (scale != Vector3::repeat(1.0), "scale", array(scale.as_slice())),
    ]
}

fn pose_members(pose: &Trs<f64>) -> impl Iterator<Item = String> {
    let needed = parts(pose).into_iter().filter(|(is_needed, ..)| *is_needed);
    needed.map(|(_, name, value)| format!(r#""{name}":{value}"#))
}
