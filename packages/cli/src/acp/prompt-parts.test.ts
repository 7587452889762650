import { describe, expect, it } from 'vitest';
import { attachedName, attachedParts, pathOf, readPrompt } from './prompt-parts.js';

const never = new AbortController().signal;

describe('a prompt of an editor', () => {
  it.each([
    ['file:///w/a%20b.ts', { path: '/w/a b.ts', isWhole: true }],
    ['file:///w/a.ts#L10:20', { path: '/w/a.ts', isWhole: false }],
    ['file:///w/a.ts?symbol=f#L1', { path: '/w/a.ts', isWhole: false }],
    ['/w/a.ts', { path: '/w/a.ts', isWhole: true }],
    ['file://host/w/a.ts', null],
    ['https://example.com/a.ts', null],
    ['zed:///agent/thread/1', null],
    ['file:%', null],
  ])('takes %s for %j', (uri, place) => {
    expect(pathOf(uri)).toEqual(place);
  });

  it('asks about whole files alone whether they are saved', async () => {
    const asked: string[] = [];
    const { text, attached } = readPrompt([
      { type: 'text', text: 'Compare ' },
      { type: 'resource', resource: { uri: 'file:///w/a.ts', text: 'a\n' } },
      { type: 'resource', resource: { uri: 'file:///w/b.ts#L2:3', text: 'b\n' } },
      { type: 'resource', resource: { uri: 'zed:///thread', text: 'said' } },
    ]);
    const parts = await attachedParts(
      attached,
      {
        async noteEditorText({ path }) {
          asked.push(path);
          return 'unsaved';
        },
      },
      never,
    );
    expect(text).toBe('Compare /w/a.ts/w/b.tszed:///thread');
    expect(asked).toEqual(['/w/a.ts']);
    const texts = parts.map((part) => part.text ?? '');
    expect(texts[0]).toBe(
      '\n\n[Attached: /w/a.ts, with changes that are not saved yet]\na\n\n[End of /w/a.ts]',
    );
    expect(texts.map(attachedName)).toEqual(['/w/a.ts', '/w/b.ts', 'zed:///thread']);
  });

  it('leaves out what no model takes, and says so', () => {
    const { attached, problems } = readPrompt([
      { type: 'image', mimeType: 'image/png', data: 'aGk=' },
      { type: 'image', mimeType: 'image/png', data: 'not base64!' },
      { type: 'audio', mimeType: 'audio/wav', data: 'aGk=' },
      { type: 'resource', resource: { uri: 'file:///w/a.zip', mimeType: 'application/zip', blob: 'aGk=' } },
    ]);
    expect(attached).toEqual([{ kind: 'media', mimeType: 'image/png', data: 'aGk=' }]);
    expect(problems).toHaveLength(3);
  });
});
