import { plural } from '@toolwright/machine/base/amounts.js';
import type { KeptWork } from '@toolwright/machine/changes/apart/work-apart.js';
import { summarize } from '@toolwright/machine/changes/change-set.js';
import { errorResult, type ToolResult } from '../tools.js';
import type { ScriptOutcome } from './script-run.js';

/** The result of a script: what it printed and returned, and what became of its changes. `kept` is null where there were none. */
export function resultOf(code: string, outcome: ScriptOutcome, kept: KeptWork | null): ToolResult {
  const { ending, printed } = outcome;
  if (ending.kind !== 'returned') return failedScript(code, outcome);
  const conflict = conflictOf(kept);
  const said = [printed.trimEnd(), ending.text].filter((text) => text !== '').join('\n');
  const notes = [callsOf(outcome), conflict ?? changedBy(kept)].filter((note) => note !== '');
  const text = [
    said || '(the script printed and returned nothing)',
    ...notes.map((note) => `[${note}]`),
  ].join('\n');
  if (conflict !== null)
    return { ...errorResult('conflict', text), returnDisplay: displayOf(code, outcome, conflict) };
  return {
    llmContent: text,
    returnDisplay: displayOf(code, outcome, changedBy(kept)),
    changeSet: kept?.changeSet?.id,
    innerChangeSets: outcome.made,
  };
}

function failedScript(code: string, outcome: ScriptOutcome): ToolResult {
  const { ending, printed, left } = outcome;
  const changed =
    left.length === 0 ? 'nothing was changed' : `not all it changed could be taken back: ${left.join(' ')}`;
  const what =
    ending.kind === 'threw'
      ? `The script threw ${ending.message}`
      : `The script was stopped: ${ending.kind === 'stopped' ? ending.why : ''}.`;
  const lines = [
    what,
    ...(printed === '' ? [] : [`It had printed:\n${printed.trimEnd()}`]),
    `[${[callsOf(outcome), changed].filter((note) => note !== '').join('; ')}]`,
  ];
  const message = lines.join('\n');
  const script = code.replace(/^/gm, '    ');
  const shown = [message, ...callLines(outcome), script].join('\n');
  return { ...errorResult('failed', message), returnDisplay: shown };
}

/** The number of calls with one line for each, in one text; nothing where none was made. */
function callLines(outcome: ScriptOutcome, between = '\n'): string[] {
  const lines = outcome.calls
    .slice(0, MOST_CALLS_SHOWN)
    .map(
      ({ description, failure }) => `- ${description}${failure === undefined ? '' : `: failed: ${failure}`}`,
    );
  return lines.length === 0 ? [] : [`${callsOf(outcome)}:${between}${lines.join('\n')}`];
}

function callsOf({ calls }: ScriptOutcome): string {
  if (calls.length === 0) return '';
  const failures = calls.filter(({ failure }) => failure !== undefined).length;
  return `${plural(calls.length, 'call')}${failures === 0 ? '' : `, ${failures} of them failed`}`;
}

function changedBy(kept: KeptWork | null): string {
  return kept?.changeSet ? `${summarize(kept.changeSet)}, kept as one change` : '';
}

function conflictOf(kept: KeptWork | null): string | null {
  if (!kept || kept.conflicts.length === 0) return null;
  const named = kept.conflicts.slice(0, 5).map(({ path, why }) => `${path}: ${why}`);
  const more = kept.conflicts.length - named.length;
  return `Nothing of what it changed was kept: ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}. Read what is there now and run the script again`;
}

const MOST_CALLS_SHOWN = 200;

function displayOf(code: string, outcome: ScriptOutcome, end: string): ToolResult['returnDisplay'] {
  const { ending, printed, changes } = outcome;
  const said = [printed.trimEnd(), ending.kind === 'returned' ? ending.text : ''].filter(
    (text) => text !== '',
  );
  const diff = changes?.reviewed.planned.diff.files.map(({ unified }) => unified) ?? [];
  const parts = [
    fenced('js', code),
    ...callLines(outcome, '\n\n'),
    ...(said.length === 0 ? [] : [fenced('', said.join('\n'))]),
    ...(diff.length === 0 ? [] : [fenced('diff', diff.join('\n'))]),
    ...(end === '' ? [] : [end]),
  ];
  return { kind: 'markdown', text: parts.join('\n\n') };
}

/** A fence that the text can't close. */
function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
