// Compares what glTF-Validator and xform say of the files of a list. See `.ci/validator`.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const [work, only] = process.argv.slice(2);

// One file, in a process of its own: the validator ends with an exception on some of them, or not at all.
if (only) {
  const { validateBytes } = createRequire(path.join(path.resolve(work), 'x.js'))('gltf-validator');
  const options = { uri: only, maxIssues: 100, externalResourceFunction: () => Promise.reject(new Error('not read')) };
  const { issues } = await validateBytes(new Uint8Array(fs.readFileSync(only)), options);
  const errors = issues.messages.filter((message) => message.severity === 0);
  fs.writeSync(1, JSON.stringify(errors.map(({ code, pointer }) => [code, String(pointer ?? '').slice(0, 200)])));
  process.exit(0);
}

// What it calls an error and xform has nothing to say of. docs/defects.md, "Beside glTF-Validator", gives the reasons.
const HARMLESS = new Set([
  'ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS', 'ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS',
  'ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT', 'DUPLICATE_ELEMENTS', 'EMPTY_ENTITY', 'TYPE_MISMATCH',
  'UNDEFINED_PROPERTY', 'UNRESOLVED_REFERENCE',
]);
// What xform refuses and it accepts.
const REFUSED = new Set(['invalid-value', 'scene-too-large', 'values-overflow']);

const said = new Map();
for (const line of fs.readFileSync(path.join(work, 'xform.jsonl'), 'utf8').split('\n').filter(Boolean)) {
  const { row, source, code, warnings } = JSON.parse(line);
  if (row === 'file') said.set(source, { warnings: warnings.map((warning) => warning.code) });
  if (row === 'error') said.set(source, { refused: code, warnings: [] });
}

const validated = (file) => new Promise((resolve) => {
  execFile(process.execPath, [process.argv[1], work, file], { timeout: 20_000 }, (error, stdout) => {
    resolve(error ? null : JSON.parse(stdout));
  });
});

const files = fs.readFileSync(path.join(work, 'list'), 'utf8').split('\n').filter(Boolean);
const disagreements = [];
let [alike, crashed] = [0, 0];
const next = files.values();
const worker = async () => {
  for (const file of next) {
    const [errors, ours] = [await validated(file), said.get(file)];
    if (!ours) disagreements.push(`${file}: xform says nothing of it`);
    else if (!errors) crashed += 1;
    else if (ours.refused && errors.length === 0) {
      if (REFUSED.has(ours.refused)) alike += 1;
      else disagreements.push(`${file}: refused (${ours.refused}), and accepted by glTF-Validator`);
    } else if (!ours.refused && ours.warnings.length === 0) {
      const ofNodes = errors.filter(([, pointer]) => /^\/(nodes|scenes?|animations)\b/.test(pointer));
      const silent = ofNodes.filter(([code]) => !HARMLESS.has(code));
      if (silent.length === 0) alike += 1;
      else disagreements.push(`${file}: silent on ${silent.map((error) => error.join(' at ')).join(', ')}`);
    } else alike += 1;
  }
};
await Promise.all(Array.from({ length: os.availableParallelism() }, worker));
console.log(`${files.length} files: ${alike} as argued, ${crashed} on which glTF-Validator ended with an exception`);
disagreements.forEach((line) => console.log(line));
process.exit(disagreements.length > 0 || files.length === 0 ? 1 : 0);
