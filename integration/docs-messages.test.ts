import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readDocument } from './documents/blocks.js';
import { quotedMessages, sourceTexts } from './documents/messages.js';
import { calls, killAtRequest, openStage, type Stage } from './headless/run.js';

const quotes = quotedMessages(readDocument('troubleshooting.md'));
const sources = sourceTexts();

describe('docs/troubleshooting.md', () => {
  it('quotes many messages, each once', () => {
    expect(quotes.length).toBeGreaterThan(30);
    expect(new Set(quotes.map(({ text }) => text)).size).toBe(quotes.length);
  });

  it.each(quotes)('quotes what a source file says: $text', ({ fragments }) => {
    const found = [...sources].filter(([, source]) => fragments.every((part) => source.includes(part)));
    expect(found.map(([name]) => name)).not.toEqual([]);
  });

  it('a message that no source file has would be noticed', () => {
    const [made] = quotedMessages('| `Please … contact your administrator.` | Nothing. |\n');
    expect(
      [...sources.values()].some((source) => made!.fragments.every((part) => source.includes(part))),
    ).toBe(false);
  });
});

type Script = Parameters<typeof openStage>[0];

interface Provocation {
  says: string;
  args?: string[];
  script?: Script;
  env?: Record<string, string>;
  code: number;
  prepare?(stage: Stage): unknown;
  holdInput?: boolean;
  killAt?: number;
}

const noModel = { OPENAI_API_KEY: '', OPENAI_BASE_URL: '', OPENAI_MODEL: '' };
const failing = (status: number, message: string, type = ''): Script => ({
  otherwise: { status, body: { error: { message, type } }, headers: { 'retry-after': '0' } },
});
const calling = (...made: { name: string; arguments: Record<string, unknown> }[]): Script => ({
  answers: [{ calls: made }],
  otherwise: { text: 'So be it.' },
});
const settings = (value: object) => (stage: Stage) => {
  mkdirSync(stage.machine.state, { recursive: true, mode: 0o700 });
  writeFileSync(join(stage.machine.state, 'settings.json'), JSON.stringify(value));
};
const ask = ['-p', 'Go.'];
const offline = ['--provider', 'offline'];

const provocations: Provocation[] = [
  { says: 'There is no prompt', args: [], code: 2 },
  { says: 'nothing came on standard input', args: ask, holdInput: true, code: 0 },
  { says: 'Unknown flag', args: ['--porvider', 'x', ...ask], code: 2 },
  { says: 'There is no command', args: ['review'], code: 2 },
  { says: 'The folder …', args: [...ask, '--include-directories', '/none'], code: 52 },
  { says: 'The state folder', args: ask, env: { TOOLWRIGHT_HOME: '/dev/null/x' }, code: 52 },
  { says: 'a newer Toolwright', args: ask, prepare: settings({ v: 9 }), code: 52 },
  { says: 'unknown key', args: ask, prepare: settings({ permision: {} }), code: 52 },
  { says: 'There is no file', args: [...ask, '--settings', 'none.json'], code: 52 },
  { says: 'unknown verb', args: [...ask, '--allowed-tools', 'Edlt(x)'], code: 2 },
  { says: 'settings are not used', args: ask, prepare: trustThenChange, code: 0 },
  { says: 'This is the built-in offline model', args: ['-p', 'list src'], env: noModel, code: 0 },
  { says: 'needs a key', args: [...ask, '--provider', 'anthropic'], code: 41 },
  { says: 'did not accept the key', script: failing(401, 'no'), code: 41 },
  { says: 'no credit left', script: failing(402, 'pay', 'billing'), code: 41 },
  { says: 'does not know the model', script: failing(404, 'model not found', 'model_not_found'), code: 1 },
  { says: 'No host is configured', args: [...ask, '--model', 'none'], env: noModel, code: 52 },
  { says: 'limits how many', script: failing(429, 'requests per day', 'rate_limit'), code: 1 },
  { says: 'overloaded or broken', script: failing(503, 'busy'), code: 1 },
  { says: 'gave an empty answer', script: { otherwise: { text: '' } }, code: 1 },
  { says: 'Could not reach', args: [...ask, '--base-url', 'http://127.0.0.1:9/v1'], code: 1 },
  { says: 'conversation is too long', script: failing(400, 'maximum context length is 9 tokens'), code: 1 },
  { says: 'refused the request', script: failing(400, 'bad'), code: 1 },
  { says: 'nobody could be asked', script: calling(calls.write), code: 54 },
  {
    says: 'forbids',
    args: [...ask, '-y', '--output-format', 'json'],
    script: calling(calls.write),
    prepare: settings({ permissions: { deny: ['Edit(new.txt)'] } }),
    code: 0,
  },
  {
    says: 'mode does not allow',
    args: [...ask, '--approval-mode', 'plan', '--output-format', 'json'],
    script: calling(calls.write),
    code: 0,
  },
  {
    says: 'protected path',
    args: [...ask, '-y'],
    script: calling({ name: 'write_file', arguments: { file_path: '.github/x.yml', content: 'x\n' } }),
    code: 54,
  },
  { says: 'outside the folders', args: ['-p', 'list /', ...offline], code: 0 },
  {
    says: 'only public hosts',
    args: ['-p', 'fetch http://127.0.0.1:81/', '-y', ...offline],
    code: 0,
  },
  { says: 'turn limit', args: [...ask, '--max-turns', '1'], script: calling(calls.read), code: 53 },
  { says: 'kept making the same call', script: { otherwise: { calls: [calls.read] } }, code: 1 },
  { says: 'Cancelled.', script: { otherwise: { text: 'a', afterwards: 'silence' } }, killAt: 1, code: 130 },
  {
    says: 'has not been read',
    args: [...ask, '-y', '--output-format', 'stream-json'],
    script: calling(calls.edit),
    code: 0,
  },
  {
    says: 'was changed by someone else in the same part',
    args: [...ask, '-y', '--output-format', 'stream-json'],
    prepare: ({ machine, server }) =>
      server.answer({ calls: [calls.read] }, () => {
        machine.write('a.txt', 'alpha by hand\n');
        return { calls: [{ name: 'write_file', arguments: { file_path: 'a.txt', content: 'omega\n' } }] };
      }),
    code: 0,
  },
  { says: 'no earlier conversation', args: [...ask, '--continue'], code: 52 },
  { says: 'There is no session', args: [...ask, '--resume', 'zzz'], code: 52 },
  { says: 'There is no change', args: ['undo', 'zzz'], code: 2 },
  { says: 'Changed since', args: ['undo'], prepare: changeThenEditByHand, code: 1 },
  { says: 'no longer in the store', args: ['undo'], prepare: changeThenLoseVersions, code: 1 },
];

async function trustThenChange({ machine, run }: Stage): Promise<void> {
  machine.write('.toolwright/settings.json', '{}');
  expect((await run(['trust'])).code).toBe(0);
  machine.write('.toolwright/settings.json', '{ "model": {} }');
}

async function change({ run }: Stage): Promise<void> {
  const edit = await run(['-p', "replace 'alpha' with 'omega' in a.txt", '-y', ...offline]);
  expect(edit.code, edit.stderr).toBe(0);
}

async function changeThenEditByHand(stage: Stage): Promise<void> {
  await change(stage);
  stage.machine.write('a.txt', 'by hand\n');
}

async function changeThenLoseVersions(stage: Stage): Promise<void> {
  await change(stage);
  const objects = join(stage.machine.state, 'objects');
  expect(existsSync(objects)).toBe(true);
  rmSync(objects, { recursive: true });
}

const provoked = new Set<string>();
afterAll(() => {
  const missing = quotes.filter(({ text }) => !provoked.has(text)).map(({ text }) => text);
  console.log(
    `evidence: docs/troubleshooting.md: ${quotes.length} messages found in the sources, ${provoked.size} of them provoked with the built program; only looked up: ${missing.join(' | ')}`,
  );
});

describe('the built program', () => {
  it.concurrent.each(provocations)(
    'says as quoted in docs/troubleshooting.md: $says',
    async ({ says, args = ask, script, env, code, ...how }) => {
      const quote = quotes.find(({ text }) => text.includes(says.replace(/ …$/, '')));
      expect(quote, `not quoted: ${says}`).toBeDefined();
      const stage = await openStage(script ?? { otherwise: { text: 'An answer.' } });
      try {
        await how.prepare?.(stage);
        const ended = await stage.run(args, {
          ...(env ? { env } : {}),
          ...(how.holdInput ? { holdInput: true } : {}),
          ...(how.killAt ? { onStart: killAtRequest(stage.server, how.killAt) } : {}),
        });
        expect(`${ended.stderr}\n${ended.stdout}`).toMatch(quote!.pattern);
        expect(ended.code, ended.stderr).toBe(code);
        provoked.add(quote!.text);
      } finally {
        await stage.close();
      }
    },
  );
});
