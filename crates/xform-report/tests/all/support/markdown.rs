//! Markdown as code hosts show it.

use comrak::{Options, markdown_to_html};
use scraper::Html;

/// What a code host makes of Markdown, with all that it may take names for.
pub(crate) fn on_a_code_host(markdown: &str) -> Html {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    options.extension.math_dollars = true;
    options.render.r#unsafe = true;
    Html::parse_document(&markdown_to_html(markdown, &options))
}
