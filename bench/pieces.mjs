/** Start of the program with 20 extensions of all kinds of pieces and 500 skills, and with 10,000 skills, against a start with none: time and processor time of a prompt to the offline model. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleaved, report, reportProcessor, root } from './measure.mjs';

const ROUNDS = 25;
const TARGET = 1.1;
const base = mkdtempSync(join(tmpdir(), 'toolwright-bench-pieces-'));
const { NODE_EXTRA_CA_CERTS: _, OPENAI_API_KEY: _1, ...inherited } = process.env;
const program = join(root, 'packages/cli/bin/toolwright.cjs');

function write(path, text) {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}

function writeSkills(home, count) {
  for (let index = 0; index < count; index++) {
    const name = `skill-${index}`;
    const about = `Work of the kind ${index}, as our people do it.`;
    write(
      join(home, 'state/skills', name, 'SKILL.md'),
      `---\nname: ${name}\ndescription: ${about}\n---\nDo it.\n`,
    );
  }
}

const server = {
  command: process.execPath,
  args: [`\${extensionPath}/server.mjs`],
  env: { GREETING: 'ahoy' },
};

/** A skill, a subagent and a hook, and for some a server. */
function writeOthers(source, index) {
  write(
    join(source, `skills/harbour-${index}/SKILL.md`),
    `---\nname: harbour-${index}\ndescription: Knows harbour ${index}.\n---\nLook at the charts.\n`,
  );
  write(
    join(source, `agents/pilot-${index}.md`),
    `---\nname: pilot-${index}\ndescription: Steers into harbour ${index}.\n---\nSteer.\n`,
  );
  const hook = { type: 'command', command: 'true', timeout: 5_000 };
  write(
    join(source, 'hooks/hooks.json'),
    JSON.stringify({ hooks: { BeforeTool: [{ matcher: 'write_file', hooks: [hook] }] } }),
  );
  if (index % 4 === 0)
    write(
      join(source, 'server.mjs'),
      readFileSync(join(root, 'integration/extensions/echo-server.mjs'), 'utf8'),
    );
}

/** A home of its own, where the program has run before. */
function homeWith(name, { skills = 0, extensions = 0 }) {
  const home = join(base, name);
  write(join(home, 'work/a.txt'), 'a line\n');
  writeSkills(home, skills);
  for (let index = 0; index < extensions; index++) {
    const source = join(home, 'sources', `extension-${index}`);
    write(
      join(source, 'gemini-extension.json'),
      JSON.stringify({
        name: `extension-${index}`,
        version: '1.0.0',
        mcpServers: index % 4 === 0 ? { [`sea-${index}`]: server } : {},
      }),
    );
    write(join(source, 'GEMINI.md'), `How to use harbour ${index}.\n${'More of it.\n'.repeat(20)}`);
    write(join(source, `commands/look-${index}.toml`), 'prompt = "Look: {{args}}"\n');
    writeOthers(source, index);
    start(home, 'extensions', 'install', source, '--yes');
  }
  // What the tools of servers are is known from an earlier start.
  if (extensions > 0) start(home, 'mcp', 'list', '--check');
  return home;
}

/** Loaded into the program: it says at its end what it took. */
const meter = join(base, 'meter.cjs');
const metered = join(base, 'metered.json');
write(
  meter,
  `process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const taken = { cpuMs: (userCPUTime + systemCPUTime) / 1000, megabytes: maxRSS / 1024 };
    require('node:fs').writeFileSync(${JSON.stringify(metered)}, JSON.stringify(taken));
  });`,
);

/** Gives the processor time and the memory that the program took. */
function start(home, ...args) {
  const child = spawnSync(process.execPath, ['--require', meter, program, ...args], {
    cwd: join(home, 'work'),
    env: { ...inherited, HOME: home, TOOLWRIGHT_HOME: join(home, 'state') },
    encoding: 'utf8',
    input: '',
  });
  if (child.status !== 0) throw new Error(`${args.join(' ')}: ${child.stderr}`);
  return JSON.parse(readFileSync(metered, 'utf8'));
}

try {
  const homes = {
    none: homeWith('none', {}),
    some: homeWith('some', { skills: 500, extensions: 20 }),
    many: homeWith('many', { skills: 10_000 }),
  };
  // A folder that was changed a moment ago is not taken as settled.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const runs = Object.fromEntries(Object.keys(homes).map((name) => [name, []]));
  const prompt = (name) => () => {
    runs[name].push(start(homes[name], '--provider', 'offline', '-p', 'list .'));
  };
  const times = await interleaved(
    Object.fromEntries(Object.keys(homes).map((name) => [name, prompt(name)])),
    ROUNDS,
  );
  report('a start with nothing installed', times.none, times.none);
  for (const [name, what] of [
    ['some', 'a start with 20 extensions and 500 skills'],
    ['many', 'a start with 10,000 skills'],
  ]) {
    report(what, times[name], times.none, TARGET);
    reportProcessor(what, runs[name].slice(1), runs.none.slice(1), { target: TARGET });
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
