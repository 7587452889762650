import type { Toolbox } from '@toolwright/core';
import { plural } from '@toolwright/core/front-end';
import { UsageError } from '../base/exit-codes.js';
import type { Prefix } from './report.js';

type RuleInForce = Toolbox['permission']['rules'][number];

/** An answer of the user that still holds, with its number in lists. */
export interface RememberedAnswer {
  number: number;
  rule: string;
  grant: NonNullable<RuleInForce['grant']>;
}

export function rememberedAnswers({ permission }: Pick<Toolbox, 'permission'>): RememberedAnswer[] {
  const granted = permission.rules.flatMap(({ text, grant }) => (grant ? [{ rule: text, grant }] : []));
  return granted.map((answer, index) => ({ number: index + 1, ...answer }));
}

export function writtenRules({ permission }: Pick<Toolbox, 'permission'>): RuleInForce[] {
  return permission.rules.filter(({ grant }) => grant === undefined);
}

/** The rules in force and the remembered answers as text. */
export function describeRules(toolbox: Pick<Toolbox, 'permission'>, prefix: Prefix): string {
  const written = writtenRules(toolbox);
  const answers = rememberedAnswers(toolbox);
  const rows = written.map(({ verdict, text, source }) => [verdict, text, source]);
  const remembered = answers.map(({ number, rule, grant }) => [`${number}`, rule, howLong(grant)]);
  return [
    `Approval mode: ${toolbox.permission.mode}. It applies where no rule does.`,
    '',
    written.length > 0
      ? 'Rules, and where they are written'
      : 'No rules are written in the settings or given by flags.',
    ...columns(rows),
    '',
    answers.length > 0 ? 'Remembered answers' : 'No answers are remembered here.',
    ...columns(remembered),
    ...(answers.length > 0 ? [`To revoke one: ${prefix}permissions revoke NUMBER`] : []),
  ].join('\n');
}

function howLong({ scope, uses, untilMs }: RememberedAnswer['grant']): string {
  const limits = [
    ...(uses === undefined ? [] : [plural(uses, 'more call')]),
    ...(untilMs === undefined ? [] : [`until ${timeText(untilMs)}`]),
  ];
  return [scope === 'saved' ? 'saved for this workspace' : 'for this session', ...limits].join(', ');
}

/** Local time, to the minute. */
function timeText(ms: number): string {
  const time = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const width = (column: number): number => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0));
  const [first, second] = [width(0), Math.min(width(1), 50)];
  return rows.map(([left = '', middle = '', right = '']) =>
    `  ${left.padEnd(first)}  ${middle.padEnd(second)}  ${right}`.trimEnd(),
  );
}

/** Takes back the answer with this number, or with exactly this rule. */
export async function revokeAnswer(
  toolbox: Pick<Toolbox, 'permission' | 'revokeGrant'>,
  wanted: string,
  { prefix, signal }: { prefix: Prefix; signal: AbortSignal },
): Promise<RememberedAnswer> {
  const found = rememberedAnswers(toolbox).find(
    ({ number, rule }) => String(number) === wanted || rule === wanted,
  );
  if (!found)
    throw new UsageError(`There is no remembered answer ${wanted}. ${prefix}permissions lists them.`);
  await toolbox.revokeGrant(found.grant.id, signal);
  return found;
}
