use xform_core::{Inherit, Trs};
use xform_engines::Engine;
use xform_matrix::AccumulatedMatrix;
use xform_scene::{Bounds, fbx::InheritType};
use xform_trs::CombinedTrs;

use super::{
    Apart, Cause, Grade, Role,
    thresholds::{SKEWED_DEGREES, is_displaced, percent_of_scene},
};

/// The measurements of one node. Angles are in degrees. An undefined figure is `None`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NodeAudit {
    /// Its index in the file.
    pub index: usize,
    /// The node that this is an [instance](xform_scene::Node::instance_of) of; `None` for a node that is in
    /// the file itself.
    pub instance_of: Option<usize>,
    /// Its name, which need not be unique.
    pub name: Option<String>,
    /// The index of its parent.
    pub parent: Option<usize>,
    /// The number of its ancestors.
    pub depth: usize,
    /// Its local pose; if the file has a `matrix`, the pose nearest to that.
    pub local: Trs<f64>,
    /// The [length](xform_scene::Node::rotation_length) of its rotation in the file, if engines differ
    /// because of it.
    pub rotation_length: Option<f64>,
    /// The parts of its parent's world transform that it inherits.
    pub inherit: Inherit,
    /// How it inherits its parent's scale in an FBX file, if not as matrices do.
    pub inherit_type: Option<InheritType>,
    /// The distance of its local `matrix` from that pose, as a fraction; `None` if the two are the same.
    pub local_residual: Option<f64>,
    // World transforms stay mathematical types in the audit until a writer turns them into numbers, because advice and
    // pictures transform points with them. When they were arrays, they had to be made into matrices again.
    /// Its world transform in accumulated matrices.
    pub by_matrix: AccumulatedMatrix<f64>,
    /// Its world transform in combined TRS.
    pub by_trs: CombinedTrs<f64>,
    /// The largest |skew| of any pair of its axes, in accumulated matrices.
    pub skew_degrees: Option<f64>,
    /// The skew between its axes xy, xz and yz.
    pub skew_pairs_degrees: [Option<f64>; 3],
    /// The volume that its axes span, as a fraction of the volume without skew.
    pub orthogonality: Option<f64>,
    /// The distance of its world matrix from the nearest translation, rotation and scale, as a fraction.
    pub nearest_trs_distance: f64,
    /// The group of engines that shows it worst, as an index into
    /// [`EngineAudit::groups`](super::EngineAudit::groups). The figures that follow, and the cause, compare
    /// this group with the reference. `None` if all engines show the node alike.
    pub group: Option<usize>,
    /// ‖La − Lb‖ / ‖La‖, where La and Lb are the 3×3 parts of the world transforms in the reference and in
    /// the group.
    pub linear_difference: Option<f64>,
    /// The largest difference in skew between a group of engines and the reference, in degrees; `None` if its
    /// axes are not visible anywhere, or have no skew.
    pub skew_difference_degrees: Option<f64>,
    /// The group that has this difference. It need not be the group that shows the node worst.
    pub skew_group: Option<usize>,
    /// The farthest that a corner of its bounds, or a vertex of its skinned mesh, moves between the two, in scene
    /// units.
    pub displacement: Option<f64>,
    /// The displacement as a percentage of the scene's diagonal.
    pub displacement_percent: Option<f64>,
    /// The displacement as a percentage of the node's own size, which is the longest diagonal of its bounds
    /// in the reference; `None` if it has no size.
    pub displacement_percent_of_itself: Option<f64>,
    /// The angle by which it points elsewhere, if it is a camera or a light, in degrees. It is the larger of
    /// two angles between the reference and the group: of its directions and of its upward directions, as far
    /// as these [matter](xform_scene::FixtureKind::has_direction).
    pub turned_degrees: Option<f64>,
    /// The cause of its difference; `None` if it does not differ, or if no cause was found.
    pub cause: Option<Cause>,
    /// The part of it that can be seen to move.
    pub bounds: Bounds,
    /// How its difference is graded.
    pub role: Role,
    /// The engines in which a person would see its difference, at rest or in motion, if it does not count.
    /// For a node that counts, see the [groups](super::EngineGroup::nodes).
    pub undrawn_in: Vec<&'static Engine>,
    /// Whether its mesh follows joints. Its displacement is then that of the vertices, and its own axes are
    /// not visible anywhere.
    pub is_skinned: bool,
    /// Whether vertices of a skinned mesh follow it. They show its difference in its place.
    pub is_followed: bool,
    /// Whether its grade counts towards that of the scene: because it draws something, or because nodes that
    /// draw nothing count too.
    pub counts: bool,
    /// Whether a world scale of zero hides it, so that it does not count at rest.
    pub is_hidden: bool,
    /// Whether its file [hides it](xform_scene::Node::is_invisible) at all times, so that it does not count.
    pub is_invisible: bool,
    /// Whether it is a [helper](xform_scene::Node::is_helper) and not a node of the file.
    pub is_helper: bool,
}

impl NodeAudit {
    /// Returns its place in a glTF file as a JSON pointer.
    #[must_use]
    pub fn pointer(&self) -> String {
        match self.instance_of {
            Some(owner) => format!("/nodes/{owner}/extensions/EXT_mesh_gpu_instancing"),
            None => format!("/nodes/{}", self.index),
        }
    }

    /// Whether it counts as skewed, in accumulated matrices.
    #[must_use]
    pub fn is_skewed(&self) -> bool {
        self.skew_degrees > Some(SKEWED_DEGREES)
    }

    /// Whether its grade at rest counts: it counts and is not hidden.
    #[must_use]
    pub fn counts_at_rest(&self) -> bool {
        self.counts && !self.is_hidden
    }

    /// Returns how visible its difference is, if anything is drawn there.
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

    /// Returns its displacement as a percentage of the scene's diagonal; infinite if the scene has no extent.
    #[must_use]
    pub fn percent_of_scene(&self) -> Option<f64> {
        percent_of_scene(self.displacement?, self.displacement_percent)
    }

    /// Whether its displacement alone makes it differ.
    #[must_use]
    pub fn is_displaced(&self) -> bool {
        is_displaced(self.percent_of_scene())
    }

    /// Whether its [cause](Self::cause) explains its displacement. Otherwise the cause explains its linear
    /// difference.
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

/// Whether a figure in motion is worse than at rest by more than rounding.
impl NodeAudit {
    /// Compares a skew.
    pub(crate) fn is_more_skewed(&self, degrees: f64) -> bool {
        degrees > self.skew_difference_degrees.unwrap_or(0.0) + SKEWED_DEGREES
    }

    /// Compares the turn of a camera or a light.
    pub(crate) fn is_more_turned(&self, degrees: f64) -> bool {
        degrees > self.turned_degrees.unwrap_or(0.0) + SKEWED_DEGREES
    }

    /// Compares a displacement, as a percentage of the scene's diagonal.
    pub(crate) fn is_moved_more(&self, percent: f64) -> bool {
        percent > self.percent_of_scene().unwrap_or(0.0) + Grade::IDENTICAL_PERCENT
    }
}
