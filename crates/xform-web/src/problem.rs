use wasm_bindgen::JsValue;
use xform_compare::audit::Problem;

/// The reason why there is no report.
#[derive(Debug)]
pub struct Failure(pub Problem);

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl From<Failure> for JsValue {
    fn from(Failure(problem): Failure) -> Self {
        let lines: Vec<_> = problem.lines().collect();
        Self::from_str(&serde_json::json!({ "problem": problem, "lines": lines }).to_string())
    }
}
