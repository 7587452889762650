import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeModelServer } from '@toolwright/core/testing';
import { expect } from 'vitest';
import { createMachine } from './program.js';
import { type Conversation, keys } from './terminal/conversation.js';
import { flowsOf, start, tidy } from './terminal/flows.js';

const flow = flowsOf('connect');

async function choose(talk: Conversation, shown: RegExp, typed = keys.enter): Promise<void> {
  await talk.see(shown);
  talk.type(typed);
}

for (const wire of ['openai', 'openai-responses', 'anthropic', 'gemini'] as const) {
  flow(
    `/connect to ${wire}: the key is tried, kept for the user alone, and never in journal or log`,
    async () => {
      const key = 'sk-secret-0123456789abcdef';
      const model = await startFakeModelServer({ otherwise: { text: 'ready' } });
      const machine = createMachine();
      const talk = await start({ machine, args: ['--debug'], rows: 40 });
      await talk.ready();
      talk.type('/connect\r');
      await choose(talk, /Which model should answer\?/, 'another\r');
      await choose(talk, /Which format does it speak\?/, `${wire === 'openai' ? 'chat' : wire}\r`);
      await choose(talk, /Its address/, `${model.baseUrls[wire]}\r`);
      await choose(talk, /Its key/, `${key}\r`);
      await talk.see(/fake-model responded and is now in use\. The connection is kept in/);
      await talk.see(/\nfake-model · default/);
      await talk.ready();
      await talk.say(`repeat ${key}`);
      await talk.see('ready');
      talk.type(keys.ctrlD);
      await talk.ended();
      const file = join(machine.state, 'connection.json');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file, 'utf8')).toContain(key);
      expect(model.requests.map((request) => request.wire)).toEqual([wire, wire]);
      expect(JSON.stringify(model.requests.at(-1)?.headers)).toContain(key);
      expect(talk.raw().split('repeat')[0]).not.toContain(key);
      const others = readdirSync(machine.state, { recursive: true, encoding: 'utf8' }).filter((name) => {
        const path = join(machine.state, name);
        return (
          name !== 'connection.json' && statSync(path).isFile() && readFileSync(path, 'utf8').includes(key)
        );
      });
      expect(others).toEqual([]);
      await model.close();
      await tidy(machine, talk);
    },
  );
}

flow('/connect keeps nothing when the trial fails, and says why', async () => {
  const model = await startFakeModelServer({
    otherwise: { status: 401, body: { error: { message: 'bad key' } } },
  });
  const machine = createMachine();
  const talk = await start({ machine, rows: 40 });
  await talk.ready();
  talk.type('/connect\r');
  await choose(talk, /Which model should answer\?/, 'another\r');
  await choose(talk, /Which format does it speak\?/, 'chat\r');
  await choose(talk, /Its address/, `${model.baseUrls.openai}\r`);
  await choose(talk, /Its key/, 'wrong\r');
  await talk.see(/Nothing was saved: /);
  expect(readdirSync(machine.state)).not.toContain('connection.json');
  await model.close();
  await tidy(machine, talk);
});

flow('the fallback is chosen from a list of /model, and asked when the model can not answer', async () => {
  const model = await startFakeModelServer({ models: ['fake-model', 'gpt-5-mini', 'gpt-5.1'] });
  const talk = await start({ env: model.environment() });
  await talk.ready();
  talk.type('/model\r');
  await choose(talk, /Which model should answer\?[\s\S]*Fallback: none/, 'fallback\r');
  await choose(talk, /Which model should be asked when fake-model can't answer\?/, 'mini\r');
  await talk.see("When fake-model can't answer, gpt-5-mini is asked.");
  await talk.ready();
  model.answer({ status: 404, body: { error: { message: 'The model fake-model does not exist' } } });
  model.answer({ text: 'Here I am.' });
  await talk.say('hi');
  expect(talk.text()).toMatch(
    /fake-model can't answer: [\s\S]*gpt-5-mini is asked instead[\s\S]*Here I am\./,
  );
  expect(model.requests.slice(-2).map(({ body }) => body['model'])).toEqual(['fake-model', 'gpt-5-mini']);
  talk.type('/model\r');
  await talk.see('Fallback: gpt-5-mini');
  await model.close();
});

flow('effort, temperature and fallback models by flag, and by setting', async () => {
  const model = await startFakeModelServer({
    answers: [{ status: 404, body: { error: { message: 'The model fake-model does not exist' } } }],
    otherwise: { text: 'Answer.' },
  });
  const machine = createMachine();
  const flags = ['--effort', 'low', '--temperature', '0.3', '--fallback-model', 'second-model'];
  const byFlag = await machine.run(['-p', 'hi', ...flags], { env: model.environment() });
  expect([byFlag.code, byFlag.stdout]).toEqual([0, 'Answer.\n']);
  expect(byFlag.stderr).toMatch(/fake-model can't answer: .* second-model is asked instead/);
  const tuned = { temperature: 0.3, reasoning_effort: 'low' };
  expect(model.requests.map(({ body }) => body)).toMatchObject([
    { model: 'fake-model', ...tuned },
    { model: 'second-model', ...tuned },
  ]);
  machine.write(
    '../home/.toolwright/settings.json',
    '{"model": {"effort": "high", "temperature": 1.5, "fallback": ["third-model"]}}',
  );
  model.answer({ status: 404, body: { error: { message: 'The model fake-model does not exist' } } });
  expect((await machine.run(['-p', 'hi'], { env: model.environment() })).code).toBe(0);
  const last = { model: 'third-model', temperature: 1.5, reasoning_effort: 'high' };
  expect(model.requests.at(-1)?.body).toMatchObject(last);
  await model.close();
  machine.cleanup();
});
