//! Markdown as code hosts show it.

use comrak::{Options, markdown_to_html};
use scraper::Html;

/// The page that a code host makes of Markdown, with every extension that could change how a name is read.
pub(crate) fn on_a_code_host(markdown: &str) -> Html {
    Html::parse_document(&markdown_to_html(markdown, &options()))
}

/// The same, with an anchor for each heading.
pub(crate) fn with_anchors(markdown: &str) -> Html {
    let mut options = options();
    options.extension.header_id_prefix = Some(String::new());
    Html::parse_document(&markdown_to_html(markdown, &options))
}

fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    options.extension.math_dollars = true;
    options.render.r#unsafe = true;
    options
}
