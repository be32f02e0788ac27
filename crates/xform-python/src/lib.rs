//! What `xform_audit` calls. Documents go to Python as text, in the form that docs/report-format.md has: the package makes
//! dictionaries of them. The interpreter is free meanwhile.

mod audit;
mod engines;
mod fix;
mod pool;
mod poses;
mod problem;
mod propagate;
mod repairs;
mod source;
mod tables;
mod verify;

#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use super::{
        audit::{audit_json, diff_json, report_html},
        engines::engines_json,
        fix::fix_file,
        poses::file_poses,
        propagate::{engine_worlds, propagate_f32, propagate_f64},
        tables::audit_tables,
        verify::{kit_scenes, verify_json},
    };
}
