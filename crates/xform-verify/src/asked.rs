//! The answers about a scene, matched with its nodes.

use std::collections::{BTreeSet, HashSet};

use nalgebra::{Matrix4, Point3};

use crate::{answers::Answers, scenes::Found};

/// A scene with answers.
pub(crate) struct Asked<'a> {
    pub(crate) name: &'a str,
    pub(crate) found: Found<'a>,
    pub(crate) moments: Vec<AskedMoment>,
    /// The paths of unknown nodes in answers, if a sibling of theirs has no answer.
    pub(crate) strangers: Vec<String>,
    /// The number of answers at rest for skinned nodes, which importers move elsewhere.
    pub(crate) skinned: usize,
    /// The number of nodes without an answer at rest.
    pub(crate) silent: usize,
}

/// The answers at one time, by node from the roots down.
pub(crate) struct AskedMoment {
    pub(crate) seconds: Option<f64>,
    pub(crate) worlds: Vec<(usize, Matrix4<f64>)>,
    pub(crate) vertices: Vec<(usize, Vec<Point3<f64>>)>,
}

impl<'a> Asked<'a> {
    pub(crate) fn new(answers: &'a Answers, name: &'a str, found: Found<'a>) -> Self {
        let scene = found.scene;
        let mut places = vec![0; scene.order.len()];
        for (place, &node) in scene.order.iter().enumerate() {
            places[node] = place;
        }
        let (mut strangers, mut misplaced, mut skinned) = (BTreeSet::new(), BTreeSet::new(), 0);
        let moments = answers.scenes[name].iter().map(|moment| {
            let mut node = |path: &String| {
                let found = scene.node(path);
                if found.is_none() && !scene.is_ambiguous(path) {
                    strangers.insert(path.clone());
                }
                found
            };
            let mut worlds = Vec::new();
            for (path, answer) in &moment.nodes {
                if let (Some(node), Some(world)) = (node(path), &answer.world) {
                    let entries = world.map(|entry| entry.unwrap_or(f64::NAN));
                    worlds.push((node, Matrix4::from_column_slice(&entries)));
                }
            }
            // Importers move skinned nodes elsewhere.
            let all = worlds.len();
            worlds.retain(|(node, _)| scene.scene.nodes[*node].skin.is_none());
            if moment.seconds.is_none() {
                skinned += all - worlds.len();
            }
            worlds.sort_by_key(|(node, _)| places[*node]);
            let mut vertices = Vec::new();
            for (path, answer) in &moment.vertices {
                // Vertices of an unknown node are reported, not silently dropped.
                let found = scene.node(path).or_else(|| scene.skinned_elsewhere(path));
                if found.is_none() {
                    misplaced.insert(path.clone());
                }
                if let Some(node) = found {
                    let point = |at: &[Option<f64>; 3]| at.map(|part| part.unwrap_or(f64::NAN));
                    let points = answer.iter().map(|at| Point3::from(point(at))).collect();
                    vertices.push((node, points));
                }
            }
            AskedMoment { seconds: moment.seconds, worlds, vertices }
        });
        let moments: Vec<_> = moments.collect();
        let at_rest = moments.iter().find(|moment| moment.seconds.is_none());
        let worlds = at_rest.map_or(&[][..], |moment| &moment.worlds);
        let answered: HashSet<usize> = worlds.iter().map(|(node, _)| *node).collect();
        let silent: Vec<usize> = scene.asked().filter(|node| !answered.contains(node)).collect();
        let silent_below: HashSet<Option<usize>> =
            silent.iter().map(|&node| scene.scene.nodes[node].parent).collect();
        // Nodes that importers add have siblings that are all answered.
        strangers.retain(|path| {
            let above = path.rsplit_once('/').map(|(above, _)| scene.node(above));
            let is_beside = match above {
                // A name alone may mean any node.
                None | Some(None) => !silent.is_empty(),
                Some(parent) => silent_below.contains(&parent),
            };
            is_beside && scene.skinned_elsewhere(path).is_none()
        });
        strangers.extend(misplaced);
        let (strangers, silent) = (strangers.into_iter().collect(), silent.len());
        Self { name, found, moments, strangers, skinned, silent }
    }

    /// Makes up a scene in which every node has an answer at rest, with any value.
    pub(crate) fn of_all_nodes(name: &'a str, found: Found<'a>) -> Self {
        let worlds: Vec<_> = found.scene.asked().map(|node| (node, Matrix4::identity())).collect();
        let moment = AskedMoment { seconds: None, worlds, vertices: Vec::new() };
        Self { name, found, moments: vec![moment], strangers: Vec::new(), skinned: 0, silent: 0 }
    }
}
