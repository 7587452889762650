import { createInterface } from 'node:readline/promises';
import { type ConfirmRequest, describeEffect, type Outcome, terminalSafe } from '@toolwright/core';
import { displayText } from './display-text.js';

/** Puts a question to the person at the terminal. What was typed before it is asked does not count. */
export async function askOnTerminal(request: ConfirmRequest, signal: AbortSignal): Promise<Outcome> {
  process.stderr.write(questionText(request));
  await discardTypedAhead();
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const outcome = outcomeOf(await lines.question('> ', { signal }), request);
      if (outcome) return outcome;
      process.stderr.write('Please answer with one of the letters above.\n');
    }
  } finally {
    lines.close();
  }
}

function questionText({ details, reason, offers, description }: ConfirmRequest): string {
  const body =
    details.kind === 'edit'
      ? displayText(details.diff)
      : details.kind === 'info'
        ? terminalSafe([details.prompt, ...details.urls].join('\n'))
        : '';
  const effects = details.effects.map((effect) => `  ${describeEffect(effect)}`).join('\n');
  const always = offers.map(
    ({ rule, allows }, index) =>
      `  a${index + 1}  yes, and allow ${allows} for this session (rule ${rule}); s${index + 1} saves it`,
  );
  return `\n${terminalSafe(description)}\n${body}\n${terminalSafe(effects)}\nWhy this is asked: ${terminalSafe(reason)}.
  y   yes, this once
  n   no (a reason may follow: n use b.ts instead)
${terminalSafe(always.join('\n'))}\n`;
}

/** Null for what is not an answer. Anything but a clear yes is never a yes. */
export function outcomeOf(line: string, { offers }: Pick<ConfirmRequest, 'offers'>): Outcome | null {
  const answer = line.trim();
  if (/^y(es)?$/i.test(answer)) return { kind: 'once' };
  const no = /^n(?:o)?(?:\s+(.+))?$/i.exec(answer);
  if (no) return { kind: 'cancel', reason: no[1] ?? 'the user said no' };
  const always = /^([as])(\d+)$/i.exec(answer);
  const offer = always ? offers[Number(always[2]) - 1] : undefined;
  if (!always || !offer) return null;
  return { kind: 'always', rule: offer.rule, scope: always[1]?.toLowerCase() === 's' ? 'saved' : 'session' };
}

const DRAIN_MS = 50;

async function discardTypedAhead(): Promise<void> {
  const { stdin } = process;
  const drop = (): void => undefined;
  stdin.setRawMode(true);
  stdin.on('data', drop);
  await new Promise((resolve) => setTimeout(resolve, DRAIN_MS));
  stdin.off('data', drop);
  stdin.pause();
  stdin.setRawMode(false);
}
