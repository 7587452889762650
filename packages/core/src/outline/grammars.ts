import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { once } from '@toolwright/machine/base/once.js';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import type { Language, Parser } from '@vscode/tree-sitter-wasm';
import { grammarFolder } from '../outline-folder.js';

type TreeSitter = typeof import('@vscode/tree-sitter-wasm');

const LARGEST_GRAMMAR = 16 * 1024 * 1024;

/** The library, started once. */
const start = once(async (): Promise<TreeSitter> => {
  const [library, wasmBinary] = [load(), await bytesOf('tree-sitter')];
  const options = { wasmBinary, locateFile: (file: string) => file };
  await library.Parser.init(options);
  return library;
});

/** Built programs have the library beside the grammars; sources find it where it was installed. */
function load(): TreeSitter {
  const require = createRequire(import.meta.url);
  try {
    return require(fileURLToPath(new URL('tree-sitter.cjs', grammarFolder())));
  } catch {
    return require('@vscode/tree-sitter-wasm');
  }
}

async function bytesOf(name: string): Promise<Uint8Array> {
  const built = await readSmallFile(
    fileURLToPath(new URL(`${name}.wasm.br`, grammarFolder())),
    LARGEST_GRAMMAR,
  );
  if (built) return brotliDecompressSync(built);
  const require = createRequire(import.meta.url);
  const installed = require.resolve(`@vscode/tree-sitter-wasm/wasm/${name}.wasm`);
  return (await readSmallFile(installed, LARGEST_GRAMMAR)) ?? new Uint8Array();
}

const languages = new Map<string, Promise<Language>>();

/** A parser for one grammar: `python`. The grammar is loaded once. */
export async function parserFor(grammar: string): Promise<Parser> {
  const { Parser: Made, Language: Grammar } = await start();
  const loading =
    languages.get(grammar) ?? bytesOf(`tree-sitter-${grammar}`).then((bytes) => Grammar.load(bytes));
  languages.set(grammar, loading);
  const parser = new Made();
  parser.setLanguage(await loading);
  return parser;
}
