use xform_compare::{NodeAudit, judge::Report};

use super::{
    opening::Opening,
    picture::pictures,
    portrait::{Moment, Portrait, SIZE},
    shows::{short_label, show_label},
};

/// A picture of what some engines show.
pub(super) struct Panel {
    /// SVG generated here. It contains no text from the scene.
    pub(super) svg: String,
    /// The engines that show this.
    pub(super) label: String,
    /// The initial view of the page, if it is this one.
    opens: Option<Opening>,
}

impl Panel {
    /// Returns pictures of a node in the reference and in the engines that show it worst, at rest or at a time of an
    /// animation. They show its mesh, or its box if it has none. Empty if neither is known.
    pub(super) fn both(
        report: &Report,
        node: &NodeAudit,
        motion: Option<(usize, f64)>,
    ) -> Vec<Self> {
        let Some((other, moment)) = node.group.zip(Moment::of(report, motion)) else {
            return Vec::new();
        };
        let shows = [0, other];
        let svgs = match Portrait::of(report, &moment, shows, Some(node.index)) {
            Some(portrait) => [0, 1].map(|show| image(&portrait.picture(show))),
            None if node.is_skinned => return Vec::new(),
            None => pictures(node, shows.map(|show| moment.world(show, node.index))),
        };
        let labels = [[0, other], [other, 0]].map(|[own, ghost]| {
            format!("{}; in orange, {}", show_label(report, own), short_label(report, ghost))
        });
        let opening = Opening { shows, node: Some(node.index), motion };
        let opens = [Some(opening), None];
        let panels = svgs.into_iter().zip(labels).zip(opens);
        panels.map(|((svg, label), opens)| Self { svg, label, opens }).collect()
    }

    /// Returns a picture of the page's initial view, reused from one of these if it shows that. `None` without a mesh.
    pub(super) fn of_opening<'a>(
        report: &Report,
        opening: &Opening,
        panels: impl IntoIterator<Item = &'a Self>,
    ) -> Option<Self> {
        let label = show_label(report, opening.shows[0]);
        let portrait = portrait(report, opening)?;
        let same = panels.into_iter().find(|panel| panel.opens == Some(*opening));
        let svg = same.map_or_else(|| image(&portrait.picture(0)), |same| same.svg.clone());
        Some(Self { svg, label, opens: None })
    }
}

fn portrait<'a>(report: &'a Report, opening: &Opening) -> Option<Portrait<'a>> {
    let moment = Moment::of(report, opening.motion)?;
    let of_node = Portrait::of(report, &moment, opening.shows, opening.node);
    of_node.or_else(|| Portrait::of(report, &moment, opening.shows, None))
}

/// The size of a [`thumbnail`] in pixels: twice that on the page, for screens with a high resolution.
const THUMBNAIL: [usize; 2] = [160, 120];

/// Returns a small picture of a report's initial view, as markup: the node that differs most, or its box if it has no
/// mesh.
pub(super) fn thumbnail(report: &Report) -> Option<String> {
    let opening = Opening::of(report);
    if let Some(portrait) = portrait(report, &opening) {
        let ([width, height], uri) = (THUMBNAIL, portrait.with_size(THUMBNAIL).picture(0));
        return Some(format!(r#"<img alt="" width="{width}" height="{height}" src="{uri}">"#));
    }
    let node = report.audit.nodes.get(opening.node?)?;
    let moment = Moment::of(report, opening.motion)?;
    if node.is_skinned {
        return None;
    }
    let [picture, _] = pictures(node, opening.shows.map(|show| moment.world(show, node.index)));
    Some(picture)
}

fn image(uri: &str) -> String {
    let [width, height] = SIZE;
    format!(
        r#"<svg class="picture" viewBox="0 0 {width} {height}" role="img" aria-label="The mesh; in orange where the other engines show it"><image width="{width}" height="{height}" href="{uri}"/></svg>"#
    )
}
