import { describe, expect, it } from 'vitest';
import { modelText, openTempShell, processesWith, type TempShell } from '../shell/fixtures/temp-shell.js';
import { ShellTool } from '../shell.js';

const background = { is_background: true };

async function until(shell: TempShell, expected: RegExp): Promise<string> {
  for (;;) {
    const answer = modelText(await shell.call('jobs', { action: 'output', id: 'job-1' }));
    if (expected.test(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function hasTerminal(): Promise<boolean> {
  await using shell = await openTempShell();
  const { terminal } = await shell.toolbox.commands.processes.limits();
  if (!terminal.available) console.log(`evidence: ${terminal.sentence} Programs that ask were not tried`);
  return terminal.available;
}

describe('a job', () => {
  it('is asked about first, goes on beside the conversation, and ends with it', async () => {
    await using shell = await openTempShell();
    const settled = await shell.run('echo ready; sleep 7341', background);
    expect(shell.asked).toHaveLength(1);
    expect(modelText(settled)).toMatch(/^ready\n\[job-1 runs in the background\./);
    expect(processesWith('sleep 7341')).toBeGreaterThan(0);
    await shell.toolbox.close();
    expect(processesWith('sleep 7341')).toBe(0);
  });

  it('is listed, read on from where one was, and stopped', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    await shell.run('for i in 1 2 3; do echo line $i; done; sleep 7342', background);
    expect(modelText(await shell.call('jobs', { action: 'list' }))).toBe(
      'job-1 (for i in 1 2 3; do echo line $i; done; sleep 7342): running',
    );
    const answer = modelText(await shell.call('jobs', { action: 'output', id: 'job-1' }));
    expect(answer).toMatch(/^line 1\nline 2\nline 3\n/);
    const after = Number(/after: (\d+)/.exec(answer)?.[1]);
    expect(modelText(await shell.call('jobs', { action: 'output', id: 'job-1', after }))).toMatch(
      /^\(no output\)/,
    );
    expect(modelText(await shell.call('jobs', { action: 'stop', id: 'job-1' }))).toMatch(
      /stopped \(by the jobs tool\)/,
    );
    expect(processesWith('sleep 7342')).toBe(0);
  });

  it('tells that it ended at once, and how', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    expect(modelText(await shell.run('echo oops; exit 3', background))).toBe(
      'oops\n[job-1 has ended already: ended with exit code 3.]',
    );
  });

  it('brings the jobs tool with it, after all others', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    expect(shell.toolbox.registry.getTool('jobs')).toBeUndefined();
    await shell.run('true', background);
    expect(shell.toolbox.registry.getFunctionDeclarations().at(-1)?.name).toBe('jobs');
    const unknown = await shell.call('jobs', { action: 'stop', id: 'job-7' });
    expect(unknown.error?.code).toBe('not_found');
    expect(modelText(unknown)).toContain('There is job-1.');
    expect((await shell.call('jobs', { action: 'output' })).error?.code).toBe('invalid_params');
  });
});

describe('a command that goes on', () => {
  it('becomes a job when it only reads, with everything it printed', async () => {
    await using shell = await openTempShell();
    const { commands, host } = shell.toolbox;
    const tool = new ShellTool(host, { ...commands.shell, foregroundMs: 500 });
    shell.write('log', 'one\n');
    const { llmContent, returnDisplay } = await tool.execute(
      { command: 'cat log; sleep 7343' },
      AbortSignal.timeout(20_000),
    );
    expect(llmContent).toBe(
      'one\n[it still runs after 0.5 s, so it continues as job-1: the jobs tool shows what it prints (after: 4) and stops it]',
    );
    expect(returnDisplay).toBe(
      'one\n[it still runs after 0.5 s, so it continues as job-1: /jobs output job-1 shows what it prints, /jobs stop job-1 ends it]',
    );
    expect(processesWith('sleep 7343')).toBeGreaterThan(0);
    await shell.call('jobs', { action: 'stop', id: 'job-1' });
    expect(processesWith('sleep 7343')).toBe(0);
  });
});

describe.runIf(await hasTerminal())('a program that asks', () => {
  it('is told to the model at once with what it printed and the choices; an answer goes on', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    const settled = await shell.run('read -p "Go on? [y/N] " x; echo "you said $x"', background);
    console.log(`evidence: an interactive read: ${JSON.stringify(modelText(settled))}`);
    expect(modelText(settled)).toMatch(
      /it waits for input after printing "Go on\? \[y\/N\]"\. Answer with jobs \{"action": "input", "id": "job-1", "text": "…"\}, or stop it/,
    );
    const forUser = /\. \/jobs input job-1 ANSWER answers, \/jobs stop job-1 ends it/;
    expect(settled.display).toMatch(forUser);
    expect((await shell.call('jobs', { action: 'output', id: 'job-1' })).display).toMatch(forUser);
    const answer = modelText(await shell.call('jobs', { action: 'input', id: 'job-1', text: 'yes' }));
    expect(answer).toContain('you said yes');
    expect(answer).toContain('ended with exit code 0');
  });

  it('for something that is not shown takes the answer from the user alone', async () => {
    await using shell = await openTempShell({ approvalMode: 'yolo' });
    const settled = await shell.run(
      'read -s -p "Password: " x; echo; echo "length $(printf %s "$x" | wc -c)"',
      background,
    );
    console.log(`evidence: a hidden read: ${JSON.stringify(modelText(settled))}`);
    expect(modelText(settled)).toMatch(/only the user may answer: tell them to type \/jobs input job-1/);
    const refused = await shell.call('jobs', { action: 'input', id: 'job-1', text: 'guess' });
    expect(refused.error?.code).toBe('denied');
    await shell.toolbox.commands.shell.jobs.input('job-1', 'secret\n', 'user');
    expect(await until(shell, /length 6/)).not.toContain('secret');
  });
});
