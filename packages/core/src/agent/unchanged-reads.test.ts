import type { Message } from '@toolwright/machine/base/content.js';
import { describe, expect, it } from 'vitest';
import { withoutRepeatedReads } from './unchanged-reads.js';

const text = 'a line of the file\n'.repeat(60);

function response(output: string, name = 'read_file', more: object = {}): Message {
  return { role: 'user', parts: [{ functionResponse: { id: '1', name, response: { output, ...more } } }] };
}

const outputOf = ({ parts }: Message): unknown => parts[0]?.functionResponse?.response?.['output'];

describe('a file that was read before and is the same', () => {
  it('is not sent again; notes stay', () => {
    const sent = withoutRepeatedReads(response(text, 'read_file', { notes: ['a note'] }), [response(text)]);
    expect(outputOf(sent)).toBe(
      'Unchanged since you read it: the response to your earlier call, further up in this conversation, still holds word for word. Send the same call once more to see it again.',
    );
    expect(sent.parts[0]?.functionResponse?.response?.['notes']).toEqual(['a note']);
  });

  it('is sent whole to who asks once more', () => {
    const first = response(text);
    const second = withoutRepeatedReads(response(text), [first]);
    expect(outputOf(withoutRepeatedReads(response(text), [first, second]))).toBe(text);
  });
});

describe('a text is sent whole', () => {
  const cases: [string, Message, Message[]][] = [
    ['when it has changed', response(`${text}more\n`), [response(text)]],
    ['when the earlier one is no longer part of the conversation', response(text), []],
    ['when it is short', response('short'), [response('short')]],
    [
      'when another tool printed it',
      response(text, 'run_shell_command'),
      [response(text, 'run_shell_command')],
    ],
    [
      'when an edit has shown it in between and it was read anew',
      response(`${text}!`),
      [response(text), response('Edited', 'edit')],
    ],
  ];

  it.each(cases)('%s', (_name, message, earlier) => {
    expect(withoutRepeatedReads(message, earlier)).toEqual(message);
  });

  it('when it comes with an image', () => {
    const message = response(text);
    message.parts[0]!.functionResponse!.parts = [{ inlineData: { mimeType: 'image/png', data: '' } }];
    expect(withoutRepeatedReads(message, [response(text)])).toEqual(message);
  });
});
