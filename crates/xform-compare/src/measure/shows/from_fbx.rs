//! How engines show an FBX file. Not all importers inherit a parent's scale as the file says.

use nalgebra::{Matrix4, Vector3};
use xform_core::Trs;
use xform_engines::{
    CannotSay, Reason, SourceNode, World,
    fbx::{FbxImport, InheritType},
};
use xform_matrix::AccumulatedMatrix;
use xform_scene::{Scene, fbx::FbxHierarchy};

/// Returns the world transform of each node of the scene by an importer's rule, from the poses of the scene's
/// nodes and the inherit types of the file's nodes.
pub(super) fn worlds(
    scene: &Scene,
    file: &FbxHierarchy,
    import: FbxImport,
    kind: impl Fn(usize) -> InheritType,
    pose: impl Fn(usize) -> Trs<f64>,
) -> Vec<Result<World, CannotSay>> {
    // A node that is not in the file stands for its axes and unit.
    let root = file.nodes.iter().position(|node| node.parent.is_none());
    let root = root.and_then(|root| scene.nodes[root].parent);
    let root =
        root.map_or_else(Matrix4::identity, |root| *scene.nodes[root].local.to_affine().matrix());
    let world =
        |matrix: Matrix4<f64>| AccumulatedMatrix::from_matrix(root * matrix).map(World::Matrix);
    let mut found = vec![
        world(Matrix4::identity())
            .ok_or(CannotSay { node: 0, reason: Reason::Overflow });
        scene.nodes.len()
    ];
    let nodes = file.nodes.iter().zip(locals(file, pose));
    let nodes: Vec<_> = nodes
        .map(|(node, local)| SourceNode { parent: node.parent, local: local.into() })
        .collect();
    let worlds = import.worlds(&nodes, kind).expect("the audited scene has the same hierarchy");
    for ((place, node), of_node) in file.nodes.iter().enumerate().zip(worlds) {
        let of_node = match of_node {
            Ok(matrix) => {
                world(matrix).ok_or(CannotSay { node: node.scaled, reason: Reason::Overflow })
            }
            Err(CannotSay { node, reason }) => {
                Err(CannotSay { node: file.nodes[node].scaled, reason })
            }
        };
        found[place] = of_node;
        found[node.scaled] = of_node;
    }
    found
}

/// Returns the local poses of a file's nodes, from those of the scene. Components that a scale of zero hides
/// are taken from the pose at rest.
fn locals(file: &FbxHierarchy, pose: impl Fn(usize) -> Trs<f64>) -> Vec<Trs<f64>> {
    // A node with a scale that its children leave out is two nodes in the scene, which multiplies matrices. The
    // poses from which importers start are recovered from those two by division, which a scale of zero prevents.
    let ones = Vector3::repeat(1.0);
    let scale = |node: usize| pose(file.nodes[node].scaled).scale;
    // The node whose scale each one takes over.
    let mut from: Vec<Option<usize>> = Vec::with_capacity(file.nodes.len());
    for node in &file.nodes {
        from.push(match (node.inherit, node.parent) {
            (InheritType::ComponentWise, parent) => parent,
            (InheritType::WithoutParent, Some(parent)) => from.get(parent).copied().flatten(),
            _ => None,
        });
    }
    let local = |(place, from): (usize, Option<usize>)| {
        let node = &file.nodes[place];
        let frame = pose(place);
        let above = match (node.inherit, node.parent) {
            (InheritType::Matrix, _) | (_, None) => ones,
            (_, Some(parent)) => scale(parent),
        };
        let divided = |product: Vector3<f64>, by: Vector3<f64>, rest: Vector3<f64>| {
            product.zip_zip_map(
                &by,
                &rest,
                |product, by, rest| {
                    if by == 0.0 { rest } else { product / by }
                },
            )
        };
        let translation = divided(frame.translation, above, node.local.translation);
        let own = divided(scale(place), from.map_or(ones, scale), node.local.scale);
        Trs::from_parts(translation, frame.rotation, own)
    };
    from.into_iter().enumerate().map(local).collect()
}
