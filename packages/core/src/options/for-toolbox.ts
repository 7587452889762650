import type { CreateAgentOptions } from './agent-options.js';
import type { ToolboxOptions } from './toolbox-options.js';

/** The options of an agent that its toolbox takes, too. */
export function forToolbox(options: CreateAgentOptions): ToolboxOptions {
  const {
    model: _model,
    wrapModel: _wrapModel,
    startWith: _startWith,
    isCleared: _isCleared,
    maxTurns: _maxTurns,
    maxCalls: _maxCalls,
    maxTokens: _maxTokens,
    maxCost: _maxCost,
    maxMs: _maxMs,
    appendSystemPrompt: _appended,
    beforeRequest: _beforeRequest,
    checkpoint: _checkpoint,
    importDepth: _importDepth,
    onEvent: _onEvent,
    ...rest
  } = options;
  return rest;
}

/** The same options, whose questions are told of before the user is asked them, whoever asks. */
export function announcing(
  options: CreateAgentOptions,
  announce: (message: string, kind: 'permission_prompt' | 'elicitation_dialog') => void,
): CreateAgentOptions {
  const { confirm, onAskUser, mcp } = options;
  const onElicit = mcp?.onElicit;
  return {
    ...options,
    confirm:
      confirm &&
      ((request, signal) => {
        announce(request.description, 'permission_prompt');
        return confirm(request, signal);
      }),
    onAskUser:
      onAskUser &&
      ((request, signal) => {
        announce(request.message, 'elicitation_dialog');
        return onAskUser(request, signal);
      }),
    mcp: onElicit
      ? {
          ...mcp,
          onElicit(request, signal) {
            announce(request.message, 'elicitation_dialog');
            return onElicit(request, signal);
          },
        }
      : mcp,
  };
}
