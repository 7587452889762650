/** The limits of a script. */
export interface ScriptLimits {
  /** Milliseconds that the script itself may compute; waiting for its calls is not counted. */
  computeMs: number;
  /** Milliseconds from its start to its end. */
  totalMs: number;
  /** The memory of its engine, its own values included. */
  memoryBytes: number;
  calls: number;
  /** Characters of all arguments together. */
  sentCharacters: number;
  /** Characters of all results together, which pass through the memory of the program. */
  receivedCharacters: number;
  /** Characters that are printed and returned. */
  printedCharacters: number;
}

/** The data that the thread of a script starts with. */
export interface ScriptStart {
  code: string;
  /** Names of the tools it may call. */
  tools: readonly string[];
  limits: ScriptLimits;
}

/** A call that a script has made: the tool, and its params as JSON. */
export interface SentCall {
  id: number;
  tool: string;
  params: string;
}

/** The result of a call on its way to the script: a value as JSON, or what the call failed of. */
export interface SentResult {
  id: number;
  isOk: boolean;
  json: string;
}

/** The end of a script. */
export type ScriptEnding =
  | { kind: 'returned'; text: string }
  /** `message` has the lines of the script that it came from. */
  | { kind: 'threw'; message: string }
  /** A limit was met, or the script waits for nothing. */
  | { kind: 'stopped'; why: string };

/** From the thread of a script. */
export type FromScript =
  /** The engine is ready: from now on its time counts. */
  | { type: 'started' }
  | { type: 'printed'; text: string }
  | { type: 'calls'; calls: SentCall[] }
  /** The script computes nothing until results come. */
  | { type: 'waiting' }
  | { type: 'ended'; ending: ScriptEnding };

/** Said by the engine where it stops itself, and by whoever ends its thread where it does not. */
export function computedTooLong(limitMs: number): string {
  return `it computed longer than ${limitMs / 1_000} s`;
}
