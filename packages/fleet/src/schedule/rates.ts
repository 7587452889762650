import { type Clock, ModelError } from '@toolwright/core';
import { formatDuration } from '@toolwright/core/front-end';
import type { Engine } from '../engine/engine.js';
import type { FleetLimits } from './limits.js';

/** Lets requests to a provider through at the rate of the fleet, and holds all back while the provider wants to be left alone. */
export interface Rates {
  /** Waits until a request may be made. With `hasOther` it throws a `ModelError` instead where the provider is left alone for long. */
  beforeRequest(provider: string, signal: AbortSignal, hasOther?: boolean): Promise<void>;
  /** Tokens that an answer has used. */
  used(provider: string, tokens: number): Promise<void>;
  /** The provider asked to be left alone: every worker of the fleet is told. */
  pause(provider: string, forMs: number): Promise<void>;
  /** Notes a pause that another worker has told. */
  heardPause(provider: string, forMs: number): void;
}

interface Level {
  requests: number;
  tokens: number;
  at: number;
}

const MINUTE_MS = 60_000;
const LOOK_EVERY_MS = 250;
const LONGEST_PAUSE_MS = 3_600_000;
const LOOK_AGAIN_MS = 5_000;
/** A shorter pause is waited for, also where another model could be asked. */
const SHORT_PAUSE_MS = 5_000;

export function openRates(engine: Engine, limits: () => FleetLimits, clock: Clock): Rates {
  const pauses = openPauses(engine);
  const change = levelChanger(engine, limits);
  return {
    heardPause: pauses.heard,
    async beforeRequest(provider, signal, hasOther = false) {
      for (;;) {
        await pauses.look(provider);
        const left = pauses.msLeft(provider);
        if (hasOther && left > SHORT_PAUSE_MS) throw leftAlone(provider, left);
        if (left > 0) await clock.sleep(left, signal);
        else if (!limits().rates[provider] || (await change(provider, { requests: 1 }))) return;
        else await clock.sleep(LOOK_EVERY_MS, signal);
      }
    },
    async used(provider, tokens) {
      if (limits().rates[provider]?.tokens !== undefined) await change(provider, { tokens });
    },
    pause: pauses.begin,
  };
}

/** Without the length of the pause as data: it is no new wish of the provider. */
function leftAlone(provider: string, forMs: number): ModelError {
  return new ModelError('rate-limit', `${provider} wants to be left alone for ${formatDuration(forMs)}.`);
}

/** Takes requests and tokens from what is left of a provider's rate; false where not enough is left for a request. */
function levelChanger(engine: Engine, limits: () => FleetLimits) {
  const table = engine.table('limits');
  return async (provider: string, by: Partial<Level>): Promise<boolean> => {
    const rate = limits().rates[provider] ?? {};
    const [requests, tokens] = [
      rate.requests ?? Number.MAX_SAFE_INTEGER,
      rate.tokens ?? Number.MAX_SAFE_INTEGER,
    ];
    for (;;) {
      const row = await table.get(`rate ${provider}`);
      const now = engine.now();
      const level = (row?.value as Level | undefined) ?? { requests, tokens, at: now };
      const share = Math.max(0, now - level.at) / MINUTE_MS;
      const next: Level = {
        requests: Math.min(requests, level.requests + share * requests) - (by.requests ?? 0),
        tokens: Math.min(tokens, level.tokens + share * tokens) - (by.tokens ?? 0),
        at: now,
      };
      if (by.requests && (next.requests < 0 || next.tokens <= 0)) return false;
      if ((await table.put(`rate ${provider}`, next, row?.revision ?? null)) !== null) return true;
    }
  };
}

/** The providers that want to be left alone for some time. */
function openPauses(engine: Engine) {
  const table = engine.table('limits');
  const pausedUntil = new Map<string, number>();
  const lookedAt = new Map<string, number>();

  function heard(provider: string, forMs: number): void {
    const until = performance.now() + forMs;
    pausedUntil.set(provider, Math.max(until, pausedUntil.get(provider) ?? 0));
  }

  return {
    heard,
    msLeft: (provider: string): number => (pausedUntil.get(provider) ?? 0) - performance.now(),
    /** A worker that begins while a provider wants to be left alone has not heard of it, and what others tell may be lost. */
    async look(provider: string): Promise<void> {
      const now = engine.now();
      if (Math.abs(now - (lookedAt.get(provider) ?? 0)) < LOOK_AGAIN_MS) return;
      // Only advice: a request does not fail of it.
      const row = await table.get(`pause ${provider}`).catch(() => 'unknown' as const);
      if (row === 'unknown') return;
      lookedAt.set(provider, now);
      const until = row?.value as number | undefined;
      if (until !== undefined) heard(provider, Math.min(until - engine.now(), LONGEST_PAUSE_MS));
    },
    async begin(provider: string, asked: number): Promise<void> {
      const forMs = Math.min(asked, LONGEST_PAUSE_MS);
      heard(provider, forMs);
      engine.publish({ type: 'provider-pause', provider, forMs });
      for (;;) {
        const row = await table.get(`pause ${provider}`);
        const until = engine.now() + forMs;
        // Another worker was asked to leave it alone for longer.
        if (((row?.value as number | undefined) ?? 0) >= until) return;
        if ((await table.put(`pause ${provider}`, until, row?.revision ?? null)) !== null) return;
      }
    },
  };
}
