import type { FunctionResponse } from '@toolwright/machine/base/content.js';
import type { Effect } from '@toolwright/machine/base/effect.js';
import type { ToolErrorCode } from '@toolwright/machine/base/errors.js';
import type { NewErrors } from '../languages/describe-errors.js';
import type { Winner } from '../permission/decide.js';
import type { Display } from '../tools/display/display.js';

/** The failure of a call. */
export interface CallError {
  code: ToolErrorCode;
  message: string;
}

/** Journal entries of one call, each written before the call goes on. */
export type CallRecord =
  | {
      type: 'call-start';
      callId: string;
      tool: string;
      args: Record<string, unknown>;
      effects: Effect[] | null;
      /** The subagent that made the call. */
      agent?: string;
      /** The call that made this one: a script. */
      parent?: string;
    }
  | {
      type: 'call-decision';
      callId: string;
      decision: 'allow' | 'ask' | 'deny';
      reason: string;
      /** The rule, with its place, or the mode that decided. */
      winner?: Winner;
      /** Effects that were decided about, where they differ from the declared ones. */
      effects?: Effect[];
      /** The user's answer, if asked. */
      outcome?: 'once' | 'always' | 'modify' | 'park' | 'cancel';
      rule?: string;
      /** The time that the question was open. */
      waitedMs?: number;
    }
  | {
      type: 'call-hook';
      callId: string;
      event: string;
      /** The hook's command, with the file and line that name it. */
      hook: string;
      decision: 'none' | 'ask' | 'deny';
      reason?: string;
      /** The arguments that it put in place of those of the call. */
      input?: Record<string, unknown>;
      /** Why it could not be asked. */
      failure?: string;
    }
  | {
      type: 'call-end';
      callId: string;
      tool: string;
      response: FunctionResponse;
      display: Display;
      error?: CallError;
      changeSet?: string;
      newErrors?: NewErrors[];
    };
