//! A page open in a browser.

use std::{
    ffi::OsStr,
    fs::{self, File},
    path::Path,
    sync::{Arc, Mutex},
    thread::sleep,
    time::{Duration, Instant},
};

use headless_chrome::{
    Browser, LaunchOptions, Tab,
    browser::tab::point::Point,
    protocol::cdp::{
        Browser as Browsing, Emulation, Input, Log, Network, Page as Paging, types::Event,
    },
};
use serde_json::Value;
use xform_compare::{
    audit::{PhysicsChoice, PhysicsRoad},
    compare,
    judge::{DiffOptions, DiffReport, Report},
    measure::collide,
};
use xform_report::{write_diff_html, write_html};
use xform_scene::{BuiltIn, Scene, gltf::read_gltf_drawing, read_gltf};

/// Draws with all pixels: on a busy machine the page leaves some out while it moves.
const DRAW_SHARP: &str = "look.pixels = 1, look.drawNow()";

pub(crate) struct Page {
    tab: Arc<Tab>,
    /// Errors on the console and requests to the network.
    noticed: Arc<Mutex<Vec<String>>>,
    _browser: Browser,
    _folder: Option<tempfile::TempDir>,
}

/// How a page is opened.
#[derive(Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) is_dark: bool,
    pub(crate) has_scripts: bool,
    pub(crate) has_webgl: bool,
}

impl Default for Setting {
    fn default() -> Self {
        Self { width: 1100, height: 900, is_dark: false, has_scripts: true, has_webgl: true }
    }
}

impl Page {
    /// The report on a built-in scene with settings.
    pub(crate) fn of(name: &str, settings: &[(&str, f64)], setting: Setting) -> Self {
        let report = Report::of_built_in(BuiltIn::named(name).unwrap(), &owned(settings));
        Self::open(&report.unwrap(), setting)
    }

    /// The report on a file with this content.
    pub(crate) fn of_file(file: &str) -> Self {
        Self::open(&Report::of_scene(&scene(file, "scene.gltf")).unwrap(), Setting::default())
    }

    /// The report on a file with this content, and what physics engines make of its shapes.
    pub(crate) fn of_colliders(file: &str, engines: &[&str], setting: Setting) -> Self {
        let scene = scene(file, "scene.gltf");
        let mut audit = compare(&scene).unwrap();
        let engines = engines.iter().map(|id| PhysicsRoad::named(id).unwrap()).collect();
        let choice = PhysicsChoice::named(engines, None);
        audit.physics = collide(&scene, &choice, audit.summary.diagonal);
        Self::open(&Report::of_audit(&scene, audit), setting)
    }

    pub(crate) fn open(report: &Report, setting: Setting) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.html");
        write_html(report, &mut File::create(&file).unwrap()).unwrap();
        Self { _folder: Some(folder), ..Self::at(&file, setting) }
    }

    /// What is another between two scenes.
    pub(crate) fn of_diff(scenes: [Scene; 2], setting: Setting) -> Self {
        let both = scenes.map(|scene| {
            let audit = compare(&scene).unwrap();
            (scene, audit)
        });
        let report = DiffReport::new(both, &DiffOptions::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("diff.html");
        write_diff_html(&report, &mut File::create(&file).unwrap()).unwrap();
        Self { _folder: Some(folder), ..Self::at(&file, setting) }
    }

    /// A page that there is.
    pub(crate) fn at(file: &Path, setting: Setting) -> Self {
        // Software rendering, the same everywhere, and no sandbox, which root cannot have.
        let software = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
        let graphics = if setting.has_webgl { &software[..] } else { &["--disable-3d-apis"] };
        let arguments = [graphics, &["--hide-scrollbars"]].concat();
        let options = LaunchOptions::default_builder()
            .sandbox(false)
            .idle_browser_timeout(Duration::from_secs(120))
            .window_size(Some((setting.width, setting.height)))
            .args(arguments.iter().map(OsStr::new).collect())
            .build();
        let browser = Browser::new(options.unwrap()).unwrap();
        let tab = browser.new_tab().unwrap();
        tab.set_default_timeout(Duration::from_secs(60));
        let noticed = listen(&tab);
        adjust(&tab, setting);
        let url = format!("file://{}", file.display());
        tab.navigate_to(&url).unwrap();
        // Not by the tab's own events: a frame in the page has such too, and they come to nobody.
        let started = Instant::now();
        let is_loaded = "location.href != 'about:blank' && document.readyState == 'complete'";
        while tab.evaluate(is_loaded, false).ok().and_then(|found| found.value)
            != Some(Value::Bool(true))
        {
            assert!(started.elapsed() < Duration::from_secs(60), "{url} does not load");
            sleep(Duration::from_millis(20));
        }
        Self { tab, noticed, _browser: browser, _folder: None }
    }

    /// Drops files and folders on the middle of an element, as a hand does that drags them out of a file manager.
    pub(crate) fn drop_on(&self, selector: &str, paths: &[&Path]) {
        self.run(&format!("document.querySelector({selector:?}).scrollIntoView()"));
        let centre = |which: &str, size: &str| {
            let of_box = format!("document.querySelector({selector:?}).getBoundingClientRect()");
            self.value(&format!("{of_box}.{which} + {of_box}.{size} / 2")).as_f64().unwrap()
        };
        let (x, y) = (centre("left", "width"), centre("top", "height"));
        let files: Vec<_> = paths.iter().map(|path| path.to_str().unwrap().to_owned()).collect();
        use Input::DispatchDragEventTypeOption::{DragEnter, DragOver, Drop};
        for step in [DragEnter, DragOver, Drop] {
            let data = Input::DragData {
                items: Vec::new(),
                files: Some(files.clone()),
                drag_operations_mask: 1,
            };
            let event = Input::DispatchDragEvent { Type: step, x, y, data, modifiers: None };
            self.tab.call_method(event).unwrap();
        }
    }

    /// Saves what is downloaded from now on in a folder, without a question.
    pub(crate) fn download_to(&self, folder: &Path) {
        self.tab
            .call_method(Browsing::SetDownloadBehavior {
                behavior: Browsing::SetDownloadBehaviorBehaviorOption::Allow,
                browser_context_id: None,
                download_path: Some(folder.to_str().unwrap().to_owned()),
                events_enabled: None,
            })
            .unwrap();
    }

    /// The value of an expression in the page.
    pub(crate) fn value(&self, expression: &str) -> Value {
        let object = self.tab.evaluate(expression, true).unwrap();
        object.value.unwrap_or(Value::Null)
    }

    /// Waits until an expression in the page is true.
    pub(crate) fn until(&self, condition: &str) {
        let started = Instant::now();
        while self.value(condition) != Value::Bool(true) {
            let is_in_time = started.elapsed() < Duration::from_secs(60);
            assert!(is_in_time, "{condition}: {}", self.text("body"));
            sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn text(&self, selector: &str) -> String {
        let found = self.value(&format!("document.querySelector({selector:?}).textContent"));
        found.as_str().unwrap().trim().to_owned()
    }

    /// How many elements a selector finds.
    pub(crate) fn count(&self, selector: &str) -> u64 {
        self.value(&format!("document.querySelectorAll({selector:?}).length")).as_u64().unwrap()
    }

    pub(crate) fn run(&self, script: &str) {
        self.value(&format!("(() => {{ {script} }})()"));
    }

    pub(crate) fn click(&self, selector: &str) {
        self.run(&format!("document.querySelector({selector:?}).click()"));
    }

    pub(crate) fn press(&self, selector: &str, key: &str) {
        self.run(&format!("document.querySelector({selector:?}).focus()"));
        self.tab.press_key(key).unwrap();
    }

    /// Clicks into the 3D view with a mouse, at a point from −1 to 1 across and up.
    pub(crate) fn click_view(&self, [x, y]: [f64; 2]) {
        let place = |which: &str| {
            let of_box =
                format!("document.querySelector('canvas').getBoundingClientRect().{which}");
            self.value(&of_box).as_f64().unwrap()
        };
        let at = Point {
            x: place("left") + (x + 1.0) / 2.0 * place("width"),
            y: place("top") + (1.0 - y) / 2.0 * place("height"),
        };
        self.tab.click_point(at).unwrap();
    }

    /// Looks along −z at the middle of the scene from so many of its diagonals.
    pub(crate) fn look_along_z(&self, distance: f64) {
        self.run(&format!(
            "Object.assign(look.camera, {{ yaw: 0, pitch: 0, centre: [0, 0, 0], distance: {distance} }}); look.moved();"
        ));
    }

    /// Where the view shows a point, from −1 to 1 across and up, as a camera of that kind has it.
    pub(crate) fn shown_at(&self, distance: f64, at: [f64; 3]) -> [f64; 2] {
        let number = |name: &str| self.value(name).as_f64().unwrap();
        let aspect = number("look.canvas.width / look.canvas.height");
        let unit = number("data.view.unit");
        let relative: [f64; 3] =
            std::array::from_fn(|i| (at[i] - number(&format!("data.view.middle[{i}]"))) / unit);
        let focal = 2.4 * aspect.min(1.0);
        let far = distance - relative[2];
        [focal / aspect * relative[0] / far, focal * relative[1] / far]
    }

    /// Moves a slider, as a hand would.
    pub(crate) fn slide(&self, parameter: &str, position: usize) {
        self.run(&format!(
            "const slider = document.querySelector('[data-parameter={parameter}]');
             slider.value = {position};
             slider.dispatchEvent(new Event('input'));"
        ));
    }

    /// What the 3D view shows, to be compared.
    pub(crate) fn picture(&self) -> String {
        let picture = self.value(&format!("({DRAW_SHARP}, look.canvas.toDataURL())"));
        picture.as_str().unwrap().to_owned()
    }

    /// The colour of the 3D view at a point, from −1 to 1 across and up: red, green, blue and opacity.
    pub(crate) fn pixel(&self, [x, y]: [f64; 2]) -> [u8; 4] {
        let pixel = self.value(&format!(
            "(() => {{
               {DRAW_SHARP};
               const {{ gl, canvas }} = look.renderer;
               const pixel = new Uint8Array(4);
               const [x, y] = [Math.round(({x} + 1) / 2 * canvas.width - 0.5), Math.round(({y} + 1) / 2 * canvas.height - 0.5)];
               gl.readPixels(x, y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
               return pixel.join(' ');
             }})()"
        ));
        let numbers: Vec<_> =
            pixel.as_str().unwrap().split(' ').map(|part| part.parse().unwrap()).collect();
        numbers.try_into().unwrap()
    }

    pub(crate) fn noticed(&self) -> Vec<String> {
        self.noticed.lock().unwrap().clone()
    }

    pub(crate) fn save_screenshot(&self, file: &Path) {
        let format = Paging::CaptureScreenshotFormatOption::Png;
        fs::write(file, self.tab.capture_screenshot(format, None, None, true).unwrap()).unwrap();
    }
}

/// A file of this content and name, with what is drawn of it.
pub(crate) fn scene(file: &str, name: &str) -> Scene {
    let mut scene = read_gltf(file.as_bytes(), name).unwrap();
    scene.drawing = read_gltf_drawing(file.as_bytes()).unwrap();
    scene
}

/// Settings of a built-in scene as the library takes them.
pub(crate) fn owned(settings: &[(&str, f64)]) -> Vec<(String, f64)> {
    settings.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
}

fn listen(tab: &Tab) -> Arc<Mutex<Vec<String>>> {
    let noticed = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&noticed);
    let listener = move |event: &Event| {
        let note = match event {
            // Pictures in the page itself ask nothing of the network.
            Event::NetworkRequestWillBeSent(request)
                if !request.params.request.url.starts_with("data:") =>
            {
                request.params.request.url.clone()
            }
            Event::RuntimeExceptionThrown(thrown) => format!("{:?}", thrown.params),
            Event::LogEntryAdded(entry)
                if entry.params.entry.level == Log::LogEntryLevel::Error =>
            {
                entry.params.entry.text.clone()
            }
            Event::PageJavascriptDialogOpening(dialog) => format!("{:?}", dialog.params),
            _ => return,
        };
        notes.lock().unwrap().push(note);
    };
    tab.add_event_listener(Arc::new(listener)).unwrap();
    tab.enable_log().unwrap().enable_runtime().unwrap();
    let network = Network::Enable {
        max_total_buffer_size: None,
        max_resource_buffer_size: None,
        max_post_data_size: None,
        report_direct_socket_traffic: None,
        enable_durable_messages: None,
    };
    tab.call_method(network).unwrap();
    noticed
}

fn adjust(tab: &Tab, setting: Setting) {
    let is_phone = setting.width < 600;
    let scheme = if setting.is_dark { "dark" } else { "light" };
    tab.call_method(Emulation::SetEmulatedMedia {
        media: None,
        features: Some(vec![Emulation::MediaFeature {
            name: "prefers-color-scheme".to_owned(),
            value: scheme.to_owned(),
        }]),
    })
    .unwrap();
    tab.call_method(Emulation::SetDeviceMetricsOverride {
        width: setting.width,
        height: setting.height,
        device_scale_factor: 1.0,
        mobile: is_phone,
        scale: None,
        screen_width: None,
        screen_height: None,
        position_x: None,
        position_y: None,
        dont_set_visible_size: None,
        screen_orientation: None,
        viewport: None,
        display_feature: None,
        device_posture: None,
    })
    .unwrap();
    let touch = Emulation::SetTouchEmulationEnabled { enabled: is_phone, max_touch_points: None };
    tab.call_method(touch).unwrap();
    let value = !setting.has_scripts;
    tab.call_method(Emulation::SetScriptExecutionDisabled { value }).unwrap();
}
