import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/server';
import type { FileDiff } from '@toolwright/machine/base/content.js';
import { describeEffect, networkReach } from '@toolwright/machine/base/effect.js';
import { foreignSentence, foreignText } from '@toolwright/machine/base/sentences/foreign-text.js';
import { terminalSafe } from '@toolwright/machine/base/terminal-safe.js';
import type { ConfirmRequest, Outcome } from '../scheduler/call.js';
import type { ConfirmationDetails } from '../tools/tools.js';

type Show = (path: string) => string;

export interface Wording {
  /** The short form of a path. */
  show?: Show;
  /** Takes out what no client may see. */
  clean(text: string): string;
}

const MOST_LINES = 200;
const LONGEST_LINE = 400;
const TAIL_LINES = 12;
const MOST_EFFECTS = 20;
const LONGEST_REASON = 1_000;
const LONGEST_SENTENCE = 4_000;

/** A question to the person behind a client: what would happen, why it is asked, and the ways to answer. */
export function toElicitation(
  request: ConfirmRequest,
  { show = (path) => path, clean }: Wording,
): ElicitRequestFormParams {
  const choices = choicesOf(request);
  return {
    mode: 'form',
    message: terminalSafe(clean(questionText(request, show))),
    requestedSchema: {
      type: 'object',
      properties: {
        answer: {
          type: 'string',
          title: 'Answer',
          enum: choices.map(({ value }) => value),
          enumNames: choices.map(({ label }) => inOneLine(clean(label))),
        },
        reason: {
          type: 'string',
          title: 'Reason, for a no',
          description: 'Reaches the model.',
          maxLength: LONGEST_REASON,
        },
      },
      required: ['answer'],
    },
  };
}

/** Only a plain yes is a yes. */
export function toOutcome(
  { action, content }: Pick<ElicitResult, 'action' | 'content'>,
  { offers }: Pick<ConfirmRequest, 'offers'>,
): Outcome {
  if (action === 'cancel')
    return { kind: 'cancel', reason: 'the user closed the question without an answer' };
  const answer = action === 'accept' ? content?.['answer'] : 'no';
  if (answer === 'once') return { kind: 'once' };
  const session = typeof answer === 'string' ? /^session(?:-(\d+))?$/.exec(answer) : null;
  const offer = session ? offers[Number(session[1] ?? 1) - 1] : undefined;
  if (offer) return { kind: 'always', rule: offer.rule, scope: 'session' };
  const reason = content?.['reason'];
  const given = typeof reason === 'string' ? reason.trim().slice(0, LONGEST_REASON) : '';
  return { kind: 'cancel', reason: given || 'no reason was given' };
}

function choicesOf({ offers }: ConfirmRequest): { value: string; label: string }[] {
  const sessions = offers.map(({ rule, allows }, index) => ({
    value: index === 0 ? 'session' : `session-${index + 1}`,
    label: `Yes, and allow ${allows} until this server ends (rule ${rule})`,
  }));
  return [
    { value: 'once', label: 'Yes, this once' },
    ...sessions,
    { value: 'no', label: 'No; a reason may be given' },
  ];
}

function questionText(request: ConfirmRequest, show: Show): string {
  const { details, description, reason } = request;
  const title = hasRun(details) ? `Keep what this command changed? ${description}` : description;
  const facts = [
    ...effectsSentence(details, show),
    ...commandFacts(details, show),
    `Asked because ${reason}.`,
  ];
  return [...[title, ...facts].map(inOneLine), ...bodyOf(details)].join('\n');
}

function bodyOf(details: ConfirmationDetails): string[] {
  switch (details.kind) {
    case 'edit':
      return diffLines(details.diff);
    case 'exec':
      return [
        '',
        ...asTyped(details.command),
        ...printed(details),
        ...(details.summary ? [inOneLine(details.summary)] : []),
        ...(details.diff ? diffLines(details.diff) : []),
      ];
    case 'mcp':
      return ['', `${foreignText(details.tool)} ${JSON.stringify(details.arguments, null, 2)}`];
    case 'info':
      return ['', details.prompt.replaceAll(lineBreak, '\n> '), ...details.urls.map(inOneLine)];
  }
}

const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;

/** What somebody else wrote could go on with a line that reads like one of the question. */
function inOneLine(text: string): string {
  return foreignSentence(text, LONGEST_SENTENCE);
}

/** As a shell shows it: every line of a command has a mark before it. */
function asTyped(command: string): string[] {
  return command.split(lineBreak).map((line, index) => `${index === 0 ? '$' : '>'} ${line}`);
}

/** It ran apart from the workspace, and the question is what to keep. */
function hasRun(
  details: ConfirmationDetails,
): details is ConfirmationDetails & { kind: 'exec'; output: string } {
  return details.kind === 'exec' && details.output !== undefined;
}

/** The end of what a command printed: that is where it says how it went. */
function printed(details: ConfirmationDetails): string[] {
  if (!hasRun(details)) return [];
  const lines = details.output.trimEnd().split('\n');
  if (lines.length === 1 && lines[0] === '') return ['It printed nothing.'];
  const tail = lines.slice(-TAIL_LINES).map(clipped);
  const part = tail.length < lines.length ? ` (the last ${tail.length} of ${lines.length} lines)` : '';
  return [`It printed${part}:`, ...tail.map((row) => `  ${row}`)];
}

function commandFacts(details: ConfirmationDetails, show: Show): string[] {
  if (details.kind === 'edit') return warningLines(details);
  if (details.kind !== 'exec') return [];
  const where = show(details.directory) === '.' ? '' : ` in ${show(details.directory)}`;
  const confinement = details.confinement ? `, ${details.confinement}` : '';
  const how = hasRun(details)
    ? `It ran${where} on a copy${confinement}. Nothing is kept yet.`
    : `It would run${where}${confinement}. Network: ${networkReach(details.effects)}.`;
  return [how, ...warningLines(details)];
}

function warningLines({ warnings = [] }: { warnings?: string[] }): string[] {
  return warnings.map((warning) => `! ${warning}`);
}

function effectsSentence(details: ConfirmationDetails, show: Show): string[] {
  if (hasRun(details)) return [];
  const effects = details.effects.slice(0, MOST_EFFECTS).map((effect) => describeEffect(effect, show));
  const more = details.effects.length - effects.length;
  if (more > 0) effects.push(`and ${more} more`);
  return effects.length > 0 ? [`It would ${effects.join('; ')}.`] : [];
}

/** What does not fit is counted, file by file first, so that nobody agrees to what they were not told of. */
function diffLines({ files }: FileDiff): string[] {
  const lines = files.flatMap(({ path, change, added, removed, unified }) => [
    '',
    inOneLine(`${change} ${path} (+${added} -${removed})`),
    ...unified.trimEnd().split('\n').map(clipped),
  ]);
  if (lines.length <= MOST_LINES) return lines;
  const names = files.map(({ path, change, added, removed }) =>
    inOneLine(`${change} ${path} (+${added} -${removed})`),
  );
  const shownNames = files.length > 1 ? ['', ...names.slice(0, MOST_LINES)] : [];
  const hiddenNames = names.length > MOST_LINES ? [`… and ${names.length - MOST_LINES} more files`] : [];
  const hidden = `… ${lines.length - MOST_LINES} more lines are not shown here. If in doubt, say no.`;
  return [...shownNames, ...hiddenNames, ...lines.slice(0, MOST_LINES), hidden];
}

function clipped(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}
