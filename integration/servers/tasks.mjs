// Answers calls with tasks. `tasks.mjs newer|older FILE`: tasks stand in the file, so that they outlive the program.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { objectSchema, serve } from './wire.mjs';

const [revision, file] = process.argv.slice(2);
const isNewer = revision === 'newer';
const tasks = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const save = () => writeFileSync(file, JSON.stringify(tasks));
const say = (line) => process.stderr.write(`${line}\n`);
const complete = (result = {}) => (isNewer ? { resultType: 'complete', ...result } : result);
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const times = { createdAt: '2026-08-01T10:00:00Z', lastUpdatedAt: '2026-08-01T10:00:00Z' };
const shown = (taskId, more) =>
  isNewer
    ? { taskId, ...times, ttlMs: 60_000, pollIntervalMs: 60, ...more }
    : { taskId, ...times, ttl: 60_000, pollInterval: 60, ...more };
const question = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Go on?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  },
};

/** The messages of each tool's task at its n-th look. */
const stories = {
  bake: (looks, task) =>
    looks < 3
      ? { status: 'working', statusMessage: `step ${looks}` }
      : { status: 'completed', result: text(`baked, started ${task.calls} times`) },
  roast: (looks, task) =>
    looks < 25
      ? { status: 'working', statusMessage: `turn ${looks}` }
      : { status: 'completed', result: text(`roasted, started ${task.calls} times`) },
  endless: (looks) => ({ status: 'working', statusMessage: `still at ${looks}` }),
  fails: () => ({ status: 'failed', error: { code: -32_000, message: 'the oven is cold' } }),
  gives_up: () => ({ status: 'cancelled', statusMessage: 'no flour' }),
  asks: (_looks, { answers = {} }) =>
    answers.a
      ? { status: 'completed', result: text(`hello ${answers.a.content?.name}`) }
      : { status: 'input_required', inputRequests: { a: question } },
  asks_forever: (looks) => ({ status: 'input_required', inputRequests: { [`q${looks}`]: question } }),
  odd: (looks) => (looks < 2 ? { status: 'working' } : { status: 'dreaming' }),
  empty: () => ({ status: 'completed' }),
  dies: (looks, task) => {
    if (looks === 2) process.exit(1);
    return looks < 4
      ? { status: 'working' }
      : { status: 'completed', result: text(`survived, started ${task.calls} times`) };
  },
};

serve(
  'tasks',
  {
    'server/discover': isNewer
      ? () =>
          complete({
            supportedVersions: ['2026-07-28'],
            capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
          })
      : undefined,
    'tools/list': () =>
      complete({
        tools: Object.keys(stories).map((name) => ({
          name,
          inputSchema: objectSchema(),
          execution: isNewer ? undefined : { taskSupport: 'required' },
        })),
      }),
    'tools/call': ({ name, task, _meta }) => {
      const mayBeTask = isNewer
        ? _meta['io.modelcontextprotocol/clientCapabilities'].extensions['io.modelcontextprotocol/tasks']
        : task;
      if (!mayBeTask) throw new Error('only as a task');
      const id = `task-${name}`;
      tasks[id] = { name, looks: 0, calls: (tasks[id]?.calls ?? 0) + 1 };
      save();
      say(`started ${id}`);
      const seed = shown(id, { status: 'working' });
      return isNewer ? { resultType: 'task', ...seed } : { task: seed };
    },
    'tasks/get': ({ taskId }) => {
      const task = tasks[taskId];
      if (!task) throw new Error('Task not found');
      task.looks += 1;
      save();
      const { result, error, ...state } = stories[task.name](task.looks, task);
      return complete(shown(taskId, isNewer ? { ...state, result, error } : state));
    },
    'tasks/result': ({ taskId }) => {
      const task = tasks[taskId];
      const { result, error } = stories[task.name](task.looks, task);
      if (error) throw new Error(error.message);
      return result;
    },
    'tasks/update': ({ taskId, inputResponses }) => {
      tasks[taskId].answers = { ...tasks[taskId].answers, ...inputResponses };
      save();
      return complete();
    },
    'tasks/cancel': ({ taskId }) => {
      say(`cancelled ${taskId}`);
      delete tasks[taskId];
      save();
      return complete();
    },
  },
  { capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } }, cancel: {} } } },
);
