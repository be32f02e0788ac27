//! Moves the maps that joints lose into inverse bind matrices.

// Such an inverse bind matrix may contain a shear. That is exact in engines that multiply matrices. An engine that
// decomposes inverse bind matrices shows something else, as docs/fixing.md says.

use std::collections::HashMap;

use nalgebra::Matrix4;

use super::{Editing, Stop};
use crate::{bake::Baked, non_uniform::is_nothing, refusal::Refusal};

impl Editing<'_, '_, '_> {
    /// Multiplies the inverse bind matrices of all affected skins by the maps that their joints lose.
    pub(super) fn skins(&mut self, all: &[&Baked]) -> Result<(), Stop> {
        let lost: HashMap<_, _> = all.iter().map(|one| (one.node, &one.own)).collect();
        for skin in &self.source.document.skins {
            let joints = &skin.is.joints;
            let lost: Vec<_> =
                joints.iter().map(|joint| lost.get(joint).filter(|own| !is_nothing(own))).collect();
            let Some(first) = lost.iter().position(Option::is_some) else { continue };
            let old = match skin.is.inverse_bind_matrices {
                Some(accessor) => self.read::<16>(accessor),
                None => {
                    let identity = Matrix4::<f64>::identity();
                    Ok(vec![std::array::from_fn(|i| identity[i]); joints.len()])
                }
            };
            let old = match old {
                Ok(old) if old.is_empty() => continue,
                Ok(old) => old,
                Err(why) => {
                    self.refused.push(Refusal { node: joints[first], why });
                    continue;
                }
            };
            let new: Vec<[f64; 16]> = old
                .iter()
                .enumerate()
                .map(|(place, old)| match lost.get(place).copied().flatten() {
                    Some(own) => {
                        let new = own.to_homogeneous() * Matrix4::from_column_slice(old);
                        std::array::from_fn(|i| new[i])
                    }
                    None => *old,
                })
                .collect();
            match self.data.floats(&new, false, None, None) {
                Ok(new) => self.edits.set(skin.raw, "inverseBindMatrices", new.to_string())?,
                Err(why) => self.refused.push(Refusal { node: joints[first], why }),
            }
        }
        Ok(())
    }
}
