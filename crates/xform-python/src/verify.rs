use std::{collections::HashMap, path::PathBuf};

use pyo3::{
    exceptions::{PyOSError, PyValueError},
    prelude::*,
};
use xform_report::write_verification_json;
use xform_verify::{Answers, AnswersError, Question, ROUNDING, Scenes, kit, verify};

use crate::{audit::written, engines, pool::in_pool};

/// Returns the rules that answers follow, as JSON. Each document of answers is passed with a name.
#[pyfunction]
pub(crate) fn verify_json(
    py: Python<'_>,
    answers: Vec<(String, Vec<u8>)>,
    scenes: Option<PathBuf>,
    expect: Option<&str>,
    tolerance: Option<f64>,
) -> PyResult<String> {
    let expected = expect.map(engines::named).transpose()?;
    let bound = tolerance.unwrap_or(ROUNDING);
    if !(bound.is_finite() && bound >= 0.0) {
        return Err(PyValueError::new_err("tolerance must be a number and not negative"));
    }
    in_pool(py, move || {
        let mut read = Vec::new();
        for (name, bytes) in answers {
            let bad = |error: AnswersError| PyValueError::new_err(format!("{name}: {error}"));
            let runs = Answers::read(&bytes).map_err(bad)?;
            read.push((name, runs));
        }
        let scenes = match scenes {
            Some(folder) => {
                Scenes::in_folder(&folder).map_err(|error| PyOSError::new_err(error.to_string()))?
            }
            None => Scenes::kit(),
        };
        let found = verify(&read, &scenes, &Question { expected, bound });
        Ok(written(|out| write_verification_json(&found, out)))
    })?
}

/// Returns the scenes of the kit: glTF by name.
#[pyfunction]
pub(crate) fn kit_scenes() -> HashMap<&'static str, &'static str> {
    kit::SCENES.iter().map(|scene| (scene.name, scene.gltf)).collect()
}
