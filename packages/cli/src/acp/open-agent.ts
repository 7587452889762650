import type { McpServer } from '@agentclientprotocol/sdk';
import type { Agent, AgentEvent } from '@toolwright/core';
import type { Ask } from '../app/question.js';
import type { Arguments } from '../command-line/args.js';
import { openAgent, type RuntimeOptions, readSetup, type Setup } from '../setup/runtime.js';
import type { Editor } from './ask.js';
import type { ClientServers } from './client-servers.js';
import type { ConfirmNeeds } from './confirm.js';

/** A session as the editor wants it opened. */
export interface SessionWish {
  id: string;
  cwd: string;
  folders: readonly string[];
  servers: readonly McpServer[];
  /** True if the session goes on with an earlier conversation. */
  resumes: boolean;
}

export interface OpenAgentNeeds {
  args: Arguments;
  editor: Editor;
  ask: Ask;
  /** The agent of the session, once it is open. */
  current(): Agent | null;
  hear(event: AgentEvent): void;
  warn(sentence: string): void;
}

export interface OpenedAgent {
  agent: Agent;
  setup: Setup;
  /** For the user, about what was found. */
  sentences: string[];
}

/** The agent of a session, with the editor as the one that is asked. */
export async function openEditorAgent(
  { id, cwd, folders, servers, resumes }: SessionWish,
  { args, editor, ask, current, hear, warn }: OpenAgentNeeds,
): Promise<OpenedAgent> {
  const own = placed(args, { cwd, folders, resume: resumes ? id : null });
  const setup = await readSetup(own);
  const given = await serversOf(servers, setup);
  const { session } = setup.loaded.settings;
  const agent = await openAgent(
    own,
    {
      front: 'acp',
      mayAsk: false,
      apart: args.switches.has('apart') || session.apart === 'always',
      sessionId: resumes ? undefined : id,
      onEvent: hear,
      confirm: confirming(
        { editor, show: (path) => current()?.host.workspace.show(path) ?? path },
        session.apart === 'ask' ? current : null,
      ),
      servers: {
        more: given.servers,
        // A server of the editor stands in no settings: only its session can accept what it offers.
        say: (sentence) => warn(sentence.replace('toolwright mcp accept', '/mcp accept')),
        async onElicit(request, signal) {
          const { elicitInEditor } = await import('./elicit.js');
          return elicitInEditor(request, { editor, ask }, signal);
        },
        async onOtherCode(other, signal) {
          const { codeQuestion } = await import('../ask/other-code.js');
          const { askYesOrNo } = await import('../app/yes-no.js');
          return askYesOrNo(codeQuestion(other), ask, signal);
        },
        onSignIn: async (request) => warn((await import('../ask/elicit.js')).signInText(request)),
      },
    },
    setup,
  );
  const sentences = [
    ...setup.warnings,
    ...setup.serverWarnings,
    ...given.problems,
    ...agent.notices,
    ...offlineNotice(agent),
  ];
  return { agent, setup, sentences };
}

async function serversOf(given: readonly McpServer[], { loaded, workspace }: Setup): Promise<ClientServers> {
  if (given.length === 0) return { servers: [], problems: [] };
  const { configuredServers } = await import('../setup/mcp-servers.js');
  const { clientServers } = await import('./client-servers.js');
  const taken = configuredServers(loaded, { workspace }).map(({ config }) => config.alias);
  return clientServers(given, new Set(taken));
}

type AskAboutCall = NonNullable<RuntimeOptions['confirm']>;

/** Loaded with the first question; with an agent to ask, work apart is offered once. */
function confirming(needs: Omit<ConfirmNeeds, 'offer'>, apartOf: (() => Agent | null) | null): AskAboutCall {
  let opened: Promise<AskAboutCall> | undefined;
  const open = async (): Promise<AskAboutCall> => {
    const { confirmInEditor } = await import('./confirm.js');
    const { createApartOffer } = await import('../conversation/apart-offer.js');
    const offer = apartOf ? createApartOffer(apartOf, () => undefined) : undefined;
    return confirmInEditor({ ...needs, offer });
  };
  return async (request, signal) => (await (opened ??= open()))(request, signal);
}

/** The command line as if it had been typed for this session. */
function placed(
  args: Arguments,
  { cwd, folders, resume }: { cwd: string; folders: readonly string[]; resume: string | null },
): Arguments {
  const values = new Map([
    ...args.values,
    ['workspace', cwd],
    ...(resume ? [['resume', resume] as const] : []),
  ]);
  const included = [...(args.lists.get('include-directories') ?? []), ...folders];
  const lists =
    included.length > 0 ? new Map([...args.lists, ['include-directories', included]]) : args.lists;
  return { ...args, values: values as Arguments['values'], lists };
}

function offlineNotice({ choice }: Agent): string[] {
  if (choice?.provider !== 'offline') return [];
  return [`${choice.reason} The built-in offline model answers; docs/models.md says how to connect another.`];
}
