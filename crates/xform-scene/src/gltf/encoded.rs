use serde_json::Value;

/// The numbers of component types in glTF.
const U16: u32 = 5123;
const U32: u32 = 5125;
const F32: u32 = 5126;

/// Elements encoded as the bytes of a buffer view, with the description of their accessor, for writing glTF.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedAccessor {
    /// The bytes.
    pub bytes: Vec<u8>,
    count: usize,
    component_type: u32,
    shape: &'static str,
    /// The minimum and the maximum of each component.
    bounds: Option<[Vec<f32>; 2]>,
}

impl EncodedAccessor {
    /// Encodes floats, each element of 1, 3, 4 or 16 components, rounded to `f32`. If `is_bounded`, the accessor has
    /// the minimum and maximum of each component, which positions and keyframe times need.
    #[must_use]
    pub fn floats<const N: usize>(elements: &[[f64; N]], is_bounded: bool) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "glTF has floats of 32 bits alone")]
        let stored: Vec<[f32; N]> =
            elements.iter().map(|element| element.map(|component| component as f32)).collect();
        let bound = |choose: fn(f32, f32) -> f32| {
            let all = stored.iter().copied();
            let chosen = all.reduce(|a, b| std::array::from_fn(|i| choose(a[i], b[i])));
            chosen.unwrap_or([0.0; N]).to_vec()
        };
        Self {
            bytes: stored.iter().flatten().flat_map(|component| component.to_le_bytes()).collect(),
            count: elements.len(),
            component_type: F32,
            shape: match N {
                1 => "SCALAR",
                3 => "VEC3",
                4 => "VEC4",
                _ => "MAT4",
            },
            bounds: is_bounded.then(|| [bound(f32::min), bound(f32::max)]),
        }
    }

    /// Encodes indices of vertices, in 16 bits if they fit.
    #[must_use]
    pub fn indices(indices: &[u32]) -> Self {
        // In some engines the largest number of a type is the primitive restart index.
        let is_short = indices.iter().all(|&index| index < u32::from(u16::MAX));
        let (component_type, bytes) = if is_short {
            let short = indices.iter().map(|index| index.to_le_bytes());
            (U16, short.flat_map(|[a, b, ..]| [a, b]).collect())
        } else {
            (U32, indices.iter().flat_map(|index| index.to_le_bytes()).collect())
        };
        Self { bytes, count: indices.len(), component_type, shape: "SCALAR", bounds: None }
    }

    /// Encodes four joints of each vertex.
    #[must_use]
    pub fn joints(joints: &[[u16; 4]]) -> Self {
        let bytes = joints.iter().flatten().flat_map(|joint| joint.to_le_bytes()).collect();
        Self { bytes, count: joints.len(), component_type: U16, shape: "VEC4", bounds: None }
    }

    /// Whether all floats are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let mut floats = self.bytes.chunks_exact(4).filter_map(<[u8]>::first_chunk);
        self.component_type != F32 || floats.all(|bytes| f32::from_le_bytes(*bytes).is_finite())
    }

    /// Returns the accessor as JSON, for a buffer view with the bytes, and with a name if there is one.
    #[must_use]
    pub fn json(&self, view: usize, name: Option<&str>) -> String {
        let Self { count, component_type, shape, bounds, .. } = self;
        let text = |value: Value| value.to_string();
        let bounds = bounds.as_ref().map_or_else(String::new, |[least, greatest]| {
            let [least, greatest] = [least, greatest].map(|bound| text(bound.clone().into()));
            format!(r#","min":{least},"max":{greatest}"#)
        });
        let name =
            name.map_or_else(String::new, |name| format!(r#","name":{}"#, text(name.into())));
        format!(
            r#"{{"bufferView":{view},"componentType":{component_type},"count":{count},"type":"{shape}"{bounds}{name}}}"#
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accessor_says_what_its_bytes_are() {
        let floats = EncodedAccessor::floats(&[[1.0, -2.0, 0.5], [3.0, 0.0, -1.0]], true);
        assert_eq!(floats.bytes.len(), 24);
        assert_eq!(
            floats.json(7, Some("a \"b\"")),
            r#"{"bufferView":7,"componentType":5126,"count":2,"type":"VEC3","min":[1.0,-2.0,-1.0],"max":[3.0,0.0,0.5],"name":"a \"b\""}"#
        );
        let short = EncodedAccessor::indices(&[0, 1, 65_534]);
        assert_eq!((short.bytes.len(), short.component_type), (6, U16));
        assert_eq!(EncodedAccessor::indices(&[65_535]).component_type, U32);
        let joints = EncodedAccessor::joints(&[[1, 2, 3, 4]]);
        assert_eq!(
            joints.json(0, None),
            r#"{"bufferView":0,"componentType":5123,"count":1,"type":"VEC4"}"#
        );
    }

    #[test]
    fn what_is_too_large_for_a_float_is_told() {
        assert!(EncodedAccessor::floats(&[[1e38]], false).is_finite());
        assert!(!EncodedAccessor::floats(&[[1.0], [1e39]], false).is_finite());
        assert!(!EncodedAccessor::floats(&[[f64::NAN]], false).is_finite());
        // Bytes that would be NaN as a float.
        assert!(EncodedAccessor::joints(&[[0xFFFF; 4]]).is_finite());
    }
}
