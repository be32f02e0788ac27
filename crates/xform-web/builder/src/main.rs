//! Builds the page: `cargo run --manifest-path crates/xform-web/Cargo.toml -p builder`, from any folder. Exits with 77
//! if nothing can be compiled for WebAssembly.
// The builder does the work of the `wasm-bindgen` command with the library below it. So one command makes the page,
// nothing but the target has to be installed, and both versions of wasm-bindgen, which must be equal, are in one lock
// file.
//
// The page is a single file, because a page opened from a disk may not load modules or workers from other files:
// scripts, worker and library are embedded as text. The promise that nothing is uploaded rests on its policy
// (`default-src 'none'`, no `connect-src`), which makes the browser refuse every request. The report is shown in a
// frame without the page's origin, as if it came from elsewhere.
//
// In a trial with 131 files (553 243 values) the JSON and the page of each file, and repaired files, were
// byte-identical to those of the program (`XFORM_SCENES=… bash .ci/web`).

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use wasm_bindgen_cli_support::Bindgen;

const TARGET: &str = "wasm32-unknown-unknown";

/// The exit code that test runners interpret as "skipped".
const SKIPPED: u8 = 77;

/// Deep hierarchies need more than the default stack of one megabyte.
const STACK: [&str; 2] = ["-C", "link-arg=-zstack-size=8388608"];

fn main() -> ExitCode {
    match run() {
        Ok(Some(page)) => {
            println!("{}", page.display());
            ExitCode::SUCCESS
        }
        Ok(None) => {
            eprintln!(
                "skipped: nothing here compiles for WebAssembly. Either: rustup target add {TARGET}. Or: a nightly toolchain with \
                 its component rust-src."
            );
            ExitCode::from(SKIPPED)
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Builds the page and returns its path. `None` if the target is missing.
fn run() -> Result<Option<PathBuf>, Box<dyn Error>> {
    let Some(std) = standard_library()? else { return Ok(None) };
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = here.parent().ok_or("the builder has no folder above it")?;
    let root = package.ancestors().nth(2).ok_or("the package is not in a repository")?;
    let out = root.join("target/web");
    // Panics contain file names. The paths on this machine must not appear in the page.
    let registry =
        env::var("CARGO_HOME").or_else(|_| env::var("HOME").map(|home| home + "/.cargo"));
    let hidden = [Some((root.display().to_string(), "xform")), registry.ok().zip(Some("cargo"))];
    let hidden: Vec<_> = hidden
        .into_iter()
        .flatten()
        .map(|(place, name)| format!("--remap-path-prefix={place}={name}"))
        .collect();
    let flags: Vec<_> = STACK.into_iter().chain(hidden.iter().map(String::as_str)).collect();
    let c = c_compiler()?;
    if c.is_none() {
        eprintln!(
            "without FBX: no C compiler for WebAssembly was found. Install Debian's packages clang, llvm and wasi-libc, or name a \
             compiler in CC_wasm32_unknown_unknown and a folder with include/{LIBC} and lib/{LIBC} in WASI_SYSROOT."
        );
    }
    // Without SIMD128, which some browsers refuse. Audits work in `f64` from node to node and gain nothing from it
    // (docs/benchmarks.md).
    let library = compiled(package, &out, &flags, std, c)?;
    let part = |name: &str| {
        let path = package.join("page").join(name);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let worker = in_script(&(library.glue + &part("worker.js")?));
    let program = match homepage(root)?.as_str() {
        "" => "The command-line program <code>xform</code>".to_owned(),
        url => format!(
            "<a href=\"{url}\" target=\"_blank\">The command-line program <code>xform</code></a>"
        ),
    };
    let parts = [
        ("{{program}}", program),
        ("{{style}}", part("page.css")?),
        ("{{script}}", part("page.js")?),
        ("{{worker}}", worker),
        ("{{wasm}}", STANDARD.encode(library.wasm)),
    ];
    let page =
        parts.iter().fold(part("index.html")?, |page, (mark, part)| page.replacen(mark, part, 1));
    let path = out.join("index.html");
    fs::write(&path, page)?;
    Ok(Some(path))
}

/// Returns the program's homepage from the workspace manifest, or an empty string if it is not published.
fn homepage(root: &Path) -> Result<String, Box<dyn Error>> {
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    let line = manifest.lines().find_map(|line| line.strip_prefix("homepage = \""));
    let url =
        line.and_then(|line| line.strip_suffix('"')).ok_or("the workspace has no homepage")?;
    if url.contains(['"', '<', '&']) {
        return Err(format!("the homepage cannot stand in a page: {url}").into());
    }
    Ok(url.to_owned())
}

/// The source of the standard library for the target.
#[derive(Clone, Copy)]
enum Std {
    Installed,
    /// Compiled together with the page.
    Source,
}

fn standard_library() -> Result<Option<Std>, Box<dyn Error>> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let told = |arguments: &[&str]| -> Result<String, Box<dyn Error>> {
        let told = Command::new(&rustc).args(arguments).output()?;
        Ok(String::from_utf8(told.stdout)?)
    };
    let sysroot = told(&["--print", "sysroot"])?;
    let libraries = Path::new(sysroot.trim()).join("lib/rustlib");
    let is_unstable =
        told(&["--version"])?.contains("nightly") || env::var_os("RUSTC_BOOTSTRAP").is_some();
    Ok(if libraries.join(TARGET).is_dir() {
        Some(Std::Installed)
    } else if is_unstable && libraries.join("src/rust/library/Cargo.lock").is_file() {
        Some(Std::Source)
    } else {
        None
    })
}

/// The module, and the script that calls it.
struct Compiled {
    glue: String,
    wasm: Vec<u8>,
}

/// The compiler for the FBX reader, which is written in C.
struct CCompiler {
    program: String,
    archiver: String,
    /// The folder of the headers and libraries.
    sysroot: PathBuf,
}

/// The name of the folders of a C library for WebAssembly, below `include` and `lib` in a sysroot.
// `wasm32-unknown-unknown` has no C library. ufbx needs only memory, strings and mathematics, nothing from a system, so
// `libc.a` of wasi-libc links without an import that a browser lacks. The sandbox of the page replaces the process in
// which the program reads FBX. Sines and cosines of this library differ from others in their last digits, so figures of
// FBX files are equal to rounding, not to the byte.
const LIBC: &str = "wasm32-wasi";

/// Finds a C compiler for WebAssembly with a C library. A compiler named in the environment must exist. `None` builds a
/// page that reports that it cannot read FBX.
fn c_compiler() -> Result<Option<CCompiler>, Box<dyn Error>> {
    let sysroot = PathBuf::from(env::var_os("WASI_SYSROOT").unwrap_or_else(|| "/usr".into()));
    let named = env::var("CC_wasm32_unknown_unknown").ok();
    // The names under which distributions install several versions side by side.
    let versions = (14..30).rev().map(|version| format!("-{version}"));
    let suffixes: Vec<_> = [String::new()].into_iter().chain(versions).collect();
    let of = |plain: &str| suffixes.iter().map(|suffix| format!("{plain}{suffix}")).collect();
    let programs: Vec<String> = named.clone().map_or_else(|| of("clang"), |named| vec![named]);
    let archivers: Vec<String> =
        env::var("AR_wasm32_unknown_unknown").map_or_else(|_| of("llvm-ar"), |named| vec![named]);
    let program = programs.into_iter().find(|program| compiles(program, &sysroot));
    if let (Some(named), None) = (named, &program) {
        return Err(
            format!("CC_wasm32_unknown_unknown: {named} cannot compile C for WebAssembly").into()
        );
    }
    let runs = |program: &String| {
        Command::new(program).arg("--version").output().is_ok_and(|told| told.status.success())
    };
    let archiver = archivers.into_iter().find(runs);
    let has_library = sysroot.join("lib").join(LIBC).join("libc.a").is_file();
    let found = program.zip(archiver).filter(|_| has_library);
    Ok(found.map(|(program, archiver)| CCompiler { program, archiver, sysroot }))
}

/// Whether a compiler can compile to WebAssembly and finds the headers.
fn compiles(program: &str, sysroot: &Path) -> bool {
    let mut compiler = Command::new(program);
    compiler.args(["--target=wasm32-unknown-unknown", "-fsyntax-only", "-D__wasi__", "-isystem"]);
    compiler.arg(sysroot.join("include").join(LIBC)).args(["-include", "string.h", "-x", "c", "-"]);
    compiler.stdin(Stdio::null()).output().is_ok_and(|told| told.status.success())
}

fn compiled(
    package: &Path,
    out: &Path,
    flags: &[&str],
    std: Std,
    c: Option<CCompiler>,
) -> Result<Compiled, Box<dyn Error>> {
    let mut flags: Vec<_> = flags.iter().map(|&flag| flag.to_owned()).collect();
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([
        "build",
        "--release",
        "--locked",
        "--package",
        "xform-web",
        "--lib",
        "--target",
        TARGET,
    ]);
    if let Std::Source = std {
        cargo.args(["-Z", "build-std=std,panic_abort"]);
    }
    cargo.arg("--manifest-path").arg(package.join("Cargo.toml"));
    cargo.arg("--target-dir").arg(out);
    if let Some(CCompiler { program, archiver, sysroot }) = c {
        let include = sysroot.join("include").join(LIBC);
        let libc = sysroot.join("lib").join(LIBC).join("libc.a");
        // The reader takes bytes, not files. A failed assertion ends the module, as a panic does.
        let c_flags = format!(
            "-isystem '{}' -D__wasi__ -DUFBX_NO_STDIO '-Dufbx_assert(cond)=((cond)?(void)0:__builtin_trap())'",
            include.display()
        );
        cargo.args(["--features", "fbx"]).env("CC_wasm32_unknown_unknown", program);
        cargo.env("CC_SHELL_ESCAPED_FLAGS", "1");
        cargo
            .env("AR_wasm32_unknown_unknown", archiver)
            .env("CFLAGS_wasm32_unknown_unknown", c_flags);
        flags.push(format!("-Clink-arg={}", libc.display()));
    }
    let status = cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")).status()?;
    if !status.success() {
        return Err("the page does not compile for WebAssembly".into());
    }
    let module = out.join(TARGET).join("release/xform_web.wasm");
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).no_modules(true)?.typescript(false).remove_name_section(true);
    bindgen.remove_producers_section(true).omit_default_module_path(true);
    let bound = out.join("bound");
    bindgen.generate(&bound)?;
    Ok(Compiled {
        glue: fs::read_to_string(bound.join("xform_web.js"))?,
        wasm: fs::read(bound.join("xform_web_bg.wasm"))?,
    })
}

/// Escapes a script for embedding in a page, where a tag in it would end it.
fn in_script(script: &str) -> String {
    script.replace("</", "<\\/").replace("<!--", "<\\!--")
}
