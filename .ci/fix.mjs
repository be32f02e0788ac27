// Compares pairs of files before and after a repair, as three.js and glTF-Validator see them. See `.ci/fix`.
import fs from 'node:fs';
import path from 'node:path';
import * as THREE from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import validator from 'gltf-validator';

globalThis.self = globalThis;

// Colours say nothing of where vertices are, and need a browser.
function withoutMaterials(bytes) {
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length).toString());
  for (const name of ['materials', 'textures', 'images', 'samplers']) delete json[name];
  for (const mesh of json.meshes ?? []) for (const primitive of mesh.primitives) delete primitive.material;
  // By this a node is known again. Animations find nodes by name, so each has its own, and meshes have none.
  (json.nodes ?? []).forEach((node, index) => Object.assign(node, { extras: { index }, name: `Node${index}` }));
  for (const mesh of json.meshes ?? []) delete mesh.name;
  let text = Buffer.from(JSON.stringify(json));
  text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, ' ')]);
  const rest = bytes.subarray(20 + length);
  const head = Buffer.from(bytes.subarray(0, 20));
  head.writeUInt32LE(20 + text.length + rest.length, 8);
  head.writeUInt32LE(text.length, 12);
  const all = Buffer.concat([head, text, rest]);
  return all.buffer.slice(all.byteOffset, all.byteOffset + all.length);
}

// A repair may put a mesh on a new node below the one that showed it, which is the one that it is known by: `nodes` are how many
// there were before.
async function loaded(bytes, nodes) {
  const gltf = await new GLTFLoader().parseAsync(withoutMaterials(bytes), '');
  const root = new THREE.Group();
  root.add(...gltf.scenes);
  const meshes = new Map();
  root.traverse((object) => {
    if (!object.isMesh) return;
    const isNode = object.userData.index !== undefined;
    const node = isNode ? object : object.parent;
    const primitive = isNode ? 0 : node.children.indexOf(object);
    const { index } = node.userData.index < nodes ? node.userData : node.parent.userData;
    meshes.set(`${index}/${primitive}`, object);
  });
  return { root, meshes, clips: gltf.animations, mixer: new THREE.AnimationMixer(root) };
}

// World positions and normals of a mesh, with one morph target wholly in effect or none.
function shown(mesh, target) {
  const influences = mesh.morphTargetInfluences ?? [];
  influences.forEach((_, i) => { influences[i] = i === target ? 1 : 0; });
  const { position, normal } = mesh.geometry.attributes;
  const offset = mesh.geometry.morphAttributes.normal?.[target];
  const ofNormals = new THREE.Matrix3().getNormalMatrix(mesh.matrixWorld);
  const vertices = [];
  for (let i = 0; i < position.count; i += 1) {
    const at = mesh.getVertexPosition(i, new THREE.Vector3()).applyMatrix4(mesh.matrixWorld);
    let direction = null;
    // three.js takes normals of skinned meshes by the matrix itself, which is not exact below non-uniform scales.
    if (normal && !mesh.isSkinnedMesh) {
      direction = new THREE.Vector3().fromBufferAttribute(normal, i);
      if (offset) direction.add(new THREE.Vector3().fromBufferAttribute(offset, i));
      direction.applyMatrix3(ofNormals);
    }
    vertices.push([at, direction]);
  }
  return vertices;
}

function pose(file, clip, seconds) {
  file.mixer.stopAllAction();
  if (clip !== null) file.mixer.clipAction(file.clips[clip]).play();
  file.mixer.setTime(seconds);
  file.root.updateMatrixWorld(true);
}

const totals = { files: 0, vertices: 0, moved: 0, turned: 0 };
const problems = [];

async function compare(name, before, after) {
  const nodes = JSON.parse(before.subarray(20, 20 + before.readUInt32LE(12)).toString()).nodes.length;
  const [old, fixed] = [await loaded(before, nodes), await loaded(after, nodes)];
  const moments = [[null, 0]];
  old.clips.forEach((clip, i) => {
    for (let step = 0; step <= 8; step += 1) moments.push([i, (clip.duration * step) / 8]);
  });
  pose(old, null, 0);
  const size = new THREE.Box3().setFromObject(old.root).getSize(new THREE.Vector3()).length() || 1;
  for (const [clip, seconds] of moments) {
    pose(old, clip, seconds);
    pose(fixed, clip, seconds);
    for (const [place, mesh] of old.meshes) {
      const other = fixed.meshes.get(place);
      const targets = mesh.morphTargetInfluences?.length ?? 0;
      for (let target = -1; target < targets; target += 1) {
        const [a, b] = [shown(mesh, target), shown(other, target)];
        if (a.length !== b.length) problems.push(`${name}: ${place} has another number of vertices`);
        a.forEach(([at, direction], i) => {
          const moved = at.distanceTo(b[i][0]) / size;
          // What nearly vanishes points anywhere.
          const turned = direction?.length() > 1e-3 ? (direction.angleTo(b[i][1]) * 180) / Math.PI : 0;
          totals.vertices += 1;
          totals.moved = Math.max(totals.moved, moved);
          totals.turned = Math.max(totals.turned, turned);
          // A little more than the bound of the proof: three.js has its worlds in floats of its own.
          if (!(moved <= 3e-6 && turned <= 0.02)) {
            problems.push(`${name}: ${place} at ${seconds} s of ${clip}: moved ${moved}, turned ${turned}`);
          }
        });
      }
    }
  }
}

async function messages(bytes) {
  const options = { maxIssues: 1000, externalResourceFunction: () => Promise.reject(new Error('not read')) };
  const { issues } = await validator.validateBytes(new Uint8Array(bytes), options);
  // Infos about what a repair has left unused are none.
  return new Set(issues.messages.filter(({ severity }) => severity < 2).map(({ code }) => code));
}

for (const folder of process.argv.slice(2)) {
  for (const file of fs.readdirSync(folder).filter((file) => file.endsWith('.before.glb'))) {
    const before = fs.readFileSync(path.join(folder, file));
    const after = fs.readFileSync(path.join(folder, file.replace('.before.', '.after.')));
    await compare(file, before, after);
    const known = await messages(before);
    for (const code of await messages(after)) {
      if (!known.has(code)) problems.push(`${file}: glTF-Validator says ${code} of the repaired file alone`);
    }
    totals.files += 1;
  }
}
problems.slice(0, 20).forEach((problem) => console.error(problem));
console.log(`${totals.files} repaired files: ${totals.vertices} vertices moved by at most ${totals.moved.toExponential(1)} of the `
  + `scene and turned by at most ${totals.turned.toExponential(1)} degrees in three.js; ${problems.length} problems`);
process.exit(problems.length === 0 && totals.files > 0 ? 0 : 1);
