import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const {
  changelogWithVersion,
  lockWithVersion,
  packageWithVersion,
  problemsOf,
  sourcesWithVersion,
  sourceWithVersion,
} = await import(new URL('./version-texts.mjs', import.meta.url).href);
const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('the version of a release', () => {
  const record = {
    name: '@toolwright/x',
    version: '0.1.0',
    dependencies: { '@toolwright/machine': '0.1.0', diff: '9.0.0' },
  };
  const released = {
    ...record,
    version: '0.2.0',
    dependencies: { '@toolwright/machine': '0.2.0', diff: '9.0.0' },
  };

  it('is put into a package and what it wants of our other packages, and nowhere else', () => {
    expect(packageWithVersion(record, '0.2.0')).toEqual(released);
    const other = { version: '9.0.0' };
    const lock = { packages: { 'packages/x': record, 'node_modules/diff': other } };
    expect(lockWithVersion(lock, '0.2.0').packages).toEqual({
      'packages/x': released,
      'node_modules/diff': other,
    });
  });

  it('is put into every source that tells it to others', () => {
    const { version } = JSON.parse(read('packages/cli/package.json'));
    const told = /['"]?version['"]?( =|:) '(\d+\.\d+\.\d+)'|VERSION = '(\d+\.\d+\.\d+)'/;
    const sources = readdirSync(join(root, 'packages'))
      .flatMap((name) =>
        readdirSync(join(root, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' }).map(
          (path) => `packages/${name}/src/${path.replaceAll('\\', '/')}`,
        ),
      )
      .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|fixtures\//.test(path))
      .filter((path) => told.exec(read(path))?.slice(2).includes(version));
    expect(sources.sort()).toEqual([...sourcesWithVersion.keys()].sort());
    for (const [path, pattern] of sourcesWithVersion)
      expect(sourceWithVersion(read(path), pattern, '7.8.9')).toContain("'7.8.9'");
  });

  it('becomes the newest heading of the changelog, which must be one of an unreleased version', () => {
    const text = '# Changelog\n\n## 0.1.0 (unreleased)\n\n- One.\n';
    const changed = changelogWithVersion(text, '0.2.0', '2026-01-02');
    expect(changed).toBe('# Changelog\n\n## 0.2.0 (2026-01-02)\n\n- One.\n');
    expect(() => changelogWithVersion(changed, '0.3.0', '2026-01-03')).toThrow(
      'The first heading of CHANGELOG.md is "## 0.2.0 (2026-01-02)". Put a heading "## 0.3.0 (unreleased)" with what is new above it.',
    );
  });
});

describe('the check of a packed package', () => {
  const manifest = {
    version: '0.2.0',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './*.js': './dist/*.js' },
    dependencies: { '@toolwright/machine': '0.2.0' },
  };
  const files = ['README.md', 'LICENSE', 'package.json', 'dist/index.js', 'dist/index.d.ts'];

  it('is content with a package that has all it names', () => {
    expect(problemsOf({ files, manifest }, '0.2.0')).toEqual([]);
  });

  it('names what is missing, what does not belong there, and versions that do not fit', () => {
    const packed = ['README.md', 'dist/index.js', 'dist/a.test.js', 'src/a.ts'];
    expect(problemsOf({ files: packed, manifest }, '0.3.0')).toEqual([
      'LICENSE is missing.',
      './dist/index.d.ts is missing.',
      'dist/a.test.js does not belong there.',
      'src/a.ts does not belong there.',
      'Its version is 0.2.0.',
      'It wants @toolwright/machine 0.2.0.',
    ]);
  });
});
