//! Reads an FBX file from memory in which a child ignores its parent's scale, and compares how engines show it.

use xform_compare::compare;
use xform_fbx::read_fbx;

/// A stretched arm and a turned hand that ignores the arm's scale (`InheritType` 2, as Maya's joints do).
const ARM: &str = r#"; FBX 7.4.0 project file
FBXHeaderExtension:  { FBXVersion: 7400 }
Objects:  {
    Model: 1, "Model::Arm", "Null" {
        Properties70:  { P: "Lcl Scaling", "Lcl Scaling", "", "A",2,1,1 }
    }
    Model: 2, "Model::Hand", "Null" {
        Properties70:  {
            P: "InheritType", "enum", "", "",2
            P: "Lcl Rotation", "Lcl Rotation", "", "A",0,0,38
        }
    }
}
Connections:  {
    C: "OO",1,0
    C: "OO",2,1
}
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = read_fbx(ARM.as_bytes(), "arm.fbx")?;
    let file = scene.fbx.as_ref().ok_or("it is FBX")?;
    assert!(!file.inherits_all(), "engines that ignore the type show something else");

    let audit = compare(&scene)?;
    let hand = &audit.nodes[1];
    assert!(hand.skew_degrees < Some(1e-9), "it is turned below no stretch");
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_example_runs() {
        super::main().unwrap();
    }
}
