import { isToolError, messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import { cancelledResult, errorResult, type Tool } from '../tools.js';

type Blame = (error: unknown) => ToolError;

/**
 * The tool of a file, as it is but for what it throws: its author reads the file and line it came from, and the model
 * that the tool itself is at fault.
 */
export function fileTool(tool: Tool, path: string, placeOf: (error: unknown) => string | null): Tool {
  const blame: Blame = (error) => {
    if (isToolError(error)) return error;
    const place = placeOf(error) ?? path;
    const message = `The tool ${tool.name} itself failed at ${place}: ${messageOf(error)}`;
    return new ToolError('failed', message, { cause: error });
  };
  return {
    name: tool.name,
    displayName: tool.displayName,
    description: tool.description,
    parameterSchema: tool.parameterSchema,
    nameAliases: tool.nameAliases ?? [],
    parameterAliases: tool.parameterAliases ?? {},
    timeoutMs: tool.timeoutMs,
    effectKinds: tool.effectKinds,
    isRepeatable: tool.isRepeatable,
    validateToolParams: (params) => guarded(blame, () => tool.validateToolParams(params)),
    getDescription: (params) => guarded(blame, () => tool.getDescription(params)),
    async shouldConfirmExecute(params, signal, onUpdate) {
      try {
        return await tool.shouldConfirmExecute(params, signal, onUpdate);
      } catch (error) {
        throw signal.aborted ? error : blame(error);
      }
    },
    async execute(params, signal, onUpdate) {
      try {
        return await tool.execute(params, signal, onUpdate);
      } catch (error) {
        if (signal.aborted && !isToolError(error)) return cancelledResult(signal);
        const { code, message } = blame(error);
        return errorResult(code, message);
      }
    },
    ...optionalMembers(tool, blame),
  };
}

/** Gives the optional members that the tool has: without a member the program does something else. */
function optionalMembers(tool: Tool, blame: Blame): Partial<Tool> {
  const { effects, discard, modify, unknownParameters } = tool;
  const members: Partial<Tool> = {};
  if (effects)
    members.effects = (params, by, signal) => guarded(blame, () => effects.call(tool, params, by, signal));
  if (discard) members.discard = (params) => guarded(blame, () => discard.call(tool, params));
  if (modify)
    members.modify = (params, written, signal) =>
      guarded(blame, () => modify.call(tool, params, written, signal));
  if (unknownParameters) members.unknownParameters = (params) => unknownParameters.call(tool, params);
  return members;
}

function guarded<Result>(blame: Blame, work: () => Result): Result {
  try {
    const result = work();
    return result instanceof Promise
      ? (result.catch((error: unknown) => Promise.reject(blame(error))) as Result)
      : result;
  } catch (error) {
    throw blame(error);
  }
}
