import type { Agent, Message } from '@toolwright/core';
import { createWorkspace } from '@toolwright/core/front-end';
import type { Arguments } from '../command-line/args.js';
import type { Setup } from '../setup/runtime.js';
import type { Front } from '../ui/front.js';
import type { NextSession } from './slash-context.js';

/** A session that is about to open. */
export interface OpeningSession {
  args: Arguments;
  startWith?: readonly Message[] | undefined;
  /** The first prompt, from the command line. */
  prompt?: string | undefined;
  /** True for a session that follows another one in the same conversation. */
  isFurther?: boolean;
  /** True for the same session, opened again with other settings: its end is on the screen already. */
  isSame?: boolean;
  /** True for the session after `/clear`. */
  isCleared?: boolean;
}

interface FirstSession {
  front: Front;
  setup: Setup;
  signal: AbortSignal;
}

/** The session that the command line asks for; `--resume` without an id lets the user choose, and Esc starts over. */
export async function firstSession(
  args: Arguments,
  { front, setup, signal }: FirstSession,
): Promise<OpeningSession> {
  const prompt = args.words.join(' ').trim() || undefined;
  if (args.values.get('resume') !== '') return { args, prompt };
  const { chooseSession } = await import('./commands/resume.js');
  const { directory } = createWorkspace({ directory: setup.workspace });
  const id = await chooseSession(front.pick, {
    stateFolder: setup.stateFolder,
    workspace: directory,
    signal,
  });
  return { args: resuming(args, id), prompt };
}

/** The session that a command leads to. */
export function openingOf(
  { session, startWith, args: given }: NextSession,
  { args, agent }: { args: Arguments; agent: Pick<Agent, 'messages' | 'session'> },
): OpeningSession {
  const isSame = session === 'same' && agent.messages.length > 0;
  const id = isSame ? agent.session.id : typeof session === 'object' ? session.id : null;
  const isCleared = session === 'new' && startWith === undefined;
  return {
    args: resuming(given ?? args, id),
    startWith,
    isFurther: true,
    isSame: session === 'same',
    isCleared,
  };
}

/** The command line with what the user has chosen since by `/mode`, Shift+Tab and `/model`: another session goes on with it. */
export function argumentsNow(
  args: Arguments,
  { permission }: { permission: Pick<Agent['permission'], 'mode'> },
  { loaded: { settings }, hasChosenModel }: Pick<Setup, 'loaded' | 'hasChosenModel'>,
): Arguments {
  const values = new Map(args.values);
  const switches = new Set(args.switches);
  if (permission.mode !== settings.approvalMode) {
    values.set('approval-mode', permission.mode);
    switches.delete('yolo');
  }
  const lists = new Map(args.lists);
  const { name, effort, fallback } = settings.model;
  if (hasChosenModel && name !== undefined) {
    values.set('model', name);
    if (effort === undefined) values.delete('effort');
    else values.set('effort', effort);
    if (fallback) lists.set('fallback-model', fallback);
  }
  return { ...args, values, switches, lists };
}

function resuming(args: Arguments, id: string | null): Arguments {
  const values = new Map(args.values);
  if (id === null) values.delete('resume');
  else values.set('resume', id);
  const switches = new Set(args.switches);
  switches.delete('continue');
  return { ...args, values, switches };
}
