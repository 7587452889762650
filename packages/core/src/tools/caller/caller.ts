import type { JsonObject } from '@toolwright/machine/base/json.js';

/** Requests of the Model Context Protocol that a server may make of its client. */
export type CallerMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';

/** A request to the program behind a call. */
export interface CallerRequest {
  method: CallerMethod;
  params?: JsonObject;
}

/** Requests under names of the tool's choice, and answers under the same names. */
export type CallerRequests = Record<string, CallerRequest>;
/** The answers of the program behind a call, under the names of its requests. */
export type CallerAnswers = Record<string, JsonObject>;

/** The program behind a call, where it can be asked something while the call runs: a client of `serveMcp`. */
export interface Caller {
  /** `part`: something that not every program takes with this method, such as `tools` with sampling. */
  takes(method: CallerMethod, part?: string): boolean;
  /** Sends all requests at once. Throws a ToolError when the program takes no such request, or nobody answers in time. */
  ask(requests: CallerRequests, signal: AbortSignal): Promise<CallerAnswers>;
}
