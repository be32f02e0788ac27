// What Galacean shows of nodes that are made by calls, as the scenes of a folder have them.

import fs from 'node:fs';
import { Run, built, files, nodes, numbers, places, write } from '../answers.mjs';

// The engine looks at the browser when it is imported; entities and their transforms use nothing of it.
globalThis.window ??= globalThis;
globalThis.document ??= { createElement: () => ({ getContext: () => null }), addEventListener() {} };
// It greets on standard output.
const { Entity, Matrix } = await import('@galacean/engine');

const { scenes, answers } = places();
const { version } = JSON.parse(fs.readFileSync(new URL('node_modules/@galacean/engine/package.json', import.meta.url)));

function answerOf({ transform }) {
  const { worldPosition: p, worldRotationQuaternion: q, lossyWorldScale: s } = transform;
  const getters = { position: numbers([p.x, p.y, p.z]), rotation: numbers([q.x, q.y, q.z, q.w]), scale: numbers([s.x, s.y, s.z]) };
  return { world: numbers(transform.worldMatrix.elements), getters };
}

/** Entities by calls, of no engine: one has to have a canvas and WebGL. `localMatrix` keeps a matrix as it is. */
function byCalls(inFile) {
  const made = built(inFile, (entry, parent) => {
    const entity = new Entity({}, entry.name);
    parent?.addChild(entity);
    if (entry.matrix) {
      entity.transform.localMatrix = new Matrix(...entry.matrix);
    } else {
      entity.transform.setPosition(...entry.translation);
      entity.transform.setRotationQuaternion(...entry.rotation);
      entity.transform.setScale(...entry.scale);
    }
    return entity;
  });
  return [{ seconds: null, nodes: Object.fromEntries(Object.entries(made).map(([path, entity]) => [path, answerOf(entity)])) }];
}

const api = new Run({
  run: 'galacean/api', engine: 'galacean', version: `galacean ${version}`, by: `Node.js ${process.version}`,
  asked: 'api', how: 'Transform: setPosition, setRotationQuaternion and setScale; localMatrix for a matrix',
});
for (const { name, file } of files(scenes, '.gltf', '.glb')) await api.ask(name, () => byCalls(nodes(file)));
write(answers, [api]);
