use std::{
    collections::{HashMap, HashSet},
    mem,
    sync::Arc,
};

use super::{
    accessor::elements,
    buffers::Buffers,
    document::{self, Document, Sampler, Target},
    pose::odd_length,
    unread::Unread,
};
use crate::{
    Animation, Scene, Warning, WarningCode,
    animation::{Channel, Curve, Interpolation, NotSampled, Track},
    text::{printable, significant},
};

/// Lists the animations that move nodes, without their channels, which [`read`] adds.
pub(super) fn of_nodes(document: &Document<'_>) -> Vec<Animation> {
    let moves = |animation: &document::Animation| {
        animation.channels.iter().any(|channel| moved(&channel.target).is_some())
    };
    let animations = document.animations.iter().enumerate();
    let of_nodes = animations.filter(|(_, animation)| moves(animation));
    let named = of_nodes.map(|(index, animation)| Animation {
        index,
        name: animation.name.clone(),
        ..Animation::default()
    });
    named.collect()
}

/// The node whose pose a channel sets. `None` for morph weights and for targets that are not nodes.
pub(super) fn moved(target: &Target) -> Option<usize> {
    let (node, path) = target.property();
    let is_pose = match (target.pointer(), path) {
        // Known properties of a node other than its pose move nothing. Unknown ones may.
        (Some(_), path) => !path.is_some_and(|path| {
            ["weights", "name", "extras", "camera"].contains(&path)
                || ["weights/", "extensions/"].iter().any(|list| path.starts_with(list))
        }),
        (None, path) => path != Some("weights"),
    };
    node.filter(|_| is_pose)
}

/// Reads the channels of a scene's animations that move nodes. A channel that cannot be read is kept in
/// [`Animation::not_sampled`] with the reason.
///
/// If several channels of an animation set the same property, it becomes two animations: one with the last of these
/// channels, and one with the first.
pub(super) fn read(scene: &mut Scene, document: &Document<'_>, buffers: &mut Buffers<'_>) {
    let (times, warnings, warned) = (HashMap::new(), Vec::new(), HashSet::new());
    let mut reader = Reader { document, buffers, times, warnings, warned };
    let mut animations = Vec::with_capacity(scene.animations.len());
    for animation in mem::take(&mut scene.animations) {
        let channels = &document.animations[animation.index].channels;
        let places = || channels.iter().enumerate().map(|(place, one)| (target_of(one), place));
        let last: HashMap<_, _> = places().collect();
        if last.len() == channels.len() {
            animations.push(reader.animation(animation, |_| true));
            continue;
        }
        let first: HashMap<_, _> = places().rev().collect();
        let is_twice = |(target, place): &(TargetOf<'_>, usize)| {
            last[target] != *place
                && first[target] == *place
                && moved(&channels[*place].target).is_some()
        };
        let twice: Vec<_> = places().filter(is_twice).collect();
        let of_first = Animation { takes_first_channels: true, ..animation.clone() };
        let target = |place: usize| target_of(&channels[place]);
        let of_first = reader.animation(of_first, |place| first[&target(place)] == place);
        let of_last = reader.animation(animation, |place| last[&target(place)] == place);
        let mut is_all_alike = true;
        let tracks = [tracks(&of_first), tracks(&of_last)];
        for (target, first) in twice {
            let path = target.1.unwrap_or_default();
            let node = moved(&channels[first].target).unwrap_or_default();
            let [a, b] = tracks.each_ref().map(|tracks| tracks.get(&(node, path)));
            let is_alike = a.is_some() && a == b;
            is_all_alike &= is_alike;
            let places = [first, last[&target]];
            reader.warnings.push(twice_set(of_last.index, places, (node, path), is_alike));
        }
        animations.push(of_last);
        animations.extend(Some(of_first).filter(|_| !is_all_alike));
    }
    scene.animations = animations;
    scene.warnings.append(&mut reader.warnings);
}

/// The target of a channel, to find channels that move the same property.
type TargetOf<'a> = (Option<usize>, Option<&'a str>, Option<&'a str>);

fn target_of(channel: &document::Channel) -> TargetOf<'_> {
    // A node's property is the same, whether a path or a pointer names it.
    match channel.target.property() {
        (None, path) => (None, path, channel.target.pointer()),
        (node, path) => (node, path, None),
    }
}

/// The tracks of an animation, by node and path.
fn tracks(animation: &Animation) -> HashMap<(usize, &str), &Track> {
    let tracks = animation.channels.iter().map(|Channel { node, track }| {
        let path = match track {
            Track::Translation(_) => "translation",
            Track::Rotation(_) => "rotation",
            Track::Scale(_) => "scale",
        };
        ((*node, path), track)
    });
    tracks.collect()
}

fn twice_set(
    animation: usize,
    [first, last]: [usize; 2],
    (node, path): (usize, &str),
    is_alike: bool,
) -> Warning {
    let what = if path.is_empty() { "pose".to_owned() } else { printable(path) };
    let so = if is_alike {
        " to the same values"
    } else {
        ", and some engines use the first, others the last; both were sampled, as two animations"
    };
    let message = format!("channels {first} and {last} set the {what} of node {node}{so}");
    let pointer = format!("/animations/{animation}/channels/{last}");
    Warning::new(WarningCode::DuplicateChannel, pointer, message)
}

/// Reads the curves of a document. Times that several channels share are read once.
struct Reader<'a, 'b> {
    document: &'a Document<'a>,
    buffers: &'a mut Buffers<'b>,
    times: HashMap<usize, Result<Arc<[f64]>, Unread>>,
    warnings: Vec<Warning>,
    /// The pointers of the channels with a warning about their lengths.
    warned: HashSet<String>,
}

impl Reader<'_, '_> {
    /// Adds to an animation those of its channels that move nodes and for which `counts` holds.
    fn animation(&mut self, mut animation: Animation, counts: impl Fn(usize) -> bool) -> Animation {
        let index = animation.index;
        let found = &self.document.animations[index];
        for (position, channel) in found.channels.iter().enumerate() {
            let Some(node) = moved(&channel.target).filter(|_| counts(position)) else { continue };
            let pointer = || format!("/animations/{index}/channels/{position}");
            match self.track(found, channel) {
                Ok(track) => {
                    self.warn_of_lengths(&track, node, pointer);
                    animation.channels.push(Channel { node, track });
                }
                Err(error) => {
                    let node = Some(node).filter(|&node| node < self.document.nodes.len());
                    let not_sampled = NotSampled::new(pointer(), error.code(), error.to_string());
                    animation.not_sampled.push(NotSampled { node, ..not_sampled });
                }
            }
        }
        animation
    }

    /// Warns of the first keyframe of a rotation that is not a unit quaternion.
    fn warn_of_lengths(&mut self, track: &Track, node: usize, pointer: impl Fn() -> String) {
        let Track::Rotation(curve) = track else { return };
        let mut keyframes = 0..curve.times().len();
        let odd =
            keyframes.find_map(|keyframe| Some((keyframe, odd_length(curve.value(keyframe))?)));
        let Some((keyframe, length)) = odd else { return };
        let pointer = pointer();
        // A channel that is read twice gets one warning.
        if self.warned.insert(pointer.clone()) {
            let length = significant(length, 4);
            let message = format!(
                "the rotation at keyframe {keyframe} has length {length}; it was normalised"
            );
            let warning = Warning::new(WarningCode::UnitQuaternion, pointer, message);
            self.warnings.push(warning.with_node(Some(node)));
        }
    }

    fn track(
        &mut self,
        animation: &document::Animation,
        channel: &document::Channel,
    ) -> Result<Track, Unread> {
        let (node, path) = channel.target.property();
        let (nodes, node) = (&self.document.nodes, node.unwrap_or(usize::MAX));
        let unknown = match (channel.target.pointer(), path) {
            (None, Some("pointer")) => Unread::Missing("pointer"),
            (Some(pointer), _) => Unread::Pointer(printable(pointer)),
            (None, _) => Unread::Index { kind: "node", index: node, len: nodes.len() },
        };
        if nodes.get(node).ok_or(unknown)?.matrix.is_some() || path == Some("matrix") {
            return Err(Unread::Matrix(node));
        }
        let sampler = channel.sampler.ok_or(Unread::Missing("sampler"))?;
        let (samplers, index) = (&animation.samplers, sampler);
        let unknown = Unread::Index { kind: "sampler", index, len: samplers.len() };
        let sampler = samplers.get(index).ok_or(unknown)?;
        let interpolation = interpolation(sampler)?;
        let times = self.times(sampler.input.ok_or(Unread::Missing("input"))?)?;
        let output = sampler.output.ok_or(Unread::Missing("output"))?;
        Ok(match path {
            Some("translation") => Track::Translation(self.curve(times, output, interpolation)?),
            Some("scale") => Track::Scale(self.curve(times, output, interpolation)?),
            Some("rotation") => Track::Rotation(self.rotations(times, output, interpolation)?),
            Some(path) => return Err(Unread::Path(printable(path))),
            None => return Err(Unread::Missing("path")),
        })
    }

    fn times(&mut self, accessor: usize) -> Result<Arc<[f64]>, Unread> {
        if let Some(times) = self.times.get(&accessor) {
            return times.clone();
        }
        let read = elements::<1>(self.document, self.buffers, accessor);
        let times = read.map(|read| read.into_iter().flatten().collect::<Arc<[f64]>>());
        if let Ok(times) = &times {
            self.warnings.extend(odd_times(times, accessor));
        }
        self.times.insert(accessor, times.clone());
        times
    }

    fn curve<const N: usize>(
        &mut self,
        times: Arc<[f64]>,
        output: usize,
        interpolation: Interpolation,
    ) -> Result<Curve<N>, Unread> {
        let values = elements(self.document, self.buffers, output)?;
        Ok(Curve::new(times, values, interpolation)?)
    }

    /// Reads a curve of quaternions, none of which may be zero at a keyframe.
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

/// Returns the interpolation of a sampler.
pub(super) fn interpolation(sampler: &Sampler) -> Result<Interpolation, Unread> {
    match sampler.interpolation.as_deref() {
        None | Some("LINEAR") => Ok(Interpolation::Linear),
        Some("STEP") => Ok(Interpolation::Step),
        Some("CUBICSPLINE") => Ok(Interpolation::CubicSpline),
        Some(other) => Err(Unread::Interpolation(printable(other))),
    }
}

/// Warns of the first keyframe before time zero, or at the same time as the previous one.
fn odd_times(times: &[f64], accessor: usize) -> Option<Warning> {
    let message = if let Some(keyframe) = times.iter().position(|&time| time < 0.0) {
        let time = significant(times[keyframe], 4);
        format!(
            "keyframe {keyframe} is at a negative time, {time} s, which engines treat differently"
        )
    } else {
        let keyframe = times.windows(2).position(|pair| pair[0] == pair[1])?;
        let (time, next) = (significant(times[keyframe], 4), keyframe + 1);
        format!(
            "keyframes {keyframe} and {next} are both at {time} s; the value is assumed to jump there"
        )
    };
    Some(Warning::new(WarningCode::KeyframeTimes, format!("/accessors/{accessor}"), message))
}
