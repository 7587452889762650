import { type ConfirmRequest, type Outcome, openState } from '@toolwright/core';
import {
  createClock,
  createIds,
  createWorkspace,
  type LoadedSettings,
  oneAtATime,
} from '@toolwright/core/front-end';
import { askYesOrNo, type YesNo } from '../app/yes-no.js';
import { holdTerminal } from '../base/held-terminal.js';
import type { Front } from '../ui/front.js';
import { type FrontOptions, openFront } from '../ui/open-front.js';
import { confirmAt } from './confirm.js';

interface AskedFrom {
  workspace: string;
  stateFolder: string;
  loaded: Pick<LoadedSettings, 'settings'>;
}

/** Asks the user at the terminal about a call, in a run that is not a conversation. */
export async function askOnTerminal(
  request: ConfirmRequest,
  { workspace, stateFolder, loaded }: AskedFrom,
  signal: AbortSignal,
): Promise<Outcome> {
  const state = openState({ path: stateFolder, host: { clock: createClock(), ids: createIds() } });
  const { show } = createWorkspace({ directory: workspace });
  const { ui } = loaded.settings;
  const asking = { state, environment: process.env, editor: ui.editor, show };
  return withTerminal((front) => confirmAt({ front, ...asking })(request, signal), ui);
}

export function askYesOrNoOnTerminal(question: YesNo, signal: AbortSignal): Promise<boolean> {
  return withTerminal((front) => askYesOrNo(question, front.ask, signal));
}

type TerminalLook = Pick<FrontOptions, 'color' | 'screenReader' | 'theme' | 'colors'>;
type Streams = Pick<FrontOptions, 'input' | 'output'>;

/** Standard output may be piped elsewhere, so the question appears on standard error. */
const standardStreams = (): Streams => ({ input: process.stdin, output: process.stderr });

const oneOnTerminal = oneAtATime();

/** The terminal for as long as the work lasts; whoever comes meanwhile waits. */
export function withTerminal<Result>(
  work: (front: Front) => Promise<Result>,
  ui: TerminalLook = {},
  streams = standardStreams(),
): Promise<Result> {
  return oneOnTerminal(() => onTerminal(work, ui, streams));
}

async function onTerminal<Result>(
  work: (front: Front) => Promise<Result>,
  ui: TerminalLook,
  streams: Streams,
): Promise<Result> {
  const front = openFront({ ...streams, environment: process.env, ...ui, notify: 'never', mouse: false });
  // Ctrl-C arrives here as a key, so the signal is sent by hand.
  front.onUser(({ type }) => {
    if (type === 'turn-cancelled' || type === 'quit') process.kill(process.pid, 'SIGINT');
  });
  front.onEnd(() => void process.kill(process.pid, 'SIGHUP'));
  let giveBack = (): void => undefined;
  try {
    front.start();
    // After the start: at the end of the program the terminal is given back before what waits is written.
    giveBack = holdTerminal();
    return await work(front);
  } finally {
    front.close();
    giveBack();
  }
}
