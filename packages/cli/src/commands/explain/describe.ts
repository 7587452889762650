import type { Effect } from '@toolwright/core';
import {
  describeEffect,
  describeWinner,
  type Explanation,
  explanationSentences,
  plural,
  type ReplayedCall,
  terminalSafe,
  terminalSafeLine,
  verdictWords,
} from '@toolwright/core/front-end';

const MOST_EFFECTS = 50;

export function describeExplanation(explained: Explanation, show: (path: string) => string): string {
  const lines = [
    terminalSafeLine(`${verdictWords(explained)}: ${explained.reason}`),
    ...explanationSentences(explained).map(terminalSafeLine),
    '',
    'Effects',
    ...effectLines(explained, show),
    'Rules considered',
    ...ruleLines(explained),
    ...hookLines(explained),
    'Winner',
    `  ${terminalSafeLine(describeWinner(explained.winner))}`,
  ];
  return terminalSafe(`${lines.join('\n')}\n`);
}

function effectLines({ effects }: Explanation, show: (path: string) => string): string[] {
  if (effects === null) return ['  unknown: the tool does not say what it does'];
  if (effects.length === 0) return ['  none'];
  const shown = effects.slice(0, MOST_EFFECTS).flatMap((effect) => {
    const doubts = effect.kind === 'execute' ? (effect.doubts ?? []) : [];
    return [
      `  ${describeEffect(effect, show)}`,
      ...doubts.map((doubt) => terminalSafeLine(`    not proven to only read: ${doubt}`)),
      ...(effect.kind === 'outside' && effect.note !== undefined
        ? [terminalSafeLine(`    ${effect.note}`)]
        : []),
    ];
  });
  const hidden = effects.length - MOST_EFFECTS;
  return hidden > 0 ? [...shown, `  and ${hidden} more`] : shown;
}

function ruleLines({ considered, effects }: Explanation): string[] {
  if (considered.length === 0) return ['  none'];
  const inPartOnly = partCovered(effects ?? []);
  const width = Math.max(...considered.map(({ rule }) => terminalSafeLine(rule).length));
  return considered.map(({ rule, verdict, source, matched, inPart }) => {
    const fits = matched ? 'applies' : inPart ? inPartOnly : 'does not apply';
    return `  ${verdict.padEnd(5)}  ${terminalSafeLine(rule).padEnd(width)}  ${fits}  (${terminalSafeLine(source)})`;
  });
}

function partCovered(effects: readonly Effect[]): string {
  const commands = effects.flatMap((effect) => (effect.kind === 'execute' ? effect : []));
  if (commands.some(({ network }) => network)) return 'covers a part; a Shell rule never allows the network';
  if (commands.some(({ background }) => background))
    return 'covers a part; a Shell rule never allows the background';
  return 'covers a part';
}

function hookLines({ hooks = [] }: Explanation): string[] {
  if (hooks.length === 0) return [];
  return [
    'Hooks that are asked first; they can only restrict',
    ...hooks.map((hook) => terminalSafeLine(`  ${hook}`)),
  ];
}

const LONGEST_ARGUMENTS = 200;

/** Lists the calls that would be decided differently, and counts the others. */
export function describeReplay(calls: readonly ReplayedCall[]): string {
  const changed = calls.filter(({ changes }) => changes);
  const total = plural(calls.length, 'call');
  if (changed.length === 0) return `${total}: the present rules decide each of them as before.\n`;
  const lines = changed.flatMap(({ tool, args, earlier, now }) => {
    const written = JSON.stringify(args);
    const shown = written.length > LONGEST_ARGUMENTS ? `${written.slice(0, LONGEST_ARGUMENTS)}…` : written;
    return [
      '',
      `${terminalSafeLine(tool)} ${shown}`,
      terminalSafeLine(`  then ${earlier?.decision}: ${earlier?.reason}`),
      terminalSafeLine(`  now  ${now.decision}: ${now.reason}`),
    ];
  });
  const summary = `${total}, ${changed.length} of them would be decided differently:`;
  return terminalSafe(`${[summary, ...lines].join('\n')}\n`);
}
