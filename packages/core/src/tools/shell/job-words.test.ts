import type { Job } from '@toolwright/machine/host/jobs/jobs.js';
import { expect, it } from 'vitest';
import { describeJob, exposedNote, withNews } from './job-words.js';

const waiting = (echo: boolean): Job => ({
  id: 'job-1',
  command: 'npm init',
  directory: '/work',
  pid: 7,
  startedAt: 0,
  endedAt: null,
  status: { kind: 'waiting', blocked: { pid: 7, program: 'npm', certain: true, prompt: 'name:', echo } },
  logPath: '/state/job-1.log',
  bytes: 5,
  ports: [],
  notes: [],
});

it('the report of a job tells the user what to type, whether it is shown or not', () => {
  const words =
    'it waits for input after printing "name:". /jobs input job-1 ANSWER answers, /jobs stop job-1 ends it';
  expect(describeJob(waiting(true), 'user')).toBe(words);
  expect(describeJob(waiting(false), 'user')).toBe(words);
});

it('the report of a job tells the model which call answers, and leaves passwords to the user', () => {
  expect(describeJob(waiting(true))).toContain('Answer with jobs {"action": "input", "id": "job-1"');
  expect(describeJob(waiting(false))).toContain('only the user may answer');
});

const note =
  'while it ran .npmrc was made or replaced, and nothing kept this job from writing it: look at it before anything runs it';

it('the report of a job says behind how a job stands what else is to be known', () => {
  expect(exposedNote(['.npmrc'])).toEqual([note]);
  expect(exposedNote(['.npmrc', '.envrc'])[0]).toMatch(/\.npmrc, \.envrc were made .* look at them/);
  expect(exposedNote([])).toEqual([]);
  const running: Job = { ...waiting(true), status: { kind: 'running' }, notes: [note] };
  expect(describeJob(running)).toBe(`running; ${note}`);
});

it('the report of a job says it once with the next answer of a command, unless that answer says it already', () => {
  const told = new Set<string>();
  const answer = (text: string, id = 'job-1') =>
    withNews({ llmContent: text, returnDisplay: text }, [{ id, note }], told).llmContent;
  expect(answer('a\n[exit code 0]')).toBe(`a\n[exit code 0]\n[job-1: ${note}]`);
  expect(answer('b\n[exit code 0]')).toBe('b\n[exit code 0]');
  expect(answer(`[job-2 runs in the background: running; ${note}]`, 'job-2')).not.toContain('job-2: while');
  expect(answer('c', 'job-2')).toBe('c');
});
