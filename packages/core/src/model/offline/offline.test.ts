import type { Message } from '@toolwright/machine/base/content.js';
import { createFixedIds } from '@toolwright/machine/testing/fakes.js';
import { expect, it } from 'vitest';
import type { ModelEvent } from '../model.js';
import { createOfflineModel } from './offline.js';
import { interpret, offlineRequests } from './requests.js';

it.each<[string, string, Record<string, unknown>]>([
  ['list src', 'list_directory', { path: 'src' }],
  ['list', 'list_directory', { path: '.' }],
  ['list .', 'list_directory', { path: '.' }],
  ['list src.', 'list_directory', { path: 'src' }],
  ['ls "my docs"', 'list_directory', { path: 'my docs' }],
  ['list the files in src', 'list_directory', { path: 'src' }],
  ['find TODO in packages', 'grep_search', { pattern: 'TODO', literal: true, path: 'packages' }],
  ['Find "two words" in src/a', 'grep_search', { pattern: 'two words', literal: true, path: 'src/a' }],
  ['search for foo.bar(', 'grep_search', { pattern: 'foo.bar(', literal: true }],
  ['find files *.ts in src', 'glob', { pattern: '**/*.ts', path: 'src' }],
  ['find all files named config.json', 'glob', { pattern: '**/config.json' }],
  ['show package.json', 'read_file', { absolute_path: 'package.json' }],
  ['please show me the file a b.txt', 'read_many_files', { paths: ['a', 'b.txt'] }],
  ["show 'a b.txt'", 'read_file', { absolute_path: 'a b.txt' }],
  ['read src/*.ts', 'read_many_files', { paths: ['src/*.ts'] }],
  ['show a.ts and b.ts', 'read_many_files', { paths: ['a.ts', 'b.ts'] }],
  ["write 'hello' to notes.txt", 'write_file', { file_path: 'notes.txt', content: 'hello\n' }],
  ['run npm test', 'run_shell_command', { command: 'npm test' }],
  ['remember that tabs are better', 'save_memory', { fact: 'tabs are better' }],
  [
    'fetch https://example.com/a and list the links',
    'web_fetch',
    { url: 'https://example.com/a', prompt: 'list the links' },
  ],
  ['use word_count with text="two words" limit=5', 'word_count', { text: 'two words', limit: 5 }],
  ["use the tool word_count with text='it is' deep=true", 'word_count', { text: 'it is', deep: true }],
  ['use word_count with {"text": "a = b", "list": [1]}', 'word_count', { text: 'a = b', list: [1] }],
  ['call server__ping', 'server__ping', {}],
  ['search the web for cats', 'web_search', { query: 'cats' }],
])('the offline model understands %j', (request, tool, args) => {
  expect(interpret(request)).toEqual([{ tool, args }]);
});

it('the offline model reads a file before it changes it', () => {
  expect(interpret(`replace all 'a\\n' with "b" in src/x.ts`)).toEqual([
    { tool: 'read_file', args: { absolute_path: 'src/x.ts' } },
    { tool: 'edit', args: { file_path: 'src/x.ts', old_string: 'a\n', new_string: 'b', replace_all: true } },
  ]);
});

it('the offline model understands its own examples and nothing else', () => {
  for (const { example } of offlineRequests) expect(interpret(example), example).not.toBeNull();
  expect(interpret('what is the meaning of life?')).toBeNull();
});

async function ask(
  messages: Message[],
  toolNames = ['list_directory', 'read_file', 'edit'],
): Promise<ModelEvent[]> {
  const model = createOfflineModel(createFixedIds());
  const events: ModelEvent[] = [];
  const tools = toolNames.map((name) => ({ name }));
  for await (const event of model.stream({ system: '', messages, tools }, new AbortController().signal))
    events.push(event);
  return events;
}

const user = (text: string): Message => ({ role: 'user', parts: [{ text }] });
const response = (name: string, answer: Record<string, unknown>): Message => ({
  role: 'user',
  parts: [{ functionResponse: { name, response: answer } }],
});

it('the offline model turns a request into a real call', async () => {
  const events = await ask([user('list src')]);
  expect(events.map(({ type }) => type)).toEqual(['call', 'usage', 'finish']);
  expect(events[0]).toEqual({
    type: 'call',
    call: { id: 'id-0001', name: 'list_directory', arguments: { path: 'src' } },
  });
});

it('the offline model answers with what the tool gave, and says what it is', async () => {
  const events = await ask([user('list src'), response('list_directory', { output: 'a.ts' })]);
  const text = events.find((event) => event.type === 'text-delta');
  expect(text).toMatchObject({
    text: expect.stringMatching(/^a\.ts\n\nThis is the built-in offline model\. It is not a language model/),
  });
});

it('the offline model says what it is once in a conversation', async () => {
  const first = [user('list src'), response('list_directory', { output: 'a.ts' })];
  const [said] = await ask(first);
  const text = said?.type === 'text-delta' ? said.text : '';
  const second = [user('list lib'), response('list_directory', { output: 'b.ts' })];
  const [later] = await ask([...first, { role: 'model', parts: [{ text }] }, ...second]);
  expect(later).toEqual({ type: 'text-delta', text: 'b.ts' });
  const [lost] = await ask([...first, { role: 'model', parts: [{ text }] }, user('hello')]);
  expect(lost).not.toMatchObject({ text: expect.stringContaining('built-in offline model') });
});

it('the offline model goes on with the next step, and stops at a failed one', async () => {
  const request = user("replace 'a' with 'b' in x");
  const afterRead = await ask([request, response('read_file', { output: 'a' })]);
  expect(afterRead[0]).toMatchObject({ type: 'call', call: { name: 'edit' } });
  const afterFailure = await ask([request, response('read_file', { error: 'x does not exist.' })]);
  expect(afterFailure[0]).toMatchObject({
    type: 'text-delta',
    text: expect.stringMatching(/^x does not exist\./),
  });
});

it('the offline model says so when the tool is not there', async () => {
  const events = await ask([user('run ls')]);
  expect(events[0]).toMatchObject({
    text: expect.stringMatching(/^This needs the tool run_shell_command, which is not available here/),
  });
});

it('the offline model lists what it understands when it does not, only what is available', async () => {
  const [event] = await ask([user('hello')]);
  const text = event?.type === 'text-delta' ? event.text : '';
  expect(text).toContain('list FOLDER');
  expect(text).toContain("replace 'old' with 'new' in FILE");
  expect(text).toContain('use TOOL with NAME=VALUE');
  expect(text).not.toContain('run COMMAND');
});
