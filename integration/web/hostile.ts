import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** A text of each class that could act: script, handlers, links, styles, frames, and characters that hide others. */
export const hostile = [
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

const foreign =
  'main script, main iframe, main style, main img, main base, main meta, main object, main form[action]';

/** Opens everything that is folded in the view, and looks whether anything of the texts became more than text. */
export async function expectOnlyText(page: Page): Promise<void> {
  const closed = 'main summary, main button.head[aria-expanded=false]';
  await page.evaluate(`document.querySelectorAll('${closed}').forEach((each) => each.click())`);
  await page.waitForTimeout(200);
  expect(await page.locator(foreign).count()).toBe(0);
  expect(await page.evaluate('window.ran')).toBeUndefined();
  const targets = await page.evaluate<string[]>(
    "[...document.querySelectorAll('main a')].map((link) => link.href)",
  );
  expect(targets.filter((target) => !/^https?:/.test(target))).toEqual([]);
  const text = await page.evaluate<string>("document.querySelector('main').textContent");
  expect(text).not.toMatch(/[\u202e\u200b\u001b]|\u{e0041}/u);
}
