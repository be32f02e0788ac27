use std::{fs, path::Path};

use pyo3::{exceptions::PyValueError, prelude::*, types::PyBytes};
use xform_fbx::is_fbx;
use xform_fix::{Fix, FixError, Options, Output, RepairKind, fix, write_fix_json};

use crate::{
    audit::written,
    problem::Failure,
    source::{Source, Unread},
};

const KINDS: [RepairKind; 5] = [
    RepairKind::Bake,
    RepairKind::Leaf,
    RepairKind::Uniform,
    RepairKind::Helper,
    RepairKind::Nearest,
];

/// What `xform fix` makes of a file that stays in its folder: the file, the new data of a `.gltf`, and what was done as JSON.
#[pyfunction]
pub(crate) fn fix_file<'py>(
    py: Python<'py>,
    source: Source,
    repair: &str,
    only: Option<String>,
    compact: bool,
    stamp: bool,
    tolerance: f64,
    data_uri: &str,
) -> PyResult<(Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>, String)> {
    let found = KINDS.into_iter().find(|kind| kind.name() == repair);
    let repair = found.ok_or_else(|| {
        let names = KINDS.map(RepairKind::name).join(", ");
        PyValueError::new_err(format!("no repair `{repair}`; there are: {names}"))
    })?;
    if !(tolerance.is_finite() && tolerance > 0.0) {
        return Err(PyValueError::new_err("tolerance must be a number above 0"));
    }
    let mut options = Options::default();
    (options.repair, options.only, options.compact) = (repair, only, compact);
    (options.stamp, options.tolerance) = (stamp, tolerance);
    let name = source.name();
    let fixed = py.detach(|| fixed(&source, &name, data_uri, &options))?;
    let told = written(|out| write_fix_json(&fixed, &name, None, out));
    let data = fixed.data.as_ref().map(|data| PyBytes::new(py, data));
    Ok((PyBytes::new(py, &fixed.file), data, told))
}

fn fixed(source: &Source, name: &str, data_uri: &str, options: &Options) -> Result<Fix, Unread> {
    let output =
        Output { data_uri: &|_| Ok(data_uri.to_owned()), relocate: &|uri| Ok(uri.to_owned()) };
    let of = |bytes: &[u8], folder: Option<&Path>| {
        if is_fbx(bytes) {
            let what = "it is FBX, and glTF alone is repaired; export it as glTF first";
            return Err(Failure::new(name, "no-fbx", &what).into());
        }
        fix(bytes, folder, name, &output, options).map_err(|error| failure(name, &error).into())
    };
    match source {
        Source::Bytes(bytes) => of(bytes, None),
        Source::Path(path) => {
            let bytes = fs::read(path).map_err(|error| Unread::Io(error, path.clone()))?;
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            of(&bytes, Some(folder.unwrap_or(Path::new("."))))
        }
    }
}

fn failure(name: &str, error: &FixError) -> Failure {
    match error {
        FixError::Gltf(errors) => Failure::of_gltf(name, errors),
        FixError::Compare(error) => Failure::of_scene(name, error),
        FixError::NotProved(_) => Failure::new(name, "not-proved", error),
        FixError::NoNode(_) | FixError::NothingThere(_) => Failure::new(name, "setting", error),
        other => Failure::new(name, "not-repaired", other),
    }
}
