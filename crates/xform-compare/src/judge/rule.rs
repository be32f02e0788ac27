/// A kind of [`Finding`](super::Finding), with its meaning and remedy. docs/rules.md has more.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rule {
    /// Its stable name for programs: `skewed`, `displaced`, `engine-unknown`, `not-judged` or the code of a
    /// warning, for example.
    pub id: &'static str,
    /// Its meaning, in a sentence.
    pub meaning: &'static str,
    /// The remedy, in a sentence.
    pub remedy: &'static str,
}

impl Rule {
    const fn new(id: &'static str, meaning: &'static str, remedy: &'static str) -> Self {
        Self { id, meaning, remedy }
    }

    /// Returns the address of its documentation: its entry in the documentation of [`RULES`].
    #[must_use]
    pub fn help_uri(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let id = self.id;
        format!("https://docs.rs/xform-compare/{version}/xform_compare/constant.RULES.html#{id}")
    }
}

/// Defines the rules and lists them in the documentation of `RULES`, which [`Rule::help_uri`] links to.
macro_rules! rules {
    ($(($id:literal, $meaning:literal, $remedy:literal $(,)?),)*) => {
        /// All rules, those of figures before those of warnings.
        ///
        $(#[doc = concat!("- <span id=\"", $id, "\">`", $id, "`</span>: ", $meaning, " ", $remedy)])*
        pub const RULES: &[Rule] = &[$(Rule::new($id, $meaning, $remedy),)*];
    };
}

rules! {
    (
        "skewed",
        "The axes of the node are not perpendicular in an engine, or are so by another angle than in the reference.",
        "Make the scale that is the cause uniform, bake it into the meshes, or move it to a leaf.",
    ),
    (
        "displaced",
        "An engine puts the node in another place or shape than the reference.",
        "As for `skewed`; `xform report` tries each repair and says what would remain. Bake a sheared matrix into the mesh.",
    ),
    (
        "turned",
        "A camera or a light points elsewhere in an engine than in the reference, or the axes of an empty node are others there, and so \
         would be what hangs on it.",
        "As for `skewed`; or hang it below a node whose ancestors have uniform scales.",
    ),
    (
        "collider",
        "A shape collides elsewhere, or as another shape, than it is drawn, in a physics engine that was asked about.",
        "As the message says, which was tried: make the scale uniform, or apply it to the shape on a node without scale.",
    ),
    (
        "collider-unknown",
        "It is not known where or as which shape a node collides in a physics engine that was asked about.",
        "Make it a shape and a pose that every engine knows: a box, hull or mesh on a node without scale.",
    ),
    (
        "engine-unknown",
        "It is not known what an engine shows.",
        "Make the node one that every engine knows: bake a sheared matrix into the mesh, or split it over two nodes.",
    ),
    (
        "not-judged",
        "A part of the scene that moves or is drawn could not be read, so it was not judged, and there is a limit.",
        "Mend what the message names; or accept it, with `--allow-unknown`.",
    ),
    (
        "unit-quaternion",
        "A rotation is no unit quaternion; it was normalised.",
        "Export unit quaternions.",
    ),
    (
        "not-utf8",
        "Bytes that are not UTF-8 were read as U+FFFD.",
        "Export names as UTF-8, which JSON requires.",
    ),
    (
        "zero-quaternion",
        "A rotation has length zero; it was taken as none.",
        "Mend the exporter.",
    ),
    (
        "zero-scale",
        "A scale of 0 flattens the node and all below it.",
        "Nothing, where it is meant to hide them.",
    ),
    (
        "mirrored",
        "A negative scale mirrors the node and all below it.",
        "Bake the mirror into the mesh.",
    ),
    (
        "matrix-and-trs",
        "There is a matrix beside translation, rotation or scale; the matrix was used.",
        "Keep one of them.",
    ),
    (
        "matrix-not-trs",
        "A matrix is no translation, rotation and scale; combined TRS takes the nearest.",
        "Bake it into the mesh, or split it over two nodes.",
    ),
    (
        "missing-bounds",
        "A mesh has positions without bounds; that part of it does not count.",
        "Write min and max, which glTF requires.",
    ),
    (
        "skinned-mesh",
        "The vertices of a skinned mesh could not be read; the origins of its joints stand in for them.",
        "As the message says; or audit a copy that is not compressed.",
    ),
    (
        "broken-meshes",
        "A mesh of an FBX file is broken, so that none could be read; the nodes are audited without them.",
        "Export the file again.",
    ),
    (
        "gpu-instancing",
        "Instances of EXT_mesh_gpu_instancing could not be read; only their node is audited.",
        "As the message says.",
    ),
    (
        "behaviour",
        "A behaviour (KHR_interactivity) sets the pose of a node at run time; only the pose in the file is audited.",
        "Audit the scene posed as the behaviour leaves it too.",
    ),
    (
        "non-default-scene",
        "Nodes are outside the default scene; they are audited all the same.",
        "Nothing, or remove them.",
    ),
    (
        "animation-not-sampled",
        "An animation, or a part of one, could not be read or was skipped; it counts as at rest.",
        "As the message says; or audit the scene posed at its most extreme too.",
    ),
    (
        "animation-thinned",
        "An animation was sampled at fewer times than it has keyframes, since it moves many nodes.",
        "Nothing, where it moves evenly; or split the animation.",
    ),
    (
        "duplicate-channel",
        "Two channels of an animation set the same property of a node; engines take the first or the last.",
        "Delete the channel that is not meant.",
    ),
    (
        "keyframe-times",
        "Keyframes are at the same time, or at a negative one.",
        "Export each keyframe at a time of its own, from 0 on.",
    ),
    (
        "scale-flip",
        "Between two keyframes a scale changes its sign while the node turns by 180°: it shrinks to nothing and spins.",
        "Key scales without a change of sign; or use STEP where the flip is meant.",
    ),
    (
        "non-root-node",
        "A scene lists a node that has a parent; engines may show it twice or elsewhere.",
        "List only the root above it.",
    ),
    (
        "cause-cut",
        "Nodes have more than 32 ancestors with non-uniform scales; the nearest 32 were tried.",
        "Nothing; read their cause as the nearest.",
    ),
    (
        "unit-scale",
        "An uppermost node has an even scale that is what a unit is in another one, such as 100.",
        "Apply the scale, and export in the right unit, where that was a mistake.",
    ),
    (
        "size",
        "The scene is under a centimetre or over ten kilometres across.",
        "Export in the right unit, where that was a mistake.",
    ),
    (
        "precision",
        "Something is drawn so far from the origin that its place is visibly rounded in 32-bit floats.",
        "Move the scene to the origin.",
    ),
    (
        "undefined-figure",
        "An axis has no length, or the scene no extent, so that figures are undefined.",
        "Nothing, where the zero scale is meant.",
    ),
}

#[cfg(test)]
mod tests {
    use super::*;
    use xform_scene::WarningCode;

    #[test]
    fn every_warning_has_a_rule() {
        for code in WarningCode::ALL {
            assert!(RULES.iter().any(|rule| rule.id == code.name()), "{}", code.name());
        }
    }
}
