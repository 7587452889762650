// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of extensions are written so.
import { createTempWorkspace, type TempWorkspace } from '@toolwright/core/testing';
import { afterEach, expect, it } from 'vitest';
import { readContents } from './extension-contents.js';
import { findingsOf } from './extension-findings.js';
import { extensionPage } from './extension-page.js';
import { readExtension } from './read-extension.js';

let made: TempWorkspace | undefined;
afterEach(() => made?.cleanup());

const confined = { confined: true, sentence: 'confined by bubblewrap 0.8.0' };

async function read(content: Record<string, string | object>) {
  made = createTempWorkspace({
    content: Object.fromEntries(
      Object.entries({ 'plugin.json': { name: 'kit' }, ...content }).map(([path, value]) => [
        path,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ),
  });
  const found = await readExtension(made.directory);
  if ('problem' in found) throw new Error(found.problem);
  return readContents(found, made.directory, new AbortController().signal);
}

async function pageOf(content: Record<string, string | object>, sandbox = confined): Promise<string[]> {
  const contents = await read(content);
  const source = { kind: 'folder', place: '/x' } as const;
  const page = extensionPage(contents, { source, files: [], digest: 'd', collisions: [], sandbox });
  return page.split('\n').map((line) => line.trim());
}

const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'look' }] }] };
const tool = {
  v: 1,
  name: 'count',
  description: 'Counts.',
  command: ['curl', 'https://count.example.com/x'],
};

it('the page shows all that a server is given: variables, its folder and its network, but no secret', async () => {
  const mcpServers = {
    sea: {
      command: 'node',
      args: ['a.js'],
      env: { X: '/home', API_KEY: 'aaaabbbbcccc', TOKEN: '${SEA_TOKEN}', WORDS: 'two words' },
      cwd: '${workspacePath}',
    },
    still: { command: 'still', network: false },
  };
  const page = await pageOf({ 'mcp.json': { mcpServers } });
  expect(page).toContain(
    'node a.js with X=/home API_KEY=… TOKEN=${SEA_TOKEN} WORDS="two words" in ${workspacePath} (the MCP server sea, in the sandbox, with network)',
  );
  expect(page).toContain('still (the MCP server still, in the sandbox, no network)');
});

it('the page promises no sandbox where there is none', async () => {
  const page = await pageOf(
    {
      'mcp.json': { mcpServers: { sea: { command: 'sea' } } },
      'hooks/hooks.json': { hooks },
      'tools/count.json': tool,
    },
    { confined: false, sentence: 'unconfined: bubblewrap is not installed' },
  );
  expect(page.join('\n')).not.toContain('in the sandbox');
  expect(page.slice(4, 7)).toEqual([
    'look (hook PreToolUse, hooks/hooks.json:1, at most 60 s, off here: unconfined: bubblewrap is not installed)',
    'sea (the MCP server sea, unconfined: bubblewrap is not installed; it can do whatever you can)',
    'curl https://count.example.com/x (the tool count, off here: unconfined: bubblewrap is not installed)',
  ]);
});

it('the page names the hosts of commands that prompts embed, and of the command lines of tools', async () => {
  const page = await pageOf({
    'commands/news.md': 'Read !`curl -s https://news.example.com/today`.',
    'tools/count.json': tool,
  });
  expect(page).toContain('news.example.com (named in its programs)');
  expect(page).toContain('count.example.com (named in its programs)');
});

it('keys of skills and commands that change nothing here are told on the page and by the check', async () => {
  const content = {
    'skills/tides/SKILL.md':
      '---\nname: tides\ndescription: Reads tables of tides.\ncontext: fork\nhooks:\n  Stop: []\nuser-invocable: false\n---\nDo it.\n',
    'commands/look.md': '---\nmodel: big\n---\nLook.\n',
  };
  const told = [
    'hooks of skills/tides/SKILL.md: hooks stand in a file of their own, hooks/hooks.json',
    'context of skills/tides/SKILL.md: what a skill says is done in the conversation, by whoever loads it',
    'model of commands/look.md: the model is the one of the conversation',
  ];
  expect(await pageOf(content)).toEqual(expect.arrayContaining(told));
  const contents = await read(content);
  expect(contents.skills).toMatchObject([{ isForModelOnly: true }]);
  expect(findingsOf(contents).map(({ message }) => message)).toContain(
    'context of skills/tides/SKILL.md is not used here: what a skill says is done in the conversation, by whoever loads it.',
  );
});
