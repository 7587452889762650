import type { FunctionCall, FunctionResponse } from '@toolwright/machine/base/content.js';

const INTERRUPTED =
  'The call was interrupted before it gave a result. It may have been carried out in part; look before you repeat it.';

/** No tool fails with this code. */
const CODE = 'interrupted';

/** The response to a call that never got one. Providers refuse a conversation in which a call has no response. */
export function interruptedResponse({ id, name }: FunctionCall): FunctionResponse {
  return { id, name, response: { error: INTERRUPTED, code: CODE } };
}

export function isInterrupted({ response }: FunctionResponse): boolean {
  return response?.['code'] === CODE;
}
