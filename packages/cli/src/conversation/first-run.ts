import { type Agent, listSessions } from '@toolwright/core';
import type { Setup } from '../setup/runtime.js';

/** Words how to connect a model, and three things to try: for the first conversation on a machine. */
export function firstSteps({ model }: Pick<Agent, 'model'>): string {
  const isOffline = model.provider === 'offline';
  const rows: [string, string][] = isOffline
    ? [
        ['/tour', 'a short demonstration'],
        ['list .', 'a request it understands'],
        ['!git status', 'a command of your own'],
      ]
    : [
        ['what is here?', 'it looks around and tells you'],
        ['@', 'names a file for the model; / names a command'],
        ['/tour', 'a short demonstration'],
      ];
  const column = Math.max(...rows.map(([what]) => what.length)) + 2;
  return [
    ...(isOffline ? ['To connect a model: /connect asks for a key or a local server and tries it.'] : []),
    'To try:',
    ...rows.map(([what, text]) => `  ${what.padEnd(column)}${text}`),
  ].join('\n');
}

/** A sentence where the folder's context file is data only because nobody was asked; null elsewhere, and once the folder is known. */
export async function untrustedContext(
  { host, state }: Pick<Agent, 'host' | 'state'>,
  { trust, trusted, loaded }: Setup,
): Promise<string | null> {
  if (trusted || trust.state !== 'unknown') return null;
  const { sessions } = await listSessions(state, { workspace: host.workspace.directory, most: 1 });
  if (sessions.length > 0) return null;
  for (const name of loaded.settings.context.fileName) {
    const found = await host.files.stat(host.workspace.resolve(name)).catch(() => null);
    if (found?.kind === 'file')
      return `${name} of this folder is read only as data, because you have not trusted the folder. /trust makes the model follow it.`;
  }
  return null;
}
