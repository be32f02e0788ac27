// What three.js shows of the scenes of a folder: GLTFLoader, FBXLoader, and Object3D.attach.

import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { FBXLoader } from 'three/addons/loaders/FBXLoader.js';
import fs from 'node:fs';
import { Run, TIMES, built, byPath, files, nodes, numbers, places, write } from '../answers.mjs';

// The loaders expect a browser; nothing of it is used, since the scenes have no images.
globalThis.self = globalThis;
globalThis.window ??= globalThis;
globalThis.ProgressEvent ??= class {};
globalThis.document ??= { createElementNS: () => ({ style: {} }) };

const { scenes, answers } = places();
const about = { engine: 'three', version: `three r${THREE.REVISION}`, by: `Node.js ${process.version}` };
const how = { name: node => node.name, parent: node => node.parent };

const bytes = file => {
  const read = fs.readFileSync(file);
  return read.buffer.slice(read.byteOffset, read.byteOffset + read.length);
};
const load = file => new Promise((done, failed) => new GLTFLoader().parse(bytes(file), '', done, failed));

const answerOf = node => {
  const [position, rotation, scale] = [new THREE.Vector3(), new THREE.Quaternion(), new THREE.Vector3()];
  node.getWorldPosition(position);
  node.getWorldQuaternion(rotation);
  node.getWorldScale(scale);
  const getters = { position: numbers(position.toArray()), rotation: numbers(rotation.toArray()), scale: numbers(scale.toArray()) };
  return { world: numbers(node.matrixWorld.elements), getters };
};

/** Objects by calls; a matrix is kept as it is. */
function byCalls(inFile) {
  const scene = new THREE.Scene();
  const made = built(inFile, (entry, parent) => {
    const node = new THREE.Object3D();
    if (entry.matrix) {
      node.matrixAutoUpdate = false;
      node.matrix.fromArray(entry.matrix);
    } else {
      node.position.fromArray(entry.translation);
      node.quaternion.fromArray(entry.rotation);
      node.scale.fromArray(entry.scale);
    }
    (parent ?? scene).add(node);
    return node;
  });
  scene.updateMatrixWorld(true);
  return { scene, made };
}

/** What attach() to the scene keeps of each node, alone. `load` gives the nodes by path, and their scene, anew. */
async function attached(load) {
  const kept = {};
  for (const path of Object.keys((await load()).made).filter(path => path.includes('/'))) {
    const { scene, made } = await load();
    scene.attach(made[path]);
    scene.updateMatrixWorld(true);
    kept[path] = { world: numbers(made[path].matrixWorld.elements) };
  }
  return [{ seconds: null, nodes: kept }];
}

/** The world matrices of all nodes, and the vertices of what is skinned. */
function moment(root, inFile, seconds) {
  root.updateMatrixWorld(true);
  const all = [];
  root.traverse(node => all.push(node));
  const found = byPath(all, how, inFile);
  const answer = { seconds, nodes: {}, vertices: {} };
  for (const [path, node] of Object.entries(found)) {
    answer.nodes[path] = answerOf(node);
    if (node.isSkinnedMesh || node.morphTargetInfluences) {
      if (node.isSkinnedMesh) node.skeleton.update();
      const vertex = new THREE.Vector3();
      const count = node.geometry.attributes.position.count;
      answer.vertices[path] = Array.from({ length: count }, (_, index) =>
        numbers(node.getVertexPosition(index, vertex).applyMatrix4(node.matrixWorld).toArray()));
    }
  }
  return answer;
}

const gltf = new Run({ ...about, run: 'three/gltf', asked: 'gltf', how: 'GLTFLoader' });
const api = new Run({ ...about, run: 'three/api', asked: 'api', how: 'Object3D, a matrix set with matrixAutoUpdate = false' });
const attachApi = new Run({ ...about, run: 'three/attach-to-root', asked: 'keep-world', how: 'the same, then attach() of each node to the scene, alone' });
const attach = new Run({ ...about, run: 'three/gltf-attach', asked: 'keep-world', how: 'GLTFLoader, then attach() of each node to the scene, alone' });
for (const { name, file } of files(scenes, '.gltf', '.glb')) {
  const inFile = nodes(file);
  await gltf.ask(name, async () => {
    const { scene, animations } = await load(file);
    const moments = [moment(scene, inFile, null)];
    if (animations.length) {
      const mixer = new THREE.AnimationMixer(scene);
      mixer.clipAction(animations[0]).play();
      for (const seconds of TIMES) {
        mixer.setTime(seconds);
        moments.push(moment(scene, inFile, seconds));
      }
    }
    return moments;
  });
  await api.ask(name, () => {
    const { made } = byCalls(inFile);
    return [{ seconds: null, nodes: Object.fromEntries(Object.entries(made).map(([path, node]) => [path, answerOf(node)])) }];
  });
  await attachApi.ask(name, () => attached(() => byCalls(inFile)));
  await attach.ask(name, () => attached(async () => {
    const { scene } = await load(file);
    scene.updateMatrixWorld(true);
    const all = [];
    scene.traverse(node => all.push(node));
    return { scene, made: byPath(all, how, inFile) };
  }));
}

const fbx = new Run({ ...about, run: 'three-FBXLoader', asked: 'fbx', how: 'FBXLoader' });
for (const { name, file } of files(scenes, '.fbx')) {
  await fbx.ask(name, () => {
    const root = new FBXLoader().parse(bytes(file), '');
    root.updateMatrixWorld(true);
    const found = {};
    const paths = (node, above) => {
      const path = node === root ? above : [...above, node.name];
      if (node !== root) found[path.join('/')] = { world: numbers(node.matrixWorld.elements) };
      node.children.forEach(child => paths(child, path));
    };
    paths(root, []);
    return [{ seconds: null, nodes: found }];
  });
}
write(answers, [api, attachApi, gltf, attach, fbx]);
