import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import {
  type ClientCapabilities,
  type ClientConnection,
  type ContentBlock,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type McpServer,
  ndJsonStream,
  type PermissionOption,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { type FakeModelServer, startFakeModelServer } from '@toolwright/core/testing';
import { onTestFinished } from 'vitest';
import { processesOf } from '../mcp/stage.js';
import { createMachine, type Machine, program } from '../program.js';

type Script = NonNullable<Parameters<typeof startFakeModelServer>[0]>;

/** Picks an option of a permission request; null cancels, a promise lets it wait. */
export type Chooser = (request: RequestPermissionRequest) => PermissionOption | null | Promise<never>;

/** Takes the first option of a kind. */
export const choose =
  (kind: PermissionOption['kind'], word = ''): Chooser =>
  ({ options }) =>
    options.find((option) => option.kind === kind && option.name.includes(word)) ?? null;

export interface EditorOptions {
  args?: string[];
  env?: Record<string, string>;
  capabilities?: ClientCapabilities;
  permission?: Chooser;
  elicit?(request: CreateElicitationRequest): CreateElicitationResponse;
}

/** An editor of our own, on the protocol's library, that keeps all it hears. */
export interface TestEditor {
  child: ChildProcessWithoutNullStreams;
  connection: ClientConnection;
  updates: SessionUpdate[];
  asked: RequestPermissionRequest[];
  stderr(): string;
  request: ClientConnection['agent']['request'];
  /** Changes who answers. */
  answer(permission: Chooser): void;
  begin(place?: {
    cwd?: string;
    mcpServers?: McpServer[];
    additionalDirectories?: string[];
  }): Promise<string>;
  prompt(sessionId: string, prompt: string | ContentBlock[]): Promise<string>;
  /** The answers of the agent, as one text. */
  text(): string;
  of<Kind extends SessionUpdate['sessionUpdate']>(
    kind: Kind,
  ): Extract<SessionUpdate, { sessionUpdate: Kind }>[];
  /** Resolves with the first update that fits, also one that came before. */
  seen(fits: (update: SessionUpdate) => boolean): Promise<SessionUpdate>;
  /** The exit code after the editor closed its end. */
  end(): Promise<number | null>;
  ended: Promise<number | null>;
}

export interface AcpStage {
  machine: Machine;
  model: FakeModelServer;
  editor(options?: EditorOptions): Promise<TestEditor>;
  /** Processes that still work in the folders of this stage. */
  left(): string[];
}

/** A machine, a model and editors, until the test ends. */
export async function acpStage(
  script: Script = {},
  files: Record<string, string> = { 'a.txt': 'alpha\n' },
): Promise<AcpStage> {
  const machine = createMachine(files);
  const model = await startFakeModelServer(script);
  const editors: TestEditor[] = [];
  onTestFinished(async () => {
    for (const editor of editors) await editor.end();
    await model.close();
    machine.cleanup();
  });
  return {
    machine,
    model,
    async editor(options = {}) {
      const editor = await openEditor(machine, model, options);
      editors.push(editor);
      return editor;
    },
    left: () => processesOf(machine),
  };
}

async function openEditor(
  machine: Machine,
  model: FakeModelServer,
  options: EditorOptions,
): Promise<TestEditor> {
  const { PATH = '', LANG = 'C.UTF-8' } = process.env;
  const child = spawn(process.execPath, [program, 'acp', ...(options.args ?? [])], {
    cwd: machine.workspace,
    env: { PATH, LANG, HOME: machine.home, NO_COLOR: '1', ...model.environment(), ...options.env },
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number | null>((resolve) => void child.on('close', resolve));
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const waiting = new Set<() => void>();
  let permission: Chooser = options.permission ?? choose('reject_once');
  const app = client({ name: 'test' })
    .onNotification('session/update', ({ params }) => {
      updates.push(params.update);
      for (const look of [...waiting]) look();
    })
    .onRequest('session/request_permission', async ({ params }) => {
      asked.push(params);
      const option = await permission(params);
      return option
        ? { outcome: { outcome: 'selected', optionId: option.optionId } }
        : { outcome: { outcome: 'cancelled' } };
    })
    .onRequest('elicitation/create', ({ params }) => options.elicit?.(params) ?? { action: 'decline' });
  const connection = app.connect(
    ndJsonStream(
      Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    ),
  );
  const request = connection.agent.request.bind(connection.agent);
  await request('initialize', { protocolVersion: 1, clientCapabilities: options.capabilities ?? {} });
  return {
    child,
    connection,
    updates,
    asked,
    request,
    ended,
    stderr: () => stderr,
    answer: (chooser) => void (permission = chooser),
    async begin({ cwd = machine.workspace, mcpServers = [], ...more } = {}) {
      return (await request('session/new', { cwd, mcpServers, ...more })).sessionId;
    },
    async prompt(sessionId, prompt) {
      const blocks = typeof prompt === 'string' ? [{ type: 'text' as const, text: prompt }] : prompt;
      return (await request('session/prompt', { sessionId, prompt: blocks })).stopReason;
    },
    text: () =>
      updates
        .flatMap((update) =>
          update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
            ? [update.content.text]
            : [],
        )
        .join(''),
    of: (kind) => updates.filter((update) => update.sessionUpdate === kind) as never,
    seen: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = updates.find(fits);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    end() {
      child.stdin.end();
      return ended;
    },
  };
}
