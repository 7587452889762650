import { expect, it } from 'vitest';
import { noteOn } from './resolve-outside.js';

const root = 'whoever talks to it can do everything on this machine, as root can';
const nothing = 'nothing that could be read is there now';

it.each([
  ['write', 'missing-file', '/run/docker.sock', root],
  ['read', 'missing-file', '/run/podman/podman.sock', `${root}; ${nothing}`],
  ['read', 'missing-file', '/home/ann/.ssh/id_ed25519', `it is for keys of ssh; ${nothing}`],
  ['read', 'file', '/home/ann/.ssh/id_ed25519', 'it holds keys of ssh'],
  ['read', 'missing-file', '/srv/x', nothing],
  ['write', 'missing-file', '/srv/x', null],
  ['write', 'missing-file', '/home/ann/docker.sock', null],
] as const)(
  'who lets a command %s a %s (%s) knows what it is, there or not yet',
  (access, kind, path, note) => {
    expect(noteOn({ path, kind, access }, '/home/ann')).toBe(note);
  },
);
