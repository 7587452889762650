/** The script of a thread in which one script of the model runs. */
import { parentPort, workerData } from 'node:worker_threads';
import { openEngine } from './tools/script/engine/engine.js';
import type { FromScript, ScriptStart, SentResult } from './tools/script/engine/messages.js';

const port = parentPort;
if (!port) throw new Error('This script runs in a thread that the program starts.');
const engine = await openEngine(workerData as ScriptStart, (message) => port.postMessage(message));
port.on('message', (results: SentResult[]) => engine.settle(results));
port.postMessage({ type: 'started' } satisfies FromScript);
engine.start();
