export type Tell = (line: string) => void;

interface Part {
  functionCall?: { id?: string; name: string; args?: unknown };
}

interface JournalEntry {
  type: string;
  tool?: string;
  args?: unknown;
  /** Of a call that has ended: it names the model's call. */
  response?: { id?: string };
  error?: { message: string };
  message?: { parts: Part[] };
  /** The calls that wait for an answer. */
  calls?: string[];
}

interface Asked {
  id: string | undefined;
  tool: string;
  text: string;
  hasBegun: boolean;
}

/**
 * Tells calls of a journal as they begin. The journal of a delivery that was cut off ends where the model asked for calls, before any of
 * them began.
 */
export function createCallTeller(tell: Tell) {
  let asked: Asked[] = [];
  const tellAsked = (): void => {
    for (const each of asked) if (!each.hasBegun) tell(each.text);
  };
  return {
    tellAsked,
    read(text: string): void {
      const {
        type,
        tool = '',
        args,
        response,
        error,
        message,
        calls = [],
      } = JSON.parse(text) as JournalEntry;
      if (type === 'session-start') {
        tellAsked();
        if (asked.length > 0) tell('  Its worker ended before there was an answer.');
        asked = [];
      }
      asked.push(...(message?.parts ?? []).flatMap(callOf));
      if (type === 'call-start') {
        const line = callText(tool, args);
        tell(line);
        const begun = beginning(asked, tool, line);
        if (begun) begun.hasBegun = true;
      }
      if (type === 'call-end') asked = asked.filter(({ id }) => id !== response?.id);
      if (type === 'call-end' && error) tell(`  ${error.message.split('\n')[0]}`);
      if (type === 'parked' && calls.length > 0) tell('  It waits for an answer.');
      if (type === 'parked') asked = [];
    },
  };
}

function callOf({ functionCall }: Part): Asked[] {
  if (!functionCall) return [];
  const { id, name: tool, args } = functionCall;
  return [{ id, tool, text: callText(tool, args), hasBegun: false }];
}

/** The call that begins; a hook may have changed its arguments. */
function beginning(asked: readonly Asked[], tool: string, line: string): Asked | undefined {
  const waiting = asked.filter((each) => !each.hasBegun && each.tool === tool);
  return waiting.find(({ text }) => text === line) ?? waiting[0];
}

const LONGEST_ARGS = 300;

function callText(tool: string, args: unknown = {}): string {
  const text = JSON.stringify(args);
  return `· ${tool} ${text.length > LONGEST_ARGS ? `${text.slice(0, LONGEST_ARGS)}…` : text}`;
}
