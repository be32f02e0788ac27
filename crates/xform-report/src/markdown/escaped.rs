//! Escapes text for GitHub Flavored Markdown.

use std::borrow::Cow;

use xform_scene::text::without_controls;

/// Escapes a text that may contain names: it has no markup, no HTML, no end of a table's cell, and nothing that becomes
/// a link, an emoji or a mention.
///
/// GitHub looks for some of these in the rendered text, where no backslash is left. So a word that it may find becomes
/// code, where it does not look.
pub(crate) fn escaped(text: &str) -> String {
    let text = without_controls(text);
    let mut escaped = String::with_capacity(text.len());
    for word in text.split_inclusive(' ') {
        let (word, space) = word.strip_suffix(' ').map_or((word, ""), |word| (word, " "));
        if may_be_linked(word) {
            escaped += &code(word);
        } else {
            plain(word, escaped.trim().is_empty(), &mut escaped);
        }
        escaped += space;
    }
    escaped
}

/// Escapes sentences in which names stand between backticks, and shows the names as such.
pub(crate) fn sentences(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(i, part)| if i % 2 == 1 { code(part) } else { escaped(part) }).collect()
}

/// Whether GitHub may turn a word into something else: an address, a mention, the number of an issue, a commit, an
/// emoji.
fn may_be_linked(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let is_numbered = |mark: &str| {
        lower.split(mark).skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let is_commit = |part: &str| {
        (7..=40).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    lower.contains("://")
        || lower.contains("www.")
        || word.contains('@')
        || word.matches(':').count() > 1
        || is_numbered("#")
        || is_numbered("gh-")
        || lower.split(|c: char| !c.is_ascii_alphanumeric()).any(is_commit)
}

/// Adds backslashes before characters that Markdown would take for markup.
fn plain(word: &str, is_first: bool, out: &mut String) {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
    for (place, character) in word.char_indices() {
        // At the beginning of a line these are list items or a rule: `1.`, `-`.
        let is_item = is_first
            && match character {
                '-' | '+' | '=' => place == 0,
                '.' | ')' => place > 0 && place == word.len() - digits.len(),
                _ => false,
            };
        if is_item || "\\*_[]#|<>&~$`".contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
}

/// Formats text as code. A vertical bar ends a cell even in code, and a backslash before it would be visible outside of
/// a table, so bars stand between pieces of code.
fn code(text: &str) -> String {
    let text = without_controls(text);
    let pieces: Vec<_> = text.split('|').map(span).collect();
    pieces.join("\\|")
}

/// Formats a piece of code with as many backticks as it needs.
fn span(piece: &str) -> Cow<'_, str> {
    if piece.trim().is_empty() {
        return piece.into();
    }
    let longest = piece.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // Markdown removes one space at both ends.
    let needs_room = [' ', '`'];
    let is_padded = piece.starts_with(needs_room) || piece.ends_with(needs_room);
    let pad = if is_padded { " " } else { "" };
    format!("{fence}{pad}{piece}{pad}{fence}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_become_markup() {
        let name = "a|b <script> *c* [d](e) `f`\n#g";
        assert_eq!(escaped(name), "a\\|b \\<script\\> \\*c\\* \\[d\\](e) \\`f\\`\u{FFFD}\\#g");
    }

    #[test]
    fn what_may_be_linked_is_code() {
        assert_eq!(escaped("see www.a.b and @c|d#2"), "see `www.a.b` and `@c`\\|`d#2`");
        assert_eq!(escaped("1. - =2"), "1\\. - =2");
        assert_eq!(escaped("`@`"), "`` `@` ``");
        assert_eq!(sentences("`a_b` and c_d"), "`a_b` and c\\_d");
    }
}
