// Writes sail.glb, and what glTF-Transform makes of it when it compresses it by meshopt (as it is, and with filters) and by
// Draco: `npm install @gltf-transform/core @gltf-transform/extensions @gltf-transform/functions draco3dgltf meshoptimizer`,
// then `node sail.mjs`. The files here are of glTF-Transform 4.5.1.
import { Document, NodeIO } from "@gltf-transform/core";
import { ALL_EXTENSIONS, EXTMeshGPUInstancing, EXTMeshoptCompression } from "@gltf-transform/extensions";
import { draco, reorder } from "@gltf-transform/functions";
import draco3d from "draco3dgltf";
import { MeshoptEncoder } from "meshoptimizer";

await MeshoptEncoder.ready;
const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({
  "draco3d.encoder": await draco3d.createEncoderModule(),
  "meshopt.encoder": MeshoptEncoder,
});

const file = new Document();
const buffer = file.createBuffer();
const accessor = (type, array) => file.createAccessor().setType(type).setArray(array).setBuffer(buffer);

// A sail of 5 × 5 vertices that two joints hold, of which the second turns below a non-uniform scale.
const [positions, normals, joints, weights, indices] = [[], [], [], [], []];
for (let y = 0; y < 5; y++) {
  for (let x = 0; x < 5; x++) {
    positions.push(x / 2 - 1, y / 2, (x * y) / 16);
    normals.push(0, 0, 1);
    joints.push(0, 1, 0, 0);
    weights.push(1 - y / 4, y / 4, 0, 0);
    const first = 5 * y + x;
    if (x < 4 && y < 4) indices.push(first, first + 1, first + 5, first + 1, first + 6, first + 5);
  }
}
const flag = file
  .createPrimitive()
  .setAttribute("POSITION", accessor("VEC3", new Float32Array(positions)))
  .setAttribute("NORMAL", accessor("VEC3", new Float32Array(normals)))
  .setIndices(accessor("SCALAR", new Uint16Array(indices)));
const sail = flag
  .clone()
  .setAttribute("JOINTS_0", accessor("VEC4", new Uint8Array(joints)))
  .setAttribute("WEIGHTS_0", accessor("VEC4", new Float32Array(weights)));
const boom = file.createNode("boom").setScale([2, 1, 1]);
const gaff = file.createNode("gaff").setTranslation([0, 1, 0]);
boom.addChild(gaff);
const bound = (y) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -y, 0, 1];
const skin = file
  .createSkin()
  .addJoint(boom)
  .addJoint(gaff)
  .setInverseBindMatrices(accessor("MAT4", new Float32Array([...bound(0), ...bound(1)])));
const skinned = file.createNode("sail").setMesh(file.createMesh("sail").addPrimitive(sail)).setSkin(skin);

const turned = (radians) => [0, 0, Math.sin(radians / 2), Math.cos(radians / 2)];
const steps = Array.from({ length: 9 }, (_, step) => step / 8);
const sampler = file
  .createAnimationSampler()
  .setInput(accessor("SCALAR", new Float32Array(steps)))
  .setOutput(accessor("VEC4", new Float32Array(steps.flatMap((step) => turned((Math.PI / 4) * step)))));
const channel = file.createAnimationChannel().setTargetNode(gaff).setTargetPath("rotation").setSampler(sampler);
file.createAnimation("hoist").addSampler(sampler).addChannel(channel);

// Six flags, each turned further below a non-uniform scale.
const flags = [0, 1, 2, 3, 4, 5];
const instances = file
  .createExtension(EXTMeshGPUInstancing)
  .createInstancedMesh()
  .setAttribute("TRANSLATION", accessor("VEC3", new Float32Array(flags.flatMap((one) => [3 * one, 0, 0]))))
  .setAttribute("ROTATION", accessor("VEC4", new Float32Array(flags.flatMap((one) => turned((one * Math.PI) / 12)))));
const fleet = file
  .createNode("fleet")
  .setScale([1, 3, 1])
  .setTranslation([0, 0, 4])
  .setMesh(file.createMesh("flag").addPrimitive(flag))
  .setExtension("EXT_mesh_gpu_instancing", instances);
file.createScene().addChild(boom).addChild(skinned).addChild(fleet);
const plain = await io.writeBinary(file);

const write = async (name, change) => {
  const copy = await io.readBinary(plain);
  await change(copy);
  await io.write(name, copy);
};
const meshopt = (method) => async (copy) => {
  await copy.transform(reorder({ encoder: MeshoptEncoder }));
  copy.createExtension(EXTMeshoptCompression).setRequired(true).setEncoderOptions({ method });
};
await write("sail.glb", () => {});
await write("sail-meshopt.glb", meshopt("quantize"));
await write("sail-meshopt-filters.glb", meshopt("filter"));
await write("sail-draco.glb", (copy) => copy.transform(draco({ quantizePosition: 16 })));
