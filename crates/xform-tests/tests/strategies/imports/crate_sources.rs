use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The source files of a crate, by their path below the folder of its root.
pub(crate) struct CrateSources {
    files: BTreeMap<PathBuf, String>,
    root: PathBuf,
}

impl CrateSources {
    pub(crate) fn read(root: &Path) -> Self {
        let folder = root.parent().unwrap();
        let mut files = BTreeMap::new();
        let mut pending = vec![folder.to_owned()];
        while let Some(path) = pending.pop() {
            for entry in fs::read_dir(&path).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    pending.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let name = path.strip_prefix(folder).unwrap().to_owned();
                    files.insert(name, fs::read_to_string(path).unwrap());
                }
            }
        }
        Self { files, root: root.strip_prefix(folder).unwrap().to_owned() }
    }

    /// Adds a line to the end of a file.
    pub(crate) fn append(&mut self, file: &str, line: &str) {
        let text = self.files.get_mut(Path::new(file)).unwrap();
        *text = format!("{text}\n{line}\n");
    }

    /// The text of the module at a path from the root, such as `["scene", "node"]`.
    pub(crate) fn module(&self, path: &[String]) -> &str {
        let file = match path {
            [] => self.root.clone(),
            path => path.iter().collect::<PathBuf>().with_extension("rs"),
        };
        self.files.get(&file).unwrap_or_else(|| panic!("there is no {}", file.display()))
    }
}
