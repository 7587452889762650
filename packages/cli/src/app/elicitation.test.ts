import type { McpElicitRequest } from '@toolwright/core';
import { expect, it } from 'vitest';
import { type Answered, addressQuestion, answerOf, fieldQuestion, fieldsOf } from './elicitation.js';

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name', description: 'as on the door' },
    age: { type: 'integer', default: 30, maximum: 150 },
    height: { type: 'number' },
    tea: { type: 'boolean' },
    colour: { type: 'string', enum: ['r', 'g'], enumNames: ['red', 'green'] },
    size: { type: 'string', oneOf: [{ const: 's', title: 'small' }, { const: 'l' }] },
    days: { type: 'array', items: { type: 'string', enum: ['mon', 'tue'] } },
  },
  required: ['name'],
};
const request: McpElicitRequest = { kind: 'form', server: 'desk', message: 'Who are you?\u001b[2J', schema };
const fields = fieldsOf(schema);
const field = (name: string) => fields.find((one) => one.name === name)!;

it('the form of a server reads every kind of field', () => {
  expect(fields.map(({ name, kind }) => [name, kind])).toEqual([
    ['name', 'text'],
    ['age', 'integer'],
    ['height', 'number'],
    ['tea', 'one'],
    ['colour', 'one'],
    ['size', 'one'],
    ['days', 'some'],
  ]);
});

it('the form of a server asks with who asks, what for, and a way out; nothing a server writes reaches the terminal raw', () => {
  const question = fieldQuestion(request, field('name'), 'That was empty.');
  expect(question).toEqual({
    title: 'The MCP server desk asks: Who are you?␛[2J',
    text: 'Your name (text): as on the door',
    facts: ['That was empty.', 'Your answer goes to the server. Never give it a password.'],
    choices: [
      { key: '=', label: 'type the answer', asksFor: 'Your answer' },
      { key: 'n', label: 'decline to answer' },
    ],
    refusal: 'n',
  });
  const keys = (name: string) => fieldQuestion(request, field(name)).choices.map(({ key }) => key);
  expect(keys('age')).toEqual(['=', 'd', 's', 'n']);
  expect(keys('colour')).toEqual(['1', '2', 's', 'n']);
  expect(fieldQuestion(request, field('days')).text).toBe('days\n  mon\n  tue');
});

it.each<[string, string, string, Answered]>([
  ['name', '=', 'Ann Lee', { value: 'Ann Lee' }],
  ['age', '=', '41', { value: 41 }],
  ['age', '=', '4.5', { problem: '4.5 is not a whole number.' }],
  ['age', '=', '', { problem: 'Nothing is not a whole number.' }],
  ['age', '=', '151', { problem: expect.stringMatching(/150/) as unknown as string }],
  ['age', 'd', '', { value: 30 }],
  ['age', 's', '', 'left out'],
  ['height', '=', '1.8', { value: 1.8 }],
  ['tea', '1', '', { value: true }],
  ['tea', '2', '', { value: false }],
  ['colour', '2', '', { value: 'g' }],
  ['colour', '3', '', { problem: 'That is not one of the choices.' }],
  ['size', '1', '', { value: 's' }],
  ['days', '=', 'tue, mon', { value: ['tue', 'mon'] }],
  ['days', '=', 'tue, sun', { problem: 'sun is not one of the choices.' }],
])('for the field %s the reply %j %j gives %j', (name, key, text, expected) => {
  expect(answerOf(field(name), { key, text })).toEqual(expected);
});

it('the form of a server shows an address as it is, and an empty answer is no yes', () => {
  const question = addressQuestion({ ...request, kind: 'form' }, 'https://example.org/\u202egro');
  expect(question.text).toBe('https://example.org/<U+202E>gro');
  expect(question.refusal).toBe('n');
});
