import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A TypeScript project of a reader, in which our packages are installed as they are built. */
export interface ReaderProject {
  directory: string;
  write(file: string, text: string): void;
  cleanup(): void;
}

export const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** With further packages of ours beside it. */
export function createReaderProject(packages: readonly string[] = []): ReaderProject {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-reader-')));
  const link = (target: string, name: string): void => {
    const path = join(directory, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(realpathSync(join(root, target)), path);
  };
  const write: ReaderProject['write'] = (file, text) => writeFileSync(join(directory, file), text);
  for (const name of ['machine', 'mcp', 'core', 'doctor']) link(`packages/${name}`, `@toolwright/${name}`);
  for (const name of ['@types/node', ...packages]) link(join('node_modules', name), name);
  const compilerOptions = {
    strict: true,
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    skipLibCheck: true,
    noEmit: true,
  };
  write('tsconfig.json', JSON.stringify({ compilerOptions }));
  write('package.json', '{ "type": "module" }');
  return { directory, write, cleanup: () => rmSync(directory, { recursive: true, force: true }) };
}
