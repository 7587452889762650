import { join } from 'node:path';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAgent } from '../../create-agent.js';
import type { PieceOptions, ToolboxOptions } from '../../options/toolbox-options.js';
import { type FakeModelServer, startFakeModelServer } from '../../testing/fake-model-server.js';
import { jsonBytes } from './first-request.js';

const LIMIT = 12_000;
const wires = ['openai', 'openai-responses', 'anthropic', 'gemini'] as const;
/** A text that takes more room as JSON than it seems to. */
const hostile = '"\\\t"\u202e 漢字 '.repeat(40);
const everything = '1. read\n2. write\n3. test. Use agents, and ask me if unsure.';

let temp: TempWorkspace;
let server: FakeModelServer;
beforeAll(() => {
  temp = createTempWorkspace({ content: filesOfPieces() });
});
beforeEach(async () => {
  server = await startFakeModelServer({ otherwise: { text: 'Done.' } });
});
afterEach(() => server.close());
afterAll(() => temp.cleanup());

function filesOfPieces(): Record<string, string> {
  const files: Record<string, string> = { 'a.txt': 'alpha\n' };
  const front = (name: string, about: string) =>
    `---\nname: ${name}\ndescription: ${JSON.stringify(about)}\n---\nx\n`;
  for (let index = 0; index < 500; index++) {
    const [plain, long] = [`skill-${index}`, `${'s'.repeat(60)}${String(index).padStart(4, '0')}`];
    files[`plain/skills/${plain}/SKILL.md`] = front(plain, `Work of the kind ${index}, as our people do it.`);
    if (index < 10) files[`few/skills/${plain}/SKILL.md`] = files[`plain/skills/${plain}/SKILL.md`]!;
    if (index < 50) files[`hostile/skills/${long}/SKILL.md`] = front(long, hostile);
  }
  for (let index = 0; index < 60; index++) {
    const long = `${'a'.repeat(60)}${String(index).padStart(4, '0')}`;
    files[`hostile/agents/${long}.md`] = front(long, hostile);
    if (index < 5) files[`plain/agents/agent-${index}.md`] = front(`agent-${index}`, 'Reviews some code.');
  }
  for (let index = 0; index < 20; index++) {
    files[`plain/extension-${index}/NOTES.md`] =
      `How to use harbour ${index}.\n${'More of it.\n'.repeat(20)}`;
    files[`hostile/extension-${index}/NOTES.md`] = index % 2 === 0 ? hostile.slice(0, 30) : hostile;
  }
  return files;
}

function piecesIn(folder: 'plain' | 'hostile'): PieceOptions {
  const kinds = (kind: string) => [{ path: join(temp.directory, folder, kind), shown: kind }];
  const context = Array.from({ length: 20 }, (_, index) => {
    const root = join(temp.directory, folder, `extension-${index}`);
    const name = folder === 'plain' ? `extension-${index}` : `${'e'.repeat(60)}${index}`;
    return { name, root, path: join(root, 'NOTES.md') };
  });
  return { skills: kinds('skills'), agents: kinds('agents'), context };
}

let sessions = 0;

interface Tried extends Partial<ToolboxOptions> {
  wire: (typeof wires)[number];
  model?: string;
}

async function firstRequest(
  prompt: string,
  { wire, model = 'fake', ...more }: Tried,
): Promise<{ bytes: number; text: string }> {
  const provider = wire === 'openai-responses' ? 'openai' : wire;
  const agent = await createAgent({
    workspace: temp.directory,
    stateFolder: join(temp.outside, `state-${sessions++}`),
    model: { provider: wire, model, baseUrl: server.baseUrls[provider], apiKey: 'none' },
    onAskUser: async () => ({ action: 'cancel' }),
    ...more,
  });
  try {
    expect((await agent.prompt(prompt)).reason).toBe('done');
  } finally {
    await agent.close();
  }
  const { bytes } = server.requests.at(-1)!;
  return { bytes: bytes.byteLength, text: bytes.toString() };
}

/** A row of the table of sizes: the prompt and what was brought. */
const rows: [string, string, () => PieceOptions][] = [
  ['nothing', 'hi', () => ({})],
  ['10 skills', 'hi', () => ({ skills: [{ path: join(temp.directory, 'few/skills'), shown: 'skills' }] })],
  ['500 skills', 'hi', () => ({ skills: piecesIn('plain').skills })],
  ['five subagents', 'hi', () => ({ agents: piecesIn('plain').agents })],
  ['20 extensions with notes, 500 skills and five subagents', 'hi', () => piecesIn('plain')],
  ['the same, and a prompt that needs every tool', everything, () => piecesIn('plain')],
];

it.each(wires)('the first request over %s is small with little, and bounded with much', async (wire) => {
  const sizes: number[] = [];
  for (const [, prompt, pieces] of rows)
    sizes.push((await firstRequest(prompt, { wire, pieces: pieces() })).bytes);
  const told = rows.map(([what], index) => `${what} ${sizes[index]}`);
  console.log(`evidence: bytes of the first request over ${wire}: ${told.join(', ')}`);
  expect(sizes[0]).toBeLessThan(10_000);
  expect(Math.max(...sizes)).toBeLessThan(LIMIT);
});

const search = { provider: 'searxng', baseUrl: 'http://127.0.0.1:9' } as const;
const script = { enabled: true };

describe.each(wires)('the first request over %s stays below 12,000 bytes', (wire) => {
  it.each<[string, string, () => Partial<Tried>]>([
    ['with skills, agents and notes', 'hi', () => ({ pieces: piecesIn('plain') })],
    [
      'with these and all that a setting or a prompt brings',
      everything,
      () => ({ script, search, pieces: piecesIn('plain') }),
    ],
    [
      'with names and texts that take much room, and a model that uses every tool',
      everything,
      () => ({ script, search, pieces: piecesIn('hostile'), model: 'claude-x' }),
    ],
  ])('%s', async (what, prompt, options) => {
    const { bytes } = await firstRequest(prompt, { wire, ...options() });
    console.log(`evidence: first request over ${wire} ${what}: ${bytes} bytes`);
    expect(bytes).toBeLessThan(LIMIT);
  });
});

it.each(['openai', 'openai-responses'] as const)(
  'the first request of a model with patches, lists and questions over %s stays below 12,000 bytes',
  async (wire) => {
    const bare = await firstRequest('hi', { wire, model: 'gpt-5' });
    for (const tool of ['apply_patch', 'todo', 'ask_user'])
      expect(bare.text).toMatch(new RegExp(`"name":"${tool}"`));
    const full = await firstRequest(everything, {
      wire,
      model: 'gpt-5',
      script,
      search,
      pieces: piecesIn('plain'),
    });
    console.log(
      `evidence: first request of gpt-5 over ${wire}: ${bare.bytes} bytes, with everything ${full.bytes}`,
    );
    expect(bare.bytes).toBeLessThan(LIMIT);
    expect(full.bytes).toBeLessThan(LIMIT);
  },
);

it('what the first request has no room for is named by a search that it does have', async () => {
  const more = { script, search, pieces: piecesIn('plain') };
  const { text } = await firstRequest(everything, { wire: 'openai', ...more });
  const tools: { function: { name: string; description: string } }[] = JSON.parse(text).tools;
  const described = Object.fromEntries(
    tools.map(({ function: { name, description } }) => [name, description]),
  );
  expect(Object.keys(described)).toEqual(expect.arrayContaining(['skill', 'tool_search']));
  expect(described['skill']).toMatch(/\d+ (?:more )?skills\. Give a query to search them\.$/);
  for (const name of ['script', 'agent', 'todo', 'ask_user'])
    expect(name in described || described['tool_search']!.includes(`- ${name}: `)).toBe(true);
  expect(text).toMatch(/\d+ more extensions with notes: find them with a query of the tool skill\./);
});

it.each([
  ['a', 1],
  ['"', 2],
  ['\n', 2],
  ['\u0001', 6],
  ['漢', 3],
])('%j takes %i bytes', (text, bytes) => {
  expect(jsonBytes(text)).toBe(bytes);
});
