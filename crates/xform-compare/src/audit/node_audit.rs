use xform_core::{Inherit, Trs};
use xform_engines::Engine;
use xform_matrix::AccumulatedMatrix;
use xform_scene::{Bounds, fbx::InheritType};
use xform_trs::CombinedTrs;

use super::{
    Apart, Cause, Grade, Role,
    thresholds::{SKEWED_DEGREES, is_displaced, percent_of_scene},
};

/// The measurements of one node. Angles are in degrees; a figure that is undefined is `None`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NodeAudit {
    /// Its index in the file.
    pub index: usize,
    /// The node that it is an [instance](xform_scene::Node::instance_of) of; `None` for one that is in the file itself.
    pub instance_of: Option<usize>,
    /// Its name, which need not be unique.
    pub name: Option<String>,
    /// The index of its parent.
    pub parent: Option<usize>,
    /// The number of its ancestors.
    pub depth: usize,
    /// Its local pose; where a `matrix` was authored, the nearest to that.
    pub local: Trs<f64>,
    /// The [length](xform_scene::Node::rotation_length) of its rotation in the file, where engines differ by it.
    pub rotation_length: Option<f64>,
    /// What it inherits of its parent's world transform.
    pub inherit: Inherit,
    /// What it takes of its parent's scale in an FBX file, where that is not what matrices do.
    pub inherit_type: Option<InheritType>,
    /// The distance of its local `matrix` from that pose, as a fraction; `None` where the two are the same.
    pub local_residual: Option<f64>,
    /// Its world transform by accumulated matrices.
    pub by_matrix: AccumulatedMatrix<f64>,
    /// Its world transform by combined TRS.
    pub by_trs: CombinedTrs<f64>,
    /// The largest |skew| among its pairs of axes, by accumulated matrices.
    pub skew_degrees: Option<f64>,
    /// The skew between its axes xy, xz and yz.
    pub skew_pairs_degrees: [Option<f64>; 3],
    /// The volume that its axes span, as a fraction of what it would be without skew.
    pub orthogonality: Option<f64>,
    /// The distance of its world matrix from the nearest translation, rotation and scale, as a fraction.
    pub nearest_trs_distance: f64,
    /// The group of engines that shows it worst, by its place in [`EngineAudit::groups`](super::EngineAudit::groups); the figures
    /// that follow, and the cause, are of what this group shows and what the reference does. `None` where all show it alike.
    pub group: Option<usize>,
    /// ‖La − Lb‖ / ‖La‖, La and Lb the 3×3 parts of the world transforms in the reference and in the group.
    pub linear_difference: Option<f64>,
    /// The largest difference between its skews in a group of engines and in the reference, in degrees; `None` where its axes show
    /// nowhere, or have no skew.
    pub skew_difference_degrees: Option<f64>,
    /// The group that has this difference, which need not be the one that shows the node worst.
    pub skew_group: Option<usize>,
    /// The farthest that a corner of its bounds, or a vertex of its skinned mesh, moves between the two, in scene units.
    pub displacement: Option<f64>,
    /// The displacement in percent of the scene's diagonal.
    pub displacement_percent: Option<f64>,
    /// The displacement in percent of the node's own size, which is the longest diagonal of its bounds in
    /// the reference; `None` where it has none.
    pub displacement_percent_of_itself: Option<f64>,
    /// How far it points elsewhere as a camera or a light, in degrees: the larger of the angles between where it points in the two and
    /// between its upward directions, as far as these [matter](xform_scene::FixtureKind::has_direction).
    pub turned_degrees: Option<f64>,
    /// Why it differs; `None` where it does not, or where no cause was found.
    pub cause: Option<Cause>,
    /// The part of it that can be seen to move.
    pub bounds: Bounds,
    /// How it shows.
    pub role: Role,
    /// The engines in which a person would see its difference, at rest or in motion, where it does not count; of a node that counts,
    /// the [groups](super::EngineGroup::nodes) say it.
    pub undrawn_in: Vec<&'static Engine>,
    /// Whether its mesh follows joints: its displacement is that of the vertices, and its own axes show nowhere.
    pub is_skinned: bool,
    /// Whether vertices of a skinned mesh follow it, which show its difference in its stead.
    pub is_followed: bool,
    /// Whether its grade counts towards that of the scene: it draws something, or what draws nothing counts too.
    pub counts: bool,
    /// Whether a world scale of zero hides it, so that it does not count at rest.
    pub is_hidden: bool,
    /// Whether its file [hides it](xform_scene::Node::is_invisible) at all times, so that it does not count.
    pub is_invisible: bool,
    /// Whether it is [no node of the file](xform_scene::Node::is_helper).
    pub is_helper: bool,
}

impl NodeAudit {
    /// Where it is in a glTF file, as a JSON pointer.
    #[must_use]
    pub fn pointer(&self) -> String {
        match self.instance_of {
            Some(owner) => format!("/nodes/{owner}/extensions/EXT_mesh_gpu_instancing"),
            None => format!("/nodes/{}", self.index),
        }
    }

    /// Whether it counts as skewed, by accumulated matrices.
    #[must_use]
    pub fn is_skewed(&self) -> bool {
        self.skew_degrees > Some(SKEWED_DEGREES)
    }

    /// Whether its grade at rest counts: it counts, and is not hidden.
    #[must_use]
    pub fn counts_at_rest(&self) -> bool {
        self.counts && !self.is_hidden
    }

    /// How much of its difference a person sees, if anything is drawn there.
    #[must_use]
    pub fn grade(&self) -> Grade {
        self.role.grade(Apart {
            percent_of_scene: self.percent_of_scene(),
            percent_of_itself: self.displacement_percent_of_itself,
            skew_degrees: self.skew_difference_degrees,
            linear_difference: self.linear_difference.unwrap_or(f64::INFINITY),
            turned_degrees: self.turned_degrees,
        })
    }

    /// Its displacement in percent of the scene's diagonal; infinite beside a scene without extent.
    #[must_use]
    pub fn percent_of_scene(&self) -> Option<f64> {
        percent_of_scene(self.displacement?, self.displacement_percent)
    }

    /// Whether it differs by its displacement.
    #[must_use]
    pub fn is_displaced(&self) -> bool {
        is_displaced(self.percent_of_scene())
    }

    /// Whether its [cause](Self::cause) is that of its displacement; otherwise it is that of its linear difference.
    #[must_use]
    pub fn is_by_place(&self) -> bool {
        self.is_displaced() && !self.role.is_by_axes()
    }

    /// Whether it differs between the group and the reference: its grade is worse than identical.
    #[must_use]
    pub fn is_differing(&self) -> bool {
        self.grade() > Grade::Identical
    }
}

/// Whether a figure in motion is worse than at rest, by more than rounding.
impl NodeAudit {
    /// The figure is a skew.
    pub(crate) fn is_more_skewed(&self, degrees: f64) -> bool {
        degrees > self.skew_difference_degrees.unwrap_or(0.0) + SKEWED_DEGREES
    }

    /// The figure is the turn of a camera or a light.
    pub(crate) fn is_more_turned(&self, degrees: f64) -> bool {
        degrees > self.turned_degrees.unwrap_or(0.0) + SKEWED_DEGREES
    }

    /// The figure is a displacement in percent of the scene.
    pub(crate) fn is_moved_more(&self, percent: f64) -> bool {
        percent > self.percent_of_scene().unwrap_or(0.0) + Grade::IDENTICAL_PERCENT
    }
}
