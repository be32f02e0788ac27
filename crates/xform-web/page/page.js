'use strict';

// The page: what is dropped or chosen goes to a worker, which the library runs in; what comes back is shown.

const find = (id) => document.getElementById(id);
const show = (id, isShown) => { find(id).hidden = !isShown; };
const TITLE = document.title;

/** The library, compiled. */
const library = (() => {
  let bytes = null;
  return () => {
    bytes ??= Uint8Array.from(atob(find('wasm').textContent), (letter) => letter.charCodeAt(0));
    return bytes;
  };
})();

/** Where the library runs. One that was stopped, or broke, is replaced by another. */
let worker = null;

function start() {
  const script = URL.createObjectURL(new Blob([find('worker').textContent], { type: 'text/javascript' }));
  worker = new Worker(script);
  URL.revokeObjectURL(script);
  worker.onmessage = ({ data }) => answered(data);
  worker.onerror = ({ message }) => answered({ trouble: { lines: [message] } });
  worker.postMessage({ wasm: library() });
}

function restart() {
  worker.terminate();
  start();
}

/** What is being done: a name, and what ticks meanwhile. The next one takes its place. */
let job = null;

/** Whether the worker still repairs what the report is on. */
let isRepairing = false;

/** Ends what is being done, and clears the page for what comes. */
function clear() {
  if (job?.isAsked || isRepairing) restart();
  clearInterval(job?.ticking);
  job = null;
  isRepairing = false;
  for (const id of ['start', 'work', 'choice', 'trouble', 'result']) show(id, false);
  stage('');
  document.title = TITLE;
}

/** Begins something, and gives a token of it: while `job` is that, nothing else has begun. */
function begin(name, text) {
  clear();
  const since = performance.now();
  const tick = () => {
    const seconds = Math.floor((performance.now() - since) / 1000);
    find('seconds').textContent = seconds < 2 ? '' : `${seconds} s`;
  };
  tick();
  job = { name, ticking: setInterval(tick, 500), isAsked: false };
  stage(text);
  show('work', true);
  return job;
}

function stage(text, done, whole) {
  if (find('status').textContent !== text) find('status').textContent = text;
  if (whole) {
    find('progress').max = whole;
    find('progress').value = done;
  } else {
    find('progress').removeAttribute('value');
  }
}

/** Has the worker do something. `stem`: of the files that it can be saved in; `command`: does the same. */
function ask(name, task, stem, command) {
  Object.assign(begin(name, `Reading ${name}`), { isAsked: true, stem, command, task });
  worker.postMessage(task);
}

/** The report on a scene that is built in. Without options the program has the two strategies instead of engines. */
function tried(name) {
  find('models').replaceChildren();
  ask(name, { builtIn: name }, name, `xform report ${name} ${engines.map((id) => `--engine ${id}`).join(' ')}`);
}

/** A report in a frame of its own: to load another page in one would be a step in the history. */
function framed(address, title) {
  const frame = document.createElement('iframe');
  frame.title = title;
  frame.sandbox = 'allow-scripts allow-downloads';
  frame.src = address;
  return frame;
}

/** What is said of archives that could not be read. */
let notRead = [];

/** Whether the start page has no picture yet; a worker that was stopped may have made none. */
let isPreviewWanted = true;

/** The engines that the library compares, and whether it reads FBX. */
let engines = [], readsFbx = false;

function answered(data) {
  if (data.scenes) {
    if (isPreviewWanted) worker.postMessage({ previewed: 'arm' });
    if (find('scenes').children.length) return;
    ({ engines, readsFbx } = data);
    document.querySelector('.fbx').hidden = !readsFbx;
    document.querySelector('.no-fbx').hidden = readsFbx;
    listed('scenes', data.scenes, tried);
    show('try', true);
  } else if (data.preview !== undefined) {
    isPreviewWanted = false;
    if (data.preview) {
      const address = URL.createObjectURL(new Blob([data.preview], { type: 'text/html;charset=utf-8' }));
      const frame = framed(address, 'A report');
      frame.scrolling = 'no';
      find('preview').replaceChildren(frame);
    } else {
      restart();
      // Something may have waited behind the picture.
      if (job?.task) worker.postMessage(job.task);
    }
  } else if (data.unpacked) {
    const { files } = job;
    job.isAsked = false;
    data.unpacked.forEach(([path, bytes, lastModified]) => files.set(path, new File([bytes], ofPath(path), { lastModified })));
    taken(files, data.lines);
  } else if (data.repaired) {
    isRepairing = false;
    if (data.repaired.isBroken) restart();
    repaired(data.repaired);
  } else if (data.stage) {
    if (job) stage(data.stage, data.done, data.end);
  } else if (data.trouble) {
    const name = job?.name;
    if (job) job.isAsked = false;
    if (!data.trouble.isWhole && name) restart();
    troubled(name ? `There is no report on ${name}` : 'This browser cannot run xform', data.trouble.lines);
  } else if (job) {
    job.isAsked = false;
    reported(job, data);
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
  clear();
  const [head, list] = find('trouble').children;
  head.textContent = heading;
  list.replaceChildren(...lines.map((line) => {
    const item = document.createElement('li');
    item.textContent = line;
    return item;
  }));
  show('trouble', true);
  showChoice(true);
  show('start', true);
  head.focus();
}

/** Of several models, the others can still be chosen. */
function showChoice(isOpen = false) {
  show('choice', find('models').children.length > 0);
  find('choice').open = isOpen;
}

/** The report that is shown, the same for programs, and the repaired file with its data, if any. */
let shown = [];
/** Their addresses, and whether somebody has opened the first in a tab, which may be loaded again. */
let addresses = [], isOpened = false;

function reported({ name, stem, command }, { page, json, missing, isTried }) {
  clear();
  addresses.slice(isOpened ? 1 : 0).forEach((address) => URL.revokeObjectURL(address));
  isOpened = false;
  shown = [new Blob([page], { type: 'text/html;charset=utf-8' }), new Blob([json], { type: 'application/json' })];
  const [report, data] = addresses = shown.map((blob) => URL.createObjectURL(blob));
  find('name').textContent = name;
  find('open').href = find('save').href = report;
  find('save').download = `${stem}-report.html`;
  find('save-json').href = data;
  find('save-json').download = `${stem}.json`;
  find('command').textContent = command;
  find('missing').textContent = missing.length
    ? `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing, so parts of this model could not be read. Choose ${missing.length === 1 ? 'it' : 'them'} together with the model, or the whole folder, or a .zip of it.` : '';
  find('missing').append(...notRead.map((line) => ` ${line}.`));
  show('missing', missing.length + notRead.length > 0);
  show('repair', false);
  find('repairing').open = false;
  find('repairing').firstElementChild.textContent = 'Checking what can be repaired…';
  find('repaired').replaceChildren();
  show('repairing', isTried);
  isRepairing = isTried;
  find('frame').replaceChildren(framed(report, 'The report'));
  show('result', true);
  showChoice();
  document.title = `${ofPath(name)} – xform`;
  find('name').focus();
}

/** Offers what the worker has repaired and proved: the files to save, and what was done. */
function repaired({ files, lines }) {
  const [summary, list] = find('repairing').children;
  summary.textContent = lines[0];
  const links = files.map(([name, bytes]) => {
    const blob = new Blob([bytes]);
    const link = document.createElement('a');
    [link.textContent, link.href, link.download] = [name, URL.createObjectURL(blob), name];
    shown.push(blob);
    addresses.push(link.href);
    return link;
  });
  list.replaceChildren(...[...lines.slice(1), ...links].map((entry) => {
    const item = document.createElement('li');
    item.append(entry);
    return item;
  }));
  if (files.length > 1) list.append('Keep both files together, and beside the other files of the model, if it has some.');
  find('repair').onclick = () => links.forEach((link) => link.click());
  show('repair', links.length > 0);
}

/** A file without the folders that it is in, and that without what says of what kind it is. */
const ofPath = (path) => path.slice(path.lastIndexOf('/') + 1);
const stemOf = (path) => ofPath(path).replace(/(.)\.[^.]*$/, '$1');

/** Two files without the folders that they are in, where that tells which is which. */
const both = (...paths) => (ofPath(paths[0]) === ofPath(paths[1]) ? paths : paths.map(ofPath));

/** A file as a shell takes it. */
function inShell(file) {
  const path = file.startsWith('-') ? `./${file}` : file;
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** What a repaired model is called, and its new data: as the advice of the program has it, as no file beside it is called, and as browsers leave it, since
 * the one names the other. */
function outputs(path, files) {
  const stem = `${stemOf(path).replace(/^\.+/, '').replace(/[\\/:*?"<>|~\p{C}]/gu, '_')}-repaired`;
  const folder = path.slice(0, path.length - ofPath(path).length);
  let data = `${stem}.bin`;
  for (let count = 2; files.has(folder + data); count += 1) data = `${stem}.${count}.bin`;
  return [stem + path.slice(path.lastIndexOf('.')), data];
}

/** Takes files by their paths. Archives are unpacked first, but not those that are in one. `unread` says which were not. */
function taken(files, unread = null) {
  find('models').replaceChildren();
  // What macOS puts beside files is none of them.
  const paths = [...files.keys()].filter((path) => !/(^|\/)(\._|__MACOSX\/)/.test(path)).sort();
  const of = (kinds) => paths.filter((path) => kinds.test(path));
  const archives = unread ? [] : of(/\.zip$/i);
  notRead = unread ?? [];
  if (archives.length) {
    const name = archives.length === 1 ? archives[0] : `${archives.length} archives`;
    const packed = archives.map((path) => [path, files.get(path)]);
    archives.forEach((path) => files.delete(path));
    Object.assign(begin(name, `Unpacking ${name}`), { isAsked: true, files, task: { packed } });
    worker.postMessage({ packed });
    return;
  }
  const [glTF, fbx] = [of(/\.(glb|gltf|vrm)$/i), of(/\.fbx$/i)];
  // FBX that is not read is what to say something about where there is nothing else.
  const models = readsFbx ? [...glTF, ...fbx] : glTF.length ? glTF : fbx;
  const audit = (path) => ask(path, { path, files, output: outputs(path, files) }, stemOf(path), `xform report ${inShell(ofPath(path))}`);
  const compare = (path, after) => {
    const [from, to] = both(path, after);
    ask(`${from} → ${to}`, { path, after, files }, `${stemOf(path)}-to-${stemOf(after)}`, `xform diff ${inShell(from)} ${inShell(to)} --format html -o diff.html`);
  };
  find('choice').firstElementChild.textContent = models.length === 2 ? 'Compare the other way round, or look at one alone' : `There are ${models.length} models. Which one?`;
  if (models.length === 1) {
    audit(models[0]);
  } else if (models.length === 2) {
    // Somebody who converted one into the other has the newer one after it.
    const [before, after] = models.sort((a, b) => files.get(a).lastModified - files.get(b).lastModified);
    listed('models', [[both(after, before).join(' → ')], [before], [after]], (choice) => (files.has(choice) ? audit(choice) : compare(after, before)));
    compare(before, after);
  } else if (models.length > 2) {
    clear();
    listed('models', models.map((path) => [path]), audit);
    showChoice(true);
    show('start', true);
    find('models').querySelector('button').focus();
  } else {
    const few = paths.slice(0, 5).join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '');
    troubled('There is no model here', unread ? [...unread, 'Models in archives are read, and archives in archives are not.'] : [paths.length ? `xform reads .glb, .gltf${readsFbx ? ', .fbx' : ''} and .vrm files. There is none among: ${few}.` : 'It is empty, or not a file.']);
  }
}

/** The files of what was dropped, those in folders too, by path; `null` once something else has begun. */
async function dropped(items) {
  const files = new Map();
  // All is asked for before the first wait, after which what was dropped. unknown
  const roots = [...items].filter(({ kind }) => kind === 'file').map((item) => {
    const entry = item.webkitGetAsEntry?.();
    // To a page that is a file, Chromium gives the entry of a folder but not what is in it; it does give handles.
    return entry?.isDirectory ? { entry, handle: item.getAsFileSystemHandle?.() } : { file: item.getAsFile() };
  });
  const looking = begin('what was dropped', 'Looking for models');
  /** Adds a file, and says whether to go on. */
  const add = (path, file) => {
    files.set(path, file);
    if (job === looking && files.size % 500 === 0) stage(`Looking for models: ${files.size} files so far`);
    return job === looking;
  };
  for (const { file, entry, handle } of roots) {
    const goes = file ? add(file.name, file) : handle ? await ofHandle(await handle, '', add) : !entry || await ofEntry(entry, add);
    if (!goes) return null;
  }
  return job === looking ? files : null;
}

async function ofHandle(handle, above, add) {
  const path = above + handle.name;
  if (handle.kind === 'file') return add(path, await handle.getFile());
  for await (const one of handle.values()) if (!await ofHandle(one, `${path}/`, add)) return false;
  return true;
}

async function ofEntry(entry, add) {
  const called = (call) => new Promise((done, failed) => call(done, failed));
  if (entry.isFile) return add(entry.fullPath.slice(1), await called((...then) => entry.file(...then)));
  const reader = entry.createReader();
  // It gives some at a time, and none when it has given all.
  for (let some; (some = await called((...then) => reader.readEntries(...then))).length > 0;) {
    for (const one of some) if (!await ofEntry(one, add)) return false;
  }
  return true;
}

for (const id of ['files', 'folder']) {
  find(id).onchange = ({ target }) => {
    const files = new Map([...target.files].map((file) => [file.webkitRelativePath || file.name, file]));
    // So that the same file can be chosen again.
    target.value = '';
    if (files.size) taken(files);
  };
}

// What is dropped beside the field counts too: else the browser would leave the page for it.
const over = (isOver) => document.body.classList.toggle('over', isOver);
document.ondragenter = document.ondragover = (event) => {
  event.preventDefault();
  over(true);
};
document.ondragleave = ({ relatedTarget }) => { if (!relatedTarget) over(false); };
document.ondrop = async (event) => {
  event.preventDefault();
  over(false);
  try {
    const files = await dropped(event.dataTransfer.items);
    if (files) taken(files);
  } catch (error) {
    troubled('The browser cannot read what was dropped', [String(error.message ?? error)]);
  }
};

find('open').onclick = find('open').onauxclick = () => { isOpened = true; };

find('cancel').onclick = () => {
  clear();
  showChoice(true);
  show('start', true);
  stage('Cancelled.');
  find('files').focus();
};

// What is dropped on the report would go to the report. So something lies over it until the mouse moves there, which it does not while it drags.
find('shield').onpointermove = () => show('shield', false);
document.onpointerover = ({ target }) => { if (target.tagName !== 'IFRAME') show('shield', true); };

find('back').onclick = () => {
  clear();
  show('start', true);
  find('files').focus();
};

find('another').onclick = () => find('files').click();

find('try-arm').onclick = find('picture').onclick = () => tried('arm');

if (typeof WebAssembly === 'object' && typeof Worker === 'function') {
  show('drop', true);
  // A phone has no folders to choose.
  show('of-folder', 'webkitdirectory' in HTMLInputElement.prototype && !matchMedia('(pointer: coarse)').matches);
  start();
} else {
  troubled('This browser cannot run xform', ['It has no WebAssembly.']);
}
