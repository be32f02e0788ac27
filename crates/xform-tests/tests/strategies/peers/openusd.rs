//! OpenUSD: operations in their order, pivots, quaternions, stacks that are reset, singular matrices.
//!
//! Its vectors are rows, so a matrix is told row by row with the translation last. The name of a rotation has the first turn first.

use nalgebra::{Matrix4, Point3, Quaternion, UnitQuaternion, Vector3};
use xform_core::{
    Hierarchy, HierarchyError, Inherit, Kept, PoseError, Space, Trs,
    spaces::EulerOrder::{self, XYZ, XZY, YXZ, YZX, ZXY, ZYX},
    world_matrix::{Storage, VectorConvention, WorldMatrix},
};
use xform_matrix::{AccumulatedMatrix, Method};

use super::in_both::{at, degrees, in_both, near, posed};

/// The sixteen numbers in the order in which USD writes them.
fn told(matrix: Matrix4<f64>) -> [f64; 16] {
    WorldMatrix(matrix).to_array(VectorConvention::Row, Storage::RowMajor)
}

/// Figures are given to fourteen digits at least.
#[track_caller]
fn reads(matrix: Matrix4<f64>, rows: [[f64; 3]; 4]) {
    for (row, found) in told(matrix).chunks(4).enumerate() {
        let off =
            (0..3).map(|column| (found[column] - rows[row][column]).abs()).fold(0.0, f64::max);
        assert!(off < 1e-13, "row {row}: {found:?} is not {:?}", rows[row]);
    }
}

const R: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// PixarAnimationStudios/OpenUSD, pxr/usd/usdGeom/testenv/testUsdGeomXformable.py, "test_ScalarRotateOps"
#[test]
fn turns_one_after_the_other_are_a_chain_of_nodes() {
    let x = degrees(XYZ, 45.0, 0.0, 0.0);
    let y = degrees(XYZ, 0.0, 90.0, 0.0);
    let z = degrees(XYZ, 0.0, 0.0, 30.0);
    let c = 0.75_f64.sqrt();
    for (turns, rows) in [
        (vec![x], [[1.0, 0.0, 0.0], [0.0, R, R], [0.0, -R, R]]),
        (vec![y], [[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
        (vec![z], [[c, 0.5, 0.0], [-0.5, c, 0.0], [0.0, 0.0, 1.0]]),
        (vec![y, x], [[0.0, 0.0, -1.0], [R, R, 0.0], [R, -R, 0.0]]),
        (vec![z, y], [[0.0, 0.0, -1.0], [-0.5, c, 0.0], [c, 0.5, 0.0]]),
        (vec![x, z], [[c, R / 2.0, R / 2.0], [-0.5, R * c, R * c], [0.0, -R, R]]),
    ] {
        let mut scene = Hierarchy::<AccumulatedMatrix<f64>>::new();
        let mut last = None;
        for turn in turns {
            last = Some(scene.insert(last, Trs::from_rotation(turn)).unwrap());
        }
        let [a, b, c] = rows;
        reads(scene.world_matrix(last.unwrap()).unwrap(), [a, b, c, [0.0; 3]]);
    }
}

/// PixarAnimationStudios/OpenUSD, pxr/usd/usdGeom/testenv/testUsdGeomXformable.py, "test_VectorRotateOps"
#[test]
fn a_rotation_by_three_angles_is_the_product_of_its_letters() {
    let single = |letter| match letter {
        'X' => degrees(XYZ, 30.0, 0.0, 0.0),
        'Y' => degrees(XYZ, 0.0, 45.0, 0.0),
        _ => degrees(XYZ, 0.0, 0.0, 60.0),
    };
    // Not as there: a name is that of the product here, the other way round.
    let orders: [(&str, EulerOrder); 6] =
        [("XYZ", ZYX), ("XZY", YZX), ("YXZ", ZXY), ("YZX", XZY), ("ZXY", YXZ), ("ZYX", XYZ)];
    for (name, order) in orders {
        let product =
            name.chars().fold(UnitQuaternion::identity(), |before, letter| single(letter) * before);
        near(&degrees(order, 30.0, 45.0, 60.0), &product);
    }
}

/// PixarAnimationStudios/OpenUSD, pxr/usd/usdGeom/testenv/testUsdGeomXformable.py, "test_PrestoRotatePivot"
#[test]
fn a_pivot_is_a_part_of_the_translation() {
    let turn = degrees(ZYX, 60.0, 0.0, 30.0);
    let pivot = Vector3::y() * 10.0;
    // Not as there: a pose has no pivot.
    let place = Vector3::x() * 10.0 + pivot - turn * pivot * 2.0;
    let pose = posed(place.into(), turn, [2.0; 3]);
    let c = 3.0_f64.sqrt();
    let last = [15.0, 1.339_745_962_155_611, -10.0 * c];
    reads(pose.to_homogeneous(), [[c, 1.0, 0.0], [-0.5, c / 2.0, c], [c / 2.0, -1.5, 1.0], last]);
}

in_both! {
    /// PixarAnimationStudios/OpenUSD, pxr/usd/usdGeom/testenv/testUsdGeomXformable.py, "test_OrientOp"
    fn a_quaternion_turns_as_its_figures_say_and_zero_is_none<X>() {
        let mut scene = Hierarchy::<X>::new();
        let turn = UnitQuaternion::new_normalize(Quaternion::new(1.0, 2.0, 3.0, 4.0));
        let node = scene.insert(None, Trs::from_rotation(turn)).unwrap();
        let [a, b, c] = [[-10.0, 10.0, 5.0], [2.0, -5.0, 14.0], [11.0, 10.0, 2.0]]
            .map(|row| row.map(|of| of / 15.0));
        reads(scene.world_matrix(node).unwrap(), [a, b, c, [0.0; 3]]);
        // Not as there: USD takes zero for no rotation.
        let zero = UnitQuaternion::new_unchecked(Quaternion::new(0.0, 0.0, 0.0, 0.0));
        let error = PoseError::RotationNotUnit { length: 0.0 };
        assert_eq!(scene.set_rotation(node, zero), Err(HierarchyError::PoseOf { node, error }));
    }

    /// PixarAnimationStudios/OpenUSD, pxr/usd/usdGeom/testenv/testUsdGeomXformCache.cpp, "VerifyTransforms";
    /// testUsdGeomXformable.py, "test_ResetXformStack"
    fn a_stack_that_is_reset_begins_anew_and_goes_on_below<X>() {
        let step = at(10.0, 20.0, 30.0);
        let mut scene = Hierarchy::<X>::new();
        let parents = [None, Some(0), Some(1), Some(2), Some(3), Some(1)];
        let poses = [step, Trs::identity(), step, step, step, step];
        let nodes = scene.insert_forest(None, &parents, &poses).unwrap();
        scene.set_inherit(nodes[3], Inherit::Nothing).unwrap();
        for (&node, steps) in nodes.iter().zip([1.0, 1.0, 2.0, 1.0, 2.0, 2.0]) {
            assert_eq!(scene.world_translation(node).unwrap(), step.translation * steps);
        }
        // As seen from the root it is its own pose.
        let (relative, kept) = scene.relative_pose(nodes[3], nodes[0]).unwrap();
        assert_eq!((relative, kept), (step, Kept::Exact));
        scene.set_inherit(nodes[3], Inherit::All).unwrap();
        assert_eq!(scene.world_translation(nodes[4]).unwrap(), step.translation * 4.0);
    }

    /// PixarAnimationStudios/OpenUSD, pxr/usd/usdGeom/testenv/testUsdGeomXformable.py, "test_SingularTransformOp"
    fn a_singular_transform_has_no_inverse_and_that_is_an_error<X>() {
        let mut scene = Hierarchy::<X>::new();
        let flat =
            scene.insert(None, at(1.0, 1.0, 1.0).with_scale(Vector3::new(1.0, 0.0, 1.0))).unwrap();
        let node = scene.insert(flat, at(1.0, 1.0, 1.0)).unwrap();
        for to in [flat, node] {
            let refused = scene.conversion(Space::World, to).unwrap_err();
            assert_eq!(refused, HierarchyError::Singular(to));
        }
        let moved = scene.set_world_translation(node, Vector3::zeros());
        assert_eq!(moved, Err(HierarchyError::Singular(flat)));
        let to_world = scene.conversion(node, Space::World).unwrap();
        assert_eq!(to_world.point(&Point3::new(0.0, 5.0, 0.0)), Point3::new(2.0, 1.0, 2.0));
    }
}

/// PixarAnimationStudios/OpenUSD, pxr/usd/usdGeom/testenv/testUsdGeomXformCommonAPI.py, "test_MatrixDecomposition"
#[test]
fn a_matrix_that_comes_apart_is_made_of_its_parts() {
    let turn = degrees(ZXY, 30.0, 45.0, 60.0);
    let pose = posed([10.0, 20.0, 30.0], turn, [1.0, 2.0, 3.0]);
    for method in [Method::NearestTrs, Method::Polar, Method::GramSchmidt] {
        let parts = AccumulatedMatrix::from(pose).decompose(method).unwrap().trs;
        near(&parts.to_homogeneous(), &pose.to_homogeneous());
        near(&ZXY.angles(&parts.rotation).map(f64::to_degrees), &Vector3::new(30.0, 45.0, 60.0));
    }
}
