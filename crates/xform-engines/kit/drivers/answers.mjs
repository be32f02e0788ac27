// What every driver in JavaScript needs: the scenes of a folder, and a file of answers (../answers.schema.json).

import fs from 'node:fs';
import path from 'node:path';

/** The folder of scenes and the file of answers that the command line names. */
export function places() {
  const [scenes, answers] = process.argv.slice(2);
  if (!answers) {
    console.error(`usage: node ${path.basename(path.dirname(process.argv[1]))}/driver.mjs SCENES ANSWERS.jsonl`);
    process.exit(2);
  }
  return { scenes, answers };
}

/** The files of a folder that have one of these endings, by name without it. */
export function files(folder, ...endings) {
  const named = fs.readdirSync(folder).filter(file => endings.some(ending => file.endsWith(ending))).sort();
  return named.map(file => ({ name: file.slice(0, file.lastIndexOf('.')), file: path.join(folder, file) }));
}

/** The times at which a scene is asked about beside its rest: ../README.md. */
export const TIMES = [0, 0.5, 1, 1.25, 1.75];

/** Numbers as JSON has them: what is not finite is null. */
export const numbers = list => Array.from(list, number => Number.isFinite(number) ? number : null);

const GLTF = { from_gltf: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], of_every_node: false, units_per_metre: 1 };

/** A run: one way of asking an engine, of any number of scenes. */
export class Run {
  constructor(about) {
    this.document = { schema: 'xform-answers/1', date: new Date().toISOString().slice(0, 10), axes: GLTF, ...about, scenes: {}, failed: {} };
  }

  /** Asks about a scene; where that fails, the reason is kept. */
  async ask(name, moments) {
    try {
      this.document.scenes[name] = await moments();
    } catch (error) {
      this.document.failed[name] = String(error?.message ?? error).slice(0, 300);
    }
  }
}

/** Writes runs, a line each. */
export function write(file, runs) {
  fs.writeFileSync(file, runs.map(run => JSON.stringify(run.document) + '\n').join(''));
  for (const { document } of runs) {
    const failed = Object.entries(document.failed).map(([name, why]) => `\n  ${name}: ${why}`).join('');
    console.log(`${document.run}, ${document.version}: ${Object.keys(document.scenes).length} scenes${failed}`);
  }
}

/** The names of what a glTF file's nodes are, by index, as JSON has them. */
export function nodes(file) {
  const bytes = fs.readFileSync(file);
  const isGlb = bytes.readUInt32LE(0) === 0x46546c67;
  const text = isGlb ? bytes.subarray(20, 20 + bytes.readUInt32LE(12)) : bytes;
  return JSON.parse(text.toString('utf8')).nodes ?? [];
}

/** Makes an engine's node of each node in a file, parents first, and gives them by path: `make(node, parent)`. */
export function built(inFile, make) {
  const made = {};
  const visit = (index, above, path) => {
    const node = inFile[index];
    const own = [...path, node.name || `#${index}`];
    made[own.join('/')] = make({ translation: [0, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1], ...node }, above);
    (node.children ?? []).forEach(child => visit(child, made[own.join('/')], own));
  };
  const below = new Set(inFile.flatMap(node => node.children ?? []));
  inFile.forEach((_, index) => below.has(index) || visit(index, null, []));
  return made;
}

/** Nodes by path: `parent` leads from one of the engine's nodes to the one above, `name` names it; names that no file has are left out. */
export function byPath(all, { name, parent }, inFile) {
  const names = new Set(inFile.map(node => node.name));
  const pathOf = node => {
    const own = names.has(name(node)) ? [name(node)] : [];
    const above = parent(node);
    return above ? [...pathOf(above), ...own] : own;
  };
  return Object.fromEntries(all.filter(node => names.has(name(node))).map(node => [pathOf(node).join('/'), node]));
}
