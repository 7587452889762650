import { messageOf, ToolError } from '@toolwright/machine/base/errors.js';
import { loadClientSdk } from '../contract/client-sdk.js';

/** The address that a template gives with these values; names without one are left out. */
export async function expandTemplate(template: string, values: Record<string, string>): Promise<string> {
  const { UriTemplate } = await loadClientSdk();
  try {
    return new UriTemplate(template).expand(values);
  } catch (error) {
    throw new ToolError(
      'invalid_params',
      `The template ${template} can't be filled in: ${messageOf(error)}.`,
    );
  }
}
