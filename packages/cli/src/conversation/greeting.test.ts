import { expect, it } from 'vitest';
import { greeting } from './greeting.js';

const place = {
  model: { provider: 'openai', model: 'm' },
  host: { workspace: { directory: '/w' } },
  permission: { mode: 'default' as const },
  apart: { id: null },
};

it('the greeting says who answers, where, and what may happen without asking', () => {
  expect(greeting({ ...place, messages: [] })).toBe(
    'Toolwright with m (openai) in /w, approval mode default. /help shows what you can type.',
  );
  expect(greeting({ ...place, apart: { id: '0m' }, messages: [] })).toContain(
    'approval mode default, apart. /help',
  );
  const atHome = { ...place, host: { workspace: { directory: '/home/me/project' } } };
  expect(greeting({ ...atHome, messages: [] }, '/home/me')).toContain(' in ~/project, ');
  expect(greeting({ ...atHome, messages: [] }, '/home/m')).toContain(' in /home/me/project, ');
  const offline = { ...place, model: { provider: 'offline', model: 'offline' } };
  expect(greeting({ ...offline, messages: [] })).toMatch(/^Toolwright with the built-in offline model in/);
});

it('the greeting reminds of what was said last when a session goes on', () => {
  const messages = [
    { role: 'user' as const, parts: [{ text: 'first' }] },
    { role: 'user' as const, parts: [{ text: `second\n${'x'.repeat(200)}` }] },
    { role: 'user' as const, parts: [{ functionResponse: { name: 'edit', response: {} } }] },
    { role: 'model' as const, parts: [{ text: 'answer' }] },
  ];
  const said = `You last said: second ${'x'.repeat(93)} …`;
  expect(greeting({ ...place, messages }).split('\n')[1]).toBe(
    `Continuing an earlier session (4 messages). ${said}`,
  );
});
