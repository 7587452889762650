import { expect, it } from 'vitest';
import { remarksOnWorkspace } from './wide-workspace.js';

it.each([
  ['/home/ann', /^\/home\/ann is your home folder: .* To avoid that, start in the folder of a project/],
  ['/home', /^\/home holds your home folder: /],
  ['/', /^\/ holds your home folder: /],
  ['/home/ann/.aws', /^\/home\/ann\/\.aws is where keys and passwords of cloud services are kept, /],
  ['/home/ann/.ssh/keys', /is where keys of ssh are kept/],
])('the start warns the user who works in %s', (root, expected) => {
  expect(remarksOnWorkspace([root], '/home/ann')).toEqual([expect.stringMatching(expected)]);
});

it('the start says nothing of ordinary folders', () => {
  expect(remarksOnWorkspace(['/home/ann/app', '/srv/x', '/home/annette'], '/home/ann')).toEqual([]);
});
