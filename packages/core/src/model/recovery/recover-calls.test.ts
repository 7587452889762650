import type { Part } from '@toolwright/machine/base/content.js';
import { describe, expect, it } from 'vitest';
import type { ModelEvent } from '../model.js';
import { createCallRecovery } from './recover-calls.js';
import { findTextCalls } from './text-calls.js';

const names = new Set(['glob', 'read_file', 'write_file', 'run_shell_command']);
const glob = (pattern: string) => ({ name: 'glob', arguments: { pattern } });

describe('a call written as text', () => {
  it.each<[string, string, object[], string]>([
    [
      'tags around JSON',
      'I look.\n<tool_call>\n{"name": "glob", "arguments": {"pattern": "a"}}\n</tool_call>',
      [glob('a')],
      'I look.',
    ],
    [
      'two of them',
      '<tool_call>{"name":"glob","arguments":{"pattern":"a"}}</tool_call>\n<tool_call>{"name":"glob","arguments":{"pattern":"b"}}</tool_call>',
      [glob('a'), glob('b')],
      '',
    ],
    ['a missing closing tag', '<tool_call>{"name":"glob","arguments":{"pattern":"a"}}', [glob('a')], ''],
    ['a missing brace', '<tool_call>{"name":"glob","arguments":{"pattern":"a"}</tool_call>', [glob('a')], ''],
    [
      'arguments as JSON in text',
      '<tool_call>{"name":"glob","arguments":"{\\"pattern\\":\\"a\\"}"}</tool_call>',
      [glob('a')],
      '',
    ],
    [
      '"parameters" in place of "arguments"',
      '<function_call>{"name":"glob","parameters":{"pattern":"a"}}</function_call>',
      [glob('a')],
      '',
    ],
    ['a function tag with JSON', '<function=glob>{"pattern": "a"}</function>', [glob('a')], ''],
    [
      'a function tag with parameters over several lines',
      '<tool_call>\n<function=write_file>\n<parameter=file_path>\na.ts\n</parameter>\n<parameter=content>\nline 1\n  line </b> 2\n</parameter>\n</function>\n</tool_call>',
      [{ name: 'write_file', arguments: { file_path: 'a.ts', content: 'line 1\n  line </b> 2' } }],
      '',
    ],
    [
      'invoke tags',
      'Now:\n<function_calls>\n<invoke name="read_file">\n<parameter name="path">a &amp; b</parameter>\n</invoke>\n<invoke name="glob"><parameter name="pattern">x</parameter></invoke>\n</function_calls>',
      [{ name: 'read_file', arguments: { path: 'a &amp; b' } }, glob('x')],
      'Now:',
    ],
    [
      'keys and values',
      '<tool_call>glob\n<arg_key>pattern</arg_key>\n<arg_value>a</arg_value>\n</tool_call>',
      [glob('a')],
      '',
    ],
    [
      'a list after a marker',
      '[TOOL_CALLS][{"name":"glob","arguments":{"pattern":"a"}},{"name":"glob","arguments":{"pattern":"b"}}]',
      [glob('a'), glob('b')],
      '',
    ],
    ['a name after a marker', '[TOOL_CALLS]glob[ARGS]{"pattern":"a"}', [glob('a')], ''],
    ['a python tag', '<|python_tag|>{"name":"glob","parameters":{"pattern":"a"}}', [glob('a')], ''],
    [
      'begin and end marks',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>glob\n```json\n{"pattern":"a"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      [glob('a')],
      '',
    ],
    [
      'JSON in a block at the end',
      'I will search:\n```json\n{"name": "glob", "arguments": {"pattern": "a"}}\n```\n',
      [glob('a')],
      'I will search:',
    ],
    [
      'tags in a block at the end',
      '```xml\n<tool_call>{"name":"glob","arguments":{"pattern":"a"}}</tool_call>\n```',
      [glob('a')],
      '',
    ],
    ['nothing but JSON', ' {"name":"glob","arguments":{"pattern":"a"}} ', [glob('a')], ''],
    [
      'the form of the structured call',
      '{"type":"function","function":{"name":"glob","parameters":{"pattern":"a"}}}',
      [glob('a')],
      '',
    ],
    ['a list of calls', '[{"tool":"glob","args":{"pattern":"a"}}]', [glob('a')], ''],
  ])('is read: %s', (_, text, calls, rest) => {
    expect(findTextCalls(text, names)).toEqual({ calls, text: rest });
  });

  it.each<[string, string]>([
    ['a tool that was not offered', '<tool_call>{"name":"format_disk","arguments":{}}</tool_call>'],
    [
      'an example in a block with text after it',
      'Write:\n```\n<tool_call>{"name":"glob","arguments":{"pattern":"a"}}</tool_call>\n```\nand it runs.',
    ],
    [
      'JSON in a block with text after it',
      '```json\n{"name":"glob","arguments":{"pattern":"a"}}\n```\nThis is how a call looks.',
    ],
    ['JSON with other keys', '{"name":"glob","arguments":{},"price":5}'],
    ['JSON inside a sentence', 'It prints {"name":"glob","arguments":{"pattern":"a"}} here.'],
    ['ordinary markup', '<function name="x"> and <tool> are tags; a < b'],
    ['broken JSON', '<tool_call>{"name": glob}</tool_call>'],
    ['plain text', 'I would use glob for that.'],
  ])('is left as text: %s', (_, text) => {
    expect(findTextCalls(text, names)).toEqual({ calls: [], text });
  });
});

describe('an answer that streams', () => {
  let count = 0;
  const context = {
    newCallId: () => `new-${++count}`,
    isIdTaken: () => false,
    restore: (call: { name: string; arguments: string | Record<string, unknown> }) => call,
  };
  const run = (deltas: string[], rest: ModelEvent[] = []) => {
    count = 0;
    const recovery = createCallRecovery(names, context);
    const text = deltas.join('');
    const parts: Part[] = [{ text: 'Hm.', thought: true }, { text }];
    const events: ModelEvent[] = [
      ...deltas.map((delta): ModelEvent => ({ type: 'text-delta', text: delta })),
      ...rest,
      { type: 'finish', reason: 'stop', parts },
    ];
    return events.flatMap((event) => recovery.push(event));
  };

  it('shows the text before a call but nothing of its raw form, however it is cut', () => {
    const text = 'I look. <tool_call>{"name":"glob","arguments":{"pattern":"a"}}</tool_call>';
    for (let at = 1; at < text.length; at++) {
      const events = run([text.slice(0, at), text.slice(at)]);
      expect(events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')).toBe(
        'I look. ',
      );
      expect(events.slice(-3)).toEqual([
        { type: 'call', call: { id: 'new-1', ...glob('a') } },
        { type: 'notice', message: 'The model wrote its call as text; it was read as a call.' },
        {
          type: 'finish',
          reason: 'calls',
          parts: [
            { text: 'Hm.', thought: true },
            { text: 'I look.' },
            { functionCall: { id: 'new-1', name: 'glob', args: { pattern: 'a' } } },
          ],
        },
      ]);
    }
  });

  it('shows everything when it was no call after all', () => {
    const events = run(['a <tool', '_call> is a', ' tag, [TOOL']);
    expect(events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')).toBe(
      'a <tool_call> is a tag, [TOOL',
    );
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  });

  it('hands on text without a sign of a call at once', () => {
    const recovery = createCallRecovery(names, context);
    expect(recovery.push({ type: 'text-delta', text: 'if (a < b) {' })).toEqual([
      { type: 'text-delta', text: 'if (a < b) {' },
    ]);
  });

  it('is left alone when a structured call came', () => {
    const call = { id: 'c', name: 'glob', arguments: {} };
    const text = '<tool_call>{"name":"glob","arguments":{"pattern":"a"}}</tool_call>';
    const events = run([text], [{ type: 'call', call }]);
    expect(events.filter((event) => event.type === 'call')).toEqual([{ type: 'call', call }]);
    expect(events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')).toBe(text);
  });

  it('keeps the reason of an answer that ended at its length limit', () => {
    const recovery = createCallRecovery(names, context);
    const text = '<tool_call>{"name":"glob","arguments":{"pattern":"a"}}';
    const events = [
      ...recovery.push({ type: 'text-delta', text }),
      ...recovery.push({ type: 'finish', reason: 'length', parts: [{ text }] }),
    ];
    expect(events[0]).toMatchObject({ type: 'call' });
    expect(events.at(-1)).toMatchObject({ reason: 'length' });
  });
});
