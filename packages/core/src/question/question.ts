import type { FileDiff } from '@toolwright/machine/base/content.js';
import { foreignSentence, foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import { describeEffect, networkReach } from '../permission/wording.js';
import type { ConfirmRequest } from '../scheduler/call.js';
import type { ConfirmationDetails } from '../tools/tools.js';
import { type Answer, answersTo } from './answers.js';

/**
 * A question about one call, worded for every front end. Plain data. Sentences are ours: one line each, bounded, with
 * names of others made visible. Text of others stands in fields called `untrusted` and in diffs as it is: a front end
 * escapes it, and shows it so that none of it can pass for a sentence.
 */
export interface CallQuestion {
  title: string;
  /** Deletions, and what deserves a second look: shown first, so that no long content can push them out of sight. */
  warnings: string[];
  /** Sentences about what the call does or would do, how it runs, and why it is asked about. */
  facts: string[];
  body: QuestionPart[];
  answers: Answer[];
}

export type QuestionPart =
  | { kind: 'command' | 'message'; untrusted: string }
  | { kind: 'output' | 'arguments'; heading: string; untrusted: string }
  | { kind: 'addresses'; untrusted: string[] }
  | { kind: 'diff'; untrusted: FileDiff };

export interface WordingOptions {
  /** The short form of a path. */
  show?(path: string): string;
  /** The span of a yes for the session, in words. */
  sessionSpan?: string;
}

const LONGEST_TITLE = 200;
const LONGEST_SENTENCE = 4_000;
const MOST_NAMES = 20;
const LONGEST_NAME = 150;
const OUTPUT_LINES = 12;
const LONGEST_OUTPUT_LINE = 400;

export function wordQuestion(
  request: ConfirmRequest,
  { show = (path) => path, sessionSpan = 'for this session' }: WordingOptions = {},
): CallQuestion {
  const { details, description, reason } = request;
  const named = (path: string): string => (show(path) === '.' ? 'the workspace' : show(path));
  return {
    title: sentence(`${hasRun(details) ? 'Keep what this command changed? ' : ''}${firstLine(description)}`),
    warnings: [...falseClaim(request), ...deletions(details, named), ...warningsOf(details)].map(sentence),
    facts: [
      ...summary(details),
      ...effects(details, named),
      ...howItRuns(details, show),
      `Asked because ${reason}.`,
    ].map(sentence),
    body: bodyOf(details),
    answers: answersTo(request, sessionSpan),
  };
}

function sentence(text: string): string {
  return foreignSentence(text, LONGEST_SENTENCE);
}

/** The whole description follows in the body. */
function firstLine(text: string): string {
  const [line = '', ...others] = text.split('\n');
  const isCut = others.length > 0 || line.length > LONGEST_TITLE;
  return isCut ? `${line.slice(0, LONGEST_TITLE).trimEnd()} …` : line;
}

/** The command ran on a copy, and the question is what to keep. */
function hasRun(
  details: ConfirmationDetails,
): details is ConfirmationDetails & { kind: 'exec'; output: string } {
  return details.kind === 'exec' && details.output !== undefined;
}

/** The diff knows what would be deleted; where there is none, the declared effects do. */
function deletions(details: ConfirmationDetails, named: (path: string) => string): string[] {
  const diff = 'diff' in details ? details.diff : undefined;
  const deleted = diff
    ? diff.files.filter(({ change }) => change === 'delete').map(({ path }) => path)
    : details.effects.flatMap((effect) => (effect.kind === 'delete' ? [named(effect.path)] : []));
  if (deleted.length === 0) return [];
  return [
    `Deletes: ${listed(
      deleted.map((path) => foreignText(path, LONGEST_NAME)),
      ', ',
    )}`,
  ];
}

function falseClaim({ falseClaim: claim }: ConfirmRequest): string[] {
  if (!claim) return [];
  const changed = claim.changed.map((path) => foreignText(path, LONGEST_NAME));
  return [
    `! This tool says that it changes nothing of the kind, but when Toolwright tried it, it changed ${listed(changed, ', ')}.`,
  ];
}

function warningsOf(details: ConfirmationDetails): string[] {
  return ('warnings' in details ? (details.warnings ?? []) : []).map((warning) => `! ${warning}`);
}

function summary(details: ConfirmationDetails): string[] {
  return details.kind === 'exec' && details.summary ? [`It ${details.summary}.`] : [];
}

/** Effects the tool declared, for a call that has not run yet; deletions have been named already. */
function effects(details: ConfirmationDetails, named: (path: string) => string): string[] {
  if (hasRun(details)) return [];
  const others = details.effects.filter(({ kind }) => kind !== 'delete');
  if (others.length === 0) return [];
  return [
    `It would ${listed(
      others.map((effect) => describeEffect(effect, named)),
      '; ',
    )}.`,
  ];
}

function listed(items: readonly string[], separator: string): string {
  const more = items.length - MOST_NAMES;
  return [...items.slice(0, MOST_NAMES), ...(more > 0 ? [`and ${more} more`] : [])].join(separator);
}

function howItRuns(details: ConfirmationDetails, show: (path: string) => string): string[] {
  if (details.kind !== 'exec') return [];
  const where = show(details.directory) === '.' ? '' : ` in ${show(details.directory)}`;
  const confinement = details.confinement ? `, ${details.confinement}` : '';
  return hasRun(details)
    ? [`It ran${where} on a copy${confinement}. Nothing is kept yet.`]
    : [`It would run${where}${confinement}. Network: ${networkReach(details.effects)}.`];
}

function bodyOf(details: ConfirmationDetails): QuestionPart[] {
  switch (details.kind) {
    case 'edit':
      return [{ kind: 'diff', untrusted: details.diff }];
    case 'exec':
      return [
        { kind: 'command', untrusted: details.command },
        ...(hasRun(details) ? [outputPart(details.output)] : []),
        ...(details.diff ? [{ kind: 'diff' as const, untrusted: details.diff }] : []),
      ];
    case 'mcp': {
      const untrusted = JSON.stringify(details.arguments, null, 2);
      return [{ kind: 'arguments', heading: foreignText(details.tool), untrusted }];
    }
    case 'info':
      return [
        { kind: 'message', untrusted: details.prompt },
        ...(details.urls.length > 0 ? [{ kind: 'addresses' as const, untrusted: details.urls }] : []),
      ];
  }
}

/** The end of the output: that is where a command says how it went. */
function outputPart(output: string): QuestionPart {
  const lines = output.trimEnd().split('\n');
  if (lines.length === 1 && lines[0] === '')
    return { kind: 'output', heading: 'It printed nothing.', untrusted: '' };
  const tail = lines.slice(-OUTPUT_LINES).map(clipped);
  const part = tail.length < lines.length ? ` (the last ${tail.length} of ${lines.length} lines)` : '';
  return { kind: 'output', heading: `It printed${part}:`, untrusted: tail.join('\n') };
}

function clipped(line: string): string {
  return line.length > LONGEST_OUTPUT_LINE ? `${line.slice(0, LONGEST_OUTPUT_LINE)}…` : line;
}
