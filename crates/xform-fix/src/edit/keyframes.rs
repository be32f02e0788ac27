//! Edits keyframes of nodes that have a new pose.

use std::collections::HashMap;

use nalgebra::{Matrix3, Quaternion, Vector3};
use serde_json::value::RawValue;
use xform_compare::measure::UniformScale;

use super::{Editing, Made, Stop, bits, vectors};
use crate::{
    bake::Baked,
    document::{Animation, Channel, Part},
    json::{Edits, Members},
    non_uniform::is_nothing,
    refusal::{Refusal, Why},
    repose::Reposed,
};

/// The nodes whose keyframes may change.
struct Posed<'a> {
    baked: HashMap<usize, &'a Baked>,
    reposed: HashMap<usize, &'a Reposed>,
}

impl Posed<'_> {
    /// Returns how the keyframes of a node's property change, and the matrix to multiply them by; `None` if they stay.
    fn made(&self, node: usize, path: &str, is_spline: bool) -> Option<(Made, Matrix3<f64>)> {
        let (baked, reposed) = (self.baked.get(&node), self.reposed.get(&node));
        let made = match (path, baked, reposed) {
            ("translation", Some(one), _) if !is_nothing(&one.of_parent) => {
                return Some((Made::Translations, one.of_parent));
            }
            ("scale", Some(one), _) if !one.keeps_scale => Made::NoScales { is_spline },
            ("scale", _, Some(_)) => Made::UniformScales { is_spline },
            ("rotation", _, Some(one)) => {
                Made::HalfTurned { about: one.half_turn?.coords.xyz().iamax() }
            }
            _ => return None,
        };
        Some((made, Matrix3::identity()))
    }
}

impl<'a> Editing<'a, '_, '_> {
    /// Edits keyframes: translations are transformed by the map that their parent loses, baked scales become 1, and
    /// others become uniform. Channels that animate the weights of a mesh on a leaf are redirected to the leaf.
    pub(super) fn keyframes(&mut self, baked: &[&Baked], reposed: &[&Reposed]) -> Result<(), Stop> {
        let posed = Posed {
            baked: baked.iter().map(|one| (one.node, *one)).collect(),
            reposed: reposed.iter().map(|one| (one.node, *one)).collect(),
        };
        let document = self.source.document;
        for animation in &document.animations {
            let Animation { channels, samplers } = &animation.is;
            let mut added = Vec::new();
            for channel in channels {
                self.weights(channel)?;
                let target = &channel.is.target;
                let sampler = channel.is.sampler.and_then(|sampler| samplers.get(sampler));
                let Some((sampler, output)) =
                    sampler.and_then(|part| Some((part, part.is.output?)))
                else {
                    continue;
                };
                let is_spline = sampler.is.interpolation.as_deref() == Some("CUBICSPLINE");
                let path = target.path.as_deref().unwrap_or_default();
                let made = |node| Some((node, posed.made(node, path, is_spline)?));
                let Some((node, (made, by))) = target.node.and_then(made) else { continue };
                let output = match self.keyframe_values(output, made, &by) {
                    Ok(Some(output)) => output,
                    Ok(None) => continue,
                    Err(why) => {
                        self.refused.push(Refusal { node, why });
                        continue;
                    }
                };
                let uses = channels.iter().filter(|other| other.is.sampler == channel.is.sampler);
                if uses.count() == 1 {
                    self.edits.set(sampler.raw, "output", output.to_string())?;
                } else {
                    let mut edits = Edits::of(sampler.raw.get());
                    edits.set(sampler.raw, "output", output.to_string())?;
                    let index = samplers.len() + added.len();
                    self.edits.set(channel.raw, "sampler", index.to_string())?;
                    added.push(edits.finish());
                }
            }
            self.edits.push(animation.raw, "samplers", &added)?;
        }
        Ok(())
    }

    fn weights(&mut self, channel: &Part<'a, Channel>) -> serde_json::Result<()> {
        let target = &channel.is.target;
        let leaf = target.node.and_then(|node| self.leaves.get(&node));
        let raw: Option<&RawValue> = Members::of(channel.raw)?.get("target")?;
        match (leaf, raw) {
            (Some(leaf), Some(raw)) if target.path.as_deref() == Some("weights") => {
                self.edits.set(raw, "node", leaf.to_string())
            }
            _ => Ok(()),
        }
    }

    /// Returns the accessor of the new keyframe values, or `None` if the old values are already right.
    fn keyframe_values(
        &mut self,
        output: usize,
        made: Made,
        by: &Matrix3<f64>,
    ) -> Result<Option<usize>, Why> {
        let key = (output, made, bits(by));
        if let Some(&known) = self.made.get(&key) {
            return Ok(Some(known));
        }
        let new = match made {
            Made::HalfTurned { about } => {
                let old = self.read(output)?;
                let new: Vec<_> = old.iter().map(|&turn| half_turned(turn, about)).collect();
                self.new_keyframes(output, &old, &new)?
            }
            _ => {
                let old: Vec<[f64; 3]> = self.read(output)?;
                let new: Vec<_> = match made {
                    Made::NoScales { is_spline } => no_scales(old.len(), is_spline),
                    Made::UniformScales { is_spline } => uniform_scales(&old, is_spline),
                    _ => vectors(&old, by).into_iter().map(Into::into).collect(),
                };
                self.new_keyframes(output, &old, &new)?
            }
        };
        if let Some(new) = new {
            self.made.insert(key, new);
        }
        Ok(new)
    }

    fn new_keyframes<const N: usize>(
        &mut self,
        output: usize,
        old: &[[f64; N]],
        new: &[[f64; N]],
    ) -> Result<Option<usize>, Why> {
        if new == old {
            return Ok(None);
        }
        let name = self.name_of(output);
        self.data.floats(new, false, None, name.as_deref()).map(Some)
    }
}

/// Returns scales of 1. In a spline each value stands between its two tangents, which are 0.
fn no_scales(count: usize, is_spline: bool) -> Vec<[f64; 3]> {
    let value = |i: usize| if is_spline && i % 3 != 1 { [0.0; 3] } else { [1.0; 3] };
    (0..count).map(value).collect()
}

/// Replaces scales with uniform ones, and spline tangents with those of the resulting curve.
fn uniform_scales(old: &[[f64; 3]], is_spline: bool) -> Vec<[f64; 3]> {
    let uniform = |scale: [f64; 3]| {
        let scale = Vector3::from(scale);
        // A uniform scale stays the same to the bit.
        if scale.iter().all(|&factor| factor == scale.x) {
            scale.x
        } else {
            UniformScale::of(&scale).factor
        }
    };
    if !is_spline {
        return old.iter().map(|&scale| [uniform(scale); 3]).collect();
    }
    // The derivative of a geometric mean is the mean times the average relative derivative of the factors.
    let tangent = |value: [f64; 3], tangent: [f64; 3]| {
        let relative: f64 = (0..3).map(|i| tangent[i] / value[i]).sum();
        uniform(value) * relative / 3.0
    };
    let keyframes = old.as_chunks::<3>().0.iter();
    keyframes
        .flat_map(|&[into, value, out]| {
            [tangent(value, into), uniform(value), tangent(value, out)].map(|all| [all; 3])
        })
        .collect()
}

/// Multiplies a rotation, or a tangent of rotations, by half a turn about an axis, applied first.
fn half_turned([x, y, z, w]: [f64; 4], about: usize) -> [f64; 4] {
    let turn = Quaternion::from_parts(0.0, Vector3::ith(about, 1.0));
    (Quaternion::new(w, x, y, z) * turn).coords.into()
}
