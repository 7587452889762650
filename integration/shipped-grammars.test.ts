import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const dist = fileURLToPath(new URL('../packages/core/dist', import.meta.url));

it('of the grammars for outlines those of the known languages are shipped, packed, and no others', () => {
  const shipped = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /tree-sitter.*wasm/.test(name),
  );
  const languages = 'bash c-sharp cpp go java php python ruby rust tsx typescript'.split(' ');
  const files = [...languages.map((name) => `tree-sitter-${name}.wasm.br`), 'tree-sitter.wasm.br'];
  expect(shipped.sort()).toEqual(files.map((name) => `grammars/${name}`).sort());
  const bytes = shipped.reduce((sum, name) => sum + statSync(`${dist}/${name}`).size, 0);
  console.log(`evidence: ${shipped.length} grammar files are shipped, ${bytes} bytes`);
  expect(bytes).toBeLessThan(2_000_000);
});
