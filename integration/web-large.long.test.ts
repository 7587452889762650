import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeModelServer } from '@toolwright/core/testing';
import { expect, it } from 'vitest';
import { createMachine } from './program.js';
import { startConversation } from './terminal/conversation.js';
import { goTo, launchBrowser, noBrowser, openPage, serve } from './web/browser.js';

if (noBrowser) console.log(noBrowser);

it.skipIf(noBrowser !== null)(
  'one page shows two conversations at terminals and a headless run at once, and answers each of them',
  async () => {
    const machine = createMachine({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
    const offline = ['--provider', 'offline'];
    const browser = await launchBrowser();
    const served = await serve(machine, { args: offline });
    const talks = [
      await startConversation({ machine, args: offline }),
      await startConversation({ machine, args: offline }),
    ];
    const model = await startFakeModelServer({
      answers: [
        { text: 'I wait.', calls: [{ name: 'run_shell_command', arguments: { command: 'sleep 20' } }] },
        { text: 'Waited.' },
      ],
    });
    try {
      const page = await openPage(browser, served.url);
      const headless = machine.run(['-p', 'Wait for me', '--approval-mode', 'yolo'], {
        env: model.environment('openai'),
      });
      for (const [index, talk] of talks.entries()) {
        await talk.ready();
        talk.type(`replace 'one' with 'two' in ${'ab'[index]}.txt\r`);
        await talk.until(() => talk.isAsked(), 'a question');
      }
      await page.locator('.card', { hasText: 'at a terminal' }).nth(1).waitFor();
      await page.locator('.card', { hasText: 'for a script' }).waitFor();
      expect(await page.locator('.card.asks').count()).toBe(2);
      await page.getByRole('link', { name: 'Live 2 open questions' }).waitFor();
      for (const name of ['b', 'a']) {
        await goTo(page, '#/live');
        await page.locator('.card.asks', { hasText: `in ${name}.txt` }).click();
        await page
          .getByRole('heading', { name: `Edit ${name}.txt` })
          .first()
          .waitFor();
        await page.getByRole('button', { name: 'yes, this once' }).click();
        await page.locator('.question').waitFor({ state: 'detached' });
        await expect
          .poll(() => readFileSync(join(machine.workspace, `${name}.txt`), 'utf8'), { timeout: 10_000 })
          .toBe('two\n');
      }
      await goTo(page, '#/live');
      await page.locator('.card', { hasText: 'Wait for me' }).click();
      await page.getByRole('article', { name: 'run_shell_command, running' }).waitFor();
      await page.getByText('It runs in another program').waitFor();
      await headless;
      await page.getByText('Waited.').waitFor();
      expect(page.complaints).toEqual([]);
    } finally {
      for (const talk of talks) talk.close();
      await browser.close();
      await served.stop();
      await model.close();
      machine.cleanup();
    }
  },
);

it.skipIf(noBrowser !== null)(
  'draws of a diff of 50,000 lines what is in sight, to its last line, and after a reload',
  async () => {
    const lines = Array.from({ length: 25_000 }, (_, index) => `line ${index}`).join('\n');
    const machine = createMachine({ 'big.txt': `${lines}\n` });
    const model = await startFakeModelServer({
      answers: [
        {
          calls: [{ name: 'run_shell_command', arguments: { command: "sed -i 's/^line/row/' big.txt" } }],
        },
        { text: 'Done.' },
      ],
    });
    const env = model.environment('openai');
    await machine.run(['-p', 'Rename every line', '--approval-mode', 'yolo'], { env });
    const browser = await launchBrowser();
    const served = await serve(machine, { env });
    try {
      const page = await openPage(browser, served.url);
      await goTo(page, '#/changes');
      await page.getByRole('link', { name: /big\.txt/ }).click();
      for (let round = 0; round < 2; round++) {
        await page.getByRole('group', { name: /^Changes in big\.txt, 50,?\d\d\d rows$/ }).waitFor();
        expect(await page.locator('.row').count()).toBeLessThan(300);
        await page.evaluate("document.querySelector('.rows').scrollTo(0, 1e9)");
        await page.locator('.row.added', { hasText: 'row 24999' }).waitFor();
        expect(await page.locator('.row').count()).toBeLessThan(300);
        await page.reload();
      }
      expect(page.complaints).toEqual([]);
    } finally {
      await browser.close();
      await served.stop();
      await model.close();
      machine.cleanup();
    }
  },
);
