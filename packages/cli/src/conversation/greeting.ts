import { type Agent, textOf } from '@toolwright/core';
import { deadlineIn, keyVariables, pathFromHome, usableHome } from '@toolwright/core/front-end';
import type { Setup } from '../setup/runtime.js';

/** First lines of a conversation: model, workspace, approval mode. */
export function greeting(
  { model, host, permission, apart, messages }: Greeted,
  home = usableHome(process.env),
): string {
  const { directory: folder } = host.workspace;
  const directory = home === undefined ? folder : pathFromHome(folder, home);
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

/** Gives the user's last prompt. */
export function lastPrompt(messages: Agent['messages']): string {
  const prompts = messages.filter(({ role }) => role === 'user').map(({ parts }) => textOf(parts));
  return prompts.findLast((text) => text.trim() !== '')?.trim() ?? '';
}

export function modelName({ provider, model }: Greeted['model']): string {
  return provider === 'offline' ? 'the built-in offline model' : `${model} (${provider})`;
}

const SANDBOX_LIMIT_MS = 20_000;

/** Words the findings on this machine for the first conversation; the reason for the model tells what is missing. */
export async function foundText(
  { choice, commands }: Pick<Agent, 'choice' | 'commands'>,
  { trust, trusted }: Pick<Setup, 'trust' | 'trusted'>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { confined, sentence } = await commands.sandbox.state(deadlineIn(SANDBOX_LIMIT_MS));
  // The reason for the model names the key that chose it.
  const keys = keyVariables.filter((name) => environment[name] && !choice?.reason.includes(name));
  const found: [string, string | null][] = [
    [
      'Model',
      choice
        ? `${choice.label}${choice.provider === 'offline' ? '' : `, ${choice.model}`}. ${choice.reason}`
        : 'given',
    ],
    ['Keys', keys.length > 0 ? keys.join(', ') : null],
    ['Local servers', serversText(choice)],
    [
      'Commands',
      confined ? `run in the sandbox (${sentence.replace(/^confined by /, '')})` : `run ${sentence}`,
    ],
    ['This folder', trustText(trust, trusted)],
  ];
  const rows = found.filter(([, detail]) => detail !== null);
  const column = Math.max(...rows.map(([what]) => what.length)) + 2;
  return [
    'Found on this machine:',
    ...rows.map(([what, detail]) => `  ${what.padEnd(column)}${detail}`),
  ].join('\n');
}

function serversText(choice: Agent['choice']): string | null {
  if (!choice?.found.length) return null;
  return choice.found
    .map(({ label, baseUrl, models }) => `${label} at ${baseUrl} (${models.length} models)`)
    .join(', ');
}

function trustText({ state, examination }: Setup['trust'], trusted: boolean): string | null {
  if (Object.keys(examination.fingerprint).length === 0) return null;
  return trusted || state === 'trusted'
    ? 'is trusted: its settings are in effect'
    : 'is not trusted: its settings are ignored (toolwright trust)';
}
