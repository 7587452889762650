import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openState } from '@toolwright/core';
import { createClock, createIds, openTrustStore } from '@toolwright/core/front-end';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/core/testing';
import { afterEach, expect, it } from 'vitest';
import { nameContextFiles, neverAsked } from './trust-notices.js';

let made: TempWorkspace | undefined;
afterEach(() => made?.cleanup());

async function trustIn(content: Record<string, string>, folder = '') {
  made = createTempWorkspace({ content });
  const host = { clock: createClock(), ids: createIds() };
  const store = openTrustStore(openState({ path: join(made.outside, 'state'), host }), host);
  return store.trustState(join(made.directory, folder), new AbortController().signal);
}

const rest =
  ', because you have not trusted the folder. toolwright trust shows what that means; --trust trusts it for this run.';

it.each<[string, Record<string, string>, boolean, string[]]>([
  ['nothing', { 'a.txt': 'x' }, true, []],
  [
    'settings',
    { '.toolwright/settings.json': '{}' },
    true,
    [`.toolwright/settings.json of this folder is not used${rest}`],
  ],
  [
    'skills and hooks of another agent',
    { '.claude/skills/a/SKILL.md': 'x', '.claude/settings.json': '{"hooks": {}}' },
    false,
    [`Hooks and skills of this folder are not used${rest}`],
  ],
  [
    'a context file and a model',
    { 'AGENTS.md': 'Do.' },
    true,
    [`The model reads AGENTS.md as data, not as instructions${rest}`],
  ],
  ['variables', { '.env': 'A=1' }, true, [`.env of this folder is not used${rest}`]],
  ['variables and no model', { '.env': 'A=1' }, false, []],
  ['a context file and no model', { 'AGENTS.md': 'Do.' }, false, []],
  [
    'both',
    { 'CLAUDE.md': 'Do.', '.toolwright/tools/a.json': '{}' },
    true,
    [`Tools of this folder are not used, and the model reads CLAUDE.md as data, not as instructions${rest}`],
  ],
])(
  'a folder that nobody was asked about, with %s, is told of in one sentence or not at all',
  async (_what, content, model, told) => {
    const trust = await trustIn(content);
    expect(neverAsked({ trusted: false, trust }, { model })).toEqual(told);
    expect(neverAsked({ trusted: true, trust }, { model })).toEqual([]);
  },
);

it('context files have the names of the settings, and those of folders around it in the repository are told, too', async () => {
  const trust = await trustIn({ 'GUIDE.md': 'x', 'AGENTS.md': 'x', 'part/GUIDE.md': 'x' }, 'part');
  expect(trust.examination.contextFiles).toBeUndefined();
  mkdirSync(join(made!.directory, '.git'));
  await nameContextFiles(trust, ['AGENTS.md']);
  await nameContextFiles(trust, ['GUIDE.md', 'AGENTS.md']);
  expect(trust.examination.contextFiles).toEqual(['../GUIDE.md', '../AGENTS.md', 'GUIDE.md']);
});
