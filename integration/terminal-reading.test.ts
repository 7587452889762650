import { expect } from 'vitest';
import { startFakeModelServer } from '../packages/core/src/testing/fake-model-server.js';
import { keys } from './terminal/conversation.js';
import { flowsOf, start } from './terminal/flows.js';

const flow = flowsOf('what is read');

/** The same text, whatever styles it has. */
const plain = (raw: string): string => raw.replace(/\x1b\[[0-9;]*m/g, '');

flow('an answer has wrapped words, nested lists, tables, and code and diffs in colours', async () => {
  const text = [
    'These are words that are wrapped between them and never in the middle of one of them.',
    '',
    '- outer',
    '  - inner',
    '    1. innermost',
    '',
    '| name | size |',
    '|---|--:|',
    '| a.ts | 10 |',
    '',
    '```ts',
    'const answer = "yes"; // sure',
    '```',
    '',
    '```diff',
    '-old',
    '+new',
    '```',
    '',
    'A family 👨\u200d👩\u200d👧, می\u200cخواهم and क्\u200dष stay; pass\u200dword does not.',
  ].join('\n');
  const model = await startFakeModelServer({ answers: [{ text: text.match(/.{1,7}/gs) ?? [] }] });
  const talk = await start({ env: model.environment(), columns: 50 });
  await talk.ready();
  await talk.say('show it');
  expect(talk.text()).toMatch(
    /^These are words that are wrapped between them and\nnever in the middle of one of them\.$/m,
  );
  expect(talk.text()).toMatch(/^\S outer\n {2}\S inner\n {4}1\. innermost$/m);
  expect(talk.text()).toMatch(/^ *name +│ +size\n *─+┼─+\n *a\.ts +│ +10$/m);
  expect(talk.raw()).toMatch(/\x1b\[[0-9;]+mconst\x1b\[/);
  expect(talk.raw()).toMatch(/\x1b\[[0-9;]+m"yes"\x1b\[/);
  expect(talk.raw()).toMatch(/\x1b\[[0-9;]+m-old\x1b\[/);
  const said = plain(talk.raw());
  for (const joined of ['👨\u200d👩\u200d👧', 'می\u200cخواهم', 'क्\u200dष']) expect(said).toContain(joined);
  expect(said).toContain('pass<U+200D>word');
  await model.close();
});

flow('while an answer streams the status tells for how long; refusals of plan mode are short', async () => {
  const write = { name: 'write_file', arguments: { file_path: 'a.txt', content: 'x\n' } };
  const model = await startFakeModelServer({
    answers: [{ calls: [write] }, { text: 'This is only half', afterwards: 'silence' }],
  });
  const talk = await start({ env: model.environment(), args: ['--approval-mode', 'plan'] });
  await talk.ready();
  talk.type('write it\r');
  await talk.see(/^Answering, \d+ s \(Esc cancels\) · fake-model · plan/m);
  expect(talk.text()).toMatch(/^ {2}Plan mode: not written\.$/m);
  talk.type(keys.escape);
  await talk.see(/^Cancelled\./m);
  await model.close();
});

flow('a summary of the conversation is announced in the status, and told when it begins', async () => {
  const used = (inputTokens: number) => ({ inputTokens, outputTokens: 10 });
  const model = await startFakeModelServer({
    answers: [
      { text: 'First.', usage: used(14_000) },
      { calls: [{ name: 'glob', arguments: { pattern: '*' } }], usage: used(17_000) },
      { text: 'They spoke.' },
      { text: 'Third.', usage: used(2_000) },
    ],
  });
  const files = { '../home/.toolwright/settings.json': '{"model": {"contextWindow": 20000}}' };
  const talk = await start({ files, env: model.environment(), columns: 120 });
  await talk.ready();
  await talk.say('one');
  expect(talk.text()).toContain('70% of context, summary at 80%');
  talk.type(keys.paste(`two ${'word '.repeat(4_000)}`));
  talk.type('\r');
  await talk.see(/^Third\.$/m);
  expect(talk.raw()).toContain('its earlier part is being summarised');
  expect(talk.text().replace(/\s+/g, ' ')).toContain('its earlier part is now a summary');
  await model.close();
});
