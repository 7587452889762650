import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createMachine } from './program.js';
import { goTo, launchBrowser, noBrowser, openPage, serve } from './web/browser.js';
import { expectOnlyText, hostile } from './web/hostile.js';
import { manyCalls, said, sessionStart, writeJournal } from './web/journals.js';

if (noBrowser) console.log(noBrowser);

it.skipIf(noBrowser !== null)(
  'the page shows hostile texts of every class in every channel as text: no script runs, nothing is loaded',
  async () => {
    const machine = createMachine({ 'AGENTS.md': hostile });
    const id = '0'.repeat(24);
    const callId = 'call-hostile';
    const line = hostile.replaceAll('\n', ' ');
    writeJournal(machine, id, [
      sessionStart(machine, id),
      said('user', hostile),
      {
        type: 'message',
        message: { role: 'model', parts: [{ text: hostile, thought: true }, { text: hostile }] },
      },
      {
        type: 'call-start',
        callId,
        tool: line.slice(0, 60),
        args: { command: hostile, [line]: hostile },
        effects: [{ kind: 'write', path: join(machine.workspace, line.slice(0, 200)) }],
      },
      {
        type: 'call-decision',
        callId,
        decision: 'ask',
        reason: hostile,
        outcome: 'once',
        winner: { kind: 'rule', rule: line, verdict: 'ask', source: line },
      },
      {
        type: 'call-end',
        callId,
        tool: 'x',
        response: { name: 'x', response: { output: hostile } },
        display: {
          kind: 'diff',
          files: [
            {
              path: line,
              change: 'modify',
              unified: `--- a/x\n+++ b/x\n@@ -1 +1,30 @@\n-old\n${hostile
                .split('\n')
                .map((each) => `+${each}`)
                .join('\n')}\n`,
              added: 1,
              removed: 1,
            },
          ],
        },
        error: { code: 'failed', message: hostile },
        changeSet: 'change-hostile',
      },
      {
        type: 'changes',
        by: line,
        changeSet: {
          v: 1,
          id: 'change-hostile',
          changes: [
            {
              kind: 'create',
              path: join(machine.workspace, `${line.replaceAll('/', '_').slice(0, 120)}`),
              after: { hash: 'a'.repeat(64), size: 4 },
            },
          ],
          directories: [],
          removedDirectories: [],
        },
      },
      ...['table', 'fields', 'markdown', 'text'].flatMap((kind) => {
        const display =
          kind === 'table'
            ? { kind, title: line, columns: [line, 'b'], rows: [[line, 1]] }
            : kind === 'fields'
              ? { kind, title: line, fields: [[line, line]] }
              : kind === 'markdown'
                ? { kind, text: hostile }
                : hostile;
        return [
          { type: 'call-start', callId: kind, tool: 'shown', args: { text: line }, effects: null },
          { type: 'call-end', callId: kind, tool: 'shown', response: { name: 'x', response: {} }, display },
        ];
      }),
    ]);
    writeFileSync(
      join(machine.state, 'settings.json'),
      JSON.stringify({ permissions: { deny: ['Edit(<script>window.ran=8</script>)'] } }),
      { mode: 0o600 },
    );
    const browser = await launchBrowser();
    const served = await serve(machine, { args: ['--provider', 'offline'] });
    try {
      const page = await openPage(browser, served.url);
      const links = [
        `session/${id}/${callId}`,
        'sessions',
        'changes',
        'change/change-hostile',
        'rules',
        'machine/memory',
        'machine/tools',
      ];
      for (const link of links) {
        await goTo(page, `#/${link}`);
        await expectOnlyText(page);
      }
      await goTo(page, '#/sessions');
      await page.fill('input[type=search]', '<script>');
      await page.locator('.hits').first().waitFor();
      await goTo(page, '#/rules');
      await page
        .getByLabel('A command line, or a tool with its arguments')
        .fill('echo "<img src=x onerror=alert(1)>"');
      await page.locator('.explained .tag').first().waitFor();
      const exported = await page.evaluate<string>(
        `fetch('/api/read/export', { method: 'POST', headers: { 'content-type': 'application/json', 'x-toolwright-token': sessionStorage.getItem('toolwright-token') }, body: JSON.stringify({ id: '${id}', format: 'html' }) }).then((response) => response.json()).then(({ text }) => text)`,
      );
      const reader = await (await browser.newContext()).newPage();
      const loaded: string[] = [];
      reader.on('request', (request) => loaded.push(request.url()));
      await reader.setContent(exported);
      expect(await reader.evaluate('window.ran')).toBeUndefined();
      expect(await reader.locator('script, iframe, img, form').count()).toBe(0);
      expect(loaded.filter((address) => address.includes('evil'))).toEqual([]);
      expect(page.complaints).toEqual([]);
      expect(served.errors()).not.toMatch(/Internal error/);
    } finally {
      await browser.close();
      await served.stop();
      machine.cleanup();
    }
  },
);

it.skipIf(noBrowser !== null)(
  'the page draws of a session of 5,000 calls what is in sight, leaves open what was opened, and reaches each of them by its link',
  async () => {
    const machine = createMachine();
    const id = '1'.repeat(24);
    writeJournal(machine, id, manyCalls(machine, id, 5_000));
    const browser = await launchBrowser();
    const served = await serve(machine, { args: ['--provider', 'offline'] });
    try {
      const page = await openPage(browser, served.url);
      await goTo(page, `#/session/${id}`);
      await page.locator('.call').first().waitFor();
      expect(await page.locator('.virtual > li').count()).toBeLessThan(120);
      const opened = page.getByRole('group', { name: 'Arguments' });
      await page.locator('.call button.head').first().click();
      await opened.waitFor();
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      await opened.waitFor({ state: 'detached' });
      await page.evaluate('scrollTo(0, 0)');
      await opened.waitFor();
      await goTo(page, `#/session/${id}/call-4321`);
      await page.locator('.call.target').getByText('src/part-4321.ts').first().waitFor();
      expect(await page.locator('.virtual > li').count()).toBeLessThan(120);
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      await page.getByText('That was part 4999.').waitFor();
      expect(page.complaints).toEqual([]);
    } finally {
      await browser.close();
      await served.stop();
      machine.cleanup();
    }
  },
);
