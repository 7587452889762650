import { expect } from 'vitest';
import { startFakeModelServer } from '../packages/core/src/testing/fake-model-server.js';
import { keys } from './terminal/conversation.js';
import { flowsOf, start } from './terminal/flows.js';

const flow = flowsOf('while the model works');
const slow = (command: string) => ({ name: 'run_shell_command', arguments: { command } });

flow(
  'a message steers the turn after its calls, and another one is sent when the model is done',
  async () => {
    const model = await startFakeModelServer({
      answers: [
        { calls: [slow('echo begun; sleep 1; cat a.txt')] },
        { text: 'I heard you.' },
        { text: 'And now the rest.' },
      ],
    });
    const talk = await start({ files: { 'a.txt': 'one\n' }, env: model.environment() });
    await talk.ready();
    talk.type('begin\r');
    await talk.see(/^ {2}begun$/m);
    talk.type('use b.txt instead\r');
    await talk.see(/queued: use b\.txt instead/);
    talk.type('\r');
    await talk.see(/after this call: use b\.txt instead/);
    talk.type('then tell me the rest\r');
    await talk.see(/^And now the rest\.$/m);
    await talk.ready();
    const said = talk.text();
    expect(said).toMatch(
      /> use b\.txt instead\n\nI heard you\.\n\n> then tell me the rest\n\nAnd now the rest\./,
    );
    expect(model.requests[1]?.bytes.toString()).toContain('use b.txt instead');
    await model.close();
  },
);

flow(
  'Esc cancels the call and the model goes on; Esc twice ends the turn and keeps what was queued',
  async () => {
    const model = await startFakeModelServer({
      answers: [
        { calls: [slow('echo begun; sleep 30')] },
        { text: 'It was cancelled.' },
        { calls: [slow('echo again; sleep 30')] },
        { instead: 'silence' },
      ],
    });
    const talk = await start({ env: model.environment() });
    await talk.ready();
    talk.type('begin\r');
    await talk.see(/^ {2}begun$/m);
    talk.type(keys.escape);
    await talk.see(/^It was cancelled\.$/m);
    await talk.ready();
    talk.type('again\r');
    await talk.see(/^ {2}again$/m);
    talk.type('later\r');
    await talk.see(/queued: later/);
    talk.type(`${keys.escape}${keys.escape}`);
    await talk.until(() => talk.terminal.lines().at(-1) === '> later', 'the queued message in the line');
    expect(talk.text()).toMatch(/Cancelled\./);
    await model.close();
  },
);

flow(
  'several reads are one line, a long command tells how long it runs, and the status what is used',
  async () => {
    const read = (absolute_path: string) => ({ name: 'read_file', arguments: { absolute_path } });
    const model = await startFakeModelServer({
      answers: [
        { calls: [read('a.txt'), read('b.txt'), { name: 'grep_search', arguments: { pattern: 'one' } }] },
        { calls: [slow('echo begun; sleep 3.2')] },
        { text: 'Done.', usage: { inputTokens: 5_000, outputTokens: 20 } },
        { calls: [{ name: 'run_shell_command', arguments: { command: 'sleep 60', is_background: true } }] },
        { text: 'It runs.' },
      ],
    });
    const files = { 'a.txt': 'one\n', 'b.txt': 'two\n', '.git/HEAD': 'ref: refs/heads/topic\n' };
    const env = { ...model.environment(), OPENAI_MODEL: 'gpt-5.1' };
    const talk = await start({ files, columns: 120, env });
    await talk.ready();
    await talk.see(/gpt-5\.1 · default · topic/);
    // Nobody looks at the terminal.
    talk.type('\x1b[O');
    talk.type('begin\r');
    await talk.see(/^● Read a\.txt \(1 line\), b\.txt \(1 line\); Search for one \(1 match in 1 file\)$/m);
    await talk.see(/● Run echo begun; sleep 3\.2 \(\d s\)\n {2}begun/);
    await talk.ready();
    expect(talk.raw()).toContain('\x07\x1b]9;Toolwright: the model has finished\x07');
    expect(talk.text()).toMatch(/gpt-5\.1 · default · \d+% context · [\d.]+k? tokens · \$0\.0\d\d · topic/);
    await talk.say('/apart');
    talk.type('serve it\r');
    await talk.see(/^It runs\.$/m);
    await talk.see(/gpt-5\.1 · default · apart · \d+% context · .* tokens · \$0\.0\d\d · .*1 job$/m);
    await model.close();
  },
);
