import { dirname } from 'node:path';
import type { Effect } from '../base/effect.js';

/** What "always" would add: exactly this rule, in these words. */
export interface GrantOffer {
  rule: string;
  /** For the person: what it will allow. */
  allows: string;
}

/** Rules that would cover a call, narrowest first. Whether one really does is for `decide` to say. */
export function candidateOffers(
  tool: string,
  effects: readonly Effect[] | undefined,
  show: (path: string) => string,
): GrantOffer[] {
  const offers = (effects ?? []).flatMap((effect) => offersFor(effect, show));
  const folders = commonFolder(effects ?? [], show);
  const everything = { rule: tool, allows: `every call of ${tool}` };
  const unique = new Map([...offers, ...folders, everything].map((offer) => [offer.rule, offer]));
  // A name with a line break or the like could make the question read as another one.
  return [...unique.values()].filter(({ rule }) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(rule));
}

function offersFor(effect: Effect, show: (path: string) => string): GrantOffer[] {
  switch (effect.kind) {
    case 'read':
      return [{ rule: `Read(${escapeGlob(show(effect.path))})`, allows: `reading ${show(effect.path)}` }];
    case 'write':
    case 'delete':
    case 'memory':
      return [{ rule: `Edit(${escapeGlob(show(effect.path))})`, allows: `changes to ${show(effect.path)}` }];
    case 'network': {
      const usual = effect.port === 443 || effect.port === 80;
      const host = usual ? effect.host : `${effect.host}:${effect.port}`;
      return [{ rule: `Fetch(${host})`, allows: `fetching from ${host}, no other host` }];
    }
    case 'mcp':
      return [
        {
          rule: `Mcp(${effect.server}/${effect.tool})`,
          allows: `${effect.tool} of the MCP server ${effect.server}`,
        },
        { rule: `Mcp(${effect.server})`, allows: `every tool of the MCP server ${effect.server}` },
      ];
    case 'execute':
      return [];
  }
}

function commonFolder(effects: readonly Effect[], show: (path: string) => string): GrantOffer[] {
  const folders = effects.flatMap((effect) =>
    effect.kind === 'write' || effect.kind === 'delete' ? [dirname(show(effect.path))] : [],
  );
  const folder = folders[0];
  if (folder === undefined || folder === '.' || folder === '/') return [];
  if (!folders.every((other) => other === folder || other.startsWith(`${folder}/`))) return [];
  return [{ rule: `Edit(${escapeGlob(folder)}/**)`, allows: `changes to any file in ${folder}` }];
}

/** A file name taken literally by the pattern language. */
function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{}()!+@|^$]/g, '\\$&');
}
