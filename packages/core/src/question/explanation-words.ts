import type { Explanation } from '../scheduler/explain-call.js';

/** The verdict for the user: a question that comes after a command comes only if there is something to ask about. */
export function verdictWords({ decision, askedAfter }: Explanation): string {
  return askedAfter ? 'ask only if it changes something' : decision;
}

/** Words the route of a command, and its effects without network: the sentences of every front end. */
export function explanationSentences(explained: Explanation): string[] {
  return [...routeSentence(explained), ...networkSentence(explained)];
}

function routeSentence(explained: Explanation): string[] {
  const { route, decision } = explained;
  if (!route) return [];
  const asksFirst = decision === 'ask' && (route.kind === 'ask-first' || route.kind === 'job');
  const before = asksFirst ? 'you are asked before it runs; then ' : '';
  return [`${route.kind}: ${before}${howItRuns(route, explained)}`];
}

function howItRuns(
  route: NonNullable<Explanation['route']>,
  { askedAfter, keepsIgnored }: Explanation,
): string {
  switch (route.kind === 'ask-first' ? route.runs : route.kind) {
    case 'direct':
      return 'it would run at once, on a read-only view of the workspace.';
    case 'read-only':
      return 'it would run on a read-only view of the workspace.';
    case 'job':
      return 'it would keep running in the background.';
    case 'staged':
      if (!askedAfter)
        return 'it would run on a copy of the workspace; what it changes is judged before it is kept.';
      return keepsIgnored
        ? 'it would run on a copy of the workspace first; if it changes nothing, or only writes ordinary files that git ignores, nothing is asked.'
        : 'it would run on a copy of the workspace first; if it changes nothing, nothing is asked.';
    case 'in-workspace':
      return 'it would run in the workspace itself.';
  }
}

const withNetwork: Readonly<Record<Explanation['decision'], string>> = {
  allow: 'it could.',
  ask: 'you are asked first.',
  deny: 'it is denied.',
};

function networkSentence({ withoutNetwork }: Explanation): string[] {
  if (!withoutNetwork) return [];
  const { programs, decisionWithNetwork } = withoutNetwork;
  return [
    `It would run without network, so ${programs.join(', ')} would reach nothing; with network: true ${withNetwork[decisionWithNetwork]}`,
  ];
}

/** Names what decided: the mode with the class of the effect, a hook, or rules with their places. */
export function describeWinner(winner: Explanation['winner']): string {
  if (winner === null) return 'none: the call is refused before rules are looked at';
  if (winner.kind === 'mode')
    return `${winner.mode} mode${winner.class === 'none' ? '' : `, class ${winner.class}`}`;
  if (winner.kind === 'hook') return `${winner.verdict} the hook ${winner.hook}`;
  const all = [{ rule: winner.rule, source: winner.source }, ...(winner.with ?? [])];
  return `${winner.verdict} ${all.map(({ rule, source }) => `${rule} (${source})`).join(' with ')}`;
}
