import {
  type Agent,
  type AgentResult,
  type JsonSchema,
  type PartListUnion,
  ToolError,
} from '@toolwright/core';
import type { ParkedRun } from '@toolwright/core/front-end';
import type { WaitingApart } from '../../actions/waiting-apart.js';
import { limitSentence, mayGoOn } from '../../base/display-text.js';
import { exitCodeOf, UsageError } from '../../base/exit-codes.js';
import type { Arguments } from '../../command-line/args.js';
import type { ConversationChoices, RuntimeOptions } from '../../setup/runtime.js';
import { choicesOf, requirePrices } from './limits.js';
import { createOutput, type EndedRun, type Output, type OutputFormat } from './output.js';

interface HeadlessWork {
  signal: AbortSignal;
  /** Answers questions in its own way. */
  confirm?: RuntimeOptions['confirm'];
  work(agent: Agent, doing: { output: Output; signal: AbortSignal }): Promise<AgentResult>;
}

interface HeadlessOpening extends Pick<RuntimeOptions, 'confirm'> {
  output: Output;
  conversation: ConversationChoices;
}

/** Opens the agent of a run without a terminal, and tells what it begins with. */
export async function openHeadless(
  args: Arguments,
  { output, conversation, confirm }: HeadlessOpening,
): Promise<Agent> {
  const { openAgent } = await import('../../setup/runtime.js');
  const agent = await openAgent(args, {
    front: 'headless',
    apart: args.switches.has('apart'),
    sessionId: sessionIdOf(args),
    confirm,
    conversation,
    onCopy: output.notice,
    onEvent: output.event,
  });
  try {
    requirePrices(agent, conversation);
    tellStart(agent, output);
    return agent;
  } catch (error) {
    await agent.close();
    throw error;
  }
}

/** Runs a piece of work with an agent of its own, and prints everything about it. */
export async function runHeadless(args: Arguments, { signal, confirm, work }: HeadlessWork): Promise<number> {
  const schema = await schemaOf(args);
  const output = createOutput(formatOf(args), { isWhole: schema !== undefined });
  const conversation = await withSchema(choicesOf(args), schema);
  const agent = await openHeadless(args, {
    output,
    conversation,
    confirm: confirm ?? (parks(args) ? async () => ({ kind: 'park' }) : undefined),
  });
  try {
    const first = await work(agent, { output, signal });
    const { result, value } = schema
      ? await (await import('./answer-schema.js')).fitAnswer(first, {
          schema,
          again: (text, earlier) => agent.prompt(text, signal, { earlier }),
        })
      : { result: first, value: undefined };
    const parked = result.reason === 'parked' ? await parkNow(agent, result, args) : null;
    const apart = agent.apart.id === null ? null : await waitingOf(agent);
    finish(output, agent, { result, apart: apart?.waiting ?? null, parked, value });
    if (apart) output.notice(apart.sentence);
    if (args.switches.has('debug')) output.notice(`The log is in ${agent.host.log.path}`);
    return exitCodeOf({ ...result, unasked: unaskedOf(result).length });
  } finally {
    await agent.close();
  }
}

function formatOf({ values }: Arguments): OutputFormat {
  return (values.get('output-format') ?? 'text') as OutputFormat;
}

function tellStart(agent: Agent, output: Pick<Output, 'notice'>): void {
  for (const notice of agent.notices) output.notice(notice);
  if (agent.choice && agent.choice.provider !== 'offline' && agent.choice.found.length > 0)
    output.notice(agent.choice.reason);
}

function parks({ values }: Arguments): boolean {
  return values.get('on-question') === 'park';
}

async function parkNow(agent: Agent, result: AgentResult, args: Arguments): Promise<ParkedRun> {
  return (await import('./park.js')).parkRun(agent, result, args);
}

function sessionIdOf({ values, switches }: Arguments): string | undefined {
  const id = values.get('session-id');
  if (id !== undefined && (values.has('resume') || switches.has('continue')))
    throw new UsageError('--session-id names a new session: leave out --resume and --continue.');
  return id;
}

async function schemaOf({ values }: Arguments): Promise<JsonSchema | undefined> {
  const given = values.get('json-schema');
  return given === undefined ? undefined : (await import('./answer-schema.js')).readSchema(given);
}

async function withSchema(
  choices: ConversationChoices,
  schema: JsonSchema | undefined,
): Promise<ConversationChoices> {
  if (!schema) return choices;
  const { schemaInstruction } = await import('./answer-schema.js');
  const appended = [choices.appendSystemPrompt, schemaInstruction(schema)].filter(Boolean);
  return { ...choices, appendSystemPrompt: appended.join('\n\n') };
}

/** Reads the files that the prompt names by `@path`; the code for it is loaded only where there is an `@`. */
export async function withFiles(
  prompt: string,
  { agent, output, signal }: { agent: Agent; output: Pick<Output, 'notice'>; signal: AbortSignal },
): Promise<PartListUnion> {
  if (prompt.startsWith('/')) {
    const { expandCustom } = await import('../../conversation/custom-commands.js');
    const expanded = await expandCustom(prompt, [], { toolbox: agent, signal });
    if (expanded && 'problem' in expanded) throw new ToolError('failed', expanded.problem);
    for (const note of expanded?.notes ?? []) output.notice(note);
    if (expanded) return expanded.parts;
  }
  if (!prompt.includes('@')) return prompt;
  const { expandAtFiles } = await import('../../conversation/at-files.js');
  const { parts, notes, failure } = await expandAtFiles(prompt, agent, signal);
  for (const note of failure === undefined ? notes : [...notes, failure]) output.notice(note);
  return parts;
}

/** The changes that wait where the session works apart, and the sentence about them; null where none do. */
async function waitingOf(agent: Agent): Promise<{ waiting: WaitingApart; sentence: string } | null> {
  const { waitingAtEnd, waitingSentence } = await import('../../actions/waiting-apart.js');
  const waiting = await waitingAtEnd(agent);
  return waiting && { waiting, sentence: waitingSentence(waiting) };
}

function finish(output: Output, agent: Agent, run: Omit<EndedRun, 'sessionId'>): void {
  const { result, parked } = run;
  const { id } = agent.session;
  const toGoOn = `To continue: toolwright --resume ${id} -p "go on"`;
  output.end({ sessionId: id, ...run });
  if (result.error) output.notice(result.error.message);
  if (mayGoOn(result)) output.notice(toGoOn);
  const limit = limitSentence(result.reason, { namesFlag: true });
  if (limit !== null) output.notice(`${limit} ${toGoOn}`);
  for (const question of parked?.questions ?? [])
    output.notice(`${question.request.description} waits for an answer: ${question.request.reason}.`);
  if (parked) output.notice(`To answer: toolwright answer ${answerable(parked)} yes, or no and a reason`);
  if (result.reason === 'cancelled') output.notice(`Cancelled. ${toGoOn}`);
  for (const { tool, reason } of unaskedOf(result))
    output.notice(
      `${tool} was refused: ${reason}, and nobody could be asked. See --approval-mode and --allowed-tools.`,
    );
}

/** The name of the only question, or the pattern of several. */
function answerable({ session, questions }: ParkedRun): string {
  return questions.length === 1 ? session : `${session}.N (N from 1 to ${questions.length})`;
}

function unaskedOf({ denials }: AgentResult): AgentResult['denials'] {
  return denials.filter(({ by }) => by === 'nobody-to-ask');
}
