import { expect, it } from 'vitest';
import { missedBy, type NamedRoute } from './fixtures/routes.js';

const routes: NamedRoute[] = [
  { what: 'two imports on one line', files: { 's.py': 'import os; import a', 'a.py': '' }, runs: ['a.py'] },
  {
    what: 'an import behind a colon',
    files: { 's.py': 'try: import a\nexcept ImportError: pass', 'a.py': '' },
    runs: ['a.py'],
  },
  { what: 'an import on two lines', files: { 's.py': 'import os, \\\n  a', 'a.py': '' }, runs: ['a.py'] },
  {
    what: 'a package made beside a module',
    files: { 's.py': 'import a', 'a.py': '' },
    runs: ['a/__init__.py'],
  },
  {
    what: 'a library made beside a module',
    files: { 's.py': 'import a', 'a.py': '' },
    runs: ['a.so', 'a.abi3.so', 'a.cpython-311-x86_64-linux-gnu.so'],
  },
  {
    what: 'a compiled file in the place of a module of Python',
    files: { 's.py': 'import json' },
    runs: ['json.pyc', 'json.so'],
  },
  {
    what: 'a compiled file in the place of a package elsewhere',
    files: { 's.py': 'import requests' },
    runs: ['requests.pyc'],
  },
  {
    what: 'what a folder of PYTHONPATH brings for every start',
    files: { 's.py': '', 'lib/x.py': '' },
    runs: ['lib/sitecustomize.py'],
    environment: { PYTHONPATH: 'lib' },
  },
  {
    what: 'a process',
    files: { 's.py': 'import subprocess\nsubprocess.run(["python3", "h.py"], check=True)', 'h.py': '' },
    runs: ['h.py'],
  },
  {
    what: 'a process with a program known later',
    files: { 's.py': 'import subprocess, sys\nsubprocess.run([sys.executable, "h.py"])', 'h.py': '' },
    runs: ['h.py'],
  },
  {
    what: 'a line for the shell',
    files: { 's.py': 'import os\nos.system("sh h.sh")', 'h.sh': '' },
    runs: ['h.sh'],
  },
  {
    what: 'text that is evaluated',
    files: { 's.py': 'eval(open("h.py").read())', 'h.py': '' },
    runs: ['h.py'],
  },
  {
    what: 'imported by another name',
    files: { 's.py': 'from importlib import import_module as load\nload("h")', 'h.py': '' },
    runs: ['h.py'],
  },
  {
    what: 'a loader of files',
    files: {
      's.py': 'from importlib.machinery import SourceFileLoader\nSourceFileLoader("h", "h.py").load_module()',
      'h.py': '',
    },
    runs: ['h.py'],
  },
  {
    what: 'a folder of plugins',
    files: {
      's.py': 'import pkgutil, plugins\nlist(pkgutil.iter_modules(plugins.__path__))',
      'plugins/__init__.py': '',
      'plugins/x.py': '',
    },
    runs: ['plugins/x.py'],
  },
  {
    what: 'a package installed as a link to its source',
    files: {
      '.venv/pyvenv.cfg': '',
      '.venv/bin/python': '-> /usr/bin/python3',
      '.venv/bin/srv': '#!HERE/.venv/bin/python\nfrom mine.cli import main',
      '.venv/lib/python3.11/site-packages/_mine.pth': 'HERE/src\n',
      'src/mine/__init__.py': '',
      'src/mine/cli.py': 'import other',
      'src/other.py': '',
    },
    words: ['.venv/bin/srv'],
    runs: ['src/mine/cli.py', 'src/other.py', 'src/sitecustomize.py'],
  },
  {
    what: 'a module of such a package',
    files: {
      '.venv/pyvenv.cfg': '',
      '.venv/bin/python': '-> /usr/bin/python3',
      '.venv/lib/python3.11/site-packages/_mine.pth': 'HERE/src\n',
      'src/mine/__main__.py': '',
    },
    words: ['.venv/bin/python', '-m', 'mine'],
    runs: ['src/mine/__main__.py'],
  },
  {
    what: 'a module of such a package behind a finder',
    files: {
      '.venv/pyvenv.cfg': '',
      '.venv/bin/python': '-> /usr/bin/python3',
      '.venv/lib/python3.11/site-packages/__editable___mine_finder.py': "MAPPING = {'mine': 'HERE/src/mine'}",
      'src/mine/__init__.py': '',
      'src/mine/__main__.py': '',
    },
    words: ['.venv/bin/python', '-m', 'mine'],
    runs: ['src/mine/__main__.py'],
  },
  {
    what: 'a module of such a package, by uv',
    files: {
      '.venv/pyvenv.cfg': '',
      '.venv/bin/python': '-> /usr/bin/python3',
      'pyproject.toml': '',
      '.venv/lib/python3.11/site-packages/_mine.pth': 'HERE/src\n',
      'src/mine/__main__.py': '',
    },
    words: ['uv', 'run', 'python', '-m', 'mine'],
    runs: ['src/mine/__main__.py'],
  },
  {
    what: 'what chooses the interpreter or builds the project',
    files: { 'pyproject.toml': '', 's.py': '' },
    words: ['uv', 'run', 's.py'],
    runs: ['.python-version', 'setup.py', 'uv.toml', '.venv/lib/x.py'],
  },
  {
    what: 'a package beside it that an option adds',
    files: { 'lib/pyproject.toml': '', 'lib/x.py': '', 's.py': '' },
    words: ['uv', 'run', '--with-editable', './lib', 's.py'],
    runs: ['lib/x.py'],
  },
  {
    what: 'the environment of the first line',
    files: {
      '.venv/pyvenv.cfg': '',
      '.venv/bin/python': '-> /usr/bin/python3',
      srv: '#!HERE/.venv/bin/python\nimport json',
    },
    words: ['./srv'],
    runs: ['.venv/lib/x.py'],
  },
];

it.each(routes)('a file that Python loads or starts counts as run: $what', async (route) => {
  expect(await missedBy(route)).toEqual([]);
});

it('a program of the system that a server starts makes nothing else count', async () => {
  const source = 'import subprocess, re\nsubprocess.run(["git", "log", name])\nre.compile("x")\nmcp.run()\n';
  const files = { 's.py': source, 'other.py': '' };
  expect(await missedBy({ files, words: ['python3', 's.py'], runs: ['s.py', 'other.py'] })).toEqual([
    'other.py',
  ]);
});
