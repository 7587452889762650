import { canonical, type JsonObject } from '@toolwright/machine/base/json.js';
import type { McpToolDefinition } from '../contract/connection.js';

export interface ConsentQuestion {
  /** The tool as the session defines it now; undefined when it has none of that name. */
  tool: McpToolDefinition | undefined;
  /** Every definition that was agreed to, as it was sent; null where a consent is needed and there is none. */
  agreed: readonly (JsonObject | null)[];
}

/** The one place that decides whether a tool is still the one that consent was given for. */
export function consentProblem({ tool, agreed }: ConsentQuestion): 'gone' | 'changed' | null {
  if (!tool) return 'gone';
  return agreed.every((definition) => definition !== null && isSameDefinition(definition, tool.asSent))
    ? null
    : 'changed';
}

function isSameDefinition(left: JsonObject, right: JsonObject): boolean {
  return JSON.stringify(left) === JSON.stringify(right) || canonicalText(left) === canonicalText(right);
}

function canonicalText(definition: JsonObject): string {
  return JSON.stringify(canonical(definition));
}
