/// The parents of a skeleton of 64 joints, depth first: pelvis, spine, head with face, two arms with all fingers, two
/// legs.
pub(super) fn skeleton() -> Vec<Option<usize>> {
    let mut parents = vec![None];
    let mut bones = |parent: usize, count: usize| {
        let mut last = parent;
        for _ in 0..count {
            parents.push(Some(last));
            last = parents.len() - 1;
        }
        last
    };
    let pelvis = 0;
    let chest = bones(pelvis, 3);
    let head = bones(chest, 2);
    for _ in 0..7 {
        bones(head, 1); // eyes, brows, lips, jaw
    }
    for _ in 0..2 {
        let hand = bones(chest, 4); // clavicle, upper arm, forearm, hand
        for _ in 0..5 {
            bones(hand, 3);
        }
        bones(hand, 1); // what the hand holds
    }
    for _ in 0..2 {
        bones(pelvis, 5); // thigh, shin, foot, ball, toe
    }
    bones(pelvis, 1); // root motion
    parents
}
