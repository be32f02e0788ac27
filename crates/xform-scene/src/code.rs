//! Kinds with stable names, for programs.

/// Defines an enum of kinds, each with the name that reports print. docs/defects.md lists errors and reasons not to
/// sample, docs/rules.md lists warnings.
macro_rules! codes {
    ($(#[$about:meta])* $kind:ident { $($(#[$means:meta])* $code:ident = $name:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
        #[non_exhaustive]
        pub enum $kind {
            $($(#[$means])* $code,)*
        }

        impl $kind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$code,)*];

            /// The code as reports print it.
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
    /// Why a file or a scene could not be audited.
    ErrorCode {
        /// The file could not be opened or read.
        Unreadable = "unreadable",
        /// More than fits in memory.
        OutOfMemory = "out-of-memory",
        /// No bytes at all.
        Empty = "empty",
        /// What Git LFS leaves in place of a file that was not fetched.
        LfsPointer = "lfs-pointer",
        /// More JSON than is read, 1 GiB.
        TooLong = "too-long",
        /// Bytes that are no JSON.
        InvalidJson = "invalid-json",
        /// JSON without `asset.version`.
        NotGltf = "not-gltf",
        /// Another version of glTF than 2.
        UnsupportedVersion = "unsupported-version",
        /// A GLB that ends before its header, its JSON or its stated length does.
        GlbTruncated = "glb-truncated",
        /// A GLB whose stated length has no room for its JSON.
        GlbLength = "glb-length",
        /// A GLB whose first chunk is not JSON.
        GlbWithoutJson = "glb-without-json",
        /// An FBX file, and a program that was built without a reader of FBX.
        NoFbx = "no-fbx",
        /// Bytes that are no FBX.
        NotFbx = "not-fbx",
        /// An FBX file that ends before what it announces.
        FbxTruncated = "fbx-truncated",
        /// An FBX file whose nodes are nested too deeply to be read.
        FbxTooDeep = "fbx-too-deep",
        /// An FBX file that is broken in another way.
        InvalidFbx = "invalid-fbx",
        /// An FBX file at which the reader crashed.
        FbxCrash = "fbx-crash",
        /// An FBX file at which the reader took too long.
        FbxTimeout = "fbx-timeout",
        /// A value of the wrong type or length, or a member that is there twice.
        InvalidValue = "invalid-value",
        /// A number beyond the range of `f64` in a pose.
        NumberOutOfRange = "number-out-of-range",
        /// An index that leads nowhere.
        IndexOutOfRange = "index-out-of-range",
        /// A node that is listed as a child twice.
        TwoParents = "two-parents",
        /// A node that is its own ancestor.
        Cycle = "cycle",
        /// More nodes than can be numbered.
        TooManyNodes = "too-many-nodes",
        /// A matrix whose last row is not 0 0 0 1.
        MatrixNotAffine = "matrix-not-affine",
        /// A figure of a node that is out of the range of `f64`.
        ValuesOverflow = "values-overflow",
        /// A box around the scene that is out of the range of `f64`.
        SceneTooLarge = "scene-too-large",
        /// A scene that was not read from a file, and is wrong.
        InvalidScene = "invalid-scene",
    }
}

codes! {
    /// Why a part of an animation could not be read or sampled.
    NotSampledCode {
        /// A member that it needs is not there.
        MissingMember = "missing-member",
        /// An index that leads nowhere.
        IndexOutOfRange = "index-out-of-range",
        /// A buffer without a `uri`, and no binary chunk of a GLB.
        BufferWithoutUri = "buffer-without-uri",
        /// A data URI that is not valid base64.
        InvalidBase64 = "invalid-base64",
        /// A buffer in a file, and no folder to look for it.
        NoFolder = "no-folder",
        /// A buffer that is not in the folder of the file, or not a file.
        OutsideFolder = "outside-folder",
        /// A buffer's file that could not be opened or read.
        Unreadable = "unreadable",
        /// What Git LFS leaves in place of a file that was not fetched.
        LfsPointer = "lfs-pointer",
        /// Data that `EXT_meshopt_compression` or `KHR_meshopt_compression` compresses, and that cannot be decompressed.
        Meshopt = "meshopt",
        /// The same of `KHR_draco_mesh_compression`.
        Draco = "draco",
        /// An accessor or a buffer view that ends beyond what it is in.
        OutOfBounds = "out-of-bounds",
        /// Accessors that ask for more than the buffers have.
        TooMuch = "too-much",
        /// An accessor of another type than is needed.
        AccessorType = "accessor-type",
        /// Components of no known type.
        ComponentType = "component-type",
        /// A sparse accessor that replaces what it does not have.
        SparseIndex = "sparse-index",
        /// A stride that is not allowed.
        Stride = "stride",
        /// A node that has a matrix, which nothing may move.
        MatrixAnimated = "matrix-animated",
        /// An interpolation that is not known.
        UnknownInterpolation = "unknown-interpolation",
        /// A path that is not known.
        UnknownPath = "unknown-path",
        /// A rotation of length zero.
        ZeroRotation = "zero-rotation",
        /// No keyframe at all.
        NoKeyframes = "no-keyframes",
        /// Times that are not finite, or not in order.
        Times = "times",
        /// More or fewer values than the keyframes need.
        ValueCount = "value-count",
        /// A value that is not finite.
        NotFinite = "not-finite",
        /// It moves too many nodes for its keyframes.
        TooManyNodes = "too-many-nodes",
        /// A figure of a node that is out of the range of `f64`.
        ValuesOverflow = "values-overflow",
    }
}
