// What glTF-Transform has of the scenes of a folder: as it reads them, after flatten(), and after clearNodeParent().

import { Logger, NodeIO, VERSION } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { clearNodeParent, flatten } from '@gltf-transform/functions';
import { Run, byPath, files, nodes, numbers, places, write } from '../answers.mjs';

const { scenes, answers } = places();
const about = { engine: 'gltf-transform', version: `gltf-transform ${VERSION.replace('v', '')}`, by: `Node.js ${process.version}` };
const io = new NodeIO().setLogger(new Logger(Logger.Verbosity.SILENT)).registerExtensions(ALL_EXTENSIONS);

const found = (document, inFile) => byPath(document.getRoot().listNodes(), { name: node => node.getName(), parent: node => node.getParentNode() }, inFile);
const world = node => ({ world: numbers(node.getWorldMatrix()) });

const read = new Run({ ...about, run: 'gltf-transform/gltf', asked: 'gltf', how: 'NodeIO' });
const flat = new Run({ ...about, run: 'gltf-transform/flatten', asked: 'flatten', how: 'NodeIO, then flatten()' });
const cleared = new Run({ ...about, run: 'gltf-transform/clearNodeParent', asked: 'keep-world', how: 'NodeIO, then clearNodeParent() of each node, alone' });
for (const { name, file } of files(scenes, '.gltf', '.glb')) {
  const inFile = nodes(file);
  await read.ask(name, async () => {
    const all = {};
    for (const [path, node] of Object.entries(found(await io.read(file), inFile))) {
      const getters = { position: numbers(node.getWorldTranslation()), rotation: numbers(node.getWorldRotation()), scale: numbers(node.getWorldScale()) };
      all[path] = { ...world(node), getters };
    }
    return [{ seconds: null, nodes: all }];
  });
  await flat.ask(name, async () => {
    const document = await io.read(file);
    // The nodes as they were, since flatten() takes them from below one another.
    const before = found(document, inFile);
    await document.transform(flatten());
    return [{ seconds: null, nodes: Object.fromEntries(Object.entries(before).map(([path, node]) => [path, world(node)])) }];
  });
  await cleared.ask(name, async () => {
    const kept = {};
    for (const path of Object.keys(found(await io.read(file), inFile)).filter(path => path.includes('/'))) {
      const node = found(await io.read(file), inFile)[path];
      clearNodeParent(node);
      kept[path] = world(node);
    }
    return [{ seconds: null, nodes: kept }];
  });
}
write(answers, [read, flat, cleared]);
