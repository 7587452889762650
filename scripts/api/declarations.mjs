import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from '../setup.mjs';

/** The declarations that the compiler writes for these sources and all that they import, made in a folder that is removed again. */
export function withDeclarations(sources, use) {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'api-'));
  try {
    emit(sources, folder);
    const files = new Map();
    return use((path) => {
      if (!files.has(path)) files.set(path, readDeclarations(join(folder, path)));
      return files.get(path);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function emit(sources, folder) {
  const compilerOptions = {
    noEmit: false,
    emitDeclarationOnly: true,
    declaration: true,
    // The types are checked by `npm run check`; here they are only written.
    noCheck: true,
    rootDir: root,
    outDir: folder,
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const project = join(folder, 'tsconfig.json');
  const files = sources.map((path) => join(root, path));
  writeFileSync(
    project,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(
      `The compiler wrote no declarations. Run npm run check to see why.\n${stdout.replaceAll(folder, relative(root, folder))}${stderr}`,
    );
}

/** Reads the exports of a file of declarations: its own by name, and names that come from other files. */
function readDeclarations(path) {
  if (!existsSync(path)) throw new Error(`The compiler wrote no ${path}.`);
  const text = readFileSync(path, 'utf8');
  const { program, comments } = parseSync(path, text);
  const own = new Map();
  const others = new Map();
  const exported = new Set();
  for (const statement of program.body) {
    const isExport = statement.type === 'ExportNamedDeclaration';
    for (const { local, exported: as, imported } of statement.specifiers ?? []) {
      const name = (as ?? local).name;
      if (isExport) exported.add(name);
      if (statement.source || name !== local.name)
        others.set(name, { name: (imported ?? local).name, from: statement.source?.value });
    }
    const declaration = statement.declaration ?? statement;
    for (const name of namesOf(declaration)) {
      if (isExport) exported.add(name);
      const before = own.get(name);
      const lines = printed(text, statement, declaration);
      const doc = before?.doc ?? docBefore(text, comments, statement.start);
      own.set(name, { doc, text: before ? `${before.text}\n${lines}` : lines });
    }
  }
  return { own, others, exported };
}

function namesOf({ id, declarations = [] }) {
  return id ? [id.name] : declarations.map((each) => each.id.name);
}

/** The declaration as the compiler wrote it, without the members that only its own class may use. */
function printed(text, { start, end }, { body }) {
  const members = body?.type === 'ClassBody' ? body.body : [];
  let kept = text.slice(start, end);
  for (const { accessibility, start: from, end: to } of members.toReversed())
    if (accessibility === 'private')
      kept = `${kept.slice(0, from - start).trimEnd()}${kept.slice(to - start)}`;
  return kept.replace(/^(export )?(declare )?/, '');
}

function docBefore(text, comments, start) {
  const comment = comments.findLast(({ end }) => end <= start);
  if (!comment?.value.startsWith('*') || text.slice(comment.end, start).trim() !== '') return undefined;
  return text.slice(comment.start, comment.end);
}
