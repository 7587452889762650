import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startFakeModelServer } from '@toolwright/core/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { server } from './mcp/stage.js';
import { createMachine } from './program.js';
import {
  axeFindings,
  goTo,
  noBrowser,
  type OpenedPage,
  openPage,
  type ServedPage,
  type ShownPage,
  showPage,
} from './web/browser.js';

if (noBrowser) console.log(noBrowser);

/** Root serves the page as `nobody` here; everybody else is an ordinary user already. */
const user = process.getuid?.() === 0 ? { user: 65_534 } : {};
const MOST_TABS = 120;

const pixel = (colour: string): string =>
  ({
    red: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
    grey: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  })[colour]!;

describe.skipIf(noBrowser !== null)('the web page of an ordinary user, with the keyboard alone', () => {
  const machine = createMachine({ 'a.txt': 'one\ntwo\n' });
  let model: Awaited<ReturnType<typeof startFakeModelServer>>;
  let browser: Browser;
  let served: ServedPage;
  let page: OpenedPage;
  let close: ShownPage['close'] | undefined;

  /** Presses Tab until the thing with this name has the focus. */
  async function tabTo(name: RegExp): Promise<void> {
    for (let count = 0; count < MOST_TABS; count++) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate<string>(
        "(({ labels, textContent, ariaLabel }) => [ariaLabel ?? '', labels?.[0]?.textContent ?? '', textContent].join(' '))(document.activeElement)",
      );
      if (name.test(focused)) return;
    }
    throw new Error(`Tab does not reach ${name}`);
  }

  async function open(name: RegExp, heading: string | RegExp): Promise<void> {
    await tabTo(name);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: heading }).first().waitFor();
  }

  beforeAll(async () => {
    mkdirSync(machine.state, { recursive: true, mode: 0o700 });
    writeFileSync(
      join(machine.state, 'settings.json'),
      JSON.stringify({ mcpServers: { memory: server.memory } }),
      { mode: 0o600 },
    );
    writeFileSync(join(machine.workspace, 'dot.png'), Buffer.from(pixel('red'), 'base64'));
    writeFileSync(join(machine.workspace, 'other.png'), Buffer.from(pixel('grey'), 'base64'));
    if ('user' in user) execFileSync('chown', ['-R', `${user.user}:${user.user}`, dirname(machine.home)]);
    model = await startFakeModelServer({
      answers: [
        {
          text: Array.from({ length: 30 }, (_, index) => `Sentence ${index} of the answer.\n\n`),
          calls: [{ name: 'run_shell_command', arguments: { command: 'cp other.png dot.png' } }],
        },
        { text: 'The picture is another one now.' },
        { text: 'I may not.', calls: [{ name: 'write_file', arguments: { file_path: 'b', content: 'b' } }] },
        { text: 'So it is a plan only.' },
      ],
    });
    ({ browser, served, page, close } = await showPage(machine, {
      env: model.environment('openai'),
      ...user,
    }));
  }, 60_000);
  afterAll(async () => {
    await close?.();
    await model?.close();
    machine.cleanup();
  });

  it('prompts with files that were dropped and pasted, answers, and nothing jumps while it streams', async () => {
    await tabTo(/A prompt for a new conversation/);
    await page.keyboard.type('Copy the picture');
    await page.evaluate(`(() => {
      const given = (name, text) => { const data = new DataTransfer(); data.items.add(new File([text], name, { type: 'text/plain' })); return data; };
      const box = document.querySelector('textarea');
      box.dispatchEvent(new ClipboardEvent('paste', { clipboardData: given('pasted.txt', 'words that were pasted'), bubbles: true, cancelable: true }));
      box.dispatchEvent(new DragEvent('drop', { dataTransfer: given('dropped.txt', 'words that were dropped'), bubbles: true, cancelable: true }));
    })()`);
    await page.getByText('dropped.txt (23 bytes)').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Sentence 0 of the answer.').waitFor();
    await page.evaluate(
      `window.jumps = []; new PerformanceObserver((list) => { if (!document.querySelector('.question')) window.jumps.push(...list.getEntries().map(({ value }) => value)); }).observe({ type: 'layout-shift' })`,
    );
    await page.getByText('Sentence 29 of the answer.').waitFor();
    const sent = JSON.stringify(model.requests[0]?.body);
    for (const words of ['words that were pasted', 'words that were dropped', 'Copy the picture'])
      expect(sent).toContain(words);
    await page.locator('.question').waitFor();
    const jumps = await page.evaluate<number[]>('window.jumps');
    expect(jumps.filter((value) => value > 0.05)).toEqual([]);
    await tabTo(/yes, this once/);
    // The stream often tells of the answer before the request for it has ended; here it always does.
    await page.evaluate(`(() => {
      const usual = fetch;
      window.fetch = async (path, options) => {
        const response = await usual(path, options);
        while (path === '/api/answer' && document.querySelector('.question')) await new Promise(requestAnimationFrame);
        return response;
      };
    })()`);
    await page.keyboard.press('Enter');
    await page.getByText('The picture is another one now.').waitFor();
    expect(await page.evaluate('document.activeElement.className')).toBe('tail');
    expect(readFileSync(join(machine.workspace, 'dot.png'))).toEqual(Buffer.from(pixel('grey'), 'base64'));
  });

  it('chooses plan mode for the next prompt, in which nothing can be written', async () => {
    await tabTo(/^ Mode/);
    await page.keyboard.type('plan');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.type('Write b');
    await page.keyboard.press('Enter');
    await page.getByText('So it is a plan only.').waitFor();
    await page.getByRole('article', { name: 'write_file, refused' }).waitFor();
    expect(JSON.stringify(model.requests.at(-1)?.body)).toMatch(/plan mode/);
  });

  it('walks through every view, opens a picture before and after, undoes, and explains', async () => {
    await page.reload();
    await open(/^ +Sessions$/, 'Sessions');
    await page.keyboard.press('/');
    await page.keyboard.type('picture');
    await page.locator('.hits').waitFor();
    await open(/Copy the picture/, 'Copy the picture');
    await open(/^ +Changes$/, 'Changes');
    await open(/dot\.png/, 'dot.png');
    await page.getByRole('img', { name: 'dot.png before the change' }).waitFor();
    await page.getByRole('img', { name: 'dot.png after the change' }).waitFor();
    await tabTo(/Undo this change/);
    await page.keyboard.press('Space');
    await page.getByText('Undone: 1 file changed.').waitFor();
    expect(readFileSync(join(machine.workspace, 'dot.png'))).toEqual(Buffer.from(pixel('red'), 'base64'));
    await open(/^ +Rules$/, 'Rules');
    await tabTo(/A command line, or a tool/);
    await page.keyboard.type('curl https://example.com');
    await page.getByText(/curl.* would reach nothing; with network: true you are asked first/).waitFor();
    await open(/^ +Machine$/, 'Machine');
    await tabTo(/read_file/);
    await page.keyboard.press('Enter');
    await page.getByText('"absolute_path"').first().waitFor();
    await open(/^ +Live/, 'Live');
    expect(page.complaints).toEqual([]);
  });

  it('shows a configured MCP server with its tools and pins, and what the doctor found', async () => {
    await goTo(page, '#/machine/servers');
    const memory = page.getByRole('region', { name: 'memory', exact: true });
    await memory.getByText('create_entities').waitFor();
    expect(await memory.getByText('accepted').count()).toBeGreaterThan(5);
    await goTo(page, '#/machine/doctor');
    await page.getByText(/Node v\d+/).waitFor();
    expect(await page.locator('.findings .tag.ok').count()).toBeGreaterThan(5);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('can be read with high contrast and with forced colours', async () => {
    const found: string[] = [];
    for (const options of [{ contrast: 'more' as const }, { forcedColors: 'active' as const }]) {
      const other = await openPage(browser, served.url, { ...options, colorScheme: 'dark' });
      for (const link of ['live', 'rules']) {
        await goTo(other, `#/${link}`);
        for (const finding of await axeFindings(other))
          found.push(`${JSON.stringify(options)} ${link} ${finding}`);
      }
      await other.context().close();
    }
    expect(found).toEqual([]);
  });
});
