import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '@toolwright/machine/base/content.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { McpNeeds } from '../contract/needs.js';
import { createMcpBench, type McpBench, never } from '../fixtures/mcp-bench.js';
import { type OAuthBehaviour, type OAuthTestServer, startOAuthServer } from '../fixtures/oauth-server.js';

let bench: McpBench;
let guard: OAuthTestServer;
beforeEach(() => {
  bench = createMcpBench();
});
afterEach(async () => {
  guard.close();
  await bench.close();
});

const tokensFile = () => join(bench.directory, 'state', 'mcp-tokens.json');
const saved = () => JSON.parse(readFileSync(tokensFile(), 'utf8')).servers[guard.url];

async function start(behaviour: Partial<OAuthBehaviour> = {}) {
  guard = await startOAuthServer(behaviour);
  const asked: string[] = [];
  const onSignIn: McpNeeds['onSignIn'] = async ({ url }) => {
    asked.push(url);
    void guard.visit(url);
  };
  const open = (needs: Partial<McpNeeds> = { onSignIn }, server: object = {}) =>
    bench.open('guarded', { httpUrl: guard.url, ...server }, needs);
  const who = async (server: Awaited<ReturnType<typeof open>>) =>
    textOf((await server.callTool('who', {}, { signal: never })).parts);
  return { asked, open, who };
}

describe('signing in', () => {
  it('discovers, registers, and exchanges a code with PKCE; the tokens are for the owner only', async () => {
    const { asked, open, who } = await start();
    expect(await who(await open())).toBe('scope tools');
    expect(guard.seen).toMatchObject({ registrations: 1, authorizations: 1 });
    expect(new URL(asked[0] ?? '').searchParams.get('resource')).toBe(guard.url);
    expect(statSync(tokensFile()).mode & 0o777).toBe(0o600);
    console.log(
      `evidence: OAuth: discovery, registration and PKCE on loopback, tokens file mode ${(statSync(tokensFile()).mode & 0o777).toString(8)}`,
    );
  });

  it('registers as a native application, without a secret, that comes back to this machine', async () => {
    const { open } = await start();
    await open();
    expect(guard.seen.registered).toEqual([
      expect.objectContaining({
        client_name: 'Toolwright',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)],
      }),
    ]);
  });

  it('happens once: another connection uses what was saved', async () => {
    const { asked, open, who } = await start();
    await open();
    expect(await who(await open({}))).toBe('scope tools');
    expect(asked).toHaveLength(1);
  });

  it('is not tried where nobody can be asked', async () => {
    const { open } = await start();
    await expect(open({})).rejects.toThrow(
      'MCP server "guarded" failed at sign in: it wants a sign-in. Start `toolwright` at a terminal and use the server there, or set its headers.Authorization.',
    );
  });

  it('is needed also when the refusal comes with status 200', async () => {
    const { asked, open, who } = await start({ refuseWith200: true });
    expect(await who(await open())).toBe('scope tools');
    expect(asked).toHaveLength(1);
  });

  it('is repeated for the scope a server wants in addition', async () => {
    const { asked, open, who } = await start();
    const server = await open();
    guard.behaviour.neededScope = 'admin';
    expect(await who(server)).toBe('scope tools admin');
    expect(asked).toHaveLength(2);
    expect(guard.seen.registrations).toBe(1);
  });

  it('names the client by the address of its document where the authority reads such documents', async () => {
    const clientMetadataUrl = 'https://client.test/toolwright.json';
    const { asked, open, who } = await start({ clientDocument: clientMetadataUrl });
    expect(await who(await open(undefined, { oauth: { clientMetadataUrl } }))).toBe('scope tools');
    expect(new URL(asked[0] ?? '').searchParams.get('client_id')).toBe(clientMetadataUrl);
    expect(guard.seen.registrations).toBe(0);
  });

  it('registers where the authority reads no documents', async () => {
    const { open, who } = await start();
    const oauth = { clientMetadataUrl: 'https://client.test/toolwright.json' };
    expect(await who(await open(undefined, { oauth }))).toBe('scope tools');
    expect(guard.seen.registrations).toBe(1);
  });

  it('works with a server of the first revision that signs people in itself, and with no stranger in its name', async () => {
    const own = await start({ olderIssuer: '/oauth' });
    expect(await own.who(await own.open(undefined, { oauth: { scopes: ['tools'] } }))).toBe('scope tools');
    guard.close();
    const stranger = await start({ olderIssuer: 'https://stranger.example/' });
    await expect(stranger.open()).rejects.toThrow(/sign in: Issuer mismatch/);
    expect(stranger.asked).toEqual([]);
  });

  it('asks nobody whom only we could reach, though the server says so', async () => {
    const { asked, open } = await start({ authority: 'http://169.254.169.254' });
    await expect(open()).rejects.toThrow(
      'failed at sign in: it names an address that is not asked: http://169.254.169.254.',
    );
    expect(asked).toEqual([]);
  });

  it('says what to set when the server registers nobody', async () => {
    const { open } = await start({ registration: false });
    await expect(open()).rejects.toThrow(
      /sign in: it could not be asked for a client id .*Set oauth\.clientId/,
    );
  });

  it('ends when the user does not want to', async () => {
    const { open } = await start();
    const refuse: McpNeeds['onSignIn'] = async () => {
      throw new Error('the user said no');
    };
    await expect(open({ onSignIn: refuse })).rejects.toThrow('failed at sign in: the user said no.');
  });

  it('ends at its limit when nobody comes back', async () => {
    const { open } = await start();
    await expect(open({ onSignIn: async () => undefined, limits: { signIn: 50 } })).rejects.toThrow(
      'failed at sign in: nobody signed in within 0.05 s.',
    );
  });

  it('takes as long as the user takes, while a server that is only silent has its own limit', async () => {
    const { open, who } = await start();
    const slowly: McpNeeds['onSignIn'] = async ({ url }) => {
      await bench.needs.clock.sleep(1_500);
      void guard.visit(url);
    };
    expect(await who(await open({ onSignIn: slowly, limits: { initialize: 1_000 } }))).toBe('scope tools');
  });

  it('takes no answer to another question, and goes on waiting for its own', async () => {
    const { open, who } = await start();
    const forge: McpNeeds['onSignIn'] = async ({ url }) => {
      const back = new URL(new URL(url).searchParams.get('redirect_uri') ?? '');
      back.search = 'code=stolen&state=other';
      expect((await fetch(back)).status).toBe(400);
      void guard.visit(url);
    };
    expect(await who(await open({ onSignIn: forge }))).toBe('scope tools');
  });

  it('is left to the user who wrote an Authorization header', async () => {
    const { asked, open } = await start();
    const mine = { headers: { Authorization: 'Bearer mine' } };
    await expect(open(undefined, mine)).rejects.toThrow('it answered with HTTP status 401');
    expect(asked).toEqual([]);
  });
});

describe('a token', () => {
  it('is refreshed before it ends', async () => {
    const { asked, open, who } = await start({ rotate: true, expiresInSeconds: 1_000 });
    let now = Date.now();
    const clock = { ...bench.needs.clock, now: () => now };
    const server = await open({
      clock,
      onSignIn: async ({ url }) => void guard.visit(asked.push(url) ? url : ''),
    });
    const before = saved().tokens;
    now += 950_000;
    await who(server);
    expect(guard.seen).toMatchObject({ refreshes: 1, refused: 1 });
    expect(saved().tokens.refreshToken).not.toBe(before.refreshToken);
    expect(asked).toHaveLength(1);
  });

  it('is refreshed when it is refused', async () => {
    const { asked, open, who } = await start({ rotate: true });
    const server = await open();
    guard.expireTokens();
    expect(await who(server)).toBe('scope tools');
    expect([guard.seen.refreshes, asked.length]).toEqual([1, 1]);
  });

  it('keeps its refresh token when the server sends no new one', async () => {
    const { open, who } = await start();
    const server = await open();
    const { refreshToken } = saved().tokens;
    for (let round = 1; round <= 2; round++) {
      guard.expireTokens();
      await who(server);
      expect([saved().tokens.refreshToken, guard.seen.refreshes]).toEqual([refreshToken, round]);
    }
  });

  it('is refreshed once by many at the same time, since a rotated refresh token works only once', async () => {
    const { open, who } = await start({ rotate: true });
    const [first, second] = [await open(), await open()];
    guard.expireTokens();
    const answers = await Promise.all([first, second, first, second].map((server) => who(server)));
    expect(new Set(answers)).toEqual(new Set(['scope tools']));
    console.log(`evidence: OAuth: 4 refused requests at once, ${guard.seen.refreshes} refresh`);
    expect(guard.seen.refreshes).toBe(1);
  });

  it('that could not be saved is not used: a rotated one would be lost with this process', async () => {
    const { open } = await start({ rotate: true });
    await (await open()).close();
    guard.expireTokens();
    const before = guard.seen.accepted;
    const full = async () => {
      throw new Error('the disk is full');
    };
    await expect(open({ tokens: { ...bench.needs.tokens, write: full } })).rejects.toThrow(
      'the disk is full',
    );
    expect([guard.seen.refreshes, guard.seen.accepted - before]).toEqual([1, 0]);
  });

  it('is asked for anew when its refresh token is worth nothing any more', async () => {
    const { asked, open, who } = await start();
    const server = await open();
    guard.expireTokens();
    guard.revokeRefreshTokens();
    expect(await who(server)).toBe('scope tools');
    expect(asked).toHaveLength(2);
    expect(guard.seen.registrations).toBe(1);
  });

  it.each(['temporarily_unavailable', 'too_many_requests', 'server_error'])(
    'is kept when refreshing meets the passing trouble %s',
    async (refreshTrouble) => {
      const { asked, open, who } = await start();
      const server = await open();
      const before = saved();
      guard.expireTokens();
      guard.behaviour.refreshTrouble = refreshTrouble;
      await expect(who(server)).rejects.toThrow();
      expect(saved()).toEqual(before);
      guard.behaviour.refreshTrouble = null;
      expect(await who(server)).toBe('scope tools');
      expect(asked).toHaveLength(1);
    },
  );

  it('is asked for as a new client when the old one is not known any more', async () => {
    const { asked, open, who } = await start();
    const server = await open();
    guard.expireTokens();
    guard.behaviour.refreshTrouble = 'invalid_client';
    expect(await who(server)).toBe('scope tools');
    expect([asked.length, guard.seen.registrations]).toEqual([2, 2]);
  });

  it('that is not refreshed in time is kept, and nobody waits longer', async () => {
    const { asked, open } = await start();
    await (await open()).close();
    const before = saved();
    guard.expireTokens();
    guard.behaviour.refreshTrouble = 'silence';
    await expect(open({ limits: { refresh: 50 } })).rejects.toThrow(
      /did not refresh the token within 50 ms\. Try again later; you are still signed in\./,
    );
    expect([saved(), asked.length]).toEqual([before, 1]);
  });
});
