use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
    rc::Rc,
};

use syn::{
    Attribute, Expr, File, Item, ItemMod, Token, UseTree, Visibility, parse_file,
    punctuated::Punctuated,
    visit::{self, Visit},
};

use super::crate_sources::CrateSources;

/// A path from the root of a crate.
type ModulePath = Vec<String>;

/// The modules of a crate that are files, tests left out.
pub(crate) struct ModuleTree {
    modules: BTreeMap<ModulePath, Module>,
}

#[derive(Default)]
struct Module {
    /// In the order of their declarations.
    children: Vec<String>,
    /// What it re-exports: by its new name, the path to it.
    exports: HashMap<String, ModulePath>,
    /// What is named in it, as absolute paths.
    named: BTreeSet<ModulePath>,
}

/// A module that uses something another one defines.
#[derive(Debug)]
pub(crate) struct Import {
    from: ModulePath,
    to: ModulePath,
    named: ModulePath,
}

impl Import {
    /// The module that has both, and which of its children imports from which; `None` where one of them is
    /// within the other.
    pub(crate) fn between_siblings(&self) -> Option<(&[String], &str, &str)> {
        let common = self.from.iter().zip(&self.to).take_while(|(a, b)| a == b).count();
        Some((&self.from[..common], self.from.get(common)?, self.to.get(common)?))
    }
}

impl fmt::Display for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, named } = self;
        write!(f, "{} -> {} (crate::{})", from.join("::"), to.join("::"), named.join("::"))
    }
}

thread_local! {
    /// By their texts, since one test reads a crate several times, each with another line more.
    static PARSED: RefCell<HashMap<String, Rc<File>>> = RefCell::default();
}

fn parsed(text: &str) -> Rc<File> {
    PARSED.with_borrow_mut(|parsed| match parsed.get(text) {
        Some(file) => Rc::clone(file),
        None => {
            let file = Rc::new(parse_file(text).unwrap());
            parsed.insert(text.to_owned(), Rc::clone(&file));
            file
        }
    })
}

impl ModuleTree {
    pub(crate) fn of(sources: &CrateSources) -> Self {
        let mut modules = BTreeMap::new();
        let mut pending = vec![Vec::new()];
        while let Some(path) = pending.pop() {
            let file = parsed(sources.module(&path));
            let mut reader = Reader { path: &path, inline: Vec::new(), module: Module::default() };
            reader.visit_file(&file);
            let child = |name: &String| [path.as_slice(), std::slice::from_ref(name)].concat();
            pending.extend(reader.module.children.iter().map(child));
            modules.insert(path.clone(), reader.module);
        }
        Self { modules }
    }

    pub(crate) fn children_of_root(&self) -> &[String] {
        &self.modules[[].as_slice()].children
    }

    pub(crate) fn imports(&self) -> Vec<Import> {
        let mut imports = Vec::new();
        for (from, module) in &self.modules {
            for named in &module.named {
                let to = self.defined_in(named);
                imports.push(Import { from: from.clone(), to, named: named.clone() });
            }
        }
        imports
    }

    /// The module that defines what a path leads to, through whatever re-exports it.
    fn defined_in(&self, path: &[String]) -> ModulePath {
        let mut at = Vec::new();
        for (position, name) in path.iter().enumerate() {
            let module = &self.modules[&at];
            if module.children.contains(name) {
                at.push(name.clone());
            } else if let Some(export) = module.exports.get(name) {
                return self.defined_in(&[export, &path[position + 1..]].concat());
            } else {
                return at;
            }
        }
        at
    }
}

/// Collects what a file names.
struct Reader<'a> {
    path: &'a [String],
    /// The modules within the file that are being read, the innermost last.
    inline: Vec<String>,
    module: Module,
}

impl Reader<'_> {
    /// The absolute path to something in this crate; `None` for what is in another.
    fn absolute(&self, path: &[String]) -> Option<ModulePath> {
        let mut base = match path.first()?.as_str() {
            "crate" => Vec::new(),
            "self" | "super" => [self.path, &self.inline].concat(),
            child if self.module.children.iter().any(|known| known == child) => {
                return Some([self.path, path].concat());
            }
            _ => return None,
        };
        let mut rest = path;
        while let Some((first, behind)) = rest.split_first() {
            match first.as_str() {
                "super" => drop(base.pop()),
                "crate" | "self" => {}
                _ => break,
            }
            rest = behind;
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    fn add_use(&mut self, tree: &UseTree, before: &mut Vec<String>, is_export: bool) {
        let (name, target) = match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.add_use(&path.tree, before, is_export);
                before.pop();
                return;
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.add_use(tree, before, is_export));
                return;
            }
            UseTree::Name(name) => (name.ident.to_string(), name.ident.to_string()),
            UseTree::Rename(rename) => (rename.rename.to_string(), rename.ident.to_string()),
            // Of what comes by a star nothing could be said.
            UseTree::Glob(_) => {
                assert!(self.absolute(before).is_none(), "{:?}: {before:?}::*", self.path);
                return;
            }
        };
        let mut path = before.clone();
        path.extend(Some(target).filter(|target| target != "self"));
        let Some(path) = self.absolute(&path) else { return };
        // Paths that begin with another name for a module around this one would not be found.
        assert!(!self.path.starts_with(&path), "{:?}: {path:?} as {name}", self.path);
        // What a module passes on of itself is no use of it.
        if !(is_export && path.starts_with(self.path)) {
            self.module.named.insert(path.clone());
        }
        if is_export {
            self.module.exports.insert(name, path);
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_file(&mut self, file: &'ast File) {
        for item in &file.items {
            if let Item::Mod(ItemMod { ident, content: None, attrs, .. }) = item
                && !is_test(attrs)
            {
                self.module.children.push(ident.to_string());
            }
        }
        visit::visit_file(self, file);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            self.inline.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.inline.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_export = !matches!(item.vis, Visibility::Inherited);
        self.add_use(&item.tree, &mut Vec::new(), is_export);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if names.len() > 1
            && let Some(path) = self.absolute(&names)
        {
            self.module.named.insert(path);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        // Most macros take expressions. What others take is not looked into.
        let arguments = called.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
        for argument in arguments.iter().flatten() {
            let mut inner =
                Reader { path: self.path, inline: self.inline.clone(), module: Module::default() };
            inner.module.children.clone_from(&self.module.children);
            inner.visit_expr(argument);
            self.module.named.append(&mut inner.module.named);
        }
        visit::visit_macro(self, called);
    }

    fn visit_visibility(&mut self, _: &'ast Visibility) {
        // `pub(in crate::…)` uses nothing.
    }
}

/// Whether something is compiled for tests alone.
fn is_test(attributes: &[Attribute]) -> bool {
    let is_cfg = |attribute: &&Attribute| attribute.path().is_ident("cfg");
    let is_for_tests = |attribute: &Attribute| {
        let list = attribute.meta.require_list();
        list.is_ok_and(|list| ["test", "doctest"].contains(&list.tokens.to_string().as_str()))
    };
    attributes.iter().filter(is_cfg).any(is_for_tests)
}
