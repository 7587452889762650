import { isNodeError, ToolError } from './errors.js';

/** Packages that are installed where their work is wanted: what needs them, and the versions that fit. */
export const optionalPackages = {
  esbuild: { work: 'Compiling tool files', version: '0.28' },
  unpdf: { work: 'Reading PDF files', version: '1' },
  '@silvia-odwyer/photon-node': { work: 'Reading images', version: '0.3' },
  '@modelcontextprotocol/client': { work: 'Using MCP servers', version: '2' },
  '@modelcontextprotocol/server': { work: 'Serving tools over MCP', version: '2' },
} as const;

export type OptionalPackage = keyof typeof optionalPackages;

export class MissingPackage extends ToolError {
  constructor(name: OptionalPackage, options?: ErrorOptions) {
    const { work, version } = optionalPackages[name];
    const advice = `Install it beside Toolwright: npm install ${name}@${version}`;
    super('failed', `${work} needs the package ${name}, which is not installed. ${advice}`, options);
  }
}

/**
 * Words the failure to load a package. The `import()` itself stands in a `try` where the package is used: bundlers then let it be missing.
 */
export function packageProblem(name: OptionalPackage, error: unknown): unknown {
  const isMissing =
    isNodeError(error, 'ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND') && error.message.includes(`'${name}'`);
  return isMissing ? new MissingPackage(name, { cause: error }) : error;
}
