import { startFakeModelServer } from '@toolwright/core/testing';
import { expect, it } from 'vitest';
import { killRepeatedly, nothingLost } from './kill-session/kill.js';
import { createMachine } from './program.js';

it('a session killed at random moments goes on with all that was answered', async () => {
  const tally = await killRepeatedly(12);
  expect(tally).toMatchObject({ kills: 12, ...nothingLost });
  // Without these the kills would have landed beside the conversations and shown nothing.
  expect(Object.keys(tally.phases).length).toBeGreaterThan(2);
  expect(tally.nothingToResume).toBeLessThan(11);
});

it('a session that is in use is refused to a second process, and free once the first was killed', async () => {
  const server = await startFakeModelServer({
    answers: [{ text: 'I am Tool.' }, { instead: 'silence' }],
    otherwise: { text: 'Here I am again.' },
  });
  const machine = createMachine();
  const run = (...args: string[]) => machine.run(args, { env: server.environment() });
  try {
    await run('-p', 'who are you?');
    let kill: (signal: NodeJS.Signals) => void = () => undefined;
    const first = machine.run(['--continue', '-p', 'think long'], {
      env: server.environment(),
      onStart: (signal) => {
        kill = signal;
      },
    });
    while (server.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    const second = await run('--continue', '-p', 'me too');
    expect(second).toMatchObject({
      code: 52,
      stderr: expect.stringMatching(
        /^toolwright: The session \w+ is in use by process \d+ on .* without --resume/,
      ),
    });
    expect(await run('-p', 'something else')).toMatchObject({ code: 0, stdout: 'Here I am again.\n' });
    kill('SIGKILL');
    await first;
    const session = /The session (\w+)/.exec(second.stderr)?.[1] ?? '';
    expect(await run('--resume', session, '-p', 'go on')).toMatchObject({ code: 0 });
    const body = server.requests.at(-1)!.bytes.toString();
    for (const said of ['who are you?', 'I am Tool.', 'think long', 'go on']) expect(body).toContain(said);
    expect(body).not.toContain('me too');
  } finally {
    await server.close();
    machine.cleanup();
  }
});
