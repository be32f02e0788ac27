//! Reads and writes poses and hierarchies; docs/hierarchy-format.md describes the format.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

use crate::{Hierarchy, Inherit, Real, Transform, Trs};

/// The form in which a pose is written.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename = "Trs")]
struct Pose<T> {
    translation: [T; 3],
    /// x, y, z, w
    rotation: [T; 4],
    scale: [T; 3],
}

impl<T: Real> From<&Trs<T>> for Pose<T> {
    fn from(pose: &Trs<T>) -> Self {
        Self {
            translation: pose.translation.into(),
            rotation: pose.rotation.coords.into(),
            scale: pose.scale.into(),
        }
    }
}

impl<T: Real> From<&Pose<T>> for Trs<T> {
    fn from(pose: &Pose<T>) -> Self {
        let rotation = UnitQuaternion::new_unchecked(Quaternion::from(pose.rotation));
        Self::from_parts(Vector3::from(pose.translation), rotation, Vector3::from(pose.scale))
    }
}

/// A pose is [normalized](Trs::normalized) before it is written and after it is read. If that fails, so does the
/// operation.
impl<T: Real + Serialize> Serialize for Trs<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let pose = self.normalized().map_err(ser::Error::custom)?;
        Pose::from(&pose).serialize(serializer)
    }
}

impl<'de, T: Real + Deserialize<'de>> Deserialize<'de> for Trs<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from(&Pose::deserialize(deserializer)?).normalized().map_err(de::Error::custom)
    }
}

/// The form in which a hierarchy is written.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename = "Hierarchy")]
struct Nodes<T> {
    nodes: Vec<Node<T>>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Node<T> {
    /// The parent's position in the list of nodes; `None` for a root.
    parent: Option<usize>,
    local: Pose<T>,
    /// Always written, because formats that do not name their members could not be read otherwise.
    #[serde(default)]
    inherit: Inherit,
}

/// Writes the nodes in the order of [`iter`](Hierarchy::iter), with their parents, their local poses and the parts
/// that they inherit. Ids are not written: a hierarchy that is read back has new ids, in the same order.
impl<X: Transform<Scalar: Serialize>> Serialize for Hierarchy<X> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut positions = std::collections::HashMap::with_capacity(self.len());
        let nodes = self.iter().enumerate().map(|(position, node)| {
            positions.insert(node, position);
            let parent = self.parent(node)?.map(|parent| positions[&parent]);
            Ok(Node { parent, local: self.local(node)?.into(), inherit: self.inherit(node)? })
        });
        let nodes = nodes.collect::<Result<_, crate::HierarchyError>>();
        Nodes { nodes: nodes.map_err(ser::Error::custom)? }.serialize(serializer)
    }
}

impl<'de, X: Transform<Scalar: Deserialize<'de>>> Deserialize<'de> for Hierarchy<X> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Nodes { nodes } = Nodes::<X::Scalar>::deserialize(deserializer)?;
        let parents: Vec<_> = nodes.iter().map(|node| node.parent).collect();
        let locals: Vec<_> = nodes.iter().map(|node| Trs::from(&node.local)).collect();
        let mut hierarchy = Self::new();
        let inherits: Vec<_> = nodes.iter().map(|node| node.inherit).collect();
        hierarchy
            .insert_forest_inheriting(None, &parents, &locals, &inherits)
            .map_err(de::Error::custom)?;
        Ok(hierarchy)
    }
}
