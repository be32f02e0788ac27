use std::cmp::Ordering;

use nalgebra::Vector3;

/// More points than this are not tried: every three of them are.
pub(super) const MOST_POINTS: usize = 64;

/// The centre of mass of the convex hull of points, of the same density everywhere. `None` of a hull without a volume, and of more than
/// [`MOST_POINTS`] points.
pub(super) fn centre_of_mass(points: &[Vector3<f64>]) -> Option<Vector3<f64>> {
    // A vertex that stands more than once is one point.
    let mut distinct: Vec<Vector3<f64>> = Vec::new();
    for point in points {
        if !distinct.contains(point) {
            distinct.push(*point);
        }
        if distinct.len() > MOST_POINTS {
            return None;
        }
    }
    let points = &distinct[..];
    if points.len() < 4 {
        return None;
    }
    let inside = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    let size = points.iter().map(|point| (point - inside).amax()).fold(0.0, f64::max);
    let near = 1e-9 * size;
    let (mut volume, mut moment) = (0.0, Vector3::zeros());
    let mut faces: Vec<Vec<usize>> = Vec::new();
    for (i, a) in points.iter().enumerate() {
        for (j, b) in points.iter().enumerate().skip(i + 1) {
            for c in points.iter().skip(j + 1) {
                let Some(normal) = (b - a).cross(&(c - a)).try_normalize(1e-12 * size * size)
                else {
                    continue;
                };
                let outwards = if normal.dot(&inside) > normal.dot(a) { -normal } else { normal };
                let reach = outwards.dot(a);
                if points.iter().any(|point| outwards.dot(point) > reach + near) {
                    continue;
                }
                let on = |&at: &usize| (outwards.dot(&points[at]) - reach).abs() <= near;
                let face: Vec<_> = (0..points.len()).filter(on).collect();
                if faces.contains(&face) {
                    continue;
                }
                for [a, b, c] in fan(points, &face, &outwards) {
                    let part = (a - inside).cross(&(b - inside)).dot(&(c - inside)).abs() / 6.0;
                    volume += part;
                    moment += (inside + a + b + c) * (part / 4.0);
                }
                faces.push(face);
            }
        }
    }
    (volume > 0.0).then(|| moment / volume)
}

/// The triangles of the convex polygon about points of a plane.
fn fan(points: &[Vector3<f64>], face: &[usize], normal: &Vector3<f64>) -> Vec<[Vector3<f64>; 3]> {
    let u = (points[face[1]] - points[face[0]]).normalize();
    let v = normal.cross(&u);
    let mut flat: Vec<_> = face.iter().map(|&at| points[at]).collect();
    let at = |point: &Vector3<f64>| (point.dot(&u), point.dot(&v));
    flat.sort_by(|a, b| at(a).partial_cmp(&at(b)).unwrap_or(Ordering::Equal));
    // Once along the lower side and once back along the upper one (Andrew's monotone chain).
    let mut around: Vec<Vector3<f64>> = Vec::new();
    for _ in 0..2 {
        let start = around.len();
        for point in &flat {
            while around.len() >= start + 2 {
                let (a, b) = (around[around.len() - 2], around[around.len() - 1]);
                if (b - a).cross(&(point - b)).dot(normal) > 0.0 {
                    break;
                }
                around.pop();
            }
            around.push(*point);
        }
        around.pop();
        flat.reverse();
    }
    around.windows(2).skip(1).map(|pair| [around[0], pair[0], pair[1]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tetrahedron_and_a_box_balance_where_they_should() {
        let corner = |x, y, z| Vector3::new(x, y, z);
        let tetrahedron = [
            corner(0.0, 0.0, 0.0),
            corner(4.0, 0.0, 0.0),
            corner(0.0, 4.0, 0.0),
            corner(0.0, 0.0, 4.0),
        ];
        let found = centre_of_mass(&tetrahedron).expect("a volume");
        assert!((found - corner(1.0, 1.0, 1.0)).amax() < 1e-12);
        // A box, with a point more on a face, which draws the mean of the points away from the centre.
        let mut points: Vec<_> = (0..8)
            .map(|at| corner(f64::from(at & 1), f64::from(at >> 1 & 1), f64::from(at >> 2)))
            .collect();
        points.push(corner(1.0, 0.25, 0.25));
        let found = centre_of_mass(&points).expect("a volume");
        assert!((found - corner(0.5, 0.5, 0.5)).amax() < 1e-12, "{found}");
        assert_eq!(centre_of_mass(&points[..3]), None);
        // Each point three times, in another order, as meshes have them that are shaded flat.
        let copies: Vec<_> = (0..27).map(|at| points[at * 7 % 9]).collect();
        let found = centre_of_mass(&copies).expect("a volume");
        assert!((found - corner(0.5, 0.5, 0.5)).amax() < 1e-12, "{found}");
    }
}
