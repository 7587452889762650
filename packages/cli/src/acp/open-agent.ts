import type { McpServer } from '@agentclientprotocol/sdk';
import type { Agent, AgentEvent } from '@toolwright/core';
import type { Ask } from '../app/question.js';
import { askYesOrNo } from '../app/yes-no.js';
import { signInText } from '../ask/elicit.js';
import { codeQuestion } from '../ask/other-code.js';
import type { Arguments } from '../command-line/args.js';
import { createApartOffer } from '../conversation/apart-offer.js';
import { configuredServers } from '../setup/mcp-servers.js';
import { openAgent, readSetup, type Setup } from '../setup/runtime.js';
import type { Editor } from './ask.js';
import { clientServers } from './client-servers.js';
import { confirmInEditor } from './confirm.js';
import { elicitInEditor } from './elicit.js';

/** A session as the editor wants it opened. */
export interface SessionWish {
  id: string;
  cwd: string;
  folders: readonly string[];
  servers: readonly McpServer[];
  /** It goes on with an earlier conversation. */
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
  const taken = configuredServers(setup.loaded, { workspace: cwd }).map(({ config }) => config.alias);
  const given = clientServers(servers, new Set(taken));
  const { session } = setup.loaded.settings;
  const offer = createApartOffer(current, () => undefined);
  const agent = await openAgent(
    own,
    {
      front: 'acp',
      mayAsk: false,
      apart: args.switches.has('apart') || session.apart === 'always',
      ...(resumes ? {} : { sessionId: id }),
      onEvent: hear,
      confirm: confirmInEditor({
        editor,
        show: (path) => current()?.host.workspace.show(path) ?? path,
        offer: session.apart === 'ask' ? offer : undefined,
      }),
      servers: {
        more: given.servers,
        say: warn,
        onElicit: (request, signal) => elicitInEditor(request, { editor, ask }, signal),
        onOtherCode: (other, signal) => askYesOrNo(codeQuestion(other), ask, signal),
        onSignIn: async (request) => warn(signInText(request)),
      },
    },
    setup,
  );
  const sentences = [...setup.warnings, ...given.problems, ...agent.notices, ...offlineNotice(agent)];
  return { agent, setup, sentences };
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
