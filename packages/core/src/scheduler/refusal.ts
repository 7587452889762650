import type { NewErrors } from '../languages/describe-errors.js';
import { PRINTED_NOTHING } from '../tools/programs/printed.js';
import { type ConfirmationDetails, errorResult, type ToolResult } from '../tools/tools.js';
import type { ConfirmRequest, Refusal } from './call.js';

/** The end of a call, before its response is made. */
export interface Settled {
  result: ToolResult;
  notes: readonly string[];
  /** Errors that its change has brought. */
  newErrors?: NewErrors[];
  denied?: Refusal;
  /** The question that it waits for. */
  parked?: ConfirmRequest;
  /** A hook ends the run with this call: why. */
  stopped?: string | undefined;
}

const NO_REASON = 'no reason was given';

/** A refused call: one sentence tells the model what to do next, another tells the user what did not happen. */
export function refuse(denied: Refusal): Settled & { denied: Refusal } {
  const result = errorResult('denied', forModel(denied));
  return { result: { ...result, returnDisplay: forUser(denied) }, notes: [], denied };
}

/** A call that is put off until somebody answers the question about it. */
export function putOff(parked: ConfirmRequest): Settled & { parked: ConfirmRequest } {
  const result = errorResult('cancelled', 'The call waits for an answer of the user.');
  return { result: { ...result, returnDisplay: 'Waiting for an answer.' }, notes: [], parked };
}

function forModel({ by, reason }: Refusal): string {
  const sentences: Record<Refusal['by'], string> = {
    rule: `Denied: ${reason}. Do not try to get around this; find another way or tell the user.`,
    user: `The user refused this call: ${reason}`,
    'nobody-to-ask': `Denied: ${reason}, and there is nobody to ask.`,
    confirm: `Denied: nobody could be asked, as ${reason}. This is a fault of the program around you, not of the call; tell the user.`,
  };
  return sentences[by];
}

function forUser({ by, reason, brief = reason }: Refusal): string {
  const sentences: Record<Refusal['by'], string> = {
    rule: `${brief.charAt(0).toUpperCase()}${brief.slice(1)}.`,
    user: reason === NO_REASON ? 'You said no.' : `You said no: ${reason}`,
    'nobody-to-ask': `Not done: ${reason}, and nobody could be asked.`,
    confirm: `Not done: nobody could be asked, as ${reason}.`,
  };
  return sentences[by];
}

/** The command ran on a copy, and the question is what to keep. */
export function hasRun(
  details: ConfirmationDetails,
): details is ConfirmationDetails & { kind: 'exec'; output: string } {
  return details.kind === 'exec' && details.output !== undefined;
}

/** Adds the output of a staged command to the refusal: the model learns from it even when the changes are dropped. */
export function withOutput(settled: Settled, details: ConfirmationDetails): Settled {
  if (!hasRun(details)) return settled;
  const { result } = settled;
  const printed = details.output.trim() === '' ? PRINTED_NOTHING : `It printed:\n${details.output}`;
  const dropped = `The command ran on a copy of the workspace and its changes were dropped (${details.summary ?? 'it changed files'}). ${printed}`;
  const forUser = `${result.returnDisplay} It ran on a copy, and nothing it changed was kept.\n${details.output}`;
  // A user who said no has seen the output in the question.
  const display = settled.denied?.by === 'user' ? result.returnDisplay : forUser.trimEnd();
  return {
    ...settled,
    result: { ...result, llmContent: `${result.llmContent}\n${dropped}`, returnDisplay: display },
  };
}
