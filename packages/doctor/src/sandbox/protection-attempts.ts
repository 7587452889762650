import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Attempt } from './attempt.js';
import type { AttemptWorld } from './attempt-world.js';

const promise = 'protected paths stay as they are';

/** Every way to put something under a name, one after the other. */
const make = `
make() {
  echo x > "$1"; mkdir -p "$1"; echo x > "$1/x"; rm -rf "$1"; mkdir -p "$1"; echo x > "$1/x"
  ln -sfn /etc "$1"; echo x > new; mv -fT new "$1"; mkdir -p other/x; mv -fT other "$1"; cp -rT /etc/hostname "$1"
}`;

/** Every way to change what is there. */
const change = `
change() {
  echo x >> "$1"; echo x > "$1/x"; chmod 777 "$1"; mv -fT "$1" "$1.moved"; rm -rf "$1"
  echo x > new; mv -fT new "$1"; mkdir -p "$1"; echo x > "$1/x"
}`;

/** What the product protects, tried name by name. */
export const protectionAttempts: readonly Attempt[] = [
  {
    promise,
    attempt: 'write .git/hooks/pre-commit',
    script: () => 'echo x > .git/hooks/pre-commit',
    holds: ({ exitCode }, { workspace }) =>
      exitCode !== 0 && !existsSync(join(workspace, '.git/hooks/pre-commit')),
  },
  {
    promise,
    attempt: 'rename .git, an ancestor of .git/hooks, and make another',
    script: () => 'mv .git elsewhere; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit',
    holds: (_end, { workspace }) =>
      !existsSync(join(workspace, '.git/hooks/pre-commit')) && !existsSync(join(workspace, 'elsewhere')),
  },
  {
    promise,
    attempt: 'make each of those that something runs by itself (.git, .vscode …) where it is missing',
    prepare: ({ workspace }) => rmSync(join(workspace, '.git'), { recursive: true }),
    script: (world) =>
      `${make}\n${held(world)
        .map((name) => `make '${name}'`)
        .join('\n')}`,
    holds: (_end, world) => {
      const made = held(world).filter((name) =>
        lstatSync(join(world.workspace, name), { throwIfNoEntry: false }),
      );
      return made.length === 0 || `${made.join(', ')} could be made`;
    },
  },
  {
    promise,
    attempt: 'change, replace, move and remove each one that is there',
    prepare: fill,
    script: (world) =>
      `${change}\n${all(world)
        .map((name) => `change '${name}'`)
        .join('\n')}`,
    holds: (_end, world) => {
      const changed = all(world).filter((name) => !isAsFilled(join(world.workspace, name)));
      return changed.length === 0 || `${changed.join(', ')} could be changed`;
    },
  },
];

/** Names in the workspace that nobody may make. */
function held({ workspace, protection }: AttemptWorld): string[] {
  return protection.protectedPaths.map((path) => relative(workspace, path));
}

/** And those that are protected while they are there. */
function all(world: AttemptWorld): string[] {
  const { workspace, protection } = world;
  return [...held(world), ...protection.protectedIfThere.map((path) => relative(workspace, path))];
}

const CONTENT = 'as it was';

/** Some as folders, some as files. */
function fill({ protection }: AttemptWorld): void {
  for (const path of protection.protectedPaths) mkdirSync(path, { recursive: true });
  for (const path of protection.protectedIfThere) writeFileSync(path, CONTENT);
}

function isAsFilled(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return !readdirSync(path).includes('x');
  return found?.isFile() === true && ['', CONTENT].includes(readFileSync(path, 'utf8'));
}
