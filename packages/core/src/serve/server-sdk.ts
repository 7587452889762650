import { packageProblem } from '@toolwright/machine/base/optional-package.js';

export type ServerSdk = typeof import('@modelcontextprotocol/server');

export async function loadServerSdk(): Promise<ServerSdk> {
  try {
    return await import('@modelcontextprotocol/server');
  } catch (error) {
    throw packageProblem('@modelcontextprotocol/server', error);
  }
}

export async function loadStdioSdk(): Promise<typeof import('@modelcontextprotocol/server/stdio')> {
  try {
    return await import('@modelcontextprotocol/server/stdio');
  } catch (error) {
    throw packageProblem('@modelcontextprotocol/server', error);
  }
}
