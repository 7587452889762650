import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openMcpStage } from './mcp/stage.js';

it("the user's own server runs no code of a folder that nobody trusts", async () => {
  const { machine, configure, run, close } = await openMcpStage({});
  const canary = join(machine.home, 'canary');
  const payload = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(canary)}, '');\n`;
  writeFileSync(join(machine.workspace, 'server.mjs'), payload);
  mkdirSync(join(machine.home, 'bin'));
  const npx = join(machine.home, 'bin', 'npx');
  writeFileSync(npx, '#!/bin/sh\n[ -e server.mjs ] && exec node ./server.mjs\necho "in $PWD" >&2\nexit 3\n');
  chmodSync(npx, 0o755);
  configure({
    // The canary lies in the home, which the sandbox would hide.
    found: { command: npx, args: ['some-server'], sandbox: 'off' },
    named: { command: process.execPath, args: ['server.mjs'], sandbox: 'off' },
  });
  const listed = await run(['mcp', 'list']);
  await run(['-p', 'ask found and named']);
  expect(existsSync(canary)).toBe(false);
  expect(listed.stdout).toContain(`in ${join(machine.state, 'cache', 'empty')}`);
  expect(listed.stdout).toMatch(
    /"named" failed at start: its command would run .*server\.mjs, which belongs to a folder that you do not trust/,
  );
  console.log(`evidence: servers in an untrusted folder:\n${listed.stdout}`);
  await run(['mcp', 'list', '--trust', 'found']);
  expect(existsSync(canary)).toBe(true);
  await close();
});

it("the user's own discovery command runs no code of such a folder either, and changes nothing in any", async () => {
  const { machine, close } = await openMcpStage({});
  const tools = (toolDiscoveryCommand: string): void =>
    writeFileSync(
      join(machine.state, 'settings.json'),
      JSON.stringify({ tools: { toolDiscoveryCommand, toolCallCommand: '/bin/cat' } }),
    );
  const script = join(machine.workspace, 'list.sh');
  writeFileSync(script, '#!/bin/sh\ntouch canary\necho "[]"\n', { mode: 0o755 });
  tools('./list.sh');
  const refused = await machine.run(['tools', 'list']);
  expect(refused.stderr).toMatch(
    /its command would run .*list\.sh, which belongs to a folder that you do not trust/,
  );
  tools('npx list-tools');
  const launcher = await machine.run(['tools', 'list']);
  expect(launcher.stderr).toContain('npx would run what it finds in');
  tools('./list.sh');
  const trusted = await machine.run(['tools', 'list', '--trust', '--sandbox', 'required']);
  expect(trusted.stderr).not.toContain('do not trust');
  expect(existsSync(join(machine.workspace, 'canary'))).toBe(false);
  await close();
});
