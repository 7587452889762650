import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createMachine } from './program.js';
import { goTo, launchBrowser, noBrowser, openPage, serve } from './web/browser.js';
import { manyCalls, said, sessionStart, writeJournal } from './web/journals.js';

if (noBrowser) console.log(noBrowser);

/** One of each class of text that could act: script, handlers, links, styles, frames, and characters that hide others. */
const hostile = [
  '<script>window.ran = 1; alert(1)</script>',
  '<img src=x onerror="window.ran = 2">',
  '<svg onload="window.ran = 3"><a href="javascript:window.ran=4">x</a></svg>',
  '"><iframe src="https://evil.example/"></iframe>',
  "'-alert(1)-'",
  '[click](javascript:window.ran=5) ![pixel](https://evil.example/p.png)',
  '<style>@import "https://evil.example/s.css"; body{display:none}</style>',
  '<base href="https://evil.example/"><meta http-equiv=refresh content="0;url=https://evil.example/">',
  '{{constructor.constructor("window.ran=6")()}}',
  'safe\u202etxt.exe \u200bhidden \u0007 \u001b[31mred \u{e0041}tag',
  '</textarea></pre></div></main><form action="https://evil.example/"><button>yes, this once</button></form>',
  '| a | b |\n|---|---|\n| <script>window.ran=7</script> | [x](data:text/html,<script>1</script>) |',
].join('\n\n');

it.skipIf(noBrowser !== null)(
  'shows hostile texts of every class in every channel as text: no script runs, nothing is loaded',
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
        const closed = 'main summary, main button.head[aria-expanded=false]';
        await page.evaluate(`document.querySelectorAll('${closed}').forEach((each) => each.click())`);
        await page.waitForTimeout(200);
        const foreign =
          'main script, main iframe, main style, main img, main base, main meta, main object, main form[action]';
        expect(await page.locator(foreign).count()).toBe(0);
        expect(await page.evaluate('window.ran')).toBeUndefined();
        const targets = await page.evaluate<string[]>(
          "[...document.querySelectorAll('main a')].map((link) => link.href)",
        );
        expect(targets.filter((target) => !/^https?:/.test(target))).toEqual([]);
        const text = await page.evaluate<string>("document.querySelector('main').textContent");
        expect(text).not.toMatch(/[\u202e\u200b\u001b]|\u{e0041}/u);
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
  'draws of a session of 5,000 calls what is in sight, and reaches each of them by its link',
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
