//! The steps by which advice is carried out in programs.

use xform_compare::{
    SceneAudit,
    judge::{MotionAdvice, Repair, ScaleChange, inherit_types, repair_command, uniform_command},
};
use xform_scene::{fbx::InheritType, text::significant};

use super::{title, words::name};

/// Returns the steps of a repair in programs, or an empty text if it is not done by hand.
pub(super) fn how(scene: &SceneAudit, repair: &Repair) -> String {
    match *repair {
        Repair::MakeUniform { scaler, scale, half_turn } => {
            let (name, scale) = (name(scene, scaler), significant(scale, 4));
            let turn = half_turn.map_or_else(String::new, |axis| {
                let axis = ["X", "Y", "Z"][axis];
                format!(
                    " Then turn it by 180° about its own {axis} axis: in Blender R, {axis}, {axis}, 180; in Maya Rotate {axis} by \
                     180 in object space."
                )
            });
            format!(
                "Blender: select {name}, press N, and type {scale} into Scale X, Y and Z. Maya: type {scale} into Scale X, Y \
                 and Z of its Channel Box. Unity, Godot and Unreal: the same three fields of its transform.{turn}"
            )
        }
        Repair::Bake { .. } => {
            let command = repair_command(scene, title(&scene.source), repair);
            let command = command.map_or_else(String::new, |command| {
                format!(
                    "In a terminal: `{command}`. It proves on every vertex that nothing moves in engines that multiply matrices. "
                )
            });
            format!(
                "{command}There is no exact way by hand. Blender's Apply Scale is not the same: below a rotated parent it moves \
                 vertices."
            )
        }
        Repair::InheritAll => how_to_inherit(scene),
        Repair::Nothing
        | Repair::MoveToLeaf { .. }
        | Repair::MakeUnit { .. }
        | Repair::HelperNode => String::new(),
    }
}

/// Returns where inherit types are changed, in the programs that have a name for them. Blender has none: its importer
/// ignores the types.
fn how_to_inherit(scene: &SceneAudit) -> String {
    let is_of = |kind| {
        inherit_types(scene).iter().any(|&node| scene.nodes[node].inherit_type == Some(kind))
    };
    let maya = if is_of(InheritType::WithoutParent) {
        "Maya: select the joints and turn off Segment Scale Compensate in the Attribute Editor, under Joint. "
    } else {
        ""
    };
    format!(
        "{maya}MotionBuilder: set Scaling Inheritance of these models to Parent (RSrs). Then export again and check the result: the \
         shape may change in that program too."
    )
}

/// Blender's default frame rate.
const FRAMES_A_SECOND: f64 = 24.0;

/// Returns the steps to change an animation in programs.
pub(super) fn how_in_motion(scene: &SceneAudit, advice: &MotionAdvice) -> String {
    let change = |ScaleChange { node, key, uniform, .. }: &ScaleChange| {
        let (name, uniform) = (name(scene, *node), significant(*uniform, 4));
        match key {
            Some((_, seconds)) => {
                let frame = seconds * FRAMES_A_SECOND;
                // A key on the whole frame beside it would leave this key as it is.
                let is_whole = (frame - frame.round()).abs() < 1e-3;
                let subframes = if is_whole { "" } else { ", with Subframes on under Playback" };
                let (seconds, frame) = (significant(*seconds, 4), significant(frame, 4));
                format!(
                    "Blender: select {name}, go to {seconds} s, frame {frame} at {FRAMES_A_SECOND} a second{subframes}; type {uniform} \
                     into Scale X, Y and Z (N), and press I. Maya: the same three fields of the Channel Box, and S."
                )
            }
            None => format!(
                "Blender: select {name}, press N, and type {uniform} into Scale X, Y and Z. Maya: the same in the Channel Box."
            ),
        }
    };
    if advice.changes.is_empty() {
        return how(scene, &Repair::InheritAll);
    }
    let by_hand: Vec<_> = advice.changes.iter().map(change).collect();
    let mut nodes: Vec<_> = advice.changes.iter().map(|change| change.node).collect();
    nodes.dedup();
    let name = title(&scene.source);
    let own = uniform_command(scene, name, &nodes)
        .map(|command| format!(" `{command}` makes only the keyframes of this node uniform."));
    let all = uniform_command(scene, name, &scene.repairs.uniform).map(|command| {
        format!(
            " In a terminal: `{command}` makes every scale that matters uniform, at every keyframe, and reports how much that \
             changes the shape."
        )
    });
    let own = own.filter(|_| nodes.len() == 1);
    let all = all.filter(|_| own.is_none() || scene.repairs.uniform.len() > 1);
    let command = format!("{}{}", all.unwrap_or_default(), own.unwrap_or_default());
    format!("{} Then export again.{command}", by_hand.join(" "))
}
