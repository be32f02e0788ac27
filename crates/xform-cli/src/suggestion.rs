//! Suggestions for misspelt names.

/// The similarity from which one name may be a typo of another, as in clap's suggestions.
const ALIKE: f64 = 0.7;

/// Returns the most similar name, if one is similar enough.
pub(crate) fn nearest(
    name: &str,
    names: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    let alike = names.map(|known| (strsim::jaro(name, known), known));
    let nearest = alike.max_by(|a, b| a.0.total_cmp(&b.0));
    nearest.filter(|&(alike, _)| alike > ALIKE).map(|(_, known)| known)
}
