import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { libraries, root } from '../setup.mjs';
import { withDeclarations } from './declarations.mjs';

/** The report of each library, by the path where it is kept: every public name with its declaration. */
export function apiReports() {
  const entries = libraries.flatMap(entriesOf);
  return withDeclarations(
    entries.map(({ source }) => source),
    (read) => {
      const reports = libraries.map((name) => {
        const own = entries.filter(({ library }) => library === name);
        return [`docs/api/${name}.md`, reportOf(own, read)];
      });
      return new Map(reports);
    },
  );
}

/** The entry of core for our own front ends: it promises nothing to anybody else. */
const ours = './front-end';

/** The entries of a library that list names; those with a star open single files to the other packages of this repository. */
function entriesOf(library) {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'packages', library, 'package.json'), 'utf8'));
  return Object.entries(exports)
    .filter(([path, { types }]) => types && !path.includes('*') && path !== ours)
    .map(([path, { types }]) => ({
      library,
      title: name + path.slice(1),
      source: `packages/${library}/${types.replace('./dist/', 'src/').replace('.d.ts', '.ts')}`,
    }));
}

function reportOf(entries, read) {
  const shown = new Map();
  const parts = entries.map(({ title, source }) => {
    const names = namesOf(read, source).map(({ name, declared, path }) => {
      const key = `${path} ${declared.name}`;
      const first = shown.get(key);
      if (first) return `### ${name}\n\nAs in \`${first}\`.\n`;
      shown.set(key, title);
      const lines = [declared.doc, renamed(declared, name)].filter(Boolean).join('\n');
      return `### ${name}\n\n\`\`\`ts\n${lines}\n\`\`\`\n`;
    });
    return `## ${title}\n\n${names.join('\n')}`;
  });
  const [{ title }] = entries;
  const first = `# The public names of ${title}\n\nMade of the compiler's declarations by \`npm run api\`.\n`;
  return [first, ...parts].join('\n');
}

function renamed({ name, text }, publicName) {
  return name === publicName ? text : `// declared as ${name}\n${text}`;
}

/** The public names of one entry in the order of the alphabet, each with the declaration behind it. */
function namesOf(read, source) {
  const entry = source.replace(/\.ts$/, '.d.ts');
  return [...read(entry).exported]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => ({ name, ...declarationOf(read, entry, name) }));
}

function declarationOf(read, path, name) {
  const { own, others } = read(path);
  const declared = own.get(name);
  if (declared) return { path, declared: { name, ...declared } };
  const other = others.get(name);
  if (!other) throw new Error(`${path} exports ${name}, which is declared nowhere.`);
  return declarationOf(read, other.from ? pathOf(path, other.from) : path, other.name);
}

function pathOf(importer, specifier) {
  const [, library, rest] = /^@toolwright\/(\w+)\/(.*)$/.exec(specifier) ?? [];
  const path = library ? `packages/${library}/src/${rest}` : join(dirname(importer), specifier);
  return path.replace(/\.js$/, '.d.ts');
}

/** The names whose report has no sentence about them, as `entry name`. */
export function undocumentedIn(report) {
  const names = [];
  let entry = '';
  for (const part of report.split(/^(?=###? )/m)) {
    const [, level, name] = /^(##|###) (.*)$/m.exec(part) ?? [];
    if (level === '##') entry = name;
    if (level === '###' && part.includes('```') && !part.includes('```ts\n/**'))
      names.push(`${entry} ${name}`);
  }
  return names;
}
