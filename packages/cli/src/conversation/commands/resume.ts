import { listSessions, textOf } from '@toolwright/core';
import { entriesOf, findSession, messageOf, openStateFolder, plural } from '@toolwright/core/front-end';
import { type ReportItem, textItem } from '../../actions/report.js';
import { safe, safeLine } from '../../app/safe-text.js';
import { ageOf } from '../../base/age.js';
import type { PickFrom } from '../../ui/picking.js';
import type { SlashContext } from '../slash-context.js';

/** `/resume`, `/resume ID`: goes on with an earlier conversation. */
export async function resume(context: SlashContext, rest: string): Promise<ReportItem[]> {
  const { agent, front, signal, reopen, setup } = context;
  const id =
    rest ||
    (await chooseSession(front.pick, {
      stateFolder: setup.stateFolder,
      workspace: agent.host.workspace.directory,
      current: agent.session.id,
      signal,
    }));
  if (!id) return [];
  if (id === agent.session.id) return [textItem('That is this conversation.')];
  const found = await findSession(
    openStateFolder(setup.stateFolder),
    agent.host.workspace.directory,
    id,
  ).catch(messageOf);
  if (typeof found === 'string')
    return [textItem(found.replace('toolwright sessions list', '/resume'), 'warning')];
  reopen({ session: { id: found.id } });
  return [];
}

export interface SessionChoice {
  stateFolder: string;
  workspace: string;
  /** The session that is open. */
  current?: string;
  signal: AbortSignal;
}

const MOST = 200;

/** A picker of earlier conversations; null when the user closed it. */
export async function chooseSession(pick: PickFrom, choice: SessionChoice): Promise<string | null> {
  const { stateFolder, workspace, current, signal } = choice;
  const { sessions } = await listSessions(openStateFolder(stateFolder), { workspace, most: MOST }, signal);
  const others = sessions.filter(({ id, title }) => id !== current && title !== '');
  const now = Date.now();
  const picked = await pick(
    {
      title: safe('Which conversation do you want to continue?'),
      items: others.map(({ id, title, updatedMs }) => ({
        id,
        label: safeLine(title),
        detail: safe(ageOf(updatedMs, now)),
      })),
      empty: safe('There is no earlier conversation in this folder.'),
      typed: 'filter',
      verb: safe('continues it'),
    },
    {
      signal,
      preview: async (id, inner) => {
        const session = others.find((each) => each.id === id);
        return session ? { lines: await summaryOf(session.path, inner) } : null;
      },
    },
  );
  return picked?.id ?? null;
}

const LAST_PROMPTS = 3;

/** The last prompts of a conversation, and how much was said and changed. */
async function summaryOf(path: string, signal: AbortSignal): Promise<ReturnType<typeof safeLine>[]> {
  const entries = await entriesOf({ path }, signal);
  const prompts = entries.flatMap((entry) => {
    if (entry.type !== 'message' || entry.message.role !== 'user') return [];
    const [first] = entry.message.parts;
    return first?.text ? [textOf([first]).trim()] : [];
  });
  const changes = entries.filter(({ type }) => type === 'changes').length;
  const more = prompts.length > LAST_PROMPTS ? ['…'] : [];
  return [
    `${plural(prompts.length, 'prompt')}, ${plural(changes, 'change')}`,
    ...more,
    ...prompts.slice(-LAST_PROMPTS).map((prompt) => `> ${prompt}`),
  ].map(safeLine);
}
