use std::collections::HashMap;

use xform_scene::{Scene, animation::Track};

use crate::{document::Document, non_uniform::children, pointers::Pointed};

/// A file before it is changed: its document, its scene and lookups in them.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    pub(crate) document: &'a Document<'a>,
    pub(crate) scene: &'a Scene,
    pub(crate) pointed: Pointed,
    pub(crate) children: Vec<Vec<usize>>,
    /// The number of nodes that show each mesh.
    pub(crate) shown: Vec<usize>,
    tracks: HashMap<usize, Vec<&'a Track>>,
    /// Why parts of animations could not be read, by the node that they move. `None` if the node is unknown.
    pub(crate) unread: HashMap<Option<usize>, &'a str>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(document: &'a Document<'a>, scene: &'a Scene) -> Self {
        let (mut tracks, mut unread): (HashMap<_, Vec<_>>, _) = (HashMap::new(), HashMap::new());
        for animation in &scene.animations {
            for channel in &animation.channels {
                tracks.entry(channel.node).or_default().push(&channel.track);
            }
            for part in &animation.not_sampled {
                unread.insert(part.node, part.why.as_str());
            }
        }
        let (pointed, children) = (Pointed::of(document), children(scene));
        let mut shown = vec![0; document.meshes.len()];
        document.nodes.iter().filter_map(|node| node.is.mesh).for_each(|mesh| shown[mesh] += 1);
        Self { document, scene, pointed, children, shown, tracks, unread }
    }

    /// Returns a node and the nodes above it, upwards.
    pub(crate) fn upwards(&self, node: usize) -> impl Iterator<Item = usize> + 'a {
        let nodes = &self.scene.nodes;
        std::iter::successors(Some(node), |&at: &usize| nodes[at].parent)
    }

    pub(crate) fn tracks(&self, node: usize) -> impl Iterator<Item = &'a Track> + Clone {
        self.tracks.get(&node).into_iter().flatten().copied()
    }
}
