use std::{collections::HashMap, sync::Arc};

use super::{
    accessor::elements,
    buffers::Buffers,
    document::{self, Document, Target},
    unread::Unread,
};
use crate::{
    scene::{Animation, Channel, Curve, Interpolation, NotSampled, Track},
    text::printable,
};

/// The animations that move nodes, without their channels, which [`read`] adds.
pub(super) fn of_nodes(document: &Document<'_>) -> Vec<Animation> {
    let moves = |animation: &document::Animation| {
        animation.channels.iter().any(|channel| moved(&channel.target).is_some())
    };
    let animations = document.animations.iter().enumerate();
    let of_nodes = animations.filter(|(_, animation)| moves(animation));
    let named = of_nodes.map(|(index, animation)| Animation {
        index,
        name: animation.name.clone(),
        channels: Vec::new(),
        not_sampled: Vec::new(),
    });
    named.collect()
}

/// The node whose pose a channel sets; `None` for morph weights and for other things than nodes.
pub(super) fn moved(target: &Target) -> Option<usize> {
    match target.pointer() {
        Some(pointer) => {
            let (node, property) = pointer.strip_prefix("/nodes/")?.split_once('/')?;
            let is_pose = ["translation", "rotation", "scale", "matrix"].contains(&property);
            node.parse().ok().filter(|_| is_pose)
        }
        None => target.node.filter(|_| target.path.as_deref() != Some("weights")),
    }
}

/// Reads the channels of an animation that move nodes; of two with the same target, the last. A channel that
/// cannot be read is kept in [`Animation::not_sampled`] with the reason.
pub(super) fn read(animation: &mut Animation, reader: &mut Reader<'_>) {
    let index = animation.index;
    let found = &reader.document.animations[index];
    let places = found.channels.iter().enumerate();
    let last: HashMap<_, _> = places.map(|(place, channel)| (target_of(channel), place)).collect();
    for (position, channel) in found.channels.iter().enumerate() {
        let Some(node) = moved(&channel.target) else { continue };
        if last.get(&target_of(channel)) != Some(&position) {
            continue;
        }
        match reader.track(found, channel) {
            Ok(track) => animation.channels.push(Channel { node, track }),
            Err(error) => {
                let pointer = format!("/animations/{index}/channels/{position}");
                let node = Some(node).filter(|&node| node < reader.document.nodes.len());
                let not_sampled = NotSampled::new(pointer, error.code(), error.to_string());
                animation.not_sampled.push(NotSampled { node, ..not_sampled });
            }
        }
    }
}

/// The target of a channel, to find those that move the same.
fn target_of(channel: &document::Channel) -> (Option<usize>, Option<&str>, Option<&str>) {
    let target = &channel.target;
    (target.node, target.path.as_deref(), target.pointer())
}

/// Reads the curves of a document; times that several channels share are read once.
pub(super) struct Reader<'a> {
    document: &'a Document<'a>,
    buffers: Buffers<'a>,
    times: HashMap<usize, Result<Arc<[f64]>, Unread>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(document: &'a Document<'a>, buffers: Buffers<'a>) -> Self {
        Self { document, buffers, times: HashMap::new() }
    }

    fn track(
        &mut self,
        animation: &document::Animation,
        channel: &document::Channel,
    ) -> Result<Track, Unread> {
        let target = &channel.target;
        if target.pointer().is_some() {
            return Err(Unread::Pointer);
        }
        let (nodes, node) = (&self.document.nodes, target.node.unwrap_or(usize::MAX));
        let unknown = Unread::Index { kind: "node", index: node, len: nodes.len() };
        if nodes.get(node).ok_or(unknown)?.matrix.is_some() {
            return Err(Unread::Matrix(node));
        }
        let sampler = channel.sampler.ok_or(Unread::Missing("sampler"))?;
        let (samplers, index) = (&animation.samplers, sampler);
        let unknown = Unread::Index { kind: "sampler", index, len: samplers.len() };
        let sampler = samplers.get(index).ok_or(unknown)?;
        let interpolation = match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => Interpolation::Linear,
            Some("STEP") => Interpolation::Step,
            Some("CUBICSPLINE") => Interpolation::CubicSpline,
            Some(other) => return Err(Unread::Interpolation(printable(other))),
        };
        let times = self.times(sampler.input.ok_or(Unread::Missing("input"))?)?;
        let output = sampler.output.ok_or(Unread::Missing("output"))?;
        Ok(match target.path.as_deref() {
            Some("translation") => Track::Translation(self.curve(times, output, interpolation)?),
            Some("scale") => Track::Scale(self.curve(times, output, interpolation)?),
            Some("rotation") => Track::Rotation(self.rotations(times, output, interpolation)?),
            Some(path) => return Err(Unread::Path(printable(path))),
            None => return Err(Unread::Missing("path")),
        })
    }

    fn times(&mut self, accessor: usize) -> Result<Arc<[f64]>, Unread> {
        let (document, buffers) = (self.document, &mut self.buffers);
        let read =
            || Ok(elements::<1>(document, buffers, accessor)?.into_iter().flatten().collect());
        self.times.entry(accessor).or_insert_with(read).clone()
    }

    fn curve<const N: usize>(
        &mut self,
        times: Arc<[f64]>,
        output: usize,
        interpolation: Interpolation,
    ) -> Result<Curve<N>, Unread> {
        let values = elements(self.document, &mut self.buffers, output)?;
        Ok(Curve::new(times, values, interpolation)?)
    }

    /// Reads a curve of quaternions, none of which may be zero.
    fn rotations(
        &mut self,
        times: Arc<[f64]>,
        output: usize,
        interpolation: Interpolation,
    ) -> Result<Curve<4>, Unread> {
        let keyframes = times.len();
        let curve = self.curve(times, output, interpolation)?;
        match (0..keyframes).find(|&keyframe| *curve.value(keyframe) == [0.0; 4]) {
            Some(keyframe) => Err(Unread::NoRotation(keyframe)),
            None => Ok(curve),
        }
    }
}
