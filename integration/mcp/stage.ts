import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FakeModelServer, startFakeModelServer } from '@toolwright/core/testing';
import { afterAll, afterEach, expect } from 'vitest';
import { createMachine, type Ended, type Machine, type RunOptions } from '../program.js';

type Script = NonNullable<Parameters<typeof startFakeModelServer>[0]>;
type ServerSettings = Record<string, unknown>;

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const registry = (name: string): string =>
  here(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`);

/** Servers as settings name them. */
export const server = {
  everything: { command: process.execPath, args: [registry('server-everything')] },
  memory: { command: process.execPath, args: [registry('server-memory')] },
  filesystem: (folder: string): ServerSettings => ({
    command: process.execPath,
    args: [registry('server-filesystem'), folder],
  }),
  misbehaving: (name: string, ...args: string[]): ServerSettings => ({
    command: process.execPath,
    args: [here(`../servers/${name}.mjs`), ...args],
  }),
};

export interface McpStage {
  machine: Machine;
  model: FakeModelServer;
  configure(servers: Record<string, ServerSettings>): void;
  run(args: string[], options?: RunOptions): Promise<Ended>;
  /** Names of the tools in a request to the model. */
  declared(request: number): string[];
  /** The tool's responses, as the model read them in the last request. */
  responses(): string[];
  close(): Promise<void>;
}

/** A machine with MCP servers in the settings of its user, and a model that says what the script says. */
export async function openMcpStage(
  servers: Record<string, ServerSettings>,
  script: Script = { otherwise: { text: 'Done.' } },
): Promise<McpStage> {
  const machine = createMachine({ 'a.txt': 'alpha\n' });
  const model = await startFakeModelServer(script);
  const configure = (wanted: Record<string, ServerSettings>): void => {
    mkdirSync(machine.state, { recursive: true, mode: 0o700 });
    writeFileSync(join(machine.state, 'settings.json'), JSON.stringify({ mcpServers: wanted }));
  };
  configure(servers);
  return {
    machine,
    model,
    configure,
    run: (args, options) =>
      machine.run(args, { ...options, env: { ...model.environment(), ...options?.env } }),
    declared: (request) => toolsIn(model, request).map(({ function: { name } }) => name),
    responses: () => {
      const messages = (model.requests.at(-1)?.body['messages'] ?? []) as {
        role: string;
        content: unknown;
      }[];
      return messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content));
    },
    async close() {
      await model.close();
      machine.cleanup();
    },
  };
}

/** Opens stages that are closed after their test, when no process of theirs may live. */
export function mcpStages(title: string): typeof openMcpStage {
  const open: McpStage[] = [];
  const noteLeft = countLeft((stages) => `${title}: processes left after ${stages} machines`);
  afterEach(async () => {
    for (const { machine, close } of open.splice(0)) {
      const living = processesOf(machine);
      await close();
      noteLeft(living);
    }
  });
  return async (...given) => {
    const opened = await openMcpStage(...given);
    open.push(opened);
    return opened;
  };
}

/** Takes what still lives after a stage, which must be nothing; how many that were is told at the end of the file. */
export function countLeft(title: (stages: number) => string): (living: string[]) => void {
  let stages = 0;
  let left = 0;
  afterAll(() => {
    const how = isLinux ? '' : ' (not counted: there is no /proc here)';
    console.log(`evidence: ${title(stages)}: ${left}${how}`);
  });
  return (living) => {
    stages += 1;
    left += living.length;
    expect(living).toEqual([]);
  };
}

export function toolsIn(model: FakeModelServer, request: number): { function: { name: string } }[] {
  return (model.requests[request]?.body['tools'] ?? []) as { function: { name: string } }[];
}

export const isLinux = process.platform === 'linux';

/** Processes that were started in this machine and still live, by their command line. */
export function processesOf({ home }: Machine): string[] {
  if (!isLinux) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return environment.includes(`HOME=${home}`) && command !== '' ? [command] : [];
      } catch {
        return [];
      }
    });
}

/** A server of our own whose tools stand in a file, so that they can change between two starts; it notes each start. */
export function fileServer(
  machine: Machine,
  tools: object[],
): ServerSettings & { change(tools: object[]): void } {
  const [program, list] = [join(machine.home, 'file-server.mjs'), join(machine.home, 'tools.json')];
  const change = (wanted: object[]): void => writeFileSync(list, JSON.stringify(wanted));
  change(tools);
  writeFileSync(
    program,
    `import { appendFileSync, readFileSync } from 'node:fs';
import { serve, text } from ${JSON.stringify(here('../servers/wire.mjs'))};
appendFileSync(${JSON.stringify(join(machine.home, 'starts'))}, 'x');
serve('file-server', {
  'tools/list': () => ({ tools: JSON.parse(readFileSync(${JSON.stringify(list)}, 'utf8')) }),
  'tools/call': ({ name, arguments: args }) => text(name + ' ' + JSON.stringify(args)),
});
`,
  );
  // The server's notes about its starts lie in the home of the user.
  const settings = { command: process.execPath, args: [program], sandbox: 'off' };
  return Object.defineProperty(settings, 'change', {
    value: change,
    enumerable: false,
  }) as unknown as ReturnType<typeof fileServer>;
}

export function startsOf(machine: Machine): number {
  try {
    return readFileSync(join(machine.home, 'starts'), 'utf8').length;
  } catch {
    return 0;
  }
}

export const tool = (name: string, description = `The tool ${name}.`): object => ({
  name,
  description,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
});
