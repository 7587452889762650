import { truncateSync } from 'node:fs';
import { type Part, textOf } from '@toolwright/machine/base/content.js';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jpeg, look, noise, png, riff } from './media/fixtures/image-samples.js';
import { encryptedPdf, pdf } from './media/fixtures/pdf-samples.js';
import { ReadFileTool } from './read-file.js';

const signal = new AbortController().signal;
let workspace: TempWorkspace;
let tool: ReadFileTool;

beforeEach(() => {
  workspace = createTempWorkspace();
  tool = new ReadFileTool(workspace);
});
afterEach(() => workspace.cleanup());

function read(path: string, more: object = {}) {
  return tool.execute({ absolute_path: workspace.path(path), ...more }, signal);
}
const wav = riff(
  'RIFF',
  Buffer.concat([Buffer.from('WAVE'), riff('fmt ', Buffer.alloc(16)), riff('data', Buffer.alloc(100))]),
);

describe('an image', () => {
  it('comes with a line that says what it is', async () => {
    const bytes = png(64, 48);
    workspace.write('logo.png', bytes);
    const result = await read('logo.png');
    expect(result.llmContent).toEqual([
      { text: expect.stringMatching(/^\[logo\.png: PNG image, 64 × 48, \d+ bytes\]$/) },
      { inlineData: { mimeType: 'image/png', data: bytes.toString('base64') } },
    ]);
    expect(result.returnDisplay).toMatch(/^Read logo\.png: PNG image, 64 × 48/);
  });

  it('is told by its content, not by its name', async () => {
    workspace.write('photo.txt', jpeg(64, 48));
    expect((await read('photo.txt')).llmContent).toMatchObject([
      {},
      { inlineData: { mimeType: 'image/jpeg' } },
    ]);
    workspace.write('fake.png', 'only words\n');
    expect((await read('fake.png')).llmContent).toBe('only words\n');
  });

  it('that is very large is made smaller', async () => {
    workspace.write('screen.png', png(2000, 1000));
    const [note, image] = (await read('screen.png')).llmContent as Part[];
    expect(note?.text).toMatch(/PNG image, 2,000 × 1,000, .*, shown at 1,568 × 784\]$/);
    expect(look(Buffer.from(image!.inlineData!.data!, 'base64')).width).toBe(1568);
  });

  it('that is damaged is a sentence, and no bytes', async () => {
    workspace.write('bad.png', png(100, 100, noise).subarray(0, 5000));
    const result = await read('bad.png');
    expect(result.llmContent).toBe(
      "bad.png: The PNG image (4.9 kB) can't be shown: it is cut off: the data ends too early.",
    );
    expect(result.error?.code).toBe('failed');
  });

  it('that is a huge file is not even read', async () => {
    truncateSync(workspace.write('huge.png', png(50, 50)), 200 * 1024 * 1024);
    expect((await read('huge.png')).error).toEqual({
      code: 'too_large',
      message:
        'huge.png is a PNG image of 200 MB; at most 32 MB can be read. Make a smaller copy (for example with ImageMagick) and read that.',
    });
  });
});

describe('a PDF', () => {
  it('comes as text by page', async () => {
    workspace.write('paper.pdf', pdf(['First words', 'Second words', 'Third words']));
    expect(await read('paper.pdf', { pages: '2' })).toEqual({
      llmContent: '--- page 2 of 3 ---\nSecond words\n\n[Pages 2 of 3. Read on with pages "3".]',
      returnDisplay: expect.stringMatching(/^Read paper\.pdf: PDF document, 3 pages, .*, text of page 2$/),
    });
  });

  it('is handed over whole to a model that takes it', async () => {
    const bytes = pdf(['Words']);
    workspace.write('paper.pdf', bytes);
    tool = new ReadFileTool(workspace, { pdfAsFile: () => true });
    expect((await read('paper.pdf')).llmContent).toEqual([
      { text: expect.stringMatching(/^\[paper\.pdf: PDF document, 1 page, /) },
      { inlineData: { mimeType: 'application/pdf', data: bytes.toString('base64') } },
    ]);
    expect(textOf((await read('paper.pdf', { pages: '1' })).llmContent)).toContain('Words');
  });

  it('that can not be read is an error, also for a model that takes PDF', async () => {
    workspace.write('locked.pdf', encryptedPdf());
    workspace.write('broken.pdf', '%PDF-1.4\nnothing');
    tool = new ReadFileTool(workspace, { pdfAsFile: () => true });
    expect((await read('locked.pdf')).error?.message).toBe(
      'locked.pdf: The PDF is protected by a password. Ask for a copy without one.',
    );
    expect((await read('broken.pdf')).error?.message).toMatch(/^broken\.pdf: The PDF is damaged/);
  });
});

describe('audio', () => {
  it('is sent unchanged', async () => {
    workspace.write('beep.wav', wav);
    expect((await read('beep.wav')).llmContent).toEqual([
      { text: '[beep.wav: WAV audio, 144 bytes]' },
      { inlineData: { mimeType: 'audio/wav', data: wav.toString('base64') } },
    ]);
  });

  it('that is too long is refused with a hint', async () => {
    truncateSync(workspace.write('long.wav', wav), 11 * 1024 * 1024);
    expect((await read('long.wav')).error).toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/^long\.wav is a WAV audio of 11 MB; at most 10 MB .*ffmpeg/),
    });
  });
});

describe('a notebook', () => {
  const image = png(50, 50);
  const cells = [
    { cell_type: 'markdown', source: '# Title' },
    {
      cell_type: 'code',
      execution_count: 1,
      source: 'plot()',
      outputs: [
        { output_type: 'display_data', data: { 'image/png': image.toString('base64') } },
        { output_type: 'stream', name: 'stdout', text: 'done\n' },
      ],
    },
  ];

  it('comes as cells with outputs and images', async () => {
    workspace.write('a.ipynb', JSON.stringify({ nbformat: 4, metadata: {}, cells }));
    expect((await read('a.ipynb')).llmContent).toEqual([
      {
        text: '[a.ipynb: notebook of 2 cells (unknown language)]\n\n--- cell 1: markdown ---\n# Title\n\n--- cell 2: code, run 1 ---\nplot()',
      },
      { inlineData: { mimeType: 'image/png', data: image.toString('base64') } },
      { text: '--- stdout ---\ndone\n' },
    ]);
  });

  it('comes as JSON text when a window is asked for', async () => {
    workspace.write('a.ipynb', JSON.stringify({ nbformat: 4, metadata: {}, cells }, null, 1));
    expect(textOf((await read('a.ipynb', { offset: 0, limit: 2 })).llmContent)).toMatch(
      /^\{\n "nbformat": 4,\n\[Lines 1-2 of /,
    );
  });

  it('with a bad image still shows its cells', async () => {
    const outputs = [{ output_type: 'display_data', data: { 'image/png': 'AAAA' } }];
    workspace.write('a.ipynb', JSON.stringify({ cells: [{ cell_type: 'code', source: 'x', outputs }] }));
    expect((await read('a.ipynb')).llmContent).toMatch(
      /x\n\n\[Image output not shown: its data is damaged\.\]$/,
    );
  });

  it('that is very long says which cells are missing', async () => {
    const many = Array.from({ length: 30 }, (_, index) => ({
      cell_type: 'code',
      source: `${index} ${'x'.repeat(3000)}`,
    }));
    workspace.write('a.ipynb', JSON.stringify({ cells: many }));
    expect((await read('a.ipynb')).llmContent).toMatch(
      /\[Cells 15-30 do not fit\. Give an offset to read the notebook as plain JSON text\.\]$/,
    );
  });

  it('that is broken falls back to text', async () => {
    workspace.write('a.ipynb', '{"cells": [');
    expect((await read('a.ipynb')).llmContent).toBe(
      '{"cells": [\n[This is not a valid notebook, so it is shown as text.]',
    );
  });
});

describe('any other binary', () => {
  it('is one line that says what it is and how to look inside', async () => {
    workspace.write('a b.zip', Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(2000)]));
    workspace.write(
      'noise.dat',
      Buffer.from(Array.from({ length: 3000 }, (_, i) => Math.imul(i, 2_654_435_761) >>> 24)),
    );
    expect((await read('a b.zip')).llmContent).toBe(
      "[a b.zip is not text: ZIP archive, 2 kB. A program that looks inside: unzip -l 'a b.zip']",
    );
    expect((await read('noise.dat')).llmContent).toMatch(
      /^\[noise\.dat is not text: binary data, 2\.9 kB\. .*xxd noise\.dat \| head\]$/,
    );
  });

  it('of gigabytes is told by its first bytes', async () => {
    truncateSync(workspace.write('movie.mkv', Buffer.from('1a45dfa3', 'hex')), 3 * 1024 ** 3);
    expect((await read('movie.mkv')).returnDisplay).toBe('Read movie.mkv: Matroska or WebM video, 3 GB');
  });
});
