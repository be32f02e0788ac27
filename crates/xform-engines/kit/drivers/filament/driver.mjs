// What Filament shows of the scenes of a folder: its TransformManager, by calls, and its importer gltfio.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import { Run, TIMES, built, byPath, files, nodes, numbers, places, write } from '../answers.mjs';

// Its module is for `require`, and speaks to WebGL 2. Engines can be made with nothing behind it, since nothing is drawn.
const require = createRequire(import.meta.url);
globalThis.window ??= globalThis;
const STRINGS = { 0x1f00: 'none', 0x1f01: 'none', 0x1f02: 'WebGL 2.0', 0x8b8c: 'WebGL GLSL ES 3.00' };
const says = { getParameter: name => STRINGS[name] ?? 0, getSupportedExtensions: () => [], getExtension: () => null };
window.filament_glContext = new Proxy(says, { get: (_, name) => says[name] ?? (() => ({})) });
window.filament_glOptions = { majorVersion: 2, minorVersion: 0 };

const { scenes, answers } = places();
const library = require('filament');
// It would tell on standard output of what it runs on.
const filament = await library({ print() {} });
// Engine.create() would ask a canvas for the context; this is what it calls then.
const engine = filament.Engine._create();
const transforms = engine.getTransformManager();
const loader = new filament.gltfio$AssetLoader(engine, new filament.gltfio$UbershaderProvider(engine));

const about = { engine: 'filament', version: `filament ${require('filament/package.json').version}`, by: `Node.js ${process.version}` };
const worlds = made => Object.fromEntries(Object.entries(made).map(([path, entity]) =>
  [path, { world: numbers(transforms.getWorldTransform(transforms.getInstance(entity))) }]));

/** T·R·S, column by column, where the quaternion is 1 long: what another one does is not Filament's to say, so that is no answer. */
function matrixOf({ translation, rotation: [x, y, z, w], scale: [a, b, c] }) {
  const length = Math.hypot(x, y, z, w);
  if (Math.abs(length - 1) > 1e-5) throw new Error(`a rotation that is ${length} long: Filament takes matrices alone`);
  return [
    a * (1 - 2 * (y * y + z * z)), a * 2 * (x * y + z * w), a * 2 * (x * z - y * w), 0,
    b * 2 * (x * y - z * w), b * (1 - 2 * (x * x + z * z)), b * 2 * (y * z + x * w), 0,
    c * 2 * (x * z + y * w), c * 2 * (y * z - x * w), c * (1 - 2 * (x * x + y * y)), 0,
    ...translation, 1,
  ];
}

/** Entities by calls. */
function byCalls(inFile) {
  const made = built(inFile, (entry, parent) => {
    const entity = filament.EntityManager.get().create();
    transforms.create(entity);
    const node = transforms.getInstance(entity);
    if (parent) transforms.setParent(node, transforms.getInstance(parent));
    transforms.setTransform(node, entry.matrix ?? matrixOf(entry));
    return entity;
  });
  return [{ seconds: null, nodes: worlds(made) }];
}

/** What gltfio imports. Skins and morph targets move vertices on the GPU alone, so they are not asked for. */
function imported(file) {
  const bytes = fs.readFileSync(file);
  const buffer = new filament.driver$BufferDescriptor(bytes.length);
  buffer.getBytes().set(bytes);
  const asset = loader._createAsset(buffer);
  if (!asset) throw new Error('no asset');
  // Animations are read from the buffers; loading has them decoded, and what it gives the GPU need not be waited for.
  new filament.gltfio$ResourceLoader(engine, true).asyncBeginLoad(asset);
  const entities = library.vectorToArray(asset._getEntities());
  const above = entity => {
    const parent = transforms.getParent(transforms.getInstance(entity));
    return transforms.hasComponent(parent) ? parent : null;
  };
  const found = byPath(entities, { name: entity => asset.getName(entity), parent: above }, nodes(file));
  const moments = [{ seconds: null, nodes: worlds(found) }];
  const animator = asset.getInstance().getAnimator();
  if (animator.getAnimationCount()) {
    for (const seconds of TIMES) {
      animator.applyAnimation(0, seconds);
      moments.push({ seconds, nodes: worlds(found) });
    }
  }
  return moments;
}

const api = new Run({ ...about, run: 'filament/api', asked: 'api', how: 'TransformManager: setParent, and setTransform of a matrix, T·R·S where the node has these' });
const gltf = new Run({ ...about, run: 'filament/gltf', asked: 'gltf', how: 'gltfio' });
for (const { name, file } of files(scenes, '.gltf', '.glb')) {
  await api.ask(name, () => byCalls(nodes(file)));
  await gltf.ask(name, () => imported(file));
}
write(answers, [api, gltf]);
process.exit(0);
