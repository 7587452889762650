import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTempWorkspace } from '@toolwright/core/testing';
import { expect, it, onTestFinished } from 'vitest';
import { describeImport } from './describe-import.js';
import { planImport, readHome } from './plan-import.js';

const { signal } = new AbortController();
const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'no-force' }] }] };

it('an import again promises nothing that came over before', async () => {
  const { directory, cleanup } = createTempWorkspace({
    content: {
      '.claude/CLAUDE.md': 'Use tabs.',
      '.claude/settings.json': JSON.stringify({
        permissions: { allow: ['Bash(git log:*)'], deny: ['Read(./.env)'] },
        hooks,
      }),
      '.claude.json': JSON.stringify({ mcpServers: { db: { command: 'db' } } }),
    },
  });
  onTestFinished(cleanup);
  const stateFolder = join(directory, '.toolwright');
  const plan = async () => {
    const found = await readHome('claude', { home: directory, environment: {}, signal });
    return { found, ...(await planImport([found], { stateFolder, id: 'x' })) };
  };
  const { changeSet, blobs } = await plan();
  for (const change of changeSet.changes) {
    if (!('after' in change) || typeof change.after === 'number') throw new Error(change.kind);
    mkdirSync(dirname(change.path), { recursive: true });
    writeFileSync(change.path, await blobs.read(change.after.hash));
  }
  const again = await plan();
  expect(again.changeSet.changes).toEqual([]);
  expect(describeImport(again.found)).toBe(`From Claude Code
  Here already:
    the MCP server db
    deny Read(.env)
    allow Shell(git log)
    the hook of PreToolUse: no-force
    AGENTS.md`);

  const settings = join(stateFolder, 'settings.json');
  writeFileSync(settings, readFileSync(settings, 'utf8').replace('Read(.env)', 'Read(other)'));
  expect(describeImport((await plan()).found)).toContain(
    '  To import:\n    deny Read(.env)\n  Here already:',
  );
});
