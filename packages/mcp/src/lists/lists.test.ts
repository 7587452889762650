import type { JsonObject } from '@toolwright/machine/base/json.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText } from '../contract/plain-text.js';
import { readPrompts, readResources } from './named-items.js';
import { readPages } from './read-pages.js';
import { schemaProblem } from './schema-problem.js';
import { readTools } from './tool-definitions.js';

describe('a tool', () => {
  it('says nothing of itself: it counts as dangerous, and takes any object', () => {
    const { items, warnings } = readTools([{ name: 'x' }]);
    expect(warnings).toEqual([]);
    expect(items).toEqual([
      {
        name: 'x',
        title: '',
        description: '',
        inputSchema: { type: 'object', properties: {} },
        outputSchema: null,
        hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
        asSent: { name: 'x' },
      },
    ]);
  });

  it.each([
    [{ readOnlyHint: true }, { readOnly: true, destructive: false, idempotent: true, openWorld: true }],
    [{ destructiveHint: false }, { readOnly: false, destructive: false, idempotent: false, openWorld: true }],
    [
      { idempotentHint: true, openWorldHint: false },
      { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    ],
    [{ readOnlyHint: 'yes' }, { readOnly: false, destructive: true, idempotent: false, openWorld: true }],
  ])('with the annotations %j gives the hints %j', (annotations, hints) => {
    expect(readTools([{ name: 'x', annotations }]).items[0]?.hints).toEqual(hints);
  });

  it('is cleaned of what nobody sees, in its schema too, while consent is bound to what came', () => {
    const hidden = 'Reads.\u200b\u202e\u{e0041}';
    const schema = { type: 'object', properties: { a: { type: 'string', description: hidden } } };
    const [tool] = readTools([{ name: 'x', description: hidden, inputSchema: schema, extra: 1 }]).items;
    expect([tool?.description, tool?.inputSchema['properties']]).toEqual([
      'Reads.',
      { a: { type: 'string', description: 'Reads.' } },
    ]);
    expect(tool?.asSent).toEqual({ name: 'x', description: hidden, inputSchema: schema });
    const others = { $comment: hidden, default: [hidden], examples: [{ b: hidden }], title: hidden };
    const [more] = readTools([
      { name: 'y', inputSchema: { type: 'object', properties: { a: others } } },
    ]).items;
    expect(more?.inputSchema['properties']).toEqual({
      a: { $comment: 'Reads.', default: ['Reads.'], examples: [{ b: 'Reads.' }], title: 'Reads.' },
    });
  });

  it.each<[string, JsonObject]>([
    ['a property', { properties: { 'a\u200b': {} } }],
    ['a choice', { properties: { a: { enum: ['b\u{e0041}'] } } }],
    ['a constant', { properties: { a: { const: '\u202eb' } } }],
    ['a pattern', { properties: { a: { pattern: '\ufeff' } } }],
    ['a property of a property called title', { properties: { title: { properties: { 'a\u200b': {} } } } }],
  ])('that hides something in %s is left out', (_where, inputSchema) => {
    expect(readTools([{ name: 'x', inputSchema }])).toEqual({
      items: [],
      warnings: [
        `The tool "x" was left out: its input schema can't be used, it has names or values with characters that nobody sees.`,
      ],
    });
  });

  it.each(['two\nlines', 'tab\there', '\u001b[31mred', 'zero\u200bwidth', ' '])(
    'whose name is %j is left out: names stand inside sentences for people',
    (name) => {
      expect(readTools([{ name }, { name: 'ok' }])).toMatchObject({
        items: [{ name: 'ok' }],
        warnings: ['Entry 1 of the tool list has no usable name and was left out.'],
      });
      expect(readPrompts([{ name }, { name: 'ok', arguments: [{ name }] }]).items).toMatchObject([
        { name: 'ok', arguments: [] },
      ]);
      expect(readResources([{ uri: name }]).items).toEqual([]);
    },
  );

  it('that only runs as a task is left out by name', () => {
    const { items, warnings } = readTools([{ name: 'x', execution: { taskSupport: 'required' } }]);
    expect([items, warnings]).toEqual([
      [],
      ['The tool "x" was left out: it only runs as a task, and the server offers none.'],
    ]);
  });

  it('of any shape costs at most itself', () => {
    const entry = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          name: fc.string(),
          inputSchema: fc.jsonValue(),
          outputSchema: fc.jsonValue(),
          annotations: fc.jsonValue(),
          description: fc.jsonValue(),
        },
        { requiredKeys: ['name'] },
      ),
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 8 }), (entries) => {
        const good = { name: 'the-good-one', inputSchema: { type: 'object' } };
        expect(readTools([...entries, good]).items.map(({ name }) => name)).toContain('the-good-one');
      }),
      { numRuns: 300 },
    );
  });
});

describe('a schema', () => {
  it.each([
    [{ type: 'object', properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { type: 'string' } } }, null],
    [{ type: ['object', 'null'], additionalProperties: false, allOf: [true, {}] }, null],
    [{ $ref: 'https://example.test/schema.json' }, null],
    [{ properties: { 'a/b': {} }, items: { $ref: '#/properties/a~1b' } }, null],
    [[], 'it is not an object'],
    [{ properties: [] }, '"properties" of the schema is not an object'],
    [{ required: 'a' }, '"required" of the schema is not a list of names'],
    [{ anyOf: {} }, '"anyOf" of the schema is not a list'],
    [{ enum: 'a' }, '"enum" of the schema is not a list'],
    [{ items: 7 }, 'items is not a schema'],
    [
      { properties: { a: { properties: { b: { type: 'date' } } } } },
      'properties.a.properties.b has the unknown type "date"',
    ],
    [{ $ref: '#/$defs/a' }, 'the schema refers to #/$defs/a, which is not there'],
  ])('%j: %s', (schema, problem) => {
    expect(schemaProblem(schema)).toBe(problem);
  });

  it('that is too long is refused', () => {
    expect(schemaProblem({ description: 'x'.repeat(200_001) })).toBe('it is longer than 200 kB');
  });

  it('that is nested too deep is refused, not walked', () => {
    let schema: object = { type: 'string' };
    for (let depth = 0; depth < 5_000; depth++) schema = { properties: { a: schema } };
    expect(schemaProblem(schema)).toBe('it is nested more than 64 levels deep');
  });
});

describe('pages', () => {
  const pages = (next: (cursor: string | undefined) => string | undefined, limits = {}) =>
    readPages({
      key: 'things',
      maxPages: 10,
      maxItems: 100,
      fetch: async (cursor) => ({ things: [cursor ?? 'first'], nextCursor: next(cursor) }),
      ...limits,
    });

  it('are read to the last', async () => {
    const order: Record<string, string> = { first: 'b', b: 'c' };
    expect(await pages((cursor) => order[cursor ?? 'first'])).toEqual({
      entries: ['first', 'b', 'c'],
      warnings: [],
    });
  });

  it('stop at each bound and say so', async () => {
    let count = 0;
    const endless = () => `page ${++count}`;
    expect((await pages(endless)).warnings).toEqual(['The list of things was cut after 10 pages.']);
    expect((await pages(endless, { maxItems: 3 })).entries).toHaveLength(3);
    expect((await pages(() => 'same')).warnings).toEqual([
      'The list of things leads in a circle; it was cut there.',
    ]);
  });

  it('without a list are a failure, never half a list', async () => {
    const request = { key: 'things', maxPages: 2, maxItems: 2, fetch: async () => ({}) };
    await expect(readPages(request)).rejects.toThrow('the answer has no list of things');
  });
});

it('prompts and resources without a name or address are left out one by one', () => {
  const prompts = readPrompts([
    { name: 'a', arguments: [{ name: 'x', required: true }, {}, null] },
    {},
    { name: 'a' },
  ]);
  expect(prompts).toEqual({
    items: [
      { name: 'a', title: '', description: '', arguments: [{ name: 'x', description: '', required: true }] },
    ],
    warnings: ['Entry 2 of the prompt list has no usable name and was left out.'],
  });
  const resources = readResources([{ uri: 'x://a', size: 3, mimeType: 'text/plain' }, 7]);
  expect(resources.items).toEqual([
    { uri: 'x://a', name: 'x://a', title: '', description: '', mimeType: 'text/plain', size: 3 },
  ]);
  expect(resources.warnings).toHaveLength(1);
});

it('text that spells a hidden character out keeps its spelling', () => {
  expect(plainText('<U+200B> and \u200b')).toBe('<U+200B> and ');
});
