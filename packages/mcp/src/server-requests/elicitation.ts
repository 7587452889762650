import type { ElicitResult } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';
import { validate } from '@toolwright/machine/base/json-schema/json-schema.js';
import type { McpElicitAnswer, McpElicitRequest } from '../contract/connection.js';
import { plainText } from '../contract/plain-text.js';
import { schemaProblem } from '../lists/schema-problem.js';
import { invalidRequest } from './invalid-request.js';

export interface ElicitationOptions {
  server: string;
  onElicit(request: McpElicitRequest, signal: AbortSignal): Promise<McpElicitAnswer>;
}

/** The parameters come from a server, unread. */
export type Elicitor = (params: JsonObject, signal: AbortSignal) => Promise<ElicitResult>;

const LONGEST_MESSAGE = 4_000;

/** Puts a server's question to the user. An answer that does not fit what was asked never leaves. */
export function createElicitor({ server, onElicit }: ElicitationOptions): Elicitor {
  return async (params, signal) => {
    const message = plainText(String(params['message'] ?? '')).slice(0, LONGEST_MESSAGE);
    if (params['mode'] === 'url') {
      const url = webAddress(params['url']);
      if (url === null) throw invalidRequest('elicitation', 'only http and https addresses can be opened');
      const answer = await onElicit({ kind: 'url', server, message, url }, signal);
      return { action: answer.action };
    }
    const schema: unknown = params['requestedSchema'];
    const problem = schemaProblem(schema);
    if (problem !== null || !isJsonObject(schema))
      throw invalidRequest('elicitation', `the schema can't be used, ${problem}`);
    const answer = await onElicit({ kind: 'form', server, message, schema }, signal);
    if (answer.action !== 'accept') return { action: answer.action };
    const content = answer.content ?? {};
    const mismatch = validate(schema, content);
    if (mismatch !== null) throw new Error(`The answer does not fit what was asked: ${mismatch}`);
    return { action: 'accept', content };
  };
}

function webAddress(text: unknown): string | null {
  if (typeof text !== 'string' || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
}
