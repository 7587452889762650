import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { startFakeModelServer } from '../packages/core/src/testing/fake-model-server.js';
import { createMachine, type Machine } from './program.js';
import { keys } from './terminal/conversation.js';
import { flowsOf, start, tidy } from './terminal/flows.js';
import { table } from './wild/table.js';

const flow = flowsOf('hooks');

/** A hook that refuses, asks about or changes a command by a word in it. */
const script = `#!/bin/bash
input=$(cat)
case "$input" in
  *forbidden*) echo 'not that word' >&2; exit 2 ;;
  *doubtful*) echo '{"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "is it meant?"}}' ;;
  *plain*) echo '{"hookSpecificOutput": {"updatedInput": {"command": "echo changed by the hook"}}}' ;;
esac
`;
const settings = {
  hooks: {
    PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: '~/.toolwright/hooks/h.sh' }] }],
  },
};

function withHook(): Machine {
  const machine = createMachine({ 'a.txt': 'alpha\n' });
  const files = {
    '.toolwright/hooks/hooks.json': JSON.stringify(settings),
    '.toolwright/hooks/h.sh': script,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(machine.home, path)), { recursive: true });
    writeFileSync(join(machine.home, path), text);
  }
  chmodSync(join(machine.home, '.toolwright/hooks/h.sh'), 0o755);
  return machine;
}

const shell = (command: string) => ({ calls: [{ name: 'run_shell_command', arguments: { command } }] });
const answers = () => [
  shell('echo forbidden'),
  shell('echo doubtful'),
  shell('echo plain'),
  { text: 'Done.' },
];

flow('a hook refuses, asks and changes a command without a terminal', async () => {
  const model = await startFakeModelServer({ answers: answers() });
  const machine = withHook();
  const { stderr } = await machine.run(['-p', 'go', '-y'], { env: model.environment() });
  const responses = model.requests
    .slice(1)
    .map(({ body }) => JSON.stringify((body['messages'] as unknown[]).at(-1)));
  const seen = [/says no: not that word/, /asks: is it meant\?/, /changed by the hook/].map(
    (said, index) => said.exec(responses[index] ?? '')?.[0] ?? `nothing (${stderr})`,
  );
  expect(seen).toEqual(['says no: not that word', 'asks: is it meant?', 'changed by the hook']);
  console.log(
    table('evidence: a hook without a terminal', [
      ['refuses', seen[0]!],
      ['asks', seen[1]!],
      ['changes', seen[2]!],
    ]),
  );
  await model.close();
  machine.cleanup();
});

flow('a hook refuses, asks and changes a command at the terminal', async () => {
  const model = await startFakeModelServer({ answers: answers() });
  const talk = await start({ machine: withHook(), env: model.environment() });
  await talk.ready();
  talk.type('go\r');
  await talk.until(() => talk.isAsked(), 'the question');
  expect(talk.text()).toMatch(/says no:\s+not that word/);
  expect(talk.text()).toMatch(/is it meant\?/);
  talk.type('y');
  await talk.see('Done.');
  await talk.ready();
  const last = JSON.stringify((model.requests.at(-1)!.body['messages'] as unknown[]).at(-1));
  expect(last).toContain('changed by the hook');
  console.log(
    table('evidence: a hook at the terminal', [
      ['refuses', 'says no: not that word'],
      ['asks', 'is it meant?, answered with y'],
      ['changes', 'echo changed by the hook'],
    ]),
  );
  talk.type(keys.ctrlD);
  await talk.ended();
  await model.close();
  await tidy(talk.machine, talk);
});
