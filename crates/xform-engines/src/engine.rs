use xform_core::TopologyError;

use crate::{
    Accumulation, AxesConvention, CannotSay, Claim, Getters, Import, KeepWorld, Known, LocalPose,
    QuaternionRule, Reason, SkinRule, SourceNode, Switch, World, fbx::FbxImport, fold::fold,
};

/// An engine, importer or tool: its rules for a hierarchy of transforms, and how each rule is known.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Engine {
    /// The name for programs: lower-case letters and digits with hyphens.
    pub id: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// A one-sentence summary of its rules.
    pub sentence: &'static str,
    /// How it computes world transforms from local poses.
    pub accumulation: Claim<Accumulation>,
    /// How it imports a sheared `matrix` of a glTF node.
    pub import: Claim<Import>,
    /// How it treats a sheared matrix that a program sets on a node through the API. This is known in the same way as
    /// `accumulation`, and is [`Import::NotSeen`] if the engine has no such call.
    pub given: Import,
    /// How it imports a rotation in a glTF file that is not a unit quaternion.
    pub quaternion: Claim<QuaternionRule>,
    /// How much of a node's world transform it keeps when the node gets another parent.
    pub keep_world: Claim<KeepWorld>,
    /// The values that its getters return for a skewed world transform.
    pub getters: Claim<Getters>,
    /// How its FBX importer treats nodes that do not inherit their parent's scale by matrix multiplication.
    pub fbx: Claim<FbxImport>,
    /// How it moves the vertices of skinned meshes. The rule of glTF, unless somebody checked.
    pub skin: Claim<SkinRule>,
    /// Settings that change how nodes inherit, and calls that multiply transforms differently.
    pub switches: &'static [Switch],
    /// The condition under which these rules describe a glTF file in this engine. `Some` if they are not those of the
    /// engine's own importer.
    pub caveat: Option<&'static str>,
    /// How its animations are known to depart from glTF.
    pub animation: Option<&'static str>,
    /// Its axes and unit, relative to glTF's.
    pub axes: AxesConvention,
}

impl Engine {
    /// Returns how this engine's result for a scene is known.
    ///
    /// If the scene has sheared matrices and the accumulation was run, that is how the import rule is known.
    /// Otherwise it is how the accumulation is known.
    #[must_use]
    pub fn known(&self, has_sheared_matrices: bool) -> &Known {
        let (worlds, import) = (&self.accumulation.known, &self.import.known);
        let is_run = |known: &Known| matches!(known, Known::Run { .. });
        if has_sheared_matrices && is_run(worlds) { import } else { worlds }
    }

    /// Returns this engine's pose for a node of a glTF file. A sheared matrix is imported by the engine's rule.
    ///
    /// # Errors
    ///
    /// If it is not known how the engine imports this matrix.
    pub fn imported(&self, local: &LocalPose) -> Result<LocalPose, Reason> {
        match local {
            LocalPose::Trs(_) => Ok(*local),
            LocalPose::Matrix(matrix) => self.import.rule.imported(self.accumulation.rule, matrix),
        }
    }

    /// Returns the world transforms in this engine of a glTF file with these nodes, in glTF's axes and unit.
    ///
    /// If the world transform of a node is not known, it and all its descendants have the reason instead.
    ///
    /// # Errors
    ///
    /// [`TopologyError`] if the parents do not form a forest.
    ///
    /// # Examples
    ///
    /// ```
    /// use xform_core::Trs;
    /// use xform_engines::{Engine, SourceNode};
    ///
    /// let scale = Trs::from_scale([2.0, 1.0, 1.0].into());
    /// let nodes = [SourceNode { parent: None, local: scale.into() }];
    /// let worlds = Engine::named("unreal").expect("known").worlds(&nodes)?;
    /// assert_eq!(worlds[0].expect("a pose").to_homogeneous()[(0, 0)], 2.0);
    /// # Ok::<(), xform_core::TopologyError>(())
    /// ```
    pub fn worlds(
        &self,
        nodes: &[SourceNode],
    ) -> Result<Vec<Result<World, CannotSay>>, TopologyError> {
        fold(nodes, |node, parent: Option<&World>| {
            let local = self.imported(&nodes[node].local)?;
            match parent {
                Some(parent) => self.accumulation.rule.concat(parent, &local),
                None => self.accumulation.rule.root(&local),
            }
        })
    }
}
