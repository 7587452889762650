import {
  describeEffect,
  type Explanation,
  type ReplayedCall,
  terminalSafe,
  terminalSafeLine,
} from '@toolwright/core';

const MOST_EFFECTS = 50;

export function describeExplanation(explained: Explanation, show: (path: string) => string): string {
  const lines = [
    terminalSafeLine(`${explained.decision}: ${explained.reason}`),
    ...stagedLines(explained),
    '',
    'Effects',
    ...effectLines(explained, show),
    'Rules considered',
    ...ruleLines(explained),
    ...hookLines(explained),
    'Winner',
    `  ${describeWinner(explained.winner)}`,
  ];
  return terminalSafe(`${lines.join('\n')}\n`);
}

function stagedLines({ staged, askedAfter, effects }: Explanation): string[] {
  if (askedAfter)
    return [
      'staged: it would run on a copy of the workspace first; if it changes nothing, nothing is asked.',
    ];
  if (staged)
    return ['staged: it would run on a copy of the workspace; what it changes is judged before it is kept.'];
  return effects?.some(({ kind }) => kind === 'execute') ? ['not staged'] : [];
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

function ruleLines({ considered }: Explanation): string[] {
  if (considered.length === 0) return ['  none'];
  const width = Math.max(...considered.map(({ rule }) => terminalSafeLine(rule).length));
  return considered.map(({ rule, verdict, source, matched, inPart }) => {
    const fits = matched ? 'applies' : inPart ? 'covers a part' : 'does not apply';
    return `  ${verdict.padEnd(5)}  ${terminalSafeLine(rule).padEnd(width)}  ${fits}  (${terminalSafeLine(source)})`;
  });
}

function hookLines({ hooks = [] }: Explanation): string[] {
  if (hooks.length === 0) return [];
  return [
    'Hooks that are asked first, and can only narrow',
    ...hooks.map((hook) => terminalSafeLine(`  ${hook}`)),
  ];
}

function describeWinner(winner: Explanation['winner']): string {
  if (winner === null) return 'none: the call is refused before rules are looked at';
  if (winner.kind === 'mode') return `${winner.mode} mode`;
  if (winner.kind === 'hook') return terminalSafeLine(`${winner.verdict} the hook ${winner.hook}`);
  const all = [{ rule: winner.rule, source: winner.source }, ...(winner.with ?? [])];
  return `${winner.verdict} ${all.map(({ rule, source }) => terminalSafeLine(`${rule} (${source})`)).join(' with ')}`;
}

const LONGEST_ARGUMENTS = 200;

/** Lists the calls that would be decided otherwise, and counts the others. */
export function describeReplay(calls: readonly ReplayedCall[]): string {
  const changed = calls.filter(({ changes }) => changes);
  const total = `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}`;
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
  const summary = `${total}, ${changed.length} of them would be decided otherwise:`;
  return terminalSafe(`${[summary, ...lines].join('\n')}\n`);
}
