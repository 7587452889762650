import type { HereDoc, Redirect, Redirection } from 'unbash';
import { doubt, reachNetwork, readPath, writePath } from '../findings.js';
import { sinks } from '../paths.js';
import { quote, type ShellWord } from '../shell-word.js';
import { listInner } from './expansions.js';
import type { Scope } from './scope.js';
import { readSingle } from './words.js';

/** Reports what the redirections of a command do, and writes them again. */
export function readRedirections(redirects: readonly Redirection[], scope: Scope): string {
  return redirects.map((redirect) => ` ${readRedirection(redirect, scope)}`).join('');
}

function readRedirection(redirect: Redirection, scope: Scope): string {
  const descriptor = redirect.descriptor?.type === 'FileDescriptor' ? String(redirect.descriptor.value) : '';
  if (redirect.descriptor?.type === 'FileDescriptorVariable') {
    doubt(scope.findings, 'a redirection sets a variable');
  }
  // Whatever is open there could be opened again by the name of a standard stream, and written.
  if (descriptor !== '' && descriptor !== '0' && /^<(?!&)/.test(redirect.operator))
    doubt(scope.findings, 'a redirection reads a file in an unusual place');
  if (redirect.type === 'HereDoc') return descriptor + readHereDoc(redirect, scope);
  if (redirect.target === undefined) {
    doubt(scope.findings, 'a redirection without a target');
    return '';
  }
  // Bash takes `10<` for the number of a descriptor where a file is expected, and gives up.
  if (/^\d+$/.test(redirect.target.text) && /[<>]/.test(scope.source[redirect.target.end] ?? '')) {
    doubt(scope.findings, 'a redirection runs into another');
  }
  const target = readSingle(redirect.target, scope);
  if (redirect.type === 'HereString') return `${descriptor}<<< ${target.canonical}`;
  useTarget(redirect, target, scope);
  return `${descriptor}${redirect.operator} ${target.canonical}`;
}

function useTarget({ operator }: Redirect, target: ShellWord, scope: Scope): undefined {
  const { findings, directories } = scope;
  if ((operator === '>&' || operator === '<&') && /^([1-9]\d?|-)$/.test(target.text)) return;
  if (target.kind !== 'literal')
    return doubt(findings, 'a redirection leads to a file known only when it runs');
  // Bash opens a connection instead of a file.
  if (/^\/dev\/(tcp|udp)\//.test(target.text)) return reachNetwork(findings, target.text);
  const use = { who: 'a redirection', directories };
  if (operator === '<') return readPath(findings, target, use);
  if (operator === '<&') return doubt(findings, 'a redirection copies a descriptor known only when it runs');
  if (operator === '<>') readPath(findings, target, use);
  if (!sinks.has(target.text)) writePath(findings, target, use);
}

/** A literal body is written again as a here-string, which needs no line of its own. */
function readHereDoc({ body, delimiter, operator, closing }: HereDoc, scope: Scope): string {
  if (delimiter === undefined || closing === undefined) {
    doubt(scope.findings, 'a here-document is not closed');
    return '';
  }
  const hasExpansion = !delimiter.quoted && /[$`\\]/.test(body.text);
  if (hasExpansion) {
    listInner(body, scope);
    doubt(scope.findings, 'a here-document contains expansions');
  }
  const text = operator === '<<-' ? body.text.replace(/^\t+/gm, '') : body.text;
  return text === '' ? '< /dev/null' : `<<< ${quote(text.replace(/\n$/, ''))}`;
}
