import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { isToolError } from './errors.js';
import { optionalPackages, packageProblem } from './optional-package.js';

interface Manifest {
  dependencies?: Record<string, string>;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional: boolean }>;
}

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(new URL(`../../../${name}/package.json`, import.meta.url), 'utf8'));

it('the message about an optional package names the package that is missing, what needs it, and how to install it', () => {
  const load = () => createRequire('/nowhere/').resolve('unpdf');
  const problem = problemOf(load);
  expect(isToolError(problem)).toBe(true);
  expect(problem).toMatchObject({
    code: 'failed',
    message:
      'Reading PDF files needs the package unpdf, which is not installed. Install it beside Toolwright: npm install unpdf@1',
  });
});

it('the message about an optional package leaves every other error as it is: of a package inside the package, or of its code', () => {
  const inside = Object.assign(new Error("Cannot find package 'zod' imported from /x"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  expect(packageProblem('unpdf', inside)).toBe(inside);
  const broken = new SyntaxError('unexpected token');
  expect(packageProblem('unpdf', broken)).toBe(broken);
});

it.each(Object.entries(optionalPackages))(
  '%s is an optional peer of core, in the version that the message names',
  (name, { version }) => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = manifestOf('core');
    expect(dependencies).not.toHaveProperty([name]);
    expect(peerDependenciesMeta[name]).toEqual({ optional: true });
    expect(peerDependencies[name]).toMatch(new RegExp(`^\\^${version.replace('.', '\\.')}\\.`));
  },
);

it.each(['machine', 'mcp'])('what is optional in %s is optional in core, in the same versions', (name) => {
  expect(manifestOf('core').peerDependencies).toMatchObject(manifestOf(name).peerDependencies);
});

function problemOf(load: () => unknown): unknown {
  try {
    load();
  } catch (error) {
    return packageProblem('unpdf', error);
  }
  return null;
}
