import { filesIn } from '@toolwright/machine/host/state/inspect-files.js';

/** Kinds of files in a folder of tools: code, a manifest, or neither, such as a test or the program of a manifest. */
export function toolFileKind(name: string): 'module' | 'manifest' | null {
  if (/^[._]|\.test\.\w+$|\.d\.ts$|^(package|package-lock|tsconfig)\.json$/.test(name)) return null;
  if (/\.(ts|js|mjs)$/.test(name)) return 'module';
  return name.endsWith('.json') ? 'manifest' : null;
}

const ENDINGS = ['.ts', '.js', '.mjs', '.json'];

/** The file that holds the tool of this name, or would if it could be loaded. */
export function toolFileNamed(name: string, folders: readonly string[]): string | undefined {
  const names = new Set(ENDINGS.map((ending) => name + ending));
  return folders.flatMap(filesIn).find((file) => names.has(file.name))?.path;
}
