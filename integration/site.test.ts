import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, launchBrowser, noBrowser, openPage } from './web/browser.js';

if (noBrowser)
  console.log('not tried: chromium is not installed, so the documentation site was not looked at');

const { buildSite } = await import(new URL('../scripts/site/build-site.mjs', import.meta.url).href);

describe.skipIf(noBrowser !== null)('the documentation site in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-site-'));
  const addressOf = (path: string): string => pathToFileURL(join(folder, path)).href;
  let browser: Browser;

  beforeAll(async () => {
    buildSite(fileURLToPath(new URL('../', import.meta.url)), folder);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('leads from the README by search and by navigation to the documents', async () => {
    const page = await openPage(browser, addressOf('index.html'));
    await page.keyboard.press('/');
    await page.keyboard.type('protected files');
    await page.locator('#found a').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/permissions\.html#protected-files$/);
    expect(await page.locator('nav [aria-current]').textContent()).toBe('Permissions');
    await page.getByRole('link', { name: 'Try a command first' }).click();
    await page.waitForURL(/try\.html$/);
    await page.getByRole('link', { name: 'Toolwright', exact: true }).click();
    await page.waitForURL(/index\.html$/);
    const pictures =
      'Array.from(document.images, ({ complete, naturalWidth }) => complete && naturalWidth > 0)';
    await page.waitForLoadState('load');
    expect(await page.evaluate(pictures)).toEqual([true, true]);
    await page.keyboard.press('/');
    await page.keyboard.type('xyzzy');
    await page.getByText('No document has all of these words.').waitFor();
    const ofSite = `request: ${addressOf('')}`;
    expect(page.complaints.filter((complaint) => !complaint.startsWith(ofSite))).toEqual([]);
    await page.context().close();
  });

  it.each(['light', 'dark'] as const)(
    'can be read by everybody in %s colours, on a narrow screen too',
    async (colorScheme) => {
      const page = await openPage(browser, addressOf('docs/permissions.html'), { colorScheme });
      const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      expect(ground).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(18, 21, 27)');
      expect(await axeFindings(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 700 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      await page.getByText('All documents').click();
      await page.getByRole('link', { name: 'The sandbox', exact: true }).first().waitFor();
      await page.context().close();
    },
  );
});
