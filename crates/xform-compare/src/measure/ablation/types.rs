//! Placement of the nodes of an FBX file in two shows, as if some of them inherited their parents' scale as
//! matrices do.

use xform_scene::{
    Scene,
    fbx::{FbxHierarchy, InheritType},
};

use super::placing::{Ablatable, Path, Placed, TRIED, linear_of};
use crate::measure::{
    shows::{Show, ShowPair, skew_difference},
    worlds::Worlds,
};

/// An FBX file in which some node does not inherit its parent's scale as matrices do.
pub(in crate::measure) struct Types<'a> {
    scene: &'a Scene,
    worlds: &'a Worlds,
    file: &'a FbxHierarchy,
    pair: ShowPair<'a>,
}

impl<'a> Types<'a> {
    /// Returns the types of such a file; `None` for any other scene.
    pub(in crate::measure) fn of(
        scene: &'a Scene,
        worlds: &'a Worlds,
        pair: ShowPair<'a>,
    ) -> Option<Self> {
        let file = scene.fbx.as_ref().filter(|file| !file.inherits_all())?;
        Some(Self { scene, worlds, file, pair })
    }

    /// Returns the candidates of a node: of itself and its ancestors, nearest first, those that do not
    /// inherit everything.
    pub(super) fn target(&self, node: usize) -> Ablatable {
        let upwards =
            std::iter::successors(self.scene.of_file(node), |&place| self.file.nodes[place].parent);
        let all = upwards.filter(|&place| self.file.nodes[place].inherit != InheritType::Matrix);
        let mut candidates: Vec<_> =
            all.take(TRIED + 1).map(|place| (place, Path::empty())).collect();
        let is_cut = candidates.len() > TRIED;
        candidates.truncate(TRIED);
        Ablatable { node, candidates, is_cut }
    }

    /// Places every node as if the removed ones inherited everything; `None` if the result is unknown.
    pub(in crate::measure) fn placed(
        &self,
        removed: &[usize],
    ) -> impl Fn(usize) -> Option<Placed> + use<> {
        let kind = |place: usize| {
            let is_removed = removed.contains(&place);
            if is_removed { InheritType::Matrix } else { self.file.nodes[place].inherit }
        };
        let worlds = |show: &Show| show.with_types(self.scene, self.worlds, self.file, kind);
        let [a, b] = [worlds(self.pair.reference), worlds(self.pair.other)];
        move |node: usize| {
            let worlds = [a[node].ok()?.to_homogeneous(), b[node].ok()?.to_homogeneous()];
            let [a, b] = worlds.map(|world| linear_of(&world));
            Some(Placed { worlds, skew_difference_degrees: Some(skew_difference(&a, &b)) })
        }
    }
}
