//! What somebody may have meant by a name that nothing has.

/// How alike two names are from which on one may be a slip of the other: as in clap's suggestions.
const ALIKE: f64 = 0.7;

/// The nearest of some names, if it is near at all.
pub(crate) fn nearest(
    name: &str,
    names: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    let alike = names.map(|known| (strsim::jaro(name, known), known));
    let nearest = alike.max_by(|a, b| a.0.total_cmp(&b.0));
    nearest.filter(|&(alike, _)| alike > ALIKE).map(|(_, known)| known)
}
