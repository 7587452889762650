import { describe, expect, it } from 'vitest';
import { parseRule, type Verdict } from './rules.js';

const context = { workspace: '/work', compileGlob: () => () => false };
const parse = (verdict: Verdict, text: string) =>
  parseRule({ verdict, text, source: 'settings.json:7' }, context);

describe('a Fetch rule', () => {
  it.each<[Verdict, string, string, number, boolean]>([
    ['allow', 'Fetch(example.com)', 'example.com', 443, true],
    ['allow', 'Fetch(example.com)', 'example.com', 80, true],
    ['allow', 'Fetch(example.com)', 'example.com', 8080, false],
    ['deny', 'Fetch(example.com)', 'example.com', 8080, true],
    ['ask', 'Fetch(*.example.com)', 'a.example.com', 8080, true],
    ['allow', 'Fetch(example.com:8080)', 'example.com', 8080, true],
    ['allow', 'Fetch(example.com:8080)', 'example.com', 443, false],
    ['deny', 'Fetch(example.com:8080)', 'example.com', 443, false],
    ['allow', 'Fetch(*.example.com:8080)', 'a.example.com', 8080, true],
    ['allow', 'Fetch(Example.COM)', 'example.com', 443, true],
    ['allow', 'Fetch( example.com )', 'example.com', 443, true],
    ['deny', 'Fetch(example.com)', 'example.com.', 443, true],
    ['deny', 'Fetch(example.com.)', 'example.com', 443, true],
    ['allow', 'Fetch(example.com)', 'a.example.com', 443, false],
    ['allow', 'Fetch(*.example.com)', 'example.com', 443, false],
    ['allow', 'Fetch(*.example.com)', 'badexample.com', 443, false],
    ['allow', 'Fetch(*.example.com)', 'example.com.evil.org', 443, false],
    ['allow', 'Fetch(bücher.example)', 'xn--bcher-kva.example', 443, true],
    ['allow', 'Fetch(127.1:3000)', '127.0.0.1', 3000, true],
    ['allow', 'Fetch([::1]:3000)', '::1', 3000, true],
    ['allow', 'Fetch([::1])', '::1', 443, true],
    ['allow', 'Fetch(::1)', '::1', 443, true],
    ['allow', 'Fetch(localhost:80)', 'localhost', 80, true],
  ])('to %s, %s, fits %s:%i: %s', (verdict, text, host, port, expected) => {
    const effect = { kind: 'network' as const, host, port, url: '' };
    expect(parse(verdict, text).matches({ tool: '', effect })).toBe(expected);
  });

  it.each([
    'Fetch(*)',
    'Fetch(https://example.com)',
    'Fetch(example.com/path)',
    'Fetch(a.*.com)',
    'Fetch(me@host)',
    'Fetch(host:99999)',
    'Fetch(*.)',
    'Fetch(a b)',
  ])('%s is a mistake, named with its place', (text) => {
    expect(() => parse('deny', text)).toThrow(/^settings\.json:7: the rule "Fetch\(.*names no host/);
  });
});

describe('an Mcp rule', () => {
  it.each<[string, string, string, boolean]>([
    ['Mcp(files)', 'files', 'read', true],
    ['Mcp(files)', 'files2', 'read', false],
    ['Mcp(files/read)', 'files', 'read', true],
    ['Mcp(files/read)', 'files', 'write', false],
    ['Mcp(files/read/all)', 'files', 'read/all', true],
    ['Mcp(files/read/all)', 'files', 'read', false],
    ['Mcp( files )', 'files', 'read', true],
    ['Mcp(Files)', 'files', 'read', false],
  ])('%s fits %s/%s: %s', (text, server, tool, expected) => {
    expect(parse('allow', text).matches({ tool: '', effect: { kind: 'mcp', server, tool } })).toBe(expected);
  });

  it.each(['Mcp(files/)', 'Mcp(/read)', 'Mcp(files/*)', 'Mcp(*)', 'Mcp(two words)'])(
    '%s is a mistake',
    (text) => {
      expect(() => parse('allow', text)).toThrow(/^settings\.json:7: .*Write Mcp\(server\)/);
    },
  );
});
