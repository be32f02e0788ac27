'use strict';

// The page: what is dropped or chosen goes to a worker, which the library runs in; what comes back is shown.

const find = (id) => document.getElementById(id);
const show = (id, isShown) => { find(id).hidden = !isShown; };

/** Whether the browser has SIMD128: a module with one instruction of it, `i8x16.splat`, and what that takes. */
const hasSimd = () => WebAssembly.validate(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11));

/** The library, compiled. */
const library = (() => {
  let bytes = null;
  return () => {
    const text = () => find(hasSimd() ? 'wasm-simd' : 'wasm-plain').textContent;
    bytes ??= Uint8Array.from(atob(text()), (letter) => letter.charCodeAt(0));
    return bytes;
  };
})();

/** Where the library runs. One that was stopped, or broke, is replaced by another. */
let worker = null;

function started() {
  if (worker) return worker;
  const script = URL.createObjectURL(new Blob([find('worker').textContent], { type: 'text/javascript' }));
  worker = new Worker(script);
  URL.revokeObjectURL(script);
  worker.onmessage = ({ data }) => answered(data);
  worker.onerror = ({ message }) => answered({ trouble: { lines: [message] } });
  worker.postMessage({ wasm: library() });
  return worker;
}

function stopped() {
  worker?.terminate();
  worker = null;
}

/** What is being done: a name, when it began, and what ticks meanwhile. */
let job = null;

function begin(name, task) {
  if (job) { end(); stopped(); }
  for (const id of ['choice', 'trouble', 'result']) show(id, false);
  const since = performance.now();
  const tick = () => {
    const seconds = Math.floor((performance.now() - since) / 1000);
    find('seconds').textContent = seconds < 2 ? '' : `${seconds} s`;
  };
  tick();
  job = { name, ticking: setInterval(tick, 500), isFile: !task.builtIn };
  stage(`Reading ${name}`);
  show('work', true);
  started().postMessage(task);
}

function end() {
  clearInterval(job.ticking);
  job = null;
  show('work', false);
}

function stage(text, done, whole) {
  if (find('stage').textContent !== text) find('stage').textContent = text;
  if (whole) {
    find('progress').max = whole;
    find('progress').value = done;
  } else {
    find('progress').removeAttribute('value');
  }
}

function answered(data) {
  if (data.scenes) {
    listed('scenes', data.scenes, (name) => begin(name, { builtIn: name }));
    show('try', true);
  } else if (data.stage) {
    if (job) stage(data.stage, data.done, data.end);
  } else if (data.trouble) {
    const name = job?.name;
    if (job) end();
    if (!data.trouble.isWhole) stopped();
    troubled(name ? `There is no report on ${name}` : 'This browser cannot run xform', data.trouble.lines);
  } else if (job) {
    const { name, isFile } = job;
    end();
    reported(name, isFile, data);
  }
}

/** Buttons, each with what is said of it. */
function listed(id, entries, choose) {
  find(id).replaceChildren(...entries.map(([name, summary]) => {
    const [item, button] = [document.createElement('li'), document.createElement('button')];
    button.textContent = name;
    button.onclick = () => choose(name);
    item.append(button, summary ?? '');
    return item;
  }));
}

function troubled(heading, lines) {
  const [head, list] = find('trouble').children;
  head.textContent = heading;
  list.replaceChildren(...lines.map((line) => {
    const item = document.createElement('li');
    item.textContent = line;
    return item;
  }));
  show('trouble', true);
  find('trouble').scrollIntoView({ block: 'nearest' });
}

/** The report that is shown, and the same for programs. */
let shown = [];
/** Their addresses. */
let addresses = [];

function reported(name, isFile, { page, json, missing }) {
  addresses.forEach((address) => URL.revokeObjectURL(address));
  shown = [new Blob([page], { type: 'text/html;charset=utf-8' }), new Blob([json], { type: 'application/json' })];
  const [report, data] = addresses = shown.map((blob) => URL.createObjectURL(blob));
  const file = name.slice(name.lastIndexOf('/') + 1);
  const stem = file.replace(/\.[^.]*$/, '');
  find('name').textContent = name;
  find('open').href = find('save').href = find('report').src = report;
  find('save').download = `${stem}-report.html`;
  find('save-json').href = data;
  find('save-json').download = `${stem}.json`;
  find('command').textContent = `xform report ${isFile && /[^\w./-]/.test(file) ? `"${file}"` : file}`;
  find('missing').textContent = missing.length
    ? `Its animations and meshes are not all in this report: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not there. Drop the model together with its files, or drop its folder.` : '';
  show('missing', missing.length > 0);
  show('result', true);
  document.title = `${file} – xform`;
  find('result').scrollIntoView();
}

/** What models are called. FBX is among them, so that somebody says what to do with it. */
const isModel = (path) => /\.(glb|gltf|vrm|fbx)$/i.test(path);

/** Takes files by their paths. */
function taken(files) {
  const models = [...files.keys()].filter(isModel).sort();
  const audit = (path) => begin(path, { path, files });
  if (models.length === 1) {
    audit(models[0]);
  } else if (models.length > 1) {
    listed('models', models.map((path) => [path]), audit);
    for (const id of ['trouble', 'result']) show(id, false);
    show('choice', true);
    find('choice').scrollIntoView();
  } else {
    const names = [...files.keys()];
    const few = names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '');
    troubled('There is no model among these files', [names.length ? `${few}: a model is called .glb or .gltf.` : 'Nothing was dropped that is a file.']);
  }
}

/** The files of what was dropped, those in folders too, by path. */
async function dropped(items) {
  const files = new Map();
  // All is asked for before the first wait, after which nothing is known of what was dropped.
  const roots = [...items].filter(({ kind }) => kind === 'file').map((item) => {
    const entry = item.webkitGetAsEntry?.();
    // Chromium gives no entries to a page that is a file; it does give handles.
    return entry?.isDirectory ? { entry, handle: item.getAsFileSystemHandle?.() } : { file: item.getAsFile() };
  });
  for (const { file, entry, handle } of roots) {
    if (file) files.set(file.name, file);
    else if (handle) await ofHandle(await handle, '', files);
    else if (entry) await ofEntry(entry, files);
  }
  return files;
}

async function ofHandle(handle, above, files) {
  const path = above + handle.name;
  if (handle.kind === 'file') files.set(path, await handle.getFile());
  else for await (const one of handle.values()) await ofHandle(one, `${path}/`, files);
}

async function ofEntry(entry, files) {
  if (entry.isFile) {
    files.set(entry.fullPath.slice(1), await new Promise((done, failed) => entry.file(done, failed)));
    return;
  }
  const reader = entry.createReader();
  // It gives some at a time, and none when it has given all.
  for (let some; (some = await new Promise((done, failed) => reader.readEntries(done, failed))).length > 0;) {
    for (const one of some) await ofEntry(one, files);
  }
}

for (const id of ['files', 'folder']) {
  find(id).onchange = ({ target }) => {
    const files = new Map([...target.files].map((file) => [file.webkitRelativePath || file.name, file]));
    // So that the same file can be chosen again.
    target.value = '';
    if (files.size) taken(files);
  };
}
// A phone has no folders to choose.
show('of-folder', 'webkitdirectory' in HTMLInputElement.prototype && !matchMedia('(pointer: coarse)').matches);

// What is dropped beside the field counts too: else the browser would leave the page for it.
document.ondragover = (event) => {
  event.preventDefault();
  find('drop').classList.add('over');
};
document.ondragleave = ({ relatedTarget }) => {
  if (!relatedTarget) find('drop').classList.remove('over');
};
document.ondrop = async (event) => {
  event.preventDefault();
  find('drop').classList.remove('over');
  try {
    taken(await dropped(event.dataTransfer.items));
  } catch (error) {
    troubled('The browser cannot read what was dropped', [String(error.message ?? error)]);
  }
};

find('cancel').onclick = () => {
  end();
  stopped();
  started();
};

if (typeof WebAssembly === 'object' && typeof Worker === 'function') started();
else troubled('This browser cannot run xform', ['It has no WebAssembly. The program xform needs no browser.']);
