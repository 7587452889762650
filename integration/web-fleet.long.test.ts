import { spawn } from 'node:child_process';
import { startFakeModelServer } from '@toolwright/core/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NatsServer, startNats } from '../packages/fleet/src/fixtures/nats-server.js';
import { canStage } from '../packages/machine/src/changes/staged-run/fixtures/temp-staged.js';
import { engines } from './fleet/machines.js';
import { createMachine, program } from './program.js';
import {
  axeFindings,
  goTo,
  noBrowser,
  type OpenedPage,
  openPage,
  type ServedPage,
  type ShownPage,
  serve,
  showPage,
} from './web/browser.js';
import { expectOnlyText, hostile } from './web/hostile.js';

const canTry = await canStage();
if (noBrowser) console.log(noBrowser);
else if (!canTry) console.log('not tried: no overlays here, so the board of a fleet was not looked at');

const line = hostile.replaceAll('\n', ' ');
const fetching = { name: 'web_fetch', arguments: { url: 'https://example.com/licence', prompt: hostile } };
const writing = { name: 'write_file', arguments: { file_path: 'made.txt', content: `${hostile}\n` } };
const slow = { name: 'run_shell_command', arguments: { command: 'sleep 60' } };

const skipped = noBrowser !== null || !canTry;

describe.skipIf(skipped).each(engines)('the board of a fleet on the web page, %s', (kind) => {
  const machine = createMachine({ 'a.txt': 'one\n' });
  const auto = ['--approval-mode', 'auto-edit'];
  let model: Awaited<ReturnType<typeof startFakeModelServer>>;
  let env: Record<string, string>;
  let browser: Browser;
  let served: ServedPage;
  let page: OpenedPage;
  let close: ShownPage['close'] | undefined;
  let server: NatsServer | null = null;
  /** The words that lead to the fleet; none lead to that of this machine. */
  let words: string[] = [];

  const fleet = (...args: string[]) => machine.run(['fleet', ...args, ...words], { env });
  const count = (name: string) => page.getByRole('link', { name: new RegExp(`^${name} \\d+$`) });

  async function submit(prompt: string): Promise<void> {
    machine.write('tasks.jsonl', `${JSON.stringify({ prompt, labels: ['nightly'] })}\n`);
    await fleet('submit', 'tasks.jsonl');
  }

  beforeAll(async () => {
    model = await startFakeModelServer();
    env = model.environment('openai');
    server = kind === 'nats' ? await startNats() : null;
    words = server ? ['--engine', server.url] : [];
    ({ browser, served, page, close } = await showPage(machine, { env, args: words }));
  }, 60_000);
  afterAll(async () => {
    await close?.();
    await model?.close();
    await server?.stop();
    machine.cleanup();
  });

  it('says how a fleet begins, and shows the first one as soon as it is there', async () => {
    await goTo(page, '#/fleet');
    const nothing = server ? 'No task has begun yet.' : 'This machine has no fleet yet.';
    await page.getByText(nothing).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await submit(line);
    await page.getByText('1 task waits for a worker').waitFor();
  });

  it('shows a parked task with its question, which a yes or a no on the page answers, also to a worker that comes later', async () => {
    model.answer({ text: hostile, calls: [writing] }, { calls: [fetching] });
    await fleet('worker', '--slots', '1', '--until-empty', ...auto);
    await page.locator('nav[aria-label=Views] .badge').waitFor();
    await page.getByRole('button', { name: /^Fetch https:\/\/example\.com\/licence/ }).click();
    await page.locator('.question').waitFor();
    await expectOnlyText(page);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'The whole task' }).click();
    await page.locator('.question').waitFor();
    await expectOnlyText(page);
    const link = await page.evaluate<string>('location.hash');
    // Another page shows the same question, and comes too late.
    const other = await openPage(browser, served.url);
    await goTo(other, link);
    await other.locator('.question').waitFor();
    await page.getByPlaceholder('a reason for the model, if you like').fill('take last year’s');
    await page.getByRole('button', { name: 'no', exact: true }).click();
    await page.locator('.question').waitFor({ state: 'detached' });
    await other.locator('.question').waitFor({ state: 'detached' });
    await other.context().close();
    model.answer({ text: `All done. ${hostile}` });
    await fleet('worker', '--slots', '1', '--until-empty', ...auto);
    expect(model.requests.at(-1)?.bytes.toString()).toContain('take last year’s');
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    const file = page.getByRole('article', { name: 'made.txt' });
    await file.locator('.row.added').first().waitFor();
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    const fetched = page.getByRole('article', { name: 'web_fetch, refused' });
    await fetched.getByRole('button', { name: /^web_fetch/, expanded: false }).click();
    await fetched.getByRole('group', { name: 'Arguments' }).waitFor();
    expect(await page.getByRole('article', { name: /^web_fetch/ }).count()).toBe(1);
    await expectOnlyText(page);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('follows a task that runs, cancels it, tries it again, and links to it by its state', async () => {
    model.answer({ text: 'I begin.', calls: [slow] });
    await submit('Take your time');
    const worker = spawn(process.execPath, [program, 'fleet', 'worker', '--slots', '1', ...auto, ...words], {
      cwd: machine.workspace,
      env: { PATH: process.env['PATH'] ?? '', HOME: machine.home, ...env },
      stdio: 'ignore',
    });
    try {
      await goTo(page, '#/fleet/running');
      await page.getByRole('link', { name: /^Take your time/ }).click();
      await page.getByText('I begin.').waitFor();
      await page.getByRole('article', { name: 'run_shell_command, running' }).waitFor();
      await page.getByRole('button', { name: 'Cancel the task' }).click();
      await page.getByRole('button', { name: 'Try it again' }).waitFor();
      await goTo(page, '#/fleet');
      await count('cancelled').click();
      await page.getByRole('heading', { name: 'Tasks: cancelled' }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      model.answer({ text: 'Quick this time.' });
      await page.getByRole('link', { name: /^Take your time/ }).click();
      await page.getByRole('button', { name: 'Try it again' }).click();
      await page.getByText('Quick this time.').first().waitFor();
    } finally {
      worker.kill('SIGINT');
      await new Promise((resolve) => worker.once('close', resolve));
    }
  });

  it('only shows with --read-only, says when a fleet can’t be reached, and complained about nothing', async () => {
    const place = server?.url ?? `${machine.state}/fleet/default`;
    const looking = await serve(machine, { env, args: ['--read-only', '--engine', place] });
    try {
      const other = await openPage(browser, looking.url);
      await goTo(other, '#/fleet/done');
      await other.getByRole('link', { name: /^Take your time/ }).click();
      await other.getByRole('heading', { name: 'Result' }).waitFor();
      await other.context().close();
    } finally {
      await looking.stop();
    }
    const nowhere = await machine.run(['web', '--engine', 'nats://127.0.0.1:9'], { env });
    expect([nowhere.code, nowhere.stderr]).toEqual([
      52,
      expect.stringContaining('No NATS server could be reached at nats://127.0.0.1:9'),
    ]);
    expect(page.complaints).toEqual([]);
    expect(served.errors()).not.toMatch(/Internal error/);
  });
});
