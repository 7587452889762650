import { type FSWatcher, readdirSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import { type FakeModelServer, startFakeModelServer } from '@toolwright/core/testing';
import { wires } from '../headless/stream-drops.js';
import { createMachine, type Ended, type Machine } from '../program.js';
import { heardIn, isInterrupted, type Said, unpaired } from './heard.js';
import { type Journal, newestJournal, phaseOf } from './journal.js';
import { createScript, files, type Script } from './script.js';

export interface Tally {
  kills: number;
  /** Kills before the prompt was written down: there was nothing to go on with. */
  nothingToResume: number;
  answeredTurnsLost: number;
  sessionsThatDidNotResume: number;
  callsWithoutResponse: number;
  filesTorn: number;
  temporaryFilesLeft: number;
  answeredChangesLost: number;
  /** Runs that came to their end before the kill did. */
  endedBefore: number;
  sessions: number;
  phases: Record<string, number>;
}

/** The members of a tally when a kill cost nothing that was answered. */
export const nothingLost = {
  answeredTurnsLost: 0,
  sessionsThatDidNotResume: 0,
  callsWithoutResponse: 0,
  answeredChangesLost: 0,
  filesTorn: 0,
  temporaryFilesLeft: 0,
} satisfies Partial<Tally>;

type Wire = (typeof wires)[number];

/** A conversation that is killed and goes on, killed and goes on, and at last comes to an end. */
interface Conversation {
  wire: Wire;
  /** Null until something of it was written down. */
  id: string | null;
  /** The messages of the latest request; the next one must begin with them. */
  heard: Said[];
  /** The answers in the journal or the output: texts of the model, and responses by the id of their call. */
  answered: { texts: Set<string>; responses: Set<string> };
}

interface Scene {
  machine: Machine;
  server: FakeModelServer;
  script: Script;
  tally: Tally;
  prompts: number;
  /** The time of a prompt here and now, to aim by. */
  lifeMs: number;
  /** By path: the newest state that a call was answered with. */
  promised: Map<string, number>;
}

/** Kills the program at so many random moments, lets it go on each time, and counts what is missing afterwards. */
export async function killRepeatedly(kills: number): Promise<Tally> {
  const machine = createMachine(files);
  const script = createScript(machine);
  const scene: Scene = {
    machine,
    server: await startFakeModelServer({ otherwise: (request) => script.answer(request) }),
    script,
    tally: emptyTally(),
    prompts: 0,
    lifeMs: 0,
    promised: new Map(),
  };
  try {
    // The first run fills the code cache; the second shows how long a run takes.
    for (let round = 0; round < 2; round++) await goOn(scene, begin(), null);
    while (scene.tally.kills < kills) await killConversation(scene, kills);
    print(scene.tally);
    return scene.tally;
  } finally {
    await scene.server.close();
    machine.cleanup();
  }
}

async function killConversation(scene: Scene, kills: number): Promise<void> {
  const conversation = begin();
  const rounds = 3 + Math.floor(Math.random() * 5);
  for (let round = 0; round < rounds && scene.tally.kills < kills; round++)
    await goOn(scene, conversation, randomMoment(scene));
  if (conversation.id !== null) await goOn(scene, conversation, null);
  scene.tally.sessions += 1;
  for (const name of readdirSync(scene.machine.workspace).filter((name) => name.startsWith('new-'))) {
    rmSync(join(scene.machine.workspace, name));
    scene.promised.delete(name);
  }
}

function begin(): Conversation {
  const wire = wires[Math.floor(Math.random() * wires.length)]!;
  return {
    wire,
    id: null,
    heard: [],
    answered: { texts: new Set(), responses: new Set() },
  };
}

/** Waits for its moment in the run and calls `strike`. */
type Moment = (strike: () => void) => { output(text: string): void; stop(): void };

/** Anywhere on the clock, or shortly after a request, an event or a line of the journal, where things happen fast. */
function randomMoment({ server, lifeMs, machine }: Scene): Moment {
  const within = (strike: () => void, ms: number): void =>
    void (Math.random() < 0.2 ? strike() : setTimeout(strike, Math.random() * ms));
  const count = 1 + Math.floor(Math.random() * 4);
  const nothing = (): void => undefined;
  switch (Math.floor(Math.random() * 6)) {
    case 0:
    case 3:
    case 4:
      return (strike) => {
        const timer = setTimeout(strike, Math.random() * lifeMs);
        return { output: nothing, stop: () => clearTimeout(timer) };
      };
    case 1:
      return (strike) => {
        const due = server.requests.length + count;
        const timer = setInterval(() => {
          if (server.requests.length < due) return;
          clearInterval(timer);
          within(strike, 15);
        }, 1);
        return { output: nothing, stop: () => clearInterval(timer) };
      };
    case 2:
      return (strike) => {
        let lines = Math.ceil(Math.random() * 30);
        const output = (text: string): void => {
          lines -= text.split('\n').length - 1;
          if (lines <= 0) within(strike, 3);
        };
        return { output, stop: nothing };
      };
    default:
      return (strike) => {
        let left = count * 5;
        const watcher: FSWatcher = watch(join(machine.state, 'sessions'), { recursive: true }, () => {
          if (left-- === 0) within(strike, 2);
        });
        return { output: nothing, stop: () => watcher.close() };
      };
  }
}

/** Runs the program on the next prompt, to its end or to the kill, and looks at what is there afterwards. */
async function goOn(scene: Scene, conversation: Conversation, moment: Moment | null): Promise<void> {
  const { machine, server, tally } = scene;
  const before = server.requests.length;
  const started = performance.now();
  const resume = conversation.id === null ? [] : randomResume(conversation.id);
  const { wire } = conversation;
  const args = [
    ...resume,
    '-p',
    `prompt ${++scene.prompts}`,
    '--approval-mode',
    'auto-edit',
    '--provider',
    wire,
  ];
  const { ended, killed } = await runUntil(scene, [...args, '--output-format', 'stream-json'], {
    env: server.environment(wire),
    moment,
  });
  const requests = server.requests.slice(before);
  for (const { body } of requests) hear(scene, conversation, heardIn(body));
  if (!killed) {
    if (moment) tally.endedBefore += 1;
    scene.lifeMs = performance.now() - started;
    if (ended.code !== 0 || requests.length === 0) complain(scene, conversation, ended);
  }
  const journal = newestJournal(machine.state);
  const isOurs = journal?.lines.some((line) => isPrompt(line, scene.prompts)) ?? false;
  if (killed) count(scene, { journal: isOurs ? journal : null, requests: requests.length });
  if (journal && isOurs) conversation.id = journal.id;
  if (conversation.id === null) tally.nothingToResume += 1;
  if (conversation.id !== null && journal) remember(scene, conversation, { journal, output: ended.stdout });
  countDamage(scene, killed);
}

function randomResume(id: string): string[] {
  return Math.random() < 0.5 ? ['--continue'] : ['--resume', id];
}

async function runUntil(
  { machine }: Scene,
  args: string[],
  { env, moment }: { env: Record<string, string>; moment: Moment | null },
): Promise<{ ended: Ended; killed: boolean }> {
  let waiting: ReturnType<Moment> | undefined;
  const ended = await machine.run(args, {
    env,
    onStart: (kill) => {
      waiting = moment?.(() => kill('SIGKILL'));
    },
    onOutput: (text) => waiting?.output(text),
  });
  waiting?.stop();
  return { ended, killed: ended.code === null };
}

/** A request must begin with all that the one before it said, and answer every call. */
function hear({ tally, script, promised }: Scene, conversation: Conversation, all: Said[]): void {
  const { heard, answered } = conversation;
  const isSame = (said: Said, index: number): boolean =>
    said.kind === all[index]?.kind && said.key === all[index].key && said.text === all[index].text;
  const lost = heard.filter((said, index) => !isSame(said, index)).map(({ kind, key }) => `${kind} ${key}`);
  for (const text of answered.texts)
    if (!all.some((said) => said.kind === 'model' && said.text === text)) lost.push(text);
  for (const id of answered.responses)
    if (!all.some((said) => said.kind === 'response' && said.key === id && !isInterrupted(said)))
      lost.push(id);
  if (lost.length > 0) console.log(`lost: ${lost.join('; ')}`);
  tally.answeredTurnsLost += lost.length;
  tally.callsWithoutResponse += unpaired(all);
  for (const [path, generation] of promised)
    if (script.generationOf(path) < generation) tally.answeredChangesLost += 1;
  conversation.heard = all;
}

function complain({ tally }: Scene, { id }: Conversation, { code, stderr }: Ended): void {
  tally.sessionsThatDidNotResume += 1;
  console.log(`did not resume: ${id} ended with ${code}: ${stderr}`);
}

/** Notes what the program had answered for good: lines it wrote, and events it printed. */
function remember(
  { script, promised, tally }: Scene,
  { answered }: Conversation,
  { journal, output }: { journal: Journal; output: string },
): void {
  for (const { type, message, response, error } of journal.lines) {
    if (type === 'message' && message?.role === 'model')
      for (const { text } of message.parts) if (text) answered.texts.add(text);
    if (type !== 'call-end' || response?.id === undefined) continue;
    answered.responses.add(response.id);
    const outcome = script.outcomes.get(response.id);
    if (outcome && !error) promised.set(outcome.path, outcome.generation);
  }
  const known = new Set(journal.lines.map(({ type, callId }) => `${type} ${callId}`));
  for (const line of output.split('\n').slice(0, -1)) {
    const event = JSON.parse(line) as { type: string; callId?: string; response?: string };
    if (event.type === 'call-end' && !known.has(`call-end ${event.callId}`)) tally.answeredTurnsLost += 1;
    if (event.type === 'result' && event.response) answered.texts.add(event.response);
  }
}

function isPrompt({ type, message }: Journal['lines'][number], prompt: number): boolean {
  return type === 'message' && message?.role === 'user' && message.parts[0]?.text === `prompt ${prompt}`;
}

function count(
  { tally, prompts }: Scene,
  { journal, requests }: { journal: Journal | null; requests: number },
): void {
  tally.kills += 1;
  const phase = journal ? phaseOf(journal, isAsked(journal, prompts, requests)) : 'before the prompt';
  tally.phases[phase] = (tally.phases[phase] ?? 0) + 1;
}

/** True if the model was asked: there is a request for each message of the user since the prompt of this run. */
function isAsked({ lines }: Journal, prompt: number, requests: number): boolean {
  const start = lines.findIndex((line) => isPrompt(line, prompt));
  return lines.slice(start).filter(({ message }) => message?.role === 'user').length <= requests;
}

function countDamage({ script, tally }: Scene, killed: boolean): void {
  const { torn, temporary } = script.damage();
  if (torn.length > 0) console.log(`torn: ${torn.join(', ')}`);
  tally.filesTorn += torn.length;
  // Files that a kill leaves behind are for the next start to remove.
  if (!killed) tally.temporaryFilesLeft += temporary.length;
}

function emptyTally(): Tally {
  return {
    kills: 0,
    nothingToResume: 0,
    answeredTurnsLost: 0,
    sessionsThatDidNotResume: 0,
    callsWithoutResponse: 0,
    filesTorn: 0,
    temporaryFilesLeft: 0,
    answeredChangesLost: 0,
    endedBefore: 0,
    sessions: 0,
    phases: {},
  };
}

function print(tally: Tally): void {
  const phases = Object.entries(tally.phases).map(([phase, times]) => `${times} ${phase}`);
  console.log(
    `evidence: kills ${tally.kills}, answered turns lost ${tally.answeredTurnsLost}, sessions that did not resume ${tally.sessionsThatDidNotResume}, ` +
      `calls without response ${tally.callsWithoutResponse}, answered changes lost ${tally.answeredChangesLost}, files torn ${tally.filesTorn}, ` +
      `temporary files left ${tally.temporaryFilesLeft}; ${tally.sessions} sessions, ${tally.nothingToResume} kills with nothing to resume yet, ` +
      `${tally.endedBefore} runs ended before the kill; ` +
      `killed ${phases.sort().join(', ')}`,
  );
}
