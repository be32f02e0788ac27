//! Colliders by each rule against those that the physics engines had: 60 rays at each of up to 161 cases, by `kit/physics`.

mod rays;

use std::{collections::BTreeMap, fmt::Write, fs, path::Path, sync::LazyLock};

use flate2::read::GzDecoder;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use serde::Deserialize;
use xform_core::Trs;
use xform_engines::{
    Known, LocalPose,
    physics::{Collider, ColliderRule, NoCollider, PhysicsEngine, Road, Shape, ShapeKind},
};

use rays::{Ray, Target};

#[derive(Deserialize)]
struct Scenes {
    parents: BTreeMap<String, Parent>,
    shapes: BTreeMap<String, Written>,
    rays: Vec<[f64; 6]>,
}

#[derive(Deserialize)]
struct Parent {
    chain: Vec<Pose>,
}

#[derive(Deserialize)]
struct Pose {
    t: [f64; 3],
    q: [f64; 4],
    s: [f64; 3],
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Written {
    Sphere { r: f64 },
    Box { h: [f64; 3] },
    Capsule { r: f64, hh: f64 },
    Cylinder { r: f64, hh: f64 },
    Cone { r: f64, hh: f64 },
    Hull { v: Vec<[f64; 3]> },
    Mesh { v: Vec<[f64; 3]>, f: Vec<[u32; 3]> },
}

#[derive(Deserialize)]
struct Run {
    version: String,
    /// By parent, a slash and shape.
    cases: BTreeMap<String, Answer>,
}

#[derive(Deserialize)]
struct Answer {
    /// How far each ray went; absent where there was no collider.
    t: Option<Vec<Option<f64>>>,
}

/// A shape below a chain of nodes.
struct Case {
    chain: Vec<LocalPose>,
    shape: Shape,
    /// The drawn shape.
    drawn: Collider,
    /// The diagonal of the box about it.
    size: f64,
}

fn kit(file: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("kit/physics").join(file);
    fs::read(path).expect("the kit has it")
}

static SCENES: LazyLock<Scenes> =
    LazyLock::new(|| serde_json::from_slice(&kit("scenes.json")).expect("the scenes"));

static RUNS: LazyLock<BTreeMap<String, Run>> = LazyLock::new(|| {
    let file = kit("answers.json.gz");
    serde_json::from_reader(GzDecoder::new(&file[..])).expect("the answers")
});

fn points(written: &[[f64; 3]]) -> std::sync::Arc<[Vector3<f64>]> {
    written.iter().map(|&point| point.into()).collect()
}

impl Case {
    fn named(name: &str) -> Self {
        let (parent, shape) = name.split_once('/').expect("parent/shape");
        let chain: Vec<_> = SCENES.parents[parent]
            .chain
            .iter()
            .map(|&Pose { t, q: [x, y, z, w], s }| {
                let rotation = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z));
                LocalPose::Trs(Trs::from_parts(t.into(), rotation, s.into()))
            })
            .collect();
        let shape = match &SCENES.shapes[shape] {
            &Written::Sphere { r } => Shape::Sphere { radius: r },
            &Written::Box { h } => Shape::Box { half_extents: h.into() },
            &Written::Capsule { r, hh } => Shape::Capsule { radius: r, half_height: hh },
            &Written::Cylinder { r, hh } => Shape::Cylinder { radius: r, half_height: hh },
            &Written::Cone { r, hh } => Shape::Cone { radius: r, half_height: hh },
            Written::Hull { v } => Shape::Hull(points(v)),
            Written::Mesh { v, f } => {
                Shape::Mesh { points: points(v), triangles: f.clone().into() }
            }
        };
        let world = chain
            .iter()
            .fold(nalgebra::Matrix4::identity(), |above, local| above * local.to_affine().matrix());
        let linear: Matrix3<f64> = world.fixed_view::<3, 3>(0, 0).into();
        let position = world.column(3).xyz();
        let drawn = Collider { shape: shape.clone(), linear, position };
        let size = size(&shape, &linear);
        Self { chain, shape, drawn, size }
    }

    fn rays(&self) -> impl Iterator<Item = Ray> {
        SCENES.rays.iter().map(|&[x, y, z, dx, dy, dz]| Ray {
            origin: self.drawn.position + Vector3::new(x, y, z),
            direction: Vector3::new(dx, dy, dz),
        })
    }
}

/// The diagonal of the box about what the map makes of the shape's points, or of its own box.
fn size(shape: &Shape, linear: &Matrix3<f64>) -> f64 {
    let half = match *shape {
        Shape::Sphere { radius } => Vector3::repeat(radius),
        Shape::Box { half_extents } => half_extents,
        Shape::Capsule { radius, half_height } => {
            Vector3::new(radius, half_height + radius, radius)
        }
        Shape::Cylinder { radius, half_height } | Shape::Cone { radius, half_height } => {
            Vector3::new(radius, half_height, radius)
        }
        Shape::Hull(ref points) | Shape::Mesh { ref points, .. } => {
            let moved = || points.iter().map(|point| linear * point);
            let low = moved().reduce(|a, b| a.inf(&b)).expect("points");
            let high = moved().reduce(|a, b| a.sup(&b)).expect("points");
            return (high - low).norm();
        }
        _ => panic!("an unknown shape"),
    };
    2.0 * (linear.abs() * half).norm()
}

/// The worst of a case: the difference of a distance, as a share of the size, and how many rays hit only one of the two.
fn off(collider: Option<Collider>, answer: &Answer, case: &Case) -> (f64, usize) {
    let Some(hits) = &answer.t else {
        // There was no collider.
        return (if collider.is_none() { 0.0 } else { f64::INFINITY }, 0);
    };
    let target = collider.map(Target::new);
    let (mut worst, mut missed) = (0.0_f64, 0);
    for (ray, answered) in case.rays().zip(hits) {
        match (target.as_ref().and_then(|target| target.hit(&ray)), answered) {
            (Some(found), Some(answered)) => {
                worst = worst.max((found - answered).abs() / case.size);
            }
            (None, None) => {}
            _ => missed += 1,
        }
    }
    (worst, missed)
}

/// What a rule may be off by: exact but for `f32`; Bullet, with its margin and the tolerance of its convex casts; the facets that
/// parry makes of round shapes; Havok, whose convex shapes have a radius and whose meshes are compressed; 64-sided convex meshes.
fn bound(run: &str, kind: ShapeKind) -> f64 {
    use ShapeKind::{Box, Capsule, Cone, Cylinder, Hull, Sphere};
    let engine = run.split('/').next().expect("an engine");
    let of = match engine {
        "bullet" | "panda-bullet" => [2e-3, 4e-2, 6e-3, 1e-2, 8e-2, 6e-2, 1e-4],
        "avian" => [3e-2, 2e-5, 5e-2, 3e-2, 4e-2, 2e-4, 2e-5],
        "bevy_rapier" => [3e-2, 2e-5, 5e-2, 3e-2, 4e-2, 2e-4, 2e-5],
        "babylon-havok" => [2e-4, 5e-4, 5e-4, 3e-2, 0.0, 2e-3, 3e-3],
        "physx" => [2e-4, 2e-5, 5e-4, 1e-3, 2e-3, 2e-4, 2e-5],
        _ if run.starts_with("react-three-rapier/component") => {
            [5e-4, 2e-5, 2e-3, 5e-4, 3e-3, 2e-4, 2e-5]
        }
        _ => [2e-4, 2e-5, 5e-4, 5e-4, 2e-3, 2e-4, 2e-5],
    };
    of[match kind {
        Sphere => 0,
        Box => 1,
        Capsule => 2,
        Cylinder => 3,
        Cone => 4,
        Hull => 5,
        _ => 6,
    }]
}

/// Rays that graze.
fn may_miss(run: &str) -> usize {
    match run {
        "bevy_rapier/root_body" => 3,
        "babylon-havok/PhysicsAggregate" | "bullet/compound" => 1,
        _ if run.starts_with("react-three-rapier/component") => 1,
        _ => 0,
    }
}

/// What was found of a run, over all cases that the rule says anything of.
#[derive(Default)]
struct Found {
    cases: usize,
    worst: f64,
    /// Each with a figure that is not within the bound.
    failed: Vec<String>,
}

fn check(run: &str, rule: impl Fn(&Case) -> Result<Collider, NoCollider>) -> Found {
    let mut found = Found::default();
    for (name, answer) in &RUNS[run].cases {
        let case = Case::named(name);
        let collider = match rule(&case) {
            Ok(collider) => Some(collider),
            Err(NoCollider::Refused(_)) => None,
            Err(_) => continue,
        };
        let (off, missed) = off(collider, answer, &case);
        found.cases += 1;
        found.worst = found.worst.max(off);
        if off > bound(run, case.shape.kind()) || missed > may_miss(run) {
            found.failed.push(format!("{name}: {off:.1e}, {missed} missed"));
        }
    }
    found
}

fn roads() -> impl Iterator<Item = (&'static PhysicsEngine, &'static Road, &'static str)> {
    PhysicsEngine::all().iter().flat_map(|engine| {
        engine.roads.iter().filter_map(move |road| match road.rule.known {
            Known::Run { run, .. } => Some((engine, road, run)),
            _ => None,
        })
    })
}

/// What each engine takes of the scales, by its usual road.
pub(crate) fn shapes() -> String {
    let kinds = ShapeKind::ALL.map(ShapeKind::name).join(" | ");
    let mut table =
        format!("| engine | `--physics` | known | {kinds} |\n|---|---|---|{}\n", "---|".repeat(7));
    for PhysicsEngine { id, name, .. } in PhysicsEngine::all() {
        let road = PhysicsEngine::named(id).expect("known").road();
        let words = ShapeKind::ALL.map(|kind| road.takes(kind)).join(" | ");
        let known = road.rule.known.name();
        writeln!(table, "| {name} | `{id}` | {known} | {words} |").expect("a string");
    }
    table
}

/// Every road, and how it is known.
pub(crate) fn roads_table() -> String {
    let mut table = "| engine | what it does |\n|---|---|\n".to_owned();
    for PhysicsEngine { name, sentence, .. } in PhysicsEngine::all() {
        writeln!(table, "| {name} | {sentence} |").expect("a string");
    }
    table += "\n| `--physics` | how shapes come to it | known | cases | off by |\n|---|---|---|---:|---:|\n";
    for engine in PhysicsEngine::all() {
        for road in engine.roads {
            let known = road.rule.known;
            let [cases, off] = match known {
                Known::Run { nodes, residual, .. } => {
                    [nodes.to_string(), format!("{residual:.1e}")]
                }
                _ => ["–".to_owned(), "–".to_owned()],
            };
            let (id, way, words) = (engine.id, road.id, road.words.replace('<', "\\<"));
            writeln!(table, "| `{id}/{way}` | {words} | {known} | {cases} | {off} |")
                .expect("a string");
        }
    }
    table
}

#[test]
fn every_rule_says_where_rays_hit() {
    let mut wrong = Vec::new();
    for (engine, road, run) in roads() {
        let Known::Run { version, nodes, residual, .. } = road.rule.known else { continue };
        let found = check(run, |case| road.collider(&case.chain, &case.shape));
        let id = format!("{}/{}", engine.id, road.id);
        wrong.extend(found.failed.iter().map(|failed| format!("{id}: {failed}")));
        let is_stated = nodes == found.cases && (residual - found.worst).abs() <= 0.06 * residual;
        if !is_stated {
            wrong.push(format!("{id}: run(…, \"{run}\", {}, {:.1e})", found.cases, found.worst));
        }
        for word in version.split([' ', ',', '(', ')']).filter(|word| word.contains('.')) {
            if !RUNS[run].version.contains(word) {
                wrong.push(format!("{id}: {version} is stated, {} was run", RUNS[run].version));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// So the rays tell rules apart: what is drawn, and column lengths with every point scaled, are not what an engine collides with whose rule
/// is another.
#[test]
fn no_simpler_rule_says_it() {
    let drawn = |case: &Case| Ok(case.drawn.clone());
    let lengths = |case: &Case| ColliderRule::HavokChild.collider(&case.chain, &case.shape);
    for (engine, road, run) in roads() {
        let id = format!("{}/{}", engine.id, road.id);
        let (drawn, lengths) = (check(run, drawn), check(run, lengths));
        let is_exact = matches!(road.rule.rule, ColliderRule::Exact | ColliderRule::PhysxPolar);
        assert!(is_exact || !drawn.failed.is_empty(), "{id} collides with what is drawn");
        let is_lengths = road.rule.rule == ColliderRule::HavokChild;
        assert!(is_lengths || !lengths.failed.is_empty(), "{id} takes column lengths");
    }
}

/// What an engine was not asked about is claimed by no road that says it was run.
#[test]
fn only_shapes_that_were_run_are_claimed() {
    for (engine, road, run) in roads() {
        let asked: Vec<_> = RUNS[run].cases.keys().collect();
        for kind in ShapeKind::ALL {
            let was_run = asked.iter().any(|case| case.ends_with(kind.name()));
            let case = Case::named(&format!("none/{}", kind.name()));
            let found = road.collider(&case.chain, &case.shape);
            assert!(
                was_run || found == Err(NoCollider::NoSuchShape),
                "{}/{}: {found:?}",
                engine.id,
                road.id
            );
            // The words say whether anything is known.
            let takes = road.takes(kind);
            assert_eq!(takes == "not made", found == Err(NoCollider::NoSuchShape), "{}", road.id);
            assert_eq!(takes == "not known", matches!(found, Err(NoCollider::NotKnown(_))));
        }
    }
}

/// Every answer is claimed by a road, but for those that follow no rule.
#[test]
fn every_run_is_claimed() {
    let claimed: Vec<_> = roads().map(|(_, _, run)| run).collect();
    let left: Vec<_> = RUNS.keys().filter(|run| !claimed.contains(&run.as_str())).collect();
    // `avian/body` never settles; of the first frame all three are the same; of bevy_rapier the body on the node itself was no subject.
    assert_eq!(left, ["avian/body", "avian/child@1", "avian/root_body@1", "bevy_rapier/body"]);
    for run in ["avian/child@1", "avian/root_body@1"] {
        let found = check(run, |case| ColliderRule::AvianFirst.collider(&case.chain, &case.shape));
        assert!(found.failed.is_empty(), "{run}: {:?}", found.failed);
    }
}

/// `kit/physics/godot_contacts.csv`: bodies that were dropped onto a slab in Godot. They fall through at the skews, and the kinds of shapes, that
/// are stated, and nowhere else.
#[test]
fn bodies_fall_through_where_that_is_stated() {
    let file = String::from_utf8(kit("godot_contacts.csv")).expect("text");
    let rows: Vec<Vec<&str>> = file.lines().skip(1).map(|row| row.split(',').collect()).collect();
    let mut fallen: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in &rows {
        let number = |at: usize| row[at].parse::<f64>().expect("a number");
        let stretch = Matrix3::from_diagonal(&Vector3::new(number(1), number(2), number(3)));
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), number(4).to_radians());
        let linear = stretch * turn.to_rotation_matrix().matrix();
        let skew = xform_core::linear::skew(&linear).expect("axes").to_degrees();
        if number(7) > 0.0 {
            assert_eq!(row[5], "mesh", "{row:?}");
            fallen.entry(row[0]).or_default().push(skew);
        }
    }
    assert_eq!((rows.len(), fallen.len()), (136, 1));
    for engine in PhysicsEngine::all() {
        let stated = engine.skewed.and_then(|skewed| skewed.falls_from_degrees);
        let least = fallen.get(engine.id).map(|all| all.iter().copied().fold(90.0, f64::min));
        // Rounded down to a tenth.
        assert_eq!(stated, least.map(|least| (least * 10.0).floor() / 10.0), "{}", engine.id);
    }
}

/// What engines document that were not run, on a scale of (2, 1, 3) above a quarter turn about x.
#[test]
fn documented_rules_say_what_the_documents_do() {
    let stretched = Trs::from_scale(Vector3::new(2.0, 1.0, 3.0));
    let quarter = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    let turned = Trs::from_parts(Vector3::new(1.0, 1.0, 1.0), quarter, Vector3::repeat(1.0));
    let chain = [stretched.into(), turned.into()];
    let collider = |engine: &str, shape| {
        PhysicsEngine::named(engine).expect("known").road().collider(&chain, &shape)
    };
    let sphere = || Shape::Sphere { radius: 0.5 };
    let cube = || Shape::Box { half_extents: Vector3::repeat(1.0) };
    for (engine, radius, half_extents) in [
        ("unity", Some(1.5), [2.0, 3.0, 1.0]),
        ("arche", None, [2.0, 3.0, 1.0]),
        ("unreal", Some(0.5), [2.0, 1.0, 3.0]),
    ] {
        let found = match collider(engine, sphere()) {
            Ok(Collider { shape: Shape::Sphere { radius }, position, .. }) => {
                assert_eq!(position, Vector3::new(2.0, 1.0, 3.0));
                Some(radius)
            }
            _ => None,
        };
        assert!(
            found.zip(radius).is_none_or(|(a, b)| (a - b).abs() < 1e-12),
            "{engine}: {found:?}"
        );
        assert_eq!(found.is_some(), radius.is_some(), "{engine}");
        let Ok(Collider { shape: Shape::Box { half_extents: found }, linear, .. }) =
            collider(engine, cube())
        else {
            panic!("{engine} has boxes");
        };
        assert!((found - Vector3::from(half_extents)).amax() < 1e-12, "{engine}: {found}");
        assert!((linear - quarter.to_rotation_matrix().matrix()).amax() < 1e-12);
    }
}

/// A scale of zero leaves an axis without length: no rule says anything.
#[test]
fn of_a_scale_of_zero_nothing_is_said() {
    let chain = &Case::named("zero_z/box").chain;
    for engine in PhysicsEngine::all() {
        for road in engine.roads {
            for shape in SCENES.shapes.keys() {
                let shape = Case::named(&format!("none/{shape}")).shape;
                let said = road.collider(chain, &shape);
                assert!(said.is_err(), "{}/{}: {said:?}", engine.id, road.id);
            }
        }
    }
}
