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
        "The node's axes are not perpendicular in an engine, or they are skewed by a different angle than in the reference.",
        "Make the scale that is the cause uniform, bake it into the meshes, or move it to a new childless node.",
    ),
    (
        "displaced",
        "An engine shows the node in another place or shape than the reference.",
        "As for `skewed`; `xform report` tries each repair and shows what would remain. Bake a sheared matrix into the mesh.",
    ),
    (
        "turned",
        "A camera or a light points elsewhere in an engine than in the reference, or the axes of an empty node differ there, and so \
         would anything attached to it.",
        "As for `skewed`; or move it below a node whose ancestors have uniform scales.",
    ),
    (
        "collider",
        "A shape collides in another place or form than it is drawn, in a requested physics engine.",
        "Follow the message, whose advice was tried: make the scale uniform, or apply it to the shape on a node without a scale.",
    ),
    (
        "collider-unknown",
        "It is unknown where or as which shape a node collides in a requested physics engine.",
        "Use a shape and a pose that every engine handles: a box, hull or mesh on a node without a scale.",
    ),
    (
        "engine-unknown",
        "It is unknown what an engine shows.",
        "Change the node so that every engine handles it: bake a sheared matrix into the mesh, or split it over two nodes.",
    ),
    (
        "not-judged",
        "A part of the scene that moves or is drawn could not be read, so it was not judged, and there is a limit.",
        "Fix what the message names, or accept it with `--allow-unknown`.",
    ),
    (
        "unit-quaternion",
        "A rotation is not a unit quaternion; it was normalised.",
        "Export unit quaternions.",
    ),
    (
        "not-utf8",
        "Bytes that are not UTF-8 were read as U+FFFD.",
        "Export names as UTF-8, which JSON requires.",
    ),
    (
        "zero-quaternion",
        "A rotation has length zero; it was read as no rotation.",
        "Fix the exporter.",
    ),
    (
        "zero-scale",
        "A scale of 0 flattens the node and its descendants.",
        "Nothing, if it is meant to hide them.",
    ),
    (
        "mirrored",
        "A negative scale mirrors the node and its descendants.",
        "Bake the mirror into the mesh.",
    ),
    (
        "matrix-and-trs",
        "A node has a matrix and also a translation, rotation or scale; the matrix was used.",
        "Keep one of them.",
    ),
    (
        "matrix-not-trs",
        "A matrix is not a translation, rotation and scale; combined TRS takes the nearest.",
        "Bake it into the mesh, or split it over two nodes.",
    ),
    (
        "missing-bounds",
        "A mesh has positions without bounds; xform measures the vertices instead.",
        "Write min and max, which glTF requires.",
    ),
    (
        "skinned-mesh",
        "The vertices of a skinned mesh could not be read; the origins of its joints are used instead.",
        "As the message says; or audit a copy that is not compressed.",
    ),
    (
        "broken-meshes",
        "A mesh of an FBX file is broken, so no mesh could be read; the nodes are audited without meshes.",
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
        "Also audit the scene in the pose that the behaviour sets.",
    ),
    (
        "non-default-scene",
        "Nodes are outside the default scene; they are audited anyway.",
        "Do nothing, or remove them.",
    ),
    (
        "animation-not-sampled",
        "An animation, or a part of one, could not be read or was skipped; it counts as at rest.",
        "As the message says; or also audit the scene in its most extreme pose.",
    ),
    (
        "animation-thinned",
        "An animation was sampled at fewer times than it has keyframes, because it moves many nodes.",
        "Nothing, if it moves evenly; or split the animation.",
    ),
    (
        "duplicate-channel",
        "Two channels of an animation set the same property of a node; engines take the first or the last.",
        "Delete the unintended channel.",
    ),
    (
        "keyframe-times",
        "Keyframes have the same time, or a negative one.",
        "Give each keyframe its own time, from 0 on.",
    ),
    (
        "scale-flip",
        "Between two keyframes a scale changes its sign while the node turns by 180°: it shrinks to nothing and spins.",
        "Key scales without a change of sign; or use STEP if the flip is intended.",
    ),
    (
        "non-root-node",
        "A scene lists a node that has a parent; engines may show it twice or elsewhere.",
        "List only the root above it.",
    ),
    (
        "cause-cut",
        "Nodes have more than 32 ancestors with non-uniform scales; the nearest 32 were tried.",
        "Nothing; the named cause is one of the nearest.",
    ),
    (
        "unit-scale",
        "A topmost node has a uniform scale that equals the ratio of two units, such as 100.",
        "Apply the scale, and export in the right unit, if that was a mistake.",
    ),
    (
        "size",
        "The scene is under a centimetre or over ten kilometres across.",
        "Export in the right unit, if that was a mistake.",
    ),
    (
        "precision",
        "Something is drawn so far from the origin that its position is visibly rounded in 32-bit floats.",
        "Move the scene to the origin.",
    ),
    (
        "undefined-figure",
        "An axis has no length, or the scene no extent, so that figures are undefined.",
        "Nothing, if the zero scale is intended.",
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
