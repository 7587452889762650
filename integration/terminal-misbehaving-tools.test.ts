import { expect } from 'vitest';
import { addWildTool, waysOfNotStopping } from './own-tools/misbehaving.js';
import { createMachine } from './program.js';
import { type Conversation, keys } from './terminal/conversation.js';
import { flowsOf, start } from './terminal/flows.js';

const flow = flowsOf('tools that do not stop');
const LEFT_BEHIND = 'It did not stop when told to and was left behind.';

/** The program at a shell that prints its exit code, with a tool `wild`. */
async function startWith(body: string, more = ''): Promise<Conversation> {
  const machine = createMachine();
  addWildTool(machine, body, more);
  const talk = await start({ machine, shell: '$PROGRAM; echo "exit code $?"; cat' });
  await talk.ready();
  return talk;
}

/** Without effects a tool is asked about. */
const asks = 'effects: undefined,';

for (const [what, body] of Object.entries(waysOfNotStopping)) {
  for (const signal of ['SIGINT', 'SIGTERM'])
    flow(`one ${signal} ends the program while a tool ${what}`, async () => {
      const talk = await startWith(body);
      talk.type(`use wild with signal=${signal}${keys.enter}`);
      const text = await talk.see(/exit code \d+/);
      expect(text).toContain('exit code 130');
      expect(text).toContain('To go on later: toolwright --resume ');
      talk.machine.cleanup();
    });

  flow(`a tool that ${what} is left behind at its limit, and the next call works`, async () => {
    const talk = await startWith(body, `timeout: 500, ${asks}`);
    talk.type(`use wild with calm=false${keys.enter}`);
    await talk.see(/\? wild/);
    await talk.until(() => talk.terminal.lines().at(-1) === '?', 'a question');
    talk.type(`y${keys.enter}`);
    await talk.ready();
    expect(talk.text().replaceAll(/\s+/g, ' ')).toContain(
      `The call was stopped at the time limit. ${LEFT_BEHIND}`,
    );
    talk.type(`use wild with calm=true${keys.enter}`);
    await talk.until(() => talk.terminal.lines().at(-1) === '?', 'a question');
    talk.type(`y${keys.enter}`);
    await talk.ready();
    expect(talk.text()).toMatch(/^ *calm$/m);
    talk.type(keys.ctrlD);
    await talk.see(/exit code \d+/);
    talk.machine.cleanup();
  });
}

for (const what of ['spins', 'reads a pipe that nobody writes to'] as const)
  flow(`Ctrl+C leaves a tool behind that ${what}, and the program goes on`, async () => {
    const talk = await startWith(waysOfNotStopping[what]);
    talk.type(`use wild with calm=false${keys.enter}`);
    await talk.see('It begins.');
    talk.type(keys.ctrlC);
    await talk.ready();
    expect(talk.text().replaceAll(/\s+/g, ' ')).toContain(
      `The call was cancelled by the user. ${LEFT_BEHIND}`,
    );
    talk.type(`use wild with calm=true${keys.enter}`);
    await talk.see(/^ *calm$/m);
    talk.machine.cleanup();
  });
