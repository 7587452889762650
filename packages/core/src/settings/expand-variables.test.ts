import { describe, expect, it } from 'vitest';
import { expandVariables, parseDotEnv } from './expand-variables.js';

const environment = { HOME: '/home/ann', EMPTY: '', ODD: 'a$HOME', A1_b: 'x' };

describe('expanding variables', () => {
  it.each([
    ['plain', 'plain'],
    ['$HOME/bin', '/home/ann/bin'],
    [`\${HOME}bin`, '/home/annbin'],
    ['$A1_b-$A1_b', 'x-x'],
    [`\${NONE:-x y}`, 'x y'],
    [`\${NONE:-}`, ''],
    [`\${EMPTY:-x}`, 'x'],
    ['$EMPTY', ''],
    [`\${HOME:-x}`, '/home/ann'],
    ['costs $5 or 5$', 'costs $5 or 5$'],
    ['$$HOME', '$HOME'],
    ['$ODD', 'a$HOME'],
  ])('%s becomes %j', (text, expected) => {
    expect(expandVariables(text, environment)).toEqual({ ok: true, text: expected });
  });

  it('names the variable that is not set, and what to write instead', () => {
    expect(expandVariables('$HOME and $TOKEN and $OTHER', environment)).toEqual({
      ok: false,
      variable: 'TOKEN',
      message: `the variable TOKEN is not set. Set it, or write \${TOKEN:-default}.`,
    });
  });

  it.each([`\${`, `\${}`, `\${a-b}`, `\${A`, `\${A:+x}`])('says that %s is not a variable', (text) => {
    expect(expandVariables(text, environment)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/\$\$ for a dollar sign/),
    });
  });
});

it('the reader of variables reads a .env file', () => {
  const text = [
    '# comment',
    'A=1',
    '  export B = two words # note',
    "C='single # $A \\n'",
    'D="double \\"x\\"\\nnext" # note',
    'E=',
    'F=#nothing',
    'G=a#b',
    'H="over',
    'lines"',
    'not a line',
    '1X=no',
    '__proto__=no',
    'A=last\r',
  ].join('\n');
  expect(parseDotEnv(text)).toEqual({
    A: 'last',
    B: 'two words',
    C: 'single # $A \\n',
    D: 'double "x"\nnext',
    E: '',
    F: '',
    G: 'a#b',
    H: 'over\nlines',
  });
});
