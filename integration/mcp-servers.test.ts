import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isLinux, mcpStages, processesOf, server } from './mcp/stage.js';

const stage = mcpStages('MCP servers');

const allow = (rule: string): string[] => ['--allowed-tools', rule];

it('real servers are listed with their bill, and called without a model', async () => {
  const { machine, configure, run } = await stage({});
  machine.write('inside/b.txt', 'beta\n');
  configure({
    everything: server.everything,
    memory: server.memory,
    files: server.filesystem(`${machine.workspace}/inside`),
  });
  const { stdout, code } = await run(['mcp', 'list', '--json']);
  expect(code).toBe(0);
  const { servers } = JSON.parse(stdout) as {
    servers: { name: string; state: string; tools: number; bytes: number }[];
  };
  for (const { name, state, tools, bytes } of servers)
    console.log(`evidence: real server ${name}: ${state}, ${tools} tools, ${bytes} bytes of schema`);
  expect(servers.map(({ name, state }) => [name, state])).toEqual([
    ['everything', 'ok'],
    ['memory', 'ok'],
    ['files', 'ok'],
  ]);
  const call = async (name: string, args: object): Promise<string> => {
    const ended = await run(['tools', 'run', name, '--args', JSON.stringify(args), '--json', '-y']);
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    return ended.stdout;
  };
  expect(await call('everything__get-sum', { a: 2, b: 40 })).toContain('The sum of 2 and 40 is 42.');
  expect(await call('everything__get-tiny-image', {})).toContain('"mimeType":"image/png"');
  expect(await call('files__read_text_file', { path: `${machine.workspace}/inside/b.txt` })).toContain(
    'beta',
  );
  expect(await call('read_graph', {})).toContain('entities');
});

it('a model has their tools from the first request on, without a server being started, and calls them', async () => {
  const { run, declared, responses, model } = await stage(
    { everything: server.everything },
    {
      answers: [
        { calls: [{ name: 'everything__echo', arguments: { message: 'hello there' } }] },
        { text: 'It said hello.' },
      ],
    },
  );
  await run(['mcp', 'list']);
  const { stdout, stderr, code } = await run(['-p', 'say hello', ...allow('Mcp(everything/echo)')]);
  expect(code, stderr).toBe(0);
  expect(stdout).toBe('It said hello.\n');
  expect(declared(0)).toContain('everything__echo');
  expect(declared(0).slice(0, 3)).toEqual(['list_directory', 'read_file', 'write_file']);
  expect(responses()).toEqual([expect.stringContaining('Echo: hello there')]);
  expect(JSON.stringify(model.requests[1]?.body['tools'])).toBe(
    JSON.stringify(model.requests[0]?.body['tools']),
  );
});

it.each(['older', 'newer'])(
  'a model lists and reads the resources of a server of the %s revision, and hears which have changed',
  async (revision) => {
    const read = (args: object) => ({ calls: [{ name: 'notes__read_resource', arguments: { ...args } }] });
    const { run, responses } = await stage(
      { notes: server.misbehaving('resources', revision) },
      {
        answers: [
          read({}),
          read({ uri: 'note://{id}', values: { id: '1' } }),
          { calls: [{ name: 'notes__touch', arguments: { uri: 'note://1' } }] },
          read({ uri: 'note://2' }),
          { text: 'Read.' },
        ],
      },
    );
    await run(['mcp', 'list']);
    const { stdout, stderr, code } = await run(['-p', 'read the notes', ...allow('Mcp(notes)')]);
    expect([code, stdout], stderr).toEqual([0, 'Read.\n']);
    expect(responses()).toEqual([
      expect.stringMatching(
        /note:\/\/1 {2}Note 1.*note:\/\/\{id\} {2}\(template\) note A note by its number/,
      ),
      expect.stringContaining('version 1'),
      expect.stringContaining('touched'),
      expect.stringMatching(/version 1.*\[note:\/\/1 has changed since you read it\.\]/),
    ]);
  },
);

it('a call that needs a question is refused where nobody can be asked, and exits 54', async () => {
  const { run } = await stage(
    { everything: server.everything },
    { answers: [{ calls: [{ name: 'everything__echo', arguments: { message: 'x' } }] }, { text: 'No.' }] },
  );
  await run(['mcp', 'list']);
  const { code, stderr } = await run(['-p', 'say x']);
  expect(code).toBe(54);
  expect(stderr).toMatch(
    /everything__echo was refused: default mode asks before calling echo on MCP server everything/,
  );
});

it('a server that is named in the prompt is waited for when its tools are not known yet', async () => {
  const { run, declared } = await stage({
    everything: server.everything,
    silent: server.misbehaving('mute'),
  });
  const { stderr } = await run(['-p', 'use everything, please']);
  expect(declared(0)).toContain('everything__echo');
  // The other one was not waited for: it has not yet had the time to fail.
  expect(stderr).not.toContain('"silent"');
});

it('a server that does not answer costs its own tools alone, and is told in a sentence', async () => {
  const { run, declared } = await stage({
    crash: server.misbehaving('crash', 'initialize'),
    everything: server.everything,
  });
  const first = await run(['-p', 'ask crash and everything']);
  expect(first.code).toBe(0);
  expect(declared(0)).toContain('everything__echo');
  expect(first.stderr).toMatch(/^toolwright: MCP server "crash" failed at initialize: /m);
  expect(first.stderr).toContain('crash: out of luck at initialize');
  console.log(`evidence: crash at initialize, as shown: ${first.stderr.trim().split('\n').join(' | ')}`);
  const again = await run(['-p', 'once more']);
  expect(again.stderr).toMatch(/It was not tried again; toolwright mcp list crash does\./);
  const listed = await run(['mcp', 'list']);
  expect(listed.code).toBe(1);
  expect(listed.stdout).toMatch(/^crash +failed +0 tools/m);
});

it('--mcp-config gives servers for one run, and its tools are there with the first request', async () => {
  const { machine, run, declared } = await stage({});
  machine.write('servers.json', JSON.stringify({ mcpServers: { everything: server.everything } }));
  const { code, stderr } = await run(['--mcp-config', 'servers.json', '-p', 'hello']);
  expect(code, stderr).toBe(0);
  expect(declared(0)).toContain('everything__echo');
  expect((await run(['mcp', 'list'])).stdout).toMatch(/No MCP servers are configured/);
});

it('the servers of a project count only when its folder is trusted', async () => {
  const { machine, run, declared } = await stage({});
  machine.write('.mcp.json', JSON.stringify({ mcpServers: { everything: server.everything } }));
  const untrusted = await run(['mcp', 'list']);
  expect(untrusted.stdout).toMatch(/not used until you trust it: toolwright trust/);
  await run(['-p', 'use everything']);
  expect(declared(0)).not.toContain('everything__echo');
  await run(['trust']);
  await run(['-p', 'use everything']);
  expect(declared(1)).toContain('everything__echo');
});

it('the one-server short form works under the name mcp', async () => {
  const { machine, run } = await stage({});
  const { command, args } = server.everything;
  machine.write('s.json', JSON.stringify({ mcp: { mcpServerCommand: `${command} "${args[0]}"` } }));
  const ended = await run([
    'tools',
    'run',
    'mcp__echo',
    '--args',
    '{"message":"short"}',
    '-y',
    '--settings',
    's.json',
  ]);
  expect(ended.stdout, ended.stderr).toBe('Echo: short\n');
});

it('what a server asks is declined where nobody can be asked, in every mode, and that is said', async () => {
  const call = (name: string, args: object) => ({
    calls: [{ name: `everything__${name}`, arguments: { ...args } }],
  });
  const { run, responses } = await stage(
    { everything: server.everything },
    {
      answers: [
        call('trigger-elicitation-request', {}),
        call('trigger-sampling-request', { prompt: 'a joke' }),
        { text: 'Neither.' },
      ],
    },
  );
  const { code, stderr } = await run(['-p', 'ask everything', '-y']);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /The MCP server "everything" asked something, which was declined as nobody could be asked: Please provide inputs/,
  );
  expect(stderr).toMatch(
    /The MCP server "everything" asked for an answer from the model; that was declined: nobody could be asked\./,
  );
  expect(responses()[0]).toMatch(/declined/i);
});

it.each(['older', 'newer'])(
  'a task of a server of the %s revision goes on after the program was killed',
  async (revision) => {
    const { machine, configure, run } = await stage({});
    const tasks = join(machine.home, 'tasks.json');
    configure({ oven: { ...server.misbehaving('tasks', revision, tasks), sandbox: 'off' } });
    await run(['mcp', 'list']);
    const roast = ['tools', 'run', 'oven__roast', '-y'];
    const killed = await run(roast, {
      onStart: (kill) => {
        const timer = setInterval(() => {
          if (!existsSync(join(machine.state, 'mcp-tasks.json'))) return;
          clearInterval(timer);
          kill('SIGKILL');
        }, 20);
      },
    });
    expect(killed.stdout).not.toContain('roasted');
    const { stdout, code } = await run(roast);
    expect(code).toBe(0);
    expect(stdout).toContain('roasted, started 1 times');
    expect(stdout).toContain('it was not started a second time');
  },
);

it.runIf(isLinux)('kill -9 of the program in the middle of a call leaves no server behind', async () => {
  const { machine, run, model } = await stage(
    { everything: server.everything, endless: server.misbehaving('endless-progress') },
    {
      answers: [{ calls: [{ name: 'endless__work', arguments: {} }] }],
      otherwise: { text: 'unreachable' },
    },
  );
  await run(['mcp', 'list']);
  let before: string[] = [];
  await run(['-p', 'work', '-y'], {
    onStart: (kill) => {
      const timer = setInterval(() => {
        before = processesOf(machine).filter((command) => command.includes('endless-progress'));
        if (model.requests.length === 0 || before.length === 0) return;
        clearInterval(timer);
        setTimeout(() => kill('SIGKILL'), 300);
      }, 20);
    },
  });
  expect(before.length).toBeGreaterThan(0);
  await expect.poll(() => processesOf(machine)).toEqual([]);
});
