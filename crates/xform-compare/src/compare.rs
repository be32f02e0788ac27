use nalgebra::{Matrix4, Point3};
use thiserror::Error;
use xform_core::{HierarchyError, Transform};
use xform_matrix::{AccumulatedMatrix, Method};

use crate::{
    ErrorCode, LocalAudit, MatrixAudit, NodeAudit, Scene, SceneAudit, Summary, TrsAudit,
    cause::Ablation,
    metrics::{
        displacement, length, linear_difference, orthogonality, skew_pairs_degrees,
        worst_skew_degrees,
    },
    motion,
    noticed::{noticed, noticed_in_motion},
    path::path,
    ranking::ranked,
    worlds::Worlds,
};

/// Why a scene could not be compared.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CompareError {
    /// The nodes are no forest, or a pose is unusable.
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    /// A figure of a node is out of the range of `f64`.
    #[error("node {node} (\"{path}\"): values overflow")]
    Overflow {
        /// The node, the first on its path.
        node: usize,
        /// The names from the root down to it.
        path: String,
    },
    /// The box around the scene is out of the range of `f64`.
    #[error("the scene is too large to be measured")]
    SceneTooLarge,
    /// An animation of a node that does not exist, or that has a matrix, which nothing may move.
    #[error("animation {animation} moves node {node}, which does not exist or has a matrix")]
    NotAnimatable {
        /// The number of the animation.
        animation: usize,
        /// The node.
        node: usize,
    },
}

impl CompareError {
    /// Its kind; stable, for programs.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Overflow { .. } => ErrorCode::ValuesOverflow,
            Self::SceneTooLarge => ErrorCode::SceneTooLarge,
            Self::Hierarchy(_) | Self::NotAnimatable { .. } => ErrorCode::InvalidScene,
        }
    }

    /// Where it is in a glTF file, as a JSON pointer (RFC 6901); empty for the whole scene.
    #[must_use]
    pub fn pointer(&self) -> String {
        match self {
            Self::Overflow { node, .. } => format!("/nodes/{node}"),
            Self::NotAnimatable { animation, .. } => format!("/animations/{animation}"),
            Self::Hierarchy(_) | Self::SceneTooLarge => String::new(),
        }
    }

    pub(crate) fn overflow(scene: &Scene, node: usize) -> Self {
        Self::Overflow { node, path: path(scene, node) }
    }
}

/// How many of the worst nodes get the contribution of every candidate.
pub(crate) const IN_FULL: usize = 100;

/// Runs both strategies over a scene in `f64` and measures every node: as the scene stands, and while
/// its animations move it, at every keyframe and at times between.
///
/// Linear in the number of nodes and of keyframes: where many keyframes move many nodes, an animation is
/// sampled less often, with a warning.
///
/// # Errors
///
/// Parents that form no forest; poses that [`Trs::check`](xform_core::Trs::check) refuses; values
/// that overflow; an animation of a node that cannot be animated.
pub fn compare(scene: &Scene) -> Result<SceneAudit, CompareError> {
    let (mut audit, worlds) = still(scene, None)?;
    let diagonal = audit.summary.diagonal;
    audit.animations = motion::animations(scene, &worlds, diagonal)?;
    audit.summary.motion = motion::summary(&audit.nodes, &audit.animations, diagonal);
    audit.warnings.extend(noticed_in_motion(&audit.animations));
    motion::add_worst(&mut audit, scene)?;
    Ok(audit)
}

/// The same of a scene as it stands alone; percentages are of this diagonal, or of its own.
pub(crate) fn still(
    scene: &Scene,
    of_diagonal: Option<f64>,
) -> Result<(SceneAudit, Worlds), CompareError> {
    let worlds = Worlds::of(scene)?;
    let diagonal = match of_diagonal {
        Some(diagonal) => diagonal,
        None => diagonal(scene, &worlds.by_matrix)?,
    };
    let depths = depths(scene, &worlds);
    let nodes = depths.iter().enumerate().map(|(index, &depth)| {
        let node = node_audit(scene, &worlds, index, depth, diagonal);
        let is_finite = node.displacement.is_none_or(f64::is_finite);
        is_finite.then_some(node).ok_or_else(|| CompareError::overflow(scene, index))
    });
    let mut nodes = nodes.collect::<Result<Vec<_>, _>>()?;
    add_causes(&mut nodes, scene, &worlds);
    let audit = SceneAudit {
        source: scene.source.clone(),
        summary: summary(&nodes, diagonal),
        warnings: scene.warnings.iter().cloned().chain(noticed(scene, &nodes, diagonal)).collect(),
        nodes,
        animations: Vec::new(),
    };
    Ok((audit, worlds))
}

fn node_audit(
    scene: &Scene,
    worlds: &Worlds,
    index: usize,
    depth: usize,
    diagonal: f64,
) -> NodeAudit {
    let node = &scene.nodes[index];
    let local = &worlds.poses.locals[index];
    let (matrix, trs) = (&worlds.by_matrix[index], &worlds.by_trs[index]);
    let (linear, trs_linear) = (matrix.linear(), trs.to_trs().to_linear());
    let nearest = matrix.decompose(Method::NearestTrs).expect("worlds are checked to be finite");
    let displacement = displacement(matrix.matrix(), &trs.to_homogeneous(), &node.bounds);
    NodeAudit {
        index,
        name: node.name.clone(),
        parent: node.parent,
        depth,
        local: LocalAudit {
            translation: local.translation.into(),
            rotation: local.rotation.coords.into(),
            scale: local.scale.into(),
        },
        inherit: node.inherit,
        local_residual: worlds.poses.residual(index),
        matrix: MatrixAudit { world: columns(matrix.matrix()) },
        trs: TrsAudit {
            translation: trs.translation.into(),
            rotation: trs.rotation.coords.into(),
            scale: trs.scale.into(),
            world: columns(&trs.to_homogeneous()),
        },
        skew_degrees: worst_skew_degrees(&linear),
        skew_pairs_degrees: skew_pairs_degrees(&linear),
        orthogonality: orthogonality(&linear),
        linear_difference: linear_difference(&linear, &trs_linear),
        nearest_trs_distance: nearest.residual,
        displacement,
        displacement_percent: displacement.and_then(|moved| percent(moved, diagonal)),
        cause: None,
        bounds: node.bounds,
    }
}

/// Finds the cause of every node that is skewed or differs.
fn add_causes(nodes: &mut [NodeAudit], scene: &Scene, worlds: &Worlds) {
    let ranked: Vec<_> = ranked(nodes).into_iter().map(|node| node.index).collect();
    if ranked.is_empty() {
        return;
    }
    let ablation = Ablation::new(scene, worlds);
    for (rank, index) in ranked.into_iter().enumerate() {
        nodes[index].cause = ablation.cause(index, rank < IN_FULL);
    }
}

pub(crate) fn percent(moved: f64, diagonal: f64) -> Option<f64> {
    (diagonal > 0.0).then(|| moved / diagonal * 100.0).filter(|percent| percent.is_finite())
}

fn columns(matrix: &Matrix4<f64>) -> [f64; 16] {
    matrix.as_slice().try_into().expect("a 4×4 matrix has 16 components")
}

/// How many ancestors each node has.
fn depths(scene: &Scene, worlds: &Worlds) -> Vec<usize> {
    let mut depths = vec![0; scene.nodes.len()];
    for &node in &worlds.order {
        depths[node] = scene.nodes[node].parent.map_or(0, |parent| depths[parent] + 1);
    }
    depths
}

/// The diagonal of the box around all bounds by accumulated matrices, 0 where there are none.
fn diagonal(scene: &Scene, by_matrix: &[AccumulatedMatrix<f64>]) -> Result<f64, CompareError> {
    let mut around: Option<(Point3<f64>, Point3<f64>)> = None;
    for (index, (node, world)) in scene.nodes.iter().zip(by_matrix).enumerate() {
        for corner in node.bounds.corners().map(|corner| world.transform_point(&corner)) {
            if !corner.iter().all(|component| component.is_finite()) {
                return Err(CompareError::overflow(scene, index));
            }
            let (min, max) = around.unwrap_or((corner, corner));
            around = Some((min.inf(&corner), max.sup(&corner)));
        }
    }
    let diagonal = around.map_or(0.0, |(min, max)| length(&(max - min)));
    if diagonal.is_finite() { Ok(diagonal) } else { Err(CompareError::SceneTooLarge) }
}

fn summary(nodes: &[NodeAudit], diagonal: f64) -> Summary {
    let max =
        |figure: fn(&NodeAudit) -> Option<f64>| nodes.iter().filter_map(figure).fold(0.0, f64::max);
    let max_displacement = max(|node| node.displacement);
    Summary {
        nodes: nodes.len(),
        max_depth: nodes.iter().map(|node| node.depth).max().unwrap_or(0),
        skewed_nodes: nodes.iter().filter(|node| node.is_skewed()).count(),
        differing_nodes: nodes.iter().filter(|node| node.is_differing()).count(),
        diagonal,
        max_skew_degrees: max(|node| node.skew_degrees),
        max_displacement,
        max_displacement_percent: percent(max_displacement, diagonal),
        motion: None,
    }
}
