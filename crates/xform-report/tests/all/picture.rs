//! The picture of a node under both strategies, against a parallel projection computed apart.

use nalgebra::{Matrix4, Point2, Point3, UnitQuaternion, Vector2, Vector3};
use scraper::{ElementRef, Html, Selector};
use xform_compare::{NodeAudit, judge::Report};
use xform_core::{Transform, Trs};
use xform_report::write_html;
use xform_scene::{Bounds, Node, Scene};

/// From the node to the eye.
const TOWARDS: Vector3<f64> = Vector3::new(0.486, 0.4, 0.777);
const PANEL: f64 = 320.0;
const MARGIN: f64 = 24.0;
/// Places are written to a tenth, and the axes of the view to three digits.
const ROUNDING: f64 = 0.5;

/// One side of a picture, by places in it.
struct Side {
    /// The faces, as they are drawn one over the other.
    faces: Vec<Vec<Point2<f64>>>,
    /// The outlines of the other side's faces.
    others: Vec<Vec<Point2<f64>>>,
    /// From the origin to the tip of each axis.
    rods: Vec<Vec<Point2<f64>>>,
}

impl Side {
    fn new(side: ElementRef<'_>) -> Self {
        let all = |selector: &str| selected(side, selector).into_iter().map(points).collect();
        Self {
            faces: all("polygon.face"),
            others: all("polygon.other"),
            rods: ["x", "y", "z"].map(|axis| all(&format!("polyline.{axis}"))).concat(),
        }
    }
}

fn selected<'a>(element: ElementRef<'a>, selector: &str) -> Vec<ElementRef<'a>> {
    element.select(&Selector::parse(selector).unwrap()).collect()
}

fn points(element: ElementRef<'_>) -> Vec<Point2<f64>> {
    let pairs =
        element.attr("points").unwrap().split(' ').map(|pair| pair.split_once(',').unwrap());
    pairs.map(|(x, y)| Point2::new(x.parse().unwrap(), y.parse().unwrap())).collect()
}

/// The two pictures of a page with one card, and their height.
fn sides(report: &Report) -> ([Side; 2], f64) {
    let mut page = Vec::new();
    write_html(report, &mut page).unwrap();
    let page = Html::parse_document(&String::from_utf8(page).unwrap());
    let [left, right] = selected(page.root_element(), "svg.picture")[..] else { panic!("two") };
    let height = |svg: ElementRef<'_>| svg.attr("viewBox").unwrap().to_owned();
    assert_eq!(height(left), height(right), "one scale");
    let height = height(left).rsplit_once(' ').unwrap().1.parse().unwrap();
    ([Side::new(left), Side::new(right)], height)
}

/// A box that is neither a cube nor around its origin, turned below a stretch.
fn report(stretch: f64, bounds: Bounds) -> Report {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, 0.5, 0.7));
    let turned = Trs::from_rotation(turn).with_translation(Vector3::new(1.0, 0.5, -0.3));
    let nodes = vec![
        Node::new(None, Trs::from_scale(Vector3::new(stretch, 1.0, 1.0))),
        Node::new(Some(0), turned).with_bounds(bounds),
    ];
    let mut scene = Scene::new("box", nodes);
    scene.counts_undrawn = true;
    Report::of_scene(&scene).unwrap()
}

fn non_uniform_box() -> Bounds {
    Bounds::Box(Point3::new(-0.5, -0.2, 0.1), Point3::new(1.0, 0.8, 0.6))
}

fn worlds(node: &NodeAudit) -> [Matrix4<f64>; 2] {
    [*node.by_matrix.matrix(), node.by_trs.to_homogeneous()]
}

/// A vector on the paper, y down.
fn flat(vector: Vector3<f64>) -> Vector2<f64> {
    let towards = TOWARDS.normalize();
    let right = Vector3::y().cross(&towards).normalize();
    Vector2::new(right.dot(&vector), -towards.cross(&right).dot(&vector))
}

/// Where points are to be: one scale, the longer side of all that is drawn from one margin to the other, its middle in the
/// middle of the panel.
fn projected(all: &[Point3<f64>], point: &Point3<f64>) -> Vector2<f64> {
    let flats = || all.iter().map(|point| flat(point.coords));
    let (min, max) =
        (flats().reduce(|a, b| a.inf(&b)).unwrap(), flats().reduce(|a, b| a.sup(&b)).unwrap());
    let size = max - min;
    let scale = (PANEL - 2.0 * MARGIN) / size.max();
    let middle = Vector2::new(PANEL, size.y * scale + 2.0 * MARGIN) / 2.0;
    (flat(point.coords) - (min + max) / 2.0) * scale + middle
}

/// The origin, and where the axes end: a rod is as long as the box.
fn ends(world: &Matrix4<f64>, bounds: &Bounds) -> [Point3<f64>; 4] {
    let Bounds::Box(min, max) = bounds else { panic!("a box") };
    let tip = |axis: usize| Point3::from(Vector3::ith(axis, max[axis] - min[axis]));
    [Point3::origin(), tip(0), tip(1), tip(2)].map(|end| world.transform_point(&end))
}

fn corners(world: &Matrix4<f64>, bounds: &Bounds) -> Vec<Point3<f64>> {
    bounds.corners().map(|corner| world.transform_point(&corner)).collect()
}

/// All that a picture shows.
fn all_points(node: &NodeAudit) -> Vec<Point3<f64>> {
    let of_world = |world| [corners(&world, &node.bounds), ends(&world, &node.bounds).to_vec()];
    worlds(node).into_iter().flat_map(of_world).flatten().collect()
}

#[test]
fn both_sides_are_drawn_to_one_scale_from_one_point_of_view() {
    let report = report(2.0, non_uniform_box());
    let node = &report.audit.nodes[1];
    let all = all_points(node);
    let (sides, height) = sides(&report);
    for (side, world) in sides.iter().zip(worlds(node)) {
        let [origin, tips @ ..] = ends(&world, &node.bounds).map(|end| projected(&all, &end));
        for (rod, tip) in side.rods.iter().zip(tips) {
            let off = (rod[0].coords - origin).amax().max((rod[1].coords - tip).amax());
            assert!(off < ROUNDING, "{rod:?}: {origin}, {tip}");
        }
        // Each corner belongs to three faces.
        for corner in corners(&world, &node.bounds) {
            let corner = projected(&all, &corner);
            let is_it = |point: &&Point2<f64>| (point.coords - corner).amax() < ROUNDING;
            assert_eq!(side.faces.iter().flatten().filter(is_it).count(), 3, "{corner}");
        }
        let lowest = side.faces.iter().flatten().map(|point| point.y).fold(0.0, f64::max);
        assert!(lowest < height, "it is in the picture");
    }
}

#[test]
fn the_dashed_outline_is_what_the_other_side_shows() {
    let ([left, right], _) = sides(&report(2.0, non_uniform_box()));
    let sorted = |faces: &[Vec<Point2<f64>>]| {
        let mut faces: Vec<_> = faces.iter().map(|face| format!("{face:?}")).collect();
        faces.sort();
        faces
    };
    assert_eq!(left.faces.len(), 6);
    assert_eq!(sorted(&left.others), sorted(&right.faces));
    assert_eq!(sorted(&right.others), sorted(&left.faces));
    assert_ne!(sorted(&left.faces), sorted(&right.faces));
}

/// The corner that the three faces share which the eye sees. A face is seen where its normal points to the eye, which need
/// not be where its middle is nearer than the solid's.
fn seen_corner(world: &Matrix4<f64>, bounds: &Bounds) -> Point3<f64> {
    let Bounds::Box(min, max) = bounds else { panic!("a box") };
    let edges = [0, 1, 2].map(|i| world.transform_vector(&Vector3::ith(i, max[i] - min[i])));
    let half = [0, 1, 2].map(|i| {
        let normal = edges[(i + 1) % 3].cross(&edges[(i + 2) % 3]);
        edges[i] * 0.5_f64.copysign(normal.dot(&edges[i]) * normal.dot(&TOWARDS))
    });
    world.transform_point(&nalgebra::center(min, max)) + half[0] + half[1] + half[2]
}

#[test]
fn the_three_faces_that_the_eye_sees_are_drawn_last() {
    for stretch in [1.5, 3.0, 8.0] {
        let report = report(stretch, non_uniform_box());
        let node = &report.audit.nodes[1];
        let (sides, _) = sides(&report);
        for (side, world) in sides.iter().zip(worlds(node)) {
            let mut shared = side.faces[3].clone();
            shared.retain(|corner| side.faces[4..].iter().all(|face| face.contains(corner)));
            let [shared] = shared[..] else { panic!("three faces that share no corner") };
            let seen = projected(&all_points(node), &seen_corner(&world, &node.bounds));
            assert!((shared.coords - seen).amax() < ROUNDING, "{stretch}: {shared}, {seen}");
        }
    }
}

#[test]
fn a_node_without_a_box_is_its_axes() {
    let ([left, right], _) = sides(&report(2.0, Bounds::Origin));
    for side in [left, right] {
        assert_eq!((side.faces.len(), side.others.len(), side.rods.len()), (0, 0, 3));
    }
}
