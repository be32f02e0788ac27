//! The axes and units that answers may use.

use nalgebra::{Matrix3, Matrix4, Point3};
use serde::{Deserialize, Serialize};
use xform_engines::AxesConvention;

use crate::answers::Axes;

/// The axes and the unit of answers.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Convention {
    /// The matrix C that takes glTF's axes to those of the answers, row by row.
    pub from_gltf: [[f64; 3]; 3],
    /// Whether every node has the new axes, `C·W·Cᵀ`. Otherwise a conversion above all nodes changes them, `C·W`.
    pub of_every_node: bool,
    /// The number of the answers' units in a metre.
    pub units_per_metre: f64,
    /// Whether a scale above all nodes applies the unit, so that every world matrix is scaled. Otherwise only positions
    /// are.
    pub is_scaled_above: bool,
}

/// Units whose factors differ by less count as equal.
const SAME_UNIT: f64 = 1e-5;

impl Convention {
    /// The convention of glTF.
    pub const GLTF: Self = Self {
        from_gltf: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        of_every_node: false,
        units_per_metre: 1.0,
        is_scaled_above: false,
    };

    /// Returns every choice of axes: each axis along one of glTF's or against it, at every node or above all nodes.
    /// Those of glTF come first, then those without a mirror.
    pub(crate) fn each() -> impl Iterator<Item = Self> {
        let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
        let mut all: Vec<Self> = Vec::new();
        for order in orders {
            for signs in 0..8_u8 {
                let mut from_gltf = [[0.0; 3]; 3];
                for (row, axis) in order.into_iter().enumerate() {
                    from_gltf[row][axis] = if signs & (1 << row) == 0 { 1.0 } else { -1.0 };
                }
                for of_every_node in [false, true] {
                    all.push(Self { from_gltf, of_every_node, ..Self::GLTF });
                }
            }
        }
        all.sort_by_key(|axes| (!axes.keeps_axes(), axes.mirrors()));
        // Without a change of axes both ways are the same.
        all.into_iter().filter(|axes| !(axes.keeps_axes() && axes.of_every_node))
    }

    /// Returns these axes with another unit.
    pub(crate) fn in_unit(self, unit: Unit) -> Self {
        let Unit { units_per_metre, is_scaled_above } = unit;
        Self { units_per_metre, is_scaled_above, ..self }
    }

    /// Whether a file may mean this convention: it does not state whether its unit scales positions alone.
    pub(crate) fn is_named(&self, named: Axes) -> bool {
        let is_scaled_above = self.is_scaled_above && !self.of_every_node;
        Self { is_scaled_above, ..Self::from(named) } == *self
    }

    /// Whether the axes are those of glTF.
    #[must_use]
    pub fn keeps_axes(&self) -> bool {
        self.from_gltf == Self::GLTF.from_gltf
    }

    /// Whether the axes are left-handed. Those of glTF are right-handed.
    #[must_use]
    pub fn mirrors(&self) -> bool {
        self.change().determinant() < 0.0
    }

    pub(crate) fn change(&self) -> Matrix3<f64> {
        Matrix3::from_fn(|row, column| self.from_gltf[row][column])
    }

    /// Converts a world transform from this convention to glTF's axes and metres.
    pub(crate) fn undone(&self, answered: &Matrix4<f64>) -> Matrix4<f64> {
        let back = self.change().transpose();
        let linear: Matrix3<f64> = answered.fixed_view::<3, 3>(0, 0).into();
        let linear = if self.of_every_node { back * linear * self.change() } else { back * linear };
        let scale = if self.is_scaled_above { self.units_per_metre } else { 1.0 };
        let mut world = (linear / scale).to_homogeneous();
        let origin = back * answered.fixed_view::<3, 1>(0, 3) / self.units_per_metre;
        world.fixed_view_mut::<3, 1>(0, 3).copy_from(&origin);
        world
    }

    /// Converts a world transform from glTF's axes and metres to this convention.
    pub(crate) fn done(&self, world: &Matrix4<f64>) -> Matrix4<f64> {
        let Self { from_gltf, of_every_node, units_per_metre, is_scaled_above } = *self;
        let axes = AxesConvention { from_gltf, of_every_node, units_per_metre };
        let mut answered = axes.world(world);
        if is_scaled_above {
            answered.fixed_view_mut::<3, 3>(0, 0).scale_mut(units_per_metre);
        }
        answered
    }

    /// Converts a point from this convention to glTF's axes and metres.
    pub(crate) fn point_undone(&self, answered: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.change().transpose() * answered.coords / self.units_per_metre)
    }

    /// Describes in words where glTF's axes point here, and the unit.
    #[must_use]
    pub fn words(&self) -> String {
        let axes = if self.keeps_axes() {
            "those of glTF".to_owned()
        } else {
            let names = ["x", "y", "z"];
            let row = |row: &[f64; 3]| {
                let at = (0..3).find(|&axis| (row[axis].abs() - 1.0).abs() < 1e-9)?;
                Some(format!("{}{}", if row[at] < 0.0 { "−" } else { "" }, names[at]))
            };
            let rows: Option<Vec<_>> = self.from_gltf.iter().map(row).collect();
            let rows = rows.map_or_else(
                || "rotated axes".to_owned(),
                |rows| format!("x, y, z are glTF's {}", rows.join(", ")),
            );
            let up = ["x", "y", "z"]
                .into_iter()
                .zip(self.from_gltf)
                .find(|(_, row)| (row[1].abs() - 1.0).abs() < 1e-9);
            let up = up.map_or_else(String::new, |(axis, row)| {
                format!("{}{axis} up, ", if row[1] < 0.0 { "−" } else { "" })
            });
            let hand = if self.mirrors() { "left-handed" } else { "right-handed" };
            let whose = if self.of_every_node {
                "converted at every node (C·W·Cᵀ)"
            } else {
                "converted once above all nodes (C·W)"
            };
            format!("{rows} ({up}{hand}), {whose}")
        };
        if (self.units_per_metre - 1.0).abs() < SAME_UNIT {
            return format!("{axes}; 1 unit is 1 metre");
        }
        let above = if self.is_scaled_above { ", through a scale above all nodes" } else { "" };
        format!(
            "{axes}; {} units are 1 metre{above}",
            xform_scene::text::significant(self.units_per_metre, 6)
        )
    }
}

impl From<Axes> for Convention {
    fn from(axes: Axes) -> Self {
        let Axes { from_gltf, of_every_node, units_per_metre } = axes;
        Self { from_gltf, of_every_node, units_per_metre, is_scaled_above: false }
    }
}

/// A unit of answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    units_per_metre: f64,
    is_scaled_above: bool,
}

impl Unit {
    const METRE: Self = Self { units_per_metre: 1.0, is_scaled_above: false };

    /// Returns plausible units without duplicates: the stated one, a metre, and the units that the sizes of answers
    /// suggest relative to a prediction, by the median over the roots and over all nodes.
    ///
    /// Each quotient of sizes is paired with whether it is that of a root. `positions` are quotients of positions,
    /// `sizes` those of linear parts.
    pub(crate) fn likely(
        named: Option<Axes>,
        positions: &[(bool, f64)],
        sizes: &[(bool, f64)],
    ) -> Vec<Self> {
        let named = named
            .map(|axes| Self { units_per_metre: axes.units_per_metre, is_scaled_above: false });
        let found = |quotients: &[(bool, f64)], are_roots: bool, is_scaled_above| {
            let those = quotients.iter().filter(|(is_root, _)| *is_root || !are_roots);
            let units_per_metre = plain(median(those.map(|(_, quotient)| *quotient).collect())?);
            Some(Self { units_per_metre, is_scaled_above })
        };
        let roots = [found(positions, true, false), found(sizes, true, true)];
        let most = [found(positions, false, false), found(sizes, false, true)];
        let all = [named, Some(Self::METRE)].into_iter().chain(roots).chain(most);
        let mut units: Vec<Self> = Vec::new();
        for unit in all.flatten() {
            let is_same = |known: &Self| {
                let is_metre = (unit.units_per_metre - 1.0).abs() < SAME_UNIT;
                (known.units_per_metre / unit.units_per_metre - 1.0).abs() < SAME_UNIT
                    && (known.is_scaled_above == unit.is_scaled_above || is_metre)
            };
            if !units.iter().any(is_same) {
                units.push(unit);
            }
        }
        units
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.retain(|value| value.is_finite() && *value > 0.0);
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Returns a nearby number with few digits, if the value is that number up to the rounding of `f32`.
fn plain(value: f64) -> f64 {
    let few = format!("{value:.3e}").parse().unwrap_or(value);
    if (few / value - 1.0_f64).abs() < 1e-6 { few } else { value }
}
