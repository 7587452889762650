import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeModelServer } from '@toolwright/core/testing';
import { expect, it } from 'vitest';
import { fileServer, tool } from './mcp/stage.js';
import { createMachine } from './program.js';
import { goTo, launchBrowser, noBrowser, openPage, serve } from './web/browser.js';
import { expectOnlyText, hostile } from './web/hostile.js';

if (noBrowser) console.log(noBrowser);

const fileName = '<img src=x onerror=window.ran=11> \u202etxt.js';

it.skipIf(noBrowser !== null)(
  'the page shows hostile texts of a running session, of MCP servers, of file names and of work apart as text',
  async () => {
    const machine = createMachine({ 'page.txt': hostile });
    mkdirSync(machine.state, { recursive: true, mode: 0o700 });
    const settings = { mcpServers: { notes: fileServer(machine, [tool('keep', hostile)]) } };
    writeFileSync(join(machine.state, 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
    const write = { name: 'write_file', arguments: { file_path: fileName, content: `${hostile}\n` } };
    const model = await startFakeModelServer({
      answers: [
        { text: 'Written apart.', calls: [write] },
        { text: hostile },
        {
          thinking: hostile,
          text: hostile,
          calls: [
            { name: 'run_shell_command', arguments: { command: 'cat page.txt; sleep 1' } },
            { ...write, id: 'second' },
          ],
        },
        { text: hostile },
      ],
    });
    const env = model.environment('openai');
    await machine.run(['mcp', 'list'], { env });
    const apart = await machine.run(['-p', hostile, '--apart', '--approval-mode', 'auto-edit'], { env });
    const browser = await launchBrowser();
    const served = await serve(machine, { env });
    try {
      const page = await openPage(browser, served.url);
      const box = page.getByRole('textbox', { name: 'A prompt for a new conversation' });
      await box.fill(hostile);
      await box.press('Enter');
      await page.getByRole('group', { name: 'Output so far' }).getByText('window.ran = 1').waitFor();
      await expectOnlyText(page);
      await page.locator('.question').waitFor();
      expect(await page.locator('.question').innerText()).toContain('<img src=x onerror=window.ran=11>');
      await expectOnlyText(page);
      await page.getByPlaceholder('a reason for the model, if you like').fill(hostile);
      await page.getByRole('button', { name: 'no', exact: true }).click();
      await page.locator('.question').waitFor({ state: 'detached' });
      await expectOnlyText(page);
      if (/apart/i.test(apart.stderr) && apart.code !== 0)
        console.log(`not tried: no session apart here: ${apart.stderr}`);
      else {
        await goTo(page, '#/changes');
        await expectOnlyText(page);
        await page.locator('.card.asks').click();
        await page.getByText('window.ran=11').first().waitFor();
        await expectOnlyText(page);
      }
      for (const link of ['live', 'sessions', 'machine/servers', 'machine/tools', 'machine/memory']) {
        await goTo(page, `#/${link}`);
        await expectOnlyText(page);
      }
      await goTo(page, '#/machine/servers');
      await page.getByText('<script>window.ran = 1').first().waitFor();
      expect(page.complaints).toEqual([]);
      expect(served.errors()).not.toMatch(/Internal error/);
    } finally {
      await browser.close();
      await served.stop();
      await model.close();
      machine.cleanup();
    }
  },
);
