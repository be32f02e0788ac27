//! The native functions of `xform_audit`. Documents are passed to Python as text, in the form described in
//! docs/report-format.md, and the package turns them into dictionaries. The interpreter is released during the work.

mod audit;
mod engines;
mod fix;
mod many;
mod pool;
mod poses;
mod problem;
mod program;
mod propagate;
mod repairs;
mod source;
mod verify;

#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use super::{
        audit::{audit_json, diff_json, report_html},
        engines::engines_json,
        fix::fix_file,
        many::Run,
        poses::file_poses,
        program::run_program,
        propagate::{engine_worlds, propagate_f32, propagate_f64},
        verify::{kit_scenes, verify_json},
    };
}
