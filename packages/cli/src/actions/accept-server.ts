import {
  type OtherCode,
  type PinDifference,
  pinDifferences,
  pinDifferencesAsDiff,
  plural,
  type ServedServer,
} from '@toolwright/core/front-end';
import type { YesNo } from '../app/yes-no.js';
import { codeQuestion } from '../ask/other-code.js';

export interface AcceptOptions {
  /** False for anything but a yes. */
  consent(question: YesNo): Promise<boolean>;
  signal: AbortSignal;
}

/** The findings about a server, and the user's decision. */
export interface Acceptance {
  isAccepted: boolean;
  /** A sentence for the user. */
  message: string;
  /** Null where the user refused what it runs, so that it was not started. */
  found: { differences: PinDifference[]; program: string | null; code: OtherCode['changes'] } | null;
}

/** Turns on what a server runs now and the tools it offers now, as far as the user consents. */
export async function acceptServer(
  server: ServedServer,
  { consent, signal }: AcceptOptions,
): Promise<Acceptance> {
  const { alias } = server.config;
  const wasKnown = (server.record?.listedAt ?? 0) > 0;
  const other = await server.otherCode(signal);
  if (other) {
    if (!(await consent(codeQuestion(other)))) return { ...refused, found: null };
    await server.acceptCode(other);
  }
  const before = server.record?.executable ?? null;
  const record = await server.refresh(signal);
  const program = await server.executable();
  const isOtherProgram = wasKnown && before !== null && before !== program;
  const found = { differences: pinDifferences(record), program, code: other?.changes ?? [] };
  if (found.differences.length === 0 && !isOtherProgram) {
    const count = plural(server.record?.accepted.length ?? 0, 'tool');
    return {
      isAccepted: true,
      message: nothingNew(alias, count, { wasKnown, isOtherCode: other !== null }),
      found,
    };
  }
  const isAgreed = await consent({
    title: `Accept these definitions of ${alias}?`,
    facts: [
      ...(isOtherProgram ? [`Its program was ${before} and is now ${program ?? 'not found'}.`] : []),
      'The model will read these texts and call these tools.',
    ],
    diff: found.differences.length > 0 ? await pinDifferencesAsDiff(record) : undefined,
    yes: 'yes, turn them on',
    no: 'no, leave them off',
  });
  if (!isAgreed) return { ...refused, found };
  const { accepted } = await server.accept(record);
  return { isAccepted: true, message: `Accepted: ${alias} has ${plural(accepted.length, 'tool')}.`, found };
}

const refused = { isAccepted: false, message: 'Not accepted.' };

function nothingNew(
  alias: string,
  tools: string,
  { wasKnown, isOtherCode }: { wasKnown: boolean; isOtherCode: boolean },
): string {
  if (isOtherCode)
    return `Accepted: ${alias} may run what is there now; nothing about its ${tools} has changed.`;
  return wasKnown
    ? `Nothing to accept: nothing about its ${tools} has changed.`
    : `${alias} is new: accepted, with ${tools}.`;
}
