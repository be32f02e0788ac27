//! Enumerations with stable names, for programs.

/// Defines an enum, each variant with the name that reports print. docs/defects.md lists errors and reasons why
/// animations were not sampled; docs/rules.md lists warnings.
macro_rules! codes {
    ($(#[$about:meta])* $kind:ident { $($(#[$means:meta])* $code:ident = $name:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
        #[non_exhaustive]
        pub enum $kind {
            $($(#[$means])* $code,)*
        }

        impl $kind {
            /// All variants.
            pub const ALL: &[Self] = &[$(Self::$code,)*];

            /// Returns the name that reports print.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)*
                }
            }
        }

        impl serde::Serialize for $kind {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}

pub(crate) use codes;

codes! {
    /// The reason why a file or a scene could not be audited.
    ErrorCode {
        /// The file could not be opened or read.
        Unreadable = "unreadable",
        /// The file needs more memory than there is.
        OutOfMemory = "out-of-memory",
        /// The file has no bytes.
        Empty = "empty",
        /// A Git LFS pointer in place of a file that was not fetched.
        LfsPointer = "lfs-pointer",
        /// More JSON than the reader accepts, 1 GiB.
        TooLong = "too-long",
        /// Bytes that are not JSON.
        InvalidJson = "invalid-json",
        /// JSON without `asset.version`.
        NotGltf = "not-gltf",
        /// A version of glTF other than 2.
        UnsupportedVersion = "unsupported-version",
        /// A GLB that ends before its header, its JSON or its stated length does.
        GlbTruncated = "glb-truncated",
        /// A GLB whose stated length has no room for its JSON.
        GlbLength = "glb-length",
        /// A GLB whose first chunk is not JSON.
        GlbWithoutJson = "glb-without-json",
        /// An FBX file, in a program that was built without an FBX reader.
        NoFbx = "no-fbx",
        /// Bytes that are not FBX.
        NotFbx = "not-fbx",
        /// An FBX file that is shorter than it states.
        FbxTruncated = "fbx-truncated",
        /// An FBX file whose nodes are nested too deeply to be read.
        FbxTooDeep = "fbx-too-deep",
        /// An FBX file that is broken in another way.
        InvalidFbx = "invalid-fbx",
        /// An FBX file that crashed the reader.
        FbxCrash = "fbx-crash",
        /// An FBX file that took the reader too long.
        FbxTimeout = "fbx-timeout",
        /// A value of the wrong type or length, or a duplicate member.
        InvalidValue = "invalid-value",
        /// A number beyond the range of `f64` in a pose.
        NumberOutOfRange = "number-out-of-range",
        /// An index that is out of range.
        IndexOutOfRange = "index-out-of-range",
        /// A node that is listed as a child twice.
        TwoParents = "two-parents",
        /// A node that is its own ancestor.
        Cycle = "cycle",
        /// More nodes than can be numbered.
        TooManyNodes = "too-many-nodes",
        /// A matrix whose last row is not 0 0 0 1.
        MatrixNotAffine = "matrix-not-affine",
        /// A figure of a node that exceeds the range of `f64`.
        ValuesOverflow = "values-overflow",
        /// A box around the scene that exceeds the range of `f64`.
        SceneTooLarge = "scene-too-large",
        /// An invalid scene that was not read from a file.
        InvalidScene = "invalid-scene",
    }
}

codes! {
    /// The reason why a part of an animation could not be read or sampled.
    NotSampledCode {
        /// A required member is missing.
        MissingMember = "missing-member",
        /// An index that is out of range.
        IndexOutOfRange = "index-out-of-range",
        /// A buffer without a `uri`, in a file without a binary chunk.
        BufferWithoutUri = "buffer-without-uri",
        /// A data URI that is not valid base64.
        InvalidBase64 = "invalid-base64",
        /// A buffer in another file, but no folder to find it in.
        NoFolder = "no-folder",
        /// A buffer that is not in the file's folder, or not a file.
        OutsideFolder = "outside-folder",
        /// A buffer's file that could not be opened or read.
        Unreadable = "unreadable",
        /// A Git LFS pointer in place of a file that was not fetched.
        LfsPointer = "lfs-pointer",
        /// Data compressed with `EXT_meshopt_compression` or `KHR_meshopt_compression` that cannot be decompressed.
        Meshopt = "meshopt",
        /// Data compressed with `KHR_draco_mesh_compression` that cannot be decompressed.
        Draco = "draco",
        /// An accessor or a buffer view that ends beyond its buffer view or buffer.
        OutOfBounds = "out-of-bounds",
        /// Accessors that request more than the buffers have.
        TooMuch = "too-much",
        /// An accessor of another type than required.
        AccessorType = "accessor-type",
        /// Components of an unknown type.
        ComponentType = "component-type",
        /// A sparse accessor that replaces elements it does not have.
        SparseIndex = "sparse-index",
        /// A stride that is not allowed.
        Stride = "stride",
        /// A node with a matrix, which may not be animated.
        MatrixAnimated = "matrix-animated",
        /// An unknown interpolation.
        UnknownInterpolation = "unknown-interpolation",
        /// An unknown path.
        UnknownPath = "unknown-path",
        /// A rotation of length zero.
        ZeroRotation = "zero-rotation",
        /// No keyframes.
        NoKeyframes = "no-keyframes",
        /// Times that are not finite, or not in order.
        Times = "times",
        /// More or fewer values than the keyframes need.
        ValueCount = "value-count",
        /// A value that is not finite.
        NotFinite = "not-finite",
        /// An animation that moves too many nodes for the number of its keyframes.
        TooManyNodes = "too-many-nodes",
        /// A figure of a node that exceeds the range of `f64`.
        ValuesOverflow = "values-overflow",
    }
}
