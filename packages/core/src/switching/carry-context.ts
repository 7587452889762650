import { dirname, join, relative, resolve } from 'node:path';
import { readSmallFile } from '@toolwright/machine/host/state/read-file.js';
import { findImports } from '../memory/read-context.js';
import type { CarriedFile, HomeFindings } from './findings.js';

interface CarriedContext {
  /** The folder of the other agent. */
  folder: string;
  home: string;
  found: HomeFindings;
  /** The paths that files have in our folder, by those in the other one. */
  places: Map<string, string>;
}

const OUR_NAME = 'AGENTS.md';
const MOST_FILES = 100;

/** The user's instructions for all projects become ours, and the files that they import come along. */
export async function carryContext(
  name: string,
  { folder, home, found }: Omit<CarriedContext, 'places'>,
): Promise<void> {
  await carryFile(name, { folder, home, found, places: new Map([[name, OUR_NAME]]) });
}

/** The file as it was, but for the places of its imports. */
async function carryFile(name: string, context: CarriedContext): Promise<void> {
  const { folder, found, places } = context;
  const bytes = await readBytes(join(folder, name));
  const text = bytes?.toString('utf8') ?? '';
  if (bytes === null || text.trim() === '') return;
  const path = places.get(name)!;
  const imports: string[] = [];
  const isImported = path !== OUR_NAME;
  const file: CarriedFile = { path, bytes, isProgram: false, imports, isImported };
  found.files.push(file);
  let changed = text;
  for (const { written, path: named } of findImports(text)) {
    const target = await importedFrom(name, named, context);
    if (target === null) continue;
    const isNew = !places.has(target);
    if (isNew && places.size > MOST_FILES) continue;
    if (isNew) places.set(target, `imported/${found.agent}/${target}`);
    const place = places.get(target)!;
    imports.push(place);
    changed = withImport(changed, written, relative(dirname(path), place));
    if (isNew) await carryFile(target, context);
  }
  if (changed !== text) file.bytes = Buffer.from(changed);
}

/** The path of an imported file within the folder of the agent; null where there is none, or where it lies elsewhere, which is told. */
async function importedFrom(
  name: string,
  named: string,
  { folder, home, found }: CarriedContext,
): Promise<string | null> {
  const target = named.startsWith('~/') ? join(home, named.slice(2)) : resolve(folder, dirname(name), named);
  if ((await readBytes(target)) === null) return null;
  const inside = relative(folder, target);
  if (!inside.startsWith('..')) return inside;
  found.leave(
    `@${named} in ${name}`,
    `it is a file outside of ~/.${found.agent}; put its text into ~/.toolwright/AGENTS.md`,
  );
  return null;
}

function readBytes(path: string): Promise<Buffer | null> {
  return readSmallFile(path).catch(() => null);
}

function withImport(text: string, written: string, path: string): string {
  const mark = new RegExp(`(?<!\\S)@${written.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`, 'g');
  return text.replace(mark, () => `@${path.replaceAll(' ', '\\ ')}`);
}
