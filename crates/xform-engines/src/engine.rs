use xform_core::TopologyError;

use crate::{
    Accumulation, AxesConvention, CannotSay, Claim, Getters, Import, KeepWorld, Known, LocalPose,
    QuaternionRule, Reason, SkinRule, SourceNode, Switch, World, fbx::FbxImport, fold::fold,
};

/// What an engine, an importer or a tool does with a hierarchy, and how that is known.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Engine {
    /// What programs call it: lower-case letters and digits with hyphens.
    pub id: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub sentence: &'static str,
    /// How world transforms come from local poses.
    pub accumulation: Claim<Accumulation>,
    /// What becomes of a sheared `matrix` of a glTF node.
    pub import: Claim<Import>,
    /// What becomes of a sheared matrix that a program gives to a node by a call, which is known as the accumulation is; not seen
    /// where there is no such call.
    pub given: Import,
    /// What becomes of a rotation in a glTF file that is no unit quaternion.
    pub quaternion: Claim<QuaternionRule>,
    /// What is left of a world transform below another parent.
    pub keep_world: Claim<KeepWorld>,
    /// What the getters of the world transform answer under skew.
    pub getters: Claim<Getters>,
    /// What its FBX importer makes of nodes that do not take their parent's scale as matrices do.
    pub fbx: Claim<FbxImport>,
    /// How it moves the vertices of skinned meshes. Where nobody looked, it is as glTF defines it.
    pub skin: Claim<SkinRule>,
    /// What can be set so that nodes inherit otherwise, and calls that multiply otherwise.
    pub switches: &'static [Switch],
    /// Under which condition this is what people see of a glTF file, where it is not what the engine's own importer gives.
    pub caveat: Option<&'static str>,
    /// What its animations do otherwise than glTF says, where that is known.
    pub animation: Option<&'static str>,
    /// Its axes and unit beside those of glTF.
    pub axes: AxesConvention,
}

impl Engine {
    /// How it is known what it shows of a scene; of one with sheared matrices, by its importer too. Of two ways the weaker.
    #[must_use]
    pub fn known(&self, has_sheared_matrices: bool) -> &Known {
        let (worlds, import) = (&self.accumulation.known, &self.import.known);
        let is_run = |known: &Known| matches!(known, Known::Run { .. });
        if has_sheared_matrices && is_run(worlds) { import } else { worlds }
    }

    /// The pose that it has of a node in a glTF file: a sheared matrix is imported by its rule.
    ///
    /// # Errors
    ///
    /// A matrix that nothing can be said of.
    pub fn imported(&self, local: &LocalPose) -> Result<LocalPose, Reason> {
        match local {
            LocalPose::Trs(_) => Ok(*local),
            LocalPose::Matrix(matrix) => self.import.rule.imported(self.accumulation.rule, matrix),
        }
    }

    /// The world transforms that it shows of a glTF file with these nodes, in the axes and the unit of glTF.
    ///
    /// # Errors
    ///
    /// Parents that form no forest. Of a node that nothing can be said of, and of all below it, there is no world
    /// transform but the reason.
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
