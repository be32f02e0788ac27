//! Scenes that need no file: examples from the literature, and random ones from a seed.

mod arm;
mod forest;
mod golden;
mod humanoid;
mod parameter;

use xform_core::Inherit;

use crate::{BoundsShape, Node, Scene};

pub use forest::{Forest, Shape};
pub use parameter::{Parameter, SettingError};

use parameter::Settings;

/// A scene that is generated without a file.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// Its name on the command line.
    pub name: &'static str,
    /// The effect that it demonstrates, in a sentence.
    pub summary: &'static str,
    /// The parameters that can be set.
    pub parameters: &'static [Parameter],
    build: fn(&Settings) -> Scene,
    /// The sliders of its report.
    pub sliders: &'static [SliderRange],
    /// How the report draws its nodes.
    pub bounds_shape: BoundsShape,
    /// The nodes with a colour of their own in the report, and the nodes that it does not draw.
    pub colours: &'static [NodeColour],
}

/// A node and its red, green and blue from 0 to 1, or `None` if it is not drawn.
pub type NodeColour = (usize, Option<[f32; 3]>);

const MAGENTA: [f32; 3] = [0.8, 0.25, 0.7];
const CYAN: [f32; 3] = [0.15, 0.68, 0.75];

/// The values of a report's slider: `first/divisor`, `(first + step)/divisor` and so on up to `last/divisor`.
#[derive(Clone, Copy, Debug)]
pub struct SliderRange {
    /// The parameter that it moves.
    pub parameter: &'static str,
    /// The numerator of the first value.
    pub first: i32,
    /// The numerator of the last value.
    pub last: i32,
    /// The distance between numerators.
    pub step: usize,
    /// The denominator of all values.
    pub divisor: i32,
}

impl BuiltIn {
    /// Returns all built-in scenes, in the order in which they are listed.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &ALL
    }

    /// Returns the scene with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().iter().find(|built_in| built_in.name == name)
    }

    const fn random(
        name: &'static str,
        summary: &'static str,
        build: fn(&Settings) -> Scene,
    ) -> Self {
        let bounds_shape = BoundsShape::Box;
        let (sliders, colours) = (&[], &[]);
        Self { name, summary, parameters: &SIZE, build, sliders, bounds_shape, colours }
    }

    /// Generates the scene. Parameters that are not set have their defaults.
    ///
    /// # Errors
    ///
    /// If a setting is not a parameter of the scene, or is out of range.
    pub fn scene(&self, settings: &[(String, f64)]) -> Result<Scene, SettingError> {
        let settings = Settings::checked(self, settings)?;
        Ok(Scene { source: self.name.to_owned(), ..(self.build)(&settings) })
    }
}

static ALL: [BuiltIn; 10] = [
    BuiltIn {
        name: "arm",
        summary: "a skinned arm with a stretched upper arm and a bending elbow",
        parameters: &[
            Parameter::real("stretch", "scale of the upper arm along the bone", 1.4, 0.25, 4.0),
            Parameter::real("bend", "bend of the elbow, in degrees", 100.0, 0.0, 170.0),
        ],
        build: |settings| arm::arm(settings.real("stretch"), settings.real("bend")),
        sliders: &[],
        bounds_shape: BoundsShape::Box,
        colours: &[],
    },
    BuiltIn {
        name: "piston",
        summary: "a piston below a scaled root: a large difference without any skew",
        parameters: &[Parameter::real("k", "x scale of the root", 2.0, 0.25, 4.0)],
        build: |settings| still(golden::piston(settings.real("k"))),
        sliders: &[SliderRange { parameter: "k", first: 5, last: 80, step: 1, divisor: 20 }],
        bounds_shape: BoundsShape::Cylinder,
        colours: &[(0, None), (1, Some(MAGENTA)), (2, Some(CYAN))],
    },
    BuiltIn {
        name: "skewed-child",
        summary: "a rotated child below a stretched parent: the simplest skew",
        parameters: &[
            Parameter::real("s", "x scale of the parent", 2.0, 0.01, 100.0),
            Parameter::real(
                "theta",
                "rotation of the child about z, in degrees",
                38.0,
                -360.0,
                360.0,
            ),
        ],
        build: |settings| still(golden::skewed_child(settings.real("s"), settings.real("theta"))),
        sliders: &[
            SliderRange { parameter: "s", first: 1, last: 8, step: 1, divisor: 2 },
            SliderRange { parameter: "theta", first: -90, last: 90, step: 8, divisor: 1 },
        ],
        bounds_shape: BoundsShape::Box,
        colours: &[(0, Some(MAGENTA)), (1, Some(CYAN))],
    },
    BuiltIn {
        name: "levels",
        summary: "the same stretch and rotation at every level: skew does not always grow with depth",
        parameters: &[Parameter::whole("n", "levels below the root", 4, 0, 100)],
        build: |settings| still(golden::levels(settings.whole("n"))),
        sliders: &[],
        bounds_shape: BoundsShape::Box,
        colours: &[],
    },
    BuiltIn {
        name: "inherit",
        summary: "a child that inherits only a part of its skewed parent's transform",
        parameters: &[Parameter::whole(
            "inherit",
            "0 all, 1 no scale, 2 no rotation, 3 position only, 4 nothing",
            1,
            0,
            4,
        )],
        build: |settings| still(golden::inherit(Inherit::EACH[settings.whole("inherit") as usize])),
        sliders: &[],
        bounds_shape: BoundsShape::Box,
        colours: &[],
    },
    BuiltIn::random("chain", "random poses, each node a child of the previous one", |settings| {
        random_nodes(Shape::Chain, settings)
    }),
    BuiltIn::random("fan", "random poses, all nodes children of one root", |settings| {
        random_nodes(Shape::Fan, settings)
    }),
    BuiltIn::random(
        "tree",
        "random poses, a complete tree with four children per node",
        |settings| random_nodes(Shape::Tree, settings),
    ),
    BuiltIn::random("humanoids", "random poses, skeletons of 64 joints side by side", |settings| {
        random_nodes(Shape::Humanoids, settings)
    }),
    BuiltIn::random(
        "random",
        "random poses, each node a child of one of the thousand before it",
        |settings| random_nodes(Shape::Random, settings),
    ),
];

const SIZE: [Parameter; 2] = [
    Parameter::whole("nodes", "number of nodes", 1000, 1, 4_000_000),
    Parameter::whole("seed", "seed of the random poses", 1, 0, u32::MAX),
];

/// A scene without animations.
fn still(nodes: Vec<Node>) -> Scene {
    Scene::new("", nodes)
}

fn random_nodes(shape: Shape, settings: &Settings) -> Scene {
    let forest = Forest::generate(shape, settings.whole("nodes"), settings.whole("seed").into());
    let nodes = forest.parents.iter().zip(&forest.locals);
    still(nodes.map(|(&parent, &local)| Node::new(parent, local)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_scene_can_be_made_at_its_defaults_and_its_bounds() {
        for built_in in BuiltIn::all() {
            assert!(std::ptr::eq(BuiltIn::named(built_in.name).unwrap(), built_in));
            assert!(!built_in.scene(&[]).unwrap().nodes.is_empty());
            for parameter in built_in.parameters.iter().filter(|p| p.name != "nodes") {
                for value in [parameter.min, parameter.max] {
                    let settings = [(parameter.name.to_owned(), value)];
                    assert!(!built_in.scene(&settings).unwrap().nodes.is_empty());
                }
            }
        }
        assert!(BuiltIn::named("nobody").is_none());
    }
}
