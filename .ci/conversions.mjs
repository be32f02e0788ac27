// Writes a built-in scene, which `xform audit --format json` describes on standard input, as a .gltf file: a cube at each node.
import { readFileSync, writeFileSync } from "node:fs";

const { scenes: [{ nodes }] } = JSON.parse(readFileSync(0, "utf8"));
const children = nodes.map(({ index }) => nodes.filter(({ parent }) => parent === index).map(({ index }) => index));

const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 1, (i >> 1) & 1, i >> 2].map((part) => part - 0.5));
const faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
const indices = faces.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]);
const bytes = Buffer.concat([Buffer.from(Float32Array.from(corners.flat()).buffer), Buffer.from(Uint16Array.from(indices).buffer)]);

writeFileSync(process.argv[2], JSON.stringify({
  asset: { version: "2.0" },
  scene: 0,
  scenes: [{ nodes: nodes.filter(({ parent }) => parent === null).map(({ index }) => index) }],
  nodes: nodes.map(({ index, name, local }) => ({
    name: name ?? `node ${index}`,
    ...local,
    mesh: 0,
    ...(children[index].length ? { children: children[index] } : {}),
  })),
  meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
  accessors: [
    { bufferView: 0, componentType: 5126, count: corners.length, type: "VEC3", min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] },
    { bufferView: 1, componentType: 5123, count: indices.length, type: "SCALAR" },
  ],
  bufferViews: [{ buffer: 0, byteLength: 96 }, { buffer: 0, byteOffset: 96, byteLength: 2 * indices.length }],
  buffers: [{ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${bytes.toString("base64")}` }],
}));
