//! The update flag of Arche's Collider. The collider holds a watcher on its node. It writes its pose to the physics
//! engine only in frames in which the node has moved, and its shapes only if the scale has changed.

use nalgebra::{Isometry3, Vector3};
use xform_matrix::{
    AccumulatedMatrix, Hierarchy, HierarchyError, NodeId, Trs,
    changes::{Change, Watcher},
    spaces::WorldScale,
};

type Scene = Hierarchy<AccumulatedMatrix<f32>>;

/// The state that a physics engine would hold, and how often it was written.
#[derive(Default)]
struct Actor {
    pose: Isometry3<f32>,
    shape_scale: Vector3<f32>,
    lost: f32,
    writes: [u32; 2],
}

struct Collider {
    node: NodeId,
    moved: Watcher,
    actor: Actor,
}

impl Collider {
    fn new(scene: &mut Scene, node: NodeId) -> Result<Self, HierarchyError> {
        Ok(Self { node, moved: scene.watch(node)?, actor: Actor::default() })
    }

    /// Collider::_onUpdate. Returns false once the node has been removed.
    fn on_update(&mut self, scene: &Scene) -> Result<bool, HierarchyError> {
        let Some(change) = self.moved.take() else { return Ok(false) };
        if change.is_empty() {
            return Ok(true);
        }
        // The lossy world scale, as in Unity. A node that is drawn skewed collides without its skew; `lost` is the
        // amount.
        let pose = scene.collider_pose(self.node, WorldScale::Projected)?;
        if change.intersects(Change::POSITION | Change::ROTATION) {
            self.actor.pose = Isometry3::from_parts(pose.position.into(), pose.rotation);
            self.actor.writes[0] += 1;
        }
        if change.intersects(Change::SCALE) {
            self.actor.shape_scale = pose.scale;
            self.actor.lost = pose.lost;
            self.actor.writes[1] += 1;
        }
        Ok(true)
    }
}

fn main() -> Result<(), HierarchyError> {
    let mut scene = Scene::new();
    let crane = scene.insert(None, Trs::from_scale(Vector3::repeat(2.0)))?;
    let hook = scene.insert(crane, Trs::from_translation(Vector3::new(0.0, -1.0, 0.0)))?;
    let mut collider = Collider::new(&mut scene, hook)?;
    for frame in 0..10_u8 {
        if frame == 4 {
            scene.set_translation(crane, Vector3::new(5.0, 0.0, 0.0))?;
        }
        scene.propagate();
        assert!(collider.on_update(&scene)?);
    }
    // Written in the first frame, when everything is new, and in the fifth. Moving the crane does not change any scale.
    assert_eq!(collider.actor.writes, [2, 1]);
    assert_eq!(collider.actor.pose.translation.vector, Vector3::new(5.0, -2.0, 0.0));
    assert_eq!(collider.actor.shape_scale, Vector3::repeat(2.0));
    assert_eq!(collider.actor.lost, 0.0);

    scene.remove(crane)?;
    assert!(!collider.on_update(&scene)?);
    Ok(())
}

#[test]
fn runs() -> Result<(), HierarchyError> {
    main()
}
