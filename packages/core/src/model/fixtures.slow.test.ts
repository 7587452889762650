import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { WireName } from '../testing/fake-model/body.js';
import { replay, type StreamReading } from '../testing/fake-model/replay.js';

/** Small streams are cut at every byte; larger ones at this many places here, at every byte in the long run. */
const MAX_CUTS = process.env['TOOLWRIGHT_EVERY_CUT'] ? Number.POSITIVE_INFINITY : 150;
const wires: WireName[] = ['openai', 'openai-responses', 'anthropic', 'gemini'];
const totals = { fixtures: 0, positions: 0 };

describe.each(wires)('%s streams', (wire) => {
  const folder = new URL(`./fixtures/${wire}/`, import.meta.url);
  const expected = JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8')) as Record<
    string,
    StreamReading
  >;
  const names = readdirSync(folder).filter((name) => name !== 'expected.json');

  it('are at least 15, each with what it says', () => {
    expect(names.length).toBeGreaterThanOrEqual(15);
    expect(Object.keys(expected).sort()).toEqual([...names].sort());
  });

  it.each(names)('%s says the same however it is cut', (name) => {
    const bytes = readFileSync(new URL(name, folder));
    const contentType = name.endsWith('.json') ? 'application/json' : 'text/event-stream';
    const whole = replay({ wire, contentType, chunks: [bytes] });
    const { parts: wholeParts, ...told } = whole;
    const { parts, ...wanted } = expected[name]!;
    expect(told).toEqual(wanted);
    if (parts) expect(wholeParts).toEqual(parts);
    const same = JSON.stringify(whole);
    const step = Math.max(1, Math.ceil(bytes.length / MAX_CUTS));
    for (let at = 1; at < bytes.length; at += step) {
      const reading = replay({ wire, contentType, chunks: [bytes.subarray(0, at), bytes.subarray(at)] });
      if (JSON.stringify(reading) !== same) expect(reading, `cut at byte ${at}`).toEqual(whole);
      totals.positions++;
    }
    const singles = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(replay({ wire, contentType, chunks: singles })).toEqual(whole);
    totals.fixtures++;
  });
});

it('the replay of answers prints how much was replayed', () => {
  console.log(
    `streams: ${totals.fixtures} fixtures, ${totals.positions} split positions replayed, and each byte by byte`,
  );
  expect(totals.fixtures).toBeGreaterThanOrEqual(60);
});
