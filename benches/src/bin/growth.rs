//! Measures how the cost grows with the number of nodes and with the number of changed nodes, and draws both
//! into the given folder, by default `docs`.
#![expect(clippy::print_stderr, reason = "a program that says how far it is")]

use std::{error::Error, path::PathBuf};

use benches::{
    SHAPES,
    measure::{alone, median, timed},
    ours::{Input, Ours, Scatter},
    peers::{
        Bevy, GlamAffine, GlamDirty, GlamTrs, NalgebraMatrix, Peer, StaticOptimizations, Touch,
        UltravioletMatrix,
    },
};
use nalgebra::Vector3;
use plotters::prelude::{
    ChartBuilder, Color, IntoDrawingArea, IntoLogRange, LineSeries, Palette, Palette99,
    PathElement, SVGBackend, SeriesLabelPosition, ShapeStyle, WHITE,
};
use xform_core::{InstructionSet, Topology, Transform, slices::SubtreeRanges};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

/// A line in a plot: its name and its points.
type Line = (&'static str, Vec<(f64, f64)>);

const NODES: [u32; 9] =
    [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 2_000_000, 4_000_000];
const CHANGED: [usize; 7] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];
const SET: [usize; 10] = [1, 10, 100, 1_000, 3_000, 10_000, 20_000, 33_333, 50_000, 100_000];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("docs"), PathBuf::from);
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let (by_nodes, by_changed, by_set) =
        one_thread.install(|| (by_nodes(), by_changed(), by_set()));
    let nodes = ["nodes in a tree of four children each", "nanoseconds a node, all recomputed"];
    draw(&folder.join("growth-nodes.svg"), nodes, &by_nodes)?;
    let changed = ["nodes moved in a tree of 1 000 000", "microseconds an update"];
    draw(&folder.join("growth-changed.svg"), changed, &by_changed)?;
    let set = ["nodes set in a tree of 100 000", "microseconds to set them and update"];
    draw(&folder.join("growth-set.svg"), set, &by_set)
}

/// Measures full updates, in nanoseconds a node.
fn by_nodes() -> Vec<Line> {
    let mut lines = [
        "xform, matrices",
        "xform, matrices, all set",
        "xform, combined TRS",
        "glam Affine3A",
        "glam Affine3A, all set",
        "glam TRS",
        "nalgebra Matrix4",
        "ultraviolet Mat4",
        "bevy_transform",
        "memory touched",
    ]
    .map(|name| (name, Vec::new()));
    for nodes in NODES {
        eprintln!("{nodes} nodes");
        let input = Input::new(SHAPES[0], nodes);
        let times = [
            ours::<AccumulatedMatrix<f32>>(&input),
            ours_set(&input),
            ours::<CombinedTrs<f32>>(&input),
            peer::<GlamAffine>(&input),
            glam_set(&input),
            peer::<GlamTrs>(&input),
            peer::<NalgebraMatrix>(&input),
            peer::<UltravioletMatrix>(&input),
            bevy(&input),
            peer::<Touch>(&input),
        ];
        for ((_, points), time) in lines.iter_mut().zip(times) {
            points.push((nodes.into(), time / f64::from(nodes)));
        }
    }
    lines.into()
}

fn ours<X: Transform<Scalar = f32>>(input: &Input) -> f64 {
    let mut ours = Ours::<X>::new(input);
    median(&alone(|| timed(|| ours.update_all(InstructionSet::best()))))
}

/// Measures setting every pose to another value in each frame, including the propagation.
fn ours_set(input: &Input) -> f64 {
    let mut ours = Ours::<AccumulatedMatrix<f32>>::new(input);
    let frames = input.frames();
    let mut turn = 0;
    median(&alone(|| {
        turn = 1 - turn;
        timed(|| {
            ours.pose_nodes(&frames[turn]);
            ours.hierarchy.propagate();
        })
    }))
}

fn glam_set(input: &Input) -> f64 {
    let mut glam = GlamAffine::new(&input.parents, &input.locals);
    let frames = input.frames().map(|frame| GlamAffine::poses(&frame));
    let mut turn = 0;
    median(&alone(|| {
        turn = 1 - turn;
        timed(|| glam.pose_and_update(&frames[turn]))
    }))
}

fn peer<P: Peer>(input: &Input) -> f64 {
    let mut peer = P::new(&input.parents, &input.locals);
    median(&alone(|| timed(|| peer.update())))
}

fn bevy(input: &Input) -> f64 {
    let mut bevy = Bevy::new(&input.parents, &input.locals, StaticOptimizations::Disabled);
    let mut place = Vector3::zeros();
    median(&alone(|| {
        place = Vector3::repeat(1.0) - place;
        timed(|| {
            bevy.move_roots(place);
            bevy.update();
        })
    }))
}

/// Measures updates after different numbers of leaves have moved, in microseconds. Moving them is not included.
fn by_changed() -> Vec<Line> {
    let input = Input::new(SHAPES[0], 1_000_000);
    let leaves = input.leaves();
    let mut scatter = Scatter::default();
    let moved: Vec<Vec<usize>> = CHANGED
        .map(|count| (0..count).map(|_| leaves[scatter.below(leaves.len())]).collect())
        .into();
    let mut matrix = Ours::<AccumulatedMatrix<f32>>::new(&input);
    let mut trs = Ours::<CombinedTrs<f32>>::new(&input);
    let mut glam = GlamDirty::new(&input.parents, &input.locals);
    let mut bevy = Bevy::new(&input.parents, &input.locals, StaticOptimizations::Enabled);
    let mut place = Vector3::zeros();
    let mut place_of_bevy = place;
    let line = |update: &mut dyn FnMut(&[usize]) -> f64| -> Vec<(f64, f64)> {
        let points = CHANGED.iter().zip(&moved);
        points.map(|(&count, moved)| (count as f64, update(moved) / 1_000.0)).collect()
    };
    vec![
        ("xform, matrices", line(&mut |moved| our_update(&mut matrix, moved))),
        ("xform, combined TRS", line(&mut |moved| our_update(&mut trs, moved))),
        (
            "glam, dirty bytes",
            line(&mut |moved| {
                median(&alone(|| {
                    place = Vector3::repeat(1.0) - place;
                    moved.iter().for_each(|&node| glam.set_translation(node, place));
                    timed(|| glam.update())
                }))
            }),
        ),
        (
            "bevy_transform",
            line(&mut |moved| {
                median(&alone(|| {
                    place_of_bevy = Vector3::repeat(1.0) - place_of_bevy;
                    let place = place_of_bevy;
                    moved.iter().for_each(|&node| bevy.set_translation(node, place));
                    timed(|| bevy.update())
                }))
            }),
        ),
    ]
}

fn our_update<X: Transform<Scalar = f32>>(ours: &mut Ours<X>, moved: &[usize]) -> f64 {
    let moved = ours.ids_of(moved);
    median(&alone(|| {
        ours.move_nodes(&moved);
        timed(|| ours.hierarchy.propagate())
    }))
}

/// Measures setting different numbers of nodes of one tree and propagating their subtrees, in microseconds: nodes at
/// random, and nodes at equal distances in the order of the nodes.
fn by_set() -> Vec<Line> {
    let input = Input::new(SHAPES[0], 100_000);
    let nodes: Vec<usize> = (0..input.nodes()).collect();
    let mut scatter = Scatter::default();
    let mut shuffled = nodes.clone();
    for end in (1..shuffled.len()).rev() {
        shuffled.swap(end, scatter.below(end + 1));
    }
    let in_order = |count: usize| -> Vec<usize> {
        // The last node of each part, so that the root is only included if all nodes are.
        let part = nodes.len() / count;
        nodes.iter().copied().skip(part - 1).step_by(part).take(count).collect()
    };
    let at_random = |count: usize| shuffled[..count].to_vec();
    let mut matrix = Ours::<AccumulatedMatrix<f32>>::new(&input);
    let mut trs = Ours::<CombinedTrs<f32>>::new(&input);
    let mut glam = GlamDirty::new(&input.parents, &input.locals);
    let mut place = Vector3::zeros();
    let mut glam = |set: &[usize]| {
        median(&alone(|| {
            place = Vector3::repeat(1.0) - place;
            timed(|| {
                set.iter().for_each(|&node| glam.set_translation(node, place));
                glam.update();
            })
        }))
    };
    let line = |set: &dyn Fn(usize) -> Vec<usize>, update: &mut dyn FnMut(&[usize]) -> f64| {
        SET.map(|count| (count as f64, update(&set(count)) / 1_000.0)).into()
    };
    let every_node = glam_set(&input) / 1_000.0;
    vec![
        ("xform, matrices, in order", line(&in_order, &mut |set| our_frame(&mut matrix, set))),
        ("xform, matrices, at random", line(&at_random, &mut |set| our_frame(&mut matrix, set))),
        ("xform, matrices in slices, at random", line(&at_random, &mut in_slices(&input))),
        ("xform, combined TRS, in order", line(&in_order, &mut |set| our_frame(&mut trs, set))),
        ("xform, combined TRS, at random", line(&at_random, &mut |set| our_frame(&mut trs, set))),
        ("glam, dirty bytes, in order", line(&in_order, &mut glam)),
        ("glam, dirty bytes, at random", line(&at_random, &mut glam)),
        ("glam Affine3A, every node", SET.map(|count| (count as f64, every_node)).into()),
    ]
}

fn our_frame<X: Transform<Scalar = f32>>(ours: &mut Ours<X>, set: &[usize]) -> f64 {
    let set = ours.ids_of(set);
    median(&alone(|| {
        timed(|| {
            ours.move_nodes(&set);
            ours.hierarchy.propagate();
        })
    }))
}

/// Measures the same with the caller's own vectors.
fn in_slices(input: &Input) -> impl FnMut(&[usize]) -> f64 {
    let topology = Topology::from_parents(&input.parents).expect("parents first");
    let mut below = SubtreeRanges::new(&topology);
    let mut locals = input.locals.clone();
    let mut worlds = vec![AccumulatedMatrix::<f32>::identity(); input.nodes()];
    AccumulatedMatrix::accumulate(&topology, &locals, &mut worlds, below.of(0..input.nodes()));
    let mut place = Vector3::zeros();
    move |set| {
        median(&alone(|| {
            place = Vector3::repeat(1.0) - place;
            timed(|| {
                set.iter().for_each(|&node| locals[node].translation = place);
                let ranges = below.of(set.iter().copied());
                AccumulatedMatrix::accumulate(&topology, &locals, &mut worlds, ranges);
            })
        }))
    }
}

/// Draws lines on logarithmic axes.
fn draw(path: &std::path::Path, axes: [&str; 2], lines: &[Line]) -> Result<(), Box<dyn Error>> {
    let points = || lines.iter().flat_map(|(_, points)| points);
    let least = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(f64::INFINITY, f64::min);
    let most = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(0.0, f64::max);
    let across = least(|p| p.0)..most(|p| p.0);
    let up = least(|p| p.1) / 1.5..most(|p| p.1) * 1.5;

    let area = SVGBackend::new(path, (860, 520)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(across.log_scale(), up.log_scale())?;
    chart.configure_mesh().x_desc(axes[0]).y_desc(axes[1]).light_line_style(WHITE).draw()?;
    for (number, (name, points)) in lines.iter().enumerate() {
        let style = ShapeStyle::from(Palette99::pick(number).to_rgba()).stroke_width(2);
        chart
            .draw_series(LineSeries::new(points.iter().copied(), style).point_size(3))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .draw()?;
    area.present()?;
    Ok(())
}
