import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { calls, linesOf, openStage, type Stage } from './headless/run.js';
import { problemIn } from './headless/schema.js';

let stage: Stage;
afterEach(() => stage.close());

const json = ['--output-format', 'json'];
const bodyOf = (index: number): string => stage.server.requests[index]!.bytes.toString();
const reasonOf = (stdout: string): unknown => (linesOf(stdout)[0]!['stats'] as { reason: string }).reason;
const usage = { inputTokens: 100, outputTokens: 10 };
const forEver = { otherwise: { text: 'Looking.', calls: [calls.read], usage } };

describe('limits of a run', () => {
  it('end it with 53 and the name of the limit: tokens, minutes, money', async () => {
    stage = await openStage(forEver);
    const tokens = await stage.run(['-p', 'Look.', '--max-tokens', '1', ...json]);
    expect([tokens.code, reasonOf(tokens.stdout)]).toEqual([53, 'token-limit']);
    expect(tokens.stderr).toContain(
      'Stopped at the token limit (--max-tokens). To continue: toolwright --resume',
    );
    const unknown = await stage.run(['-p', 'Look.', '--max-cost', '0.01']);
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('prices of fake-model are not known'),
    ]);
    mkdirSync(stage.machine.state, { recursive: true });
    writeFileSync(
      join(stage.machine.state, 'models.json'),
      JSON.stringify({ v: 1, models: { 'fake-*': { input: 1000, output: 1000 } } }),
    );
    const cost = await stage.run(['-p', 'Look.', '--max-cost', '0.000001', ...json]);
    expect([cost.code, reasonOf(cost.stdout)]).toEqual([53, 'cost-limit']);
    stage.server.answer({ text: 'Half of', afterwards: 'silence' });
    const minutes = await stage.run(['-p', 'Look.', '--max-minutes', '0.02', ...json]);
    expect([minutes.code, reasonOf(minutes.stdout)]).toEqual([53, 'time-limit']);
  });

  it('are refused where they can not be meant', async () => {
    stage = await openStage(forEver);
    for (const flag of ['--max-tokens', '--max-minutes', '--max-cost'])
      expect((await stage.run(['-p', 'Look.', flag, '-1'])).code).toBe(2);
    const both = await stage.run(['-p', 'Look.', '--session-id', 'x', '--continue']);
    expect(both.stderr).toContain('--session-id names a new session');
  });
});

describe('what a run is told', () => {
  it('has the words of --append-system-prompt at the end of the system prompt, and the chosen id', async () => {
    stage = await openStage({ otherwise: { text: 'Yes.' } });
    const words = ['--append-system-prompt', 'Speak like a pirate.', '--session-id', 'my-run'];
    const { stdout } = await stage.run(['-p', 'Hello.', ...words, ...json]);
    expect(linesOf(stdout)[0]).toMatchObject({ session_id: 'my-run' });
    expect(bodyOf(0)).toContain('Speak like a pirate.');
    const again = await stage.run(['-p', 'Hello.', ...words]);
    expect([again.code, again.stderr]).toEqual([
      52,
      expect.stringContaining('There is already a session my-run'),
    ]);
  });

  it('is a plain argument as well, and comes from the fallback model where the first is not known', async () => {
    const unknown = { status: 404, body: { error: { message: 'no such model', code: 'model_not_found' } } };
    stage = await openStage({ answers: [unknown], otherwise: { text: 'From the second.' } });
    const { code, stdout, stderr } = await stage.run(['Tell me more.', '--fallback-model', 'second-model']);
    expect([code, stdout]).toEqual([0, 'From the second.\n']);
    expect(stderr).toContain('second-model is asked instead.');
    expect(bodyOf(1)).toContain('"model":"second-model"');
    expect(bodyOf(1)).toContain('Tell me more.');
  });

  it('has a schema for the answer, which is mended twice at most', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    stage = await openStage({
      answers: [{ text: 'It is 3.' }, { text: '{"n": "3"}' }, { text: '```json\n{"n": 3}\n```' }],
    });
    stage.machine.write('schema.json', JSON.stringify(schema));
    const fits = await stage.run(['-p', 'How many?', '--json-schema', 'schema.json']);
    expect([fits.stdout, fits.code]).toEqual(['{"n":3}\n', 0]);
    expect(bodyOf(1)).toContain('does not fit the schema: it is not JSON');
    expect(bodyOf(2)).toContain('Answer again with the JSON value alone.');
    for (let count = 0; count < 3; count++) stage.server.answer({ text: 'three' });
    const never = await stage.run(['-p', 'How many?', '--json-schema', JSON.stringify(schema), ...json]);
    const [line] = linesOf(never.stdout);
    expect(line).toMatchObject({ error: { kind: 'schema' }, stats: { reason: 'failed', turns: 3 } });
    expect([never.code, problemIn(line, 'json'), stage.server.requests.length]).toEqual([1, null, 6]);
  });
});

describe('--input-format stream-json', () => {
  it('takes prompts, answers and cancels as lines, and tells of every other line that it is wrong', async () => {
    stage = await openStage({
      answers: [
        { text: 'I will.', calls: [calls.write] },
        { text: 'Done.' },
        { text: 'Half of', afterwards: 'silence' },
      ],
      otherwise: { text: 'Third.' },
    });
    let send: (line: object | string) => void = () => undefined;
    const seen: Record<string, unknown>[] = [];
    let rest = '';
    const ended = await stage.run(['--input-format', 'stream-json'], {
      holdInput: true,
      onInput: (write) => {
        send = (line) => write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
        send('no json');
        send({ type: 'system', text: 'x' });
        send({ type: 'cancel' });
        send({ type: 'answer', digest: 'd', answer: 'no', reason: 7 });
        send({ type: 'prompt', text: 'Change it.' });
      },
      onOutput(text) {
        const pieces = (rest + text).split('\n');
        rest = pieces.pop() ?? '';
        for (const line of linesOf(pieces.join('\n'))) {
          seen.push(line);
          if (line['type'] === 'question') {
            send({ type: 'answer', digest: 'other', answer: 'yes' });
            send({ type: 'answer', digest: line['digest'], answer: 'yes' });
          }
          if (line['type'] === 'text-delta' && line['text'] === 'Half of') send({ type: 'cancel' });
          if (line['type'] !== 'result') continue;
          const count = seen.filter(({ type }) => type === 'result').length;
          if (count === 1) send({ type: 'prompt', text: 'Tell me.' });
          if (count === 2) send({ type: 'prompt', text: 'And?' });
          if (count === 3) send('');
        }
      },
      endInputAfter: () => seen.filter(({ type }) => type === 'result').length === 3,
    });
    expect(seen.map((line) => problemIn(line, 'stream-json')).filter(Boolean)).toEqual([]);
    expect(seen.filter(({ type }) => type === 'error')).toMatchObject([
      { line: 1, message: expect.stringContaining('not JSON') },
      { line: 2, message: 'The type "system" is not known. The types are prompt, answer, cancel.' },
      { line: 3, message: 'Nothing runs that could be cancelled.' },
      { line: 4, message: 'The reason of an answer must be a text.' },
      { line: 6, message: 'No question with this digest is open.' },
    ]);
    expect(seen.filter(({ type }) => type === 'result')).toMatchObject([
      { response: 'Done.', stats: { reason: 'done' } },
      { response: 'Half of', stats: { reason: 'cancelled' } },
      { response: 'Third.', stats: { reason: 'done' } },
    ]);
    expect(ended.code).toBe(0);
    expect(readFileSync(join(stage.machine.workspace, 'new.txt'), 'utf8')).toBe('new\n');
  });
});
