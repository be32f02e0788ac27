//! A page open in a browser.

use std::{
    ffi::OsStr,
    fs::{self, File},
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use headless_chrome::{
    Browser, LaunchOptions, Tab,
    protocol::cdp::{Emulation, Log, Network, Page as Paging, types::Event},
};
use serde_json::Value;
use xform_compare::{BuiltIn, Report, read_gltf, write_html};

pub(crate) struct Page {
    tab: Arc<Tab>,
    /// Errors on the console and requests to the network.
    noticed: Arc<Mutex<Vec<String>>>,
    _browser: Browser,
    _folder: tempfile::TempDir,
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
        let scene = read_gltf(file.as_bytes(), "scene.gltf").unwrap();
        Self::open(&Report::of_scene(&scene).unwrap(), Setting::default())
    }

    fn open(report: &Report, setting: Setting) -> Self {
        let folder = tempfile::tempdir().unwrap();
        write_html(report, &mut File::create(folder.path().join("page.html")).unwrap()).unwrap();
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
        let url = format!("file://{}", folder.path().join("page.html").display());
        tab.navigate_to(&url).unwrap().wait_until_navigated().unwrap();
        Self { tab, noticed, _browser: browser, _folder: folder }
    }

    /// The value of an expression in the page.
    pub(crate) fn value(&self, expression: &str) -> Value {
        let object = self.tab.evaluate(expression, true).unwrap();
        object.value.unwrap_or(Value::Null)
    }

    pub(crate) fn text(&self, selector: &str) -> String {
        let found = self.value(&format!("document.querySelector({selector:?}).textContent"));
        found.as_str().unwrap().trim().to_owned()
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
        self.value("document.querySelector('canvas').toDataURL()").as_str().unwrap().to_owned()
    }

    /// How many pixels of the 3D view are rather blue, and how many rather orange.
    pub(crate) fn blue_and_orange(&self) -> (u64, u64) {
        let counts = self.value(
            "(() => {
               const view = document.querySelector('canvas');
               const copy = document.createElement('canvas');
               Object.assign(copy, { width: view.width, height: view.height });
               const context = copy.getContext('2d');
               context.drawImage(view, 0, 0);
               const { data } = context.getImageData(0, 0, view.width, view.height);
               let [blue, orange] = [0, 0];
               for (let i = 0; i < data.length; i += 4) {
                 if (data[i + 3] < 200) continue;
                 if (data[i + 2] > data[i] + 40) blue += 1;
                 if (data[i] > data[i + 2] + 40) orange += 1;
               }
               return `${blue} ${orange}`;
             })()",
        );
        let (blue, orange) = counts.as_str().unwrap().split_once(' ').unwrap();
        (blue.parse().unwrap(), orange.parse().unwrap())
    }

    pub(crate) fn noticed(&self) -> Vec<String> {
        self.noticed.lock().unwrap().clone()
    }

    pub(crate) fn save_screenshot(&self, file: &Path) {
        let format = Paging::CaptureScreenshotFormatOption::Png;
        fs::write(file, self.tab.capture_screenshot(format, None, None, true).unwrap()).unwrap();
    }
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
            Event::NetworkRequestWillBeSent(request) => request.params.request.url.clone(),
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
        mobile: setting.width < 600,
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
    let value = !setting.has_scripts;
    tab.call_method(Emulation::SetScriptExecutionDisabled { value }).unwrap();
}
