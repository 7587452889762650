import {
  describeEffect,
  type Explanation,
  plural,
  type ReplayedCall,
  terminalSafe,
  terminalSafeLine,
} from '@toolwright/core';

const MOST_EFFECTS = 50;

export function describeExplanation(explained: Explanation, show: (path: string) => string): string {
  const lines = [
    terminalSafeLine(`${explained.decision}: ${explained.reason}`),
    ...routeLines(explained),
    ...networkLines(explained),
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

function routeLines({ route, decision, askedAfter }: Explanation): string[] {
  if (!route) return [];
  const asksFirst = decision === 'ask' && (route.kind === 'ask-first' || route.kind === 'job');
  const before = asksFirst ? 'you are asked before it runs; then ' : '';
  return [terminalSafeLine(`${route.kind}: ${before}${howItRuns(route, askedAfter)}`)];
}

function howItRuns(route: NonNullable<Explanation['route']>, askedAfter = false): string {
  switch (route.kind === 'ask-first' ? route.runs : route.kind) {
    case 'direct':
      return 'it would run at once, on a read-only view of the workspace.';
    case 'read-only':
      return 'it would run on a read-only view of the workspace.';
    case 'job':
      return 'it would go on in the background.';
    case 'staged':
      return askedAfter
        ? 'it would run on a copy of the workspace first; if it changes nothing, nothing is asked.'
        : 'it would run on a copy of the workspace; what it changes is judged before it is kept.';
    case 'in-workspace':
      return 'it would run in the workspace itself.';
  }
}

function networkLines({ withoutNetwork }: Explanation): string[] {
  if (!withoutNetwork) return [];
  const { programs, decisionWithNetwork } = withoutNetwork;
  const then: Record<Explanation['decision'], string> = {
    allow: 'it could.',
    ask: 'you are asked first.',
    deny: 'it is denied.',
  };
  return [
    terminalSafeLine(
      `It would run without network, so ${programs.join(', ')} would reach nothing; with network: true ${then[decisionWithNetwork]}`,
    ),
  ];
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
  if (winner.kind === 'mode')
    return `${winner.mode} mode${winner.class === 'none' ? '' : `, class ${winner.class}`}`;
  if (winner.kind === 'hook') return terminalSafeLine(`${winner.verdict} the hook ${winner.hook}`);
  const all = [{ rule: winner.rule, source: winner.source }, ...(winner.with ?? [])];
  return `${winner.verdict} ${all.map(({ rule, source }) => terminalSafeLine(`${rule} (${source})`)).join(' with ')}`;
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
