import type { SyntaxNode, Word } from 'unbash';

/** True when a command of the line is known only when it runs (`$X/check.sh`), or when the line can't be read. */
export async function hasUnknownProgram(line: string): Promise<boolean> {
  const { parse, forEachChild } = await import('unbash');
  let found = false;
  const visit = (node: SyntaxNode): undefined => {
    found ||= node.type === 'Command' && node.name !== undefined && !isKnown(node.name);
    if (!found) forEachChild(node, visit);
  };
  try {
    visit(parse(line));
    return found;
  } catch {
    return true;
  }
}

function isKnown({ parts }: Word): boolean {
  return (parts ?? []).every(
    (part) =>
      part.type === 'Literal' ||
      part.type === 'SingleQuoted' ||
      (part.type === 'DoubleQuoted' && part.parts.every(({ type }) => type === 'Literal')),
  );
}
