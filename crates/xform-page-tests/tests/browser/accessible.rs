//! The tree and the controls by keyboard, and as assistive technology reads them.

use crate::page::{Page, Setting};

fn attribute(page: &Page, selector: &str, name: &str) -> String {
    let found = page.value(&format!("document.querySelector({selector:?}).getAttribute({name:?})"));
    found.as_str().unwrap_or_default().to_owned()
}

#[test]
fn the_tree_tells_levels_and_folds_by_keyboard() {
    let page = Page::of("levels", &[], Setting::default());
    let level =
        |node: usize| attribute(&page, &format!("[data-node='{node}'][role]"), "aria-level");
    assert_eq!([0, 1, 4].map(level), ["1", "2", "5"]);
    assert_eq!(attribute(&page, "[data-node='2'][role]", "aria-expanded"), "true");
    assert_eq!(
        attribute(&page, "[data-node='4'][role]", "aria-expanded"),
        "",
        "it has nothing below it"
    );
    page.press("[role=tree]", "Home");
    page.press("[role=tree]", "ArrowDown");
    assert_eq!(
        page.text(".active[role=treeitem]")
            .trim_start_matches('▾')
            .split(' ')
            .take(2)
            .collect::<Vec<_>>(),
        ["Level", "1"]
    );
    page.press("[role=tree]", "ArrowLeft");
    assert_eq!(attribute(&page, "[data-node='1'][role]", "aria-expanded"), "false");
    assert_eq!(page.count("[role=treeitem]"), 2);
    page.press("[role=tree]", "ArrowLeft");
    assert!(
        page.text(".active[role=treeitem]").contains("Level 0"),
        "left of what is folded goes up"
    );
    page.press("[role=tree]", "ArrowDown");
    page.press("[role=tree]", "ArrowRight");
    assert_eq!(page.count("[role=treeitem]"), 5);
    page.press("[role=tree]", "End");
    page.press("[role=tree]", "Enter");
    assert!(page.text("[data-tell=name]").ends_with("Level 4"));
    let active = attribute(&page, "[role=tree]", "aria-activedescendant");
    assert_eq!(attribute(&page, &format!("#{active}"), "aria-selected"), "true");
}

#[test]
fn what_is_selected_elsewhere_unfolds_in_the_tree() {
    let page = Page::of("levels", &[], Setting::default());
    page.press("[role=tree]", "Home");
    page.press("[role=tree]", "ArrowLeft");
    assert_eq!(page.count("[role=treeitem]"), 1);
    page.run("choose(3)");
    assert_eq!(attribute(&page, "[data-node='3'][role]", "aria-selected"), "true");
}
