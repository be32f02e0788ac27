// What Babylon.js shows of the scenes of a folder: its glTF loader, right-handed and left-handed, and setParent(null).

import { NullEngine } from '@babylonjs/core/Engines/nullEngine.js';
import { Scene } from '@babylonjs/core/scene.js';
import { Matrix, Quaternion, Vector3 } from '@babylonjs/core/Maths/math.vector.js';
import { TransformNode } from '@babylonjs/core/Meshes/transformNode.js';
import { LoadAssetContainerAsync } from '@babylonjs/core/Loading/sceneLoader.js';
import '@babylonjs/core/Animations/animatable.js';
import '@babylonjs/loaders/glTF/2.0/index.js';
import fs from 'node:fs';
import { Run, TIMES, built, byPath, files, nodes, numbers, places, write } from '../answers.mjs';

// The loader expects a browser; the files have their data within them.
globalThis.XMLHttpRequest ??= class {};

const { scenes, answers } = places();
const package_ = JSON.parse(fs.readFileSync(new URL('node_modules/@babylonjs/core/package.json', import.meta.url)));
const about = { engine: 'babylon', version: `babylon ${package_.version}`, by: `Node.js ${process.version}` };
const LEFT_HANDED = { from_gltf: [[-1, 0, 0], [0, 1, 0], [0, 0, 1]], of_every_node: false, units_per_metre: 1 };
const engine = new NullEngine();

async function loaded(file, isRightHanded) {
  const scene = new Scene(engine);
  scene.useRightHandedSystem = isRightHanded;
  const isGlb = file.endsWith('.glb');
  const source = isGlb ? new Uint8Array(fs.readFileSync(file)) : 'data:' + fs.readFileSync(file, 'utf8');
  const container = await LoadAssetContainerAsync(source, scene, { pluginExtension: isGlb ? '.glb' : '.gltf' });
  container.addAllToScene();
  return container;
}

/** Bones' nodes are transform nodes; what a skinned node shows is a mesh of its own. */
function found(container, inFile) {
  const all = [...container.transformNodes, ...container.meshes];
  return byPath(all, { name: node => node.name, parent: node => node.parent }, inFile);
}

function update(container) {
  const seen = new Set();
  const visit = node => {
    if (!node || seen.has(node)) return;
    visit(node.parent);
    seen.add(node);
    node.computeWorldMatrix(true);
  };
  [...container.transformNodes, ...container.meshes].forEach(visit);
}

function answerOf(node) {
  const getters = {
    position: numbers(node.getAbsolutePosition().asArray()),
    rotation: numbers(node.absoluteRotationQuaternion.asArray()),
    scale: numbers(node.absoluteScaling.asArray()),
  };
  return { world: numbers(node.getWorldMatrix().asArray()), getters };
}

/** Transform nodes by calls; a matrix is taken apart, as `decompose` does it. */
function byCalls(inFile) {
  const scene = new Scene(engine);
  const made = built(inFile, (entry, parent) => {
    const node = new TransformNode(entry.name, scene);
    node.parent = parent;
    [node.position, node.rotationQuaternion, node.scaling] = [new Vector3(), new Quaternion(), new Vector3()];
    if (entry.matrix) {
      Matrix.FromArray(entry.matrix).decompose(node.scaling, node.rotationQuaternion, node.position);
    } else {
      node.position.fromArray(entry.translation);
      node.rotationQuaternion.copyFromFloats(...entry.rotation);
      node.scaling.fromArray(entry.scale);
    }
    node.computeWorldMatrix(true);
    return node;
  });
  return [{ seconds: null, nodes: Object.fromEntries(Object.entries(made).map(([path, node]) => [path, answerOf(node)])) }];
}

function moment(container, inFile, seconds) {
  update(container);
  const answer = { seconds, nodes: {}, vertices: {} };
  for (const [path, node] of Object.entries(found(container, inFile))) {
    answer.nodes[path] = answerOf(node);
    if (node.skeleton || node.morphTargetManager) {
      node.skeleton?.prepare(true);
      const positions = node.getPositionData(true, true);
      const world = node.getWorldMatrix();
      answer.vertices[path] = Array.from({ length: positions.length / 3 }, (_, index) =>
        numbers(Vector3.TransformCoordinates(Vector3.FromArray(positions, 3 * index), world).asArray()));
    }
  }
  return answer;
}

const runs = [false, true].map(isRightHanded => ({
  isRightHanded,
  run: new Run({
    ...about, run: `babylon/gltf-${isRightHanded ? 'rh' : 'lh'}`, asked: 'gltf', how: `glTF loader, useRightHandedSystem = ${isRightHanded}`,
    ...(isRightHanded ? {} : { axes: LEFT_HANDED }),
  }),
}));
const api = new Run({ ...about, run: 'babylon/api', asked: 'api', how: 'TransformNode, of a matrix Matrix.decompose' });
const kept = new Run({ ...about, run: 'babylon/setParent-null', asked: 'keep-world', how: 'glTF loader, useRightHandedSystem = true, then setParent(null) of each node, alone' });
for (const { name, file } of files(scenes, '.gltf', '.glb')) {
  const inFile = nodes(file);
  for (const { isRightHanded, run } of runs) {
    await run.ask(name, async () => {
      const container = await loaded(file, isRightHanded);
      container.animationGroups.forEach(group => group.stop());
      const moments = [moment(container, inFile, null)];
      const [group] = container.animationGroups;
      if (group) {
        group.start(false);
        group.pause();
        const perSecond = group.targetedAnimations[0].animation.framePerSecond;
        for (const seconds of TIMES) {
          group.goToFrame(seconds * perSecond);
          moments.push(moment(container, inFile, seconds));
        }
      }
      return moments;
    });
  }
  await api.ask(name, () => byCalls(inFile));
  await kept.ask(name, async () => {
    const paths = Object.keys(found(await loaded(file, true), inFile)).filter(path => path.includes('/'));
    const worlds = {};
    for (const path of paths) {
      const container = await loaded(file, true);
      update(container);
      const node = found(container, inFile)[path];
      node.setParent(null);
      node.computeWorldMatrix(true);
      worlds[path] = { world: numbers(node.getWorldMatrix().asArray()) };
    }
    return [{ seconds: null, nodes: worlds }];
  });
}
write(answers, [api, ...runs.map(({ run }) => run), kept]);
process.exit(0);
