import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { linesOf, openStage, type Stage } from './headless/run.js';

const canTry = await canStage();
if (!canTry) console.log('evidence: no overlays here: what a fleet keeps of secrets was not tried');

let stage: Stage;
afterEach(() => stage.close());

/** A key that only the settings of the user hold; nothing about it looks like one. */
const SECRET = 'plain words that nobody else has said';

/** Files below the state folder that hold the text, without the settings themselves. */
function filesWith(text: string): string[] {
  return readdirSync(stage.machine.state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'settings.json')
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}

async function openWithKey(script: Parameters<typeof openStage>[0]): Promise<void> {
  stage = await openStage(script);
  stage.machine.write(
    '../home/.toolwright/settings.json',
    JSON.stringify({ web: { search: { provider: 'tavily', apiKey: SECRET } } }),
  );
}

const fetching = {
  name: 'web_fetch',
  arguments: { url: 'https://example.com/', prompt: `with ${SECRET}` },
};

describe.runIf(canTry)('a key of the settings', () => {
  it('is in no task, question, answer, failure or event of a fleet', async () => {
    await openWithKey({
      otherwise: ({ bytes }) =>
        bytes.toString().includes('look it up')
          ? { calls: [fetching] }
          : {
              status: 400,
              body: JSON.stringify({ error: { message: `The key ${SECRET} may not do that.` } }),
            },
    });
    stage.machine.write('secret.jsonl', `{"prompt": "use ${SECRET}"}\n`);
    expect((await stage.run(['fleet', 'submit', 'secret.jsonl'])).stderr).toContain(
      'secret.jsonl:1:1: the task holds a secret',
    );
    stage.machine.write('tasks.jsonl', '{"prompt": "look it up"}\n{"prompt": "fail"}\n');
    const ran = await stage.run(['fleet', 'run', 'tasks.jsonl', '--workers', '1']);
    const questions = (await stage.run(['fleet', 'questions', '--json'])).stdout;
    const [asked] = linesOf(questions);
    const status = (await stage.run(['fleet', 'status', '--tasks', '--json'])).stdout;
    expect(linesOf(status)[0]).toMatchObject({ states: { parked: 1, failed: 1 } });
    await stage.run(['fleet', 'answer', String(asked?.['id']), 'no', 'because', 'of', ...SECRET.split(' ')]);
    const answered = (await stage.run(['fleet', 'status', '--tasks', '--json'])).stdout;
    expect(answered).toContain('because of [redacted]');
    for (const text of [ran.stdout, ran.stderr, questions, status, answered])
      expect(text).not.toContain(SECRET);
    expect(filesWith('look it up').length).toBeGreaterThan(0);
    expect(filesWith(SECRET)).toEqual([]);
  });

  it('is not in a headless run that was parked', async () => {
    await openWithKey({ otherwise: { calls: [fetching] } });
    const parked = await stage.run(['-p', 'look it up', '--on-question', 'park']);
    expect(parked.code).toBe(55);
    expect(filesWith('web_fetch').length).toBeGreaterThan(0);
    expect(filesWith(SECRET)).toEqual([]);
  });
});
