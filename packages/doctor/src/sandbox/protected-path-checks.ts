import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { CheckSetup } from './check-setup.js';
import type { SandboxCheck } from './sandbox-check.js';

const guarantee = 'protected paths stay as they are';

/** Tries every way to put something under a name, one after the other. */
const make = `
make() {
  echo x > "$1"; mkdir -p "$1"; echo x > "$1/x"; rm -rf "$1"; mkdir -p "$1"; echo x > "$1/x"
  ln -sfn /etc "$1"; echo x > new; mv -fT new "$1"; mkdir -p other/x; mv -fT other "$1"; cp -rT /etc/hostname "$1"
}`;

/** Tries every way to change what is there. */
const change = `
change() {
  echo x >> "$1"; echo x > "$1/x"; chmod 777 "$1"; mv -fT "$1" "$1.moved"; rm -rf "$1"
  echo x > new; mv -fT new "$1"; mkdir -p "$1"; echo x > "$1/x"
}`;

/** Checks of the paths that the product protects, name by name. */
export const protectedPathChecks: readonly SandboxCheck[] = [
  {
    guarantee,
    attempt: 'write .git/hooks/pre-commit',
    script: () => 'echo x > .git/hooks/pre-commit',
    holds: ({ exitCode }, { workspace }) =>
      exitCode !== 0 && !existsSync(join(workspace, '.git/hooks/pre-commit')),
  },
  {
    guarantee,
    attempt: 'rename .git, an ancestor of .git/hooks, and make another',
    script: () => 'mv .git elsewhere; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit',
    holds: (_end, { workspace }) =>
      !existsSync(join(workspace, '.git/hooks/pre-commit')) && !existsSync(join(workspace, 'elsewhere')),
  },
  {
    guarantee,
    attempt: 'make each of those that something runs by itself (.git, .vscode …) where it is missing',
    prepare: ({ workspace }) => rmSync(join(workspace, '.git'), { recursive: true }),
    script: (setup) =>
      `${make}\n${held(setup)
        .map((name) => `make '${name}'`)
        .join('\n')}`,
    holds: (_end, setup) => {
      const made = held(setup).filter((name) =>
        lstatSync(join(setup.workspace, name), { throwIfNoEntry: false }),
      );
      return made.length === 0 || `${made.join(', ')} could be made`;
    },
  },
  {
    guarantee,
    attempt: 'change, replace, move and remove each one that is there',
    prepare: fill,
    script: (setup) =>
      `${change}\n${all(setup)
        .map((name) => `change '${name}'`)
        .join('\n')}`,
    holds: (_end, setup) => {
      const changed = all(setup).filter((name) => !isAsFilled(join(setup.workspace, name)));
      return changed.length === 0 || `${changed.join(', ')} could be changed`;
    },
  },
];

/** The names in the workspace that nobody may make. */
function held({ workspace, protection }: CheckSetup): string[] {
  return protection.protectedPaths.map((path) => relative(workspace, path));
}

/** Lists the protected names, those included that are protected only while they exist. */
function all(setup: CheckSetup): string[] {
  const { workspace, protection } = setup;
  return [...held(setup), ...protection.protectedIfThere.map((path) => relative(workspace, path))];
}

const CONTENT = 'as it was';

/** Makes every protected path, some as folders, some as files. */
function fill({ protection }: CheckSetup): void {
  for (const path of protection.protectedPaths) mkdirSync(path, { recursive: true });
  for (const path of protection.protectedIfThere) writeFileSync(path, CONTENT);
}

function isAsFilled(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return !readdirSync(path).includes('x');
  return found?.isFile() === true && ['', CONTENT].includes(readFileSync(path, 'utf8'));
}
