use std::collections::HashMap;

/// The longest part of a scene's path in a name, in bytes. Most file systems allow 255 in all.
const LONGEST: usize = 120;

/// Generates file names for the pages of many scenes, distinct even without regard to case.
#[derive(Debug)]
pub(crate) struct PageNames {
    /// The last number appended to each used name, by the name in lower case without its extension.
    taken: HashMap<String, usize>,
}

impl PageNames {
    /// Creates a generator that avoids the name of a page, given without its extension.
    pub(crate) fn other_than(page: &str) -> Self {
        Self { taken: HashMap::from([(page.to_owned(), 1)]) }
    }

    /// Returns a name for the page of a scene, made from its path.
    pub(crate) fn name(&mut self, scene: &str) -> String {
        let wanted = readable(scene);
        let mut name = wanted.clone();
        while self.taken.contains_key(&name.to_lowercase()) {
            let number = self.taken.entry(wanted.to_lowercase()).or_insert(1);
            *number += 1;
            name = format!("{wanted}-{number}");
        }
        self.taken.insert(name.to_lowercase(), 1);
        format!("{name}.html")
    }
}

/// Returns the end of a path with only letters and digits of any script, `.` and `_`. Other characters become `-`.
fn readable(path: &str) -> String {
    let is_kept = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    let parts: Vec<_> = path.split(|c| !is_kept(c)).filter(|part| !part.is_empty()).collect();
    let name = parts.join("-");
    let starts = name.char_indices().map(|(start, _)| start);
    let start = starts.into_iter().find(|start| name.len() - start <= LONGEST);
    match name[start.unwrap_or(0)..].trim_start_matches(['.', '-']) {
        "" => "scene".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_readable_and_differ() {
        let mut names = PageNames::other_than("index");
        let examples = [
            ("assets/Robot arm.glb", "assets-Robot-arm.glb.html"),
            ("assets-robot arm.GLB", "assets-robot-arm.GLB-2.html"),
            ("assets/robot-arm.glb-2", "assets-robot-arm.glb-2-2.html"),
            ("../ASSETS/robot?arm.glb", "ASSETS-robot-arm.glb-3.html"),
            ("C:\\日本\\é.gltf", "C-日本-é.gltf.html"),
            ("#1 %41 & <b>.glb", "1-41-b-.glb.html"),
            ("???", "scene.html"),
            ("Index", "Index-2.html"),
        ];
        for (scene, name) in examples {
            assert_eq!(names.name(scene), name, "{scene}");
        }
    }

    #[test]
    fn names_are_short_enough_for_file_systems() {
        let long = format!("folder/{}é.glb", "ü".repeat(300));
        let name = PageNames::other_than("index").name(&long);
        assert!(name.len() <= LONGEST + ".html".len() && name.ends_with("üé.glb.html"), "{name}");
    }
}
