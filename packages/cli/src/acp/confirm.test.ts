import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { type ConfirmRequest, wordQuestion } from '@toolwright/core';
import { expect, it } from 'vitest';
import type { Editor } from './ask.js';
import { confirmInEditor } from './confirm.js';

const request: ConfirmRequest = {
  callId: '1',
  tool: 'edit',
  description: 'Edit .envrc',
  reason: 'a protected path is always asked about',
  brief: 'a rule of yours says so',
  offers: [{ rule: 'Edit(a.ts)', allows: 'changes to a.ts' }],
  modifiable: false,
  details: {
    kind: 'edit',
    title: 'Edit .envrc',
    diff: {
      kind: 'diff',
      files: [{ path: '.envrc', change: 'modify', unified: '@@ -1 +1 @@\n-a\n+b\n', added: 1, removed: 1 }],
    },
    warnings: ['.envrc: protected: direnv runs it'],
    effects: [{ kind: 'write', path: '/w/.envrc' }],
  },
};

it('an editor is asked with the words of the terminal: title, warnings, facts and answers', async () => {
  const asked: RequestPermissionRequest[] = [];
  const editor = {
    client: {
      async request(_method: string, params: RequestPermissionRequest) {
        asked.push(params);
        return { outcome: { outcome: 'selected', optionId: '0' } };
      },
    },
    sessionId: 's',
    capabilities: {},
    outbox: { flush: async () => undefined, send: () => undefined },
    absolute: (path: string) => `/w/${path}`,
  } as unknown as Editor;
  const confirm = confirmInEditor({ editor, show: (path) => path });
  expect(await confirm(request, new AbortController().signal)).toEqual({ kind: 'once' });
  const { title, warnings, facts, answers } = wordQuestion(request, { canRefuseForGood: true });
  const [{ toolCall, options } = { toolCall: null, options: [] }] = asked;
  expect(toolCall?.title).toBe(title);
  const texts = toolCall?.content?.map((part) => (part.type === 'content' ? part.content : part.type));
  expect(texts).toEqual([
    { type: 'text', text: warnings.join('\n\n') },
    'diff',
    { type: 'text', text: facts.join('\n\n') },
  ]);
  expect([title, facts]).toEqual(['Edit .envrc +1 -1', ['Asked because a rule of yours says so.']]);
  expect(options.map(({ name }) => name)).toEqual(
    answers.map(({ kind, label }) => (kind === 'no' ? 'no' : label)),
  );
});
