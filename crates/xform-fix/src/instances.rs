//! Attributes the figures of instances (`EXT_mesh_gpu_instancing`) to their nodes. Instances are nodes of the scene but
//! not of the file.

use xform_compare::{
    Grade, NodeAudit, SceneAudit,
    audit::{EngineChoice, NodeMotion},
    compare_engines,
};
use xform_scene::Scene;

use crate::{error::FixError, non_uniform::drawn_apart};

/// A scene with the nodes of its file, and its audit.
pub(crate) struct Audited {
    /// The scene without instances.
    pub(crate) scene: Scene,
    /// The audit, with the figures of instances attributed to the nodes that they belong to.
    pub(crate) audit: SceneAudit,
    /// The grade of the drawn nodes and the number of those that differ, including instances.
    pub(crate) apart: (Grade, usize),
}

impl Audited {
    pub(crate) fn new(mut scene: Scene, engines: &EngineChoice) -> Result<Self, FixError> {
        let mut audit = compare_engines(&scene, engines)?;
        let apart = (audit.summary.grade, drawn_apart(&audit).len());
        let in_file = scene.nodes.iter().take_while(|node| node.instance_of.is_none()).count();
        scene.nodes.truncate(in_file);
        let instances = audit.nodes.split_off(in_file);
        for instance in &instances {
            let of_owner = &mut audit.nodes[owner(instance)];
            of_owner.counts |= instance.counts;
            if (instance.grade(), instance.displacement) > (of_owner.grade(), of_owner.displacement)
            {
                of_owner.skew_degrees = instance.skew_degrees;
                of_owner.linear_difference = instance.linear_difference;
                of_owner.displacement = instance.displacement;
                of_owner.displacement_percent = instance.displacement_percent;
                of_owner.displacement_percent_of_itself = instance.displacement_percent_of_itself;
            }
        }
        for animation in &mut audit.animations {
            let first = animation.nodes.partition_point(|node| node.index < in_file);
            for mut moved in animation.nodes.split_off(first) {
                let owner = owner(&instances[moved.index - in_file]);
                // An animation that moves an instance also moves the node that the instance belongs to.
                let found = animation.nodes.binary_search_by_key(&owner, |node| node.index);
                let Some(known) = found.ok().map(|place| &mut animation.nodes[place]) else {
                    continue;
                };
                let displacement = |node: &NodeMotion| node.displacement.map(|peak| peak.max);
                if (moved.grade(), displacement(&moved)) > (known.grade(), displacement(known)) {
                    moved.index = owner;
                    *known = moved;
                }
            }
        }
        Ok(Self { scene, audit, apart })
    }
}

fn owner(instance: &NodeAudit) -> usize {
    instance.instance_of.expect("instances stand behind the nodes of the file")
}
