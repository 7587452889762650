import { messageOf } from '@toolwright/core/front-end';
import { UsageError } from '../base/exit-codes.js';
import { logInternalError } from '../base/internal-error.js';

/** A failure as JSON-RPC carries it: its message is what the editor shows. */
export interface Failure {
  code: number;
  message: string;
  data?: unknown;
}

export const codes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  notFound: -32_002,
};

/** A failure with a message for the user. */
export class AcpFailure extends Error implements Failure {
  override readonly name = 'AcpFailure';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

const forUsers: readonly string[] = ['SettingsError', 'ToolError', 'ModelError'];

/** Words a failure, whatever was thrown, in a sentence that says what happened and what to do. */
export async function failureOf(error: unknown): Promise<Failure> {
  if (error instanceof AcpFailure) return error;
  if (error instanceof UsageError) return { code: codes.invalidParams, message: error.message };
  if (error instanceof Error && forUsers.includes(error.name))
    return { code: codes.internal, message: messageOf(error), data: { kind: error.name } };
  return { code: codes.internal, message: await logInternalError(error) };
}
