import { describe, expect, it } from 'vitest';
import { readManifest } from './manifest.js';
import { accessFor, effectsOfCall } from './manifest-effects.js';

const inWork = (name: string): string => {
  if (name.startsWith('..')) throw new Error('outside');
  return `/work/${name}`;
};
const path = '/home/ada/.toolwright/tools/count.json';
const good = {
  v: 1,
  name: 'count',
  description: 'Counts the words of a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' }, url: { type: 'string' } } },
  command: ['python3', './count.py', '--fast'],
  timeout: 5_000,
  effects: [{ kind: 'read', path: '{path}' }],
};

describe('a manifest', () => {
  it('names a program, whose own paths begin at the manifest', () => {
    expect(readManifest(JSON.stringify(good), path)).toEqual({
      name: 'count',
      description: 'Counts the words of a file.',
      parameters: good.parameters,
      words: ['python3', '/home/ada/.toolwright/tools/count.py', '--fast'],
      timeoutMs: 5_000,
      effects: [{ kind: 'read', path: '{path}' }],
    });
  });

  it('may leave out parameters, timeout and effects, and write the command as one string', () => {
    const text = JSON.stringify({ v: 1, name: 'a', description: 'Does it.', command: "../bin/a 'b c'" });
    expect(readManifest(text, path)).toEqual({
      name: 'a',
      description: 'Does it.',
      parameters: { type: 'object', properties: {} },
      words: ['/home/ada/.toolwright/bin/a', 'b c'],
    });
  });

  it.each<[string, unknown, string | RegExp]>([
    ['no JSON', '{\n  "v": 1,\n  oops\n}', /^not JSON: .*, line 3$/],
    ['a list', '[]', 'must hold one JSON object'],
    ['no version', { ...good, v: undefined }, '"v": 1 is missing.'],
    [
      'a newer version',
      { ...good, v: 2 },
      '"v" is 2, and this Toolwright knows version 1. Update Toolwright.',
    ],
    ['a name with blanks', { ...good, name: 'my tool' }, '"name" must be 1 to 64 characters'],
    [
      'no description',
      { ...good, description: ' ' },
      '"description" is missing: it tells the model when to use the tool.',
    ],
    [
      'parameters that are no object',
      { ...good, parameters: { type: 'string' } },
      '"parameters" must be a JSON Schema with "type": "object".',
    ],
    [
      'no command',
      { ...good, command: undefined },
      '"command" is missing: the program and its arguments, such as ["python3", "./count.py"].',
    ],
    ['a shell line', { ...good, command: 'a | b' }, '"|" means something to a shell only'],
    [
      'an endless timeout',
      { ...good, timeout: 1e12 },
      '"timeout" must be a number of milliseconds, at most a day.',
    ],
    [
      'an unknown member',
      { ...good, desciption: 'x' },
      'there is no member "desciption". Did you mean "description"?',
    ],
    ['effects that are no list', { ...good, effects: 'none' }, '"effects" must be a list of effects such as'],
    [
      'an unknown effect',
      { ...good, effects: [{ kind: 'explode' }] },
      '"effects"[0] is not an effect; write',
    ],
    [
      'an effect of an unknown parameter',
      { ...good, effects: [{ kind: 'write', path: '{file}' }] },
      '"effects"[0] uses {file}, but there is no parameter file.',
    ],
  ])('with %s is refused with what to write', (_, content, message) => {
    expect(() => readManifest(typeof content === 'string' ? content : JSON.stringify(content), path)).toThrow(
      message,
    );
  });
});

describe('the effects of a manifest', () => {
  it('are filled in from the arguments of a call', () => {
    const effects = [
      { kind: 'read' as const, path: '{path}' },
      { kind: 'write' as const, path: 'out/{path}.txt' },
      { kind: 'network' as const, url: 'https://{url}/x' },
    ];
    expect(effectsOfCall(effects, { path: 'a', url: 'example.org:8443' }, inWork)).toEqual([
      { kind: 'read', path: '/work/a' },
      { kind: 'write', path: '/work/out/a.txt' },
      { kind: 'network', host: 'example.org', port: 8443, url: 'https://example.org:8443/x' },
    ]);
    expect(effectsOfCall(effects, {}, inWork)).toEqual([]);
    expect(() => effectsOfCall([{ kind: 'read', path: '{path}' }], { path: '../secret' }, inWork)).toThrow(
      'outside',
    );
    expect(() => effectsOfCall([{ kind: 'network', url: '{url}' }], { url: 'nowhere' }, inWork)).toThrow(
      '"nowhere" is not an http or https address.',
    );
  });

  it('are all that the program is let do', () => {
    expect(accessFor([])).toEqual({ write: false, network: false });
    expect(accessFor([{ kind: 'read', path: 'a' }])).toEqual({ write: false, network: false });
    expect(
      accessFor([
        { kind: 'delete', path: 'a' },
        { kind: 'network', url: 'https://a' },
      ]),
    ).toEqual({ write: true, network: true });
  });
});
