import { expect, it } from 'vitest';
import { announcing } from './for-toolbox.js';

it('options without somebody to ask stay as they are, with their servers', () => {
  const mcp = { servers: [] };
  expect(announcing({ workspace: '/w', mcp }, () => undefined)).toEqual({ workspace: '/w', mcp });
});

it('a question of a server is told of before it is asked', async () => {
  const heard: string[] = [];
  const onElicit = async () => {
    heard.push('asked');
    return { action: 'decline' as const };
  };
  const { mcp } = announcing({ workspace: '/w', mcp: { servers: [], onElicit } }, (message, kind) =>
    heard.push(`${kind}: ${message}`),
  );
  const request = { server: 'tides', kind: 'form' as const, message: 'Which port?', schema: {} };
  await mcp?.onElicit?.(request as never, new AbortController().signal);
  expect(heard).toEqual(['elicitation_dialog: Which port?', 'asked']);
});
