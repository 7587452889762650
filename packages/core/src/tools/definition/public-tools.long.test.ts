import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { JsonObject } from '@toolwright/machine/base/json.js';
import { afterAll, expect, it } from 'vitest';
import { sampleParams } from '../../testing/grading/sample-params.js';
import { mcpToolName } from '../mcp/mcp-tool.js';
import { judgeDefinition } from './judge-definition.js';

/** Servers of the public registry that list their tools without a network, with the arguments and keys they ask for. */
const servers: [name: string, args?: string[], env?: Record<string, string>][] = [
  ['@modelcontextprotocol/server-everything'],
  ['@modelcontextprotocol/server-filesystem', ['/tmp']],
  ['@modelcontextprotocol/server-memory'],
  ['@modelcontextprotocol/server-sequential-thinking'],
  ['@playwright/mcp'],
  ['chrome-devtools-mcp'],
  ['@upstash/context7-mcp'],
  ['@modelcontextprotocol/server-github', [], { GITHUB_PERSONAL_ACCESS_TOKEN: 'x' }],
  ['@modelcontextprotocol/server-slack', [], { SLACK_BOT_TOKEN: 'x', SLACK_TEAM_ID: 'x' }],
  ['@modelcontextprotocol/server-google-maps', [], { GOOGLE_MAPS_API_KEY: 'x' }],
  ['exa-mcp-server', [], { EXA_API_KEY: 'x' }],
  ['@modelcontextprotocol/server-gitlab', [], { GITLAB_PERSONAL_ACCESS_TOKEN: 'x' }],
  ['firecrawl-mcp', [], { FIRECRAWL_API_KEY: 'x' }],
];

interface ListedTool {
  name: string;
  description?: string;
  inputSchema: JsonObject;
  annotations?: JsonObject;
}

const folder = mkdtempSync(join(tmpdir(), 'toolwright-public-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }), 120_000);

it('public MCP tools get A or B unless they say nothing of their arguments', {
  timeout: 600_000,
}, async () => {
  const all: Record<string, number> = { A: 0, B: 0, C: 0, F: 0 };
  const withF = new Set<string>();
  for (const [name, args = [], env = {}] of servers) {
    const tools = isInstalled(name) ? await listTools(name, args, env) : null;
    if (!tools) {
      console.log(`not tried: ${name} can't be installed or started here`);
      continue;
    }
    const own: Record<string, number> = {};
    for (const tool of tools) {
      const grade = gradeOf(tool);
      own[grade] = (own[grade] ?? 0) + 1;
      all[grade] = (all[grade] ?? 0) + 1;
      if (grade === 'F') withF.add(name);
      else expect([name, tool.name, sampleParams(tool.inputSchema)]).not.toContain(null);
    }
    console.log(`${name}: ${JSON.stringify(own)}`);
  }
  console.log(`evidence: definitions of public MCP tools: ${JSON.stringify(all)}`);
  // The tools of this server do not say that their arguments are an object.
  expect([all['C'], [...withF]]).toEqual([
    0,
    withF.size === 0 ? [] : ['@modelcontextprotocol/server-gitlab'],
  ]);
});

function gradeOf({ name, description = '', inputSchema, annotations }: ListedTool): string {
  const server = { declaredAs: mcpToolName('it', name), isAnnotated: annotations !== undefined };
  const found = judgeDefinition({ name, description, parameterSchema: inputSchema, server });
  const faults = found.filter(({ level }) => level !== 'note');
  const errors = faults.filter(({ level }) => level === 'error');
  if (errors.some(({ check }) => check !== 'schema-subset')) return 'F';
  if (errors.length > 0) return 'C';
  return faults.length > 0 ? 'B' : 'A';
}

/** A folder for each server: in a common one it would get versions of packages that others ask for. */
const folderOf = (name: string): string => join(folder, name.replaceAll('/', '_'));

function isInstalled(name: string): boolean {
  const cwd = folderOf(name);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), '{}');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', name];
  return spawnSync('npm', args, { cwd, stdio: 'ignore', timeout: 120_000 }).status === 0;
}

function programOf(name: string): string {
  const place = join(folderOf(name), 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  return join(place, typeof bin === 'string' ? bin : (Object.values(bin)[0] as string));
}

/** Null when the server does not answer. */
async function listTools(
  name: string,
  args: string[],
  env: Record<string, string>,
): Promise<ListedTool[] | null> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [programOf(name), ...args], {
    cwd: folderOf(name),
    env: { PATH, HOME: folder, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  child.stdin.on('error', () => undefined);
  const clientInfo = { name: 'toolwright', version: '0' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  send({ id: 1, method: 'initialize', params });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('{')) continue;
      const { id, result } = JSON.parse(line);
      if (id === 1) {
        send({ method: 'notifications/initialized' });
        send({ id: 2, method: 'tools/list', params: {} });
      }
      if (id === 2) return result?.tools ?? null;
    }
    return null;
  } finally {
    clearTimeout(limit);
    child.kill('SIGKILL');
  }
}
