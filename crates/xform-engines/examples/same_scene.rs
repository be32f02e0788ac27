//! One scene in several engines: a child below a sheared matrix.

use nalgebra::{UnitQuaternion, Vector3};
use xform_core::Trs;
use xform_engines::{Engine, SourceNode};
use xform_matrix::AccumulatedMatrix;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stretched = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0)).to_homogeneous();
    let turned = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 38_f64.to_radians());
    let sheared = AccumulatedMatrix::from_matrix(stretched * turned.to_homogeneous());
    let child = Trs::from_translation(Vector3::new(1.0, 1.0, 0.0));
    let nodes = [
        SourceNode { parent: None, local: sheared.ok_or("no affine matrix")?.into() },
        SourceNode { parent: Some(0), local: child.into() },
    ];
    let x = |id| -> Result<f64, Box<dyn std::error::Error>> {
        let worlds = Engine::named(id).ok_or("no such engine")?.worlds(&nodes)?;
        Ok(worlds[1]?.to_homogeneous()[(0, 3)])
    };
    // Godot and OpenUSD keep the shear. three.js and Blender decompose the matrix, each in its own way.
    assert_eq!(x("godot")?, x("usd")?);
    assert!((x("godot")? - 0.345).abs() < 5e-4);
    assert!((x("three")? - 0.456).abs() < 5e-4);
    assert!((x("blender")? - 0.421).abs() < 5e-4);
    // It is not known how O3DE would import it.
    assert!(x("o3de").is_err());
    Ok(())
}

#[test]
fn runs() -> Result<(), Box<dyn std::error::Error>> {
    main()
}
