import type { TerminalWaits } from '../platform/processes/process-table.js';
import type { Blocked } from './processes.js';
import { livingOf, type Tree } from './tree.js';

export interface BlockedWatch {
  tree: Tree;
  terminal: string;
  waits: TerminalWaits;
  lastText(): string;
  /** Rises with every sign of life: output that came, input that was given. */
  signsOfLife(): number;
  sleep(ms: number): Promise<void>;
  isOver(): boolean;
  onChange(blocked: Blocked | null): void;
}

const LOOK_MS = 150;
/** Idle looks before a certain wait counts, and before one that the system only suggests. */
const CERTAIN_LOOKS = 2;
const LIKELY_LOOKS = 7;
const PROMPT_CHARACTERS = 500;

/** Watches until the run is over; tells once when the program begins to wait for somebody, and once when it goes on. */
export async function watchForBlock(watch: BlockedWatch): Promise<void> {
  let seen = watch.signsOfLife();
  let quietLooks = 0;
  let isBlocked = false;
  while (!watch.isOver()) {
    await watch.sleep(LOOK_MS);
    const present = watch.signsOfLife();
    if (present !== seen) {
      seen = present;
      quietLooks = 0;
      if (isBlocked) watch.onChange(null);
      isBlocked = false;
      continue;
    }
    quietLooks++;
    if (isBlocked || quietLooks < CERTAIN_LOOKS) continue;
    const found = await findBlocked(watch, quietLooks);
    if (found === null || watch.isOver() || watch.signsOfLife() !== seen) continue;
    isBlocked = true;
    watch.onChange(found);
  }
}

async function findBlocked(watch: BlockedWatch, quietLooks: number): Promise<Blocked | null> {
  const { tree, terminal, waits } = watch;
  const text = watch.lastText();
  const isOpenLine = !/[\n\r]$/.test(withoutSequences(text)) && text !== '';
  for (const { pid } of await livingOf(tree)) {
    const wait = waits.waitOf(pid, terminal);
    if (wait === null || wait === 'busy') continue;
    const isLikely = isOpenLine && quietLooks >= LIKELY_LOOKS;
    if (wait !== 'reads' && !isLikely) continue;
    const prompt = promptOf(text);
    const mode = await waits.modeOf(terminal);
    const echo = isShown(mode, prompt);
    if (wait === 'hidden' && echo) continue;
    const program = (await tree.table?.commandOf(pid)) ?? '';
    return { prompt, echo, pid, program, certain: wait === 'reads' };
  }
  return null;
}

/**
 * A program that takes single keys shows them itself, so the terminal does not: whether it asks for a secret then only its
 * words can tell.
 */
export function isShown(mode: { echo: boolean; lines: boolean } | null, prompt: string): boolean {
  if (mode === null) return !asksForSecret(prompt);
  if (mode.echo) return true;
  return !mode.lines && !asksForSecret(prompt);
}

function asksForSecret(prompt: string): boolean {
  return /pass(word|phrase|code|wort)|\bpin\b|secret|token|one-time|otp|verification code|mot de passe|contrase|密码|パスワード/i.test(
    prompt,
  );
}

/** The last line that says something, as a user sees it. */
export function promptOf(text: string): string {
  const lines = withoutSequences(text)
    .split('\n')
    .map((line) => line.replace(/\r$/, '').split('\r').at(-1)?.trim() ?? '');
  const last = lines.findLast((line) => line !== '') ?? '';
  return last.slice(-PROMPT_CHARACTERS);
}

/** Text as a user reads it: without colours, cursor movement, titles and other control characters. */
function withoutSequences(text: string): string {
  return (
    text
      // Window titles and the like, then colours and cursor movement, then what is left of control characters.
      .replace(/\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?/g, '')
      .replace(/\x1b\[[0-?]*[ -/]*[@-~]/g, '')
      .replace(/\x1b[ -/]*[0-~]/g, '')
      .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '')
  );
}
