import { openState } from '@toolwright/core';
import { createClock, createIds, ownLease } from '@toolwright/core/front-end';
import { createTempWorkspace } from '@toolwright/core/testing';
import { expect, it, onTestFinished } from 'vitest';
import type { AppEvent } from '../../app/events.js';
import { inputOf } from '../../app/input-line.js';
import { initialState } from '../../app/state.js';
import { createDraftKeeper } from './draft.js';

/** A line that is being typed, and the drafts on disk. */
async function typing(text: string) {
  const temporary = createTempWorkspace();
  onTestFinished(() => temporary.cleanup());
  const { directory: workspace, outside } = temporary;
  const state = openState({ path: `${outside}/state`, host: { clock: createClock(), ids: createIds() } });
  const dispatched: AppEvent[] = [];
  const front = {
    state: { ...initialState, input: inputOf(text) },
    dispatch: (event: AppEvent) => void dispatched.push(event),
  };
  const keeper = createDraftKeeper({ front, state, workspace, clean: (line) => line });
  const owner = await ownLease();
  const keep = (of: object) =>
    state.updateJson(
      'drafts',
      () => ({ drafts: [{ workspace, owner: { ...owner, ...of }, text: 'half a thought' }] }),
      new AbortController().signal,
    );
  return { state, keeper, keep, dispatched, owner };
}

it.each([
  ['whose number another program has by now', { start: '1' }],
  ['that ran before the machine was started anew', { boot: 'an earlier one' }],
])('the draft of a program %s is put back', async (_, of) => {
  const { keeper, keep, dispatched } = await typing('');
  await keep(of);
  expect(await keeper.restore()).toBe(true);
  expect(dispatched).toEqual([{ type: 'line-replaced', input: inputOf('half a thought') }]);
  expect(await keeper.restore()).toBe(false);
});

it.each([
  ['a program that still runs', {}],
  ['a program in another container', { namespace: 'pid:[1]' }],
])('the draft of %s stays where it is', async (_, of) => {
  const { keeper, keep, dispatched } = await typing('');
  await keep(of);
  expect(await keeper.restore()).toBe(false);
  expect(dispatched).toEqual([]);
});

it('a line is kept under the lease of the program it is typed in', async () => {
  const { keeper, state, owner } = await typing('a thought');
  keeper.changed();
  await keeper.stop();
  expect(await state.readJson('drafts')).toMatchObject({ drafts: [{ owner, text: 'a thought' }] });
});
