import type { FileDiff } from '@toolwright/machine/base/content.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import { foreignSentence, foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import { isAboutNetwork } from '@toolwright/machine/shell/findings.js';
import { describeEffect, networkReach } from '../permission/wording.js';
import type { ConfirmRequest } from '../scheduler/call.js';
import { hasRun } from '../scheduler/refusal.js';
import { PRINTED_NOTHING } from '../tools/programs/printed.js';
import type { ConfirmationDetails } from '../tools/tools.js';
import { type Answer, answersTo } from './answers.js';
import { countDeletions, LONGEST_NAME, listed, nameDeletions, wordDeletions } from './deletions.js';

/**
 * A question about one call, worded for every front end. Plain data. Sentences are ours: one line each, bounded, with
 * names of others made visible. Text of others stands in fields called `untrusted` and in diffs as it is: a front end
 * escapes it, and shows it so that none of it can pass for a sentence.
 */
export interface CallQuestion {
  /** The title, such as `Edit src/app.ts +1 -1 (1 of 3)`. */
  title: string;
  /** Deletions, and what deserves a second look: shown first, so that no long content can push them out of sight. */
  warnings: string[];
  /** Sentences about what neither title nor body shows: how a command runs, and what is special about the call. */
  facts: string[];
  /** The place among several questions about one batch of calls. */
  queue: { number: number; count: number; orMore?: boolean } | null;
  /** Titles of the questions that come next. */
  waiting: string[];
  body: QuestionPart[];
  answers: Answer[];
}

/** A piece of a question: what is shown, and whether it can be trusted. */
export type QuestionPart =
  /** `inTitle`: the title has the whole command already. */
  | { kind: 'command'; untrusted: string; inTitle?: boolean | undefined }
  | { kind: 'message'; untrusted: string }
  /** `cut`: what of the output is not shown, in words; absent where all of it is. */
  | { kind: 'output'; heading: string; cut?: string | undefined; untrusted: string }
  | { kind: 'arguments'; heading: string; untrusted: string }
  | { kind: 'addresses'; untrusted: string[] }
  | { kind: 'diff'; untrusted: FileDiff };

export interface WordingOptions {
  /** The short form of a path. */
  show?(path: string): string;
  /** The span of a yes for the session, in words. */
  sessionSpan?: string;
  /** The front end can offer a no that becomes a deny rule for the session. */
  canRefuseForGood?: boolean;
  /** What a command printed is shown with up to so many lines from its end, also long ones; without it, a short end. */
  outputLines?: number | undefined;
}

const LONGEST_TITLE = 200;
const LONGEST_SENTENCE = 4_000;
const OUTPUT_LINES = 12;
const LONGEST_OUTPUT_LINE = 400;
const LONGEST_WHOLE_LINE = 10_000;

/** The words of a question about a call, for every front end. */
export function wordQuestion(
  request: ConfirmRequest,
  {
    show = (path) => path,
    sessionSpan = 'for this session',
    canRefuseForGood,
    outputLines,
  }: WordingOptions = {},
): CallQuestion {
  const { details } = request;
  const named = (path: string): string => (show(path) === '.' ? 'the workspace' : show(path));
  const place = placeOf(request);
  const warnings = warningsOf(details);
  const title = titleOf(request);
  const deleted = deletedBy(details, named);
  const waiting = (request.queue?.others ?? []).map(titleOf);
  return {
    title: place ? `${title} (${place.number} of ${place.count}${place.orMore ? ' or more' : ''})` : title,
    warnings: [...falseClaim(request), ...deleted.words, ...warnings].map(sentence),
    facts: [
      ...summary(details, deleted),
      ...effects(details, named),
      ...howItRuns(request, show),
      ...whyAsked(request, warnings),
    ].map(sentence),
    queue: place,
    waiting,
    body: bodyOf(request, { title, outputLines }),
    answers: answersTo(request, { sessionSpan, titles: [title, ...waiting], canRefuseForGood }),
  };
}

function placeOf({ queue }: ConfirmRequest): CallQuestion['queue'] {
  if (!queue) return null;
  const { others, ...place } = queue;
  return place;
}

/** The call in one line, with the lines it adds and removes. */
function titleOf({ details, description }: ConfirmRequest): string {
  const files = 'diff' in details ? (details.diff?.files ?? []) : [];
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const amounts = added + removed > 0 ? `+${added} -${removed}` : '';
  // Behind a command they would read as its last words.
  const counts = amounts && (details.kind === 'exec' ? ` (${amounts})` : ` ${amounts}`);
  const what = firstLine(details.kind === 'edit' && details.title !== '' ? details.title : description);
  return sentence(`${hasRun(details) ? 'Keep the changes? ' : ''}${what}${counts}`);
}

/** A warning with the same reason says it first, and of which file. */
function whyAsked({ brief }: ConfirmRequest, warnings: readonly string[]): string[] {
  const isSaid = warnings.some((warning) => warning.endsWith(`: ${brief}`));
  return brief === undefined || isSaid ? [] : [`Asked because ${brief}.`];
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

interface Deleted {
  /** Such as `4 files and 1 folder`; empty where only the effects are known. */
  count: string;
  /** The sentence about them; none where nothing is deleted. */
  words: string[];
}

/** The diff knows what would be deleted; where there is none, the declared effects do. */
function deletedBy(details: ConfirmationDetails, named: (path: string) => string): Deleted {
  const diff = 'diff' in details ? details.diff : undefined;
  if (!diff) {
    const names = details.effects.flatMap((effect) => (effect.kind === 'delete' ? [named(effect.path)] : []));
    return { count: '', words: names.length > 0 ? [`Deletes ${nameDeletions(names)}`] : [] };
  }
  const files = diff.files.filter(({ change }) => change === 'delete').map(({ path }) => path);
  const folders = details.kind === 'exec' ? (details.deletedFolders ?? []) : [];
  return { count: countDeletions(files, folders), words: wordDeletions(files, folders) };
}

function falseClaim({ falseClaim: claim }: ConfirmRequest): string[] {
  if (!claim) return [];
  const changed = claim.changed.map((path) => foreignText(path, LONGEST_NAME));
  return [
    `! This tool claims it changes no such files, but when Toolwright tried it, it changed ${listed(changed, ', ')}.`,
  ];
}

function warningsOf(details: ConfirmationDetails): string[] {
  return ('warnings' in details ? (details.warnings ?? []) : []).map((warning) => `! ${warning}`);
}

/** Gives the summary of a command without the count of deletions, which stands above. */
function summary(details: ConfirmationDetails, { count }: Deleted): string[] {
  if (details.kind !== 'exec' || !details.summary || details.summary === `${count} deleted`) return [];
  const said = `${count} deleted, `;
  const isSaid = details.summary.startsWith(said) && !details.summary.startsWith(`${said}and `);
  return [`${isSaid ? details.summary.slice(said.length) : details.summary}.`];
}

/** Effects that the body does not show, for a call that has not run yet; deletions have been named already. */
function effects(details: ConfirmationDetails, named: (path: string) => string): string[] {
  if (hasRun(details)) return [];
  const others = details.effects.filter((effect) => effect.kind !== 'delete' && !isShown(effect, details));
  if (others.length === 0) return [];
  return [
    `It would ${listed(
      others.map((effect) => describeEffect(effect, named)),
      '; ',
    )}.`,
  ];
}

/** A diff shows what is written, a command line what is run, an address what is reached, a warning what lies outside. */
function isShown(effect: Effect, details: ConfirmationDetails): boolean {
  switch (details.kind) {
    case 'edit':
      return (effect.kind === 'write' || effect.kind === 'memory') && details.diff.files.length > 0;
    case 'exec':
      return (effect.kind === 'execute' && effect.command === details.command) || effect.kind === 'outside';
    case 'info':
      return effect.kind === 'network' && details.urls.some((url) => url === effect.url);
    case 'mcp':
      return effect.kind === 'mcp' && effect.server === details.server && effect.tool === details.tool;
  }
}

function howItRuns(request: ConfirmRequest, show: (path: string) => string): string[] {
  const { details } = request;
  if (details.kind !== 'exec') return [];
  const { confinement = '' } = details;
  const isConfined = confinement.startsWith('confined');
  const sandbox = isConfined ? ' in the sandbox' : '';
  const network = reasonIsNetwork(request) ? '' : ` ${networkWords(details.effects)}`;
  const open = isConfined || confinement === '' ? '' : `, ${confinement}`;
  const how = `${sandbox}${network}${open}`;
  const where =
    show(details.directory) === '.' ? '' : ` in ${show(details.directory)}${how === '' ? '' : ','}`;
  if (hasRun(details)) return [`It ran on a copy${where}${how}. Nothing has been kept yet.`];
  return where + how === '' ? [] : [`It would run${where}${how}.`];
}

/** The reason to ask says already that the command reaches the network. */
function reasonIsNetwork({ details, brief }: ConfirmRequest): boolean {
  return details.effects.some(
    (effect) =>
      effect.kind === 'execute' &&
      effect.network &&
      effect.doubts?.some((doubt) => isAboutNetwork(doubt) && brief?.includes(doubt)),
  );
}

function networkWords(effects: readonly Effect[]): string {
  const reach = networkReach(effects);
  if (reach === 'no') return 'without network access';
  return reach === 'yes'
    ? 'with network access'
    : `with network access to ${reach.replace(/^only /, '')} only`;
}

function bodyOf(
  { details, description }: ConfirmRequest,
  { title, outputLines }: { title: string; outputLines: number | undefined },
): QuestionPart[] {
  switch (details.kind) {
    case 'edit':
      return [{ kind: 'diff', untrusted: details.diff }];
    case 'exec': {
      const inTitle = title.includes(`Run ${details.command}`) || undefined;
      return [
        { kind: 'command', untrusted: details.command, inTitle },
        ...(details.diff ? [{ kind: 'diff' as const, untrusted: details.diff }] : []),
        ...(hasRun(details) ? [outputPart(details.output, outputLines)] : []),
      ];
    }
    case 'mcp': {
      const untrusted = JSON.stringify(details.arguments, null, 2);
      return [{ kind: 'arguments', heading: foreignText(details.tool), untrusted }];
    }
    case 'info': {
      // The title says it already.
      const isWhole = !description.includes('\n') && description.length <= LONGEST_TITLE;
      const isTitle = isWhole && [description, `${description}?`].includes(details.prompt);
      const urls = isWhole ? details.urls.filter((url) => !description.endsWith(` ${url}`)) : details.urls;
      return [
        ...(isTitle ? [] : [{ kind: 'message' as const, untrusted: details.prompt }]),
        ...(urls.length > 0 ? [{ kind: 'addresses' as const, untrusted: urls }] : []),
      ];
    }
  }
}

/** The end of the output: that is where a command says how it went. */
function outputPart(output: string, most: number | undefined): QuestionPart {
  const lines = output.trimEnd().split('\n');
  if (lines.length === 1 && lines[0] === '')
    return { kind: 'output', heading: PRINTED_NOTHING, untrusted: '' };
  const tail = lines.slice(-(most ?? OUTPUT_LINES));
  const longest = most === undefined ? LONGEST_OUTPUT_LINE : LONGEST_WHOLE_LINE;
  const left = [
    ...(tail.length < lines.length ? [`the last ${tail.length} of ${lines.length} lines`] : []),
    ...(tail.some((line) => line.length > longest) ? ['long lines are cut'] : []),
  ];
  const cut = left.length > 0 ? left.join('; ') : undefined;
  const clip = (line: string): string => (line.length > longest ? `${line.slice(0, longest)}…` : line);
  return { kind: 'output', heading: outputHeading(cut), cut, untrusted: tail.map(clip).join('\n') };
}

/** The line above what a command printed; `more` says how to see what is not shown. */
export function outputHeading(cut: string | undefined, more?: string): string {
  if (cut === undefined) return 'It printed:';
  return `It printed (${cut}${more === undefined ? '' : `, ${more}`}):`;
}
