import { resolve } from 'node:path';
import { openState } from '@toolwright/core';
import {
  createClock,
  createIds,
  openTrustStore,
  stateFolderPath,
  type TrustState,
  type TrustStore,
  terminalSafeLine,
} from '@toolwright/core/front-end';
import { exitCodes } from '../base/exit-codes.js';
import { abortOnInterrupt } from '../base/interrupts.js';
import { print, printLine } from '../base/print.js';
import { type Arguments, refuseFurther } from '../command-line/args.js';
import { defineCommand } from './command.js';

const flags = [
  { name: 'list', help: 'List the folders you have answered about.' },
  { name: 'show', help: 'Show what the folder could run, without answering.' },
  { name: 'remove', help: 'Forget the answer.' },
];

/** The user's answer about a folder: whether its settings, tools and servers count. */
export const run = defineCommand({
  usage: `  toolwright trust [DIR]       trust the settings, tools and servers of a folder (default: this one)

Trust covers this folder alone and holds until one of the files that can run something changes.`,
  flags,
  run: answerAbout,
});

async function answerAbout(args: Arguments): Promise<number> {
  const isList = args.switches.has('list');
  refuseFurther(args.words.slice(isList ? 0 : 1), isList ? 'trust --list' : 'trust DIR');
  const signal = abortOnInterrupt();
  const clock = createClock();
  const state = openState({ path: stateFolderPath(process.env), host: { clock, ids: createIds() } });
  const store = openTrustStore(state, { clock });
  if (isList) return list(store);
  const folder = resolve(args.words[0] ?? args.values.get('workspace') ?? '.');
  if (args.switches.has('remove')) {
    const found = await store.untrustFolder(folder, signal);
    printLine(found ? `Forgotten: ${folder}` : `There was no answer for ${folder}`);
    return exitCodes.done;
  }
  const found = await store.trustState(folder, signal);
  process.stdout.write(describe(found));
  if (args.switches.has('show')) return exitCodes.done;
  await store.trustFolder(found.examination, signal);
  printLine(`Trusted: ${found.examination.folder}`);
  return exitCodes.done;
}

function describe(found: TrustState): string {
  const { fingerprint, commands, contextFiles = [] } = found.examination;
  const files = Object.keys(fingerprint).map(indented);
  const changes =
    found.state === 'changed'
      ? found.changes.map(({ path, change }) => indented(`${path}: ${change} since it was trusted`))
      : [];
  const named = commands.map(({ runs, setting, file, line }) =>
    indented(`${runs}   (${setting} in ${file}:${line})`),
  );
  return [
    `State: ${found.state}\n`,
    files.length > 0
      ? `Files that take effect when it is trusted:\n${files.join('')}`
      : contextFiles.length > 0
        ? ''
        : 'Nothing in this folder depends on trust.\n',
    contextFiles.length > 0
      ? `Files that the model follows as instructions when it is trusted:\n${contextFiles.map(indented).join('')}`
      : '',
    changes.length > 0 ? `What changed:\n${changes.join('')}` : '',
    named.length > 0 ? `Commands they name:\n${named.join('')}` : '',
  ].join('');
}

function indented(text: string): string {
  return `  ${terminalSafeLine(text)}\n`;
}

async function list(store: TrustStore): Promise<number> {
  const entries = await store.list();
  if (entries.length === 0) print('No folder has been trusted or refused.');
  for (const { folder, trusted, decidedAt } of entries) {
    const date = new Date(decidedAt).toISOString().slice(0, 10);
    printLine(`${trusted ? 'trusted' : 'refused'}  ${date}  ${folder}`);
  }
  return exitCodes.done;
}
