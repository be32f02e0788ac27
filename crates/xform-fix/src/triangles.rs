//! The triangles of a primitive.

/// Returns the triangles that indices form in a mode of a primitive, or `None` if the mode has no triangles.
pub(crate) fn triangles(mode: usize, indices: &[u32]) -> Option<Vec<[u32; 3]>> {
    let corners = |i: usize| [indices[i], indices[i + 1], indices[i + 2]];
    let rest = indices.len().saturating_sub(2);
    Some(match mode {
        4 => indices.as_chunks::<3>().0.to_vec(),
        // Every other triangle of a strip has reversed winding.
        5 => (0..rest)
            .map(|i| match corners(i) {
                corners if i % 2 == 0 => corners,
                [a, b, c] => [a, c, b],
            })
            .collect(),
        6 => (0..rest).map(|i| [indices[0], indices[i + 1], indices[i + 2]]).collect(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans_are_triangles_of_one_side() {
        let indices = [5, 6, 7, 8, 9];
        assert_eq!(triangles(5, &indices).unwrap(), [[5, 6, 7], [6, 8, 7], [7, 8, 9]]);
        assert_eq!(triangles(6, &indices).unwrap(), [[5, 6, 7], [5, 7, 8], [5, 8, 9]]);
        assert_eq!(triangles(4, &indices).unwrap(), [[5, 6, 7]]);
        assert_eq!(triangles(5, &indices[..2]).unwrap(), [[0; 3]; 0]);
        assert_eq!(triangles(1, &indices), None);
    }
}
