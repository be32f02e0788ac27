//! Draws a node without a mesh in two shows, as SVG.

use std::fmt::{self, Write};

use nalgebra::{Matrix4, Point2, Point3, Vector3, center};
use xform_compare::NodeAudit;
use xform_scene::Bounds;

use super::portrait::{RIGHT, TOWARDS, UP};

/// The width of a picture, and its greatest height.
const PANEL: f64 = 320.0;
/// The margin around the drawing.
const MARGIN: f64 = 24.0;
/// The corners of the faces, by corner number: bit 0 is x, bit 1 is y, bit 2 is z.
const FACES: [[usize; 4]; 6] =
    [[0, 2, 6, 4], [1, 3, 7, 5], [0, 1, 5, 4], [2, 3, 7, 6], [0, 1, 3, 2], [4, 5, 7, 6]];
const AXES: [&str; 3] = ["x", "y", "z"];

/// Draws the node's bounds and axes in two worlds, at one scale and from one point of view. Each picture has the
/// outline of the other dashed.
pub(super) fn pictures(node: &NodeAudit, worlds: [Matrix4<f64>; 2]) -> [String; 2] {
    let solids = worlds.map(|world| DrawnNode::new(node, &world));
    let view = View::of(&solids);
    [0, 1].map(|shown| {
        let mut svg = String::new();
        let [own, other] = [&solids[shown], &solids[1 - shown]];
        draw(&mut svg, own, other, &view).expect("a string takes whatever is written to it");
        svg
    })
}

/// The drawing of a node in one world.
struct DrawnNode {
    /// Eight corners, or none without a box.
    corners: Vec<Point3<f64>>,
    origin: Point3<f64>,
    tips: [Point3<f64>; 3],
}

impl DrawnNode {
    fn new(node: &NodeAudit, world: &Matrix4<f64>) -> Self {
        // Each axis is as long as the box, so it sticks out by half of that from a centred box.
        let (corner_count, reach) = match node.bounds {
            Bounds::Box(min, max) => (8, max - min),
            Bounds::Origin | Bounds::Nothing => (0, Vector3::repeat(1.0)),
        };
        let corners = node.bounds.corners().take(corner_count);
        let place = |point: &Point3<f64>| world.transform_point(point);
        let tip = |axis: usize| place(&Point3::from(Vector3::ith(axis, reach[axis])));
        Self {
            corners: corners.map(|corner| place(&corner)).collect(),
            origin: place(&Point3::origin()),
            tips: [tip(0), tip(1), tip(2)],
        }
    }

    /// Whether a face is on the near side. In a skewed solid the centre of a near face can be farther away than that of
    /// the opposite one.
    fn shows_the_eye(&self, face: &[usize; 4]) -> bool {
        let [a, b, _, d] = face.map(|corner| self.corners[corner]);
        let normal = (b - a).cross(&(d - a));
        let outwards = a - center(&self.corners[0], &self.corners[7]);
        normal.dot(&outwards) * normal.dot(&TOWARDS) > 0.0
    }

    fn points(&self) -> impl Iterator<Item = &Point3<f64>> {
        self.corners.iter().chain(&self.tips).chain([&self.origin])
    }
}

/// A parallel projection that fits both solids into a picture.
struct View {
    scale: f64,
    centre: Point2<f64>,
    height: f64,
}

fn flat(point: &Point3<f64>) -> Point2<f64> {
    Point2::new(RIGHT.dot(&point.coords), -UP.dot(&point.coords))
}

impl View {
    fn of(solids: &[DrawnNode; 2]) -> Self {
        let points = solids.iter().flat_map(DrawnNode::points).map(flat);
        let boxes = points.map(|point| (point, point));
        let (min, max) =
            boxes.reduce(|a, b| (a.0.inf(&b.0), a.1.sup(&b.1))).expect("a solid has an origin");
        let size = (max - min).amax();
        let size = if size > 0.0 { size } else { 1.0 };
        let scale = (PANEL - 2.0 * MARGIN) / size;
        let height = (max.y - min.y) * scale + 2.0 * MARGIN;
        Self { scale, centre: min + (max - min) / 2.0, height }
    }

    fn place(&self, point: &Point3<f64>) -> Point2<f64> {
        let centred = (flat(point) - self.centre) * self.scale;
        Point2::new(centred.x + PANEL / 2.0, centred.y + self.height / 2.0)
    }

    /// Returns `x,y` of each point, for the attribute `points`.
    fn points<'a>(&self, points: impl IntoIterator<Item = &'a Point3<f64>>) -> String {
        let placed = points.into_iter().map(|point| self.place(point));
        let pairs: Vec<_> = placed.map(|point| format!("{:.1},{:.1}", point.x, point.y)).collect();
        pairs.join(" ")
    }
}

fn draw(svg: &mut String, own: &DrawnNode, other: &DrawnNode, view: &View) -> fmt::Result {
    let height = view.height;
    writeln!(
        svg,
        r#"<svg class="picture" viewBox="0 0 {PANEL} {height:.1}" role="img" aria-label="The node's box and axes">"#
    )?;
    draw_outline(svg, other, view)?;
    draw_solid(svg, own, view)?;
    writeln!(svg, "</svg>")
}

fn draw_outline(svg: &mut String, solid: &DrawnNode, view: &View) -> fmt::Result {
    for face in FACES.iter().filter(|_| !solid.corners.is_empty()) {
        let points = view.points(face.map(|corner| &solid.corners[corner]));
        writeln!(svg, r#"<polygon class="other" points="{points}"/>"#)?;
    }
    Ok(())
}

fn draw_solid(svg: &mut String, solid: &DrawnNode, view: &View) -> fmt::Result {
    let mut faces: Vec<_> = FACES.iter().filter(|_| !solid.corners.is_empty()).collect();
    faces.sort_by_key(|face| solid.shows_the_eye(face));
    for face in faces {
        let points = view.points(face.map(|corner| &solid.corners[corner]));
        writeln!(svg, r#"<polygon class="face" points="{points}"/>"#)?;
    }
    for (axis, tip) in AXES.iter().zip(&solid.tips) {
        let points = view.points([&solid.origin, tip]);
        writeln!(svg, r#"<polyline class="axis {axis}" points="{points}"/>"#)?;
    }
    Ok(())
}
