import { type ConfirmRequest, wordQuestion } from '@toolwright/core';
import { actingCharacters, forged, hostileNames } from '@toolwright/machine/base/fixtures/hostile-names.js';
import { describe, expect, it } from 'vitest';
import { toElicitation } from '../../../core/src/serve/calls/question.js';
import { renderQuestion } from '../ui/render/asking/question.js';
import { textOfLine } from '../ui/render/line.js';
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

function requestAbout(kind: string, name: string): ConfirmRequest {
  return {
    callId: '1',
    tool: name,
    description: `Change ${name}`,
    reason: `default mode asks before writing ${name}`,
    offers: [{ rule: `Edit(${name})`, allows: `changes to ${name}` }],
    modifiable: false,
    details: kinds[kind]!(name),
  };
}

function terminalRows(request: ConfirmRequest): string[] {
  return renderQuestion(approvalQuestion(request), 6_000).map((line) => textOfLine(line).trim());
}

function clientRows(request: ConfirmRequest): string[] {
  const { message } = toElicitation(request, { clean: (text) => text });
  return message.split('\n').map((row) => row.trim());
}

describe('a question', () => {
  it.each(cases)('%s about a name with %s shows no sentence that is not ours', (kind, _what, name) => {
    const request = requestAbout(kind, name);
    const { title, warnings, facts, answers } = wordQuestion(request);
    for (const text of [title, ...warnings, ...facts, ...answers.map(({ label }) => label)])
      expect(text).not.toMatch(actingCharacters);
    const { choices, always = [] } = approvalQuestion(request);
    for (const { label } of [...choices, ...always]) expect(label).not.toMatch(actingCharacters);
    for (const { rule } of always) expect(rule).not.toMatch(actingCharacters);
    for (const rows of [terminalRows(request), clientRows(request)]) {
      expect(rows).not.toContain(forged);
      for (const row of rows) expect(row).not.toMatch(actingCharacters);
    }
  });

  it.each(cases)(
    '%s about a name with %s reads the same on a terminal and to a client',
    (kind, _what, name) => {
      const request = requestAbout(kind, name);
      const { title, warnings, facts } = wordQuestion(request);
      const asked = clientRows(request);
      expect(asked.slice(0, 1 + warnings.length)).toEqual([title, ...warnings]);
      expect(asked.slice(asked.length - facts.length)).toEqual(facts);
      const shown = terminalRows(request);
      expect(shown.slice(0, 1 + warnings.length)).toEqual([`? ${title}`, ...warnings]);
      expect(shown.slice(shown.length - facts.length)).toEqual(facts);
    },
  );
});
