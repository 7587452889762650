import { childEnvironment } from '../../host/processes/child-environment.js';
import type { Launch } from '../../host/processes/processes.js';
import type { ShellParts } from './parts.js';

/** A start of bash that reads no start-up file. */
export function bash(
  args: readonly string[],
  directory: string,
  {
    environment,
    passedNames,
    mayAsk,
  }: Pick<ShellParts, 'environment' | 'passedNames'> & { mayAsk?: boolean },
  values: Readonly<Record<string, string>> = {},
): Launch {
  const names =
    passedNames.length === 0
      ? []
      : Object.keys(environment).filter((name) => passedNames.some((each) => fits(name, each)));
  return {
    program: 'bash',
    args: ['--noprofile', '--norc', ...args],
    directory,
    environment: childEnvironment(environment, { names, values, mayAsk }),
    endsInScript: true,
  };
}

/** `NAME`, or `NAME*` for a prefix. */
function fits(name: string, written: string): boolean {
  return written.endsWith('*') ? name.startsWith(written.slice(0, -1)) : name === written;
}
