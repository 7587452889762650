import { expect, test } from 'vitest';
import { UsageError } from '../base/exit-codes.js';
import { run as completion } from './completion.js';
import { run as doctor } from './doctor/doctor.js';
import { run as fleet } from './fleet/fleet.js';
import { run as init } from './init.js';
import { run as mcp } from './mcp/mcp.js';
import { run as memory } from './memory.js';
import { run as permissions } from './permissions/permissions.js';
import { run as sessions } from './sessions.js';
import { run as tools } from './tools/tools.js';
import { run as trust } from './trust.js';
import { run as undo } from './undo.js';

const commands = { completion, doctor, fleet, init, mcp, memory, permissions, sessions, tools, trust, undo };

test.each([
  ['tools list x', 'tools list takes no more arguments, but got "x".'],
  ['tools show glob x', 'tools show NAME takes no more arguments, but got "x".'],
  ['tools new a x', 'tools new NAME takes no more arguments, but got "x".'],
  ['tools check a x', 'tools check NAME takes no more arguments, but got "x".'],
  [
    'tools run glob src',
    'The arguments of glob go into --args: toolwright tools run glob --args \'{"path": "src"}\'',
  ],
  [
    'tools run read_file {"path":"a"}',
    'The arguments of read_file go into --args: toolwright tools run read_file --args \'{"path":"a"}\'',
  ],
  ['undo a x', 'undo ID takes no more arguments, but got "x".'],
  ['undo --list x', 'undo with --list or --to takes no more arguments, but got "x".'],
  ['sessions list x', 'sessions list takes no more arguments, but got "x".'],
  ['sessions show a x', 'sessions show ID takes no more arguments, but got "x".'],
  ['permissions list x', 'permissions list takes no more arguments, but got "x".'],
  ['memory show x', 'memory show takes no more arguments, but got "x".'],
  ['trust a x', 'trust DIR takes no more arguments, but got "x".'],
  ['trust --list x', 'trust --list takes no more arguments, but got "x".'],
  ['doctor x', 'doctor takes no more arguments, but got "x".'],
  ['init x', 'init takes no more arguments, but got "x".'],
  ['completion bash x', 'completion bash takes no more arguments, but got "x".'],
  ['fleet status x', 'fleet status takes no more arguments, but got "x".'],
  ['fleet worker x', 'fleet worker takes no more arguments, but got "x".'],
  ['fleet show a x', 'fleet show ID takes no more arguments, but got "x".'],
  ['fleet logs a x', 'fleet logs ID takes no more arguments, but got "x".'],
  ['mcp serve x', 'mcp serve takes no more arguments, but got "x".'],
])('toolwright %s: a word too many is named, and nothing is done', async (line, message) => {
  const [command, ...args] = line.split(' ');
  await expect(commands[command as keyof typeof commands](args)).rejects.toThrow(new UsageError(message));
});
