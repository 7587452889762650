import type { OpenQuestion } from './asking/open-question.js';
import { emptyHistory, type History } from './history.js';
import { emptyInput, type InputLine } from './input-line.js';
import type { SafeDisplay } from './safe-display.js';
import { ended, type SafeDiff, type SafeText, type TextSoFar, tailOf } from './safe-text.js';
import type { Shares } from './shares.js';
import { emptyTyping, type Typing } from './typing/typing.js';
import { notWorking, type Working } from './working/working.js';

export type Tone = 'plain' | 'good' | 'warning' | 'bad';

export interface CallEnd {
  /** First lines of the display, or of the error. */
  lines: readonly SafeText[];
  /** Lines of the display that were left out behind them. */
  more: number;
  /** The end of the display, where something was left out. */
  last: readonly SafeText[];
  /** The display, where it is data. */
  display?: SafeDisplay;
  /** The changes that the user agreed to, where the display is something else. */
  diff?: SafeDiff;
  /** True if the whole text was unfolded. */
  isWhole?: boolean;
  failed: boolean;
  /** The user, a rule or a mode said no, or it was cancelled: nothing went wrong. */
  refused?: boolean;
  /** The status of a command that failed; shown before its output. */
  status?: SafeText;
  /** Errors in sources that came with it, in one line and in full. */
  errors?: { brief: SafeText; all: readonly SafeText[] };
  /** The whole text, where lines were left out. */
  all?: readonly SafeText[];
}

export interface FinishedCall {
  description: SafeText;
  end: CallEnd;
}

/** Something that is finished and will not change any more. Ids grow. */
export type Block = { id: number } & (
  | { kind: 'prompt'; text: SafeText }
  /** Markdown. */
  | { kind: 'answer'; text: SafeText }
  | ({ kind: 'call' } & FinishedCall)
  /** Calls that only looked at something, one after the other. */
  | { kind: 'looks'; calls: readonly FinishedCall[] }
  | { kind: 'text'; text: SafeText; tone: Tone }
  | { kind: 'diff'; diff: SafeDiff }
  | { kind: 'shares'; shares: Shares }
  | { kind: 'replied'; title: SafeText; label: SafeText }
);

type WithoutId<Kind> = Kind extends { id: number } ? Omit<Kind, 'id'> : never;
export type NewBlock = WithoutId<Block>;

export interface RunningCall {
  id: number;
  callId: string;
  description: SafeText;
  /** End of what it printed, raw. */
  output: string;
  /** Seconds into the turn when it began. */
  since: number;
  /** It reads and does nothing else. */
  onlyLooks?: boolean;
  /** The changes that the user was asked about. */
  asked?: SafeDiff;
}

/** The answer that is coming in; it becomes a block with this id. */
export interface OpenAnswer extends TextSoFar {
  id: number;
}

export interface State {
  /** `starting`: there is nobody to talk to yet. */
  phase: 'starting' | 'idle' | 'working' | 'cancelling';
  /** The newest blocks; what was dropped here has long been drawn. */
  blocks: readonly Block[];
  nextId: number;
  answer: OpenAnswer | null;
  /** Blocks that came while an answer was open, to be shown after it. */
  held: readonly NewBlock[];
  isThinking: boolean;
  /** The offline model repeats what tools print: whole, and no Markdown. */
  answersPlainly: boolean;
  /** The model is at work, or a command of the user. */
  withModel: boolean;
  /** The session works on a copy of the workspace. */
  isApart: boolean;
  calls: readonly RunningCall[];
  /** Calls that were cancelled while one that was called before them still ends. */
  cancelled: readonly (FinishedCall & { id: number })[];
  /** Calls that only looked at something, gathered for one line. */
  looks: readonly FinishedCall[];
  question: OpenQuestion | null;
  input: InputLine;
  typing: Typing;
  history: History;
  working: Working;
  /** Esc was pressed once: this call is being cancelled, or all that run where none is named. */
  stopsCalls: { callId: string | undefined } | null;
  /** The call that Esc was pressed at a question of has ended: Esc at the next question stops the turn. */
  escaped: boolean;
  /** A sentence about this moment, such as a request that is tried again; gone with the next thing that comes. */
  passing: string;
  /** The block that was unfolded last; 0 for none. */
  unfolded: number;
  /** Running calls show more of what they printed. */
  callsOpen: boolean;
  /** A line under the prompt, until the next key. */
  hint: string;
  /** Ctrl+C was pressed at an empty prompt: once more quits. */
  quitAsked: boolean;
  seconds: number;
  /** Prompts that were answered since the program began. */
  prompts: number;
}

export const MAX_BLOCKS = 100;

/** Lines of a diff or of another display that are shown of a call before it is unfolded. */
export const FOLDED_LINES = 24;

/** Lines at the end of the output of a running call that are shown before it is opened. */
export const RUNNING_LINES = 4;

/** A call that runs has more to show. */
export function hasMoreOutput({ output }: RunningCall): boolean {
  return tailOf(output, RUNNING_LINES + 1).length > RUNNING_LINES;
}

/** Something of the call is left out, and can be shown. */
export function isFolded({ all, display, diff = [], isWhole, errors }: CallEnd): boolean {
  if (isWhole) return false;
  if (errors) return true;
  const files = display?.kind === 'diff' ? display.files : diff;
  const lines = files.reduce((sum, { unified }) => sum + unified.split('\n').length, 0);
  const rows = display?.kind === 'table' ? display.rows.length : 0;
  return all !== undefined || Math.max(lines, rows) > FOLDED_LINES;
}

export function hasFolded(block: Block): boolean {
  if (block.kind === 'looks') return block.calls.some(({ end }) => isFolded(end));
  return block.kind === 'call' && isFolded(block.end);
}

/** Esc counts as the first one again, and the line that told of the second is gone. */
export function withoutStop(state: State): State {
  return state.stopsCalls ? { ...state, stopsCalls: null, hint: '' } : state;
}

export const initialState: State = {
  phase: 'starting',
  blocks: [],
  nextId: 1,
  answer: null,
  held: [],
  isThinking: false,
  answersPlainly: false,
  withModel: false,
  isApart: false,
  calls: [],
  cancelled: [],
  looks: [],
  question: null,
  input: emptyInput,
  typing: emptyTyping,
  history: emptyHistory,
  working: notWorking,
  stopsCalls: null,
  escaped: false,
  passing: '',
  unfolded: 0,
  callsOpen: false,
  hint: '',
  quitAsked: false,
  seconds: 0,
  prompts: 0,
};

/** Adds something finished; while an answer is coming in it waits, so that the answer stays in one piece. */
export function withBlock(before: State, block: NewBlock): State {
  const state = withoutLooks(before);
  if (state.answer) return { ...state, held: [...state.held, block] };
  const added = { ...block, id: state.nextId } as Block;
  return { ...state, nextId: state.nextId + 1, blocks: kept([...state.blocks, added], state) };
}

/** Limits the blocks, but not while a question is open: those behind it have not been drawn yet. */
function kept(blocks: readonly Block[], { question }: State): readonly Block[] {
  return question ? blocks : blocks.slice(-MAX_BLOCKS);
}

/** Shows calls that were cancelled, once none that was called before them runs. */
export function withCancelled(state: State): State {
  const isNext = ({ id }: { id: number }): boolean => state.calls.every((call) => call.id > id);
  const next = state.cancelled.filter(isNext).toSorted((left, right) => left.id - right.id);
  const rest = { ...state, cancelled: state.cancelled.filter((call) => !isNext(call)) };
  return next.reduce<State>(
    (shown, { description, end }) => withBlock(shown, { kind: 'call', description, end }),
    rest,
  );
}

/** Prints what was gathered of calls that only looked at something. */
export function withoutLooks(state: State): State {
  const { looks } = state;
  return looks.length === 0 ? state : withBlock({ ...state, looks: [] }, { kind: 'looks', calls: looks });
}

/** Ends the answer that was coming in, and adds what waited for that. */
export function withoutAnswer(state: State): State {
  const { answer, held } = state;
  if (!answer) return state;
  const text = ended(answer);
  const closed: State = {
    ...state,
    answer: null,
    held: [],
    blocks: kept([...state.blocks, { id: answer.id, kind: 'answer' as const, text }], state),
  };
  return held.reduce(withBlock, closed);
}
