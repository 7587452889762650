import { type Agent, deadlineIn, keyVariables, textOf } from '@toolwright/core';
import type { Setup } from '../setup/runtime.js';

/** First lines of a conversation: model, workspace, approval mode. */
export function greeting({ model, host, permission, apart, messages }: Greeted): string {
  const { directory } = host.workspace;
  const resumed = messages.length > 0 ? `\n${goingOn(messages)}` : '';
  const beside = apart.id === null ? '' : ', apart';
  return `Toolwright with ${modelName(model)} in ${directory}, approval mode ${permission.mode}${beside}. /help shows what you can type.${resumed}`;
}

type Greeted = Pick<Agent, 'messages'> & {
  model: Pick<Agent['model'], 'provider' | 'model'>;
  host: { workspace: { directory: string } };
  permission: Pick<Agent['permission'], 'mode'>;
  apart: Pick<Agent['apart'], 'id'>;
};

const LONGEST_PROMPT = 100;

/** Names an earlier conversation by its last prompt. */
function goingOn(messages: Agent['messages']): string {
  const line = lastPrompt(messages).replace(/\s+/g, ' ');
  const shown = line.length > LONGEST_PROMPT ? `${line.slice(0, LONGEST_PROMPT)} …` : line;
  return `Continuing an earlier session (${messages.length} messages).${shown === '' ? '' : ` You last said: ${shown}`}`;
}

/** What the user said last. */
export function lastPrompt(messages: Agent['messages']): string {
  const prompts = messages.filter(({ role }) => role === 'user').map(({ parts }) => textOf(parts));
  return prompts.findLast((text) => text.trim() !== '')?.trim() ?? '';
}

export function modelName({ provider, model }: Greeted['model']): string {
  return provider === 'offline' ? 'the built-in offline model' : `${model} (${provider})`;
}

const SANDBOX_LIMIT_MS = 20_000;

/** Lists the models found on this machine, for the first conversation. */
export async function foundText(
  { choice, commands }: Pick<Agent, 'choice' | 'commands'>,
  { trust, trusted }: Pick<Setup, 'trust' | 'trusted'>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { sentence } = await commands.sandbox.state(deadlineIn(SANDBOX_LIMIT_MS));
  const keys = keyVariables.filter((name) => environment[name]);
  const rows: [string, string][] = [
    [
      'Model',
      choice
        ? `${choice.label}${choice.provider === 'offline' ? '' : `, ${choice.model}`}. ${choice.reason}`
        : 'given',
    ],
    ['Keys', keys.length > 0 ? keys.join(', ') : 'none of the usual variables is set'],
    ['Local servers', serversText(choice)],
    ['Commands', `run ${sentence}`],
    ['This folder', trustText(trust, trusted)],
  ];
  return ['What was found here:', ...rows.map(([what, detail]) => `  ${what.padEnd(15)}${detail}`)].join(
    '\n',
  );
}

function serversText(choice: Agent['choice']): string {
  if (choice?.found.length)
    return choice.found
      .map(({ label, baseUrl, models }) => `${label} at ${baseUrl} (${models.length} models)`)
      .join(', ');
  const wasLooked = choice?.provider === 'offline' && !choice.reason.includes('asked for');
  return wasLooked ? 'none answers on the usual ports' : 'not looked for, as a model is configured';
}

function trustText({ state, examination }: Setup['trust'], trusted: boolean): string {
  if (Object.keys(examination.fingerprint).length === 0)
    return 'has no settings, tools or servers of its own';
  return trusted || state === 'trusted'
    ? 'is trusted: its settings count'
    : 'is not trusted: its settings are ignored (toolwright trust)';
}
