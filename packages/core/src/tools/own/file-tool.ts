import { isToolError, messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import { cancelledResult, errorResult, type Tool } from '../tools.js';

/**
 * The tool of a file, as it is but for what it throws: its author reads the file and line it came from, and the model
 * that the tool itself is at fault.
 */
export function fileTool(tool: Tool, path: string, placeOf: (error: unknown) => string | null): Tool {
  const blame = (error: unknown): ToolError =>
    isToolError(error)
      ? error
      : new ToolError(
          'failed',
          `The tool ${tool.name} itself failed at ${placeOf(error) ?? path}: ${messageOf(error)}`,
          { cause: error },
        );
  const { execute, shouldConfirmExecute, effects, discard, modify, unknownParameters } = tool;
  const guarded = <Result>(work: () => Result): Result => {
    try {
      const result = work();
      return result instanceof Promise
        ? (result.catch((error: unknown) => Promise.reject(blame(error))) as Result)
        : result;
    } catch (error) {
      throw blame(error);
    }
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
    validateToolParams: (params) => guarded(() => tool.validateToolParams(params)),
    getDescription: (params) => guarded(() => tool.getDescription(params)),
    async shouldConfirmExecute(params, signal, onUpdate) {
      try {
        return await shouldConfirmExecute.call(tool, params, signal, onUpdate);
      } catch (error) {
        throw signal.aborted ? error : blame(error);
      }
    },
    async execute(params, signal, onUpdate) {
      try {
        return await execute.call(tool, params, signal, onUpdate);
      } catch (error) {
        if (signal.aborted && !isToolError(error)) return cancelledResult(signal);
        const { code, message } = blame(error);
        return errorResult(code, message);
      }
    },
    ...(effects ? { effects: (params) => guarded(() => effects.call(tool, params)) } : {}),
    ...(discard ? { discard: (params) => guarded(() => discard.call(tool, params)) } : {}),
    ...(modify
      ? { modify: (params, written, signal) => guarded(() => modify.call(tool, params, written, signal)) }
      : {}),
    ...(unknownParameters ? { unknownParameters: (params) => unknownParameters.call(tool, params) } : {}),
  };
}
