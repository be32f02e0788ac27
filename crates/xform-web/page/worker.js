
'use strict';

// What runs beside the page: it reads files, and calls the library. Behind the script that wasm-bindgen makes.

/** What the last panic said. */
let panicked = null;
self.notePanic = (message) => { panicked = message; };

/** What is read at the moment, to name it where that fails. */
let reading = null;

/** Tells the page how far it is; without an end, how long it takes is not known. */
function tell(stage, done, end) { self.postMessage({ stage, done, end }); }

const megabytes = (bytes) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);

/** The bytes of files, each as an array; says how far it is. */
async function contents(files) {
  const end = files.reduce((sum, [, file]) => sum + file.size, 0);
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

/** The names of the files that a glTF file takes its buffers from. What is wrong with it is found by the library. */
async function named(file) {
  const head = new DataView(await file.slice(0, 20).arrayBuffer());
  const isGlb = head.byteLength === 20 && head.getUint32(0) === 0x676c5446;
  const json = isGlb ? file.slice(20, 20 + head.getUint32(12, true)) : file;
  try {
    const { buffers } = JSON.parse(await json.text());
    return buffers.map(({ uri }) => uri).filter((uri) => typeof uri === 'string' && !uri.startsWith('data:')).map(decodeURIComponent);
  } catch {
    return [];
  }
}

/** The files that a model names, with the path that it has for each, and the paths that there are none for. */
async function beside(path, model, files) {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const found = new Map(), missing = [];
  for (const name of await named(model)) {
    const plain = name.split('/').filter((part) => part !== '.').join('/');
    // Files that are dropped without their folder are only known by their own names.
    const file = files.get(folder + plain) ?? files.get(plain.slice(plain.lastIndexOf('/') + 1));
    if (file) found.set(plain, file);
    else missing.push(name);
  }
  return { found: [...found], missing };
}

/** Reads and measures a model or a scene. */
async function measured({ builtIn, path, files }) {
  if (builtIn) return { asset: wasm_bindgen.Asset.builtIn(builtIn), missing: [] };
  const model = files.get(path);
  reading = path;
  const { found, missing } = await beside(path, model, files);
  const [bytes, ...others] = await contents([[path, model], ...found]);
  tell(`Reading ${path}`);
  const held = new wasm_bindgen.Files();
  found.forEach(([name], at) => held.add(name, others[at]));
  const asset = wasm_bindgen.Asset.read(path, bytes, held);
  held.free();
  return { asset, missing };
}

/** What to say of what was thrown, a line each, and whether the library can still be used. */
function trouble(error) {
  if (typeof error === 'string') return { lines: JSON.parse(error).lines, isWhole: true };
  if (panicked !== null) return { lines: [`This is a defect of xform. Please tell its authors what it said: ${panicked}`] };
  const said = String(error?.message ?? error);
  if (error instanceof DOMException) return { lines: [`${reading}: the browser cannot read it: ${said}`], isWhole: true };
  if (/call stack|recursion|out of bounds/i.test(said)) return { lines: ['The model is nested too deeply for this browser. The program can take more.'] };
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) return { lines: ['The model takes more memory than a page may have here. The program can take more.'] };
  return { lines: [said] };
}

self.onmessage = async ({ data }) => {
  try {
    if (data.wasm) {
      await wasm_bindgen({ module_or_path: data.wasm });
      self.postMessage({ scenes: JSON.parse(wasm_bindgen.builtInScenes()) });
      return;
    }
    const { asset, missing } = await measured(data);
    tell('Measuring');
    const result = asset.measured();
    tell('Writing the report');
    const [page, json] = [result.page(), result.json()];
    result.free();
    self.postMessage({ page, json, missing }, [page.buffer, json.buffer]);
  } catch (error) {
    self.postMessage({ trouble: trouble(error) });
  }
};
