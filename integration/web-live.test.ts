import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startFakeModelServer } from '../packages/core/src/testing/fake-model-server.js';
import { createMachine, type Machine } from './program.js';
import { type Conversation, startConversation } from './terminal/conversation.js';
import {
  axeFindings,
  goTo,
  launchBrowser,
  noBrowser,
  type OpenedPage,
  openPage,
  type ShownPage,
  serve,
  showPage,
} from './web/browser.js';

if (noBrowser) console.log(noBrowser);

const change = (before: string, after: string): string => `replace '${before}' with '${after}' in a.txt`;
const contentOf = (machine: Machine, path = 'a.txt'): string =>
  readFileSync(join(machine.workspace, path), 'utf8');
const question = (page: OpenedPage) => page.locator('.question');

describe.skipIf(noBrowser !== null)('a conversation at the terminal, seen on the web page', () => {
  let talk: Conversation;
  let page: OpenedPage;
  let close: ShownPage['close'] | undefined;

  async function asked(): Promise<void> {
    await talk.until(() => talk.isAsked(), 'a question');
  }

  beforeAll(async () => {
    talk = await startConversation({ files: { 'a.txt': 'one\ntwo\n' } });
    ({ page, close } = await showPage(talk.machine, { args: ['--provider', 'offline'] }));
    await talk.ready();
  }, 60_000);
  afterAll(async () => {
    await close?.();
    talk?.close();
  });

  it('asks with the words of the terminal, and the answer of the page counts', async () => {
    talk.type(`${change('two', 'three')}\r`);
    await asked();
    await page.locator('.card.asks').click();
    await question(page)
      .getByRole('heading', { name: /Edit a\.txt/ })
      .first()
      .waitFor();
    const words = await question(page).innerText();
    for (const part of ['Edit a.txt', '+1', '-1', 'two', 'three']) {
      expect(words.replaceAll('−', '-')).toContain(part);
      expect(talk.text()).toContain(part);
    }
    await page.getByText('Yes, and allow more than this once').click();
    await page
      .getByRole('button', {
        name: /^yes, and allow changes to a\.txt for this session: rule Edit\(a\.txt\)/,
      })
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'yes, this once' }).click();
    await talk.see(/Answered on the web page: yes, this once/);
    await talk.ready();
    await question(page).waitFor({ state: 'detached' });
    expect(contentOf(talk.machine)).toBe('one\nthree\n');
  });

  it('closes the question on the page when the terminal answers, and refuses an answer to it from then on', async () => {
    talk.type(`${change('three', 'four')}\r`);
    await asked();
    await question(page).waitFor();
    const [request] = await Promise.all([
      page.waitForRequest((each) => each.url().endsWith('/api/answer')),
      page
        .evaluate(
          `(() => { const send = window.fetch; window.fetch = (url, options) => String(url).endsWith('/api/answer') ? (window.held = () => send(url, options), send('/api/answer', { ...options, body: JSON.stringify({ ...JSON.parse(options.body), digest: 'another question' }) })) : send(url, options); })()`,
        )
        .then(() => page.getByRole('button', { name: 'yes, this once' }).click()),
    ]);
    expect(await (await request.response())?.json()).toEqual({ taken: false });
    await page.getByText('This question is no longer open').waitFor();
    expect(contentOf(talk.machine)).toBe('one\nthree\n');
    talk.type('y');
    await talk.ready();
    await question(page).waitFor({ state: 'detached' });
    expect(contentOf(talk.machine)).toBe('one\nfour\n');
    // The answer that the page would have given is of no use for the next question.
    talk.type(`${change('four', 'five')}\r`);
    await asked();
    await question(page).waitFor();
    expect(await page.evaluate('window.held().then((response) => response.json())')).toEqual({
      taken: false,
    });
    expect(contentOf(talk.machine)).toBe('one\nfour\n');
    await page.reload();
    await question(page).waitFor();
    await page.getByPlaceholder('a reason for the model, if you like').fill('not that file');
    await page.getByRole('button', { name: 'no', exact: true }).click();
    await talk.ready();
    expect(talk.text()).toContain('not that file');
    expect(contentOf(talk.machine)).toBe('one\nfour\n');
  });

  it('takes one of two answers that come at once', async () => {
    for (const [before, after] of [
      ['four', 'five'],
      ['five', 'six'],
      ['six', 'seven'],
    ] as const) {
      talk.type(`${change(before, after)}\r`);
      await asked();
      await question(page).waitFor();
      await Promise.all([
        page
          .getByRole('button', { name: 'yes, this once' })
          .click({ timeout: 1_000 })
          .catch(() => undefined),
        new Promise<void>((resolve) => {
          talk.type('y');
          resolve();
        }),
      ]);
      await talk.until(() => contentOf(talk.machine) === `one\n${after}\n`, 'the change');
      await question(page).waitFor({ state: 'detached' });
      // Text that was typed too late stands in the line of the next prompt.
      talk.type('\x15');
      await talk.ready();
    }
  });

  it('shows the list of things to do as it changes', async () => {
    const list = page.locator('.todo');
    const say = async (...states: string[]): Promise<void> => {
      const items = states.map((state, index) => ({ text: `<b>Step ${index + 1}`, state }));
      talk.type(`use todo with ${JSON.stringify({ items })}\r`);
      await list.getByText(`${states.filter((state) => state === 'done').length} of 2 done`).waitFor();
      await talk.ready();
    };
    await say('active', 'open');
    await say('done', 'active');
    expect(await list.locator('li').allTextContents()).toEqual(['✓ <b>Step 1, done', '→ <b>Step 2, active']);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('is a session of the list once the terminal is closed', async () => {
    talk.type('/quit\r');
    await talk.ended();
    await goTo(page, '#/live');
    await page.getByText('No session runs on this machine').waitFor();
    expect(page.complaints).toEqual([]);
  });
});

describe.skipIf(noBrowser !== null)('a conversation of the web page', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  it('streams, completes files, takes attachments, asks, can be cancelled, and outlives its program', async () => {
    const machine = createMachine({ 'a.txt': 'one\ntwo\n', 'src/deep.ts': 'export {};\n' });
    const model = await startFakeModelServer({
      answers: [
        {
          text: ['Let me ', 'change **it**.'],
          calls: [
            { name: 'edit', arguments: { file_path: 'a.txt', old_string: 'two', new_string: 'three' } },
          ],
          usage: { inputTokens: 900, cachedTokens: 500, outputTokens: 40 },
        },
        { text: 'It is changed.', usage: { inputTokens: 1_200, cachedTokens: 900, outputTokens: 20 } },
        { text: ['A long ', 'story'], afterwards: 'silence' },
        {
          text: 'Once more.',
          calls: [
            { name: 'edit', arguments: { file_path: 'a.txt', old_string: 'three', new_string: 'four' } },
          ],
        },
        { text: 'Here I am again.' },
      ],
    });
    const browser = await launchBrowser();
    const env = model.environment('openai');
    let served = await serve(machine, { env });
    ends.push(
      () => machine.cleanup(),
      () => model.close(),
      () => served.stop(),
      () => browser.close(),
    );
    let page = await openPage(browser, served.url);
    const box = page.getByRole('textbox', { name: 'A prompt for a new conversation' });
    await box.pressSequentially('Change @a');
    await page.getByRole('option', { name: 'a.txt' }).waitFor();
    await box.press('Tab');
    await page.locator('input[type=file]').setInputFiles([
      {
        name: 'dot.png',
        mimeType: 'image/png',
        buffer: Buffer.from(
          'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
          'base64',
        ),
      },
      { name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('three of them') },
    ]);
    await page.getByText('list.txt (13 bytes)').waitFor();
    await box.press('Enter');
    await page.getByText('Let me change it.').waitFor();
    await question(page).waitFor();
    const sent = JSON.stringify(model.requests[0]?.body);
    for (const words of ['Change @a.txt', 'one\\ntwo', 'three of them', 'image/png'])
      expect(sent).toContain(words);
    await page.getByText('Yes, and allow more than this once').click();
    await page.getByRole('button', { name: /yes, and allow changes to a\.txt for this session/ }).click();
    await page.getByText('It is changed.').waitFor();
    expect(contentOf(machine)).toBe('one\nthree\n');
    await page.getByText('Tokens as a table').click();
    await page.getByRole('row', { name: '1 400 500 40' }).waitFor();

    const further = page.getByRole('textbox', { name: 'A prompt for this conversation' });
    await further.fill('Tell a story');
    await further.press('Enter');
    await page.getByText('A long story').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Waits for a prompt.').waitFor();

    await page.locator('.composer select').selectOption('default');
    await further.fill('Again');
    await further.press('Enter');
    // The grant of this session covers the file, so that the plan is written at once.
    await page.getByText('Here I am again.').waitFor();
    expect(contentOf(machine)).toBe('one\nfour\n');
    const link = await page.evaluate<string>('location.hash');

    model.answer({
      text: 'And more.',
      calls: [{ name: 'write_file', arguments: { file_path: 'b.txt', content: 'new\n' } }],
    });
    await further.fill('Write b.txt');
    await further.press('Enter');
    await question(page).waitFor();
    await served.kill();
    await page.getByText(/The page tries again by itself/).waitFor();
    served = await serve(machine, { env });
    await page.context().close();
    page = await openPage(browser, served.url);
    await goTo(page, link);
    await page.getByText('And more.').waitFor();
    await page.getByRole('article', { name: 'write_file, running' }).waitFor();
    model.answer({ text: 'I was interrupted, and go on.' });
    const again = page.getByRole('textbox', { name: 'A prompt for this conversation' });
    await again.fill('Go on');
    await again.press('Enter');
    await page.getByText('I was interrupted, and go on.').waitFor();
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('interrupted');
    expect(page.complaints).toEqual([]);
  });
});
