import { expect, it } from 'vitest';
import { dangerousGitKeys } from './configuration.js';

it.each([
  ['[filter "x"]\n clean = run', ['filter.x.clean']],
  ['[filter "x"] clean = run', ['filter.x.clean']],
  ['[a][filter "x"]\nclean = run', ['filter.x.clean']],
  ['[a] [filter.x] clean = run', ['filter.x.clean']],
  ['# a \\\n[filter "x"]\nclean = run', ['a line that continues on the next']],
  ['[filter "x"]\na = b \\\n[c]\nclean = run', ['a line that continues on the next']],
  ['[core]\nfsmonitor # on', ['core.fsmonitor']],
  ['[core]\nfsmonitor = off', []],
  ['[diff ""]\ntextconv = run', ['diff..textconv']],
  ['[filter ""]\nclean = run', ['filter..clean']],
  ['[diff "x.y"]\ncommand = run\n[diff]\nexternal = run', ['diff.x.y.command', 'diff.external']],
  ['[hook "x"]\nevent = post-index-change\ncommand = run', ['hook.x.event', 'hook.x.command']],
  ['[blame]\nignoreRevsFile = /home/me/.netrc', ['blame.ignorerevsfile']],
  ['[core]\nexcludesFile = "../x"\n[mailmap]\nfile = ~/.netrc', ['core.excludesfile', 'mailmap.file']],
  ['[blame]\nignoreRevsFile = .git-blame-ignore-revs', []],
  ['[merge "x"]\ndriver = run', ['merge.x.driver']],
  ['[alias]\nwhatchanged = !run\nst = status', ['alias.whatchanged']],
  ['[remote "origin"]\nurl = https://example.org/a.git\n[branch "main"]\nmerge = refs/heads/main', []],
  ['[a', ['a section that could not be read']],
])('%j names %j', (text, keys) => {
  expect(dangerousGitKeys(text)).toEqual(keys);
});
