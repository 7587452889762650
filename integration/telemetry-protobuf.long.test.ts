import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startFakeModelServer } from '@toolwright/core/testing';
import { describe, expect, it } from 'vitest';
import { canInstall } from './packages/install.js';
import { createMachine } from './program.js';
import { calls, says } from './replay/stage.js';
import { startReceiver } from './telemetry/receiver.js';

const run = promisify(execFile);

/** The last version of OpenTelemetry's own library that carries the messages of OTLP as protobufjs makes them of the published definitions. */
const library = '@opentelemetry/otlp-transformer';
const version = '0.203.0';

interface Message {
  /** Takes what it knows, and leaves out the rest. */
  fromObject(value: object): object;
  toObject(message: object, options: object): object;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
}

/** Gives the rest of a body after it was a message of OTLP, in bytes. */
function throughProtobuf(type: Message, body: object): object {
  const bytes = type.encode(type.fromObject(body)).finish();
  return type.toObject(type.decode(bytes), { longs: String, bytes: String, enums: Number });
}

describe.runIf(canInstall)('what is sent to a collector', () => {
  it('is what the published definitions of OTLP know, member for member', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolwright-otlp-'));
    writeFileSync(join(folder, 'package.json'), '{"private": true}');
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${library}@${version}`], {
      cwd: folder,
    });
    const { opentelemetry } = createRequire(join(folder, 'package.json'))(
      `${library}/build/src/generated/root.js`,
    );
    const { trace, metrics } = opentelemetry.proto.collector;
    const types: Record<string, Message> = {
      '/v1/traces': trace.v1.ExportTraceServiceRequest,
      '/v1/metrics': metrics.v1.ExportMetricsServiceRequest,
    };
    const machine = createMachine({ 'a.txt': 'one\n' });
    const receiver = await startReceiver();
    const server = await startFakeModelServer({
      answers: [
        calls(['read_file', { absolute_path: 'a.txt' }], ['read_file', { absolute_path: 'gone.txt' }]),
        calls(['write_file', { file_path: 'b.txt', content: 'two\n' }]),
        says('There is one line.'),
      ],
    });
    mkdirSync(machine.state, { recursive: true, mode: 0o700 });
    const telemetry = { enabled: true, content: true, endpoint: receiver.url };
    writeFileSync(join(machine.state, 'settings.json'), JSON.stringify({ telemetry }));
    await machine.run(['-p', 'Look at it.'], { env: server.environment('openai') });
    await Promise.all([receiver.close(), server.close()]);
    machine.cleanup();
    rmSync(folder, { recursive: true, force: true });

    const bodies = receiver.requests.map(({ path, text }) => ({ path, body: JSON.parse(text) as object }));
    expect(new Set(bodies.map(({ path }) => path))).toEqual(new Set(Object.keys(types)));
    expect(receiver.spans.length).toBeGreaterThan(5);
    for (const { path, body } of bodies) expect(throughProtobuf(types[path]!, body)).toEqual(body);
    const strange = { resourceSpans: [{ resource: { attributes: [] }, strange: 1, scopeSpans: [] }] };
    expect(throughProtobuf(types['/v1/traces']!, strange)).not.toEqual(strange);
    console.log(
      `evidence: ${bodies.length} bodies with ${receiver.spans.length} spans and ${receiver.metrics.length} metrics are the same after they were messages of ${library} ${version}`,
    );
  }, 300_000);
});
