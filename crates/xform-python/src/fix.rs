use std::{iter, path::Path};

use percent_encoding::percent_decode_str;
use pyo3::{exceptions::PyValueError, prelude::*, types::PyBytes};
use xform_compare::audit::EngineChoice;
use xform_fbx::is_fbx;
use xform_fix::{Fix, FixError, Options, RepairKind, SameFolder, fix, write_fix_json};
use xform_scene::{
    gltf::{GltfAsset, gltf_buffer_files},
    text::reference_part,
};

use crate::{
    audit::written,
    pool::in_pool,
    problem::Failure,
    source::{Source, folder, whole},
};

/// The repaired file, the name and bytes of new data, and the report.
type Repaired<'py> = (Bound<'py, PyBytes>, Option<(String, Bound<'py, PyBytes>)>, String);

/// Repairs a file for its own folder, like `xform fix`. Returns the file, the new data of a `.gltf`, and the report as
/// JSON.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the package gives each by its name")]
pub(crate) fn fix_file<'py>(
    py: Python<'py>,
    source: Source,
    repair: &str,
    only: Option<String>,
    compact: bool,
    stamp: bool,
    tolerance: f64,
    data_name: Option<&str>,
) -> PyResult<Repaired<'py>> {
    let found = RepairKind::ALL.into_iter().find(|kind| kind.name() == repair);
    let repair = found.ok_or_else(|| {
        let names = RepairKind::ALL.map(RepairKind::name).join(", ");
        PyValueError::new_err(format!("no repair `{repair}`; there are: {names}"))
    })?;
    if !(tolerance.is_finite() && tolerance > 0.0) {
        return Err(PyValueError::new_err("tolerance must be a number above 0"));
    }
    let mut options = Options::default();
    (options.repair, options.only, options.compact) = (repair, only, compact);
    (options.stamp, options.tolerance) = (stamp, tolerance);
    options.engines = EngineChoice::usual();
    let name = source.name();
    if source.built_in().is_some() {
        let what = "it is a built-in scene, so there is no file to repair";
        return Err(Failure::new(&name, "built-in", &what).into());
    }
    let bytes = match &source {
        Source::Bytes(bytes) => bytes.to_vec(),
        Source::Path(path) => py.detach(|| whole(path))?,
    };
    let folder = match &source {
        Source::Bytes(_) => None,
        Source::Path(path) => Some(folder(path).to_owned()),
    };
    let mut taken = gltf_buffer_files(&bytes).unwrap_or_default();
    taken.extend(images(&bytes));
    if let Source::Path(path) = &source {
        taken.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
    }
    let data_name = match data_name {
        Some(given) => checked_name(given, &taken)?,
        None => free_name(&taken, folder.as_deref()),
    };
    let fixed = {
        let data_name = data_name.clone();
        in_pool(py, move || {
            let fixed = fixed(&bytes, folder.as_deref(), &name, &data_name, &options)?;
            let told = written(|out| write_fix_json(&fixed, &name, None, out));
            Ok::<_, Failure>((fixed, told))
        })
    };
    let (fixed, told) = fixed??;
    let data = fixed.data.as_ref().map(|data| (data_name, PyBytes::new(py, data)));
    Ok((PyBytes::new(py, &fixed.file), data, told))
}

/// Returns the image files that a `.gltf` refers to. For a GLB this is not needed: it has no new data beside it.
fn images(bytes: &[u8]) -> Vec<String> {
    let document: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
    let images = document["images"].as_array().into_iter().flatten();
    let uris = images.filter_map(|image| image["uri"].as_str());
    uris.map(|uri| percent_decode_str(uri).decode_utf8_lossy().into_owned()).collect()
}

/// Whether some systems treat two names as the same.
fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Checks a name for new data: it must be a file in the folder that is neither the asset nor used by it.
fn checked_name(name: &str, taken: &[String]) -> PyResult<String> {
    let is_plain = !matches!(name, "" | "." | "..") && !name.contains(['/', '\\', ':', '\0']);
    if !is_plain {
        return Err(PyValueError::new_err(format!(
            "data_name is the name of a file, not {name:?}"
        )));
    }
    if taken.iter().any(|taken| is_same(taken, name)) {
        let what = format!("data_name: {name:?} is used by the file and would be overwritten");
        return Err(PyValueError::new_err(what));
    }
    Ok(name.to_owned())
}

/// Returns the first free name.
fn free_name(taken: &[String], folder: Option<&Path>) -> String {
    let names = iter::once("repaired.bin".to_owned())
        .chain((2_u64..).map(|count| format!("repaired.{count}.bin")));
    let is_free = |name: &String| {
        !taken.iter().any(|taken| is_same(taken, name))
            && !folder.is_some_and(|folder| folder.join(name).exists())
    };
    { names }.find(is_free).unwrap_or_default()
}

fn fixed(
    bytes: &[u8],
    folder: Option<&Path>,
    name: &str,
    data_name: &str,
    options: &Options,
) -> Result<Fix, Failure> {
    if is_fbx(bytes) {
        let what = "it is FBX, and only glTF can be repaired; export it as glTF first";
        return Err(Failure::new(name, "no-fbx", &what));
    }
    let encoded = reference_part(data_name);
    GltfAsset::read(bytes, folder)
        .map_err(FixError::from)
        .and_then(|asset| fix(bytes, &asset, name, &mut SameFolder(encoded), options))
        .map_err(|error| Failure(error.problem(name)))
}
