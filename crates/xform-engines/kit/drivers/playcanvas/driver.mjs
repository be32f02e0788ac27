// What PlayCanvas shows of the scenes of a folder: its container handler, and addChildAndSaveTransform().

import fs from 'node:fs';
import { Run, byPath, files, nodes, numbers, places, write } from '../answers.mjs';

// The engine expects a browser; it draws nothing here.
const element = () => ({
  style: {}, width: 1, height: 1, addEventListener() {}, removeEventListener() {}, appendChild() {}, setAttribute() {},
  getContext: () => null, getBoundingClientRect: () => ({ left: 0, top: 0, width: 1, height: 1 }),
});
globalThis.window ??= globalThis;
globalThis.navigator ??= { userAgent: 'node', maxTouchPoints: 0 };
globalThis.document ??= { createElement: element, body: element(), addEventListener() {}, removeEventListener() {}, hidden: false };
globalThis.location ??= { href: 'http://localhost/' };
globalThis.addEventListener ??= () => {};
globalThis.removeEventListener ??= () => {};
const pc = await import('playcanvas');

const { scenes, answers } = places();
const about = { engine: 'playcanvas', version: `playcanvas ${pc.version}`, by: `Node.js ${process.version}` };

const canvas = element();
const app = new pc.AppBase(canvas);
const options = new pc.AppOptions();
options.graphicsDevice = new pc.NullGraphicsDevice(canvas);
options.componentSystems = [pc.RenderComponentSystem, pc.AnimComponentSystem, pc.CameraComponentSystem, pc.LightComponentSystem];
options.resourceHandlers = [pc.ContainerHandler, pc.TextureHandler, pc.MaterialHandler, pc.RenderHandler];
app.init(options);

/** A file as GLB, which is all that the handler takes from memory. */
function glb(file) {
  const bytes = fs.readFileSync(file);
  if (bytes.readUInt32LE(0) === 0x46546c67) return bytes;
  const document = JSON.parse(bytes.toString('utf8'));
  const [buffer] = document.buffers ?? [];
  const binary = buffer ? Buffer.from(buffer.uri.split(',')[1], 'base64') : Buffer.alloc(0);
  if (buffer) delete buffer.uri;
  const padded = (data, filler) => Buffer.concat([data, Buffer.alloc((4 - data.length % 4) % 4, filler)]);
  const chunk = (type, data) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(data.length, 0);
    head.writeUInt32LE(type, 4);
    return Buffer.concat([head, data]);
  };
  const chunks = [chunk(0x4e4f534a, padded(Buffer.from(JSON.stringify(document)), 32)), chunk(0x004e4942, padded(binary, 0))];
  const head = Buffer.alloc(12);
  head.writeUInt32LE(0x46546c67, 0);
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(12 + chunks[0].length + chunks[1].length, 8);
  return Buffer.concat([head, ...chunks]);
}

const load = file => new Promise((done, failed) => {
  const bytes = glb(file);
  const contents = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const asset = new pc.Asset(file, 'container', { url: `${file}.glb`, filename: 'scene.glb', contents });
  app.assets.add(asset);
  asset.ready(() => {
    // The only root of a file is itself what is instantiated.
    const top = new pc.Entity('top of the file');
    top.addChild(asset.resource.instantiateRenderEntity());
    app.root.addChild(top);
    done(top);
  });
  asset.once('error', failed);
  app.assets.load(asset);
});

function found(root, inFile) {
  const all = [];
  root.forEach(node => all.push(node));
  return byPath(all, { name: node => node.name, parent: node => (node === root ? null : node.parent) }, inFile);
}
const world = node => ({ world: numbers(node.getWorldTransform().data) });

const imported = new Run({ ...about, run: 'playcanvas/gltf', asked: 'gltf', how: 'ContainerHandler' });
const kept = new Run({ ...about, run: 'playcanvas/addChildAndSaveTransform', asked: 'keep-world', how: 'ContainerHandler, then addChildAndSaveTransform() of each node to the root, alone' });
for (const { name, file } of files(scenes, '.gltf', '.glb')) {
  const inFile = nodes(file);
  await imported.ask(name, async () => {
    const all = {};
    for (const [path, node] of Object.entries(found(await load(file), inFile))) {
      const [p, r, s] = [node.getPosition(), node.getRotation(), node.getWorldTransform().getScale()];
      const getters = { position: numbers([p.x, p.y, p.z]), rotation: numbers([r.x, r.y, r.z, r.w]), scale: numbers([s.x, s.y, s.z]) };
      all[path] = { ...world(node), getters };
    }
    return [{ seconds: null, nodes: all }];
  });
  await kept.ask(name, async () => {
    const worlds = {};
    for (const path of Object.keys(found(await load(file), inFile)).filter(path => path.includes('/'))) {
      const root = await load(file);
      const node = found(root, inFile)[path];
      root.addChildAndSaveTransform(node);
      worlds[path] = world(node);
    }
    return [{ seconds: null, nodes: worlds }];
  });
}
write(answers, [imported, kept]);
process.exit(0);
