import { expect, test } from 'vitest';
import { withoutNetworkSentence } from './confinement.js';

const said = (network: string[], hasFailed: boolean) => withoutNetworkSentence({ network }, hasFailed);

test('a host elsewhere is named even when nothing seems to have failed', () => {
  expect(said(['`curl` (example.org)'], false)).toBe(
    'this command ran without network, so `curl` reached nothing outside of it. If it must, call again with outside: {"hosts":["example.org"]}, or for any host with network: true; the user is asked',
  );
});

test('a command that names no host, or this machine, is told so only when it failed', () => {
  for (const network of [['`git push`'], ['`curl` (127.0.0.1)']]) {
    expect(said(network, false)).toBeNull();
    expect(said(network, true)).toMatch(
      /^this command ran without network, .* call again with network: true;/,
    );
  }
});

test('a command that reaches for no network is told nothing', () => {
  expect(said([], true)).toBeNull();
});
