import { type Display, type RawCall, type SettledCall, type Toolbox, textOf } from '@toolwright/core';
import { displayText, failureSentence, shownBeside } from '../../base/display-text.js';
import { exitCodes, UsageError } from '../../base/exit-codes.js';
import { abortOnInterrupt } from '../../base/interrupts.js';
import { printJson } from '../../base/print.js';
import { stdinLines, tooLong } from '../../base/read-stdin.js';
import type { Arguments } from '../../command-line/args.js';
import { type Setup, withToolbox } from '../../setup/runtime.js';
import { callOfLine } from '../call-line.js';
import { argsOf } from './args-flag.js';

/** The object that `--json` prints, and every line of `--batch`. */
interface PrintedResult {
  llmContent: unknown;
  returnDisplay: unknown;
  error?: { code: string; message: string };
}

/** Runs a tool without a model, through the whole flow of a call. */
export async function runTool([name, ...further]: readonly string[], args: Arguments): Promise<number> {
  const isBatch = args.switches.has('batch');
  if (isBatch && name !== undefined)
    throw new UsageError('tools run --batch takes no name: each line names its tool.');
  if (!isBatch && name === undefined)
    throw new UsageError('tools run needs the name of a tool; toolwright tools list shows them.');
  if (further.length > 0) throw new UsageError(intoArgs(name, further.join(' ')));
  const signal = abortOnInterrupt();
  const single = isBatch ? null : { name: name as string, args: (await argsOf(args)) ?? {} };
  return withToolbox(args, { front: 'tools run', mayAsk: !isBatch, servers: {} }, async (toolbox, setup) => {
    if (!single) return runBatch(toolbox, signal);
    const code = await runSingle(toolbox, single, { json: args.switches.has('json'), signal });
    if (!toolbox.registry.find(single.name)) process.stderr.write(whyMissing(setup));
    return code;
  });
}

function intoArgs(name: string | undefined, given: string): string {
  const example = /^\{[^']*\}$/.test(given) ? given : '{"path": "src"}';
  return `The arguments of ${name} go into --args: toolwright tools run ${name} --args '${example}'`;
}

async function runSingle(
  toolbox: Toolbox,
  { name, args }: { name: string; args: unknown },
  { json, signal }: { json: boolean; signal: AbortSignal },
): Promise<number> {
  const settled = await settle(toolbox, { id: '', name, arguments: args as RawCall['arguments'] }, signal);
  if (json) printJson(toPrintedResult(settled));
  else if (settled.error) {
    const shown = shownBeside(settled.error, settled.display);
    if (shown !== '') process.stdout.write(`${displayText(shown)}\n`);
    process.stderr.write(
      `${displayText(failureSentence(settled.error, settled.display))}${howToAllow(settled)}\n`,
    );
  } else process.stdout.write(`${await textOfDisplay(withFindings(settled))}\n`);
  return exitCodeOf([settled], signal);
}

/** Tables are drawn, as wide as they are where nobody has said how much room there is. */
async function textOfDisplay(display: Display): Promise<string> {
  if (typeof display === 'string' || display.kind === 'markdown' || display.kind === 'diff')
    return displayText(display);
  const { drawDisplay } = await import('../../ui/draw-display.js');
  return drawDisplay(display, process.stdout, process.env);
}

/** Adds the findings of a call that only reads: its display merely sums them up. */
function withFindings({ display, llmContent, effects }: SettledCall): Display {
  const onlyLooks = effects.length > 0 && effects.every(({ kind }) => kind === 'read' || kind === 'network');
  if (typeof display !== 'string' || !onlyLooks) return display;
  const text = textOf(llmContent).replace(/\n$/, '');
  // Many tools show what they found, and a search begins with the sum itself.
  if (`${display}\n`.startsWith(`${text}\n`)) return display;
  const [first, ...others] = text.split('\n');
  const found = display === `Found ${first}` ? others : [first, ...others];
  return [display, ...found].join('\n');
}

/** A line that can't be used gives an error line; only the end of the input ends the batch. */
async function runBatch(toolbox: Toolbox, signal: AbortSignal): Promise<number> {
  const all: SettledCall[] = [];
  let badLines = 0;
  for await (const line of stdinLines()) {
    if (line !== tooLong && line.trim() === '') continue;
    const read = callOfLine(line);
    if ('problem' in read) {
      badLines += 1;
      const { problem } = read;
      const error = { code: 'invalid_params', message: problem };
      printJson({ llmContent: problem, returnDisplay: problem, error });
      continue;
    }
    const settled = await settle(toolbox, read.call, signal);
    all.push({ ...settled, llmContent: '', display: '' });
    printJson(toPrintedResult(settled));
    if (signal.aborted) break;
  }
  return badLines > 0 && !signal.aborted ? exitCodes.failure : exitCodeOf(all, signal);
}

async function settle(toolbox: Toolbox, call: RawCall, signal: AbortSignal): Promise<SettledCall> {
  if (!toolbox.registry.find(call.name)) await toolbox.mcp?.awaitAll(signal);
  const [settled] = await toolbox.scheduler.run([call], signal);
  return settled as SettledCall;
}

function toPrintedResult({ llmContent, display, error }: SettledCall): PrintedResult {
  return { llmContent, returnDisplay: display, error };
}

/** Tells the author of a new tool that folders are not trusted by themselves. */
function whyMissing({ trusted, trust }: Setup): string {
  const names = Object.keys(trust.examination.fingerprint);
  return trusted || !names.some((name) => name.startsWith('.toolwright/tools/'))
    ? ''
    : 'The tools of this folder take effect once you trust it: toolwright trust\n';
}

function howToAllow({ denied }: SettledCall): string {
  return denied?.by === 'nobody-to-ask' ? ' See --approval-mode and --allowed-tools.' : '';
}

function exitCodeOf(settled: SettledCall[], signal: AbortSignal): number {
  if (signal.aborted) return exitCodes.cancelled;
  const isUnasked = ({ denied }: SettledCall): boolean => denied?.by === 'nobody-to-ask';
  if (settled.some((call) => call.error && !isUnasked(call))) return exitCodes.failure;
  return settled.some(isUnasked) ? exitCodes.nobodyToAsk : exitCodes.done;
}
