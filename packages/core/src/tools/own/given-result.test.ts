import { isToolError } from '@toolwright/machine/base/errors.js';
import { describe, expect, it } from 'vitest';
import { resultFrom } from './given-result.js';

describe('a result that a tool gives', () => {
  it('may be text, which is shown as it is', () => {
    expect(resultFrom('two words', 't')).toEqual({ llmContent: 'two words', returnDisplay: 'two words' });
  });

  it('may be parts, whose attachments are counted for the user', () => {
    const picture = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
    expect(resultFrom(['a picture', picture], 't')).toEqual({
      llmContent: ['a picture', picture],
      returnDisplay: 'a picture\n[1 attachment]',
    });
  });

  it('may be a plain object, which the model reads as JSON and MCP clients get as data', () => {
    expect(resultFrom({ words: 2, at: new Date(0) }, 't')).toEqual({
      llmContent: '{\n  "words": 2,\n  "at": "1970-01-01T00:00:00.000Z"\n}',
      returnDisplay: '```json\n{\n  "words": 2,\n  "at": "1970-01-01T00:00:00.000Z"\n}\n```',
      structuredContent: { words: 2, at: '1970-01-01T00:00:00.000Z' },
    });
  });

  it('may be a whole result, and shows its content where it has no display', () => {
    expect(resultFrom({ llmContent: 'x', returnDisplay: 'y' }, 't')).toEqual({
      llmContent: 'x',
      returnDisplay: 'y',
    });
    expect(resultFrom({ llmContent: 'x' }, 't')).toEqual({ llmContent: 'x', returnDisplay: 'x' });
  });

  it('may have a display of its own as data', () => {
    const returnDisplay = { kind: 'table', columns: ['n'], rows: [[1]] };
    expect(resultFrom({ llmContent: 'x', returnDisplay }, 't')).toEqual({ llmContent: 'x', returnDisplay });
  });

  const loop: Record<string, unknown> = {};
  loop['self'] = loop;
  it.each([
    [undefined, 'The tool t gave undefined.'],
    [null, 'The tool t gave null.'],
    [5, 'The tool t gave a number.'],
    [true, 'The tool t gave a boolean.'],
    [[1, 2], 'The tool t gave a list that holds something else than text and parts.'],
    [new Map([['a', 1]]), 'The tool t gave an object of the class Map.'],
    [{ llmContent: 5 }, 'The tool t gave a result whose llmContent is neither text nor parts.'],
    [
      { llmContent: 'x', returnDisplay: { kind: 'table', columns: ['a'], rows: [[1, 2]] } },
      "The tool t gave a returnDisplay that can't be shown: rows[0] has 2 values for 1 column. A display is text, ",
    ],
    [
      { llmContent: 'x', returnDisplay: null },
      "The tool t gave a returnDisplay that can't be shown: it is null.",
    ],
    [loop, 'The tool t gave an object that is not JSON: '],
  ])('is an error that names the tool when it is %s', (given, message) => {
    try {
      resultFrom(given, 't');
      expect.unreachable();
    } catch (error) {
      expect(isToolError(error) && error.code).toBe('failed');
      expect((error as Error).message).toContain(message);
    }
  });
});
