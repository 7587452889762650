import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Machine, program } from '../program.js';

const executable = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/** Null where a browser is installed, else the sentence that says what can't be tried without one. */
export const noBrowser = executable
  ? null
  : 'not tried: chromium is not installed, so nothing of the web page was looked at in a browser';

const flags = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export function launchBrowser(): Promise<Browser> {
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: executable!, args: [...asRoot, ...flags] });
}

export interface ServedPage {
  url: string;
  origin: string;
  token: string;
  process: ChildProcess;
  errors(): string;
  /** Ends the program as Ctrl+C does. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface ServeOptions {
  args?: string[];
  env?: Record<string, string>;
  /** The id of the user whom the program runs as. */
  user?: number;
}

/** The built program serving the page, in a machine of its own. */
export async function serve(
  machine: Machine,
  { args = [], env = {}, user }: ServeOptions = {},
): Promise<ServedPage> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [program, 'web', ...args], {
    cwd: machine.workspace,
    env: { PATH, LANG: 'C.UTF-8', HOME: machine.home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const found = /https?:\/\/\S+/.exec(printed)?.[0];
      if (found) resolve(found);
    });
    child.on('close', () => reject(new Error(`toolwright web ended: ${errors}`)));
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return {
    url,
    origin: new URL(url).origin,
    token: url.split('#token=')[1] ?? '',
    process: child,
    errors: () => errors,
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
  };
}

export interface OpenedPage extends Page {
  /** Everything the browser complained about, and every request to another host. */
  readonly complaints: string[];
}

export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const { origin } = new URL(url);
  page.on('request', (request) => {
    const address = request.url();
    if (!address.startsWith(origin) && !address.startsWith('blob:')) complaints.push(`request: ${address}`);
  });
  page.setDefaultTimeout(60_000);
  await page.goto(url);
  await page.waitForSelector('h1');
  return Object.assign(page, { complaints });
}

export interface ShownPage {
  browser: Browser;
  served: ServedPage;
  page: OpenedPage;
  /** Closes the browser, then ends the program. */
  close(): Promise<void>;
}

/** Serves the page of a machine, and opens it in a browser. */
export async function showPage(machine: Machine, options: ServeOptions = {}): Promise<ShownPage> {
  const browser = await launchBrowser();
  const served = await serve(machine, options);
  const page = await openPage(browser, served.url);
  const close = async (): Promise<void> => {
    await browser.close();
    await served.stop();
  };
  return { browser, served, page, close };
}

/** Goes to a view by its link. */
export async function goTo(page: Page, link: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(link)}`);
  await page.waitForTimeout(100);
  await page.waitForSelector('h1');
  while ((await page.locator('main .waiting').count()) > 0) await page.waitForTimeout(50);
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Gives the findings of axe, a line each. */
export async function axeFindings(page: Page): Promise<string[]> {
  // As the debugger, because the page itself lets nobody run a script.
  const debug = await page.context().newCDPSession(page);
  await debug.send('Runtime.evaluate', { expression: axe });
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  await debug.detach();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  );
}
