import { expect, it } from 'vitest';
import type { Job } from '../../host/jobs/jobs.js';
import { describeJob } from './job-words.js';

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
  outlives: false,
  ports: [],
});

it('tells a person what to type, whether it is shown or not', () => {
  const words =
    'it waits for input after printing "name:". /jobs input job-1 ANSWER answers, /jobs stop job-1 ends it';
  expect(describeJob(waiting(true), 'person')).toBe(words);
  expect(describeJob(waiting(false), 'person')).toBe(words);
});

it('tells the model which call answers, and leaves passwords to the person', () => {
  expect(describeJob(waiting(true))).toContain('Answer with jobs {"action": "input", "id": "job-1"');
  expect(describeJob(waiting(false))).toContain('only the user may answer');
});
