//! Small scenes that move, and what they look like at a time: straight from the definitions, each node
//! from its root down.

use std::iter::successors;

use nalgebra::{Matrix3, Matrix4, Point3, Quaternion, SVector, UnitQuaternion, Vector3, Vector4};
use proptest::{collection::vec, prelude::*};
use xform_compare::audit::DIFFERING_FRACTION;
use xform_core::Trs;
use xform_scene::{
    Animation, Bounds, Node, Scene,
    animation::{Channel, Curve, Interpolation, Track},
};

/// Nodes in any order, and animations of them.
#[derive(Clone, Debug)]
pub(crate) struct Moving {
    pub(crate) nodes: Vec<Still>,
    /// Each a list of nodes and what of them moves.
    pub(crate) animations: Vec<Vec<(usize, Property)>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Still {
    pub(crate) parent: Option<usize>,
    pub(crate) pose: Trs<f64>,
    pub(crate) bounds: Bounds,
}

#[derive(Clone, Debug)]
pub(crate) enum Property {
    Translation(Keys<3>),
    Rotation(Keys<4>),
    Scale(Keys<3>),
}

/// An animation sampler: times, and values as glTF lists them.
#[derive(Clone, Debug)]
pub(crate) struct Keys<const N: usize> {
    pub(crate) times: Vec<f64>,
    pub(crate) values: Vec<SVector<f64, N>>,
    pub(crate) interpolation: Interpolation,
}

/// The displacement that is rounding in a scene that is one point.
pub(crate) const WITHOUT_EXTENT: f64 = 1e-9;

/// Skew in degrees, linear difference, displacement.
pub(crate) type Figures = [Option<f64>; 3];

impl<const N: usize> Keys<N> {
    pub(crate) fn curve(&self) -> Curve<N> {
        let values = self.values.iter().map(|&value| value.into()).collect();
        Curve::new(self.times.clone(), values, self.interpolation).unwrap()
    }

    /// A value at a time, `line` leading from one keyframe to the next.
    pub(crate) fn at(
        &self,
        time: f64,
        line: fn(&SVector<f64, N>, &SVector<f64, N>, f64) -> SVector<f64, N>,
    ) -> SVector<f64, N> {
        let (times, last) = (&self.times, self.times.len() - 1);
        let is_spline = self.interpolation == Interpolation::CubicSpline;
        let value =
            |key: usize| if is_spline { self.values[3 * key + 1] } else { self.values[key] };
        if time <= times[0] {
            return value(0);
        }
        let Some(key) = (0..last).find(|&key| times[key] <= time && time < times[key + 1]) else {
            return value(last);
        };
        let step = times[key + 1] - times[key];
        let part = (time - times[key]) / step;
        match self.interpolation {
            Interpolation::Step => value(key),
            Interpolation::Linear => line(&value(key), &value(key + 1), part),
            Interpolation::CubicSpline => {
                let leaving = value(key) + self.values[3 * key + 2] * (step / 3.0);
                let arriving = value(key + 1) - self.values[3 * key + 3] * (step / 3.0);
                de_casteljau(vec![value(key), leaving, arriving, value(key + 1)], part)
            }
        }
    }
}

/// A point of a Bézier curve.
fn de_casteljau<const N: usize>(mut points: Vec<SVector<f64, N>>, part: f64) -> SVector<f64, N> {
    while points.len() > 1 {
        points = points.windows(2).map(|pair| pair[0].lerp(&pair[1], part)).collect();
    }
    points[0]
}

fn unit(quaternion: &Vector4<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(Quaternion::from(*quaternion))
}

/// About one axis, by no more than half a turn in all.
fn turn(from: &Vector4<f64>, to: &Vector4<f64>, part: f64) -> Vector4<f64> {
    let (from, to) = (unit(from), unit(to));
    (from * (from.inverse() * to).powf(part)).coords
}

impl Property {
    pub(crate) fn track(&self) -> Track {
        match self {
            Self::Translation(keys) => Track::Translation(keys.curve()),
            Self::Rotation(keys) => Track::Rotation(keys.curve()),
            Self::Scale(keys) => Track::Scale(keys.curve()),
        }
    }

    pub(crate) fn times(&self) -> &[f64] {
        match self {
            Self::Translation(keys) | Self::Scale(keys) => &keys.times,
            Self::Rotation(keys) => &keys.times,
        }
    }

    pub(crate) fn set(&self, pose: &mut Trs<f64>, time: f64) {
        match self {
            Self::Translation(keys) => pose.translation = keys.at(time, Vector3::lerp),
            Self::Rotation(keys) => pose.rotation = unit(&keys.at(time, turn)),
            Self::Scale(keys) => pose.scale = keys.at(time, Vector3::lerp),
        }
    }
}

impl Moving {
    pub(crate) fn scene(&self) -> Scene {
        let node = |still: &Still| Node::new(still.parent, still.pose).with_bounds(still.bounds);
        let channel =
            |(node, property): &(_, Property)| Channel { node: *node, track: property.track() };
        let animation = |(index, moved): (usize, &Vec<_>)| {
            Animation::new(index, moved.iter().map(channel).collect())
        };
        let mut scene = Scene::new("moving", self.nodes.iter().map(node).collect());
        scene.animations = self.animations.iter().enumerate().map(animation).collect();
        scene
    }

    /// The nodes from this one up to its root.
    fn upwards(&self, node: usize) -> impl Iterator<Item = usize> {
        successors(Some(node), |&node| self.nodes[node].parent)
    }

    /// The nodes that an animation moves, those below what it animates included.
    pub(crate) fn moved(&self, animation: usize) -> Vec<usize> {
        let is_animated = |node| self.animations[animation].iter().any(|&(moved, _)| moved == node);
        (0..self.nodes.len()).filter(|&node| self.upwards(node).any(is_animated)).collect()
    }

    /// All keyframe times of an animation, in ascending order.
    pub(crate) fn times(&self, animation: usize) -> Vec<f64> {
        let tracks = self.animations[animation].iter();
        let mut times: Vec<_> =
            tracks.flat_map(|(_, property)| property.times()).copied().collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// The poses of all nodes at a time; without an animation at rest.
    pub(crate) fn poses(&self, at: Option<(usize, f64)>) -> Vec<Trs<f64>> {
        let mut poses: Vec<_> = self.nodes.iter().map(|still| still.pose).collect();
        if let Some((animation, time)) = at {
            for (node, property) in &self.animations[animation] {
                property.set(&mut poses[*node], time);
            }
        }
        poses
    }

    /// A world transform by accumulated matrices.
    pub(crate) fn matrix(&self, poses: &[Trs<f64>], node: usize) -> Matrix4<f64> {
        let parent = self.nodes[node].parent;
        let Trs { translation, rotation, scale } = poses[node];
        parent.map_or(Matrix4::identity(), |parent| self.matrix(poses, parent))
            * Matrix4::new_translation(&translation)
            * rotation.to_homogeneous()
            * Matrix4::new_nonuniform_scaling(&scale)
    }

    /// A world transform by combined TRS: rotations multiplied, scales component by component.
    pub(crate) fn combined(&self, poses: &[Trs<f64>], node: usize) -> Trs<f64> {
        let Some(parent) = self.nodes[node].parent else { return poses[node] };
        let (above, local) = (self.combined(poses, parent), poses[node]);
        let stretched = above.scale.component_mul(&local.translation);
        Trs::from_parts(
            above.translation + above.rotation.to_rotation_matrix() * stretched,
            above.rotation * local.rotation,
            above.scale.component_mul(&local.scale),
        )
    }

    /// How far the strategies are apart at a node.
    pub(crate) fn figures(&self, poses: &[Trs<f64>], node: usize) -> Figures {
        let (matrix, combined) = (self.matrix(poses, node), self.combined(poses, node));
        let by_matrix: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into();
        let by_trs = combined.rotation.to_rotation_matrix().into_inner()
            * Matrix3::from_diagonal(&combined.scale);
        let place = |corner: &Point3<f64>| by_trs * corner.coords + combined.translation;
        let apart = self.nodes[node]
            .bounds
            .corners()
            .map(|corner| (matrix.transform_point(&corner).coords - place(&corner)).norm());
        [
            Some(skew(&by_matrix).to_degrees()),
            Some((by_matrix - by_trs).norm() / by_matrix.norm()),
            apart.reduce(f64::max),
        ]
    }

    /// The diagonal of the box around the nodes with a box at rest; around all nodes where that is a point.
    pub(crate) fn diagonal(&self) -> f64 {
        let of = |is_counted: fn(&Bounds) -> bool| {
            let counted =
                (0..self.nodes.len()).filter(|&node| is_counted(&self.nodes[node].bounds));
            self.diagonal_of(counted)
        };
        let drawn = of(|bounds| matches!(bounds, Bounds::Box(..)));
        if drawn > 0.0 { drawn } else { of(|_| true) }
    }

    /// The largest displacement that does not count.
    pub(crate) fn least_displacement(&self) -> f64 {
        let diagonal = self.diagonal();
        if diagonal > 0.0 { DIFFERING_FRACTION * diagonal } else { WITHOUT_EXTENT }
    }

    fn diagonal_of(&self, nodes: impl Iterator<Item = usize>) -> f64 {
        let poses = self.poses(None);
        let corners = nodes.flat_map(|node| {
            let world = self.matrix(&poses, node);
            self.nodes[node].bounds.corners().map(move |corner| world.transform_point(&corner))
        });
        let boxes = corners.map(|corner| (corner, corner));
        let around = boxes.reduce(|(min, max), (a, b)| (min.inf(&a), max.sup(&b)));
        around.map_or(0.0, |(min, max)| (max - min).norm())
    }
}

/// How far the least perpendicular of its axes are from a right angle, in radians.
pub(crate) fn skew(linear: &Matrix3<f64>) -> f64 {
    let pairs = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| (linear.column(i), linear.column(j)));
    let off = pairs.map(|(a, b)| a.dot(&b).abs().atan2(a.cross(&b).norm()));
    off.into_iter().fold(0.0, f64::max)
}

fn vector(range: std::ops::Range<f64>) -> impl Strategy<Value = Vector3<f64>> {
    [range.clone(), range.clone(), range].prop_map(Vector3::from)
}

fn signs() -> impl Strategy<Value = Vector3<f64>> {
    let sign = || prop_oneof![4 => Just(1.0), 1 => Just(-1.0)];
    [sign(), sign(), sign()].prop_map(Vector3::from)
}

fn scale() -> impl Strategy<Value = Vector3<f64>> {
    (signs(), vector(0.5..2.0)).prop_map(|(signs, sizes)| signs.component_mul(&sizes))
}

fn still() -> impl Strategy<Value = Still> {
    let corners = (vector(-2.0..0.0), vector(0.0..2.0));
    let bounds = prop_oneof![
        2 => corners.prop_map(|(min, max)| Bounds::Box(min.into(), max.into())),
        1 => Just(Bounds::Origin),
        1 => Just(Bounds::Nothing),
    ];
    (vector(-3.0..3.0), vector(-3.0..3.0), scale(), bounds).prop_map(
        |(translation, axis, scale, bounds)| {
            let rotation = UnitQuaternion::from_scaled_axis(axis);
            let pose = Trs::from_parts(translation, rotation, scale);
            Still { parent: None, pose, bounds }
        },
    )
}

fn interpolation() -> impl Strategy<Value = Interpolation> {
    prop_oneof![
        Just(Interpolation::Step),
        Just(Interpolation::Linear),
        Just(Interpolation::CubicSpline),
    ]
}

/// Up to so many keyframes.
const KEYS: usize = 4;

fn times() -> impl Strategy<Value = Vec<f64>> {
    (-0.5..0.5, vec(0.1..1.0, 0..KEYS)).prop_map(|(start, steps)| {
        let later = steps.iter().scan(start, |time, step| {
            *time += step;
            Some(*time)
        });
        std::iter::once(start).chain(later).collect()
    })
}

/// Values at keyframes, and tangents no longer than one in each direction.
fn keys<const N: usize>(
    values: impl Fn(Interpolation) -> BoxedStrategy<Vec<SVector<f64, N>>>,
) -> impl Strategy<Value = Keys<N>> {
    let tangents = || vec(proptest::array::uniform::<_, N>(-1.0..1.0), 2 * KEYS);
    (times(), interpolation().prop_flat_map(move |one| (Just(one), values(one))), tangents())
        .prop_map(|(times, (interpolation, values), tangents)| {
            let tangent = |i: usize| SVector::from(tangents[i]);
            let values = (0..times.len()).flat_map(|key| match interpolation {
                Interpolation::CubicSpline => {
                    vec![tangent(2 * key), values[key], tangent(2 * key + 1)]
                }
                _ => vec![values[key]],
            });
            Keys { values: values.collect(), times, interpolation }
        })
}

/// Quaternions of about unit length; of a spline such that it does not lead past zero.
fn rotations(interpolation: Interpolation) -> BoxedStrategy<Vec<Vector4<f64>>> {
    let is_spline = interpolation == Interpolation::CubicSpline;
    let next = (vector(-1.0..1.0), prop_oneof![0.9..1.1, -1.1..-0.9_f64]);
    let all = vec(next, KEYS).prop_map(move |all: Vec<(Vector3<f64>, f64)>| {
        let turned = all.into_iter().scan(UnitQuaternion::identity(), move |at, (axis, length)| {
            let (reach, length) = if is_spline { (1.0, length.abs()) } else { (1.8, length) };
            *at *= UnitQuaternion::from_scaled_axis(axis * reach);
            Some(at.coords * length)
        });
        turned.collect()
    });
    all.boxed()
}

/// Each factor keeps its sign, since next to zero everything is skewed.
fn scales(_: Interpolation) -> BoxedStrategy<Vec<Vector3<f64>>> {
    let sizes = vec(vector(0.5..2.0), KEYS);
    let signed = (signs(), sizes).prop_map(|(signs, sizes)| {
        sizes.into_iter().map(|sizes| signs.component_mul(&sizes)).collect()
    });
    signed.boxed()
}

fn property() -> impl Strategy<Value = Property> {
    prop_oneof![
        keys(|_| vec(vector(-3.0..3.0), KEYS).boxed()).prop_map(Property::Translation),
        keys(rotations).prop_map(Property::Rotation),
        keys(scales).prop_map(Property::Scale),
    ]
}

/// Of three to eight nodes, in any order, with one or two animations.
pub(crate) fn moving() -> impl Strategy<Value = Moving> {
    let of_len = |len: usize| {
        let animation = || vec((0..len, property()), 1..=5);
        (vec((0..len, still()), len), vec(animation(), 1..=2), any::<bool>())
    };
    (3_usize..=8).prop_flat_map(of_len).prop_map(|(nodes, animations, is_reversed)| {
        let last = nodes.len() - 1;
        let place = |node: usize| if is_reversed { last - node } else { node };
        let mut nodes: Vec<_> = nodes
            .into_iter()
            .enumerate()
            .map(|(node, (pick, still))| {
                let parent = Some(pick % (node + 1)).filter(|&parent| parent < node).map(place);
                Still { parent, ..still }
            })
            .collect();
        if is_reversed {
            nodes.reverse();
        }
        Moving { nodes, animations }
    })
}
