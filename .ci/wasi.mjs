// Runs a program that is compiled for wasm32-wasip1: `node wasi.mjs PROGRAM.wasm ARGUMENTS…`.
import { readFile } from 'node:fs/promises';
import { argv, env, exit } from 'node:process';
import { WASI } from 'node:wasi';

const [program, ...rest] = argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: [program, ...rest], env, preopens: { '/': '/' } });
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
exit(wasi.start(instance));
