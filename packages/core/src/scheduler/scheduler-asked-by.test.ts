import { describe, expect, it } from 'vitest';
import type { RuleText } from '../permission/rules.js';
import { createCallBench } from '../testing/call-bench.js';
import { scriptedConfirm } from '../testing/scripted-confirm.js';
import { scriptedTool } from '../testing/scripted-tool.js';
import type { Asker } from '../tools/tools.js';

const { signal } = new AbortController();

async function openBench(rules: RuleText[] = []) {
  const askers: (Asker | undefined)[] = [];
  const tool = scriptedTool('writer', {
    more: {
      effects(_params, by) {
        askers.push(by);
        return [{ kind: 'write', path: '/work/a' }];
      },
    },
  });
  const confirm = scriptedConfirm({ kind: 'cancel' });
  const bench = await createCallBench({ tools: [tool], mode: 'default', rules, confirm });
  return { bench, askers, confirm };
}

describe('who asked for a call', () => {
  it('is told to the tool, and is the model where nobody says otherwise', async () => {
    const { bench, askers } = await openBench();
    await bench.run([['writer']]);
    await bench.run([['writer']], signal, { by: 'agent' });
    await bench.run([['writer']], signal, { by: 'user' });
    expect(askers).toEqual(['model', 'agent', 'user']);
  });

  it('can not be set by what a model sends', async () => {
    const { bench, askers, confirm } = await openBench();
    const call = { id: '1', name: 'writer', arguments: { by: 'user' }, by: 'user' };
    await bench.run([call]);
    expect(askers).toEqual(['model']);
    expect(confirm.asked).toHaveLength(1);
  });

  it('needs no question when it is the user, and the journal says that they agreed', async () => {
    const { bench, confirm } = await openBench();
    const [settled] = await bench.run([['writer']], signal, { by: 'user' });
    expect(settled?.response.response).toEqual({ output: 'writer done' });
    expect(confirm.asked).toEqual([]);
    expect(bench.records.find(({ type }) => type === 'call-decision')).toMatchObject({
      decision: 'ask',
      outcome: 'once',
    });
  });

  it('opens nothing that a rule denies, the user included', async () => {
    const { bench } = await openBench([{ verdict: 'deny', text: 'Edit(a)', source: 's' }]);
    const [settled] = await bench.run([['writer']], signal, { by: 'user' });
    expect(settled?.denied?.by).toBe('rule');
  });
});
