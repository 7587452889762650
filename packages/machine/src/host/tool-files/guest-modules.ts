import { Console } from 'node:console';

/** Writes to standard error: standard output belongs to the answer, or to a protocol. */
export const toolConsole = Object.assign(new Console(process.stderr), { Console });

function refuseExit(code?: number | string | null): never {
  throw new Error(
    `process.exit(${code ?? ''}) was called, which would end the whole program and not only this tool. Return what there is to say, or throw a ToolError.`,
  );
}

/** The process as a tool file sees it: it can neither write into the answer nor end the program. */
export const toolProcess: NodeJS.Process = new Proxy(process, {
  get(real, name) {
    if (name === 'stdout') return real.stderr;
    if (name === 'exit') return refuseExit;
    return Reflect.get(real, name);
  },
  set: (real, name, value) => name === 'exitCode' || Reflect.set(real, name, value),
});

/** Replacements for these modules; all others are Node's own. */
export const guestModules: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['process', toolProcess],
  ['node:process', toolProcess],
  ['console', toolConsole],
  ['node:console', toolConsole],
]);
