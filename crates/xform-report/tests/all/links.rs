//! Every link between the pages of the repository leads somewhere.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use scraper::{Html, Selector};

use crate::support::markdown::with_anchors;

/// Folders that hold no pages of ours.
const SKIPPED: [&str; 5] = ["target", "node_modules", ".git", "fuzz", "scenes"];

fn collect_pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        // The crates have links to pages of docs/, for their own documentation.
        if entry.file_type().expect("a type").is_symlink() {
            continue;
        }
        let path = entry.path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() && !SKIPPED.contains(&name.as_str()) {
            collect_pages(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

fn values<'a>(page: &'a Html, selector: &str, attribute: &'a str) -> impl Iterator<Item = &'a str> {
    let selector = Selector::parse(selector).expect("a selector");
    page.select(&selector)
        .filter_map(|element| element.value().attr(attribute))
        .collect::<Vec<_>>()
        .into_iter()
}

/// Why a link from a page in a folder leads nowhere, or `None`.
fn broken(
    link: &str,
    page: &Path,
    anchors: &BTreeMap<PathBuf, BTreeSet<String>>,
) -> Option<String> {
    let (path, fragment) =
        link.split_once('#').map_or((link, None), |(path, fragment)| (path, Some(fragment)));
    let target = if path.is_empty() { page.to_path_buf() } else { page.parent()?.join(path) };
    let Ok(target) = target.canonicalize() else { return Some("not there".to_owned()) };
    let is_known = |fragment: &str| anchors.get(&target).is_some_and(|of| of.contains(fragment));
    let is_page = target.extension().is_some_and(|extension| extension == "md");
    (is_page && !fragment.is_none_or(is_known)).then(|| "the page has no such heading".to_owned())
}

#[test]
fn every_link_leads_somewhere() {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
    let mut paths = Vec::new();
    collect_pages(&root, &mut paths);
    assert!(paths.len() > 30, "the pages are found");
    let pages: Vec<(PathBuf, Html)> = paths
        .into_iter()
        .map(|path| {
            let html = with_anchors(&fs::read_to_string(&path).expect("UTF-8"));
            (path, html)
        })
        .collect();
    let anchors = pages
        .iter()
        .map(|(path, page)| (path.clone(), values(page, "[id]", "id").map(str::to_owned).collect()))
        .collect::<BTreeMap<PathBuf, BTreeSet<String>>>();
    let mut wrong = Vec::new();
    for (path, page) in &pages {
        let links = values(page, "a[href]", "href").chain(values(page, "img[src]", "src"));
        // What has a scheme leads out of the repository.
        for link in links.filter(|link| !link.contains(':')) {
            if let Some(reason) = broken(link, path, &anchors) {
                wrong.push(format!(
                    "{}: {link}: {reason}",
                    path.strip_prefix(&root).expect("below it").display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
