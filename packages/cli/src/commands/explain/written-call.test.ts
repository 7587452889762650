import { describe, expect, it } from 'vitest';
import { writtenCall } from './written-call.js';

const isTool = (name: string): boolean => ['edit', 'read_file'].includes(name);
const shell = (command: string) => ({ id: '', name: 'run_shell_command', arguments: { command } });

describe('a call as the user writes it', () => {
  it.each<[string[], object]>([
    [['npm test'], shell('npm test')],
    [['  git log | head  '], shell('git log | head')],
    [['npm', 'test'], shell('npm test')],
    [['echo', 'a b', "it's"], shell("echo 'a b' 'it'\\''s'")],
    [['read_file {"path": "a"}'], { id: '', name: 'read_file', arguments: { path: 'a' } }],
    [['read_file', '{"path": "a"}'], { id: '', name: 'read_file', arguments: { path: 'a' } }],
    [['read_file'], { id: '', name: 'read_file', arguments: {} }],
    [['unknown {"a": 1}'], { id: '', name: 'unknown', arguments: { a: 1 } }],
    [['{"name": "edit", "args": {"a": 1}}'], { id: '', name: 'edit', arguments: { a: 1 } }],
    [['{"name": "edit"}'], { id: '', name: 'edit', arguments: {} }],
    [['echo {a,b}'], shell('echo {a,b}')],
    [['edit the file'], shell('edit the file')],
    [['{ ls; }'], shell('{ ls; }')],
    [['unknown'], shell('unknown')],
    [['unknown {bad'], shell('unknown {bad')],
  ])('is read from %j as %j', (words, call) => {
    expect(writtenCall(words, isTool)).toEqual(call);
  });

  it.each([[[' ']], [['{"args": {}}']], [['{"name": 1}']]])('%j is a usage error', (words) => {
    expect(() => writtenCall(words, isTool)).toThrow(
      /explain needs a call|name of the tool must be a string/,
    );
  });

  it.each([
    [
      ['edit {bad'],
      /^The arguments of edit can't be read as JSON: .+ Example: toolwright explain 'read_file \{/,
    ],
    [['read_file', '{"path": '], /^The arguments of read_file can't be read as JSON/],
    [['{"name": "edit", '], /^This call can't be read as JSON/],
  ])('%j is told where it is wrong', (words, message) => {
    expect(() => writtenCall(words, isTool)).toThrow(message);
  });
});
