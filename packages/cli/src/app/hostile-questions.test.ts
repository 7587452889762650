import type { ConfirmRequest } from '@toolwright/core';
import { actingCharacters, forged, hostileNames } from '@toolwright/machine/base/fixtures/hostile-names.js';
import { describe, expect, it } from 'vitest';
import { textOfLine } from '../ui/render/line.js';
import { renderQuestion } from '../ui/render/question.js';
import { approvalQuestion } from './approval.js';

type Details = ConfirmRequest['details'];

const diffOf = (name: string) => ({
  kind: 'diff' as const,
  files: [{ path: name, change: 'delete' as const, unified: '', added: 0, removed: 1 }],
});

/** A question of each kind, with this name wherever somebody else may name something. */
const kinds: Readonly<Record<string, (name: string) => Details>> = {
  edit: (name) => ({
    kind: 'edit',
    title: name,
    diff: diffOf(name),
    warnings: [`${name}: runs later`],
    effects: [{ kind: 'write', path: name }],
  }),
  'exec before': (name) => ({
    kind: 'exec',
    title: name,
    command: `touch ${name}`,
    directory: `/work/${name}`,
    confinement: name,
    warnings: [name],
    effects: [
      {
        kind: 'execute',
        command: `touch ${name}`,
        directory: name,
        readOnly: false,
        network: false,
        background: false,
        commands: [['touch', name]],
      },
      { kind: 'write', path: name },
      { kind: 'network', host: name, port: 1, url: name },
    ],
  }),
  'exec after': (name) => ({
    kind: 'exec',
    title: name,
    command: `touch ${name}`,
    directory: `/work/${name}`,
    output: '',
    summary: name,
    warnings: [name],
    diff: diffOf(name),
    effects: [{ kind: 'delete', path: name }],
  }),
  mcp: (name) => ({
    kind: 'mcp',
    title: name,
    server: name,
    tool: name,
    arguments: { [name]: name },
    effects: [{ kind: 'mcp', server: name, tool: name }],
  }),
  info: (name) => ({
    kind: 'info',
    title: name,
    prompt: `Fetch ${name}`,
    urls: [name],
    effects: [{ kind: 'memory', scope: 'global', path: name }],
  }),
};

const cases = Object.keys(kinds).flatMap((kind) =>
  hostileNames.map(([what, name]): [string, string, string] => [kind, what, name]),
);

describe('a question', () => {
  it.each(cases)('%s about a name with %s shows no sentence that is not ours', (kind, _what, name) => {
    const request = {
      callId: '1',
      tool: name,
      description: `Change ${name}`,
      reason: `default mode asks before it may write ${name}`,
      offers: [{ rule: `Edit(${name})`, allows: `changes to ${name}` }],
      details: kinds[kind]!(name),
    } as unknown as ConfirmRequest;
    const question = approvalQuestion(request);
    const ours = [
      question.title,
      ...question.facts,
      ...question.choices.flatMap(({ label, chosen }) => [label, chosen ?? '']),
      ...(question.diff ?? []).map(({ path }) => path),
    ];
    for (const text of ours) expect(text).not.toMatch(actingCharacters);
    const rows = renderQuestion(question, 200).map(textOfLine);
    expect(rows.map((row) => row.trim()).filter((row) => row === forged)).toEqual([]);
    for (const row of rows) expect(row).not.toMatch(actingCharacters);
  });
});
