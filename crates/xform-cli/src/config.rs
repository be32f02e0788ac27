//! The configuration file of a repository, `xform.toml`: docs/configuration.md.

// The configuration decides what fails, not what was measured. It turns findings into severities and does not affect
// JSON, text or the page, so two people with two configurations get the same figures.

use std::{
    collections::HashMap,
    env,
    ffi::OsStr,
    io::{self, Read},
    mem,
    path::{Component, Path, PathBuf},
};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;
use xform_compare::{
    Finding, SceneAudit,
    audit::PhysicsChoice,
    findings,
    judge::{Limits, RULES, Severity},
};

use crate::{
    arguments::{AuditArguments, ConfigArguments, PhysicsArguments},
    choices::{ColliderChoice, FailOn},
    engine_name::{self, EngineName, engine_name},
    open_files::{decoded, open_regular, open_text},
    scene_argument::path,
};

/// The name of the file.
const NAME: &str = "xform.toml";

/// The most bytes that it may have.
const LONGEST: u64 = 1 << 24;

/// Limits, severities, and findings that do not count.
#[derive(Debug, Default)]
pub(crate) struct Config {
    /// The file that it was read from, if any.
    pub(crate) file: Option<PathBuf>,
    /// The folder that paths are relative to.
    folder: PathBuf,
    limits: Limits,
    /// Whether nodes that draw nothing count.
    pub(crate) undrawn: bool,
    /// The engines in which an asset must look the same.
    pub(crate) engines: Vec<EngineName>,
    /// The physics engines in which colliders must be where they are drawn, and the shape that meshes are judged as in
    /// a file without colliders.
    pub(crate) physics: PhysicsChoice,
    severities: HashMap<String, Level>,
    ignores: Vec<Ignore>,
    owners: Vec<Owner>,
}

/// The owner of files.
#[derive(Debug)]
struct Owner {
    files: Pattern,
    name: String,
}

/// Findings or whole files to ignore.
#[derive(Debug)]
struct Ignore {
    files: Option<Pattern>,
    nodes: Option<Pattern>,
    rules: Option<Vec<String>>,
    reason: String,
}

/// A pattern for paths, which matches letter by letter or as a glob.
#[derive(Debug)]
struct Pattern {
    text: String,
    glob: GlobSet,
}

/// The configuration file as it is written.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Written {
    max_skew: Option<f64>,
    max_displacement: Option<f64>,
    fail_on: Option<FailOn>,
    #[serde(default)]
    allow_unknown: bool,
    #[serde(default)]
    undrawn: bool,
    engines: Option<Vec<String>>,
    physics: Option<Vec<String>>,
    collider: Option<ColliderChoice>,
    #[serde(default)]
    severity: HashMap<String, Level>,
    #[serde(default)]
    ignore: Vec<WrittenIgnore>,
    #[serde(default)]
    owner: Vec<WrittenOwner>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenOwner {
    files: String,
    name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenIgnore {
    files: Option<String>,
    nodes: Option<String>,
    rules: Option<Vec<String>>,
    reason: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Off,
    Note,
    Warning,
    Error,
}

impl Config {
    /// Returns the path and text of the requested file, or else of the one in the current folder or the nearest above
    /// it. An error is one line that names the file.
    pub(crate) fn source(arguments: &ConfigArguments) -> Result<Option<(PathBuf, String)>, String> {
        let (path, text) = match &arguments.config {
            Some(path) => (path.clone(), open_text(path).and_then(read)),
            None if arguments.no_config => return Ok(None),
            None => match nearest()? {
                // A pipe is read only if the user named it.
                Some(path) => (path.clone(), open_regular(&path).map(decoded).and_then(read)),
                None => return Ok(None),
            },
        };
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Some((path, text)))
    }

    /// Combines a file with the command line of an audit, whose limits win. An error is one line that names the file.
    pub(crate) fn of_audit(
        source: Option<&(PathBuf, String)>,
        arguments: &AuditArguments,
    ) -> Result<Self, String> {
        let mut config = Self::over(source, &arguments.physics)?;
        let Limits { max_skew_degrees, max_displacement_percent, fail_on, allows_unknown, .. } =
            &mut config.limits;
        *allows_unknown |= arguments.allow_unknown;
        *fail_on = arguments.fail_on.map(Into::into).or(*fail_on);
        config.undrawn |= arguments.undrawn;
        *max_skew_degrees = arguments.max_skew.or(*max_skew_degrees);
        *max_displacement_percent = arguments.max_displacement.or(*max_displacement_percent);
        Ok(config)
    }

    /// Combines a file with the physics engines of the command line. An error is one line that names the file.
    pub(crate) fn over(
        source: Option<&(PathBuf, String)>,
        physics: &PhysicsArguments,
    ) -> Result<Self, String> {
        let mut config = match source {
            Some((path, text)) => {
                let folder = whole(path.parent().unwrap_or(Path::new("")))
                    .ok_or_else(|| format!("{}: there is no current folder", path.display()))?;
                Self::parse(text, folder).map_err(|line| format!("{}{line}", path.display()))?
            }
            None => Self::default(),
        };
        config.file = source.map(|(path, _)| path.clone());
        let physics = physics.over(mem::take(&mut config.physics));
        config.physics = physics.map_err(|what| match &config.file {
            Some(path) => format!("{}: {what}", path.display()),
            None => what.to_owned(),
        })?;
        Ok(config)
    }

    /// Parses the text of a file in a folder. The error is meant to follow the file's name.
    pub(crate) fn parse(text: &str, folder: PathBuf) -> Result<Self, String> {
        let written: Written = toml::from_str(text).map_err(|error| {
            let place = error.span().map_or_else(String::new, |span| place(text, span.start));
            format!("{place}: {}", error.message().replace(|c: char| c.is_control(), " "))
        })?;
        Self::checked(written, folder).map_err(|line| format!(": {line}"))
    }

    fn checked(written: Written, folder: PathBuf) -> Result<Self, String> {
        let limit = |name: &str, value: Option<f64>| match value {
            Some(value) if !value.is_finite() || value < 0.0 => {
                Err(format!("{name} = {value}: a limit must be finite and not negative"))
            }
            value => Ok(value),
        };
        let mut limits = Limits::default();
        limits.max_skew_degrees = limit("max-skew", written.max_skew)?;
        limits.max_displacement_percent = limit("max-displacement", written.max_displacement)?;
        limits.fail_on = written.fail_on.map(Into::into);
        limits.allows_unknown = written.allow_unknown;
        let named = written.ignore.iter().filter_map(|ignore| ignore.rules.as_ref()).flatten();
        for rule in written.severity.keys().chain(named) {
            if !RULES.iter().any(|known| known.id == rule) {
                return Err(format!("there is no rule `{rule}`"));
            }
        }
        let ignores = written.ignore.into_iter().enumerate().map(|(position, ignore)| {
            Ignore::checked(ignore).map_err(|line| format!("ignore {}: {line}", position + 1))
        });
        let ignores = ignores.collect::<Result<_, _>>()?;
        let owners = written.owner.into_iter().enumerate().map(|(position, owner)| {
            Owner::checked(owner).map_err(|line| format!("owner {}: {line}", position + 1))
        });
        let owners = owners.collect::<Result<_, _>>()?;
        let names = written.engines.as_deref();
        if names.is_some_and(<[_]>::is_empty) {
            return Err("the list of engines is empty".to_owned());
        }
        let engines = names.unwrap_or_default().iter().map(|name| engine_name(name));
        let engines = engines.collect::<Result<_, _>>()?;
        let physics = written.physics.iter().flatten().map(|name| engine_name::physics(name));
        let collider = written.collider.map(Into::into);
        let physics = PhysicsChoice::named(physics.collect::<Result<_, _>>()?, collider);
        let Written { undrawn, severity: severities, .. } = written;
        Ok(Self {
            file: None,
            folder,
            limits,
            undrawn,
            engines,
            physics,
            severities,
            ignores,
            owners,
        })
    }

    /// Returns the reason to ignore a file, if it is ignored.
    pub(crate) fn ignored_file(&self, scene: &OsStr) -> Option<&str> {
        let path = self.relative(scene)?;
        let mut whole =
            self.ignores.iter().filter(|one| one.nodes.is_none() && one.rules.is_none());
        let ignore =
            whole.find(|ignore| ignore.files.as_ref().is_some_and(|files| files.is(&path)))?;
        Some(&ignore.reason)
    }

    /// Returns the owner of a file: the first in the configuration with a matching pattern.
    pub(crate) fn owner(&self, scene: &OsStr) -> Option<&str> {
        let path = self.relative(scene)?;
        let owner = self.owners.iter().find(|owner| owner.files.is(&path))?;
        Some(&owner.name)
    }

    /// Whether a finding can fail, through a limit or as an error by its severity.
    pub(crate) fn can_fail(&self) -> bool {
        let is_error = |level: &Level| level.severity() == Severity::Error;
        self.limits.is_any() || self.severities.values().any(is_error)
    }

    /// Returns the findings in a scene, with the severities of the configuration and without the rules that it turns
    /// off.
    pub(crate) fn findings(&self, audit: &SceneAudit, scene: &OsStr) -> Vec<Finding> {
        let path = self.relative(scene);
        let here = self.ignores.iter().filter(|ignore| ignore.is_of_file(path.as_deref()));
        let here: Vec<_> = here.collect();
        let mut findings = findings(audit, &self.limits);
        for finding in &mut findings {
            if let Some(level) =
                self.severities.get(finding.rule).filter(|_| finding.excess.is_none())
            {
                finding.severity = level.severity();
                finding.fails = finding.severity == Severity::Error;
            }
            let ignore = here.iter().find(|ignore| ignore.is_of(audit, finding));
            finding.ignored = ignore.map(|ignore| ignore.reason.clone());
        }
        findings.retain(|finding| finding.severity > Severity::Off);
        findings
    }

    /// Returns a path in the form that patterns match: relative to the folder of the configuration file, with `/`.
    /// `None` for a built-in scene and for standard input, which are no files.
    fn relative(&self, scene: &OsStr) -> Option<String> {
        let path = whole(path(scene)?)?;
        let path = path
            .strip_prefix(&self.folder)
            .ok()
            .or_else(|| {
                // A link on the way may have led to the real path of the folder.
                path.strip_prefix(self.folder.canonicalize().ok()?).ok()
            })
            .unwrap_or(&path);
        let text = path.to_string_lossy();
        Some(if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() })
    }
}

impl Owner {
    fn checked(WrittenOwner { files, name }: WrittenOwner) -> Result<Self, String> {
        if name.trim().is_empty() || name.contains(char::is_control) {
            return Err("a name must not be blank or contain control characters".to_owned());
        }
        Ok(Self { files: Pattern::new(files)?, name })
    }
}

impl Ignore {
    fn checked(written: WrittenIgnore) -> Result<Self, String> {
        let WrittenIgnore { files, nodes, rules, reason } = written;
        if reason.trim().is_empty() {
            return Err("the reason is empty".to_owned());
        }
        if files.is_none() && nodes.is_none() && rules.is_none() {
            return Err("it needs `files`, `nodes` or `rules`".to_owned());
        }
        if rules.as_ref().is_some_and(Vec::is_empty) {
            return Err("the list of rules is empty".to_owned());
        }
        let pattern = |text: Option<String>| text.map(Pattern::new).transpose();
        Ok(Self { files: pattern(files)?, nodes: pattern(nodes)?, rules, reason })
    }

    fn is_of_file(&self, path: Option<&str>) -> bool {
        self.files.as_ref().is_none_or(|files| path.is_some_and(|path| files.is(path)))
    }

    fn is_of(&self, audit: &SceneAudit, finding: &Finding) -> bool {
        let is_of_node = self.nodes.as_ref().is_none_or(|nodes| {
            let node = finding.node.as_ref();
            node.is_some_and(|(node, path)| nodes.is(path) || nodes.is(&names(audit, *node)))
        });
        let is_of_rule = |rules: &Vec<String>| rules.iter().any(|rule| rule == finding.rule);
        is_of_node && self.rules.as_ref().is_none_or(is_of_rule)
    }
}

/// The longest pattern allowed. No path is longer, and a pattern compiles to an automaton larger than itself.
const LONGEST_PATTERN: usize = 4096;

impl Pattern {
    fn new(text: String) -> Result<Self, String> {
        if text.len() > LONGEST_PATTERN || text.contains(|c: char| c.is_control()) {
            let limits = format!("at most {LONGEST_PATTERN} bytes and no control characters");
            return Err(format!("a pattern may have {limits}"));
        }
        let glob = GlobBuilder::new(&text).literal_separator(true).build();
        let set = glob.and_then(|glob| GlobSetBuilder::new().add(glob).build());
        match set {
            Ok(glob) => Ok(Self { text, glob }),
            Err(error) => Err(format!("`{text}`: {}", error.kind())),
        }
    }

    fn is(&self, path: &str) -> bool {
        self.text == path || self.glob.is_match(path)
    }
}

impl Level {
    fn severity(self) -> Severity {
        match self {
            Self::Off => Severity::Off,
            Self::Note => Severity::Note,
            Self::Warning => Severity::Warning,
            Self::Error => Severity::Error,
        }
    }
}

/// The number of names of a path that patterns see. Names farther up are left out.
const NAMES: usize = 64;

/// Returns the names from the root down to a node. Unlike the paths that are displayed, they are not shortened.
fn names(audit: &SceneAudit, node: usize) -> String {
    let upwards = std::iter::successors(Some(node), |&node| audit.nodes[node].parent);
    let name = |node: usize| match audit.nodes[node].name.as_deref() {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("#{node}"),
    };
    let mut names: Vec<_> = upwards.take(NAMES).map(name).collect();
    names.reverse();
    names.join("/")
}

fn read(file: impl Read) -> io::Result<String> {
    let mut text = String::new();
    file.take(LONGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST {
        Err(io::Error::other(format!("it is larger than {LONGEST} bytes")))
    } else {
        Ok(text)
    }
}

/// Returns the nearest configuration file, of any kind. A dead link or an unreadable file is an error and does not
/// count as missing: without its limits a check would pass. So is a folder that cannot be searched.
fn nearest() -> Result<Option<PathBuf>, String> {
    // A relative path also works if the folders above are closed to this user.
    let here = PathBuf::from(NAME);
    if is_there(&here)? {
        return Ok(Some(here));
    }
    let folder = env::current_dir().map_err(|error| format!("the current folder: {error}"))?;
    for path in folder.ancestors().skip(1).map(|folder| folder.join(NAME)) {
        if is_there(&path)? {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

fn is_there(path: &Path) -> Result<bool, String> {
    match path.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(format!(
            "{}: {error}, so it is unclear whether there is a configuration; --no-config continues without one",
            path.display()
        )),
    }
}

/// Returns an absolute path without `.` and `..`. On Unix, `..` after a link leads to the folder above the link's target,
/// as it does when the file is opened: otherwise an exception would cover another file. `None` if it is
/// relative and there is no current folder.
fn whole(path: &Path) -> Option<PathBuf> {
    let path =
        if path.is_absolute() { path.to_owned() } else { env::current_dir().ok()?.join(path) };
    Some(path.components().fold(PathBuf::new(), |mut whole, component| {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if cfg!(unix)
                    && whole.is_symlink()
                    && let Ok(target) = whole.canonicalize()
                {
                    whole = target;
                }
                whole.pop();
            }
            other => whole.push(other),
        }
        whole
    }))
}

/// Returns `:line:column` of a byte, both counted from 1.
fn place(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or(text);
    let (line, start) = (before.matches('\n').count() + 1, before.rfind('\n').map_or(0, |i| i + 1));
    format!(":{line}:{}", before[start..].chars().count() + 1)
}
