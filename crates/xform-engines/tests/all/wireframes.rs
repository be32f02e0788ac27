//! Lines to draw a collider by, against what the surfaces are.

use std::f64::consts::FRAC_PI_4;

use nalgebra::{Matrix3, Rotation3, Vector3};
use xform_engines::physics::{Collider, Shape};

/// How far a point is from the surface of a shape, by its closed form.
fn off_surface(shape: &Shape, at: &Vector3<f64>) -> f64 {
    let across = at.x.hypot(at.z);
    match *shape {
        Shape::Sphere { radius } => (at.norm() - radius).abs(),
        Shape::Box { half_extents } => (at.abs() - half_extents).max().abs(),
        Shape::Capsule { radius, half_height } => {
            let nearest = at.y.clamp(-half_height, half_height);
            ((at - Vector3::y() * nearest).norm() - radius).abs()
        }
        Shape::Cylinder { radius, half_height } => {
            (across - radius).max(at.y.abs() - half_height).abs()
        }
        Shape::Cone { radius, half_height } => {
            let wide = radius * (half_height - at.y) / (2.0 * half_height);
            (across - wide).max(-half_height - at.y).abs()
        }
        _ => unreachable!("it has no closed form"),
    }
}

fn round() -> [Shape; 4] {
    [
        Shape::Sphere { radius: 0.5 },
        Shape::Capsule { radius: 0.4, half_height: 0.6 },
        Shape::Cylinder { radius: 0.3, half_height: 0.7 },
        Shape::Cone { radius: 0.8, half_height: 0.5 },
    ]
}

fn wires(shape: Shape, linear: Matrix3<f64>) -> Vec<[Vector3<f64>; 2]> {
    Collider { shape, linear, position: Vector3::new(3.0, -1.0, 2.0) }.wireframe()
}

#[test]
fn wireframes_lie_on_the_surface_and_reach_as_far() {
    let cube = Shape::Box { half_extents: Vector3::new(0.5, 1.0, 0.25) };
    let skewed = Matrix3::new(2.0, 0.5, 0.0, 0.0, 1.0, -0.3, 0.1, 0.0, -0.7);
    let back = skewed.try_inverse().expect("it has a volume");
    for shape in round().into_iter().chain([cube]) {
        let collider = Collider {
            shape: shape.clone(),
            linear: skewed,
            position: Vector3::new(3.0, -1.0, 2.0),
        };
        let lines = wires(shape.clone(), skewed);
        for at in lines.iter().flatten() {
            let own = back * (at - collider.position);
            assert!(off_surface(&shape, &own) < 1e-12, "{shape:?}: {own}");
        }
        for u in
            [Vector3::x(), -Vector3::x(), Vector3::y(), -Vector3::y(), Vector3::z(), -Vector3::z()]
        {
            // As far as the shape reaches along its own axes: there its circles are.
            let u = back.tr_mul(&u);
            let most = lines.iter().flatten().map(|at| u.dot(at)).fold(f64::NEG_INFINITY, f64::max);
            assert!((most - collider.support(&u)).abs() < 1e-12, "{shape:?} along {u}");
        }
    }
}

#[test]
fn every_line_is_there_once() {
    for shape in round() {
        let mut lines = wires(shape.clone(), Matrix3::identity());
        let all = lines.len();
        let key = |line: &[Vector3<f64>; 2]| line.map(|at| (at * 1e9).map(f64::round).data.0[0]);
        lines.sort_by(|a, b| key(a).partial_cmp(&key(b)).expect("numbers"));
        lines.dedup_by_key(|line| key(line));
        assert_eq!(lines.len(), all, "{shape:?}");
    }
}

#[test]
fn a_box_a_hull_of_its_corners_and_a_mesh_of_its_faces_have_its_edges() {
    let half_extents = Vector3::new(0.5, 1.0, 0.25);
    let turned = Rotation3::from_axis_angle(&Vector3::x_axis(), FRAC_PI_4).into_inner();
    let corner = |at: usize| {
        half_extents.zip_map(&Vector3::from_fn(|axis, _| at >> axis & 1), |half, bit| {
            if bit == 0 { -half } else { half }
        })
    };
    let corners: Vec<_> = (0..8).map(corner).collect();
    let inside = corners.iter().copied().chain([Vector3::zeros()]).collect();
    let sorted = |lines: Vec<[Vector3<f64>; 2]>| {
        let mut lengths: Vec<_> = lines.iter().map(|[a, b]| (b - a).norm()).collect();
        lengths.sort_by(f64::total_cmp);
        lengths
    };
    let of_box = sorted(wires(Shape::Box { half_extents }, turned));
    let expected = [0.5, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0];
    assert!(of_box.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{of_box:?}");
    let of_hull = sorted(wires(Shape::Hull(inside), turned));
    assert_eq!(of_hull.len(), 12, "neither the diagonals of faces nor the point inside");
    assert!(of_hull.iter().zip(&of_box).all(|(a, b)| (a - b).abs() < 1e-12), "{of_hull:?}");
    // A mesh has the edges of its triangles.
    let triangles = [[0, 1, 3], [0, 3, 2], [0, 1, 99]];
    let face = Shape::Mesh { points: corners.into(), triangles: triangles.into() };
    assert_eq!(wires(face, turned).len(), 5);
}

#[test]
fn what_has_no_surface_has_no_lines() {
    for shape in [
        Shape::Hull([].into()),
        Shape::Hull([Vector3::zeros(), Vector3::x()].into()),
        Shape::Hull([Vector3::repeat(f64::NAN); 4].into()),
        Shape::Mesh { points: [].into(), triangles: [].into() },
    ] {
        assert!(wires(shape.clone(), Matrix3::identity()).is_empty(), "{shape:?}");
    }
}
