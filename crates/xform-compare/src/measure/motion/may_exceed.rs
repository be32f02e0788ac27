//! Whether a figure may exceed another one, which takes less time than the figure itself. Each answers yes where it does
//! not know, as where squares overflow or vanish.

use nalgebra::{Matrix3, Matrix4, Point3, Vector3};
use xform_core::linear::axes;

use crate::{
    measure::metrics::{AXIS_ROUNDING, SKEW_ROUNDING},
    scene::Bounds,
};

/// What two figures of `f64` that come to the same may differ by, as a fraction and absolutely where they are about 1.
const FRACTION: f64 = 1e-9;
const ABOUT_ONE: f64 = 1e-14;

/// The sine of so much skew: the cosine of the angle between two axes.
pub(super) fn sine_of_skew(degrees: f64) -> f64 {
    libm::sin(degrees.max(SKEW_ROUNDING).to_radians())
}

/// Whether a node may be more skewed than by so much, of which this is the [sine](sine_of_skew).
pub(super) fn may_skew_more(linear: &Matrix3<f64>, sine: f64) -> bool {
    let least = (sine * (1.0 - FRACTION) - ABOUT_ONE).max(0.0);
    let axes = axes(linear).map(|axis| (axis, axis.norm_squared()));
    [(0, 1), (0, 2), (1, 2)].into_iter().any(|(i, j)| {
        let [(a, aa), (b, bb)] = [axes[i], axes[j]];
        let product = a.dot(&b);
        !is_below(product * product, least * least * (aa * bb))
    })
}

/// Whether a node's [`linear_difference`] may be larger than this one.
///
/// [`linear_difference`]: crate::linear_difference
pub(super) fn may_differ_more(by_matrix: &Matrix3<f64>, by_trs: &Matrix3<f64>, than: f64) -> bool {
    let least = (than * (1.0 - FRACTION) - ABOUT_ONE).max(0.0);
    let (difference, size) = ((by_matrix - by_trs).norm_squared(), by_matrix.norm_squared());
    !is_below(difference, least * least * size)
}

/// Whether a node's [`displacement`] may be larger than this one.
///
/// [`displacement`]: crate::displacement
pub(in crate::measure) fn may_move_more(
    by_matrix: &Matrix4<f64>,
    by_trs: &Matrix4<f64>,
    bounds: &Bounds,
    than: f64,
) -> bool {
    let apart = by_matrix - by_trs;
    let column = |i: usize| apart.fixed_view::<3, 1>(0, i).into_owned();
    let [x, y, z, origin] = [column(0), column(1), column(2), column(3)];
    // Both worlds are rounded before the one is taken from the other here, and after it in the displacement. The sum is
    // no less than the largest, and is found sooner.
    let largest = (by_matrix.abs() + by_trs.abs()).column_sum().sum();
    let may_exceed = |moved: Vector3<f64>, reach: f64| {
        let least = (than * (1.0 - FRACTION) - ABOUT_ONE * largest * (1.0 + reach)).max(0.0);
        !is_below(moved.norm_squared(), least * least)
    };
    if let Bounds::Box(min, max) = bounds {
        // No component of any corner moves farther than this.
        let far = min.coords.abs().sup(&max.coords.abs());
        let farthest = x.abs() * far.x + y.abs() * far.y + z.abs() * far.z + origin.abs();
        if !may_exceed(farthest, far.sum()) {
            return false;
        }
    }
    let may_move = |corner: Point3<f64>| {
        let moved = x * corner.x + y * corner.y + z * corner.z + origin;
        may_exceed(moved, corner.coords.abs().sum())
    };
    bounds.corners().any(may_move)
}

/// False too where one of them is no number.
fn is_below(a: f64, b: f64) -> bool {
    a < b
}

/// Whether an axis of a node may be rounding alone, where none of its parent is. `of_parent` is the parent's largest
/// component; the node's own pose has this scale.
pub(super) fn may_be_rounding(linear: &Matrix3<f64>, of_parent: f64, scale: &Vector3<f64>) -> bool {
    // Each of three components of an axis, and the slack for it, is at most the scale.
    let made_of = |scale: &f64| 6.0 * scale.abs() * of_parent;
    let mut axes = linear.column_iter().zip(scale.iter());
    axes.any(|(axis, scale)| axis.amax() <= 2.0 * AXIS_ROUNDING * made_of(scale))
}
