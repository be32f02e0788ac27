
'use strict';

// What runs beside the page: it reads files, and calls the library. Behind the script that wasm-bindgen makes.

/** What the last panic said. */
let panicked = null;
self.notePanic = (message) => { panicked = message; };

/** Settled when the library can be called. */
let ready = null;

/** What is read at the moment, to name it where that fails. */
let reading = null;

/** What is said of a model that there is no memory for. */
const TOO_MUCH = 'The model takes more memory than a page may have. The command-line program xform can take more.';

/** What macOS puts beside files is none of them. */
const isOfMac = (path) => /(^|\/)(\._|__MACOSX\/)/.test(path);

/** Thrown where it is known before it is tried. */
class TooLarge extends Error {}

/** How many bytes are read: WebAssembly has 4 GiB, for them and for all that is made of them. */
const MOST = 2 ** 31;

/** Tells the page how far it is; without an end, how long it takes is not known. */
function tell(stage, done, end) { self.postMessage({ stage, done, end }); }

const megabytes = (bytes) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);

/** The bytes of files, each as an array; says how far it is. */
async function contents(files) {
  const end = files.reduce((sum, [, file]) => sum + file.size, 0);
  if (end > MOST) throw new TooLarge();
  const all = [];
  let done = 0, told = -Infinity;
  for (const [name, file] of files) {
    reading = name;
    const bytes = new Uint8Array(file.size);
    let at = 0;
    for (const reader = file.stream().getReader(); ;) {
      const { done: isDone, value } = await reader.read();
      if (isDone) break;
      bytes.set(value, at);
      at += value.length;
      done += value.length;
      if (performance.now() - told > 100) {
        told = performance.now();
        tell(`Reading ${name}: ${megabytes(done)} of ${megabytes(end)} MB`, done, end);
      }
    }
    all.push(bytes);
  }
  reading = null;
  return all;
}

/** Reads a model with the files that it names; says which of these there are not. */
async function read(path, files) {
  const [bytes] = await contents([[path, files.get(path)]]);
  const held = new wasm_bindgen.Files();
  let model = new wasm_bindgen.Model(path, bytes);
  const beside = finder([...files.keys()]);
  const found = [], missing = [];
  try {
    for (const name of model.needs()) {
      const file = files.get(beside(folderOf(path), name));
      if (file) found.push([name, file]);
      else missing.push(name);
    }
    (await contents(found)).forEach((bytes, at) => held.add(found[at][0], bytes));
    // It takes the model.
    const read = model;
    model = null;
    return { asset: read.read(held), missing };
  } finally {
    held.free();
    model?.free();
  }
}

/** What to say of what was thrown, a line each, and whether the library can still be used. */
function trouble(error) {
  if (typeof error === 'string') {
    const { problem, lines } = JSON.parse(error);
    return problem.code === 'out-of-memory' ? { lines: [TOO_MUCH] } : { lines, isWhole: true };
  }
  if (panicked !== null) return { lines: [`This is a defect of xform. Please tell its authors what it said: ${panicked}`] };
  const said = String(error?.message ?? error);
  if (error instanceof DOMException) return { lines: [`${reading}: the browser cannot read it: ${said}`], isWhole: true };
  const isTrap = error instanceof WebAssembly.RuntimeError;
  if (isTrap ? /out of bounds/.test(said) : /call stack|recursion/.test(said)) {
    return { lines: ['The model is nested too deeply for this page. The command-line program xform can take more.'] };
  }
  if (isTrap || error instanceof RangeError || error instanceof TooLarge) {
    return { lines: [TOO_MUCH] };
  }
  return { lines: [said] };
}

/** What tells names apart: a zip may have other accents or letters than the model that names them. */
const alike = (path) => path.normalize('NFC').toLowerCase();

/** What finds a file by its path, as it is or alike; and by its own name, if it came without its folder. */
function finder(paths) {
  const exact = new Set(paths), known = new Map(paths.map((path) => [alike(path), path]));
  return (folder, name) => {
    const own = name.slice(name.lastIndexOf('/') + 1);
    return exact.has(folder + name) ? folder + name : known.get(alike(folder + name)) ?? known.get(alike(own));
  };
}

const folderOf = (path) => path.slice(0, path.lastIndexOf('/') + 1);

/** The models in archives and the buffers that they name, by path, each in a folder that is called like the archive. */
async function unpacked(packed) {
  const files = [], lines = [];
  let left = MOST;
  for (const [path, file] of packed) {
    let archive = null;
    try {
      const [bytes] = await contents([[path, file]]);
      tell(`Unpacking ${path}`);
      archive = new wasm_bindgen.Archive(path, bytes, left);
      const names = archive.names();
      const places = new Map(names.map((name, place) => [name, place]));
      const found = finder(names);
      const taken = new Set();
      const take = (name) => {
        if (taken.has(name)) return;
        taken.add(name);
        const bytes = archive.read(places.get(name));
        files.push([`${path}/${name}`, bytes, file.lastModified]);
        if (!/\.gltf$/i.test(name)) return;
        const model = new wasm_bindgen.Model(name, bytes);
        model.needs().map((need) => found(folderOf(name), need)).filter((need) => need !== undefined).forEach(take);
        model.free();
      };
      names.filter((name) => /\.(glb|gltf|vrm|fbx)$/i.test(name) && !isOfMac(name)).forEach(take);
      ({ left } = archive);
    } catch (error) {
      // The others are read all the same, unless the library is broken.
      const found = trouble(error);
      if (!found.isWhole) throw error;
      lines.push(...found.lines);
    } finally {
      archive?.free();
    }
  }
  self.postMessage({ unpacked: files, lines }, files.map(([, bytes]) => bytes.buffer));
}

/** Repairs what has been reported on, and says whether the library can still be used. That it fails takes nothing from the report. */
function repair(asset, [name, data]) {
  try {
    const made = asset.repaired(data);
    const files = [];
    const lines = made ? [made.summary(), ...made.told()] : ['This cannot be repaired here: only glTF files can.'];
    if (made?.isRepaired) {
      const file = made.file();
      // A file may be called otherwise than what it is.
      const isGlb = 'glTF' === String.fromCharCode(...file.subarray(0, 4));
      const isCalledGlb = /\.(glb|vrm)$/i.test(name);
      files.push([isGlb === isCalledGlb ? name : name.replace(/\.[^.]*$/, isGlb ? '.glb' : '.gltf'), file]);
      const beside = made.data();
      if (beside) files.push([data, beside]);
    }
    made?.free();
    self.postMessage({ repaired: { files, lines } }, files.map(([, bytes]) => bytes.buffer));
    return true;
  } catch (error) {
    const { lines, isWhole } = trouble(error);
    self.postMessage({ repaired: { files: [], lines: ['It could not be repaired', ...lines], isBroken: !isWhole } });
    return Boolean(isWhole);
  }
}

/** A report on a scene that is built in, to look at. Without it the page is as useful. */
function preview(name) {
  try {
    const asset = wasm_bindgen.Asset.builtIn(name);
    const result = asset.measured();
    self.postMessage({ preview: result.page() });
    result.free();
    asset.free();
  } catch {
    self.postMessage({ preview: null });
  }
}

self.onmessage = async ({ data: { wasm, previewed, builtIn, path, after, files, output, packed } }) => {
  try {
    if (wasm) {
      ready = wasm_bindgen({ module_or_path: wasm });
      await ready;
      self.postMessage({ scenes: JSON.parse(wasm_bindgen.builtInScenes()), engines: wasm_bindgen.engines(), readsFbx: wasm_bindgen.readsFbx() });
      return;
    }
    await ready;
    if (previewed) return void preview(previewed);
    if (packed) return void await unpacked(packed);
    const { asset, missing } = builtIn ? { asset: wasm_bindgen.Asset.builtIn(builtIn), missing: [] } : await read(path, files);
    const other = after ? await read(after, files).catch((error) => { asset.free(); throw error; }) : null;
    missing.push(...other?.missing ?? []);
    tell(other ? 'Comparing both models, at rest and in every animation' : 'Comparing what engines show, at rest and in every animation');
    // A comparison takes both.
    const result = other ? asset.compared(other.asset) : asset.measured();
    tell('Writing the report');
    // A scene that is built in has no file to repair.
    const [page, json, isTried] = [result.page(), result.json(), result.looksDifferent && !builtIn && !other];
    result.free();
    self.postMessage({ page, json, missing, isTried }, [page.buffer, json.buffer]);
    const isWhole = !isTried || repair(asset, output);
    if (isWhole && !other) asset.free();
  } catch (error) {
    self.postMessage({ trouble: trouble(error) });
  }
};
