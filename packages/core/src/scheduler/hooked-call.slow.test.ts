import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempWorkspace, type TempWorkspace } from '@toolwright/machine/testing/temp-workspace.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createToolbox, type Toolbox } from '../create-toolbox.js';
import type { ToolboxOptions } from '../options/toolbox-options.js';
import type { ConfirmRequest } from './call.js';

let temp: TempWorkspace;
let toolbox: Toolbox;
let asked: ConfirmRequest[];
let said: string[];
const { signal } = new AbortController();

beforeEach(() => {
  temp = createTempWorkspace({ content: { 'a.txt': 'text\n' } });
  [asked, said] = [[], []];
});
afterEach(async () => {
  await toolbox.close();
  await temp.cleanup();
});

interface Given {
  event?: string;
  matcher?: string;
  if?: string;
  command: string;
  timeout?: number;
  async?: boolean;
}

/** The command lines of all processes of this machine. */
function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    });
}

async function open(hooks: Given[], more: Partial<ToolboxOptions> = {}, isOwn = true): Promise<void> {
  const path = join(temp.outside, 'hooks.json');
  mkdirSync(temp.outside, { recursive: true });
  const events: Record<string, object[]> = {};
  for (const { event = 'PreToolUse', matcher = '', ...hook } of hooks)
    (events[event] ??= []).push({ matcher, hooks: [{ type: 'command', ...hook }] });
  writeFileSync(path, JSON.stringify({ hooks: events }));
  toolbox = await createToolbox({
    workspace: temp.directory,
    stateFolder: join(temp.outside, 'state'),
    approvalMode: 'yolo',
    pieces: {
      hooks: [{ path, shown: 'hooks.json', format: 'claude', isOwn }],
      say: (sentence) => said.push(sentence),
    },
    async confirm(request) {
      asked.push(request);
      return { kind: 'once' };
    },
    ...more,
  });
}

async function call(name: string, args: Record<string, unknown>) {
  const [settled] = await toolbox.scheduler.run([{ id: '1', name, arguments: args }], signal);
  return settled!;
}

const write = (content = 'x') => call('write_file', { file_path: 'new.txt', content });
const printing = (answer: object): string => `echo '${JSON.stringify({ hookSpecificOutput: answer })}'`;
const journal = (): Record<string, unknown>[] =>
  readFileSync(toolbox.session.journalPath, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('a hook before a call', () => {
  it('may refuse it; the journal says which hook and why', async () => {
    await open([{ matcher: 'Write', command: 'echo keep off >&2; exit 2' }]);
    const { denied, response } = await write();
    expect(denied).toEqual({
      by: 'rule',
      reason: 'the hook echo keep off >&2; exit 2 (hooks.json:1) says no: keep off',
    });
    expect(JSON.stringify(response)).toMatch(/Do not try to get around this/);
    expect(existsSync(join(temp.directory, 'new.txt'))).toBe(false);
    expect(journal().filter(({ type }) => /call-(hook|decision)/.test(String(type)))).toMatchObject([
      { type: 'call-hook', event: 'PreToolUse', decision: 'deny', reason: 'keep off' },
      { type: 'call-decision', decision: 'deny', winner: { kind: 'hook', verdict: 'deny' } },
    ]);
  });

  it('may have the user asked where a mode would not; the answer can’t be made lasting', async () => {
    await open([
      { matcher: 'Read', command: printing({ permissionDecision: 'ask', permissionDecisionReason: 'look' }) },
    ]);
    expect((await call('read_file', { absolute_path: 'a.txt' })).error).toBeUndefined();
    expect(asked).toMatchObject([{ reason: expect.stringMatching(/asks: look$/), offers: [] }]);
  });

  it('is no way around a rule that denies or a mode that asks', async () => {
    const rules = [{ verdict: 'deny' as const, text: 'Edit(new.txt)', source: 'test' }];
    await open([{ command: printing({ permissionDecision: 'allow' }) }], { approvalMode: 'default', rules });
    expect((await write()).denied?.reason).toMatch(/the rule Edit\(new\.txt\)/);
    await call('write_file', { file_path: 'other.txt', content: 'x' });
    expect(asked).toHaveLength(1);
  });

  it('may change the arguments, which are checked, judged and shown anew', async () => {
    const rules = [{ verdict: 'deny' as const, text: 'Edit(secret.txt)', source: 'test' }];
    const change = (input: object) => ({ matcher: 'Write', command: printing({ updatedInput: input }) });
    await open([change({ file_path: 'new.txt', content: 'changed' })], { approvalMode: 'default', rules });
    const { response } = await write('original');
    expect(readFileSync(join(temp.directory, 'new.txt'), 'utf8')).toBe('changed');
    expect(JSON.stringify(asked[0]?.details)).toMatch(/\+changed/);
    expect(JSON.stringify(response)).toMatch(/a hook of the user changed the arguments; these were used/);
    await toolbox.close();
    await open([change({ file_path: 'secret.txt', content: 'x' })], { rules });
    expect((await write()).denied?.reason).toMatch(/the rule Edit\(secret\.txt\)/);
    await toolbox.close();
    await open([change({ content: 'x' })]);
    expect((await write()).error).toMatchObject({ code: 'invalid_params' });
  });

  it('that hangs or floods has the user asked, and leaves nothing running', async () => {
    await open([
      { matcher: 'Read', command: 'sleep 1097531', timeout: 1 },
      { matcher: 'Glob', command: 'yes' },
    ]);
    await call('read_file', { absolute_path: 'a.txt' });
    await call('glob', { pattern: '*' });
    expect(asked.map(({ reason }) => reason)).toEqual([
      'the hook sleep 1097531 (hooks.json:1) asks: it did not answer within 1 s and was ended',
      'the hook yes (hooks.json:1) asks: it printed more than 1 MB and was ended',
    ]);
    expect(said).toEqual([
      expect.stringMatching(/failed: it did not/),
      expect.stringMatching(/failed: it printed/),
    ]);
    expect(commandLines().filter((line) => line.includes('1097531'))).toEqual([]);
  });

  it('gets the names and arguments that it knows', async () => {
    await open([{ matcher: 'Read', command: 'cat > seen.json' }]);
    await call('read_file', { absolute_path: 'a.txt' });
    expect(JSON.parse(readFileSync(join(temp.directory, 'seen.json'), 'utf8'))).toMatchObject({
      hook_event_name: 'PreToolUse',
      tool_name: 'Read',
      tool_input: { file_path: join(temp.directory, 'a.txt') },
      permission_mode: 'bypassPermissions',
      cwd: temp.directory,
      session_id: toolbox.session.id,
    });
  });

  it('about edits is asked about each file of a patch, and what it changes goes back as the patch it was', async () => {
    const gpt = { modelName: { provider: 'openai', model: 'gpt-5' } };
    const seen = join(temp.outside, 'seen.txt');
    const guard = `grep -o '"tool_name":"Edit".*"file_path":"[^"]*' | sed 's/.*"//' | tee -a ${seen} | grep -q b.txt || exit 0; echo not b >&2; exit 2`;
    await open([{ matcher: 'Edit|Write', if: 'Edit(*.txt)', command: guard }], gpt);
    const added = (name: string) => `*** Add File: ${name}\n+x\n`;
    const patch = (...names: string[]) => `*** Begin Patch\n${names.map(added).join('')}*** End Patch`;
    expect((await call('apply_patch', { patch: patch('new.txt', 'b.txt', 'c.txt') })).denied?.reason).toMatch(
      /says no: not b$/,
    );
    expect(existsSync(join(temp.directory, 'new.txt'))).toBe(false);
    expect(readFileSync(seen, 'utf8')).toBe(`${temp.directory}/new.txt\n${temp.directory}/b.txt\n`);
    await toolbox.close();
    const change = printing({ updatedInput: { patch: patch('c.txt'), file_path: 'c.txt' } });
    await open([{ matcher: 'Write', command: change }], gpt);
    expect((await call('apply_patch', { patch: patch('new.txt') })).error).toBeUndefined();
    expect([existsSync(join(temp.directory, 'new.txt')), existsSync(join(temp.directory, 'c.txt'))]).toEqual([
      false,
      true,
    ]);
  });

  describe('about edits, with a patch', () => {
    const gpt = { modelName: { provider: 'openai', model: 'gpt-5' } };
    const added = (name: string) => `*** Add File: ${name}\n+x\n`;
    const patch = (...names: string[]) => `*** Begin Patch\n${names.map(added).join('')}*** End Patch`;
    const keepsOff = (name: string) => ({
      matcher: 'Edit',
      command: `tee -a ${temp.outside}/asked.txt | grep -q '"file_path":"[^"]*/${name}"' || exit 0; echo not ${name} >&2; exit 2`,
    });
    const rewrites = (input: object) => ({ matcher: 'Edit', command: printing({ updatedInput: input }) });
    const deniedOf = async (...names: string[]) =>
      (await call('apply_patch', { patch: patch(...names) })).denied?.reason;

    it('is asked about the files that another hook put there, whichever of the two comes first', async () => {
      await open([rewrites({ patch: patch('b.txt') }), keepsOff('b.txt')], gpt);
      expect(await deniedOf('new.txt')).toMatch(/says no: not b.txt$/);
      await toolbox.close();
      await open([keepsOff('b.txt'), rewrites({ patch: patch('b.txt') })], gpt);
      expect(await deniedOf('new.txt')).toMatch(/says no: not b.txt$/);
      await toolbox.close();
      // By another name of the parameter, which only the checks know.
      await open([keepsOff('b.txt'), rewrites({ input: patch('b.txt') })], gpt);
      expect(await deniedOf('new.txt')).toMatch(/says no: not b.txt$/);
      expect(existsSync(join(temp.directory, 'b.txt'))).toBe(false);
    });

    it('is asked about each file after the call, even if it objects to the first', async () => {
      const objects = { event: 'PostToolUse', matcher: 'Edit' };
      await open([{ ...objects, command: `grep -o '[a-z]*.txt"' >&2; exit 2` }], gpt);
      const { response } = await call('apply_patch', { patch: patch('b.txt', 'c.txt') });
      expect(JSON.stringify(response.response?.['notes'])).toMatch(/objects: .*b\.txt.*objects: .*c\.txt/s);
    });

    it('is asked about a hundred files, and then the user is; one that was ended is not started again', async () => {
      const names = Array.from({ length: 101 }, (_, index) => `n${index}.txt`);
      await open([{ matcher: 'Edit', command: `echo >> ${temp.outside}/count.txt` }], gpt);
      await call('apply_patch', { patch: patch(...names) });
      expect(readFileSync(join(temp.outside, 'count.txt'), 'utf8')).toHaveLength(100);
      expect(asked.map(({ reason }) => reason)).toEqual([
        expect.stringMatching(/asks: it was asked about 100 of the 101 files of this call, and no more$/),
      ]);
      await toolbox.close();
      [asked, said] = [[], []];
      await open([{ matcher: 'Edit', command: `echo >> ${temp.outside}/ended.txt; kill $$` }], gpt);
      await call('apply_patch', { patch: patch('d.txt', 'e.txt') });
      expect(readFileSync(join(temp.outside, 'ended.txt'), 'utf8')).toHaveLength(1);
      expect(asked).toMatchObject([{ reason: expect.stringMatching(/was ended by SIGTERM$/) }]);
    });
  });

  it('about reading is asked about each place that several files are read from', async () => {
    const guard = `tee -a ${temp.outside}/asked.txt | grep -q '"file_path":"[^"]*/secrets' || exit 0; echo keep off >&2; exit 2`;
    await open([{ matcher: 'Read', command: guard }]);
    const denied = async (...paths: string[]) => (await call('read_many_files', { paths })).denied?.reason;
    expect(await denied('a.txt', 'secrets.txt')).toMatch(/says no: keep off$/);
    expect(await denied('a.txt', 'secrets/*.txt')).toMatch(/says no: keep off$/);
    expect(await denied('a.txt')).toBeUndefined();
  });

  it('that would change arguments again after another has the user asked, and one that repeats itself does not', async () => {
    const content = (text: string) => ({
      matcher: 'Write',
      command: printing({ updatedInput: { file_path: 'new.txt', content: text } }),
    });
    await open([content('one'), content('one')]);
    expect([(await write()).error, asked]).toEqual([undefined, []]);
    await toolbox.close();
    await open([content('one'), content('two')]);
    await write();
    expect(asked.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/asks: it would change the arguments again that another hook changed$/),
    ]);
    expect(readFileSync(join(temp.directory, 'new.txt'), 'utf8')).toBe('two');
  });

  it('is not asked about what the user does', async () => {
    await open([{ command: 'exit 2' }]);
    const calls = [{ id: '1', name: 'run_shell_command', arguments: { command: 'echo mine' } }];
    const [settled] = await toolbox.scheduler.run(calls, signal, { by: 'user' });
    expect(settled?.error).toBeUndefined();
  });
});

describe('a hook that nobody waits for', () => {
  it('decides nothing, and what it says to the user is told', async () => {
    const answer = { systemMessage: 'seen', hookSpecificOutput: { permissionDecision: 'deny' } };
    const command = `cat > seen.json; echo '${JSON.stringify(answer)}'`;
    await open([{ matcher: 'Write', command, async: true }]);
    expect((await write()).error).toBeUndefined();
    await toolbox.pieces.hooks!.started.settled();
    expect(said).toEqual([expect.stringMatching(/says: seen$/)]);
    expect(JSON.parse(readFileSync(join(temp.directory, 'seen.json'), 'utf8'))).toMatchObject({
      tool_name: 'Write',
    });
  });

  it('is ended with the session, eight of them at most', async () => {
    const command = 'echo $$ >> pids.txt; exec sleep 1000';
    await open([{ event: 'PostToolUse', matcher: 'Glob', command, async: true }]);
    for (let count = 0; count < 9; count++) await call('glob', { pattern: '*' });
    expect(said).toEqual([
      expect.stringMatching(/failed: it was not started, because 8 others still run\.$/),
    ]);
    const pidsNow = () => readFileSync(join(temp.directory, 'pids.txt'), 'utf8').trim().split('\n');
    await expect.poll(() => pidsNow().length).toBe(8);
    const pids = pidsNow().map(Number);
    await toolbox.close();
    expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  });
});

it('a hook after a call adds to what the model reads', async () => {
  await open([
    { event: 'PostToolUse', matcher: 'Write', command: printing({ additionalContext: 'format it' }) },
    { event: 'PostToolUse', matcher: 'Write', command: 'echo bad style >&2; exit 2' },
  ]);
  const { response } = await write();
  expect(response.response?.['notes']).toEqual([
    'the hook echo bad style >&2; exit 2 (hooks.json:1) objects: bad style',
    '[From a hook of the user]\nformat it',
  ]);
});

describe('a hook of the user in a folder that nobody trusts', () => {
  const script = '#!/bin/sh\ntouch ran\n';
  const runs = (): boolean => existsSync(join(temp.directory, 'ran'));

  it.each([
    '$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh',
    '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh',
    'cat | bash .claude/hooks/guard.sh',
    'npm run guard -- "$X"',
  ])('runs no code of it, and a guard that does not run has the user asked: %s', async (command) => {
    await open([{ matcher: 'Write', command }]);
    temp.write('.claude/hooks/guard.sh', script);
    temp.write('node_modules/.bin/guard', script);
    for (const path of ['.claude/hooks/guard.sh', 'node_modules/.bin/guard'])
      chmodSync(join(temp.directory, path), 0o755);
    temp.write('package.json', JSON.stringify({ scripts: { guard: 'touch ran' } }));
    await write();
    expect(runs()).toBe(false);
    expect(asked[0]?.reason).toMatch(
      /asks: it was not run: it would run \S+, which belongs to a folder that you do not trust \(toolwright trust\)$/,
    );
  });

  it('runs it once the folder is trusted, and everywhere what lies elsewhere', async () => {
    temp.write('.claude/hooks/guard.sh', script);
    writeFileSync(join(temp.outside, 'own.sh'), 'cat > /dev/null');
    await open([{ matcher: 'Write', command: 'sh $CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh' }], {
      trusted: true,
    });
    await write();
    expect([runs(), asked]).toEqual([true, []]);
    await toolbox.close();
    // A folder that is only read, such as that of a skill of the user, is none of the workspace.
    await open(
      [{ matcher: 'Write', command: `jq -r .tool_name | sh ${temp.outside}/own.sh; echo "$(date)" >&2` }],
      { include: [{ path: temp.outside, access: 'read' }] },
    );
    await write('y');
    expect([asked, said]).toEqual([[], []]);
  });
});

it('a hook of a project is confined: it changes the workspace but in plan mode, reads no home and has no network', async ({
  skip,
}) => {
  const outside = join(temp.outside, 'own.txt');
  const guard = `cat > seen.json; echo x > ${outside}; cat ${outside} >&2; exit 2`;
  await open(
    [
      { matcher: 'Write', command: guard },
      { event: 'PostToolUse', matcher: 'Read', command: 'echo >> read.txt' },
    ],
    {},
    false,
  );
  writeFileSync(outside, 'private');
  if (!(await toolbox.commands.sandbox.state(signal)).confined) skip('there is no sandbox here');
  expect((await write()).denied?.reason).not.toMatch(/private/);
  expect(readFileSync(outside, 'utf8')).toBe('private');
  expect(existsSync(join(temp.directory, 'seen.json'))).toBe(true);
  const read = () => call('read_file', { absolute_path: 'a.txt' });
  await read();
  toolbox.permission.mode = 'plan';
  await read();
  // In plan mode nothing is written.
  expect(readFileSync(join(temp.directory, 'read.txt'), 'utf8')).toBe('\n');
});

it('a guard of an extension is found by the names of its formats, and has the user asked where one has no value', async () => {
  const braced = (name: string): string => ['$', '{', name, '}'].join('');
  const from = { path: join(temp.outside, 'hooks.json'), shown: 'hooks.json', format: 'gemini' as const };
  const pieces = {
    hooks: [{ ...from, isOwn: true, root: temp.outside }],
    say: (sentence: string) => said.push(sentence),
  };
  const guard = `sh "${braced('extensionPath')}${braced('/')}guard.sh" "${braced('workspacePath')}"`;
  await open([{ matcher: 'write_file', command: guard }], { pieces, trusted: true });
  writeFileSync(join(temp.outside, 'guard.sh'), 'echo "not in $1" >&2; exit 2\n');
  expect((await write()).denied?.reason).toMatch(/says no: not in \//);
  await toolbox.close();
  await open([{ matcher: 'write_file', command: `sh ${braced('CLAUDE_PLUGIN_DATA')}/guard.sh` }], {
    pieces,
    trusted: true,
  });
  await write();
  expect(asked.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/asks: it was not run: \S+ has no value for hooks here$/),
  ]);
});
