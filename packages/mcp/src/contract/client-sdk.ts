import { packageProblem } from '@toolwright/machine/base/optional-package.js';

type ClientSdk = typeof import('@modelcontextprotocol/client');

export async function loadClientSdk(): Promise<ClientSdk> {
  try {
    return await import('@modelcontextprotocol/client');
  } catch (error) {
    throw packageProblem('@modelcontextprotocol/client', error);
  }
}
