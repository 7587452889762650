import type { Tool } from '../../tools.js';

/** A tool of another thread as plain data. */
export interface ToolFacts
  extends Pick<
    Tool,
    | 'name'
    | 'displayName'
    | 'description'
    | 'parameterSchema'
    | 'nameAliases'
    | 'parameterAliases'
    | 'timeoutMs'
    | 'effectKinds'
    | 'isRepeatable'
  > {
  /** Optional members that the tool has. */
  has: OptionalMember[];
}

const optionalMembers = ['effects', 'discard', 'modify', 'unknownParameters'] as const;
type OptionalMember = (typeof optionalMembers)[number];

/** The tool's own account of the arguments of a call. */
export interface Preparation {
  problem: string | null;
  description: string;
  unknown: string[];
}

export function factsOfTool(tool: Tool): ToolFacts {
  const { name, displayName, description, parameterSchema } = tool;
  const { nameAliases, parameterAliases, timeoutMs, effectKinds, isRepeatable } = tool;
  return {
    name,
    displayName,
    description,
    parameterSchema,
    nameAliases,
    parameterAliases,
    timeoutMs,
    effectKinds,
    isRepeatable,
    has: optionalMembers.filter((member) => typeof tool[member] === 'function'),
  };
}

export function prepare(tool: Tool, params: object): Preparation {
  const problem = tool.validateToolParams(params);
  if (problem !== null) return { problem, description: '', unknown: [] };
  return {
    problem,
    description: String(tool.getDescription(params)),
    unknown: tool.unknownParameters?.(params) ?? [],
  };
}
