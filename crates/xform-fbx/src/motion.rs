//! Animations: ufbx bakes the curves of a file, node by node.

use std::collections::HashMap;

use nalgebra::Vector3;
use serde_json::{Value, json};
use ufbx::{BakeOpts, BakedAnimRoot, BakedNode};
use xform_scene::{ErrorCode, fbx::InheritType, gltf::EncodedAccessor};

use crate::{
    error::FbxError,
    glb::Glb,
    hierarchy::{NodeTree, SceneNode, index, vector},
    memory_limit::MemoryLimit,
    shape::{channels, effects, knots},
};

/// Values at ascending times, interpolated linearly. At least one.
type Curve = Vec<(f64, Vector3<f64>)>;

/// Returns the value of a curve at a time. Before the first time and after the last, it is constant.
fn at(curve: &[(f64, Vector3<f64>)], time: f64) -> Vector3<f64> {
    let after = curve.partition_point(|&(known, _)| known <= time);
    let Some(&(start, from)) = after.checked_sub(1).map(|before| &curve[before]) else {
        return curve[0].1;
    };
    match curve.get(after) {
        Some(&(end, to)) if end > start => from + (to - from) * ((time - start) / (end - start)),
        _ => from,
    }
}

/// The number of samples a second of a product whose factors both change, because such a product is not linear; and
/// the greatest number of samples in all.
const PER_SECOND: f64 = 120.0;
const MOST_SAMPLES: usize = 1 << 16;

/// Multiplies two curves component by component, at the times of both, and between those times if both change.
fn product(a: &[(f64, Vector3<f64>)], b: &[(f64, Vector3<f64>)]) -> Curve {
    let mut times: Vec<f64> = a.iter().chain(b).map(|&(time, _)| time).collect();
    times.sort_unstable_by(f64::total_cmp);
    times.dedup();
    let mut product = Curve::with_capacity(times.len());
    let both = |time: f64| (time, at(a, time).component_mul(&at(b, time)));
    for (place, &time) in times.iter().enumerate() {
        product.push(both(time));
        let Some(&next) = times.get(place + 1) else { break };
        let changes = |curve: &[(f64, Vector3<f64>)]| at(curve, time) != at(curve, next);
        if product.len() < MOST_SAMPLES && changes(a) && changes(b) {
            let steps = ((next - time) * PER_SECOND).clamp(1.0, MOST_SAMPLES as f64).floor();
            let parts = (1..).map(f64::from).take_while(|&part| part < steps);
            product.extend(parts.map(|part| both(time + (next - time) * part / steps)));
        }
    }
    product
}

/// The greatest number of samples between two keyframes. At ufbx's 30 a second this is more than two minutes.
const MOST_BETWEEN: usize = 4096;

/// The motion of a node of the file in an animation.
struct Moved {
    translation: Curve,
    rotation: Vec<(f64, [f64; 4])>,
    scale: Curve,
}

impl Moved {
    fn at_rest(node: &ufbx::Node) -> Self {
        let pose = &node.local_transform;
        let turn = pose.rotation;
        Self {
            translation: vec![(0.0, vector(pose.translation))],
            rotation: vec![(0.0, [turn.x, turn.y, turn.z, turn.w])],
            scale: vec![(0.0, vector(pose.scale))],
        }
    }

    fn of(baked: &BakedNode, rest: Self) -> Self {
        let curve = |keys: &[ufbx::BakedVec3], rest: Curve| {
            let keys: Curve = keys.iter().map(|key| (key.time, vector(key.value))).collect();
            if keys.is_empty() { rest } else { keys }
        };
        let turns = baked.rotation_keys.iter().map(|key| {
            let turn = key.value;
            (key.time, [turn.x, turn.y, turn.z, turn.w])
        });
        let turns: Vec<_> = turns.collect();
        Self {
            translation: curve(&baked.translation_keys, rest.translation),
            rotation: if turns.is_empty() { rest.rotation } else { turns },
            scale: curve(&baked.scale_keys, rest.scale),
        }
    }
}

/// Bakes the animations of a file, one for each stack.
pub(crate) fn baked(
    file: &ufbx::Scene,
    limit: &MemoryLimit,
) -> Result<Vec<BakedAnimRoot>, FbxError> {
    let mut left = limit.bytes.saturating_sub(file.metadata.result_memory_used);
    let of_stack = |stack: &ufbx::Ref<ufbx::AnimStack>| {
        let mut opts = BakeOpts::default();
        opts.temp_allocator.memory_limit = limit.bytes;
        // 0 would mean no limit.
        opts.result_allocator.memory_limit = left.max(1);
        opts.max_keyframe_segments = MOST_BETWEEN;
        let baked = ufbx::bake_anim(file, &stack.anim, opts)?;
        left = left.saturating_sub(baked.metadata.result_memory_used);
        Ok(baked)
    };
    file.anim_stacks.iter().map(of_stack).collect()
}

/// Returns for each node of the file whether its scale is ever other than one, at rest or in an animation.
pub(crate) fn has_scale(file: &ufbx::Scene, animations: &[BakedAnimRoot]) -> Vec<bool> {
    let is_one = |scale: ufbx::Vec3| vector(scale) == Vector3::repeat(1.0);
    let nodes = file.nodes.iter().skip(1);
    let mut has: Vec<bool> = nodes.map(|node| !is_one(node.local_transform.scale)).collect();
    for node in animations.iter().flat_map(|baked| &baked.nodes) {
        if let Some(has) = index(node.typed_id).and_then(|place| has.get_mut(place)) {
            *has |= node.scale_keys.iter().any(|key| !is_one(key.value));
        }
    }
    has
}

/// Adds the animations of a file to the GLB.
pub(crate) fn add_animations(
    glb: &mut Glb,
    file: &ufbx::Scene,
    animations: &[BakedAnimRoot],
    hierarchy: &NodeTree,
    limit: &MemoryLimit,
) -> Result<(), FbxError> {
    for (stack, baked) in file.anim_stacks.iter().zip(animations) {
        let mut moved: Vec<_> =
            file.nodes.iter().skip(1).map(|node| Moved::at_rest(node)).collect();
        for node in &baked.nodes {
            if let Some((place, rest)) =
                index(node.typed_id).and_then(|place| Some((place, file.nodes.get(place + 1)?)))
            {
                moved[place] = Moved::of(node, Moved::at_rest(rest));
            }
        }
        let before = baked.key_time_min.min(0.0);
        let mut animation = Animation { before, ..Animation::default() };
        animation.add_nodes(glb, hierarchy, &moved, limit)?;
        animation.add_weights(glb, file, hierarchy, baked, limit)?;
        if !animation.channels.is_empty() {
            glb.push(
                "animations",
                json!({
                    "name": stack.element.name.to_string(),
                    "channels": animation.channels,
                    "samplers": animation.samplers,
                }),
            );
        }
    }
    Ok(())
}

#[derive(Default)]
struct Animation {
    channels: Vec<Value>,
    samplers: Vec<Value>,
    /// The first time if it is negative, otherwise 0. Subtracted from all times, because glTF has no negative times.
    before: f64,
}

impl Animation {
    fn add_nodes(
        &mut self,
        glb: &mut Glb,
        hierarchy: &NodeTree,
        moved: &[Moved],
        limit: &MemoryLimit,
    ) -> Result<(), FbxError> {
        // The scale that each node passes on, parents first.
        let mut scales: Vec<Curve> = Vec::with_capacity(moved.len());
        let mut held = 0;
        for (place, node) in moved.iter().enumerate() {
            let entry = hierarchy.file.nodes[place];
            let scale = match hierarchy.scale_from[place] {
                Some(from) => product(&node.scale, &scales[from]),
                None => node.scale.clone(),
            };
            let translation = match (entry.inherit, entry.parent) {
                (InheritType::Matrix, _) | (_, None) => node.translation.clone(),
                (_, Some(parent)) => product(&node.translation, &scales[parent]),
            };
            let [frame, scaled] = [place, entry.scaled].map(|node| &hierarchy.scene[node]);
            self.add(glb, place, "translation", &components(&translation), |values| {
                values == SceneNode::translation_of(frame)
            });
            self.add(glb, place, "rotation", &node.rotation, |value| value == frame.rotation);
            self.add(glb, entry.scaled, "scale", &components(&scale), |value| {
                value == <[f64; 3]>::from(scaled.scale)
            });
            held += scale.len() * size_of::<(f64, Vector3<f64>)>();
            if held > limit.bytes {
                return Err(too_much());
            }
            scales.push(scale);
            glb.check()?;
        }
        Ok(())
    }

    /// Adds the channel of a property, unless the property stays at its rest value.
    fn add<const N: usize>(
        &mut self,
        glb: &mut Glb,
        node: usize,
        path: &str,
        curve: &[(f64, [f64; N])],
        is_rest: impl Fn([f64; N]) -> bool,
    ) {
        if curve.iter().all(|&(_, value)| is_rest(value)) {
            return;
        }
        let curve = distinct(curve);
        let output: Vec<_> = curve.iter().map(|&(_, value)| value).collect();
        let times: Vec<_> = curve.iter().map(|&(time, _)| [time]).collect();
        self.push(glb, node, path, &times, &output);
    }

    fn push<const N: usize>(
        &mut self,
        glb: &mut Glb,
        node: usize,
        path: &str,
        times: &[[f64; 1]],
        output: &[[f64; N]],
    ) {
        let times: Vec<_> = times.iter().map(|[time]| [time - self.before]).collect();
        let (input, output) = (
            glb.accessor(&EncodedAccessor::floats(&times, true)),
            glb.accessor(&EncodedAccessor::floats(output, false)),
        );
        self.samplers.push(json!({ "input": input, "output": output }));
        let target = json!({ "node": node, "path": path });
        self.channels.push(json!({ "sampler": self.samplers.len() - 1, "target": target }));
    }

    /// Adds the channels of morph weights.
    fn add_weights(
        &mut self,
        glb: &mut Glb,
        file: &ufbx::Scene,
        hierarchy: &NodeTree,
        baked: &ufbx::BakedAnim,
        limit: &MemoryLimit,
    ) -> Result<(), FbxError> {
        let elements: HashMap<u32, &ufbx::BakedElement> =
            baked.elements.iter().map(|element| (element.element_id, element)).collect();
        let curve_of = |channel: &ufbx::BlendChannel| -> Option<Curve> {
            let element = elements.get(&channel.element.element_id)?;
            let prop = element.props.iter().find(|prop| &*prop.name == "DeformPercent")?;
            let keys = prop.keys.iter().map(|key| (key.time, vector(key.value) / 100.0));
            Some(keys.collect()).filter(|keys: &Curve| !keys.is_empty())
        };
        for (node, place) in file.nodes.iter().skip(1).zip(&hierarchy.file.nodes) {
            let Some(mesh) = &node.mesh else { continue };
            glb.check()?;
            let channels = channels(mesh).map(|channel| (channel, curve_of(channel)));
            let channels: Vec<_> = channels.collect();
            let mut times = Vec::new();
            for (channel, curve) in &channels {
                let curve = curve.as_deref().unwrap_or_default();
                times.extend(curve.iter().map(|&(time, _)| time));
                if channel.keyframes.len() > 1 {
                    times.extend(bends(channel, curve).take(MOST_SAMPLES));
                }
            }
            times.sort_unstable_by(f64::total_cmp);
            times.dedup();
            let times = distinct(&times.into_iter().map(|time| (time, [])).collect::<Vec<_>>());
            if times.is_empty() {
                continue;
            }
            let shapes: usize = channels.iter().map(|(channel, _)| channel.keyframes.len()).sum();
            if times.len().saturating_mul(shapes).saturating_mul(size_of::<f64>()) > limit.bytes {
                return Err(too_much());
            }
            let mut weights = Vec::new();
            for &(time, []) in &times {
                for (channel, curve) in &channels {
                    let weight = curve.as_ref().map_or(channel.weight, |curve| at(curve, time).x);
                    weights.extend(effects(channel, weight).into_iter().map(|effect| [effect]));
                }
            }
            let times: Vec<_> = times.iter().map(|&(time, [])| [time]).collect();
            self.push(glb, place.scaled, "weights", &times, &weights);
        }
        Ok(())
    }
}

impl SceneNode {
    fn translation_of(node: &Self) -> [f64; 3] {
        node.translation.into()
    }
}

fn too_much() -> FbxError {
    FbxError::new(ErrorCode::OutOfMemory, "its animations take more memory than allowed")
}

/// Returns the times at which the weight of a channel passes a knot.
fn bends<'a>(
    channel: &ufbx::BlendChannel,
    curve: &'a [(f64, Vector3<f64>)],
) -> impl Iterator<Item = f64> + use<'a> {
    let knots = knots(channel);
    curve.windows(2).flat_map(move |pair| {
        let [(start, from), (end, to)] = [pair[0], pair[1]];
        let share = move |&(at, _): &(f64, _)| (at - from.x) / (to.x - from.x);
        let shares: Vec<f64> = knots.iter().map(share).collect();
        let within = shares.into_iter().filter(|&share| 0.0 < share && share < 1.0);
        within.map(move |share| start + (end - start) * share)
    })
}

fn components(curve: &[(f64, Vector3<f64>)]) -> Vec<(f64, [f64; 3])> {
    curve.iter().map(|&(time, value)| (time, value.into())).collect()
}

/// Removes points whose times are equal as floats. The last one of them is kept.
fn distinct<const N: usize>(curve: &[(f64, [f64; N])]) -> Vec<(f64, [f64; N])> {
    let mut kept: Vec<(f64, [f64; N])> = Vec::with_capacity(curve.len());
    for &(time, value) in curve {
        #[expect(clippy::cast_possible_truncation, reason = "as they are stored")]
        let stored = time as f32;
        match kept.last_mut() {
            #[expect(clippy::cast_possible_truncation, reason = "as they are stored")]
            Some(last) if last.0 as f32 >= stored => last.1 = value,
            _ => kept.push((time, value)),
        }
    }
    kept
}
