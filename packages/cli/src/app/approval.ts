import { type ConfirmRequest, describeEffect, networkReach, type Outcome } from '@toolwright/core';
import { grantLimit } from './grant-limit.js';
import type { Choice, Question, Reply } from './question.js';
import { type SafeText, safe, safeDiff, safeLine } from './safe-text.js';

/** A call that needs the person's consent, as a question. */
export function approvalQuestion(
  request: ConfirmRequest,
  show: (path: string) => string = (path) => path,
): Question {
  const { details, description } = request;
  return {
    title: safeLine(`${hasRun(details) ? 'Keep what this command changed? ' : ''}${shortened(description)}`),
    ...bodyOf(request),
    facts: factsOf(request, show).map(safeLine),
    choices: choicesOf(request),
    refusal: 'n',
  };
}

function bodyOf({ details }: ConfirmRequest): Pick<Question, 'diff' | 'text'> {
  switch (details.kind) {
    case 'edit':
      return { diff: safeDiff(details.diff) };
    case 'exec':
      return {
        text: safe([...marked(details.command, '$ '), ...printed(details)].join('\n')),
        ...(details.diff ? { diff: safeDiff(details.diff) } : {}),
      };
    case 'mcp': {
      const lines = JSON.stringify(details.arguments, null, 2).split('\n').map(safeLine);
      return { text: safe(`${safeLine(details.tool)} ${lines.join('\n')}`) };
    }
    case 'info':
      return { text: safe([...marked(details.prompt, ''), ...details.urls.map(safeLine)].join('\n')) };
  }
}

/** Every line is marked: none can pass for what the command printed or for what we say about it. */
function marked(text: string, first: string, others = '> '): SafeText[] {
  const lines = text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
  return lines.map((line, index) => safeLine(`${index === 0 ? first : others}${line}`));
}

const TITLE_CHARACTERS = 200;

/** The whole of it follows. */
function shortened(text: string): string {
  const [line = '', ...others] = text.split('\n');
  const isCut = others.length > 0 || line.length > TITLE_CHARACTERS;
  return isCut ? `${line.slice(0, TITLE_CHARACTERS).trimEnd()} …` : line;
}

type Details = ConfirmRequest['details'];

/** Before everything else: no long command, output or content may push out of sight what would become of the files. */
function consequences(details: Details & { kind: 'exec' }): string[] {
  const files = details.diff?.files ?? [];
  const deleted = files.filter(({ change }) => change === 'delete').map(({ path }) => path);
  return [
    ...(details.summary ? [`It ${details.summary}.`] : []),
    ...(deleted.length > 0 ? [`Deletes: ${deleted.join(', ')}`] : []),
  ];
}

/** It ran apart from the workspace, and the question is what to keep. */
function hasRun(details: Details): details is Details & { kind: 'exec'; output: string } {
  return details.kind === 'exec' && details.output !== undefined;
}

const TAIL_LINES = 12;

/** The end of what a command printed: that is where it says how it went. */
function printed(details: Details): string[] {
  if (!hasRun(details)) return [];
  const lines = details.output.trimEnd().split('\n');
  if (lines.length === 1 && lines[0] === '') return ['It printed nothing.'];
  const tail = lines.slice(-TAIL_LINES);
  const part = tail.length < lines.length ? ` (the last ${tail.length} of ${lines.length} lines)` : '';
  return [`It printed${part}:`, ...tail.map((row) => `  ${row}`)];
}

function factsOf(request: ConfirmRequest, show: (path: string) => string): string[] {
  const { details, reason, offers } = request;
  const limits = offers.length > 0 ? [limitsHint] : [];
  const what = hasRun(details) ? [] : effectsSentence(details, show);
  return [...what, ...commandFacts(details, show), `Asked because ${reason}.`, ...limits];
}

function commandFacts(details: Details, show: (path: string) => string): string[] {
  if (details.kind === 'edit') return warningLines(details);
  if (details.kind !== 'exec') return [];
  const where = show(details.directory) === '.' ? '' : ` in ${show(details.directory)}`;
  const confinement = details.confinement ? `, ${details.confinement}` : '';
  const network = networkReach(details.effects);
  const how = hasRun(details)
    ? `It ran${where} on a copy${confinement}. Nothing is kept yet.`
    : `It would run${where}${confinement}. Network: ${network}.`;
  return [...consequences(details), how, ...warningLines(details)];
}

function warningLines({ warnings = [] }: { warnings?: string[] }): string[] {
  return warnings.map((warning) => `! ${warning}`);
}

function effectsSentence(details: Details, show: (path: string) => string): string[] {
  const named = (path: string): string => (show(path) === '.' ? 'the workspace' : show(path));
  const effects = details.effects.slice(0, MOST_EFFECTS).map((effect) => describeEffect(effect, named));
  const more = details.effects.length - effects.length;
  if (more > 0) effects.push(`and ${more} more`);
  return effects.length > 0 ? [`It would ${effects.join('; ')}.`] : [];
}

const MOST_EFFECTS = 20;

const limitsHint = 'A yes can have a limit, in calls or in time: a1 10, a1 30m, s1 1h, s1 7d.';

function choicesOf({ offers, modifiable, details }: ConfirmRequest): Choice[] {
  const always = offers.flatMap(({ rule, allows }, index): Choice[] => [
    {
      key: `a${index + 1}`,
      label: safeLine(`yes, and allow ${allows} for this session: rule ${rule}`),
      takesLimit: true,
    },
    {
      key: `s${index + 1}`,
      label: safe('the same, saved for this workspace'),
      chosen: safeLine(`yes, and allow ${allows}, saved for this workspace: rule ${rule}`),
      takesLimit: true,
    },
  ]);
  const what = details.kind === 'exec' ? 'the command' : 'the proposed content';
  return [
    { key: 'y', label: safe('yes, this once') },
    ...always,
    ...(modifiable ? [{ key: 'e', label: safe(`change ${what} in your editor, then look again`) }] : []),
    { key: 'n', label: safe('no; a reason may follow for the model: n use b.ts instead'), takesText: true },
  ];
}

/** What the reply means to whoever asked; `edit` has to be turned into what was written. */
export function outcomeOf(reply: Reply, { offers }: Pick<ConfirmRequest, 'offers'>): Outcome | 'edit' {
  if (reply.key === 'y') return { kind: 'once' };
  if (reply.key === 'e') return 'edit';
  const always = /^([as])(\d+)$/.exec(reply.key);
  const offer = always ? offers[Number(always[2]) - 1] : undefined;
  if (always && offer) {
    const scope = always[1] === 's' ? 'saved' : 'session';
    return { kind: 'always', rule: offer.rule, scope, ...grantLimit(reply.text) };
  }
  return { kind: 'cancel', reason: reply.text || 'no reason was given' };
}

/** What the person may rewrite, and under which name the editor gets it. */
export function modifiableText({ details }: ConfirmRequest): { name: string; text: string } | null {
  if (details.kind === 'edit' && details.modifiable)
    return { name: details.modifiable.path, text: details.modifiable.content };
  if (details.kind === 'exec' && details.modifiable)
    return { name: 'command.sh', text: details.modifiable.command };
  return null;
}
