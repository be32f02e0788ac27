//! Hours of use in as many seconds as there are: edits, updates, watchers and reads on a large hierarchy, by two
//! threads. `XFORM_SOAK_SECONDS=600 cargo test -p xform-tests --test soak -- --nocapture` is a real one.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "how much was done is of interest")]

#[path = "../support/naive.rs"]
mod naive;

use std::{
    env,
    sync::{
        RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use naive::{Edit, Naive, anew};
use peak_alloc::PeakAlloc;
use proptest::{
    prelude::Rng,
    test_runner::{RngAlgorithm, TestRng},
};
use xform_core::{Hierarchy, InstructionSet, NodeId, Transform, changes::Watcher};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const WATCHED: usize = 1000;

/// What both threads share.
struct Shared<X: Transform> {
    hierarchy: RwLock<Hierarchy<X>>,
    watchers: RwLock<Vec<(NodeId, Watcher)>>,
    is_over: AtomicBool,
    reads: AtomicU64,
}

fn random() -> TestRng {
    TestRng::deterministic_rng(RngAlgorithm::ChaCha)
}

fn edit(random: &mut TestRng) -> Edit {
    let mut bytes = [0; Edit::LEN];
    random.fill_bytes(&mut bytes);
    Edit::new(bytes)
}

/// Reads worlds on demand, half of them not up to date, and asks watchers, until it is over.
fn read<X: Transform>(shared: &Shared<X>) {
    let mut random = random();
    while !shared.is_over.load(Ordering::Relaxed) {
        let hierarchy = shared.hierarchy.read().unwrap();
        let watchers = shared.watchers.read().unwrap();
        for _ in 0..100 {
            let (id, watcher) = &watchers[random.next_u32() as usize % watchers.len()];
            let world = hierarchy.world(*id);
            assert_eq!(world.is_ok(), hierarchy.contains(*id));
            // A watcher knows of a removal at once.
            assert_eq!(watcher.take().is_some(), world.is_ok());
            shared.reads.fetch_add(1, Ordering::Relaxed);
        }
        drop((hierarchy, watchers));
        thread::yield_now();
    }
}

/// Every world transform against what it should be, and every rotation's length against 1.
fn check<X: Subject>(hierarchy: &Hierarchy<X>, model: &Naive<X>) -> f64 {
    model.assert_same_nodes(hierarchy);
    let mut worst = 0.0_f64;
    for (id, world) in X::expected(hierarchy, model) {
        let same = hierarchy.world(id).unwrap() == world;
        assert!(same || world.to_homogeneous().iter().any(|&x| !Into::<f64>::into(x).is_finite()));
        for pose in [Some(*hierarchy.local(id).unwrap()), world.parts()].into_iter().flatten() {
            let length: f64 = pose.rotation.norm().into();
            worst = worst.max((length - 1.0).abs());
        }
    }
    assert!(worst <= X::LENGTH_TOLERANCE, "{worst}");
    worst
}

trait Subject: Transform + PartialEq {
    /// How far a rotation's length may be from 1 after any number of edits, at any depth there is.
    const LENGTH_TOLERANCE: f64;

    /// Every node with its world transform.
    fn expected(hierarchy: &Hierarchy<Self>, model: &Naive<Self>) -> Vec<(NodeId, Self)>;
}

impl Subject for AccumulatedMatrix<f64> {
    const LENGTH_TOLERANCE: f64 = 8.0 * f64::EPSILON;

    fn expected(_: &Hierarchy<Self>, model: &Naive<Self>) -> Vec<(NodeId, Self)> {
        model.worlds()
    }
}

/// By its fastest kernel, which rounds otherwise than the model.
impl Subject for CombinedTrs<f32> {
    const LENGTH_TOLERANCE: f64 = 8.0 * f32::EPSILON as f64;

    fn expected(hierarchy: &Hierarchy<Self>, _: &Naive<Self>) -> Vec<(NodeId, Self)> {
        anew(hierarchy, InstructionSet::best())
    }
}

fn soak<X: Subject>(nodes: usize, time: Duration) {
    let (mut hierarchy, mut model) = (Hierarchy::<X>::new(), Naive::<X>::new(nodes));
    let mut random = random();
    while model.len() < nodes {
        model.edit_insert(&mut hierarchy, &edit(&mut random));
    }
    hierarchy.propagate();
    let watch = |hierarchy: &mut Hierarchy<X>| {
        let ids: Vec<_> = hierarchy.iter().step_by(nodes / WATCHED).take(WATCHED).collect();
        let watched = ids.into_iter().map(|id| (id, hierarchy.watch(id).unwrap()));
        watched.collect::<Vec<_>>()
    };
    let watchers = RwLock::new(watch(&mut hierarchy));
    let (is_over, reads) = (AtomicBool::new(false), AtomicU64::new(0));
    let shared = Shared { hierarchy: RwLock::new(hierarchy), watchers, is_over, reads };
    let (start, mut edits, mut memory, mut worst) = (Instant::now(), 0_u64, Vec::new(), 0.0_f64);
    thread::scope(|threads| {
        threads.spawn(|| read(&shared));
        while start.elapsed() < time || memory.len() < 4 {
            for _ in 0..200 {
                let mut hierarchy = shared.hierarchy.write().unwrap();
                for _ in 0..100 {
                    model.edit(&mut hierarchy, &edit(&mut random), InstructionSet::best());
                }
                edits += 100;
            }
            let mut hierarchy = shared.hierarchy.write().unwrap();
            while model.len() < nodes {
                model.edit_insert(&mut hierarchy, &edit(&mut random));
                edits += 1;
            }
            check(&hierarchy, &model);
            hierarchy.propagate();
            worst = worst.max(check(&hierarchy, &model));
            *shared.watchers.write().unwrap() = watch(&mut hierarchy);
            memory.push(MEMORY.current_usage());
        }
        shared.is_over.store(true, Ordering::Relaxed);
    });
    println!(
        "{edits} edits, {} reads, {} checks in {:?}; {} to {} bytes; lengths within {worst:e} of 1",
        shared.reads.load(Ordering::Relaxed),
        memory.len(),
        start.elapsed(),
        memory.iter().min().unwrap(),
        memory.iter().max().unwrap(),
    );
    // Flat: no more at the end than in the first half, but for what vectors round up to.
    let (first, second) = memory.split_at(memory.len() / 2);
    let most = |part: &[usize]| part.iter().copied().max().unwrap();
    assert!(most(second) <= most(first) + most(first) / 10, "{memory:?}");
}

/// The only test here, since what the process has allocated is counted.
#[test]
fn two_threads_of_random_use_leave_a_hierarchy_equal_to_its_model_and_memory_flat() {
    // Otherwise a few checkpoints, however long they take.
    let seconds = env::var("XFORM_SOAK_SECONDS").ok().map(|text| text.parse().unwrap());
    let nodes = if seconds.is_some() { 100_000 } else { 20_000 };
    let half = Duration::from_secs(seconds.unwrap_or(0)) / 2;
    soak::<AccumulatedMatrix<f64>>(nodes, half);
    soak::<CombinedTrs<f32>>(nodes, half);
}
