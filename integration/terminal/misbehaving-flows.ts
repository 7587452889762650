import { expect } from 'vitest';
import { addWildTool, type WayOfNotStopping, waysOfNotStopping } from '../own-tools/misbehaving.js';
import { createMachine } from '../program.js';
import { type Conversation, keys } from './conversation.js';
import { start } from './flows.js';

const LEFT_BEHIND = 'It did not stop when told to and was left behind.';

/** The program at a shell that prints its exit code, with a tool `wild`. */
async function startWith(way: WayOfNotStopping, more = ''): Promise<Conversation> {
  const machine = createMachine();
  addWildTool(machine, waysOfNotStopping[way], more);
  const talk = await start({ machine, shell: '$PROGRAM; echo "exit code $?"; cat' });
  await talk.ready();
  return talk;
}

/** Without effects a tool is asked about. */
const asks = 'effects: undefined,';

export async function oneSignalEnds(way: WayOfNotStopping, signal: 'SIGINT' | 'SIGTERM'): Promise<void> {
  const talk = await startWith(way);
  talk.type(`use wild with signal=${signal}${keys.enter}`);
  const text = await talk.see(/exit code \d+/);
  expect(text).toContain('exit code 130');
  expect(text).toContain('To continue later: toolwright --resume ');
  talk.machine.cleanup();
}

export async function isLeftBehindAtItsLimit(way: WayOfNotStopping): Promise<void> {
  const talk = await startWith(way, `timeout: 500, ${asks}`);
  talk.type(`use wild with calm=false${keys.enter}`);
  await talk.see(/\? wild/);
  await talk.until(() => talk.isAsked(), 'a question');
  talk.type(`y${keys.enter}`);
  await talk.ready();
  expect(talk.text().replaceAll(/\s+/g, ' ')).toContain(
    `The call was stopped at the time limit. ${LEFT_BEHIND}`,
  );
  talk.type(`use wild with calm=true${keys.enter}`);
  await talk.until(() => talk.isAsked(), 'a question');
  talk.type(`y${keys.enter}`);
  await talk.ready();
  expect(talk.text()).toMatch(/^ *calm$/m);
  talk.type(keys.ctrlD);
  await talk.see(/exit code \d+/);
  talk.machine.cleanup();
}

export async function isLeftBehindByCtrlC(way: WayOfNotStopping): Promise<void> {
  const talk = await startWith(way);
  talk.type(`use wild with calm=false${keys.enter}`);
  await talk.see('It begins.');
  talk.type(keys.ctrlC);
  await talk.ready();
  expect(talk.text().replaceAll(/\s+/g, ' ')).toContain(`The call was cancelled by the user. ${LEFT_BEHIND}`);
  talk.type(`use wild with calm=true${keys.enter}`);
  await talk.see(/^ *calm$/m);
  talk.machine.cleanup();
}
