import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openState } from '@toolwright/machine/host/state/state.js';
import { createTempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { expect, it } from 'vitest';
import { createToolbox } from '../../create-toolbox.js';
import { wordQuestion } from '../../question/question.js';
import type { ConfirmRequest } from '../../scheduler/call.js';
import { scriptedTool } from '../../testing/scripted-tool.js';
import type { ToolOrigin } from '../loading/tool-origin.js';
import { openFalseClaims } from './false-claims.js';

const { signal } = new AbortController();
const origin: ToolOrigin = { kind: 'file', path: '/tools/quiet.ts' };
const claim = { tool: 'quiet', changed: ['a.txt'], seenAt: 1 };

it('a false claim is kept in a bounded file with a version, for the tool of this origin, until it is forgotten', async () => {
  await using temp = createTempWorkspace();
  const path = join(temp.outside, 'state');
  const claims = openFalseClaims(openState({ path, host: temp }));
  expect(await claims.of('quiet', origin)).toBeNull();
  for (let index = 0; index < 120; index++)
    await claims.remember({ ...claim, tool: `other_${index}` }, origin, signal);
  await claims.remember(claim, origin, signal);
  const saved = JSON.parse(readFileSync(join(path, 'false-claims.json'), 'utf8'));
  expect([saved.v, saved.claims.length]).toEqual([1, 100]);
  expect(await claims.of('quiet', origin)).toMatchObject(claim);
  expect(await claims.of('quiet', { kind: 'file', path: '/tools/another.ts' })).toBeNull();
  await claims.forget('quiet', origin, signal);
  expect(await claims.of('quiet', origin)).toBeNull();
});

it('a tool that was caught is asked about although it declares nothing, and the question tells it', async () => {
  await using temp = createTempWorkspace();
  const stateFolder = join(temp.outside, 'state');
  const asked: ConfirmRequest[] = [];
  const toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder,
    confirm: async (request) => {
      asked.push(request);
      return { kind: 'cancel' };
    },
  });
  try {
    toolbox.registry.registerTool(scriptedTool('quiet', { effects: [] }), origin);
    const call = { id: '1', name: 'quiet', arguments: {} };
    const [before] = await toolbox.scheduler.run([call], signal);
    expect([before?.error, asked.length]).toEqual([undefined, 0]);
    await openFalseClaims(toolbox.state).remember(claim, origin, signal);
    const [after] = await toolbox.scheduler.run([call], signal);
    expect(after?.denied?.by).toBe('user');
    expect(wordQuestion(asked[0]!).warnings).toEqual([
      '! This tool claims it changes no such files, but when Toolwright tried it, it changed a.txt.',
    ]);
  } finally {
    await toolbox.close();
  }
});
