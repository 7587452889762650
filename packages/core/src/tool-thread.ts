/** The script of a thread that runs a tool file. */
import { parentPort } from 'node:worker_threads';
import { serveTools } from './tools/own/thread/serve-tools.js';

if (!parentPort) throw new Error('This script runs in a thread that the program starts.');
serveTools(parentPort, () => import('./index.js'));
